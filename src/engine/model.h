// A loaded model: every stage with its weights, placed. Only engine/ knows all of them.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "compute/placement.h"
#include "formats/model_file.h"
#include "kernels/kernels.h"
#include "stages/code_embeddings.h"
#include "stages/code_predictor/code_predictor.h"
#include "stages/codec/decoder.h"
#include "stages/talker/talker.h"
#include "stages/text/text.h"

namespace kazeia {

class Model {
 public:
  ModelFile file;
  Placement placement;  // where the parts are now
  Tokenizer tokenizer;
  CodeEmbeddings embeddings;
  std::unique_ptr<Talker> talker;                 // refers to embeddings
  std::unique_ptr<CodePredictor> code_predictor;  // refers to embeddings
  std::unique_ptr<CodecDecoder> codec;
  // What the self-check of each part on a device found: its difference from the CPU, relative.
  std::map<ModelPart, double> differences;
  const Kernels* kernels;  // of the parts on the CPU; null: the best

  // A part that can't be on its device, or
  // that disagrees with the CPU there, goes to the CPU with a note in placement.moves; if it is strict, loading fails.
  static Result<std::unique_ptr<Model>> create(ModelFile file, const Placement& placement,
                                               const Kernels* kernels = nullptr);
  static Result<std::unique_ptr<Model>> load(const std::string& path, const Placement& placement);

  // Moves the parts whose devices have failed, but for strict ones, to the CPU. Call it between utterances.
  Status leave_failed_devices();

 private:
  Model(ModelFile model_file, Placement places, Tokenizer text, CodeEmbeddings codes, const Kernels* table)
      : file(std::move(model_file)),
        placement(std::move(places)),
        tokenizer(std::move(text)),
        embeddings(std::move(codes)),
        kernels(table) {}

  // For these, the codec's wave decoder goes with the codec.
  bool is_on_cpu(ModelPart part) const;
  bool is_strict(ModelPart part) const;
  void move_to_cpu(ModelPart part, const std::string& reason);

  Status make(ModelPart part);
  // Makes the part and compares it with the CPU where it is elsewhere.
  Status make_and_check(ModelPart part);
  // The same; what fails and is not strict is made on the CPU.
  Status settle(ModelPart part);
  Result<double> difference_from_cpu(ModelPart part);
};

// path: a GGUF, a checkpoint folder, or "random:SPEC" (formats/model_file.h).
Result<ModelFile> open_model_or_random(const std::string& path);

// How many threads serve a model best where the caller leaves it open: one for each physical core, fewer for small
// models, whose steps are too short to share. Then a thread that another program keeps waiting holds up no others.
int default_num_threads(const ModelFile& file);

}  // namespace kazeia

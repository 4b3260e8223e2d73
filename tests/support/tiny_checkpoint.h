// Official checkpoint folders with seeded random weights, small enough for unit tests (1 to 3 MB).
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "formats/dtype.h"
#include "formats/model_config.h"

namespace kazeia::test {

// A folder of its own under the system's temporary folder, removed with everything in it.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct TinyCheckpoint {
  // "tiny": 4 code groups of 512; "tiny16": 16 groups of 2,048; "tiny-mtp": code predictor narrower than the talker.
  std::string variant = "tiny";
  DType dtype = DType::bf16;  // of model.safetensors: f32, f16 or bf16; speech_tokenizer/ is always f32, as published
  int num_shards = 1;         // more than 1: model-0000N-of-0000M.safetensors and an index
  uint64_t seed = 1;
  std::function<void(ModelConfig&)> change = {};  // applied to the variant's config before anything is written
};

// Writes config.json, generation_config.json, vocab.json, merges.txt, tokenizer_config.json, the weights and
// speech_tokenizer/. Speakers: ryan, and eric with a dialect; languages: chinese, english, french, sichuan_dialect.
// The end-of-speech row of codec_head is zero, so greedy decoding doesn't stop by itself.
void write_tiny_checkpoint(const std::string& folder, const TinyCheckpoint& options = {});

// Whole files, for tests that break one.
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& content);

}  // namespace kazeia::test

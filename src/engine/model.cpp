#include "engine/model.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "engine/self_check.h"

namespace kazeia {
namespace {

constexpr std::string_view kRandomPrefix = "random:";
constexpr uint64_t kRandomSeed = 1;  // the same weights each time: timings and tests repeat

// Of weights, for each thread (docs/performance.md, the default voice).
constexpr size_t kBytesPerThread = size_t{32} << 20;

// codec_wave is made with the codec.
constexpr ModelPart kStages[] = {ModelPart::talker, ModelPart::code_predictor, ModelPart::codec};

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", fraction * 100);
  return text;
}

}  // namespace

Result<ModelFile> open_model_or_random(const std::string& path) {
  if (path.starts_with(kRandomPrefix)) return make_random_model(path.substr(kRandomPrefix.size()), kRandomSeed);
  return open_model(path);
}

int default_num_threads(const ModelFile& file) {
  size_t num_bytes = 0;
  for (const std::string& name : file.tensors->names()) num_bytes += file.tensors->find(name)->num_bytes();
  const size_t useful = std::max<size_t>(1, num_bytes / kBytesPerThread);
  return static_cast<int>(std::min<size_t>(useful, static_cast<size_t>(default_num_threads())));
}

bool Model::is_on_cpu(ModelPart part) const {
  return placement.is_on_cpu(part) && (part != ModelPart::codec || placement.is_on_cpu(ModelPart::codec_wave));
}

bool Model::is_strict(ModelPart part) const {
  const bool strict_wave = placement.codec_wave && placement.codec_wave->is_strict();
  return placement.device(part)->is_strict() || (part == ModelPart::codec && strict_wave);
}

void Model::move_to_cpu(ModelPart part, const std::string& reason) {
  placement.move_to_cpu(part, reason);
  if (part == ModelPart::codec) placement.move_to_cpu(ModelPart::codec_wave, reason);
}

Status Model::make(ModelPart part) {
  const KernelsScope scope(kernels);
  const auto& tensors = file.tensors;
  switch (part) {
    case ModelPart::talker: {
      KZ_TRY(talker, Talker::create(file.config.talker, tensors, placement.talker, embeddings));
      return ok();
    }
    case ModelPart::code_predictor: {
      KZ_TRY(code_predictor, CodePredictor::create(file.config, tensors, placement.code_predictor, embeddings));
      return ok();
    }
    case ModelPart::codec:
    case ModelPart::codec_wave: break;
  }
  KZ_TRY(codec, CodecDecoder::create(file.config.codec, tensors, placement.codec, CodecLowering::automatic,
                                     placement.codec_wave));
  return ok();
}

Result<double> Model::difference_from_cpu(ModelPart part) {
  const KernelsScope scope(kernels);
  const auto& tensors = file.tensors;
  switch (part) {
    case ModelPart::talker: {
      KZ_TRY(const auto reference, Talker::create(file.config.talker, tensors, placement.cpu, embeddings));
      return compare_talkers(file.config.talker, *talker, *reference);
    }
    case ModelPart::code_predictor: {
      KZ_TRY(const auto reference, CodePredictor::create(file.config, tensors, placement.cpu, embeddings));
      return compare_code_predictors(file.config, *code_predictor, *reference);
    }
    case ModelPart::codec:
    case ModelPart::codec_wave: break;
  }
  KZ_TRY(const auto reference, CodecDecoder::create(file.config.codec, tensors, placement.cpu));
  return compare_codecs(file.config.codec, *codec, *reference);
}

Status Model::make_and_check(ModelPart part) {
  KZ_RETURN_IF_ERROR(make(part));
  if (is_on_cpu(part)) return ok();
  KZ_TRY(const double difference, difference_from_cpu(part));
  differences[part] = difference;
  if (difference <= kMaxSelfCheckDifference) return ok();
  return Error{ErrorCode::device, std::string(part_name(part)) + ": self-check: expected results within " +
                                      percent(kMaxSelfCheckDifference) + " of the CPU's, found " + percent(difference)};
}

Status Model::settle(ModelPart part) {
  const Status status = make_and_check(part);
  if (status || is_on_cpu(part) || is_strict(part)) return status;
  move_to_cpu(part, status.error().message);
  return make(part);
}

Status Model::leave_failed_devices() {
  for (const ModelPart part : kStages) {
    std::string failure = placement.device(part)->failure();
    if (part == ModelPart::codec && failure.empty() && placement.codec_wave) failure = placement.codec_wave->failure();
    if (failure.empty() || is_on_cpu(part) || is_strict(part)) continue;
    move_to_cpu(part, failure);
    KZ_RETURN_IF_ERROR(make(part));
  }
  return ok();
}

Result<std::unique_ptr<Model>> Model::load(const std::string& path, const Placement& placement) {
  KZ_TRY(ModelFile file, open_model_or_random(path));
  return create(std::move(file), placement);
}

Result<std::unique_ptr<Model>> Model::create(ModelFile file, const Placement& placement, const Kernels* kernels) {
  KZ_TRY(Tokenizer tokenizer, Tokenizer::create(file.tokenizer));
  KZ_TRY(CodeEmbeddings embeddings, CodeEmbeddings::open(file.config, file.tensors));
  std::unique_ptr<Model> model(
      new Model(std::move(file), placement, std::move(tokenizer), std::move(embeddings), kernels));
  for (const ModelPart part : kStages) KZ_RETURN_IF_ERROR(model->settle(part));
  return model;
}

}  // namespace kazeia

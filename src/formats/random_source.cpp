// make_random_model: weights that are computed from their name and the seed when they are read, so that none are kept.
#include <cstring>
#include <map>

#include "formats/byte_tokenizer.h"
#include "formats/model_file.h"
#include "formats/random_model.h"
#include "formats/random_values.h"
#include "formats/storage_type.h"
#include "formats/tensor_manifest.h"

namespace kazeia {
namespace {

class RandomSource final : public TensorSource {
 public:
  RandomSource(std::string spec, const ModelConfig& config, StorageType type, uint64_t seed)
      : path_("random:" + std::move(spec)), seed_(seed), eos_row_(config.talker.codec_eos_id) {
    for (TensorSpec& tensor : tensor_manifest(config)) {
      names_.push_back(tensor.name);
      const TensorInfo info{storage_dtype(tensor, type), tensor.shape, /*mapped=*/false};
      tensors_.emplace(names_.back(), Entry{std::move(tensor), info});
    }
  }

  const TensorInfo* find(std::string_view name) const override {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second.info;
  }

  Result<std::span<const std::byte>> read(std::string_view name, std::vector<std::byte>& scratch) const override {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      return Error{ErrorCode::bad_model, path_ + ": " + std::string(name) + ": the tensor is missing"};
    }
    const auto& [spec, info] = found->second;
    scratch.resize(info.num_bytes());
    fill_random(random_key(seed_, name), random_range(spec), info.dtype, scratch);
    if (name == "talker.codec_head.weight") {  // a zero row keeps greedy decoding from ever choosing end-of-speech
      const size_t row_bytes = storage_bytes(info.dtype, info.shape.last());
      std::memset(scratch.data() + static_cast<size_t>(eos_row_) * row_bytes, 0, row_bytes);
    }
    return std::span<const std::byte>(scratch);
  }

  std::vector<std::string> names() const override { return names_; }
  const std::string& path() const override { return path_; }

 private:
  struct Entry {
    TensorSpec spec;
    TensorInfo info;
  };

  std::string path_;
  uint64_t seed_;
  int32_t eos_row_;
  std::vector<std::string> names_;
  std::map<std::string, Entry, std::less<>> tensors_;
};

}  // namespace

Result<ModelFile> make_random_model(const std::string& spec, uint64_t seed) {
  const size_t colon = spec.find(':');
  const std::string size = spec.substr(0, colon);
  const std::string type_name = colon == std::string::npos ? "q8_0" : spec.substr(colon + 1);
  const auto config = random_model_config(size);
  const auto type = parse_storage_type(type_name);
  if (!config || !type) {
    return Error{ErrorCode::invalid_argument,
                 "random:" + spec +
                     ": expected SIZE:TYPE with size 0.6b, 1.7b, tiny, tiny16 or tiny-mtp and type f32, "
                     "bf16, f16, q8_0, q4_0 or mixed, found size \"" +
                     size + "\" and type \"" + type_name + "\""};
  }
  KZ_RETURN_IF_ERROR(validate(*config, "random:" + spec));
  return ModelFile{*config, byte_tokenizer(), std::make_shared<RandomSource>(spec, *config, *type, seed)};
}

}  // namespace kazeia

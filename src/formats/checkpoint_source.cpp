#include "formats/checkpoint_source.h"

#include <algorithm>
#include <map>
#include <set>

#include "formats/recipes.h"
#include "formats/safetensors_reader.h"
#include "formats/tensor_manifest.h"

namespace kazeia {
namespace {

struct CheckpointTensor {
  TensorSpec spec;
  TensorInfo info;
  std::vector<StoredElements> sources;
};

// Levenshtein distance, for messages about a missing tensor.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

using NameSet = std::set<std::string, std::less<>>;

// known: the names of the other tensors, which are no candidates for a renamed one.
Error missing_tensor(const SafetensorsFolder& files, const std::string& name, const NameSet& known) {
  std::string closest;
  size_t best = name.size() / 4;  // further away it would only confuse
  for (const auto& [candidate, tensor] : files.tensors()) {
    const size_t difference =
        candidate.size() > name.size() ? candidate.size() - name.size() : name.size() - candidate.size();
    if (difference > best || known.contains(candidate)) continue;
    const size_t distance = edit_distance(name, candidate);
    if (distance > best || (distance == best && !closest.empty())) continue;
    best = distance;
    closest = candidate;
  }
  const std::string hint = closest.empty() ? "" : "; the most similar name there is " + closest;
  return Error{ErrorCode::bad_model, files.path() + ": " + name + ": the tensor is missing" + hint};
}

Result<CheckpointTensor> make_tensor(TensorSpec spec, const SafetensorsFolder& files, const NameSet& known) {
  CheckpointTensor result;
  for (const OfficialTensor& official : spec.sources) {
    const SafetensorsTensor* stored = files.find(official.name);
    if (!stored) return missing_tensor(files, official.name, known);
    const std::string where = files.file_path(*stored) + ": " + official.name + ": expected ";
    if (!stored->dtype)
      return Error{ErrorCode::bad_model, where + "type F32, F16 or BF16, found " + stored->dtype_text};
    if (stored->shape != official.shape) {
      return Error{ErrorCode::bad_model, where + to_string(official.shape) + ", found " + to_string(stored->shape)};
    }
    result.sources.push_back({*stored->dtype, stored->bytes});
  }
  const DType dtype = spec.role == TensorRole::exact ? DType::f32 : result.sources[0].dtype;
  const bool aligned = reinterpret_cast<uintptr_t>(result.sources[0].bytes.data()) % block_bytes(dtype) == 0;
  const bool as_stored = spec.recipe == TensorRecipe::copy && result.sources[0].dtype == dtype && aligned;
  result.info = {dtype, spec.shape, /*mapped=*/as_stored};
  result.spec = std::move(spec);
  return result;
}

class CheckpointSource final : public TensorSource {
 public:
  CheckpointSource(std::string folder, SafetensorsFolder model, SafetensorsFolder codec)
      : folder_(std::move(folder)), model_(std::move(model)), codec_(std::move(codec)) {}

  Status add_all(const ModelConfig& config) {
    std::vector<TensorSpec> manifest = tensor_manifest(config);
    NameSet known;
    for (const TensorSpec& spec : manifest) {
      for (const OfficialTensor& official : spec.sources) known.insert(official.name);
    }
    for (TensorSpec& spec : manifest) {
      names_.push_back(spec.name);
      const SafetensorsFolder& files = spec.part == CheckpointPart::model ? model_ : codec_;
      KZ_TRY(CheckpointTensor tensor, make_tensor(std::move(spec), files, known));
      tensors_.emplace(names_.back(), std::move(tensor));
    }
    return ok();
  }

  const TensorInfo* find(std::string_view name) const override {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second.info;
  }

  Result<std::span<const std::byte>> read(std::string_view name, std::vector<std::byte>& scratch) const override {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      return Error{ErrorCode::bad_model, folder_ + ": " + std::string(name) + ": no such tensor"};
    }
    const CheckpointTensor& tensor = found->second;
    const StoredElements& source = tensor.sources[0];
    if (tensor.info.mapped) return source.bytes;
    scratch.resize(tensor.info.num_bytes());
    if (keeps_elements(tensor.spec.recipe) && source.dtype == tensor.info.dtype) {
      rearrange(tensor.spec, source, scratch);
    } else {
      const std::span floats(reinterpret_cast<float*>(scratch.data()), scratch.size() / sizeof(float));
      apply_recipe(tensor.spec, tensor.sources, floats);
    }
    return std::span<const std::byte>(scratch);
  }

  std::vector<std::string> names() const override { return names_; }
  const std::string& path() const override { return folder_; }

 private:
  std::string folder_;
  SafetensorsFolder model_, codec_;
  std::vector<std::string> names_;  // in manifest order
  std::map<std::string, CheckpointTensor, std::less<>> tensors_;
};

}  // namespace

Result<std::shared_ptr<const TensorSource>> open_checkpoint_tensors(const std::string& folder,
                                                                    const ModelConfig& config) {
  KZ_TRY(SafetensorsFolder model, SafetensorsFolder::open(folder));
  KZ_TRY(SafetensorsFolder codec, SafetensorsFolder::open(folder + "/speech_tokenizer"));
  auto source = std::make_shared<CheckpointSource>(folder, std::move(model), std::move(codec));
  KZ_RETURN_IF_ERROR(source->add_all(config));
  return std::shared_ptr<const TensorSource>(std::move(source));
}

}  // namespace kazeia

// A GGUF file as a TensorSource: every tensor is a view into the mapped file.
#include "base/mapped_file.h"
#include "formats/gguf_model.h"
#include "formats/tensor_manifest.h"

namespace kazeia {
namespace {

class GgufSource final : public TensorSource {
 public:
  GgufSource(MappedFile file, GgufContents contents)
      : file_(std::move(file)), order_(std::move(contents.tensor_order)) {
    for (const auto& [name, tensor] : contents.tensors) {
      tensors_.emplace(name, Entry{{tensor.dtype, tensor.shape, /*mapped=*/true}, tensor.bytes});
    }
  }

  const TensorInfo* find(std::string_view name) const override {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second.info;
  }

  Result<std::span<const std::byte>> read(std::string_view name, std::vector<std::byte>&) const override {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      return Error{ErrorCode::bad_model, path() + ": " + std::string(name) + ": the tensor is missing"};
    }
    return found->second.bytes;
  }

  void copy(std::span<const std::byte> part, std::byte* to) const override { file_.copy(part, to); }

  void release(std::string_view name) const override {
    const auto found = tensors_.find(name);
    if (found != tensors_.end()) file_.release(found->second.bytes);
  }

  std::vector<std::string> names() const override { return order_; }
  const std::string& path() const override { return file_.path(); }

 private:
  struct Entry {
    TensorInfo info;
    std::span<const std::byte> bytes;
  };

  MappedFile file_;
  std::vector<std::string> order_;
  std::map<std::string, Entry, std::less<>> tensors_;
};

Status check_tensors(const GgufContents& contents, const ModelConfig& config, const std::string& path) {
  for (const TensorSpec& spec : tensor_manifest(config)) {
    const std::string where = path + ": " + spec.name + ": ";
    const auto found = contents.tensors.find(spec.name);
    if (found == contents.tensors.end()) return Error{ErrorCode::bad_model, where + "the tensor is missing"};
    const GgufTensor& tensor = found->second;
    if (tensor.shape != spec.shape) {
      return Error{ErrorCode::bad_model,
                   where + "expected " + to_string(spec.shape) + ", found " + to_string(tensor.shape)};
    }
    if (!dtype_allowed(spec.role, tensor.dtype)) {
      const char* expected = spec.role == TensorRole::exact ? "type f32" : "type f32, f16 or bf16";
      return Error{ErrorCode::bad_model, where + "expected " + expected + ", found " + dtype_name(tensor.dtype)};
    }
  }
  return ok();
}

}  // namespace

Result<ModelFile> open_gguf_model(const std::string& path) {
  KZ_TRY(MappedFile file, MappedFile::open(path));
  KZ_TRY(GgufContents contents, parse_gguf(file.bytes(), path));
  ModelFile model;
  KZ_TRY(model.config, read_gguf_config(contents, path));
  KZ_TRY(model.tokenizer, read_gguf_tokenizer(contents, path));
  KZ_RETURN_IF_ERROR(check_tensors(contents, model.config, path));
  model.tensors = std::make_shared<GgufSource>(std::move(file), std::move(contents));
  return model;
}

}  // namespace kazeia

#include "formats/gguf_writer.h"

#include <array>
#include <bit>

#include "formats/gguf_format.h"

namespace kazeia {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is little endian; this writer copies native values");

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void append_text(std::string& out, std::string_view text) {
  append(out, static_cast<uint64_t>(text.size()));
  out.append(text);
}

void append_key(std::string& out, std::string_view key, GgufType type) {
  append_text(out, key);
  append(out, static_cast<uint32_t>(type));
}

uint64_t aligned(uint64_t offset) { return (offset + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment; }

}  // namespace

void GgufMetadata::add(std::string_view key, uint32_t value) {
  append_key(encoded_, key, GgufType::uint32);
  append(encoded_, value);
  ++num_entries_;
}

void GgufMetadata::add(std::string_view key, float value) {
  append_key(encoded_, key, GgufType::float32);
  append(encoded_, value);
  ++num_entries_;
}

void GgufMetadata::add(std::string_view key, bool value) {
  append_key(encoded_, key, GgufType::boolean);
  append(encoded_, static_cast<uint8_t>(value));
  ++num_entries_;
}

void GgufMetadata::add(std::string_view key, std::string_view value) {
  append_key(encoded_, key, GgufType::string);
  append_text(encoded_, value);
  ++num_entries_;
}

void GgufMetadata::add(std::string_view key, std::span<const int32_t> values) {
  append_key(encoded_, key, GgufType::array);
  append(encoded_, static_cast<uint32_t>(GgufType::int32));
  append(encoded_, static_cast<uint64_t>(values.size()));
  for (const int32_t value : values) append(encoded_, value);
  ++num_entries_;
}

void GgufMetadata::add(std::string_view key, std::span<const std::string> values) {
  append_key(encoded_, key, GgufType::array);
  append(encoded_, static_cast<uint32_t>(GgufType::string));
  append(encoded_, static_cast<uint64_t>(values.size()));
  for (const std::string& value : values) append_text(encoded_, value);
  ++num_entries_;
}

Result<GgufWriter> GgufWriter::create(const std::string& path, const GgufMetadata& metadata,
                                      std::vector<GgufTensorEntry> tensors) {
  GgufMetadata alignment;
  alignment.add(kGgufAlignmentKey, static_cast<uint32_t>(kGgufAlignment));
  std::string header(kGgufMagic, sizeof(kGgufMagic));
  append(header, kGgufVersion);
  append(header, static_cast<uint64_t>(tensors.size()));
  append(header, metadata.num_entries() + alignment.num_entries());
  header += alignment.encoded() + metadata.encoded();
  uint64_t offset = 0;
  for (const GgufTensorEntry& tensor : tensors) {
    append_text(header, tensor.name);
    append(header, static_cast<uint32_t>(tensor.shape.num_dims()));
    for (int i = tensor.shape.num_dims() - 1; i >= 0; --i) append(header, static_cast<uint64_t>(tensor.shape[i]));
    append(header, gguf_tensor_type(tensor.dtype));
    append(header, offset);
    offset = aligned(offset + tensor.num_bytes());
  }
  KZ_TRY(AtomicFile file, AtomicFile::create(path));
  GgufWriter writer(std::move(file), std::move(tensors));
  KZ_RETURN_IF_ERROR(writer.file_.write(std::as_bytes(std::span(header))));
  KZ_RETURN_IF_ERROR(writer.pad());
  return writer;
}

Status GgufWriter::write(std::span<const std::byte> bytes) {
  KZ_CHECK(tensor_index_ < tensors_.size());
  const size_t size = tensors_[tensor_index_].num_bytes();
  KZ_CHECK(bytes.size() <= size - bytes_written_);
  KZ_RETURN_IF_ERROR(file_.write(bytes));
  bytes_written_ += bytes.size();
  if (bytes_written_ < size) return ok();
  ++tensor_index_;
  bytes_written_ = 0;
  return pad();
}

Status GgufWriter::pad() {
  static constexpr std::array<std::byte, kGgufAlignment> kZeros{};
  return file_.write(std::span(kZeros).first(aligned(file_.num_bytes()) - file_.num_bytes()));
}

Status GgufWriter::commit() {
  KZ_CHECK(tensor_index_ == tensors_.size());
  return file_.commit();
}

}  // namespace kazeia

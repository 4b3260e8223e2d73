#include "cli/convert_model.h"

#include <algorithm>

#include "compute/quantize.h"
#include "formats/gguf_model.h"
#include "formats/gguf_writer.h"
#include "formats/model_file.h"
#include "formats/tensor_manifest.h"

namespace kazeia {
namespace {

constexpr int64_t kValuesPerPiece = int64_t{1} << 20;

// Writes one tensor in pieces of whole rows, converted from the source's type.
Status write_tensor(GgufWriter& writer, std::span<const std::byte> source, DType source_dtype,
                    const GgufTensorEntry& entry) {
  if (source_dtype == entry.dtype) return writer.write(source);
  const int64_t row = entry.shape.last();
  const int64_t num_rows = entry.shape.num_elements() / row;
  const int64_t rows_per_piece = std::max<int64_t>(1, kValuesPerPiece / row);
  std::vector<float> values;
  std::vector<std::byte> bytes;
  for (int64_t begin = 0; begin < num_rows; begin += rows_per_piece) {
    const int64_t num_values = std::min(rows_per_piece, num_rows - begin) * row;
    values.resize(static_cast<size_t>(num_values));
    bytes.resize(storage_bytes(entry.dtype, num_values));
    const size_t offset = storage_bytes(source_dtype, begin * row);
    dequantize_row(source_dtype, source.subspan(offset, storage_bytes(source_dtype, num_values)), values);
    quantize_rows(entry.dtype, values, row, bytes);
    KZ_RETURN_IF_ERROR(writer.write(bytes));
  }
  return ok();
}

}  // namespace

Result<ConvertReport> convert_model(const std::string& input, const std::string& output, StorageType type,
                                    const ConvertProgressFn& progress) {
  KZ_TRY(const ModelFile model, open_model(input));
  ConvertReport report;
  ConvertProgress state;
  std::vector<GgufTensorEntry> entries;
  for (const TensorSpec& spec : tensor_manifest(model.config)) {
    entries.push_back({spec.name, storage_dtype(spec, type), spec.shape});
    state.bytes_total += entries.back().num_bytes();
    if (has_odd_rows(spec, type)) report.odd_tensors.push_back(spec.name);
  }
  KZ_TRY(GgufWriter writer, GgufWriter::create(output, make_gguf_metadata(model.config, model.tokenizer), entries));
  std::vector<std::byte> scratch;
  for (const GgufTensorEntry& entry : entries) {
    state.tensor = entry.name;
    if (progress && !progress(state)) return Error{ErrorCode::cancelled, output + ": stopped; no file was written"};
    const DType source_dtype = model.tensors->find(entry.name)->dtype;
    KZ_TRY(const auto bytes, model.tensors->read(entry.name, scratch));
    KZ_RETURN_IF_ERROR(write_tensor(writer, bytes, source_dtype, entry));
    state.bytes_done += entry.num_bytes();
  }
  KZ_RETURN_IF_ERROR(writer.commit());
  state.tensor.clear();
  if (progress) progress(state);
  report.num_bytes = writer.num_bytes();
  report.num_tensors = entries.size();
  return report;
}

}  // namespace kazeia

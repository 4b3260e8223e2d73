#include "stages/code_predictor/code_tables.h"

#include <map>

#include "compute/quantize.h"
#include "nn/device_rules.h"
#include "nn/nn.h"

namespace kazeia {
namespace {

// Tables turned over, in f16: a one-hot row times the table is then a matrix product.
class TransposedTables final : public TensorSource {
 public:
  TransposedTables(std::shared_ptr<const TensorSource> source, const std::vector<std::string>& names)
      : source_(std::move(source)) {
    for (const std::string& name : names) {
      const TensorInfo* stored = source_->find(name);
      if (!stored) continue;
      infos_.emplace(name, TensorInfo{.dtype = DType::f16, .shape = {stored->shape[1], stored->shape[0]}});
    }
  }

  const TensorInfo* find(std::string_view name) const override {
    const auto info = infos_.find(name);
    return info == infos_.end() ? nullptr : &info->second;
  }

  Result<std::span<const std::byte>> read(std::string_view name, std::vector<std::byte>& scratch) const override {
    const TensorInfo& stored = *source_->find(name);
    KZ_TRY(const auto bytes, source_->read(name, scratch));
    std::vector<float> values(static_cast<size_t>(stored.shape.num_elements()));
    dequantize_row(stored.dtype, bytes, values);
    const auto num_rows = static_cast<size_t>(stored.shape[0]);
    const auto width = static_cast<size_t>(stored.shape[1]);
    std::vector<float> turned(values.size());
    for (size_t row = 0; row < num_rows; ++row)
      for (size_t i = 0; i < width; ++i) turned[i * num_rows + row] = values[row * width + i];
    scratch.resize(storage_bytes(DType::f16, stored.shape.num_elements()));
    quantize_rows(DType::f16, turned, stored.shape[0], scratch);
    return std::span<const std::byte>(scratch);
  }

  std::vector<std::string> names() const override { return source_->names(); }
  const std::string& path() const override { return source_->path(); }

 private:
  std::shared_ptr<const TensorSource> source_;
  std::map<std::string, TensorInfo, std::less<>> infos_;
};

}  // namespace

DType code_table_type(const Device& device, DType stored) {
  return device.is_remote() || stored == DType::f16 ? DType::f16 : DType::f32;
}

Result<CodeTables> CodeTables::load(const std::shared_ptr<const TensorSource>& source,
                                    const std::vector<std::string>& names, const Device& device, DrawWay way) {
  std::shared_ptr<const TensorSource> stored;
  if (way == DrawWay::by_one_hot) {
    stored = std::make_shared<TransposedTables>(source, names);
  } else {
    stored = nn::with_types(
        source, [&](const std::string&, const TensorInfo& info) { return code_table_type(device, info.dtype); });
  }
  KZ_TRY(Weights weights, Weights::load(stored, device, names));
  CodeTables tables(std::move(weights));
  for (const std::string& name : names) tables.tables_.push_back(tables.weights_.get(name));
  return tables;
}

Tensor CodeTables::row(Graph& g, size_t table, const GraphDraw& draw) const {
  if (draw.one_hot) return nn::linear(g, draw.one_hot, tables_[table]);
  return {ggml_get_rows(g.context(), tables_[table].node, draw.id.node)};
}

}  // namespace kazeia

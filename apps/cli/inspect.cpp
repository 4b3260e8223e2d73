// kazeia inspect: what is in a model.
#include <map>

#include "cli/commands.h"
#include "cli/inspect_model.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "formats/dtype.h"

namespace kazeia {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string stack_text(const LayerStackConfig& stack) {
  return format_text("%d layers, hidden %d, intermediate %d, %d heads (%d key/value) of %d", stack.num_layers,
                     stack.hidden_size, stack.intermediate_size, stack.num_heads, stack.num_kv_heads, stack.head_size);
}

std::string sampling_text(const SamplingDefaults& sampling) {
  if (!sampling.do_sample) return "greedy";
  return format_text("temperature %g, top-k %d, top-p %g, repetition penalty %g",
                     static_cast<double>(sampling.temperature), sampling.top_k, static_cast<double>(sampling.top_p),
                     static_cast<double>(sampling.repetition_penalty));
}

template <class Named>
std::string names_of(const std::vector<Named>& items) {
  std::string names;
  for (const Named& item : items) names += (names.empty() ? "" : ", ") + item.name;
  return names.empty() ? "none" : names;
}

std::string factors_text(const std::vector<int>& factors) {
  std::string text;
  for (const int factor : factors) text += (text.empty() ? "" : " x ") + std::to_string(factor);
  return text;
}

std::string metadata_text(const std::string& path, const ModelFile& file) {
  const ModelConfig& config = file.config;
  const CodecConfig& codec = config.codec;
  Rows rows = {{"model", path}};
  for (const auto& [key, value] : {std::pair{"name", config.name},
                                   {"description", config.description},
                                   {"license", config.license},
                                   {"source", config.source}}) {
    if (!value.empty()) rows.push_back({key, value});
  }
  rows.push_back({"type", model_type_name(config.type)});
  rows.push_back({"size", config.size});
  rows.push_back({"talker", stack_text(config.talker.stack)});
  rows.push_back({"", format_text("%d codes and control ids, %d text ids of width %d", config.talker.vocab_size,
                                  config.talker.text_vocab_size, config.talker.text_hidden_size)});
  rows.push_back({"code predictor", stack_text(config.code_predictor.stack)});
  rows.push_back({"codes", format_text("%d groups of %d entries", config.talker.num_code_groups, codec.codebook_size)});
  rows.push_back({"codec", stack_text(codec.pre_transformer) + format_text(", window %d", codec.sliding_window)});
  rows.push_back({"", "upsampling " + factors_text(codec.upsampling_ratios) + ", wave " +
                          factors_text(codec.upsample_rates) + format_text(", %d channels", codec.decoder_dim)});
  rows.push_back(
      {"audio", format_text("%d Hz, %d samples a frame (%.1f ms)", codec.sample_rate_hz, codec.samples_per_frame(),
                            1000.0 * codec.samples_per_frame() / codec.sample_rate_hz)});
  rows.push_back({"text feed", text_feed_name(config.text_feed)});
  rows.push_back({"talker sampling", sampling_text(config.talker_sampling)});
  rows.push_back({"code predictor sampling", sampling_text(config.code_predictor_sampling)});
  rows.push_back({"voices", names_of(config.speakers)});
  rows.push_back({"languages", names_of(config.languages)});
  rows.push_back(
      {"tokenizer", format_text("%zu tokens, %zu added", file.tokenizer.tokens.size(), file.tokenizer.added.size())});
  return table(rows);
}

struct Total {
  int num_tensors = 0;
  int64_t num_values = 0;
  double num_bytes = 0;

  void add(const TensorInfo& info) {
    ++num_tensors;
    num_values += info.shape.num_elements();
    num_bytes += static_cast<double>(info.num_bytes());
  }
};

std::string totals_text(const TensorSource& tensors) {
  std::map<std::string, Total> by_type, by_part;
  Total all;
  for (const std::string& name : tensors.names()) {
    const TensorInfo& info = *tensors.find(name);
    by_type[dtype_name(info.dtype)].add(info);
    by_part[name.substr(0, name.find('.'))].add(info);
    all.add(info);
  }
  Rows rows = {{"", "tensors", "values", "size"}};
  auto add = [&](const std::string& name, const Total& total) {
    rows.push_back({name, std::to_string(total.num_tensors), grouped(total.num_values), human_bytes(total.num_bytes)});
  };
  for (const auto& [name, total] : by_part) add(name, total);
  for (const auto& [name, total] : by_type) add(name, total);
  add("all", all);
  return table(rows, {Align::left, Align::right, Align::right, Align::right});
}

std::string tensors_text(const TensorSource& tensors) {
  Rows rows = {{"tensor", "type", "shape", "size"}};
  for (const std::string& name : tensors.names()) {
    const TensorInfo& info = *tensors.find(name);
    rows.push_back(
        {name, dtype_name(info.dtype), to_string(info.shape), human_bytes(static_cast<double>(info.num_bytes()))});
  }
  return table(rows, {Align::left, Align::left, Align::left, Align::right});
}

}  // namespace

Status run(const InspectOptions& options) {
  KZ_TRY(const std::string path, resolve_model(options.model));
  KZ_TRY(const ModelFile file, open_any_model(path));
  print_out(metadata_text(path, file) + "\n" + totals_text(*file.tensors));
  if (options.tensors) print_out("\n" + tensors_text(*file.tensors));
  return ok();
}

}  // namespace kazeia

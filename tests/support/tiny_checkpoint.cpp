#include "support/tiny_checkpoint.h"

#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "formats/byte_tokenizer.h"
#include "formats/half.h"
#include "formats/random_model.h"
#include "formats/random_values.h"
#include "formats/tensor_manifest.h"

namespace kazeia::test {
namespace {

using nlohmann::json;

json stack_json(const LayerStackConfig& stack) {
  return {{"hidden_size", stack.hidden_size},
          {"intermediate_size", stack.intermediate_size},
          {"num_hidden_layers", stack.num_layers},
          {"num_attention_heads", stack.num_heads},
          {"num_key_value_heads", stack.num_kv_heads},
          {"head_dim", stack.head_size},
          {"rms_norm_eps", static_cast<double>(stack.rms_norm_eps)},
          {"rope_theta", static_cast<double>(stack.rope_theta)},
          {"hidden_act", "silu"},
          {"attention_bias", false}};
}

json talker_json(const ModelConfig& config) {
  json predictor = stack_json(config.code_predictor.stack);
  predictor["vocab_size"] = config.code_predictor.vocab_size;
  predictor["num_code_groups"] = config.talker.num_code_groups;
  json talker = stack_json(config.talker.stack);
  talker.update({{"code_predictor_config", predictor},
                 {"vocab_size", config.talker.vocab_size},
                 {"text_vocab_size", config.talker.text_vocab_size},
                 {"text_hidden_size", config.talker.text_hidden_size},
                 {"num_code_groups", config.talker.num_code_groups},
                 {"codec_bos_id", config.talker.codec_bos_id},
                 {"codec_eos_token_id", config.talker.codec_eos_id},
                 {"codec_pad_id", config.talker.codec_pad_id},
                 {"codec_think_id", config.talker.codec_think_id},
                 {"codec_nothink_id", config.talker.codec_nothink_id},
                 {"codec_think_bos_id", config.talker.codec_think_bos_id},
                 {"codec_think_eos_id", config.talker.codec_think_eos_id},
                 {"codec_language_id", json::object()},
                 {"spk_id", json::object()},
                 {"spk_is_dialect", json::object()}});
  for (const Language& language : config.languages) talker["codec_language_id"][language.name] = language.codec_id;
  for (const Speaker& speaker : config.speakers) {
    talker["spk_id"][speaker.name] = speaker.codec_id;
    talker["spk_is_dialect"][speaker.name] = speaker.dialect.empty() ? json(false) : json(speaker.dialect);
  }
  return talker;
}

// The keys that official checkpoints do not have.
json own_json(const ModelConfig& config) {
  json own = {{"spell_out", config.text.spell_out}, {"max_sentence_codepoints", config.text.max_sentence_codepoints}};
  for (const Speaker& speaker : config.speakers) {
    if (!speaker.language.empty()) own["speaker_languages"][speaker.name] = speaker.language;
  }
  return own;
}

json config_json(const ModelConfig& config) {
  return {{"model_type", "qwen3_tts"},
          {"tokenizer_type", "qwen3_tts_tokenizer_12hz"},
          {"tts_model_type", model_type_name(config.type)},
          {"tts_model_size", config.size},
          {"tts_bos_token_id", config.prompt.tts_bos},
          {"tts_eos_token_id", config.prompt.tts_eos},
          {"tts_pad_token_id", config.prompt.tts_pad},
          {"im_start_token_id", config.prompt.im_start},
          {"im_end_token_id", config.prompt.im_end},
          {"assistant_token_id", config.prompt.assistant},
          {"talker_config", talker_json(config)},
          {"kazeia", own_json(config)}};
}

json generation_json(const ModelConfig& config) {
  const auto number = [](float value) { return std::stod(json(value).dump()); };
  const SamplingDefaults& talker = config.talker_sampling;
  const SamplingDefaults& predictor = config.code_predictor_sampling;
  return {{"do_sample", talker.do_sample},
          {"temperature", number(talker.temperature)},
          {"top_k", talker.top_k},
          {"top_p", number(talker.top_p)},
          {"repetition_penalty", number(talker.repetition_penalty)},
          {"subtalker_dosample", predictor.do_sample},
          {"subtalker_temperature", number(predictor.temperature)},
          {"subtalker_top_k", predictor.top_k},
          {"subtalker_top_p", number(predictor.top_p)},
          {"max_new_tokens", 8192}};
}

json codec_json(const CodecConfig& codec) {
  json decoder = stack_json(codec.pre_transformer);
  decoder.update({{"sliding_window", codec.sliding_window},
                  {"num_quantizers", codec.num_quantizers},
                  {"codebook_size", codec.codebook_size},
                  {"codebook_dim", codec.codebook_dim},
                  {"latent_dim", codec.latent_dim},
                  {"decoder_dim", codec.decoder_dim},
                  {"upsampling_ratios", codec.upsampling_ratios},
                  {"upsample_rates", codec.upsample_rates}});
  return {{"model_type", "qwen3_tts_tokenizer_12hz"},
          {"output_sample_rate", codec.sample_rate_hz},
          {"decode_upsample_rate", codec.samples_per_frame()},
          {"decoder_config", decoder}};
}

void write_tokenizer(const std::string& folder) {
  const TokenizerData data = byte_tokenizer();
  json vocab = json::object();
  for (size_t id = 0; id < data.tokens.size(); ++id) vocab[data.tokens[id]] = id;
  std::string merges = "#version: 0.2\n";
  for (const std::string& merge : data.merges) merges += merge + "\n";
  json added = json::object();
  for (const AddedToken& token : data.added) {
    added[std::to_string(token.id)] = {{"content", token.text}, {"special", true}};
  }
  write_file(folder + "/vocab.json", vocab.dump());
  write_file(folder + "/merges.txt", merges);
  write_file(folder + "/tokenizer_config.json",
             json{{"tokenizer_class", "Qwen2Tokenizer"}, {"added_tokens_decoder", added}}.dump(2));
}

struct OfficialValues {
  OfficialTensor tensor;
  std::vector<float> values;
};

std::vector<float> draw(uint64_t seed, const OfficialTensor& tensor, RandomRange range) {
  std::vector<float> values(static_cast<size_t>(tensor.shape.num_elements()));
  fill_random(random_key(seed, tensor.name), range, values);
  return values;
}

// Official values from which the spec's recipe makes ours.
std::vector<OfficialValues> make_values(const TensorSpec& spec, const ModelConfig& config, uint64_t seed) {
  RandomRange range = random_range(spec);
  if (!spec.name.ends_with("weight") && spec.name.find("snake") != std::string::npos) range = {0, 0.1F};  // logarithms
  std::vector<OfficialValues> result;
  result.push_back({spec.sources[0], draw(seed, spec.sources[0], range)});
  std::vector<float>& values = result[0].values;
  if (spec.recipe == TensorRecipe::codebook) {
    const std::vector<float> usage = draw(seed, spec.sources[1], {1.25F, 0.43F});
    const size_t width = values.size() / usage.size();
    for (size_t i = 0; i < values.size(); ++i) values[i] *= usage[i / width];
    result.push_back({spec.sources[1], usage});
  }
  if (spec.name == "talker.codec_head.weight") {
    const size_t width = static_cast<size_t>(spec.shape.last());
    std::memset(&values[static_cast<size_t>(config.talker.codec_eos_id) * width], 0, width * sizeof(float));
  }
  return result;
}

std::string encode(const std::vector<float>& values, DType dtype) {
  std::string bytes(values.size() * block_bytes(dtype), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::f32) {
      std::memcpy(&bytes[i * 4], &values[i], 4);
    } else {
      const uint16_t half = dtype == DType::f16 ? float_to_f16(values[i]) : float_to_bf16(values[i]);
      std::memcpy(&bytes[i * 2], &half, 2);
    }
  }
  return bytes;
}

void write_safetensors(const std::string& path, const std::vector<OfficialValues>& tensors, DType dtype) {
  json header = {{"__metadata__", {{"format", "pt"}}}};
  std::string data;
  const char* type = dtype == DType::f32 ? "F32" : dtype == DType::f16 ? "F16" : "BF16";
  for (const OfficialValues& tensor : tensors) {
    json shape = json::array();
    for (int i = 0; i < tensor.tensor.shape.num_dims(); ++i) shape.push_back(tensor.tensor.shape[i]);
    const size_t begin = data.size();
    data += encode(tensor.values, dtype);
    header[tensor.tensor.name] = {{"dtype", type}, {"shape", shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string size(8, '\0');
  const uint64_t count = text.size();
  std::memcpy(size.data(), &count, 8);
  write_file(path, size + text + data);
}

void write_model_shards(const std::string& folder, const std::vector<OfficialValues>& tensors, DType dtype,
                        int num_shards) {
  if (num_shards <= 1) return write_safetensors(folder + "/model.safetensors", tensors, dtype);
  json weight_map = json::object();
  const size_t per_shard = (tensors.size() + static_cast<size_t>(num_shards) - 1) / static_cast<size_t>(num_shards);
  for (int shard = 0; shard < num_shards; ++shard) {
    char name[64];
    std::snprintf(name, sizeof(name), "model-%05d-of-%05d.safetensors", shard + 1, num_shards);
    const size_t begin = std::min(tensors.size(), static_cast<size_t>(shard) * per_shard);
    const size_t end = std::min(tensors.size(), begin + per_shard);
    const std::vector<OfficialValues> part(tensors.begin() + static_cast<std::ptrdiff_t>(begin),
                                           tensors.begin() + static_cast<std::ptrdiff_t>(end));
    for (const OfficialValues& tensor : part) weight_map[tensor.tensor.name] = name;
    write_safetensors(folder + "/" + name, part, dtype);
  }
  write_file(folder + "/model.safetensors.index.json", json{{"weight_map", weight_map}}.dump(2));
}

}  // namespace

TempFolder::TempFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kazeia-test-XXXXXX").string();
  KZ_CHECK(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code unused;
  std::filesystem::remove_all(path_, unused);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  KZ_CHECK(file.good());
  std::ostringstream content;
  content << file.rdbuf();
  return std::move(content).str();
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  KZ_CHECK(file.flush().good());
}

void write_tiny_checkpoint(const std::string& folder, const TinyCheckpoint& options) {
  std::optional<ModelConfig> config = random_model_config(options.variant);
  KZ_CHECK(config.has_value());
  if (options.change) options.change(*config);
  std::filesystem::create_directories(folder + "/speech_tokenizer");
  write_file(folder + "/config.json", config_json(*config).dump(2));
  write_file(folder + "/generation_config.json", generation_json(*config).dump(2));
  write_file(folder + "/speech_tokenizer/config.json", codec_json(config->codec).dump(2));
  write_tokenizer(folder);
  std::vector<OfficialValues> model, codec;
  for (const TensorSpec& spec : tensor_manifest(*config)) {
    auto& part = spec.part == CheckpointPart::model ? model : codec;
    for (OfficialValues& tensor : make_values(spec, *config, options.seed)) part.push_back(std::move(tensor));
  }
  write_model_shards(folder, model, options.dtype, options.num_shards);
  write_safetensors(folder + "/speech_tokenizer/model.safetensors", codec, DType::f32);
}

}  // namespace kazeia::test

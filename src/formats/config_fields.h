// The table of ModelConfig's plain fields: our GGUF key, where the official JSON files have it, and its bounds. Reading
// JSON, reading and writing GGUF and validation all walk this one table, so they can't drift apart.
#pragma once
#include <cstdint>
#include <string>

#include "formats/model_config.h"

namespace kazeia {

enum class ConfigFile {
  config,
  generation,
  codec
};  // config.json, generation_config.json, speech_tokenizer/config.json

// Whether an official JSON file may leave a key out; then the value already in the ModelConfig stays. GGUF has every
// key but the optional ones.
enum class Need { required, has_default, optional };

struct Field {
  std::string key;  // ours
  ConfigFile file = ConfigFile::config;
  std::string official_key;  // dotted path in that file
  Need need = Need::required;
  double min = 0, max = 0;
};

// "1 to 65536", for messages.
std::string range_text(const Field& field);
// Without a fraction where there is none.
std::string number_text(double value);

inline constexpr int kMaxWidth = 65'536;     // channels of any layer
inline constexpr int kMaxVocab = 4'194'304;  // rows of any embedding table
inline constexpr int kMaxLayers = 256;
inline constexpr int kMaxHeads = 512;
inline constexpr int kMaxCodebookSize = 65'536;
inline constexpr int kMaxUpsampleStages = 8;  // entries of each list of factors; each factor is 1..64
inline constexpr int kMaxUpsampleFactor = 64;
inline constexpr int kMaxSamplesPerFrame = 65'536;
inline constexpr int kMaxSentenceCodepoints = 1'048'576;
inline constexpr int kNumControlIds = 1'024;  // the last ids of the talker's vocabulary (modeling_qwen3_tts.py:2059)

template <class Stack, class Visit>
void visit_stack(Stack& stack, ConfigFile file, const std::string& ours, const std::string& official, Visit& visit) {
  const auto field = [&](const char* key, const char* official_key, double min, double max,
                         Need need = Need::required) {
    return Field{ours + key, file, official + official_key, need, min, max};
  };
  visit(field("hidden_size", "hidden_size", 1, kMaxWidth), stack.hidden_size);
  visit(field("intermediate_size", "intermediate_size", 1, 4 * kMaxWidth), stack.intermediate_size);
  visit(field("num_layers", "num_hidden_layers", 1, kMaxLayers), stack.num_layers);
  visit(field("num_heads", "num_attention_heads", 1, kMaxHeads), stack.num_heads);
  visit(field("num_kv_heads", "num_key_value_heads", 1, kMaxHeads), stack.num_kv_heads);
  visit(field("head_size", "head_dim", 2, 1024, Need::has_default), stack.head_size);
  visit(field("rms_norm_eps", "rms_norm_eps", 0, 0.1, Need::has_default), stack.rms_norm_eps);
  visit(field("rope_theta", "rope_theta", 1, 1e12, Need::has_default), stack.rope_theta);
}

template <class Sampling, class Visit>
void visit_sampling(Sampling& sampling, const std::string& ours, const std::string& official, Visit& visit) {
  const auto field = [&](const char* key, const std::string& official_key, double min, double max) {
    return Field{ours + key, ConfigFile::generation, official_key, Need::has_default, min, max};
  };
  const bool is_talker = official.empty();
  visit(field("do_sample", is_talker ? "do_sample" : "subtalker_dosample", 0, 1), sampling.do_sample);
  visit(field("temperature", official + "temperature", 0, 100), sampling.temperature);
  visit(field("top_k", official + "top_k", 0, kMaxVocab), sampling.top_k);  // 0: no limit
  visit(field("top_p", official + "top_p", 0, 1), sampling.top_p);
  if (is_talker) visit(field("repetition_penalty", "repetition_penalty", 1e-4, 100), sampling.repetition_penalty);
}

template <class Config, class Visit>
void visit_prompt_ids(Config& config, Visit& visit) {
  const auto id = [](const char* key, const char* official_key, Need need = Need::required) {
    return Field{key, ConfigFile::config, official_key, need, 0, kMaxVocab - 1};
  };
  visit(id("talker.codec_bos_id", "talker_config.codec_bos_id"), config.talker.codec_bos_id);
  visit(id("talker.codec_eos_id", "talker_config.codec_eos_token_id"), config.talker.codec_eos_id);
  visit(id("talker.codec_pad_id", "talker_config.codec_pad_id"), config.talker.codec_pad_id);
  visit(id("talker.codec_think_id", "talker_config.codec_think_id"), config.talker.codec_think_id);
  visit(id("talker.codec_nothink_id", "talker_config.codec_nothink_id"), config.talker.codec_nothink_id);
  visit(id("talker.codec_think_bos_id", "talker_config.codec_think_bos_id"), config.talker.codec_think_bos_id);
  visit(id("talker.codec_think_eos_id", "talker_config.codec_think_eos_id"), config.talker.codec_think_eos_id);
  visit(id("prompt.tts_bos_id", "tts_bos_token_id", Need::has_default), config.prompt.tts_bos);
  visit(id("prompt.tts_eos_id", "tts_eos_token_id", Need::has_default), config.prompt.tts_eos);
  visit(id("prompt.tts_pad_id", "tts_pad_token_id", Need::has_default), config.prompt.tts_pad);
  visit(id("prompt.im_start_id", "im_start_token_id", Need::has_default), config.prompt.im_start);
  visit(id("prompt.im_end_id", "im_end_token_id", Need::has_default), config.prompt.im_end);
  visit(id("prompt.assistant_id", "assistant_token_id", Need::has_default), config.prompt.assistant);
}

template <class Config, class Visit>
void visit_codec(Config& config, Visit& visit) {
  const auto field = [](const std::string& key, double min, double max, Need need = Need::required) {
    return Field{"codec." + key, ConfigFile::codec, "decoder_config." + key, need, min, max};
  };
  auto& codec = config.codec;
  visit_stack(codec.pre_transformer, ConfigFile::codec, "codec.pre_transformer.", "decoder_config.", visit);
  visit(field("sliding_window", 1, 1'048'576, Need::has_default), codec.sliding_window);
  visit(field("num_quantizers", 1, kMaxCodeGroups), codec.num_quantizers);
  visit(field("codebook_size", 1, kMaxCodebookSize), codec.codebook_size);
  visit(field("codebook_dim", 2, kMaxWidth), codec.codebook_dim);
  visit(field("latent_dim", 1, kMaxWidth), codec.latent_dim);
  visit(field("decoder_dim", 1, kMaxWidth), codec.decoder_dim);
  visit(field("upsampling_ratios", 1, kMaxUpsampleFactor), codec.upsampling_ratios);
  visit(field("upsample_rates", 1, kMaxUpsampleFactor), codec.upsample_rates);
  visit(Field{"codec.sample_rate_hz", ConfigFile::codec, "output_sample_rate", Need::has_default, 8'000, 192'000},
        codec.sample_rate_hz);
}

template <class Text, class Visit>
void visit_text(Text& text, Visit& visit) {
  const auto field = [](const std::string& key, double min, double max) {
    return Field{"text." + key, ConfigFile::config, "kazeia." + key, Need::optional, min, max};
  };
  visit(field("spell_out", 0, 1), text.spell_out);
  visit(field("max_sentence_codepoints", 0, kMaxSentenceCodepoints), text.max_sentence_codepoints);
}

// Calls visit(const Field&, int& | float& | bool& | std::vector<int>&) for every plain field, const if config is const.
// Not in the table, because they aren't plain: type, text_feed, speakers, languages and the free texts.
template <class Config, class Visit>
void visit_fields(Config& config, Visit& visit) {
  const auto field = [](const char* key, const char* official_key, double min, double max) {
    return Field{key, ConfigFile::config, official_key, Need::required, min, max};
  };
  visit_stack(config.talker.stack, ConfigFile::config, "talker.", "talker_config.", visit);
  visit(field("talker.vocab_size", "talker_config.vocab_size", kNumControlIds + 1, kMaxVocab),
        config.talker.vocab_size);
  visit(field("talker.text_vocab_size", "talker_config.text_vocab_size", 1, kMaxVocab), config.talker.text_vocab_size);
  visit(field("talker.text_hidden_size", "talker_config.text_hidden_size", 1, kMaxWidth),
        config.talker.text_hidden_size);
  visit(field("talker.num_code_groups", "talker_config.num_code_groups", 1, kMaxCodeGroups),
        config.talker.num_code_groups);
  const std::string predictor = "talker_config.code_predictor_config.";
  visit_stack(config.code_predictor.stack, ConfigFile::config, "code_predictor.", predictor, visit);
  visit(field("code_predictor.vocab_size", "talker_config.code_predictor_config.vocab_size", 1, kMaxCodebookSize),
        config.code_predictor.vocab_size);
  visit_prompt_ids(config, visit);
  visit_codec(config, visit);
  visit_text(config.text, visit);
  visit_sampling(config.talker_sampling, "talker.sampling.", "", visit);
  visit_sampling(config.code_predictor_sampling, "code_predictor.sampling.", "subtalker_", visit);
}

}  // namespace kazeia

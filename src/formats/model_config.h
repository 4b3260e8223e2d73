// Everything that a model says about itself, typed and validated once. Sources: config.json, generation_config.json and
// speech_tokenizer/config.json of an official checkpoint, or the keys of our GGUF.
// Official classes: Qwen3TTSConfig, Qwen3TTSTalkerConfig, Qwen3TTSTalkerCodePredictorConfig
// (configuration_qwen3_tts.py), Qwen3TTSTokenizerV2DecoderConfig (configuration_qwen3_tts_tokenizer_v2.py).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kazeia {

inline constexpr int kMaxCodeGroups = 32;

enum class ModelType { custom_voice, voice_design, base };
enum class TextFeed { full, streaming };  // the whole text before the first frame, or one text token with each frame

const char* model_type_name(ModelType type);  // as in config.json: "custom_voice"
std::optional<ModelType> parse_model_type(std::string_view name);
const char* text_feed_name(TextFeed feed);
std::optional<TextFeed> parse_text_feed(std::string_view name);

// A stack of Qwen3 decoder layers: talker, code predictor, and the codec's pre-transformer.
struct LayerStackConfig {
  int hidden_size = 0;
  int intermediate_size = 0;
  int num_layers = 0;
  int num_heads = 0;
  int num_kv_heads = 0;
  int head_size = 0;
  float rms_norm_eps = 1e-6F;
  float rope_theta = 1e6F;
};

struct TalkerConfig {
  LayerStackConfig stack;
  int vocab_size = 0;  // codes, then 1,024 control ids
  int text_vocab_size = 0;
  int text_hidden_size = 0;
  int num_code_groups = 0;  // K, 1..32
  // Control ids in the talker's vocabulary.
  int32_t codec_bos_id = 0, codec_eos_id = 0, codec_pad_id = 0;
  int32_t codec_think_id = 0, codec_nothink_id = 0, codec_think_bos_id = 0, codec_think_eos_id = 0;
};

struct CodePredictorConfig {
  LayerStackConfig stack;
  int vocab_size = 0;  // entries of each acoustic codebook
};

struct CodecConfig {
  LayerStackConfig pre_transformer;
  int sliding_window = 0;  // positions a query sees, itself included
  int num_quantizers = 0;  // = num_code_groups
  int codebook_size = 0;
  int codebook_dim = 0;  // width of the summed latent; each codebook row has half of it
  int latent_dim = 0;
  int decoder_dim = 0;                 // channels after the wave decoder's first conv; halved by each block
  std::vector<int> upsampling_ratios;  // ConvNeXt stages, for instance 2, 2
  std::vector<int> upsample_rates;     // wave blocks, for instance 8, 5, 4, 3
  int sample_rate_hz = 24000;

  // Product of all ratios and rates: 1,920 for the published models.
  int samples_per_frame() const;
};

struct Speaker {
  std::string name;  // lower case, as in spk_id
  int32_t codec_id = 0;
  std::string dialect;   // language name that replaces "chinese" and "auto"; empty for most
  std::string language;  // the speaker's own language if the model says so (kazeia.speaker_languages); may be empty
};

struct Language {
  std::string name;
  int32_t codec_id = 0;
};

// Ids in the text vocabulary that the prompt needs.
struct PromptIds {
  int32_t tts_bos = 0, tts_eos = 0, tts_pad = 0;
  int32_t im_start = 0, im_end = 0, assistant = 0;
};

// What a model wants done to a text before it is tokenized: our key kazeia of config.json. Official models want
// nothing.
struct TextPreparation {
  bool spell_out = false;           // numbers, symbols and abbreviations become words (stages/text/spell_out.h)
  int max_sentence_codepoints = 0;  // longer texts are said in pieces (stages/text/pieces.h); 0: whatever the length
};

// One sampling chain: repetition penalty, temperature, top-k, top-p.
struct SamplingDefaults {
  bool do_sample = true;
  float temperature = 0.9F;
  int top_k = 50;
  float top_p = 1.0F;
  float repetition_penalty = 1.0F;
};

struct ModelConfig {
  ModelType type = ModelType::custom_voice;
  std::string size;  // "0b6", "1b7", or free text
  TalkerConfig talker;
  CodePredictorConfig code_predictor;
  CodecConfig codec;
  PromptIds prompt;
  std::vector<Speaker> speakers;
  std::vector<Language> languages;
  SamplingDefaults talker_sampling{.repetition_penalty = 1.05F};
  SamplingDefaults code_predictor_sampling;
  TextPreparation text;
  TextFeed text_feed = TextFeed::full;  // official default for custom_voice and voice_design; base: streaming

  // For people: what the model says about itself.
  std::string name, license, source, description;
};

// Bounds and cross-checks of every field; the Error names the key, what was expected and what was found.
Status validate(const ModelConfig& config, const std::string& path);

// Reads the three JSON files of a checkpoint folder, validated. Without generation_config.json the sampling defaults
// are those of the official package, which are also the initial values of SamplingDefaults.
Result<ModelConfig> read_checkpoint_config(const std::string& folder);

// The same from memory; `folder` is for messages. An empty `generation` stands for no such file.
struct CheckpointConfigFiles {
  std::span<const std::byte> config, generation, codec;
};
Result<ModelConfig> parse_checkpoint_config(const CheckpointConfigFiles& texts, const std::string& folder);

}  // namespace kazeia

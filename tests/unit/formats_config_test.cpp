// links: kazeia_test_support
// The JSON files of a checkpoint become one ModelConfig; a wrong value is refused by file, key, expected and found.
#include <gtest/gtest.h>

#include <filesystem>

#include "formats/model_config.h"
#include "formats/random_model.h"
#include "support/edit_json.h"
#include "support/tiny_checkpoint.h"

namespace kazeia {
namespace {

using nlohmann::json;
using test::set_json;
using test::TempFolder;
using test::TinyCheckpoint;
using test::write_tiny_checkpoint;

class CheckpointConfig : public testing::Test {
 protected:
  CheckpointConfig() { write_tiny_checkpoint(folder.path()); }

  ModelConfig read() {
    Result<ModelConfig> config = read_checkpoint_config(folder.path());
    EXPECT_TRUE(config) << config.error().message;
    return config ? *std::move(config) : ModelConfig{};
  }
  std::string message() {
    const Result<ModelConfig> config = read_checkpoint_config(folder.path());
    return config ? "no error" : config.error().message;
  }
  void set(const std::string& pointer, const json& value) { set_json(folder.file("config.json"), pointer, value); }
  void set_codec(const std::string& pointer, const json& value) {
    set_json(folder.file("speech_tokenizer/config.json"), pointer, value);
  }

  TempFolder folder;
};

TEST_F(CheckpointConfig, every_size_comes_from_the_files) {
  const ModelConfig config = read();
  EXPECT_EQ(config.talker.stack.hidden_size, 64);
  EXPECT_EQ(config.talker.stack.head_size, 16);
  EXPECT_EQ(config.talker.vocab_size, 1536);
  EXPECT_EQ(config.talker.num_code_groups, 4);
  EXPECT_EQ(config.code_predictor.vocab_size, 512);
  EXPECT_EQ(config.codec.codebook_size, 512);
  EXPECT_EQ(config.codec.sliding_window, 12);
  EXPECT_FLOAT_EQ(config.codec.pre_transformer.rms_norm_eps, 1e-5F);
  EXPECT_FLOAT_EQ(config.codec.pre_transformer.rope_theta, 1e4F);
  EXPECT_EQ(config.codec.upsample_rates, (std::vector<int>{8, 5, 4, 3}));
  EXPECT_EQ(config.codec.samples_per_frame(), 1920);
  EXPECT_FLOAT_EQ(config.talker_sampling.repetition_penalty, 1.05F);
}

TEST_F(CheckpointConfig, a_missing_generation_config_means_the_official_defaults) {
  std::filesystem::remove(folder.file("generation_config.json"));
  const ModelConfig config = read();
  EXPECT_TRUE(config.talker_sampling.do_sample);
  EXPECT_FLOAT_EQ(config.talker_sampling.temperature, 0.9F);
  EXPECT_EQ(config.talker_sampling.top_k, 50);
  EXPECT_FLOAT_EQ(config.talker_sampling.top_p, 1.0F);
  EXPECT_FLOAT_EQ(config.talker_sampling.repetition_penalty, 1.05F);
  EXPECT_FLOAT_EQ(config.code_predictor_sampling.temperature, 0.9F);
  EXPECT_EQ(config.code_predictor_sampling.top_k, 50);
}

TEST_F(CheckpointConfig, talker_and_code_predictor_have_their_own_sampling_defaults) {
  set_json(folder.file("generation_config.json"), "/temperature", 0.7);
  set_json(folder.file("generation_config.json"), "/subtalker_top_k", 7);
  set_json(folder.file("generation_config.json"), "/subtalker_dosample", false);
  const ModelConfig config = read();
  EXPECT_FLOAT_EQ(config.talker_sampling.temperature, 0.7F);
  EXPECT_EQ(config.talker_sampling.top_k, 50);
  EXPECT_EQ(config.code_predictor_sampling.top_k, 7);
  EXPECT_FALSE(config.code_predictor_sampling.do_sample);
}

TEST_F(CheckpointConfig, a_dialect_speaker_keeps_the_language_that_replaces_chinese) {
  const ModelConfig config = read();
  ASSERT_EQ(config.speakers.size(), 2U);
  EXPECT_EQ(config.speakers[0].name, "eric");
  EXPECT_EQ(config.speakers[0].dialect, "sichuan_dialect");
  EXPECT_EQ(config.speakers[1].name, "ryan");
  EXPECT_EQ(config.speakers[1].dialect, "");
}

TEST_F(CheckpointConfig, names_are_found_in_lower_case) {
  set("/talker_config/spk_id", {{"Ryan", 700}});
  set("/kazeia/speaker_languages", {{"Ryan", "English"}});
  const ModelConfig config = read();
  ASSERT_EQ(config.speakers.size(), 1U);
  EXPECT_EQ(config.speakers[0].name, "ryan");
  EXPECT_EQ(config.speakers[0].language, "english");
}

TEST_F(CheckpointConfig, a_base_model_streams_its_text_and_the_others_do_not) {
  EXPECT_EQ(read().text_feed, TextFeed::full);
  set("/tts_model_type", "voice_design");
  EXPECT_EQ(read().text_feed, TextFeed::full);
  set("/tts_model_type", "base");
  EXPECT_EQ(read().type, ModelType::base);
  EXPECT_EQ(read().text_feed, TextFeed::streaming);
  set_json(folder.file("generation_config.json"), "/non_streaming_mode", true);
  EXPECT_EQ(read().text_feed, TextFeed::full);
}

TEST_F(CheckpointConfig, keys_with_official_defaults_may_be_missing) {
  test::erase_json(folder.file("config.json"), "/talker_config", "head_dim");
  test::erase_json(folder.file("config.json"), "/talker_config", "rope_theta");
  test::erase_json(folder.file("config.json"), "/talker_config/code_predictor_config", "num_code_groups");
  const ModelConfig config = read();
  EXPECT_EQ(config.talker.stack.head_size, 16);  // hidden_size / num_heads
  EXPECT_FLOAT_EQ(config.talker.stack.rope_theta, 1e4F);
}

TEST_F(CheckpointConfig, unknown_keys_are_ignored) {
  set("/a_key_of_next_year", {1, 2, 3});
  set("/talker_config/another", "value");
  read();
}

TEST_F(CheckpointConfig, the_card_comes_from_own_keys_and_the_folder) {
  EXPECT_EQ(read().name, std::filesystem::path(folder.path()).filename());
  set("/kazeia/name", "Clara");
  set("/kazeia/license", "CC0-1.0");
  EXPECT_EQ(read().name, "Clara");
  EXPECT_EQ(read().license, "CC0-1.0");
}

TEST_F(CheckpointConfig, text_is_left_alone_unless_the_model_asks) {
  test::erase_json(folder.file("config.json"), "", "kazeia");
  EXPECT_FALSE(read().text.spell_out);
  EXPECT_EQ(read().text.max_sentence_codepoints, 0);
  set("/kazeia/spell_out", true);
  set("/kazeia/max_sentence_codepoints", 110);
  EXPECT_TRUE(read().text.spell_out);
  EXPECT_EQ(read().text.max_sentence_codepoints, 110);
}

struct BrokenKey {
  const char* pointer;
  json value;
  const char* expected_message;
};

TEST_F(CheckpointConfig, a_wrong_value_is_refused_with_key_expected_and_found) {
  const BrokenKey cases[] = {
      {"/model_type", "llama", "model_type: expected \"qwen3_tts\", found \"llama\""},
      {"/tokenizer_type", "qwen3_tts_tokenizer_25hz", "tokenizer_type: expected \"qwen3_tts_tokenizer_12hz\""},
      {"/tts_model_type", "singing", "tts_model_type: expected custom_voice, voice_design or base, found \"singing\""},
      {"/talker_config/hidden_size", nullptr, "talker_config.hidden_size: expected a value, found none"},
      {"/talker_config/hidden_size", "64", "talker_config.hidden_size: expected a number from"},
      {"/talker_config/hidden_size", 64.5, "talker_config.hidden_size: expected a number from"},
      {"/talker_config/hidden_size", 1e18, "talker_config.hidden_size"},
      {"/talker_config/hidden_size", -1, "found -1"},
      {"/talker_config/num_hidden_layers", 1'000'000, "talker_config.num_hidden_layers"},
      {"/talker_config/num_key_value_heads", 3, "talker.num_heads: expected a multiple of num_kv_heads = 3"},
      {"/talker_config/vocab_size", 1024, "talker_config.vocab_size"},
      {"/talker_config/vocab_size", 4000, "talker.vocab_size: expected at most 1536"},
      {"/talker_config/num_code_groups", 33, "talker_config.num_code_groups"},
      {"/talker_config/num_code_groups", 5, "codec.num_quantizers: expected 5 (talker.num_code_groups), found 4"},
      {"/talker_config/code_predictor_config/num_code_groups", 16, "num_code_groups: expected 4, found 16"},
      {"/talker_config/code_predictor_config/vocab_size", 256, "code_predictor.vocab_size: expected 512"},
      {"/talker_config/codec_eos_token_id", 1536, "talker.codec_eos_id: expected an id below 1536, found 1536"},
      {"/tts_pad_token_id", 99'999, "prompt.tts_pad_id: expected an id below"},
      {"/talker_config/spk_id/ryan", 5000, "speakers: ryan: expected an id below 1536, found 5000"},
      {"/talker_config/spk_id/ryan", "x", "talker_config.spk_id.ryan: expected an id, found \"x\""},
      {"/talker_config/spk_is_dialect/eric", "klingon", "speakers: eric: expected a language of the model"},
      {"/talker_config/spk_is_dialect/eric", 5, "talker_config.spk_is_dialect.eric: expected a language or false"},
      {"/kazeia/spell_out", 1, "kazeia.spell_out: expected true or false, found 1"},
      {"/kazeia/max_sentence_codepoints", -1, "kazeia.max_sentence_codepoints: expected a number from 0"},
      {"/kazeia/max_sentence_codepoints", 2'000'000, "kazeia.max_sentence_codepoints"},
      {"/kazeia/speaker_languages", {{"bob", "english"}}, "speaker_languages: expected names of spk_id, found \"bob\""},
      {"/kazeia/speaker_languages", {{"ryan", "klingon"}}, "speakers: ryan: expected a language of the model"},
      {"/kazeia", 5, "kazeia: expected an object, found 5"},
      {"/talker_config/hidden_act", "gelu", "talker_config.hidden_act: expected \"silu\", found \"gelu\""},
      {"/talker_config/attention_bias", true, "talker_config.attention_bias: expected false, found true"},
      {"/talker_config/rope_scaling", {{"type", "yarn"}}, "talker_config.rope_scaling.type: expected \"default\""},
      {"/talker_config/use_sliding_window", true, "use_sliding_window: expected false, found true"},
  };
  const std::string original = test::read_file(folder.file("config.json"));
  for (const BrokenKey& broken : cases) {
    set(broken.pointer, broken.value);
    EXPECT_NE(message().find(broken.expected_message), std::string::npos) << broken.pointer << ": " << message();
    EXPECT_NE(message().find(folder.path()), std::string::npos) << message();
    test::write_file(folder.file("config.json"), original);
  }
}

TEST_F(CheckpointConfig, a_wrong_codec_value_is_refused_with_key_expected_and_found) {
  const BrokenKey cases[] = {
      {"/model_type", "qwen3_tts_tokenizer_25hz", "model_type: expected \"qwen3_tts_tokenizer_12hz\""},
      {"/decoder_config/codebook_size", 65'537, "decoder_config.codebook_size"},
      {"/decoder_config/codebook_dim", 31, "codec.codebook_dim: expected an even number, found 31"},
      {"/decoder_config/decoder_dim", 72, "codec.decoder_dim: expected a multiple of 16"},
      {"/decoder_config/upsample_rates", json::array(),
       "upsample_rates: expected a list of 1 to 8 numbers, found a list of 0"},
      {"/decoder_config/upsample_rates", {8, 0}, "decoder_config.upsample_rates"},
      {"/decoder_config/upsample_rates", {64, 64, 64}, "codec.upsample_rates: expected at most 65536 samples a frame"},
      {"/decode_upsample_rate", 1000, "decode_upsample_rate: expected 1920, found 1000"},
      {"/output_sample_rate", 1, "output_sample_rate"},
  };
  const std::string path = folder.file("speech_tokenizer/config.json");
  const std::string original = test::read_file(path);
  for (const BrokenKey& broken : cases) {
    set_codec(broken.pointer, broken.value);
    EXPECT_NE(message().find(broken.expected_message), std::string::npos) << broken.pointer << ": " << message();
    test::write_file(path, original);
  }
}

TEST_F(CheckpointConfig, broken_json_is_refused_with_its_place) {
  const std::string path = folder.file("config.json");
  test::write_file(path, R"({"model_type": "qwen3_tts", )");
  EXPECT_NE(message().find("config.json: not valid JSON at byte"), std::string::npos) << message();
  test::write_file(path, R"({"a": 1, "b": {"c": 1, "c": 2}})");
  EXPECT_NE(message().find("key \"c\" appears twice"), std::string::npos) << message();
  test::write_file(path, std::string(100'000, '['));
  EXPECT_NE(message().find("nested levels"), std::string::npos) << message();
  test::write_file(path, "[]");
  EXPECT_NE(message().find("expected an object, found array"), std::string::npos) << message();
  test::write_file(path, "{\"a\": \"\xFF\"}");
  EXPECT_NE(message().find("not valid JSON"), std::string::npos) << message();
  std::filesystem::remove(path);
  EXPECT_NE(message().find("config.json: can't open"), std::string::npos) << message();
}

TEST(RandomConfig, every_random_size_is_a_valid_model) {
  for (const char* name : {"0.6b", "1.7b", "tiny", "tiny16", "tiny-mtp"}) {
    const auto config = random_model_config(name);
    ASSERT_TRUE(config.has_value()) << name;
    const Status status = validate(*config, name);
    EXPECT_TRUE(status) << status.error().message;
    EXPECT_EQ(config->codec.samples_per_frame(), 1920);
  }
  EXPECT_FALSE(random_model_config("7b").has_value());
}

}  // namespace
}  // namespace kazeia

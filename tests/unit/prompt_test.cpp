// The prompt builder and the choice of a voice, on a small made-up model.
// links: kazeia_stage_prompt
#include "stages/prompt/prompt_builder.h"

#include <gtest/gtest.h>

namespace kazeia {

static void PrintTo(const PromptRow& row, std::ostream* out) { *out << row.text_id << "/" << row.codec_id; }

namespace {

using Rows = std::vector<PromptRow>;
using Ids = std::vector<int32_t>;

// Ids are chosen to be recognised: text ids below 1000, codec control ids 21xx, languages 22xx, speakers 23xx.
constexpr int kTtsBos = 901, kTtsEos = 902, kTtsPad = 903;
constexpr int kBos = 2101, kPad = 2103, kThink = 2104, kNothink = 2105, kThinkBos = 2106, kThinkEos = 2107;
constexpr int kChinese = 2201, kFrench = 2202, kSichuan = 2203, kVivian = 2301, kEric = 2302, kLea = 2303;

ModelConfig model(ModelType type) {
  ModelConfig config;
  config.type = type;
  config.size = "1b7";
  config.talker.vocab_size = 3072;
  config.talker.text_vocab_size = 1000;
  config.talker.codec_bos_id = kBos;
  config.talker.codec_pad_id = kPad;
  config.talker.codec_think_id = kThink;
  config.talker.codec_nothink_id = kNothink;
  config.talker.codec_think_bos_id = kThinkBos;
  config.talker.codec_think_eos_id = kThinkEos;
  config.prompt.tts_bos = kTtsBos;
  config.prompt.tts_eos = kTtsEos;
  config.prompt.tts_pad = kTtsPad;
  config.languages = {{"french", kFrench}, {"chinese", kChinese}, {"sichuan_dialect", kSichuan}};
  if (type == ModelType::custom_voice) {
    config.speakers = {
        {"vivian", kVivian, "", ""}, {"eric", kEric, "sichuan_dialect", ""}, {"lea", kLea, "", "french"}};
  }
  return config;
}

const Ids kTemplate = {1, 2, 3, 10, 11, 12, 4, 5, 1, 2, 3};  // the text is 10, 11, 12

PromptRequest request(const std::string& speaker, const std::string& language, TextFeed feed = TextFeed::full) {
  return {.assistant_ids = kTemplate, .instruct_ids = {}, .speaker = speaker, .language = language, .text_feed = feed};
}

Prompt build(ModelType type, const PromptRequest& request_) {
  Result<Prompt> prompt = build_prompt(model(type), request_);
  EXPECT_TRUE(prompt) << prompt.error().message;
  return prompt ? *std::move(prompt) : Prompt{};
}

std::string error_of(const Result<Prompt>& prompt) { return prompt ? "" : prompt.error().message; }
std::string error_of(const Result<ChosenVoice>& choice) { return choice ? "" : choice.error().message; }

// The codec ids between the role and the row of tts_bos.
Ids tag_of(ModelType type, const PromptRequest& request_) {
  Ids tag;
  for (const PromptRow& row : build(type, request_).rows) {
    if (row.text_id == kTtsBos) break;
    if (row.codec_id != kNoId) tag.push_back(row.codec_id);
  }
  return tag;
}

constexpr ModelType kCustom = ModelType::custom_voice, kDesign = ModelType::voice_design, kBase = ModelType::base;

TEST(Prompt, FullFeedReadsAllTextBeforeTheFirstFrame) {
  const Prompt prompt = build(kCustom, request("vivian", "french"));
  EXPECT_EQ(prompt.rows, (Rows{{1, kNoId},
                               {2, kNoId},
                               {3, kNoId},
                               {kTtsPad, kThink},
                               {kTtsPad, kThinkBos},
                               {kTtsPad, kFrench},
                               {kTtsPad, kThinkEos},
                               {kTtsPad, kVivian},
                               {kTtsBos, kPad},
                               {10, kPad},
                               {11, kPad},
                               {12, kPad},
                               {kTtsEos, kPad},
                               {kTtsPad, kBos}}));
  EXPECT_EQ(prompt.trailing_text_ids, (Ids{kTtsPad}));
  EXPECT_EQ(prompt.pad_text_id, kTtsPad);
}

TEST(Prompt, StreamingFeedGivesOneTextIdWithEachFrame) {
  const Prompt prompt = build(kCustom, request("vivian", "auto", TextFeed::streaming));
  EXPECT_EQ(prompt.rows, (Rows{{1, kNoId},
                               {2, kNoId},
                               {3, kNoId},
                               {kTtsPad, kNothink},
                               {kTtsPad, kThinkBos},
                               {kTtsPad, kThinkEos},
                               {kTtsPad, kVivian},
                               {kTtsBos, kPad},
                               {10, kBos}}));
  EXPECT_EQ(prompt.trailing_text_ids, (Ids{11, 12, kTtsEos}));
  EXPECT_EQ(prompt.text_id_after(2), kTtsEos);
  EXPECT_EQ(prompt.text_id_after(3), kTtsPad);
}

TEST(Prompt, ATextOfOneIdStreamsItsEndAtOnce) {
  PromptRequest one = request("", "auto", TextFeed::streaming);
  const Ids ids = {1, 2, 3, 10, 4, 5, 1, 2, 3};
  one.assistant_ids = ids;
  const Prompt prompt = build(kCustom, one);
  EXPECT_EQ(prompt.rows.back(), (PromptRow{10, kBos}));
  EXPECT_EQ(prompt.trailing_text_ids, (Ids{kTtsEos}));
}

TEST(Prompt, InstructRowsComeFirstAndAreTextOnly) {
  const Ids instruct = {1, 7, 3, 20, 21, 4, 5};
  for (const TextFeed feed : {TextFeed::full, TextFeed::streaming}) {
    PromptRequest with = request("", "french", feed);
    const Prompt without_instruct = build(kDesign, with);
    with.instruct_ids = instruct;
    const Prompt prompt = build(kDesign, with);
    ASSERT_EQ(prompt.rows.size(), without_instruct.rows.size() + instruct.size());
    for (size_t i = 0; i < instruct.size(); ++i) EXPECT_EQ(prompt.rows[i], (PromptRow{instruct[i], kNoId}));
    EXPECT_EQ(Rows(prompt.rows.begin() + 7, prompt.rows.end()), without_instruct.rows);
    EXPECT_EQ(prompt.trailing_text_ids, without_instruct.trailing_text_ids);
  }
}

TEST(Prompt, WithoutASpeakerThereIsNoSpeakerRow) {
  for (const ModelType type : {kDesign, kBase}) {
    EXPECT_EQ(tag_of(type, request("", "auto")), (Ids{kNothink, kThinkBos, kThinkEos}));
    EXPECT_EQ(tag_of(type, request("", "french")), (Ids{kThink, kThinkBos, kFrench, kThinkEos}));
  }
}

TEST(Prompt, ADialectReplacesChineseAndAutoOnly) {
  const Ids dialect = {kThink, kThinkBos, kSichuan, kThinkEos, kEric};
  EXPECT_EQ(tag_of(kCustom, request("eric", "chinese")), dialect);
  EXPECT_EQ(tag_of(kCustom, request("eric", "auto")), dialect);
  EXPECT_EQ(tag_of(kCustom, request("eric", "french")), (Ids{kThink, kThinkBos, kFrench, kThinkEos, kEric}));
  EXPECT_EQ(tag_of(kCustom, request("vivian", "chinese")), (Ids{kThink, kThinkBos, kChinese, kThinkEos, kVivian}));
}

TEST(Prompt, NamesAreMatchedWithoutCase) {
  EXPECT_EQ(tag_of(kCustom, request("Eric", "CHINESE")), tag_of(kCustom, request("eric", "chinese")));
  EXPECT_EQ(tag_of(kCustom, request("VIVIAN", "Auto")), tag_of(kCustom, request("vivian", "auto")));
}

TEST(Prompt, UnknownNamesListTheKnownOnesInOrder) {
  EXPECT_EQ(error_of(build_prompt(model(kCustom), request("bob", "auto"))),
            "unknown voice \"bob\"; this model knows: eric, lea, vivian");
  EXPECT_EQ(error_of(build_prompt(model(kCustom), request("eric", "klingon"))),
            "unknown language \"klingon\"; this model knows: auto, chinese, french, sichuan_dialect");
  EXPECT_EQ(error_of(build_prompt(model(kBase), request("bob", "auto"))),
            "voice \"bob\": this base model has no voices to choose from");
}

TEST(Prompt, ATemplateWithoutTextIsAnErrorForEachLength) {
  for (size_t length = 0; length <= 8; ++length) {
    for (const TextFeed feed : {TextFeed::full, TextFeed::streaming}) {
      PromptRequest empty = request("vivian", "auto", feed);
      empty.assistant_ids = std::span(kTemplate).first(length);
      EXPECT_NE(error_of(build_prompt(model(kCustom), empty)).find("found " + std::to_string(length)),
                std::string::npos);
    }
  }
}

TEST(Prompt, AnIdOfAForeignTokenizerIsNamed) {
  for (const int32_t bad : {-1, 1000, 151643}) {
    Ids ids = kTemplate;
    ids[4] = bad;
    PromptRequest foreign = request("vivian", "auto");
    foreign.assistant_ids = ids;
    EXPECT_EQ(
        error_of(build_prompt(model(kCustom), foreign)),
        "text: the tokenizer gave id " + std::to_string(bad) + ", but the model's text vocabulary has 1000 entries");
    foreign = request("vivian", "auto");
    foreign.instruct_ids = ids;
    EXPECT_NE(error_of(build_prompt(model(kCustom), foreign)).find("instruct: "), std::string::npos);
  }
}

TEST(Prompt, OnlyTheSmallCustomVoiceModelIgnoresInstructions) {
  ModelConfig config = model(kCustom);
  EXPECT_TRUE(follows_instruct(config));
  config.size = "0b6";
  EXPECT_FALSE(follows_instruct(config));
  config.type = kDesign;
  EXPECT_TRUE(follows_instruct(config));
}

// --- The choice of a voice

ChosenVoice choose(ModelType type, const std::string& voice, const std::string& language) {
  Result<ChosenVoice> choice = choose_voice(model(type), voice, language);
  EXPECT_TRUE(choice) << choice.error().message;
  return choice ? *std::move(choice) : ChosenVoice{};
}

void expect_choice(const ChosenVoice& choice, const std::string& speaker, const std::string& language) {
  EXPECT_EQ(choice.speaker, speaker);
  EXPECT_EQ(choice.language, language);
}

TEST(ChosenVoice, WithoutAWishItIsTheFirstSpeaker) { expect_choice(choose(kCustom, "", ""), "vivian", "auto"); }

TEST(ChosenVoice, ALanguageBringsItsFirstSpeakerElseTheFirstOfAll) {
  expect_choice(choose(kCustom, "", "French"), "lea", "french");
  expect_choice(choose(kCustom, "", "sichuan_dialect"), "eric", "sichuan_dialect");
  expect_choice(choose(kCustom, "", "chinese"), "vivian", "chinese");
  expect_choice(choose(kCustom, "", "AUTO"), "vivian", "auto");
}

TEST(ChosenVoice, AVoiceBringsItsOwnLanguageIfItHasOne) {
  expect_choice(choose(kCustom, "Lea", ""), "lea", "french");
  expect_choice(choose(kCustom, "eric", ""), "eric", "auto");
  expect_choice(choose(kCustom, "lea", "auto"), "lea", "auto");
  expect_choice(choose(kCustom, "lea", "chinese"), "lea", "chinese");
}

TEST(ChosenVoice, AModelWithoutSpeakersTakesALanguageOnly) {
  expect_choice(choose(kDesign, "", ""), "", "auto");
  expect_choice(choose(kBase, "", "French"), "", "french");
  EXPECT_EQ(error_of(choose_voice(model(kDesign), "lea", "")),
            "voice \"lea\": this voice_design model has no voices to choose from; describe the voice with an "
            "instruction instead");
  EXPECT_NE(error_of(choose_voice(model(kBase), "lea", "")).find("base model has no voices"), std::string::npos);
  ModelConfig mute = model(kCustom);
  mute.speakers.clear();
  EXPECT_TRUE(choose_voice(mute, "", ""));
  EXPECT_FALSE(choose_voice(mute, "lea", ""));
}

TEST(ChosenVoice, UnknownNamesListTheKnownOnes) {
  EXPECT_EQ(error_of(choose_voice(model(kCustom), "bob", "")),
            "unknown voice \"bob\"; this model knows: eric, lea, vivian");
  EXPECT_EQ(error_of(choose_voice(model(kBase), "", "klingon")),
            "unknown language \"klingon\"; this model knows: auto, chinese, french, sichuan_dialect");
}

}  // namespace
}  // namespace kazeia

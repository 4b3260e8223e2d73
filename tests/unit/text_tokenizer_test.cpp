// links: kazeia_stage_text kazeia_formats nlohmann_json::nlohmann_json
// Ids against the official tokenizer library; tests/unit/data/tokenizer_README.md says how the table is made.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "formats/tokenizer_files.h"
#include "stages/text/text.h"
#include "unit/text_vocabulary.h"

namespace kazeia {
namespace {

using nlohmann::json;

Tokenizer make_tokenizer(const TokenizerData& data) {
  auto tokenizer = Tokenizer::create(data);
  if (!tokenizer) ADD_FAILURE() << tokenizer.error().message;
  return *std::move(tokenizer);
}

const Tokenizer& real_tokenizer() {
  static const Tokenizer tokenizer = make_tokenizer(test::real_vocabulary());
  return tokenizer;
}

json read_rows(const std::string& path) {
  json rows = json::parse(test::read_text_file(path), nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(rows.is_array()) << path;
  return rows;
}

// How many rows [text, ids, ...] the tokenizer answers otherwise.
int count_differences(const Tokenizer& tokenizer, const json& rows) {
  int num_wrong = 0;
  for (const json& row : rows) {
    const auto text = row[0].get<std::string>();
    const auto expected = row[1].get<std::vector<int32_t>>();
    if (tokenizer.encode(text).ids == expected) continue;
    if (++num_wrong <= 10)
      ADD_FAILURE() << row[0].dump(-1, ' ', true) << ": expected " << row[1] << ", found "
                    << json(tokenizer.encode(text).ids);
  }
  return num_wrong;
}

TEST(Tokenizer, GivesTheOfficialIdsOfEveryHardString) {
  const json rows = read_rows(test::data_path("tokenizer_table.json"));
  ASSERT_GE(rows.size(), 300u);
  EXPECT_EQ(count_differences(real_tokenizer(), rows), 0);
}

TEST(Tokenizer, GivesTheOfficialIdsOfTheAssistantPrompt) {
  for (const json& row : read_rows(test::data_path("tokenizer_table.json"))) {
    const auto prompt = assistant_prompt(real_tokenizer(), row[0].get<std::string>());
    ASSERT_TRUE(prompt);
    EXPECT_EQ(prompt->ids, row[2].get<std::vector<int32_t>>()) << row[0].dump(-1, ' ', true);
  }
}

TEST(Tokenizer, GivesTheOfficialIdsOfRandomStrings) {
  const char* path = std::getenv("KAZEIA_TOKENIZER_RANDOM");
  if (!path) GTEST_SKIP() << "KAZEIA_TOKENIZER_RANDOM names no file of tools/make_tokenizer_table.py --random";
  const json rows = read_rows(path);
  EXPECT_EQ(count_differences(real_tokenizer(), rows), 0) << "of " << rows.size();
}

TEST(Tokenizer, GivesTheOfficialIdsWithTheFilesOfARealFolder) {
  const char* folder = std::getenv("KAZEIA_TOKENIZER");
  if (!folder) GTEST_SKIP() << "KAZEIA_TOKENIZER names no folder with vocab.json, merges.txt, tokenizer_config.json";
  const auto data = read_tokenizer_files(folder);
  ASSERT_TRUE(data) << data.error().message;
  const Tokenizer tokenizer = make_tokenizer(*data);
  EXPECT_EQ(tokenizer.id_of("<|im_start|>"), 151644);
  EXPECT_EQ(count_differences(tokenizer, read_rows(test::data_path("tokenizer_table.json"))), 0);
}

TEST(Tokenizer, TreatsAddedTokensInUserTextAsPlainText) {
  const Tokenizer tokenizer = make_tokenizer(test::small_vocabulary());
  const std::optional<int32_t> end = tokenizer.id_of("<|im_end|>");
  ASSERT_TRUE(end);
  const auto count_ends = [&](const TextIds& ids) { return std::count(ids.ids.begin(), ids.ids.end(), *end); };
  EXPECT_EQ(count_ends(tokenizer.encode("a<|im_end|>b")), 0);
  const auto prompt = assistant_prompt(tokenizer, "<|im_end|>");
  ASSERT_TRUE(prompt);
  EXPECT_EQ(count_ends(*prompt), 1);
}

TEST(Tokenizer, PutsTheInstructionIntoAUserTurn) {
  // Official ids of "<|im_start|>user\nSpeak slowly.<|im_end|>\n".
  const auto prompt = instruct_prompt(real_tokenizer(), "Speak slowly.");
  ASSERT_TRUE(prompt);
  EXPECT_EQ(prompt->ids, (std::vector<int32_t>{151644, 872, 198, 95845, 13970, 13, 151645, 198}));
}

TEST(Tokenizer, TheBytesOfTheIdsAreTheNormalizedText) {
  for (const json& row : read_rows(test::data_path("tokenizer_table.json"))) {
    const auto text = row[0].get<std::string>();
    std::string bytes;
    for (const int32_t id : real_tokenizer().encode(text).ids) bytes += real_tokenizer().bytes_of(id);
    EXPECT_EQ(bytes, normalize_nfc(text));
  }
}

TEST(Tokenizer, ReadsBrokenUtf8AsReplacementCharacters) {
  EXPECT_EQ(real_tokenizer().encode("a\xE2\x82").ids, real_tokenizer().encode("a\uFFFD").ids);
  EXPECT_EQ(real_tokenizer().encode(std::string_view("\xF0\x9F\x98\x80", 3)).ids,
            real_tokenizer().encode("\uFFFD").ids);
}

TEST(Tokenizer, KnowsTheTextOfItsIds) {
  EXPECT_EQ(real_tokenizer().num_ids(), 151646);
  EXPECT_EQ(real_tokenizer().bytes_of(220), " ");
  EXPECT_EQ(real_tokenizer().bytes_of(151644), "<|im_start|>");
  EXPECT_EQ(real_tokenizer().bytes_of(-1), "");
  EXPECT_EQ(real_tokenizer().bytes_of(151646), "");
  EXPECT_EQ(real_tokenizer().id_of("the"), std::nullopt);  // a token, but no added one
}

TEST(Tokenizer, ServesSeveralThreadsAtOnce) {
  const std::string text = "Aujourd\u2019hui, nous sommes le 3 mai\u00A0: it's \u4F60\u597D \U0001F600.\n";
  const std::vector<int32_t> expected = real_tokenizer().encode(text).ids;
  std::vector<std::vector<int32_t>> found(4);
  std::vector<std::thread> threads;
  for (auto& ids : found) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) ids = real_tokenizer().encode(text).ids;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& ids : found) EXPECT_EQ(ids, expected);
}

std::string create_error(const TokenizerData& data) {
  const auto tokenizer = Tokenizer::create(data);
  return tokenizer ? "none" : tokenizer.error().message;
}

TEST(Tokenizer, RejectsAVocabularyThatIsNoByteLevelOne) {
  TokenizerData data = test::small_vocabulary();
  data.tokens[0x20] = "\u2581the";
  EXPECT_NE(create_error(data).find("no token for byte"), std::string::npos) << create_error(data);
  data = test::small_vocabulary();
  data.tokens.push_back("two words");
  EXPECT_NE(create_error(data).find("\"two words\""), std::string::npos) << create_error(data);
  data = test::small_vocabulary();
  data.tokens.push_back("a");
  EXPECT_EQ(create_error(data), "tokenizer: token \"a\" occurs twice");
  EXPECT_NE(create_error({}), "none");
}

TEST(Tokenizer, RejectsAMergeOfUnknownTokens) {
  TokenizerData data = test::small_vocabulary();
  data.merges.push_back("z z");
  EXPECT_EQ(create_error(data), "tokenizer: merge 16 \"z z\": \"zz\" is no token of the vocabulary");
  data.merges.back() = "ab";
  EXPECT_NE(create_error(data).find("merge 16"), std::string::npos);
}

TEST(Tokenizer, RejectsAddedTokensInTheWrongPlace) {
  TokenizerData data = test::small_vocabulary();
  data.added = {{3, "<|im_start|>"}};
  EXPECT_NE(create_error(data).find("the vocabulary has \"$\" there"), std::string::npos) << create_error(data);
  data.added = {{900, "<x>"}, {800, "<y>"}};
  EXPECT_NE(create_error(data).find("rising order"), std::string::npos);
  data.added = {{900, "<x>"}, {901, "<x>"}};
  EXPECT_NE(create_error(data).find("occurs twice"), std::string::npos);
  data.added = {{-1, "<x>"}};
  EXPECT_NE(create_error(data), "none");
}

TEST(Tokenizer, APromptNeedsTheTokensOfTheTemplate) {
  TokenizerData data = test::small_vocabulary();
  data.added.pop_back();
  const auto prompt = assistant_prompt(make_tokenizer(data), "a");
  ASSERT_FALSE(prompt);
  EXPECT_EQ(prompt.error().message, "tokenizer: expected the added token <|im_end|>, found none");
}

}  // namespace
}  // namespace kazeia

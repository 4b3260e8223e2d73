// links: kazeia_formats
#include "formats/tokenizer_files.h"

#include <gtest/gtest.h>

#include <string>

namespace kazeia {
namespace {

constexpr const char* kVocab = R"({"a": 0, "b": 1, "ab": 2, "#": 3, "##": 4})";
constexpr const char* kConfig =
    R"({"added_tokens_decoder": {"7": {"content": "<|im_end|>"}, "6": {"content": "<|im_start|>", "special": true}}})";

std::string error_of(const TokenizerFiles& files) {
  const auto data = parse_tokenizer_files(files);
  return data ? "none" : data.error().message;
}

TEST(TokenizerFiles, AreReadInTheOrderOfTheirIds) {
  const auto data = parse_tokenizer_files({kVocab, "#version: 0.2\na b\n", kConfig});
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->tokens, (std::vector<std::string>{"a", "b", "ab", "#", "##"}));
  EXPECT_EQ(data->merges, (std::vector<std::string>{"a b"}));
  ASSERT_EQ(data->added.size(), 2u);
  EXPECT_EQ(data->added[0].id, 6);
  EXPECT_EQ(data->added[0].text, "<|im_start|>");
}

TEST(TokenizerFiles, KeepEveryMergeThatBeginsWithAHash) {
  const auto data = parse_tokenizer_files({kVocab, "#version: 0.2\r\n# #\r\na b\r\n\r\n#version #", kConfig});
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->merges, (std::vector<std::string>{"# #", "a b", "#version #"}));
  const auto without_version = parse_tokenizer_files({kVocab, "# #\n", kConfig});
  ASSERT_TRUE(without_version);
  EXPECT_EQ(without_version->merges, (std::vector<std::string>{"# #"}));
}

TEST(TokenizerFiles, BrokenVocabulariesAreRejectedByName) {
  EXPECT_EQ(error_of({"{\"a\": 0", "", kConfig}), "vocab.json: not valid JSON at byte 8");
  EXPECT_EQ(error_of({"[1]", "", kConfig}), "vocab.json: expected a JSON object, found array");
  EXPECT_EQ(error_of({"{}", "", kConfig}), "vocab.json: expected 1 to 4194304 tokens, found 0");
  EXPECT_EQ(error_of({R"({"a": 0, "b": 2})", "", kConfig}), "vocab.json: token \"b\": expected an id in 0..1, found 2");
  EXPECT_EQ(error_of({R"({"a": 0, "b": -1})", "", kConfig}),
            "vocab.json: token \"b\": expected an id in 0..1, found -1");
  EXPECT_EQ(error_of({R"({"a": 0, "b": 1.0})", "", kConfig}), "vocab.json: token \"b\": expected an id, found 1.0");
  EXPECT_EQ(error_of({R"({"a": 0, "b": {"c": 1}})", "", kConfig}),
            "vocab.json: token \"b\": expected an id, found object");
  EXPECT_EQ(error_of({"3", "", kConfig}), "vocab.json: expected a JSON object, found number");
  EXPECT_EQ(error_of({R"({"a": 0, "b": 0})", "", kConfig}), "vocab.json: tokens \"a\" and \"b\" have the same id 0");
  EXPECT_EQ(error_of({R"({"": 0})", "", kConfig}), "vocab.json: found an empty token");
}

TEST(TokenizerFiles, BrokenMergesAreRejectedByLine) {
  for (const char* line : {"ab", "a b c", " b", "a ", "a  b"}) {
    const std::string merges = std::string("#version: 0.2\na b\n") + line + "\n";
    EXPECT_EQ(error_of({kVocab, merges, kConfig}),
              std::string("merges.txt: line 3: expected two tokens with a space between, found \"") + line + "\"");
  }
}

TEST(TokenizerFiles, BrokenAddedTokensAreRejectedByName) {
  EXPECT_EQ(error_of({kVocab, "", "{}"}),
            "tokenizer_config.json: added_tokens_decoder: expected an object, found none");
  EXPECT_EQ(error_of({kVocab, "", R"({"added_tokens_decoder": 3})"}),
            "tokenizer_config.json: added_tokens_decoder: expected an object, found 3");
  EXPECT_EQ(error_of({kVocab, "", R"({"added_tokens_decoder": {"7x": {"content": "a"}}})"}),
            "tokenizer_config.json: added_tokens_decoder: expected an id in 0..4194303, found \"7x\"");
  EXPECT_EQ(error_of({kVocab, "", R"({"added_tokens_decoder": {"7": {"content": ""}}})"}),
            "tokenizer_config.json: added_tokens_decoder.7.content: expected text, found \"\"");
  EXPECT_EQ(error_of({kVocab, "", R"({"added_tokens_decoder": {"7": "a"}})"}),
            "tokenizer_config.json: added_tokens_decoder.7.content: expected text, found none");
}

TEST(TokenizerFiles, AMissingFolderIsNamed) {
  const auto data = read_tokenizer_files("/nonexistent/folder");
  ASSERT_FALSE(data);
  EXPECT_NE(data.error().message.find("/nonexistent/folder/vocab.json"), std::string::npos) << data.error().message;
}

}  // namespace
}  // namespace kazeia

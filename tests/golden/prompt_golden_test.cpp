// Prompts from text, against the official code: equal ids in every mode and feed, and the embeddings of all rows.
// links: kazeia_stage_text kazeia_stage_prompt kazeia_stage_talker kazeia_formats kazeia_npy
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "formats/model_file.h"
#include "golden/golden_data.h"
#include "nn/device_rules.h"
#include "stages/prompt/prompt_builder.h"
#include "stages/talker/talker.h"
#include "stages/text/text.h"

namespace kazeia {
namespace {

using nlohmann::json;
using Ids = std::vector<int32_t>;

// Embeddings of about 1, through two matrices of at most 64 columns in float32.
constexpr float kBound = 1e-5F;

// The folders of data/ that hold prompts, each with its checkpoint of the same name.
class PromptGolden : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    Result<ModelFile> file = open_model(golden::data_path("checkpoints/" + folder()));
    ASSERT_TRUE(file) << file.error().message;
    file_ = *std::move(file);
    Result<Tokenizer> tokenizer = Tokenizer::create(file_.tokenizer);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    tokenizer_.emplace(*std::move(tokenizer));
    requests_ = golden::manifest(folder()).at("prompts");
    ASSERT_GE(requests_.size(), 4U);
  }

  std::string folder() const { return GetParam(); }

  Result<Prompt> prompt_of(const json& request) const {
    KZ_TRY(const TextIds text, assistant_prompt(*tokenizer_, request.at("text").get<std::string>()));
    TextIds instruct;
    if (request.contains("instruct")) {
      KZ_TRY(instruct, instruct_prompt(*tokenizer_, request.at("instruct").get<std::string>()));
    }
    return build_prompt(file_.config,
                        {.assistant_ids = text.ids,
                         .instruct_ids = instruct.ids,
                         .speaker = request.value("speaker", ""),
                         .language = request.at("language").get<std::string>(),
                         .text_feed = request.at("text_feed") == "full" ? TextFeed::full : TextFeed::streaming});
  }

  // Calls check(prompt, path of its arrays) for every recorded request.
  void for_each_prompt(const std::function<void(const Prompt&, const std::string&)>& check) const {
    for (const auto& [name, request] : requests_.items()) {
      SCOPED_TRACE(name);
      const Result<Prompt> prompt = prompt_of(request);
      ASSERT_TRUE(prompt) << prompt.error().message;
      check(*prompt, folder() + "/prompts/" + name);
    }
  }

  ModelFile file_;
  std::optional<Tokenizer> tokenizer_;
  json requests_;
};

// [rows, 2], as the golden files have it.
Ids flat(const std::vector<PromptRow>& rows) {
  Ids ids;
  for (const PromptRow& row : rows) ids.insert(ids.end(), {row.text_id, row.codec_id});
  return ids;
}

TEST_P(PromptGolden, IdsAreTheOfficialOnes) {
  for_each_prompt([&](const Prompt& prompt, const std::string& path) {
    EXPECT_EQ(flat(prompt.rows), golden::ints(path + "_ids"));
    EXPECT_EQ(prompt.trailing_text_ids, golden::ints(path + "_trailing_ids"));
    EXPECT_EQ(prompt.pad_text_id, file_.config.prompt.tts_pad);
  });
}

TEST_P(PromptGolden, EmbeddingsAreTheOfficialOnes) {
  Result<std::shared_ptr<Device>> device = Device::cpu(/*num_threads=*/1);
  ASSERT_TRUE(device) << device.error().message;
  // The official embeddings were made in float32; a matrix stored in bf16 would also round what it is multiplied with.
  const auto tensors = nn::with_types(file_.tensors, [](const auto&, const auto&) { return DType::f32; });
  const Result<CodeEmbeddings> codes = CodeEmbeddings::open(file_.config, tensors);
  ASSERT_TRUE(codes) << codes.error().message;
  Result<std::unique_ptr<Talker>> talker = Talker::create(file_.config.talker, tensors, *device, *codes);
  ASSERT_TRUE(talker) << talker.error().message;
  for_each_prompt([&](const Prompt& prompt, const std::string& path) {
    const Result<std::vector<float>> rows = (*talker)->embed_prompt(prompt);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_LE(golden::max_abs_diff(*rows, golden::floats(path + "_embeds")), kBound);
  });
}

std::string test_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, PromptGolden,
                         testing::Values("tiny", "tiny-mtp", "tiny-4x512", "tiny-voice-design", "tiny-base"),
                         test_name);

}  // namespace
}  // namespace kazeia

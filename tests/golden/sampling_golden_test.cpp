// The sampling chain against the official logits processors: the distribution of each recorded case, and draws from it.
// links: kazeia_sampling kazeia_npy
#include <gtest/gtest.h>

#include "golden/golden_data.h"
#include "sampling/sampling.h"

namespace kazeia {
namespace {

using nlohmann::json;

constexpr int kNumControlIds = 1024;
constexpr int kMinCodes = 2;  // end-of-speech is possible from the third code on

// float32 softmax of scores below 40: each probability carries a few roundings of 6e-8.
constexpr float kBound = 1e-6F;

struct Case {
  std::vector<float> logits, probabilities;
  std::vector<int32_t> previous;
  SamplingDefaults options;
  SamplingLimits limits;
};

SamplingDefaults options_of(const json& settings) {
  return {.do_sample = true,
          .temperature = settings.at("temperature").get<float>(),
          .top_k = settings.at("top_k").get<int>(),
          .top_p = settings.at("top_p").get<float>(),
          .repetition_penalty = settings.value("repetition_penalty", 1.0F)};
}

// The limits, not read from the case: they are the engine's to know.
void set_talker_limits(Case& c, int32_t end_id) {
  c.limits = {.suppress_from = static_cast<int>(c.logits.size()) - kNumControlIds,
              .end_id = end_id,
              .end_allowed = c.previous.size() >= kMinCodes,
              .penalised = c.previous};
}

int32_t end_of_speech_id() {
  std::ifstream file(golden::data_path("checkpoints/tiny/config.json"));
  return json::parse(file).at("talker_config").at("codec_eos_token_id").get<int32_t>();
}

class SamplingGolden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string path = "sampling/" + GetParam() + "_";
    case_.logits = golden::floats(path + "logits");
    case_.probabilities = golden::floats(path + "probabilities");
    case_.options = options_of(golden::manifest("sampling").at("cases").at(GetParam()));
    if (GetParam().starts_with("talker")) {
      case_.previous = golden::ints(path + "previous");
      set_talker_limits(case_, end_of_speech_id());
    }
    ASSERT_FALSE(case_.logits.empty());
  }

  Case case_;
};

TEST_P(SamplingGolden, ProbabilitiesAreTheOfficialOnes) {
  std::vector<float> found;
  Sampler().probabilities(case_.logits, case_.options, case_.limits, found);
  EXPECT_LE(golden::max_abs_diff(found, case_.probabilities), kBound);
  for (size_t id = 0; id < found.size(); ++id) {
    EXPECT_EQ(found[id] > 0, case_.probabilities[id] > 0) << "id " << id << " survives in one chain only";
  }
}

TEST_P(SamplingGolden, NothingIsDrawnThatTheOfficialChainRemoves) {
  Sampler sampler;
  for (uint32_t frame = 0; frame < 500; ++frame) {
    const int32_t id = sampler.draw(case_.logits, case_.options, case_.limits, {.seed = 1, .frame = frame});
    EXPECT_GT(case_.probabilities[static_cast<size_t>(id)], 0) << id;
  }
}

TEST_P(SamplingGolden, GreedyTakesWhatIsMostLikely) {
  SamplingDefaults greedy = case_.options;
  greedy.do_sample = false;
  const auto id = static_cast<size_t>(Sampler().draw(case_.logits, greedy, case_.limits, {}));
  EXPECT_EQ(case_.probabilities[id], golden::max_abs(case_.probabilities));
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  const json cases = golden::manifest("sampling").at("cases");
  for (const auto& [name, settings] : cases.items()) names.push_back(name);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, SamplingGolden, testing::ValuesIn(case_names()), test_name);

}  // namespace
}  // namespace kazeia

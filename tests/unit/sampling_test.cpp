// The sampler without a model: random numbers, the chain, the draw.
// links: kazeia_sampling
#include "sampling/sampling.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>

#include "sampling/philox.h"

static std::atomic<int> num_allocations = 0;

// Not inlined: the compiler would see malloc on one side and operator delete on the other, and warn.
[[gnu::noinline]] void* operator new(size_t size) {
  ++num_allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace kazeia {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr SamplingDefaults kGreedy{.do_sample = false};
constexpr SamplingDefaults kPlain{.temperature = 1, .top_k = 0, .top_p = 1};  // softmax of the logits

// Logits with a spread of a few units, from the generator under test: no other source of randomness is needed.
std::vector<float> random_logits(int vocab_size, uint64_t seed) {
  std::vector<float> logits;
  for (int i = 0; i < vocab_size; ++i) {
    logits.push_back(6 * static_cast<float>(uniform({.seed = seed}, static_cast<uint32_t>(i))));
  }
  return logits;
}

std::vector<float> probabilities(const std::vector<float>& logits, const SamplingDefaults& options,
                                 const SamplingLimits& limits = {}) {
  std::vector<float> out;
  Sampler().probabilities(logits, options, limits, out);
  return out;
}

std::vector<int32_t> kept(const std::vector<float>& probabilities_) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i < probabilities_.size(); ++i) {
    if (probabilities_[i] > 0) ids.push_back(static_cast<int32_t>(i));
  }
  return ids;
}

using Ids = std::vector<int32_t>;

// --- Random numbers

TEST(Philox, GivesTheKnownAnswersOfItsAuthors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Uniform, IsOneWordOfTheBlockThatTheKeyNames) {
  const DrawKey key{.seed = 0x0123456789abcdef, .frame = 7, .codebook = 3};
  const PhiloxCounter block = philox({5, 3, 7, 0}, {0x89abcdef, 0x01234567});
  for (uint32_t word = 0; word < 4; ++word) {
    EXPECT_EQ(uniform(key, 20 + word), (block[word] + 0.5) / 4294967296.0) << word;
  }
}

TEST(Uniform, LiesStrictlyBetweenZeroAndOneWithTheRightMeanAndVariance) {
  constexpr int kCount = 100'000;
  double sum = 0, sum_of_squares = 0;
  for (uint32_t i = 0; i < kCount; ++i) {
    const double u = uniform({.seed = 1}, i);
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    sum_of_squares += u * u;
  }
  const double mean = sum / kCount;
  EXPECT_NEAR(mean, 0.5, 5 * std::sqrt(1.0 / 12 / kCount));  // five standard errors
  EXPECT_NEAR(sum_of_squares / kCount - mean * mean, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / kCount));
}

TEST(Gumbel, IsTheDoubleLogarithmRoundedToFloat) {
  for (uint32_t i = 0; i < 100'000; ++i) {
    const DrawKey key{.seed = 2, .frame = i};
    const double exact = -std::log(-std::log(uniform(key, 0)));
    // Half an ulp of the rounding to float, and 1e-12 for values near 0, where two logarithms cancel.
    ASSERT_NEAR(gumbel(key, 0), exact, std::abs(exact) * 0x1p-24 + 1e-12);
  }
}

TEST(Gumbel, HasTheSameBitsOnEveryMachine) {
  uint32_t hash = 2166136261;  // FNV-1a over the bits of 100,000 values
  for (uint32_t i = 0; i < 100'000; ++i) {
    const float value = gumbel({.seed = 42, .frame = i / 1000, .codebook = 1}, i);
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    hash = (hash ^ bits) * 16777619;
  }
  EXPECT_EQ(hash, 1179816870u);
}

// --- The chain

TEST(Chain, IsASoftmaxWhenEverythingIsOff) {
  const auto p = probabilities({0, std::log(2.0F), std::log(5.0F)}, kPlain);
  EXPECT_NEAR(p[0], 0.125, 1e-7);
  EXPECT_NEAR(p[1], 0.25, 1e-7);
  EXPECT_NEAR(p[2], 0.625, 1e-7);
}

TEST(Chain, PenaltyDividesPositiveAndMultipliesNegativeScoresOnce) {
  SamplingDefaults options = kPlain;
  options.repetition_penalty = 2;
  const Ids said = {0, 1, 1, 0, 0};
  const auto p = probabilities({4, -1, 2, -2}, options, {.penalised = said});
  EXPECT_NEAR(p[0], p[2], 1e-7);  // 4 / 2 = 2
  EXPECT_NEAR(p[1], p[3], 1e-7);  // -1 * 2 = -2
}

TEST(Chain, PenaltyHoldsForGreedyToo) {
  SamplingDefaults options = kGreedy;
  options.repetition_penalty = 1.5F;
  const Ids said = {1};
  EXPECT_EQ(Sampler().draw(std::vector<float>{1, 1.4F}, options, {.penalised = said}, {}), 0);
}

TEST(Chain, TheEndWaitsForTheMinimumLength) {
  SamplingLimits limits{.suppress_from = 2, .end_id = 3};
  const std::vector<float> logits = {0, 1, 9, 8, 9};
  EXPECT_EQ(kept(probabilities(logits, kPlain, limits)), (Ids{0, 1, 3}));
  limits.end_allowed = false;
  EXPECT_EQ(kept(probabilities(logits, kPlain, limits)), (Ids{0, 1}));
  EXPECT_EQ(Sampler().draw(logits, kGreedy, limits, {}), 1);
}

TEST(Chain, ForbiddenIdsTakeNoPlaceOfTheTopK) {
  SamplingDefaults options = kPlain;
  options.top_k = 2;
  EXPECT_EQ(kept(probabilities({1, 2, 3, 9, 9}, options, {.suppress_from = 3})), (Ids{1, 2}));
}

TEST(Chain, TopKKeepsWhatEqualsTheKth) {
  SamplingDefaults options = kPlain;
  options.top_k = 2;
  EXPECT_EQ(kept(probabilities({1, 5, 3, 3, 2, 3}, options)), (Ids{1, 2, 3, 5}));
  options.top_k = 100;
  EXPECT_EQ(kept(probabilities({1, 5, 3}, options)), (Ids{0, 1, 2}));
}

TEST(Chain, TopPRemovesTheTailWithinItsShareAndTheLowerOfEqualsFirst) {
  SamplingDefaults options = kPlain;
  options.top_p = 0.5F;
  EXPECT_EQ(kept(probabilities({0, 0, 0, 0}, options)), (Ids{2, 3}));  // exactly 1 - 0.5 may go
  options.top_p = 0.8F;
  EXPECT_EQ(kept(probabilities(std::vector<float>(10, 1.0F), options)), (Ids{2, 3, 4, 5, 6, 7, 8, 9}));
  options.top_p = 1e-6F;
  EXPECT_EQ(kept(probabilities({0, 3, 3}, options)), (Ids{2}));  // one always stays
}

TEST(Chain, TopPLooksAtWhatTopKLeft) {
  SamplingDefaults options = kPlain;
  options.top_k = 2;
  options.top_p = 0.6F;
  // Of all four the best has 0.4; of the two that top-k leaves it has 0.57, not enough to stand alone.
  EXPECT_EQ(kept(probabilities({std::log(4.0F), std::log(3.0F), std::log(2.0F), 0}, options)), (Ids{0, 1}));
  options.top_p = 0.55F;
  EXPECT_EQ(kept(probabilities({std::log(4.0F), std::log(3.0F), std::log(2.0F), 0}, options)), (Ids{0}));
}

TEST(Chain, TemperatureActsBeforeTopP) {
  SamplingDefaults options = kPlain;
  options.temperature = 0.5F;
  const auto p = probabilities({0, std::log(2.0F)}, options);
  EXPECT_NEAR(p[1], 0.8, 1e-6);  // 2^2 / (1 + 2^2)
}

// --- The draw

TEST(Draw, GreedyTakesTheLowestOfEquals) {
  const std::vector<float> logits = {1, 7, 3, 7, 7};
  EXPECT_EQ(Sampler().draw(logits, kGreedy, {}, {}), 1);
  EXPECT_EQ(probabilities(logits, kGreedy), (std::vector<float>{0, 1, 0, 0, 0}));
}

TEST(Draw, TopK1IsGreedy) {
  SamplingDefaults top_1;
  top_1.top_k = 1;
  Sampler sampler;
  for (uint32_t i = 0; i < 200; ++i) {
    const auto logits = random_logits(512, i);
    EXPECT_EQ(sampler.draw(logits, top_1, {}, {.seed = i}), sampler.draw(logits, kGreedy, {}, {}));
  }
}

TEST(Draw, DependsOnItsKeyAlone) {
  const SamplingDefaults options;
  const auto logits = random_logits(3072, 5);
  Sampler fresh;
  Ids forward;
  for (uint32_t frame = 0; frame < 50; ++frame) {
    forward.push_back(fresh.draw(logits, options, {}, {.seed = 9, .frame = frame, .codebook = 2}));
  }
  Sampler used;  // other draws in between, other order
  for (uint32_t frame = 50; frame-- > 0;) {
    used.draw(random_logits(100, frame), kPlain, {}, {.seed = frame});
    EXPECT_EQ(used.draw(logits, options, {}, {.seed = 9, .frame = frame, .codebook = 2}), forward[frame]);
  }
}

TEST(Draw, EachPartOfTheKeyMatters) {
  const auto draws = [logits = random_logits(2048, 3)](auto key_of) {
    Sampler sampler;
    Ids ids;
    for (uint32_t i = 0; i < 20; ++i) ids.push_back(sampler.draw(logits, SamplingDefaults{}, {}, key_of(i)));
    return ids;
  };
  const auto base = draws([](uint32_t i) { return DrawKey{.seed = 1, .frame = i, .codebook = 0}; });
  EXPECT_NE(base, draws([](uint32_t i) { return DrawKey{.seed = 2, .frame = i, .codebook = 0}; }));
  EXPECT_NE(base,
            draws([](uint32_t i) { return DrawKey{.seed = 1 + (uint64_t{1} << 40), .frame = i, .codebook = 0}; }));
  EXPECT_NE(base, draws([](uint32_t i) { return DrawKey{.seed = 1, .frame = i, .codebook = 1}; }));
  EXPECT_NE(base, draws([](uint32_t i) { return DrawKey{.seed = 1, .frame = i + 1000, .codebook = 0}; }));
}

// Pearson's chi-square of 10,000 draws, over ids expected at least 5 times. With d degrees of freedom its mean is d and
// its variance 2d; five standard deviations above the mean is a chance of less than one in a million.
TEST(Draw, FrequenciesMatchTheProbabilities) {
  constexpr uint32_t kDraws = 10'000;
  const Ids said = {3, 8, 8, 40};
  for (const SamplingDefaults& options :
       {kPlain, SamplingDefaults{.temperature = 0.9F, .top_k = 50, .top_p = 1, .repetition_penalty = 1.05F},
        SamplingDefaults{.temperature = 1.5F, .top_k = 20, .top_p = 0.9F}}) {
    for (uint32_t codebook = 0; codebook < 3; ++codebook) {
      const auto logits = random_logits(200, codebook);
      const SamplingLimits limits{.suppress_from = 150, .end_id = 170, .penalised = said};
      const auto p = probabilities(logits, options, limits);
      EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-6);  // 200 roundings of half an ulp of 1 at most

      Sampler sampler;
      std::vector<int> counts(logits.size());
      for (uint32_t frame = 0; frame < kDraws; ++frame) {
        const DrawKey key{.seed = 77, .frame = frame, .codebook = codebook};
        ++counts[static_cast<size_t>(sampler.draw(logits, options, limits, key))];
      }
      double chi_square = 0;
      int freedom = -1;
      for (size_t id = 0; id < p.size(); ++id) {
        ASSERT_TRUE(p[id] > 0 || counts[id] == 0) << id;
        const double expected = static_cast<double>(p[id]) * kDraws;
        if (expected < 5) continue;
        chi_square += (counts[id] - expected) * (counts[id] - expected) / expected;
        ++freedom;
      }
      EXPECT_LT(chi_square, freedom + 5 * std::sqrt(2.0 * freedom));
      EXPECT_GT(chi_square, freedom - 5 * std::sqrt(2.0 * freedom));
    }
  }
}

TEST(Draw, ANanIsNeverDrawnAndAnInfiniteScoreAlways) {
  Sampler sampler;
  for (uint32_t frame = 0; frame < 100; ++frame) {
    EXPECT_EQ(sampler.draw(std::vector<float>{kNan, 1, kNan, -kInf}, kPlain, {}, {.frame = frame}), 1);
    EXPECT_EQ(sampler.draw(std::vector<float>{3, kInf, 2}, SamplingDefaults{}, {}, {.frame = frame}), 1);
  }
  EXPECT_EQ(sampler.draw(std::vector<float>{kNan, 1, 2}, kGreedy, {}, {}), 2);
  EXPECT_FALSE(sampler.nothing_left());
  const auto p = probabilities({3, kInf, 2}, SamplingDefaults{});
  EXPECT_EQ(p, (std::vector<float>{0, 1, 0}));
}

TEST(Draw, ABrokenModelEndsTheSpeechAndSaysSo) {
  Sampler sampler;
  const std::vector<float> broken(8, kNan);
  for (const SamplingDefaults& options : {kGreedy, kPlain, SamplingDefaults{.top_k = 2, .top_p = 0.5F}}) {
    EXPECT_EQ(sampler.draw(broken, options, {.suppress_from = 4, .end_id = 5}, {}), 5);
    EXPECT_TRUE(sampler.nothing_left());
    EXPECT_EQ(sampler.draw(broken, options, {}, {}), 0);
    EXPECT_TRUE(sampler.nothing_left());
  }
  EXPECT_EQ(probabilities(broken, kPlain), std::vector<float>(8, 0.0F));
}

TEST(Draw, ExtremeOptionsStayDefined) {
  const auto logits = random_logits(64, 1);
  const auto best = Sampler().draw(logits, kGreedy, {}, {});
  EXPECT_EQ(Sampler().draw(logits, {.temperature = 1e-20F}, {}, {}), best);
  const auto flat = probabilities(logits, {.temperature = 1e30F, .top_k = 0});
  for (const float p : flat) EXPECT_NEAR(p, 1.0 / 64, 1e-6);
}

TEST(Draw, AllocatesNothingAfterTheFirstCall) {
  Sampler sampler;
  const Ids said = {1, 2, 3};
  const auto logits = random_logits(3072, 1);
  const std::vector<SamplingDefaults> all = {kGreedy, kPlain, {}, {.top_k = 0, .top_p = 0.9F}};
  sampler.draw(logits, kGreedy, {}, {});
  const int before = num_allocations;
  for (const SamplingDefaults& options : all) {
    for (uint32_t frame = 0; frame < 5; ++frame) {
      sampler.draw(logits, options, {.suppress_from = 2048, .end_id = 2150, .penalised = said}, {.frame = frame});
    }
  }
  EXPECT_EQ(num_allocations, before);
}

// --- Options

std::string problem_of(const SamplingDefaults& options) {
  const Status status = validate(options, "talker");
  return status ? "" : status.error().message;
}

TEST(Options, SensibleOnesPass) {
  EXPECT_EQ(problem_of({}), "");
  EXPECT_EQ(problem_of(kPlain), "");
  EXPECT_EQ(problem_of({.do_sample = false, .temperature = 0}), "");
}

TEST(Options, WrongOnesAreNamed) {
  EXPECT_EQ(problem_of({.temperature = 0}),
            "talker: temperature: expected a finite number above 0 (for the most likely code: greedy), found 0");
  for (const float bad : {-1.0F, kNan, kInf}) {
    EXPECT_NE(problem_of({.temperature = bad}).find("talker: temperature"), std::string::npos);
    EXPECT_NE(problem_of({.top_p = bad}).find("talker: top_p"), std::string::npos);
    EXPECT_NE(problem_of({.repetition_penalty = bad}).find("talker: repetition_penalty"), std::string::npos);
  }
  EXPECT_EQ(problem_of({.top_k = -1}), "talker: top_k: expected 0 (off) or more, found -1");
  EXPECT_EQ(problem_of({.top_p = 1.5F}), "talker: top_p: expected a number above 0 and at most 1 (off), found 1.5");
  EXPECT_EQ(problem_of({.top_p = 0}), "talker: top_p: expected a number above 0 and at most 1 (off), found 0");
  EXPECT_EQ(problem_of({.repetition_penalty = 0}),
            "talker: repetition_penalty: expected a finite number above 0 (1: off), found 0");
}

}  // namespace
}  // namespace kazeia

// The chain of logits processors and the draw from what it leaves.
// Source: RepetitionPenaltyLogitsProcessor, MinNewTokensLengthLogitsProcessor, SuppressTokensLogitsProcessor,
// TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper (transformers 4.57, generation/logits_process.py). As
// there, scores are float32 at every step.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "sampling/sampling.h"

namespace kazeia {

namespace {

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kRemoved = -std::numeric_limits<float>::infinity();

// Positive scores shrink and negative ones grow more negative (penalty > 1).
float penalised(float score, float penalty) { return score < 0 ? score * penalty : score / penalty; }

bool forbidden(int32_t id, const SamplingLimits& limits) {
  if (id == limits.end_id) return !limits.end_allowed;
  return limits.suppress_from >= 0 && id >= limits.suppress_from;
}

}  // namespace

int32_t Sampler::draw(std::span<const float> logits, const SamplingDefaults& options, const SamplingLimits& limits,
                      const DrawKey& key) {
  run_chain(logits, options, limits);
  if (nothing_left()) return std::max(limits.end_id, 0);
  if (!options.do_sample) return highest();

  int32_t best_id = survivors_.front();
  float best = kRemoved;
  for (const int32_t id : survivors_) {
    const float noisy = scores_[static_cast<size_t>(id)] + gumbel(key, static_cast<uint32_t>(id));
    if (noisy > best) {
      best = noisy;
      best_id = id;
    }
  }
  return best_id;
}

void Sampler::probabilities(std::span<const float> logits, const SamplingDefaults& options,
                            const SamplingLimits& limits, std::vector<float>& out) {
  run_chain(logits, options, limits);
  out.assign(logits.size(), 0.0F);
  if (nothing_left()) return;
  const int32_t top = highest();
  if (!options.do_sample) {
    out[static_cast<size_t>(top)] = 1;
    return;
  }
  const double max = scores_[static_cast<size_t>(top)];
  double sum = 0;
  for (const int32_t id : survivors_) sum += std::exp(scores_[static_cast<size_t>(id)] - max);
  for (const int32_t id : survivors_) {
    out[static_cast<size_t>(id)] = static_cast<float>(std::exp(scores_[static_cast<size_t>(id)] - max) / sum);
  }
}

void Sampler::run_chain(std::span<const float> logits, const SamplingDefaults& options, const SamplingLimits& limits) {
  const auto vocab_size = static_cast<int32_t>(logits.size());
  survivors_.reserve(logits.size());
  values_.reserve(logits.size());
  scores_.assign(logits.begin(), logits.end());

  // From the logits, not from the scores: an id that was said twice is penalised once.
  for (const int32_t id : limits.penalised) {
    KZ_CHECK(id >= 0 && id < vocab_size);
    scores_[static_cast<size_t>(id)] = penalised(logits[static_cast<size_t>(id)], options.repetition_penalty);
  }

  const float temperature = options.do_sample ? options.temperature : 1.0F;
  survivors_.clear();
  for (int32_t id = 0; id < vocab_size; ++id) {
    float& score = scores_[static_cast<size_t>(id)];
    score = std::min(score / temperature, kLargest);
    if (score > kRemoved && !forbidden(id, limits)) survivors_.push_back(id);  // false for NaN too
  }
  if (!options.do_sample) return;
  keep_top_k(options.top_k);
  keep_top_p(options.top_p);
}

// Keeps the k highest, and those that equal the k-th.
void Sampler::keep_top_k(int top_k) {
  if (top_k <= 0 || static_cast<size_t>(top_k) >= survivors_.size()) return;
  values_.clear();
  for (const int32_t id : survivors_) values_.push_back(scores_[static_cast<size_t>(id)]);
  const auto kth = values_.begin() + (top_k - 1);
  std::nth_element(values_.begin(), kth, values_.end(), std::greater<>());
  std::erase_if(survivors_, [&](int32_t id) { return scores_[static_cast<size_t>(id)] < *kth; });
}

// Removes ids in ascending order of score, the lower id first among equals, as long as the probability removed stays
// within 1 - top_p. One id always stays.
void Sampler::keep_top_p(float top_p) {
  if (top_p >= 1 || survivors_.empty()) return;
  const auto score = [&](int32_t id) { return scores_[static_cast<size_t>(id)]; };
  std::sort(survivors_.begin(), survivors_.end(),
            [&](int32_t a, int32_t b) { return score(a) != score(b) ? score(a) < score(b) : a < b; });
  const double max = score(survivors_.back());
  double sum = 0;
  for (const int32_t id : survivors_) sum += std::exp(score(id) - max);

  // The official threshold is float32(1 - top_p) of the decimal number that the user wrote. Probabilities and their
  // sums are rounded to float32 too, which decides cases that lie on the border, such as equal scores.
  const double decimal_top_p = std::round(static_cast<double>(top_p) * 1e7) / 1e7;
  const auto threshold = static_cast<float>(1 - decimal_top_p);
  double removed = 0;
  size_t num_removed = 0;
  while (num_removed + 1 < survivors_.size()) {
    removed += static_cast<float>(std::exp(score(survivors_[num_removed]) - max) / sum);
    if (static_cast<float>(removed) > threshold) break;
    ++num_removed;
  }
  survivors_.erase(survivors_.begin(), survivors_.begin() + static_cast<std::ptrdiff_t>(num_removed));
  std::sort(survivors_.begin(), survivors_.end());
}

// The survivor with the highest score, the lowest id of equals.
int32_t Sampler::highest() const {
  return *std::max_element(survivors_.begin(), survivors_.end(), [&](int32_t a, int32_t b) {
    return scores_[static_cast<size_t>(a)] < scores_[static_cast<size_t>(b)];
  });
}

}  // namespace kazeia

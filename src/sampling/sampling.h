// From scores to one code: the official chain, and a draw that depends on nothing but its key.
// Source: GenerationMixin's processors in the order that `generate` builds them for the talker
// (modeling_qwen3_tts.py:2043-2069): repetition penalty, minimum length, suppression, temperature, top-k, top-p.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "formats/model_config.h"

namespace kazeia {

// What the talker may not say at this step; the code predictor has no such limits.
struct SamplingLimits {
  int suppress_from = -1;            // ids >= this are never drawn (-1: no such rule) ...
  int32_t end_id = -1;               // ... except this one,
  bool end_allowed = true;           // which itself waits for the minimum length
  std::span<const int32_t> penalised;  // ids said before; duplicates count once
};

// Identifies one draw. Equal keys give equal draws on every machine and thread count.
struct DrawKey {
  uint64_t seed = 0;
  uint32_t frame = 0;
  uint32_t codebook = 0;
};

// Uniform in (0, 1): Philox4x32-10 (Salmon et al. 2011) with key `seed` and counter {index / 4, codebook, frame, 0}; the
// index-th value belongs to vocabulary id `index`.
float uniform(const DrawKey& key, uint32_t index);

// Reusable scratch of one sampler; not thread-safe.
class Sampler {
 public:
  // logits: [V]. Greedy (options.do_sample false): the highest id after penalty and limits, the lowest of equals.
  // Otherwise Gumbel-max over the ids that survive the chain: argmax(score + gumbel(uniform(key, id))).
  int32_t draw(std::span<const float> logits, const SamplingDefaults& options, const SamplingLimits& limits,
               const DrawKey& key);

  // The distribution that draw() draws from, [V]; zero for ids that the chain removed.
  void probabilities(std::span<const float> logits, const SamplingDefaults& options, const SamplingLimits& limits,
                     std::vector<float>& out);

 private:
  void run_chain(std::span<const float> logits, const SamplingDefaults& options, const SamplingLimits& limits);

  std::vector<float> scores_;  // [V], -inf where removed
  std::vector<int32_t> order_;
};

}  // namespace kazeia

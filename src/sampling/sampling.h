// From scores to one code: the official chain, and a draw that depends on nothing but its key.
// Source: GenerationMixin's processors in the order that `generate` builds them for the talker
// (modeling_qwen3_tts.py:2043-2069): repetition penalty, minimum length, suppression, temperature, top-k, top-p.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "formats/model_config.h"

namespace kazeia {

// What a caller may ask for: temperature > 0 (when sampling), top_k >= 0 (0: off), 0 < top_p <= 1 (1: off), repetition
// penalty > 0 (1: off), all finite. The Error begins with `which`, for instance "talker: temperature: expected ...".
Status validate(const SamplingDefaults& options, const char* which);

// What the talker may not say at this step; the code predictor has no such limits.
struct SamplingLimits {
  int suppress_from = -1;                   // ids >= this are never drawn (-1: no such rule) ...
  int32_t end_id = -1;                      // ... except this one,
  bool end_allowed = true;                  // which itself waits for the minimum length
  std::span<const int32_t> penalised = {};  // ids said before; duplicates count once
};

// Identifies one draw. Equal keys give equal draws on every machine and thread count.
struct DrawKey {
  uint64_t seed = 0;
  uint32_t frame = 0;
  uint32_t codebook = 0;
};

// Uniform in (0, 1): Philox4x32-10 with key `seed` (low word first) and counter {index / 4, codebook, frame, 0}; word
// index % 4 of the block, w, gives (w + 1/2) / 2^32, which a double holds exactly. The index-th value belongs to
// vocabulary id `index`.
double uniform(const DrawKey& key, uint32_t index);

// Gumbel noise -log(-log(uniform(key, index))), between -3.2 and 22.9, rounded to float once. The logarithm is our own
// and uses only operations that IEEE 754 rounds exactly, so the value has the same bits everywhere, whatever the libm.
float gumbel(const DrawKey& key, uint32_t index);

// Reusable scratch of one sampler; not thread-safe. Allocates in the first call for a vocabulary only.
class Sampler {
 public:
  // logits: [V]. Greedy (options.do_sample false): the highest id after penalty and limits, the lowest of equals.
  // Otherwise Gumbel-max over the ids that survive the chain: argmax(score + gumbel(key, id)), in float, the lowest id
  // of equals. So a distribution with one survivor needs no luck, and a graph that adds the same noise draws the same
  // id.
  //
  // A NaN score is removed like a suppressed one; an infinite one counts as the largest float. When nothing is left the
  // model is broken: the answer is end_id (0 without one), so that the caller's loop ends, and nothing_left() says so.
  int32_t draw(std::span<const float> logits, const SamplingDefaults& options, const SamplingLimits& limits,
               const DrawKey& key);

  // Whether the last call of draw() or probabilities() found no id with a usable score. Callers make an Error of it.
  bool nothing_left() const { return survivors_.empty(); }

  // The distribution that draw() draws from, [V]; zero for ids that the chain removed. Greedy: one on the drawn id.
  void probabilities(std::span<const float> logits, const SamplingDefaults& options, const SamplingLimits& limits,
                     std::vector<float>& out);

 private:
  void run_chain(std::span<const float> logits, const SamplingDefaults& options, const SamplingLimits& limits);
  void keep_top_k(int top_k);
  void keep_top_p(float top_p);
  int32_t highest() const;

  std::vector<float> scores_;       // [V], meaningful for the survivors
  std::vector<int32_t> survivors_;  // ids that the chain has not removed, ascending
  std::vector<float> values_;       // scratch of keep_top_k: the survivors' scores
};

}  // namespace kazeia

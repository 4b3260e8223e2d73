#include "engine/self_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kazeia {
namespace {

constexpr int kPromptRows = 4;
constexpr int kFrames = 2;

double relative_difference(const std::vector<float>& found, const std::vector<float>& expected) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double difference = 0, size = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    difference += std::pow(double{found[i]} - expected[i], 2);
    size += std::pow(double{expected[i]}, 2);
  }
  if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
  return size > 0 ? std::sqrt(difference / size) : difference;
}

// Some code of a codebook, another one for each frame and group.
int32_t some_code(int frame, int group, int codebook_size) { return (7 + 31 * frame + 13 * group) % codebook_size; }

void append(std::vector<float>& all, std::span<const float> values) {
  all.insert(all.end(), values.begin(), values.end());
}

Result<std::vector<float>> talk(const TalkerConfig& config, Talker& talker) {
  Prompt prompt;
  for (int i = 0; i < kPromptRows; ++i) prompt.rows.push_back({.text_id = i, .codec_id = i});
  TalkerOutput out;
  std::vector<float> scores;
  KZ_RETURN_IF_ERROR(talker.begin(prompt, out));
  append(scores, out.logits);
  std::vector<int32_t> frame(static_cast<size_t>(config.num_code_groups));
  for (int i = 0; i < kFrames; ++i) {
    for (int group = 0; group < config.num_code_groups; ++group) frame[static_cast<size_t>(group)] = i + group;
    KZ_RETURN_IF_ERROR(talker.step(frame, out));
    append(scores, out.logits);
  }
  return scores;
}

Result<std::vector<float>> predict(const ModelConfig& config, CodePredictor& predictor) {
  std::vector<float> hidden(static_cast<size_t>(config.talker.stack.hidden_size));
  for (size_t i = 0; i < hidden.size(); ++i) hidden[i] = std::sin(static_cast<float>(i));
  std::vector<float> scores;
  CodeFrame frame;
  const auto pick = [&](int group, std::span<const float> logits) {
    append(scores, logits);
    return some_code(0, group, config.code_predictor.vocab_size);
  };
  KZ_RETURN_IF_ERROR(predictor.predict(hidden, /*code0=*/1, pick, frame));
  return scores;
}

Result<std::vector<float>> decode(const CodecConfig& config, CodecDecoder& codec) {
  std::vector<int32_t> codes;
  for (int frame = 0; frame < kFrames; ++frame)
    for (int group = 0; group < config.num_quantizers; ++group)
      codes.push_back(some_code(frame, group, config.codebook_size));
  std::vector<float> samples;
  codec.reset();
  KZ_RETURN_IF_ERROR(codec.push(codes, samples));
  codec.reset();
  return samples;
}

}  // namespace

Result<double> compare_talkers(const TalkerConfig& config, Talker& placed, Talker& reference) {
  KZ_TRY(const std::vector<float> expected, talk(config, reference));
  KZ_TRY(const std::vector<float> found, talk(config, placed));
  return relative_difference(found, expected);
}

Result<double> compare_code_predictors(const ModelConfig& config, CodePredictor& placed, CodePredictor& reference) {
  KZ_TRY(const std::vector<float> expected, predict(config, reference));
  KZ_TRY(const std::vector<float> found, predict(config, placed));
  return relative_difference(found, expected);
}

Result<double> compare_codecs(const CodecConfig& config, CodecDecoder& placed, CodecDecoder& reference) {
  KZ_TRY(const std::vector<float> expected, decode(config, reference));
  KZ_TRY(const std::vector<float> found, decode(config, placed));
  return relative_difference(found, expected);
}

}  // namespace kazeia

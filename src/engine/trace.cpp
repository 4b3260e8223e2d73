#include "engine/trace.h"

#include "engine/request.h"

namespace kazeia {
namespace {

Status check_codes(const ModelConfig& config, std::span<const int32_t> codes) {
  const auto num_groups = static_cast<size_t>(config.talker.num_code_groups);
  if (codes.empty() || codes.size() % num_groups != 0) {
    return Error{ErrorCode::invalid_argument, "codes: expected [frames, " + std::to_string(num_groups) + "], found " +
                                                  std::to_string(codes.size()) + " values"};
  }
  for (size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] < 0 || codes[i] >= config.codec.codebook_size) {
      return Error{ErrorCode::invalid_argument, "codes: frame " + std::to_string(i / num_groups) + ", group " +
                                                    std::to_string(i % num_groups) + ": expected 0.." +
                                                    std::to_string(config.codec.codebook_size - 1) + ", found " +
                                                    std::to_string(codes[i])};
    }
  }
  return ok();
}

}  // namespace

Result<Trace> run_trace(Model& model, const Request& request, std::span<const int32_t> codes) {
  const ModelConfig& config = model.file.config;
  const auto num_groups = static_cast<size_t>(config.talker.num_code_groups);
  KZ_RETURN_IF_ERROR(check_codes(config, codes));
  KZ_TRY(const PreparedRequest prepared, prepare(model, request));
  if (prepared.pieces.empty())
    return Error{ErrorCode::invalid_argument, "text: expected something to speak, found none"};
  if (prepared.pieces.size() > 1) {
    return Error{ErrorCode::invalid_argument, "text: expected one sentence that this model says in one go, found " +
                                                  std::to_string(prepared.pieces.size()) + " pieces"};
  }
  const Prompt& prompt = prepared.pieces.front().prompt;

  Trace trace;
  trace.talker_vocab_size = config.talker.vocab_size;
  trace.codebook_size = config.code_predictor.vocab_size;
  for (const PromptRow& row : prompt.rows) {
    trace.prompt_ids.push_back(row.text_id);
    trace.prompt_ids.push_back(row.codec_id);
  }
  TalkerOutput state;
  CodeFrame frame;
  KZ_RETURN_IF_ERROR(model.talker->begin(prompt, state));
  for (size_t at = 0; at < codes.size(); at += num_groups) {
    const auto given = codes.subspan(at, num_groups);
    trace.talker_logits.insert(trace.talker_logits.end(), state.logits.begin(), state.logits.end());
    const auto pick = [&](int group, std::span<const float> logits) {
      trace.cp_logits.insert(trace.cp_logits.end(), logits.begin(), logits.end());
      return given[static_cast<size_t>(group)];
    };
    KZ_RETURN_IF_ERROR(model.code_predictor->predict(state.hidden, given[0], pick, frame));
    if (at + num_groups < codes.size()) KZ_RETURN_IF_ERROR(model.talker->step(given, state));
  }
  model.codec->reset();
  KZ_RETURN_IF_ERROR(model.codec->push(codes, trace.pcm));
  return trace;
}

}  // namespace kazeia

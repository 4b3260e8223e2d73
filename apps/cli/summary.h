// What a run of say or decode has to tell: warnings, the last line, codec timings, the JSON report.
#pragma once
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "kazeia/engine.h"

namespace kazeia {

// A run that did not end as the user would want needs a word; empty for all others.
std::string finish_warning(const Report& report);

// "2.48 s of audio, RTF 0.71, finish: eos, seed 42, first audio after 310 ms -> bonjour.wav"
std::string say_summary(const Report& report, const std::string& output);
std::string decode_summary(const Report& report, const std::string& output);

// Milliseconds a frame of each stage of the codec, one line each.
std::string codec_profile(const StageTimes& times, int num_frames);

// The settings as given (null: the model's or engine's own), everything in the Report, and the model's name.
std::string say_report_json(const SayOptions& options, const EngineOptions& engine, const Request& request,
                            const ModelInfo& info, const Report& report);
std::string decode_report_json(const DecodeOptions& options, const EngineOptions& engine, const ModelInfo& info,
                               const Report& report);

}  // namespace kazeia

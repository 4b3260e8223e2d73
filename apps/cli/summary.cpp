#include "cli/summary.h"

#include <algorithm>

#include "cli/terminal.h"

namespace kazeia {
namespace {

std::string destination(const std::string& output) { return output == "-" ? "" : " -> " + output; }

// For texts said in several pieces: which of them did not end by themselves.
std::string unfinished_pieces(const Report& report) {
  std::string list;
  for (const SpokenPiece& piece : report.pieces) {
    if (piece.finish_reason != FinishReason::length && piece.finish_reason != FinishReason::silence) continue;
    list +=
        format_text("\n  %s after %d frames: ", finish_reason_name(piece.finish_reason), piece.num_frames) + piece.text;
  }
  return list;
}

}  // namespace

std::string finish_warning(const Report& report) {
  const std::string list = report.pieces.size() > 1 ? unfinished_pieces(report) : "";
  if (!list.empty()) return "warning: not every sentence ended by itself; another --seed may do better:" + list;
  switch (report.finish_reason) {
    case FinishReason::length:
      return format_text(
          "warning: stopped at the limit of %d frames (%.1f s): the end of the speech may be missing. --max-seconds or "
          "--max-frames set the limit; another --seed may end by itself",
          report.num_frames, report.audio_seconds);
    case FinishReason::silence:
      return format_text(
          "warning: the model fell silent without ending, and was stopped after %.1f s of audio. What it said before "
          "is "
          "all there; --silence-limit sets how long to wait, another --seed may end by itself",
          report.audio_seconds);
    case FinishReason::empty: return "warning: there is nothing to speak in the text; the audio is empty";
    case FinishReason::eos:
    case FinishReason::cancelled: return "";
  }
  return "";
}

std::string say_summary(const Report& report, const std::string& output) {
  return format_text("%.2f s of audio, RTF %.2f, finish: %s, seed %llu, first audio after %.0f ms",
                     report.audio_seconds, report.real_time_factor(), finish_reason_name(report.finish_reason),
                     static_cast<unsigned long long>(report.seed), report.first_audio_ms) +
         destination(output);
}

std::string decode_summary(const Report& report, const std::string& output) {
  return format_text("%.2f s of audio, RTF %.2f", report.audio_seconds, report.real_time_factor()) +
         destination(output);
}

std::string codec_profile(const StageTimes& times, int num_frames) {
  const double frames = std::max(num_frames, 1);
  auto row = [&](const char* name, double total_ms) {
    return std::vector<std::string>{name, format_text("%.1f", total_ms), format_text("%.3f", total_ms / frames)};
  };
  return table({{"codec stage", "ms", "ms/frame"},
                row("quantizer", times.quantizer_ms),
                row("pre_conv", times.pre_conv_ms),
                row("pre_transformer", times.pre_transformer_ms),
                row("upsample", times.upsample_ms),
                row("wave", times.wave_ms),
                row("all", times.codec_ms())},
               {Align::left, Align::right, Align::right});
}

}  // namespace kazeia

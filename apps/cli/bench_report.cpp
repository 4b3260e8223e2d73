#include "cli/bench_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/terminal.h"

namespace kazeia {
namespace {

using Json = nlohmann::ordered_json;

// A figure, or a dash where there is nothing to compare.
std::string figure(double value) { return value > 0 ? format_text("%.1f", value) : "-"; }

std::string percent(double fraction) { return fraction > 0 ? format_text("%.0f %%", fraction * 100) : "-"; }

std::string peaks_text(const BenchResult& result) {
  const Peaks& peaks = result.peaks;
  std::string text =
      format_text("machine: %s, %d thread%s, kernels %s, last level cache %s\n", result.machine.processor.c_str(),
                  peaks.num_threads, peaks.num_threads == 1 ? "" : "s", result.info.kernels.c_str(),
                  human_bytes(static_cast<double>(result.machine.last_level_cache_bytes)).c_str());
  text += format_text("measured peaks: read %.1f GB/s (buffer of %s)", peaks.read_gb_per_s,
                      human_bytes(static_cast<double>(peaks.buffer_bytes)).c_str());
  for (const ComputePeak& peak : peaks.compute) {
    if (peak.gflops > 0) {
      text += format_text(", %s %.0f GFLOP/s (%s)", peak.name.c_str(), peak.gflops, peak.instruction.c_str());
    } else {
      text += ", " + peak.name + " none";
    }
  }
  return text + "\n";
}

std::string stages_text(const BenchResult& result) {
  std::vector<std::vector<std::string>> rows = {
      {"stage", "ms/frame", "MB/frame", "GB/s", "of read peak", "MMAC/frame", "GFLOP/s", "of f32 peak"}};
  for (const StageFigures& stage : stage_figures(result)) {
    rows.push_back({stage.name, format_text("%.2f", stage.ms_per_frame), figure(stage.cost.weight_bytes / 1e6),
                    figure(stage.read_gb_per_s), percent(stage.read_fraction), figure(stage.cost.multiply_adds / 1e6),
                    figure(stage.gflops), percent(stage.flop_fraction)});
  }
  return table(rows, {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right, Align::right,
                      Align::right});
}

Json stages_json(const BenchResult& result) {
  Json stages = Json::object();
  for (const StageFigures& stage : stage_figures(result)) {
    std::string key = stage.name;
    key.erase(0, key.find_first_not_of(' '));
    stages[key] = {{"ms_per_frame", stage.ms_per_frame},
                   {"weight_bytes_per_frame", stage.cost.weight_bytes},
                   {"multiply_adds_per_frame", stage.cost.multiply_adds},
                   {"read_gb_per_s", stage.read_gb_per_s},
                   {"of_read_peak", stage.read_fraction},
                   {"gflops", stage.gflops},
                   {"of_f32_peak", stage.flop_fraction}};
  }
  return stages;
}

Json peaks_json(const Peaks& peaks) {
  Json json = {
      {"threads", peaks.num_threads}, {"read_gb_per_s", peaks.read_gb_per_s}, {"buffer_bytes", peaks.buffer_bytes}};
  for (const ComputePeak& peak : peaks.compute) {
    json["gflops"][peak.name] =
        peak.gflops > 0 ? Json({{"value", peak.gflops}, {"instruction", peak.instruction}}) : Json();
  }
  return json;
}

}  // namespace

std::vector<StageFigures> stage_figures(const BenchResult& result) {
  const double frames = std::max(result.report.num_frames, 1);
  const double f32_peak = result.peaks.gflops("f32 FMA"), read_peak = result.peaks.read_gb_per_s;
  std::vector<StageFigures> stages;
  auto add = [&](const char* name, double total_ms, const StageCost& cost) {
    StageFigures stage{.name = name, .ms_per_frame = total_ms / frames, .cost = cost};
    if (stage.ms_per_frame > 0) {
      stage.read_gb_per_s = cost.weight_bytes / stage.ms_per_frame / 1e6;
      stage.gflops = 2 * cost.multiply_adds / stage.ms_per_frame / 1e6;
    }
    if (read_peak > 0) stage.read_fraction = stage.read_gb_per_s / read_peak;
    if (f32_peak > 0) stage.flop_fraction = stage.gflops / f32_peak;
    stages.push_back(stage);
  };
  const StageTimes& times = result.report.times;
  const FrameCost& cost = result.cost;
  add("talker", times.talker_ms, cost.talker);
  add("code_predictor", times.code_predictor_ms, cost.code_predictor);
  add("sampling", times.sampling_ms, {});
  add("codec", times.codec_ms(), cost.codec());
  add("  quantizer", times.quantizer_ms, cost.quantizer);
  add("  pre_conv", times.pre_conv_ms, cost.pre_conv);
  add("  pre_transformer", times.pre_transformer_ms, cost.pre_transformer);
  add("  upsample", times.upsample_ms, cost.upsample);
  add("  wave", times.wave_ms, cost.wave);
  return stages;
}

std::string bench_text(const BenchResult& result) {
  const Report& report = result.report;
  std::string text =
      format_text("model: %s (%s, %s)\n", result.model.c_str(), result.info.type.c_str(), result.info.size.c_str());
  text +=
      peaks_text(result) + "\n" + stages_text(result) +
      "MMAC and GFLOP/s are those of plain sums: convolutions by tiles do fewer, so the codec can pass its peak.\n\n";
  text += format_text("%d frames, %.2f s of audio in %.2f s: RTF %.3f (%.1f ms/frame)\n", report.num_frames,
                      report.audio_seconds, report.wall_seconds, report.real_time_factor(),
                      report.wall_seconds * 1000 / std::max(report.num_frames, 1));
  text += format_text(
      "first audio after %.0f ms, prefill %.1f ms (%d rows, %d of them kept from the run before), load %.2f s, peak "
      "RSS %s\n",
      report.first_audio_ms, report.times.prefill_ms, report.prompt_rows, report.prompt_rows_kept,
      result.info.load_seconds, human_bytes(static_cast<double>(report.peak_rss_bytes)).c_str());
  return text;
}

std::string bench_json(const BenchResult& result) {
  const Report& report = result.report;
  const Json json = {{"model", result.model},
                     {"type", result.info.type},
                     {"size", result.info.size},
                     {"machine",
                      {{"processor", result.machine.processor},
                       {"instruction_sets", result.machine.instruction_sets},
                       {"last_level_cache_bytes", result.machine.last_level_cache_bytes},
                       {"memory_bytes", result.machine.memory_bytes}}},
                     {"threads", result.num_threads},
                     {"kernels", result.info.kernels},
                     {"peaks", peaks_json(result.peaks)},
                     {"stages", stages_json(result)},
                     {"num_frames", report.num_frames},
                     {"audio_seconds", report.audio_seconds},
                     {"wall_seconds", report.wall_seconds},
                     {"real_time_factor", report.real_time_factor()},
                     {"first_audio_ms", report.first_audio_ms},
                     {"prefill_ms", report.times.prefill_ms},
                     {"prompt_rows", report.prompt_rows},
                     {"prompt_rows_kept", report.prompt_rows_kept},
                     {"load_seconds", result.info.load_seconds},
                     {"peak_rss_bytes", report.peak_rss_bytes}};
  return json.dump(/*indent=*/2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kazeia

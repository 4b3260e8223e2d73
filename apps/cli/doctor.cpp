// kazeia doctor: what this machine offers, and whether a model works on it.
#include <algorithm>
#include <cmath>

#include "cli/commands.h"
#include "cli/doctor_placement.h"
#include "cli/machine.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "compute/device.h"
#include "kernels/self_test.h"

namespace kazeia {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text.empty() ? "none" : text;
}

std::string memory_text(double free_bytes, double all_bytes) {
  if (all_bytes <= 0) return "unknown";
  return human_bytes(free_bytes) + " free of " + human_bytes(all_bytes);
}

std::string machine_text(const Machine& machine) {
  const auto cache = static_cast<double>(machine.last_level_cache_bytes);
  return table(
      {{"kazeia", KAZEIA_VERSION},
       {"processor", machine.processor},
       {"instruction sets", joined(machine.instruction_sets)},
       {"cores", format_text("%d usable, %d threads by default", machine.num_logical_cores, default_num_threads())},
       {"last level cache", cache > 0 ? human_bytes(cache) : "unknown"},
       {"memory",
        memory_text(static_cast<double>(machine.free_memory_bytes), static_cast<double>(machine.memory_bytes))}});
}

// The engine uses the first table that works.
std::string kernels_text() {
  std::vector<std::vector<std::string>> rows = {{"kernels", "self-test"}};
  for (const Kernels* kernels : usable_kernels()) {
    const std::string fault = find_kernel_fault(*kernels);
    rows.push_back({kernels->isa, fault.empty() ? "agrees with scalar" : "WRONG: " + fault});
  }
  return table(rows);
}

std::string devices_text() {
  std::vector<std::vector<std::string>> rows = {
      {"device", "type", "memory", "largest buffer", "CPU reads it", "description"}};
  for (const auto& list : {list_devices(), list_simulated_devices()}) {
    for (const DeviceInfo& device : list) {
      const auto largest = static_cast<double>(device.max_buffer_bytes);
      rows.push_back({device.name, device.type,
                      memory_text(static_cast<double>(device.free_bytes), static_cast<double>(device.total_bytes)),
                      largest > 0 ? human_bytes(largest) : "any", device.host_visible ? "yes" : "no",
                      device.description});
    }
  }
  return table(rows) + "backends compiled in: " + joined(list_backends()) + "\n";
}

// Two frames through every stage: numbers that are no numbers, or no audio, are a broken model or build.
Result<Report> speak_two_frames(Engine& engine) {
  Request request;
  request.text = "Kazeia";
  request.seed = 1;
  request.max_frames = 2;
  bool finite = true;
  KZ_TRY(Report report, engine.synthesize(request, [&](std::span<const float> samples) {
    finite = finite && std::all_of(samples.begin(), samples.end(), [](float x) { return std::isfinite(x); });
    return SinkAnswer::proceed;
  }));
  if (!finite) return Error{ErrorCode::internal, "the model's audio holds values that are no numbers"};
  return report;
}

Status check_model(const ModelOptions& options) {
  KZ_TRY(const std::unique_ptr<Engine> engine, load_engine(options));
  const ModelInfo& info = engine->info();
  KZ_TRY(const Report report, speak_two_frames(*engine));
  print_out(table({{"model", options.model},
                   {"type", info.type},
                   {"voices", std::to_string(info.voices.size())},
                   {"kernels", info.kernels},
                   {"loaded in", format_text("%.2f s", info.load_seconds)},
                   {"two frames", format_text("%.0f ms of audio in %.0f ms", report.audio_seconds * 1000,
                                              report.wall_seconds * 1000)},
                   {"peak memory", human_bytes(static_cast<double>(report.peak_rss_bytes))},
                   {"verdict", "works"}}));
  print_out(placement_text(report));
  return ok();
}

}  // namespace

Status run(const DoctorOptions& options) {
  print_out(machine_text(describe_machine()) + "\n" + kernels_text() + "\n" + devices_text());
  const ModelOptions& asked = options.model;
  if (asked.model.empty() && asked.placement.empty() && asked.kernels.empty()) {
    print_out(
        "\nWith -m MODEL, doctor checks a model too; with --place, where its parts run; with --kernels, others.\n");
    return ok();
  }
  print_out("\n");
  return check_model(options.model);
}

}  // namespace kazeia

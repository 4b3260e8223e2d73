#include "cli/doctor_placement.h"

#include <algorithm>

#include "cli/terminal.h"

namespace kazeia {
namespace {

bool is_elsewhere(const PartReport& part) { return part.device != "cpu" || !part.moved_from.empty(); }

std::string per_frame(double amount, int num_frames) {
  return num_frames > 0 ? format_text("%.4g", amount / num_frames) : "-";
}

std::string share_on_device(const PartReport& part) {
  const auto there = static_cast<double>(part.device_multiply_adds);
  const auto all = there + static_cast<double>(part.cpu_multiply_adds);
  return all > 0 ? format_text("%.1f %%", 100 * there / all) : "-";
}

// Where the nodes run and what crosses. "ms" is the cost model's, not measured.
std::string coverage_table(const Report& report) {
  std::vector<std::vector<std::string>> rows = {{"part", "device", "graphs", "nodes", "on the CPU", "products",
                                                 "calls/frame", "KiB up", "KiB down", "ms", "self-check"}};
  for (const PartReport& part : report.placement) {
    const double frames = report.num_frames;
    const bool counted = part.device != "cpu";
    const auto count = [&](int64_t value) { return counted ? std::to_string(value) : "-"; };
    const auto frame_rate = [&](double value) { return counted ? per_frame(value, static_cast<int>(frames)) : "-"; };
    rows.push_back({part.part, part.device + (part.strict ? ":strict" : ""), count(part.num_graphs),
                    count(part.device_nodes), count(part.cpu_nodes), counted ? share_on_device(part) : "-",
                    frame_rate(static_cast<double>(part.device_calls)),
                    frame_rate(static_cast<double>(part.bytes_up) / 1024),
                    frame_rate(static_cast<double>(part.bytes_down) / 1024),
                    part.estimated_ms > 0 ? per_frame(part.estimated_ms, report.num_frames) : "-",
                    part.self_check_difference ? format_text("%.2g", *part.self_check_difference) : "-"});
  }
  return table(rows);
}

std::string refused_table(const Report& report) {
  std::vector<std::vector<std::string>> rows = {{"part", "refused", "node", "reason"}};
  for (const PartReport& part : report.placement)
    for (const RefusedNode& refused : part.refused)
      rows.push_back({part.part, std::to_string(refused.count) + " x", refused.shapes, refused.reason});
  return rows.size() > 1 ? "\n" + table(rows) : "";
}

}  // namespace

std::string placement_text(const Report& report) {
  if (std::ranges::none_of(report.placement, is_elsewhere)) return "";
  std::string text = "\n" + coverage_table(report) + refused_table(report);
  for (const PartReport& part : report.placement) {
    if (!part.note.empty()) text += "\n" + part.part + ": " + part.note + "\n";
    if (!part.moved_from.empty())
      text += "\n" + part.part + " runs on the CPU and not on " + part.moved_from + ": " + part.moved_because + "\n";
  }
  text +=
      "\nnodes: of the graphs built, run on the device and on the CPU; products: the share of their multiply-adds that "
      "the device did;\nKiB and ms: of a frame of this run, prompt included; ms: what the cost model expects of the "
      "device, not measured\n";
  return text;
}

}  // namespace kazeia

#include "engine/placement_report.h"

#include <algorithm>

#include "compute/cost_model.h"

namespace kazeia {
namespace {

Coverage coverage_of(const Model& model, ModelPart part) {
  const std::shared_ptr<Device>& device = model.placement.device(part);
  return device && !device->is_cpu() ? device->coverage() : Coverage{};
}

// A part that has moved to the CPU leaves nothing to count.
void add_counts(PartReport& report, const Coverage& now, const Coverage& before) {
  report.num_graphs = now.num_graphs;
  report.device_nodes = now.device_nodes;
  report.cpu_nodes = now.cpu_nodes;
  for (const RefusedNodes& refused : now.refused)
    report.refused.push_back({refused.op, refused.node, refused.shapes, refused.reason, refused.count});
  report.weight_bytes = now.weight_bytes;
  report.device_calls = now.device_calls - before.device_calls;
  report.uploads = now.uploads - before.uploads;
  report.downloads = now.downloads - before.downloads;
  report.bytes_up = now.bytes_up - before.bytes_up;
  report.bytes_down = now.bytes_down - before.bytes_down;
  report.device_multiply_adds = now.device_macs - before.device_macs;
  report.cpu_multiply_adds = now.cpu_macs - before.cpu_macs;
  report.device_weight_bytes = now.device_matrix_bytes - before.device_matrix_bytes;
}

double estimated_ms(const PartReport& report, int num_threads) {
  const auto figures = device_figures(report.device);
  if (!figures) return 0;
  const double on_device =
      estimate_ms(*figures, {.calls = static_cast<double>(report.device_calls),
                             .copied_bytes = static_cast<double>(report.bytes_up + report.bytes_down),
                             .multiply_adds = static_cast<double>(report.device_multiply_adds),
                             .weight_bytes = static_cast<double>(report.device_weight_bytes)});
  const Work rest = {.multiply_adds = static_cast<double>(report.cpu_multiply_adds)};
  return on_device + estimate_ms(cpu_figures(num_threads), rest);
}

}  // namespace

PlacementWatch::PlacementWatch(const Model& model) {
  for (const ModelPart part : kModelParts) before_.push_back(coverage_of(model, part));
}

std::vector<PartReport> PlacementWatch::report(const Model& model) const {
  std::vector<PartReport> reports;
  for (size_t i = 0; i < kModelParts.size(); ++i) {
    const ModelPart part = kModelParts[i];
    const std::shared_ptr<Device>& device = model.placement.device(part);
    if (!device) continue;
    PartReport report{.part = part_name(part), .device = device->name(), .strict = device->is_strict()};
    for (const PartMove& move : model.placement.moves) {
      if (move.part != part) continue;
      report.moved_from = move.from;
      report.moved_because = move.reason;
    }
    if (part == ModelPart::code_predictor) report.note = model.code_predictor->step_by_step_reason();
    const auto difference = model.differences.find(part);
    if (difference != model.differences.end()) report.self_check_difference = difference->second;
    if (!device->is_cpu()) {
      add_counts(report, coverage_of(model, part), before_[i]);
      report.estimated_ms = estimated_ms(report, model.placement.cpu->num_threads());
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace kazeia

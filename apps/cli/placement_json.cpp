#include "cli/placement_json.h"

namespace kazeia {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json refused_json(const PartReport& part) {
  Json list = Json::array();
  for (const RefusedNode& node : part.refused) {
    list.push_back({{"op", node.op},
                    {"node", text_or_null(node.node)},
                    {"shapes", node.shapes},
                    {"reason", node.reason},
                    {"count", node.count}});
  }
  return list;
}

Json part_json(const PartReport& part, int num_frames) {
  const double frames = num_frames > 0 ? num_frames : 1;
  return {{"part", part.part},
          {"device", part.device},
          {"strict", part.strict},
          {"moved_from", text_or_null(part.moved_from)},
          {"moved_because", text_or_null(part.moved_because)},
          {"note", text_or_null(part.note)},
          {"self_check_difference", part.self_check_difference ? Json(*part.self_check_difference) : Json(nullptr)},
          {"graphs", part.num_graphs},
          {"device_nodes", part.device_nodes},
          {"cpu_nodes", part.cpu_nodes},
          {"refused", refused_json(part)},
          {"weight_bytes", part.weight_bytes},
          {"device_calls", part.device_calls},
          {"device_calls_per_frame", static_cast<double>(part.device_calls) / frames},
          {"uploads", part.uploads},
          {"downloads", part.downloads},
          {"bytes_up", part.bytes_up},
          {"bytes_down", part.bytes_down},
          {"device_multiply_adds", part.device_multiply_adds},
          {"cpu_multiply_adds", part.cpu_multiply_adds},
          {"estimated_ms", part.estimated_ms > 0 ? Json(part.estimated_ms) : Json(nullptr)}};
}

}  // namespace

Json placement_json(const Report& report) {
  Json parts = Json::array();
  for (const PartReport& part : report.placement) parts.push_back(part_json(part, report.num_frames));
  return parts;
}

}  // namespace kazeia

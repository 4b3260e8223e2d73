#include "stages/codec/graph_part.h"

namespace kazeia::codec {

GraphPart::GraphPart(std::shared_ptr<Device> device, Spec spec)
    : device_(std::move(device)), spec_(std::move(spec)), memory_(spec_.max_contexts) {
  memory_.cache = std::move(spec_.cache);
}

Result<GraphPart::Chunk> GraphPart::build(int num_frames) {
  const int num_rows = num_frames * spec_.rows_per_frame;
  Graph g(spec_.max_nodes(num_rows));
  const Tensor x = g.input("x", DType::f32, {num_rows, spec_.channels});
  memory_.past.begin_graph();
  // Always all slots of the ring: the order of the sums over them is then the same for every number of frames.
  if (memory_.cache) memory_.attention = memory_.cache->inputs(g, num_rows, memory_.cache->num_slots());
  const Tensor y = g.output("y", spec_.build(g, x, memory_));
  KZ_RETURN_IF_ERROR(memory_.past.allocate(*device_));
  KZ_TRY(Plan plan, Plan::create(device_, std::move(g)));
  return Chunk{std::move(plan), x, y, memory_.attention};
}

Status GraphPart::run(int num_frames, std::span<const float> x, std::vector<float>& y) {
  auto found = chunks_.find(num_frames);
  if (found == chunks_.end()) {
    KZ_TRY(Chunk built, build(num_frames));
    found = chunks_.emplace(num_frames, std::move(built)).first;
  }
  Chunk& chunk = found->second;
  chunk.plan.set(chunk.x, x);
  if (memory_.cache) memory_.cache->set_inputs(chunk.plan, chunk.attention, num_rows_seen_);
  KZ_RETURN_IF_ERROR(chunk.plan.run());
  num_rows_seen_ += chunk.x.rows();
  y.resize(static_cast<size_t>(chunk.y.rows() * chunk.y.channels()));
  chunk.plan.get(chunk.y, y);
  return ok();
}

void GraphPart::reset() {
  memory_.past.clear();
  if (memory_.cache) memory_.cache->clear();
  num_rows_seen_ = 0;
}

}  // namespace kazeia::codec

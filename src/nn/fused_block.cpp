#include "nn/fused_block.h"

#include <algorithm>

#include "kernels/tile_conv.h"

namespace kazeia::nn {

// Rows that a thread takes through both convolutions of a unit at once: those between them should stay in the
// second-level cache, beside those that they come from. Whole blocks of tiles, in the terms of kernels/tile_conv.h.
static constexpr int kUnitBlockRows = kTileBlock * Winograd::kOutputs;

Result<FusedSpace> FusedSpace::allocate(size_t num_floats) {
  FusedSpace space;
  const size_t num_bytes = num_floats * sizeof(float);
  KZ_TRY(space.memory, HugeArena::allocate(3 * arena_piece(num_bytes)));
  for (float** rows : {&space.a, &space.b, &space.between})
    *rows = reinterpret_cast<float*>(space.memory.take(num_bytes));
  return space;
}

LeftContext::LeftContext(const FusedConv& conv, int dilation)
    : rows_(static_cast<size_t>((conv.taps() - 1) * dilation * conv.in_channels())) {}

void LeftContext::load(float* begin) const { std::copy(rows_.begin(), rows_.end(), begin); }
void LeftContext::save(const float* begin, size_t num_new) {
  std::copy_n(begin + num_new, rows_.size(), rows_.begin());
}
void LeftContext::clear() { std::fill(rows_.begin(), rows_.end(), 0.0F); }

FusedBlock::FusedBlock(Spec spec) : spec_(std::move(spec)), past_(*spec_.conv, /*dilation=*/1) {
  for (const FusedUnit& unit : spec_.units) units_past_.emplace_back(*unit.dilated, unit.dilation);
}

// With many rows of few channels, weights are cheap to read again for each frame, and rows should stay in the caches.
int FusedBlock::frames_at_once(int num_frames) const {
  constexpr int kRowsForChannel = 3;
  return spec_.frame_rows * spec_.rate >= kRowsForChannel * out_channels() ? 1 : num_frames;
}

size_t FusedBlock::buffer_floats(int num_frames) const {
  const auto rows = static_cast<size_t>(num_rows(frames_at_once(num_frames)));
  size_t most = past_.size() + rows * static_cast<size_t>(spec_.conv->in_channels());
  for (const LeftContext& past : units_past_)
    most = std::max(most, past.size() + rows * static_cast<size_t>(spec_.conv->out_channels()));
  return most;
}

void FusedBlock::reset() {
  past_.clear();
  for (LeftContext& past : units_past_) past.clear();
}

void FusedBlock::run(ThreadPool& team, const FusedSpace& space, const float* x, int num_frames, float* y) {
  const int step = frames_at_once(num_frames);
  const int64_t step_in = int64_t{num_rows(step)} * in_channels();
  const int64_t step_out = int64_t{num_rows(step)} * rate() * out_channels();
  for (int frame = 0; frame < num_frames; frame += step, x += step_in, y += step_out) {
    auto job = [&](Worker& worker) { run_share(worker, space, x, step, y); };
    team.run(job);
  }
}

// One worker's share of all steps. The first worker also moves the left contexts: between two barriers nobody writes
// the rows that it saves, and nobody reads those in front of which it loads.
void FusedBlock::run_share(Worker& worker, const FusedSpace& space, const float* x, int num_frames, float* y) {
  const int num_rows = this->num_rows(num_frames);
  float *in = space.a, *out = space.b;
  take_input(worker, x, num_rows, in);
  if (worker.index() == 0 && !spec_.units.empty()) units_past_.front().load(out);
  worker.barrier();

  if (worker.index() == 0) past_.save(in, static_cast<size_t>(num_rows * in_channels()));
  ConvOutput to{.y = y, .stride = spec_.conv->out_channels()};
  if (!spec_.units.empty()) send_to_unit(0, out, to);
  spec_.conv->compute(in, /*dilation=*/1, spec_.conv->share(num_rows, worker.index(), worker.count()), to);
  worker.barrier();

  for (size_t i = 0; i < spec_.units.size(); ++i) {
    std::swap(in, out);
    run_unit(worker, i, in, space.between, out, num_frames, y);
  }
}

// The snake of x behind the left context.
void FusedBlock::take_input(Worker& worker, const float* x, int num_rows, float* in) const {
  if (worker.index() == 0) past_.load(in);
  const Worker::Range rows = worker.share(num_rows);
  const auto begin = static_cast<size_t>(rows.begin) * static_cast<size_t>(in_channels());
  const int count = rows.end - rows.begin;
  float* to = in + past_.size() + begin;
  if (spec_.snake.alpha.empty()) {
    std::copy_n(x + begin, count * in_channels(), to);
  } else {
    spec_.conv->kernels().snake(x + begin, spec_.snake.alpha.data(), spec_.snake.inv_beta.data(), to, in_channels(),
                                count);
  }
}

// Lets a convolution write what the unit reads.
void FusedBlock::send_to_unit(size_t index, float* buffer, ConvOutput& to) const {
  to.snaked = buffer + units_past_[index].size();
  to.alpha = spec_.units[index].snake1.alpha.data();
  to.inv_beta = spec_.units[index].snake1.inv_beta.data();
}

// y += pointwise(snake2(dilated(in))), and its snake behind the next unit's context in `out`.
// in: the unit's context, then the snake of y; y: [num_rows, C]
void FusedBlock::run_unit(Worker& worker, size_t index, const float* in, float* between, float* out, int num_frames,
                          float* y) {
  const FusedUnit& unit = spec_.units[index];
  const bool is_last = index + 1 == spec_.units.size();
  const int channels = out_channels();
  const WinogradTiles tiles{unit.dilation, spec_.frame_rows * spec_.rate};
  const int num_rows = num_frames * tiles.span_rows;
  const ConvOutput middle{.snaked = between,
                          .alpha = unit.snake2.alpha.data(),
                          .inv_beta = unit.snake2.inv_beta.data(),
                          .stride = channels};
  ConvOutput to{.y = y, .residual = y, .stride = channels};
  if (!is_last) send_to_unit(index + 1, out, to);
  if (worker.index() == 0) {
    units_past_[index].save(in, static_cast<size_t>(num_rows * channels));
    if (!is_last) units_past_[index + 1].load(out);
  }
  if (num_rows >= 2 * channels * worker.count()) {
    // Each thread takes its rows through both convolutions, piece by piece.
    const Worker::Range groups = worker.share(num_frames * tiles.groups_in_span());
    const int block = std::max(1, kUnitBlockRows / tiles.group_rows());
    for (int group = groups.begin; group < groups.end; group += block) {
      const int end = std::min(groups.end, group + block);
      const ConvRange range{tiles.row_of_group(group), tiles.row_of_group(end), 0, unit.dilated->num_panels()};
      unit.dilated->compute_tiles(in, tiles, range, middle);
      unit.pointwise->compute(between, /*dilation=*/1, range, to);
    }
  } else {
    // Few rows of many channels: most of what is read are weights, which should be read once.
    const ConvRange range = unit.dilated->share_tiles(num_rows, tiles, worker.index(), worker.count());
    unit.dilated->compute_tiles(in, tiles, range, middle);
    worker.barrier();
    unit.pointwise->compute(between, 1, unit.pointwise->share(num_rows, worker.index(), worker.count()), to);
  }
  worker.barrier();
}

}  // namespace kazeia::nn

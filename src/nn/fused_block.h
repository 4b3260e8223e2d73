// Snake, convolution and residual units on the CPU's own kernels, without a graph: all threads walk through the
// convolutions together. What one makes, it writes where the next one reads it: its snake behind the rows that the next
// one still has from the call before. So there are no passes for snakes, sums and left contexts.
#pragma once
#include <memory>
#include <vector>

#include "base/huge_buffer.h"
#include "base/thread_pool.h"
#include "nn/fused_conv.h"

namespace kazeia::nn {

// Rows on their way, for all blocks in turn. Convolutions read them from `a` and `b` alternately.
struct FusedSpace {
  // num_floats: FusedBlock::buffer_floats() of the largest run.
  static Result<FusedSpace> allocate(size_t num_floats);

  HugeArena memory;
  float *a = nullptr, *b = nullptr;
  float* between = nullptr;  // the two convolutions of a unit
};

// The last input rows of a convolution, which its next call still needs; zero at first.
class LeftContext {
 public:
  LeftContext(const FusedConv& conv, int dilation);

  size_t size() const { return rows_.size(); }  // floats
  void load(float* begin) const;
  // begin: the context and num_new floats behind it.
  void save(const float* begin, size_t num_new);
  void clear();

 private:
  std::vector<float> rows_;
};

// x + pointwise(snake2(dilated(snake1(x))))
struct FusedUnit {
  FusedSnake snake1;  // of the first unit of a block: as many repeats as the convolution before it has phases
  std::shared_ptr<const FusedConv> dilated;  // by tiles
  int dilation;
  FusedSnake snake2;
  std::shared_ptr<const FusedConv> pointwise;
};

// units(conv(snake(x))), causal, with the state of a stream.
class FusedBlock {
 public:
  struct Spec {
    FusedSnake snake;  // may be empty
    std::shared_ptr<const FusedConv> conv;
    int frame_rows = 1;            // input rows of a frame; a stream is cut between frames only
    int rate = 1;                  // phases of a transposed convolution: output rows for each input row
    std::vector<FusedUnit> units;  // may be empty
  };
  explicit FusedBlock(Spec spec);

  int in_channels() const { return spec_.conv->in_channels(); }
  int out_channels() const { return spec_.conv->out_channels() / spec_.rate; }
  int rate() const { return spec_.rate; }
  // Input rows.
  int num_rows(int num_frames) const { return num_frames * spec_.frame_rows; }
  // What a run of num_frames frames needs of each buffer of the space.
  size_t buffer_floats(int num_frames) const;

  // x: [num_frames * frame_rows, in] -> y: [num_frames * frame_rows * rate, out]
  void run(ThreadPool& team, const FusedSpace& space, const float* x, int num_frames, float* y);
  // Forgets the left contexts.
  void reset();

 private:
  using Worker = ThreadPool::Worker;

  int frames_at_once(int num_frames) const;  // divides it
  void take_input(Worker& worker, const float* x, int num_rows, float* in) const;
  void run_share(Worker& worker, const FusedSpace& space, const float* x, int num_frames, float* y);
  void run_unit(Worker& worker, size_t index, const float* in, float* between, float* out, int num_frames, float* y);
  void send_to_unit(size_t index, float* buffer, ConvOutput& to) const;

  Spec spec_;
  LeftContext past_;                     // of the convolution
  std::vector<LeftContext> units_past_;  // of each unit's dilated one
};

}  // namespace kazeia::nn

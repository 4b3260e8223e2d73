// One measured run beside what the machine can do, as text and as JSON.
#pragma once
#include <string>
#include <vector>

#include "cli/bench_peaks.h"
#include "cli/machine.h"
#include "formats/frame_cost.h"
#include "kazeia/engine.h"

namespace kazeia {

struct BenchResult {
  std::string model;
  ModelInfo info;
  Report report;
  Machine machine;
  Peaks peaks;
  FrameCost cost;
  int num_threads = 1;
};

struct StageFigures {
  std::string name;
  double ms_per_frame = 0;
  StageCost cost;            // of one frame
  double read_gb_per_s = 0;  // weights read a second
  double gflops = 0;         // 2 for each multiply-add
  double read_fraction = 0;  // of the measured bandwidth; above 1 when the weights fit into the cache
  double flop_fraction = 0;  // of the measured f32 peak; narrower types can pass 1
};

// talker, code_predictor, sampling, codec and the codec's parts.
std::vector<StageFigures> stage_figures(const BenchResult& result);

std::string bench_text(const BenchResult& result);
std::string bench_json(const BenchResult& result);

}  // namespace kazeia

// The decoder's layer groups in order, each as a function that adds its nodes: what parts are made of.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "stages/codec/decoder.h"
#include "stages/codec/graph_part.h"
#include "stages/codec/internal.h"

namespace kazeia::codec {

struct Stage {
  double CodecTimes::*time;  // what its time counts to
  std::string name;
  GraphPart::BuildGraph build;
  int64_t channels;    // of the input
  int rows_per_frame;  // of the input
  int rate;            // output rows for each input row
  int max_nodes = 512;
  bool attends = false;  // needs PartMemory::cache
};

std::vector<Stage> front_stages(const CodecConfig& config, const CodecWeights& w, int64_t codebooks_width);
std::vector<Stage> wave_stages(const CodecConfig& config, const CodecWeights& w);

// Adds all stages to the graph. Where a stage would make more than max_rows rows (0: no limit), it and those after it
// take its input in pieces, one after the other: streaming within a graph, which gives the same bits.
Tensor build_stages(Graph& g, Tensor x, std::span<const Stage> stages, int64_t max_rows, PartMemory& memory);
// At least as many nodes as build_stages() adds for num_rows input rows.
int max_nodes_of(std::span<const Stage> stages, int64_t num_rows, int64_t max_rows);

}  // namespace kazeia::codec

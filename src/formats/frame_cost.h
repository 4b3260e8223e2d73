// What one frame costs by the model's sizes alone: bytes of weights to read, multiply-adds to do.
#pragma once
#include <string>
#include <vector>

#include "formats/model_config.h"
#include "formats/tensor_source.h"

namespace kazeia {

struct StageCost {
  double weight_bytes = 0;   // read once for each pass, as stored in the model
  double multiply_adds = 0;  // of matrices, convolutions and the codec's attention, as plain sums

  StageCost& operator+=(const StageCost& other) {
    weight_bytes += other.weight_bytes;
    multiply_adds += other.multiply_adds;
    return *this;
  }
};

struct FrameCost {
  StageCost talker;          // one pass of one row
  StageCost code_predictor;  // K - 1 passes, K rows
  StageCost quantizer, pre_conv, pre_transformer, upsample, wave;

  StageCost codec() const;
};

// The talker's and code predictor's attention over the past is left out: it grows with the text and is small beside
// these.
FrameCost frame_cost(const ModelConfig& config, const TensorSource& tensors);

// The codec alone, from its sizes: 2.481e9 multiply-adds a frame for the published models.
double codec_multiply_adds(const ModelConfig& config);

}  // namespace kazeia

// One part of the codec's decoder at work: rows of a few frames in, rows out. It owns what its layers remember from one
// call to the next.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kazeia::codec {

class Part {
 public:
  virtual ~Part() = default;
  virtual const std::string& name() const = 0;
  // x: [num_frames * rows_per_frame, channels] -> y: the part's output rows.
  virtual Status run(int num_frames, std::span<const float> x, std::vector<float>& y) = 0;
  // Start of a new utterance.
  virtual void reset() = 0;
};

}  // namespace kazeia::codec

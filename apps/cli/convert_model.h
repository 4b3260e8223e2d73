// The conversion job: any model that opens becomes one GGUF file of a storage type.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/storage_type.h"

namespace kazeia {

struct ConvertProgress {
  std::string tensor;  // about to be written; empty at the end
  uint64_t bytes_done = 0;
  uint64_t bytes_total = 0;
};

struct ConvertReport {
  uint64_t num_bytes = 0;  // size of the file
  size_t num_tensors = 0;
  std::vector<std::string> odd_tensors;  // stored as f16: their rows aren't whole blocks of the quantised type
};

// Told before each tensor and at the end; false stops the conversion with ErrorCode::cancelled.
using ConvertProgressFn = std::function<bool(const ConvertProgress&)>;

// input: checkpoint folder or GGUF. Memory: a few megabytes beyond the input's mapped pages and its largest codec
// tensor. After an error there is no file `output` (or the one that was there before).
Result<ConvertReport> convert_model(const std::string& input, const std::string& output, StorageType type,
                                    const ConvertProgressFn& progress = {});

}  // namespace kazeia

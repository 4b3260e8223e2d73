// One function for each command of the program. An Error becomes a message on stderr and exit code 1.
#pragma once
#include "base/result.h"
#include "cli/options.h"

namespace kazeia {

Status run(const SayOptions& options);
Status run(const DecodeOptions& options);
Status run(const TraceOptions& options);
Status run(const TokenizeOptions& options);
Status run(const ConvertOptions& options);
Status run(const InspectOptions& options);
Status run(const BenchOptions& options);
Status run(const VoicesOptions& options);
Status run(const DoctorOptions& options);

}  // namespace kazeia

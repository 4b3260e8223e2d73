// kazeia convert: an official checkpoint folder into one GGUF file.
#include "cli/commands.h"
#include "cli/convert_model.h"
#include "cli/terminal.h"
#include "formats/atomic_file.h"
#include "interrupt.h"

namespace kazeia {
namespace {

std::string progress_text(const ConvertProgress& now) {
  const double fraction =
      now.bytes_total == 0 ? 1 : static_cast<double>(now.bytes_done) / static_cast<double>(now.bytes_total);
  return bar_text(fraction) + format_text(" %3.0f %% ", fraction * 100) + now.tensor;
}

}  // namespace

Status run(const ConvertOptions& options) {
  const auto type = parse_storage_type(options.type);
  if (!type) return Error{ErrorCode::invalid_argument, "--type: unknown type '" + options.type + "'"};
  KZ_RETURN_IF_ERROR(check_writable(options.output));
  const InterruptGuard interrupt;
  StatusLine line;
  KZ_TRY(const ConvertReport report,
         convert_model(options.checkpoint, options.output, *type, [&](const ConvertProgress& now) {
           line.update(progress_text(now));
           return !interrupt.requested();
         }));
  line.clear();
  if (!report.odd_tensors.empty()) {
    print_note(
        format_text("%zu tensors are stored as f16, because their rows are not whole blocks of %s, for instance %s",
                    report.odd_tensors.size(), options.type.c_str(), report.odd_tensors.front().c_str()));
  }
  print_note(format_text("%s: %zu tensors, %s", options.output.c_str(), report.num_tensors,
                         human_bytes(static_cast<double>(report.num_bytes)).c_str()));
  return ok();
}

}  // namespace kazeia

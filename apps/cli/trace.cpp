// kazeia trace: the numbers behind a run with given codes, for comparing with the official code.
#include <filesystem>
#include <system_error>

#include "cli/codes_file.h"
#include "cli/commands.h"
#include "cli/npy.h"
#include "cli/session.h"
#include "cli/terminal.h"

namespace kazeia {
namespace {

namespace fs = std::filesystem;

Status make_folder(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return Error{ErrorCode::io, folder + ": can't make this folder: " + failed.message()};
  if (!fs::is_directory(folder, failed)) return Error{ErrorCode::io, folder + ": is a file; expected a folder"};
  return ok();
}

Status write_trace(const fs::path& folder, const Trace& trace, int num_code_groups, int64_t num_frames) {
  const auto num_rows = static_cast<int64_t>(trace.prompt_ids.size()) / 2;
  const auto num_samples = static_cast<int64_t>(trace.pcm.size());
  KZ_RETURN_IF_ERROR(write_npy(folder / "prompt_ids.npy", {num_rows, 2}, std::span(trace.prompt_ids)));
  KZ_RETURN_IF_ERROR(
      write_npy(folder / "talker_logits.npy", {num_frames, trace.talker_vocab_size}, std::span(trace.talker_logits)));
  KZ_RETURN_IF_ERROR(write_npy(folder / "cp_logits.npy", {num_frames, num_code_groups - 1, trace.codebook_size},
                               std::span(trace.cp_logits)));
  return write_npy(folder / "pcm.npy", {num_samples}, std::span(trace.pcm));
}

}  // namespace

Status run(const TraceOptions& options) {
  KZ_RETURN_IF_ERROR(make_folder(options.folder));
  KZ_TRY(const std::unique_ptr<Engine> engine, load_engine(options.model));
  const int num_code_groups = engine->info().num_code_groups;
  KZ_TRY(const std::vector<int32_t> codes, read_codes(options.codes_path, num_code_groups));
  KZ_TRY(const Trace trace, engine->trace(to_request(options.speech, options.text), codes));
  KZ_RETURN_IF_ERROR(
      write_trace(options.folder, trace, num_code_groups, static_cast<int64_t>(codes.size()) / num_code_groups));
  print_note(options.folder + ": prompt_ids.npy, talker_logits.npy, cp_logits.npy, pcm.npy");
  return ok();
}

}  // namespace kazeia

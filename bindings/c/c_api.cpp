// The C API over the C++ one: nothing of C++ crosses this line, exceptions least of all.
#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kazeia/engine.h"
#include "kazeia/kazeia.h"
#include "sized_struct.h"

struct kz_engine {
  std::unique_ptr<kazeia::Engine> engine;
  std::mutex stop_lock;
  std::stop_source stop;  // of the calls that run now; replaced when it is used

  std::stop_token stop_token() {
    const std::lock_guard lock(stop_lock);
    return stop.get_token();
  }
};

namespace kazeia {
namespace {

thread_local std::string last_error;

kz_status to_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return KZ_INVALID_ARGUMENT;
    case ErrorCode::bad_model: return KZ_BAD_MODEL;
    case ErrorCode::io: return KZ_IO;
    case ErrorCode::unsupported: return KZ_UNSUPPORTED;
    case ErrorCode::out_of_memory: return KZ_OUT_OF_MEMORY;
    case ErrorCode::device: return KZ_DEVICE;
    case ErrorCode::cancelled: return KZ_CANCELLED;
    case ErrorCode::internal: return KZ_INTERNAL;
  }
  return KZ_INTERNAL;
}

kz_finish_reason to_c(FinishReason reason) {
  switch (reason) {
    case FinishReason::eos: return KZ_FINISH_EOS;
    case FinishReason::length: return KZ_FINISH_LENGTH;
    case FinishReason::silence: return KZ_FINISH_SILENCE;
    case FinishReason::cancelled: return KZ_FINISH_CANCELLED;
    case FinishReason::empty: return KZ_FINISH_EMPTY;
  }
  return KZ_FINISH_EMPTY;
}

kz_status failed(kz_status status, const char* message) noexcept {
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();  // no memory even for the message; the status still tells
  }
  return status;
}

// Runs the body; every failure becomes a status and a text. The only try/catch around the library.
template <class Body>
kz_status guarded(const Body& body) noexcept {
  try {
    const Status status = body();
    return status ? KZ_OK : failed(to_status(status.error().code), status.error().message.c_str());
  } catch (const std::bad_alloc&) {
    return failed(KZ_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return failed(KZ_INTERNAL, error.what());
  } catch (...) {
    return failed(KZ_INTERNAL, "unknown exception");
  }
}

Error invalid(const std::string& what) { return {ErrorCode::invalid_argument, what}; }

std::string text_or_empty(const char* text) { return text == nullptr ? std::string() : std::string(text); }

Result<SamplingRequest> to_sampling(const kz_sampling& sampling, const char* name) {
  SamplingRequest request;
  if (sampling.draw < KZ_DRAW_MODEL_DEFAULT || sampling.draw > KZ_DRAW_GREEDY) {
    return invalid(std::string(name) + ".draw: expected 0..2, found " + std::to_string(sampling.draw));
  }
  if (sampling.draw != KZ_DRAW_MODEL_DEFAULT) request.sample = sampling.draw == KZ_DRAW_SAMPLE;
  if (sampling.temperature != 0) request.temperature = sampling.temperature;
  if (sampling.top_k != 0) request.top_k = sampling.top_k == -1 ? 0 : sampling.top_k;
  if (sampling.top_p != 0) request.top_p = sampling.top_p;
  if (sampling.repetition_penalty != 0) request.repetition_penalty = sampling.repetition_penalty;
  return request;
}

Result<Feed> to_feed(int32_t feed) {
  switch (feed) {
    case KZ_FEED_MODEL_DEFAULT: return Feed::model_default;
    case KZ_FEED_FULL: return Feed::full;
    case KZ_FEED_STREAMING: return Feed::streaming;
  }
  return invalid("text_feed: expected 0..2, found " + std::to_string(feed));
}

Result<Request> to_request(const kz_request& from) {
  if (from.text == nullptr) return invalid("kz_request.text is NULL");
  Request request;
  request.text = from.text;
  request.voice = text_or_empty(from.voice);
  request.language = text_or_empty(from.language);
  request.instruct = text_or_empty(from.instruct);
  KZ_TRY(request.text_feed, to_feed(from.text_feed));
  if (from.has_seed != 0) request.seed = from.seed;
  KZ_TRY(request.talker, to_sampling(from.talker, "talker"));
  KZ_TRY(request.code_predictor, to_sampling(from.code_predictor, "code_predictor"));
  request.max_frames = from.max_frames;
  if (from.silence_limit_ms != 0) request.silence_limit_ms = from.silence_limit_ms == -1 ? 0 : from.silence_limit_ms;
  return request;
}

Result<std::vector<LentBackendOptions>> to_backends(const kz_engine_options& from) {
  std::vector<LentBackendOptions> backends;
  if (from.num_backends > 0 && from.backends == nullptr) return invalid("kz_engine_options.backends is NULL");
  for (size_t i = 0; i < from.num_backends; ++i) {
    KZ_TRY(const kz_backend backend, read_sized(from.backends[i], "kz_backend"));
    if (backend.name == nullptr || backend.ggml_backend == nullptr)
      return invalid("kz_backend " + std::to_string(i) + ": expected a name and a ggml_backend, found NULL");
    backends.push_back({.name = backend.name, .ggml_backend = backend.ggml_backend});
  }
  return backends;
}

// Cut between characters, never inside one.
template <size_t N>
void copy_cut(const std::string& text, char (&out)[N]) {
  size_t length = std::min(text.size(), N - 1);
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

void fill(kz_report& to, const Report& from) {
  to.num_codes = from.codes.size();
  if (to.codes != nullptr) std::copy_n(from.codes.begin(), std::min(to.codes_capacity, from.codes.size()), to.codes);
  to.finish_reason = to_c(from.finish_reason);
  to.prompt_rows = from.prompt_rows;
  to.num_frames = from.num_frames;
  to.num_samples = from.num_samples;
  to.seed = from.seed;
  to.audio_seconds = from.audio_seconds;
  to.wall_seconds = from.wall_seconds;
  to.first_audio_ms = from.first_audio_ms;
  to.peak_rss_bytes = from.peak_rss_bytes;
  to.tokenize_ms = from.times.tokenize_ms;
  to.prefill_ms = from.times.prefill_ms;
  to.talker_ms = from.times.talker_ms;
  to.code_predictor_ms = from.times.code_predictor_ms;
  to.sampling_ms = from.times.sampling_ms;
  to.codec_quantizer_ms = from.times.quantizer_ms;
  to.codec_pre_conv_ms = from.times.pre_conv_ms;
  to.codec_pre_transformer_ms = from.times.pre_transformer_ms;
  to.codec_upsample_ms = from.times.upsample_ms;
  to.codec_wave_ms = from.times.wave_ms;
  copy_cut(from.voice, to.voice);
  copy_cut(from.language, to.language);
  std::string notes;
  for (const std::string& note : from.notes) notes += (notes.empty() ? "" : "\n") + note;
  copy_cut(notes, to.notes);
}

// What kz_synthesize and kz_decode share: the callback as a sink, and the report.
template <class Make>
Status run(kz_engine& engine, kz_audio_fn on_audio, void* user_data, kz_report* report, const Make& make) {
  if (on_audio == nullptr) return invalid("the audio callback is NULL");
  kz_report filled{};
  if (report != nullptr) {
    KZ_TRY(filled, read_sized(report, "kz_report"));
  }
  const std::stop_token stop = engine.stop_token();
  const AudioSink sink = [&](std::span<const float> samples) {
    const bool wants_more = on_audio(samples.data(), samples.size(), user_data) != 0;
    return wants_more && !stop.stop_requested() ? SinkAnswer::proceed : SinkAnswer::stop;
  };
  KZ_TRY(const Report made, make(sink, stop));
  if (report == nullptr) return ok();
  fill(filled, made);
  write_sized(filled, report);
  return ok();
}

}  // namespace
}  // namespace kazeia

using namespace kazeia;

const char* kz_version(void) { return KAZEIA_VERSION; }

const char* kz_status_name(int32_t status) {
  if (status == KZ_OK) return "ok";
  for (const ErrorCode code :
       {ErrorCode::invalid_argument, ErrorCode::bad_model, ErrorCode::io, ErrorCode::unsupported,
        ErrorCode::out_of_memory, ErrorCode::device, ErrorCode::cancelled, ErrorCode::internal}) {
    if (to_status(code) == status) return error_code_name(code);
  }
  return "unknown";
}

const char* kz_finish_reason_name(int32_t reason) {
  for (const FinishReason known :
       {FinishReason::eos, FinishReason::length, FinishReason::silence, FinishReason::cancelled, FinishReason::empty}) {
    if (to_c(known) == reason) return finish_reason_name(known);
  }
  return "unknown";
}

const char* kz_last_error(void) { return last_error.c_str(); }

kz_status kz_engine_load(const kz_engine_options* options, kz_engine** engine) {
  return guarded([&]() -> Status {
    if (engine == nullptr) return invalid("kz_engine_load: engine is NULL");
    *engine = nullptr;
    KZ_TRY(const kz_engine_options known, read_sized(options, "kz_engine_options"));
    if (known.model == nullptr) return invalid("kz_engine_options.model is NULL");
    auto loaded = std::make_unique<kz_engine>();
    KZ_TRY(std::vector<LentBackendOptions> backends, to_backends(known));
    KZ_TRY(loaded->engine, Engine::load({.model = known.model,
                                         .num_threads = known.num_threads,
                                         .placement = text_or_empty(known.placement),
                                         .backends = std::move(backends),
                                         .kernels = text_or_empty(known.kernels)}));
    *engine = loaded.release();
    return ok();
  });
}

void kz_engine_free(kz_engine* engine) { delete engine; }

kz_status kz_engine_info(const kz_engine* engine, kz_model_info* info) {
  return guarded([&]() -> Status {
    if (engine == nullptr) return invalid("kz_engine_info: engine is NULL");
    KZ_TRY(kz_model_info filled, read_sized(info, "kz_model_info"));
    const ModelInfo& from = engine->engine->info();
    filled.name = from.name.c_str();
    filled.type = from.type.c_str();
    filled.model_size = from.size.c_str();
    filled.license = from.license.c_str();
    filled.source = from.source.c_str();
    filled.description = from.description.c_str();
    filled.sample_rate_hz = from.sample_rate_hz;
    filled.samples_per_frame = from.samples_per_frame;
    filled.num_code_groups = from.num_code_groups;
    filled.load_seconds = from.load_seconds;
    filled.num_voices = from.voices.size();
    filled.num_languages = from.languages.size();
    filled.num_threads = from.num_threads;
    filled.kernels = from.kernels.c_str();
    write_sized(filled, info);
    return ok();
  });
}

kz_status kz_engine_voice(const kz_engine* engine, size_t index, kz_voice* voice) {
  return guarded([&]() -> Status {
    if (engine == nullptr) return invalid("kz_engine_voice: engine is NULL");
    KZ_TRY(kz_voice filled, read_sized(voice, "kz_voice"));
    const auto& voices = engine->engine->info().voices;
    if (index >= voices.size()) {
      return invalid("kz_engine_voice: expected an index below " + std::to_string(voices.size()) + ", found " +
                     std::to_string(index));
    }
    filled.name = voices[index].name.c_str();
    filled.language = voices[index].language.c_str();
    filled.dialect = voices[index].dialect.c_str();
    write_sized(filled, voice);
    return ok();
  });
}

const char* kz_engine_language(const kz_engine* engine, size_t index) {
  if (engine == nullptr) return nullptr;
  const auto& languages = engine->engine->info().languages;
  return index < languages.size() ? languages[index].c_str() : nullptr;
}

kz_status kz_synthesize(kz_engine* engine, const kz_request* request, kz_audio_fn on_audio, void* user_data,
                        kz_report* report) {
  return guarded([&]() -> Status {
    if (engine == nullptr) return invalid("kz_synthesize: engine is NULL");
    KZ_TRY(const kz_request known, read_sized(request, "kz_request"));
    KZ_TRY(Request converted, to_request(known));
    return run(*engine, on_audio, user_data, report, [&](const AudioSink& sink, const std::stop_token& stop) {
      converted.stop = stop;
      return engine->engine->synthesize(converted, sink);
    });
  });
}

kz_status kz_decode(kz_engine* engine, const int32_t* codes, size_t num_codes, kz_audio_fn on_audio, void* user_data,
                    kz_report* report) {
  return guarded([&]() -> Status {
    if (engine == nullptr) return invalid("kz_decode: engine is NULL");
    if (codes == nullptr && num_codes > 0) return invalid("kz_decode: codes is NULL");
    return run(*engine, on_audio, user_data, report, [&](const AudioSink& sink, const std::stop_token&) {
      return engine->engine->decode({codes, num_codes}, sink);
    });
  });
}

kz_status kz_engine_cancel(kz_engine* engine) {
  return guarded([&]() -> Status {
    if (engine == nullptr) return invalid("kz_engine_cancel: engine is NULL");
    const std::lock_guard lock(engine->stop_lock);
    engine->stop.request_stop();
    engine->stop = std::stop_source();
    return ok();
  });
}

kz_status kz_tokenize(const kz_engine* engine, const char* text, int32_t* ids, size_t capacity, size_t* num_ids) {
  return guarded([&]() -> Status {
    if (engine == nullptr || text == nullptr || num_ids == nullptr) {
      return invalid("kz_tokenize: engine, text or num_ids is NULL");
    }
    if (ids == nullptr && capacity > 0) return invalid("kz_tokenize: ids is NULL");
    const std::vector<int32_t> all = engine->engine->tokenize(text);
    std::copy_n(all.begin(), std::min(capacity, all.size()), ids);
    *num_ids = all.size();
    return ok();
  });
}

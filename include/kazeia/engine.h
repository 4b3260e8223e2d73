// Kazeia: speech from text on the device, with Qwen3-TTS (12 Hz) models. The C++ API.
//
//   auto engine = kazeia::Engine::load({.model = "voice.gguf"});
//   if (!engine) { std::cerr << engine.error().message; return 1; }
//   kazeia::Request request{.text = "Bonjour Kazeia"};
//   auto report = (*engine)->synthesize(request, [&](std::span<const float> samples) {
//     player.play(samples);  // mono, [-1, 1], at info().sample_rate_hz
//     return kazeia::SinkAnswer::proceed;
//   });
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kazeia/result.h"

namespace kazeia {

// A ggml_backend_t of yours on which parts of the model may run, made by the ggml that this library is built with. It
// must outlive the engine, and nobody else may use it during the engine's calls.
struct LentBackendOptions {
  std::string name;              // for the placement: "codec=NAME"
  void* ggml_backend = nullptr;  // a ggml_backend_t
};

// Weights are memory-mapped: keep the model file in place while the engine lives.
struct EngineOptions {
  std::string model;           // a GGUF from `kazeia convert`, an official checkpoint folder, or "random:0.6b:q8_0"
  int num_threads = 0;         // 1..256; 0: one for each fast core, at most 16 and at most one for 32 MiB of weights
  std::string placement = {};  // "code_predictor=HTP0 codec=HTP0:strict", see docs/devices.md; empty: the CPU, or a
                               // device that is known to be faster
  std::vector<LentBackendOptions> backends = {};
  std::string kernels = {};  // instruction set of the CPU's own loops, "avx2" (see `kazeia doctor`); empty: the best
};

enum class FinishReason {
  eos,        // the model said that the speech is over
  length,     // max_frames was reached: the audio may lack its end
  silence,    // the watchdog stopped a run of silence that would not end
  cancelled,  // the sink said stop
  empty,      // nothing to speak in the text: no audio
};
const char* finish_reason_name(FinishReason reason);

enum class Feed { model_default, full, streaming };

// An absent option means the model's own default.
struct SamplingRequest {
  std::optional<bool> sample = {};               // false: greedy
  std::optional<float> temperature = {};         // > 0
  std::optional<int> top_k = {};                 // 0: off
  std::optional<float> top_p = {};               // (0, 1]; 1: off
  std::optional<float> repetition_penalty = {};  // > 0; 1: off. Talker only
};

// Models may want their text in words and in short pieces (docs/formats.md, kazeia.spell_out and
// max_sentence_codepoints). Then the engine spells it out, says sentence after sentence into one stream of audio, and a
// piece that reaches its limit or falls silent does not take the others with it. Other models get the text as it is.
struct Request {
  std::string text;        // UTF-8; invalid bytes are read as U+FFFD. Special tokens in it are plain text
  std::string voice = {};  // empty: the language's first speaker, else the model's first (custom_voice); none otherwise
  std::string language = {};  // empty: the voice's own language, else "auto"
  std::string instruct = {};  // how to speak; voice_design describes the voice here
  Feed text_feed = Feed::model_default;
  std::optional<uint64_t> seed = {};  // absent: drawn from the system, and reported
  SamplingRequest talker = {}, code_predictor = {};
  int max_frames = 0;           // of the whole run; 0: for each piece, at most max(240, 12 * its codepoints)
  int silence_limit_ms = 8000;  // watchdog; 0: off
  // The way to cancel from another thread: asked before each frame, and while the prompt is read. Frames that have no
  // samples yet are not heard.
  std::stop_token stop = {};
};

enum class SinkAnswer { proceed, stop };

// Receives the audio as it is made, in order, on the calling thread; the span is valid during the call. `stop` ends the
// synthesis with FinishReason::cancelled before the next frame is made.
using AudioSink = std::function<SinkAnswer(std::span<const float> samples)>;

struct StageTimes {  // milliseconds in total over the run
  double tokenize_ms = 0, prefill_ms = 0, talker_ms = 0, code_predictor_ms = 0, sampling_ms = 0;
  double quantizer_ms = 0, pre_conv_ms = 0, pre_transformer_ms = 0, upsample_ms = 0, wave_ms = 0;
  double codec_ms() const { return quantizer_ms + pre_conv_ms + pre_transformer_ms + upsample_ms + wave_ms; }
};

struct SpokenPiece {
  std::string text;  // as the model read it
  int num_frames = 0;
  FinishReason finish_reason = FinishReason::eos;
};

// Nodes of a graph that a device refused.
struct RefusedNode {
  std::string op, node, shapes;  // "SIN", its name or empty, "[1920, 96] f32 = SIN([1920, 96] f32)"
  std::string reason;
  int64_t count = 0;  // of this op and these shapes
};

// Where a part of the model ran, and what that cost. Counts are of graphs on devices: the CPU's own kernels have none.
struct PartReport {
  std::string part;    // "talker", "code_predictor", "codec", "codec.wave"
  std::string device;  // where it ran: "cpu", "HTP0"
  bool strict = false;
  std::string moved_from = {}, moved_because = {};   // why it is not where it was asked to be; or empty
  std::string note = {};                             // why it took more calls than it could; or empty
  std::optional<double> self_check_difference = {};  // from the CPU's results at start, relative

  int64_t num_graphs = 0;
  int64_t device_nodes = 0, cpu_nodes = 0;  // of all graphs, views not counted
  std::vector<RefusedNode> refused = {};
  int64_t weight_bytes = 0;  // in the device's memory

  // Of this run.
  int64_t device_calls = 0, uploads = 0, downloads = 0;
  int64_t bytes_up = 0, bytes_down = 0;
  int64_t device_multiply_adds = 0, cpu_multiply_adds = 0;  // of matrix products
  int64_t device_weight_bytes = 0;                          // read by products there
  double estimated_ms = 0;  // of those by the cost model; 0: the device has no stated speeds
};

struct Report {
  // Of several pieces the first that is not eos; cancelled goes first.
  FinishReason finish_reason = FinishReason::empty;
  std::vector<SpokenPiece> pieces;  // what was begun, in order; one for most models. Their codes follow each other
  uint64_t seed = 0;                // the one used, given or drawn
  int prompt_rows = 0;              // of all pieces
  int prompt_rows_kept = 0;         // of those, computed for the prompt before, which began alike
  int num_frames = 0;
  int64_t num_samples = 0;
  double audio_seconds = 0;
  double wall_seconds = 0;
  double first_audio_ms = 0;  // from the call to the first samples
  int64_t peak_rss_bytes = 0;
  StageTimes times;
  std::string voice, language;     // what was used
  std::vector<int32_t> codes;      // [num_frames, num_code_groups]
  std::vector<std::string> notes;  // what a caller may not expect: something asked for that this model can't do
  std::vector<PartReport> placement;
  double real_time_factor() const { return audio_seconds > 0 ? wall_seconds / audio_seconds : 0; }
};

struct VoiceInfo {
  std::string name, language, dialect;
};

struct ModelInfo {
  std::string name, type, size, license, source, description;
  int sample_rate_hz = 0;
  int samples_per_frame = 0;
  int num_code_groups = 0;
  int num_threads = 0;  // that compute; the samples depend on nothing but this, the kernels, the model and the request
  std::string kernels;  // of the parts on the CPU
  double load_seconds = 0;
  std::vector<VoiceInfo> voices;
  std::vector<std::string> languages;  // "auto" is always understood too
};

// Logits of a run whose codes are given: how anyone compares an engine with the official code.
struct Trace {
  std::vector<int32_t> prompt_ids;   // [rows, 2]: text id, codec id; -1 for none
  std::vector<float> talker_logits;  // [frames, V]: step t has seen frames 0..t-1
  std::vector<float> cp_logits;      // [frames, K - 1, codebook size]
  std::vector<float> pcm;            // decoded from the given codes
  int talker_vocab_size = 0, codebook_size = 0;
};

// Load once, synthesize many times. Calls may come from any thread; they run one after the other. Calls are
// independent: nothing of one, not even a cancelled or failed one, is heard in the next. Two engines share nothing.
class Engine {
 public:
  static Result<std::unique_ptr<Engine>> load(const EngineOptions& options);
  virtual ~Engine() = default;

  virtual const ModelInfo& info() const = 0;

  // Equal model, text, options, seed and thread count give equal samples.
  virtual Result<Report> synthesize(const Request& request, const AudioSink& sink) = 0;

  // codes: [frames, num_code_groups], each in [0, codebook size).
  virtual Result<Report> decode(std::span<const int32_t> codes, const AudioSink& sink) = 0;

  // codes as for decode: teacher-forced run of the request.
  virtual Result<Trace> trace(const Request& request, std::span<const int32_t> codes) = 0;

  // Ids of the text alone, as the official tokenizer gives them.
  virtual std::vector<int32_t> tokenize(const std::string& text) const = 0;
};

}  // namespace kazeia

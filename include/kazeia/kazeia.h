/* Kazeia: speech from text on the device, with Qwen3-TTS (12 Hz) models. The C API (C99).
 *
 *   static int play(const float *samples, size_t num_samples, void *user_data) { ...; return 1; }
 *
 *   kz_engine_options options = {.size = sizeof options};
 *   options.model = "voice.gguf";
 *   kz_engine *engine = NULL;
 *   if (kz_engine_load(&options, &engine) != KZ_OK) { puts(kz_last_error()); return 1; }
 *   kz_request request = {.size = sizeof request};
 *   request.text = "Bonjour Kazeia";
 *   kz_report report = {.size = sizeof report};
 *   kz_status status = kz_synthesize(engine, &request, play, NULL, &report);
 *   kz_engine_free(engine);
 *
 * Structs. The first field holds the size of the struct as the caller knows it. Everything else may be left zero, which
 * means the default of the model or engine. A program built with an older header works with a newer library, and with
 * an older library as long as it leaves zero what that library does not know.
 *
 * Strings are UTF-8 and end with a zero byte. Strings given to a function are copied or used during the call only. Each
 * function says how long a returned string lives; none is freed by the caller.
 *
 * Threads. Any function may be called from any thread. Calls of one engine run one after the other; engines share
 * nothing. Only kz_engine_free must come after every other call of its engine has returned.
 */
#ifndef KAZEIA_KAZEIA_H_
#define KAZEIA_KAZEIA_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define KZ_API __declspec(dllexport)
#elif defined(__GNUC__)
#define KZ_API __attribute__((visibility("default")))
#else
#define KZ_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0"; lives forever. */
KZ_API const char* kz_version(void);

/* ---- Errors */

typedef enum kz_status {
  KZ_OK = 0,
  KZ_INVALID_ARGUMENT = 1, /* a wrong value, an unknown voice or language */
  KZ_BAD_MODEL = 2,        /* the model's files are broken or not of this kind */
  KZ_IO = 3,               /* a file can't be read */
  KZ_UNSUPPORTED = 4,
  KZ_OUT_OF_MEMORY = 5,
  KZ_DEVICE = 6, /* a device is missing or failed */
  KZ_CANCELLED = 7,
  KZ_INTERNAL = 8 /* a fault of the library */
} kz_status;

/* "bad_model"; lives forever. */
KZ_API const char* kz_status_name(int32_t status);

/* What failed, expected and found, of this thread's last call that did not return KZ_OK; "" if there was none. Lives
 * until the next call on this thread that fails. */
KZ_API const char* kz_last_error(void);

/* ---- Engine */

typedef struct kz_engine kz_engine;

/* A ggml_backend_t of yours on which parts of the model may run, made by the ggml that this library is built with. It
 * must outlive the engine, and nobody else may use it during the engine's calls. */
typedef struct kz_backend {
  size_t size;        /* sizeof(kz_backend) */
  const char* name;   /* for the placement: "codec=NAME" */
  void* ggml_backend; /* a ggml_backend_t */
} kz_backend;

typedef struct kz_engine_options {
  size_t size;         /* sizeof(kz_engine_options) */
  const char* model;   /* GGUF file, official checkpoint folder, or "random:0.6b:q8_0". Needed; kept in place while the
                          engine lives, because its weights are memory-mapped */
  int32_t num_threads; /* 1..256; 0: one for each fast core, at most 16 and at most one for 32 MiB of weights */
  const char* placement; /* "code_predictor=HTP0 codec=HTP0:strict", see docs/devices.md; NULL: the CPU, or a device
                            that is known to be faster */
  const kz_backend* const* backends; /* num_backends of them; used during the call, but for the ggml_backend_t */
  size_t num_backends;
  const char* kernels; /* instruction set of the CPU's own loops, "avx2" (see `kazeia doctor`); NULL: the best */
} kz_engine_options;

/* On success *engine is to be given to kz_engine_free; on failure it is NULL. */
KZ_API kz_status kz_engine_load(const kz_engine_options* options, kz_engine** engine);

/* NULL is allowed. */
KZ_API void kz_engine_free(kz_engine* engine);

typedef struct kz_model_info {
  size_t size;                                                           /* sizeof(kz_model_info), set by the caller */
  const char *name, *type, *model_size, *license, *source, *description; /* "" if the model does not say. type:
                                                                           "custom_voice", "voice_design", "base" */
  int32_t sample_rate_hz;
  int32_t samples_per_frame;
  int32_t num_code_groups; /* codes in a frame */
  double load_seconds;
  size_t num_voices, num_languages;
  int32_t num_threads; /* that compute; the samples depend on nothing but this, kernels, the model and the request */
  const char* kernels; /* of the parts on the CPU */
} kz_model_info;

/* The strings live as long as the engine. */
KZ_API kz_status kz_engine_info(const kz_engine* engine, kz_model_info* info);

typedef struct kz_voice {
  size_t size;                           /* sizeof(kz_voice), set by the caller */
  const char *name, *language, *dialect; /* "" if the model does not say */
} kz_voice;

/* index < num_voices. The strings live as long as the engine. */
KZ_API kz_status kz_engine_voice(const kz_engine* engine, size_t index, kz_voice* voice);

/* index < num_languages, else NULL. "auto" is understood too. Lives as long as the engine. */
KZ_API const char* kz_engine_language(const kz_engine* engine, size_t index);

/* ---- Speech */

typedef enum kz_text_feed {
  KZ_FEED_MODEL_DEFAULT = 0,
  KZ_FEED_FULL = 1,     /* all of the text before the first frame */
  KZ_FEED_STREAMING = 2 /* one token with each frame */
} kz_text_feed;

typedef enum kz_draw { KZ_DRAW_MODEL_DEFAULT = 0, KZ_DRAW_SAMPLE = 1, KZ_DRAW_GREEDY = 2 } kz_draw;

/* Zero in any field: the model's own value. */
typedef struct kz_sampling {
  int32_t draw;             /* a kz_draw */
  float temperature;        /* above 0 */
  int32_t top_k;            /* the K likeliest codes; -1: all */
  float top_p;              /* (0, 1]; 1: off */
  float repetition_penalty; /* above 0; 1: off. Talker only */
} kz_sampling;

typedef struct kz_request {
  size_t size;          /* sizeof(kz_request) */
  const char* text;     /* needed; invalid UTF-8 is read as U+FFFD, special tokens in it are plain text */
  const char* voice;    /* NULL: the language's first speaker, else the model's first */
  const char* language; /* NULL: the voice's own, else "auto" */
  const char* instruct; /* how to speak; a voice_design model reads here what the voice is like */
  int32_t text_feed;    /* a kz_text_feed */
  int32_t has_seed;     /* 0: the seed is drawn, and reported */
  uint64_t seed;
  kz_sampling talker, code_predictor;
  int32_t max_frames;       /* 0: scaled to the text */
  int32_t silence_limit_ms; /* stops a silence that does not end; 0: after 8,000; -1: never */
} kz_request;

typedef enum kz_finish_reason {
  KZ_FINISH_EOS = 0,       /* the model said that the speech is over */
  KZ_FINISH_LENGTH = 1,    /* max_frames was reached: the audio may lack its end */
  KZ_FINISH_SILENCE = 2,   /* a silence that did not end was stopped */
  KZ_FINISH_CANCELLED = 3, /* by the callback or kz_engine_cancel */
  KZ_FINISH_EMPTY = 4      /* nothing to speak in the text: no audio */
} kz_finish_reason;

/* "eos"; lives forever. */
KZ_API const char* kz_finish_reason_name(int32_t reason);

typedef struct kz_report {
  size_t size; /* sizeof(kz_report), set by the caller */
  /* Set by the caller: where the codes go, num_codes of them; NULL: nowhere. At most codes_capacity are written. */
  int32_t* codes;
  size_t codes_capacity;

  /* Set by the library. */
  size_t num_codes; /* num_frames * num_code_groups, also when fewer fit */
  kz_finish_reason finish_reason;
  int32_t prompt_rows;
  int32_t num_frames;
  int64_t num_samples;
  uint64_t seed; /* the one used */
  double audio_seconds, wall_seconds;
  double first_audio_ms; /* from the call to the first samples */
  int64_t peak_rss_bytes;
  /* Milliseconds over the whole run. */
  double tokenize_ms, prefill_ms, talker_ms, code_predictor_ms, sampling_ms;
  double codec_quantizer_ms, codec_pre_conv_ms, codec_pre_transformer_ms, codec_upsample_ms, codec_wave_ms;
  char voice[64], language[64]; /* what was used; cut if longer */
  char notes[512];              /* what the caller may not expect, one line each; cut if longer */
} kz_report;

/* Receives mono samples in [-1, 1] at sample_rate_hz, in order, on the thread of the call. The samples are valid during
 * the callback. Returns 0 to stop, anything else to go on. Must not call functions of the same engine except
 * kz_engine_info, kz_engine_voice, kz_engine_language and kz_engine_cancel. */
typedef int (*kz_audio_fn)(const float* samples, size_t num_samples, void* user_data);

/* Speaks. A stop is no error: KZ_OK with KZ_FINISH_CANCELLED. report may be NULL. Equal model, request, seed and thread
 * count give equal samples. */
KZ_API kz_status kz_synthesize(kz_engine* engine, const kz_request* request, kz_audio_fn on_audio, void* user_data,
                               kz_report* report);

/* Codes [frames, num_code_groups] to audio. */
KZ_API kz_status kz_decode(kz_engine* engine, const int32_t* codes, size_t num_codes, kz_audio_fn on_audio,
                           void* user_data, kz_report* report);

/* Ends the calls of kz_synthesize and kz_decode that are running or waiting on this engine, each before its next frame.
 * Calls that start later are not touched. */
KZ_API kz_status kz_engine_cancel(kz_engine* engine);

/* Ids of the text alone, as the official tokenizer gives them. At most capacity are written (ids may be NULL if it is
 * 0); *num_ids is how many there are. */
KZ_API kz_status kz_tokenize(const kz_engine* engine, const char* text, int32_t* ids, size_t capacity, size_t* num_ids);

#ifdef __cplusplus
}
#endif

#endif /* KAZEIA_KAZEIA_H_ */

/* The C API from C99, through the shared library: a whole life of an engine, and the answers to wrong calls. */
#include <kazeia/kazeia.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                        \
  do {                                                                                                          \
    if (!(condition)) {                                                                                         \
      fprintf(stderr, "%s:%d: %s is false; last error: %s\n", __FILE__, __LINE__, #condition, kz_last_error()); \
      exit(1);                                                                                                  \
    }                                                                                                           \
  } while (0)

struct heard {
  size_t num_samples;
  size_t num_calls;
  size_t stop_after; /* calls; 0: never */
  double sum;
};

static int listen(const float* samples, size_t num_samples, void* user_data) {
  struct heard* heard = user_data;
  size_t i;
  for (i = 0; i < num_samples; ++i) {
    CHECK(samples[i] >= -1.0F && samples[i] <= 1.0F);
    heard->sum += (double)(i % 7 + 1) * (double)samples[i];
  }
  heard->num_samples += num_samples;
  ++heard->num_calls;
  return heard->stop_after == 0 || heard->num_calls < heard->stop_after;
}

static kz_engine* load_tiny(void) {
  kz_engine_options options = {.size = sizeof options};
  kz_engine* engine = NULL;
  options.model = "random:tiny:f32";
  options.num_threads = 1;
  options.kernels = "scalar";
  CHECK(kz_engine_load(&options, &engine) == KZ_OK);
  CHECK(engine != NULL);
  return engine;
}

static void test_names(void) {
  CHECK(strcmp(kz_status_name(KZ_OK), "ok") == 0);
  CHECK(strcmp(kz_status_name(KZ_BAD_MODEL), "bad_model") == 0);
  CHECK(strcmp(kz_status_name(77), "unknown") == 0);
  CHECK(strcmp(kz_finish_reason_name(KZ_FINISH_LENGTH), "length") == 0);
  CHECK(strlen(kz_version()) >= 5);
}

static void test_wrong_calls(void) {
  kz_engine_options options = {.size = sizeof options};
  kz_engine* engine = (kz_engine*)&options; /* must be overwritten */
  CHECK(kz_engine_load(NULL, &engine) == KZ_INVALID_ARGUMENT);
  CHECK(engine == NULL);
  CHECK(kz_engine_load(&options, NULL) == KZ_INVALID_ARGUMENT);
  CHECK(kz_engine_load(&options, &engine) == KZ_INVALID_ARGUMENT); /* no model */
  CHECK(strstr(kz_last_error(), "model") != NULL);
  options.model = "/nowhere/voice.gguf";
  CHECK(kz_engine_load(&options, &engine) == KZ_IO);
  CHECK(strstr(kz_last_error(), "/nowhere/voice.gguf") != NULL);
  options.model = "random:tiny:f32";
  options.kernels = "abacus";
  CHECK(kz_engine_load(&options, &engine) == KZ_INVALID_ARGUMENT);
  CHECK(strstr(kz_last_error(), "scalar; found 'abacus'") != NULL);
  options.size = 0;
  CHECK(kz_engine_load(&options, &engine) == KZ_INVALID_ARGUMENT);
  CHECK(strstr(kz_last_error(), "size") != NULL);
  CHECK(kz_synthesize(NULL, NULL, listen, NULL, NULL) == KZ_INVALID_ARGUMENT);
  CHECK(kz_engine_cancel(NULL) == KZ_INVALID_ARGUMENT);
  CHECK(kz_engine_language(NULL, 0) == NULL);
  kz_engine_free(NULL);
}

static void test_placements(void) {
  kz_backend backend = {.size = sizeof backend, .name = "HTP0"}; /* without a ggml_backend */
  const kz_backend* const backends[] = {&backend};
  kz_engine_options options = {.size = sizeof options};
  kz_engine* engine = NULL;
  options.model = "random:tiny:f32";
  options.num_backends = 1; /* without backends */
  CHECK(kz_engine_load(&options, &engine) == KZ_INVALID_ARGUMENT);
  options.backends = backends;
  CHECK(kz_engine_load(&options, &engine) == KZ_INVALID_ARGUMENT);
  CHECK(strstr(kz_last_error(), "ggml_backend") != NULL);
  options.num_backends = 0;
  options.placement = "codec=HTP0";
  CHECK(kz_engine_load(&options, &engine) == KZ_UNSUPPORTED);
  CHECK(strstr(kz_last_error(), "known devices: cpu") != NULL);
  CHECK(engine == NULL);
}

static void test_info(const kz_engine* engine) {
  kz_model_info info = {.size = sizeof info};
  kz_voice voice = {.size = sizeof voice};
  size_t i;
  CHECK(kz_engine_info(engine, &info) == KZ_OK);
  CHECK(info.sample_rate_hz > 0 && info.samples_per_frame > 0 && info.num_code_groups > 0);
  CHECK(info.name != NULL && info.description != NULL);
  for (i = 0; i < info.num_voices; ++i) {
    CHECK(kz_engine_voice(engine, i, &voice) == KZ_OK);
    CHECK(voice.name[0] != '\0' && voice.language != NULL && voice.dialect != NULL);
  }
  CHECK(kz_engine_voice(engine, info.num_voices, &voice) == KZ_INVALID_ARGUMENT);
  for (i = 0; i < info.num_languages; ++i) CHECK(kz_engine_language(engine, i) != NULL);
  CHECK(kz_engine_language(engine, info.num_languages) == NULL);
}

static kz_request request_of(const char* text) {
  kz_request request = {.size = sizeof request};
  request.text = text;
  request.has_seed = 1;
  request.seed = 42;
  request.max_frames = 5;
  return request;
}

static void test_speech(kz_engine* engine) {
  kz_model_info info = {.size = sizeof info};
  kz_request request = request_of("Bonjour Kazeia");
  kz_report report = {.size = sizeof report};
  struct heard first = {0, 0, 0, 0}, again = {0, 0, 0, 0}, decoded = {0, 0, 0, 0};
  int32_t codes[5 * 32];
  report.codes = codes;
  report.codes_capacity = sizeof codes / sizeof codes[0];
  CHECK(kz_engine_info(engine, &info) == KZ_OK);
  CHECK(kz_synthesize(engine, &request, listen, &first, &report) == KZ_OK);
  CHECK(report.num_frames > 0 && report.num_frames <= 5);
  CHECK(report.seed == 42);
  CHECK(report.num_samples == (int64_t)first.num_samples);
  CHECK(report.num_samples == (int64_t)report.num_frames * info.samples_per_frame);
  CHECK(report.num_codes == (size_t)report.num_frames * (size_t)info.num_code_groups);
  CHECK(report.wall_seconds > 0 && report.first_audio_ms > 0 && report.peak_rss_bytes > 0);
  CHECK(strlen(report.voice) < sizeof report.voice);

  /* the same again, without a report */
  CHECK(kz_synthesize(engine, &request, listen, &again, NULL) == KZ_OK);
  CHECK(again.num_samples == first.num_samples && again.sum == first.sum);

  /* and its codes decoded */
  CHECK(kz_decode(engine, codes, report.num_codes, listen, &decoded, NULL) == KZ_OK);
  CHECK(decoded.num_samples == first.num_samples && decoded.sum == first.sum);
}

static void test_wrong_requests(kz_engine* engine) {
  kz_request request = request_of("hello");
  kz_report report = {.size = sizeof report};
  struct heard heard = {0, 0, 0, 0};
  int32_t code = -5;
  CHECK(kz_synthesize(engine, &request, NULL, NULL, NULL) == KZ_INVALID_ARGUMENT);
  request.voice = "nobody";
  CHECK(kz_synthesize(engine, &request, listen, &heard, NULL) == KZ_INVALID_ARGUMENT);
  CHECK(strstr(kz_last_error(), "nobody") != NULL);
  request.voice = NULL;
  request.talker.draw = 9;
  CHECK(kz_synthesize(engine, &request, listen, &heard, NULL) == KZ_INVALID_ARGUMENT);
  request.talker.draw = 0;
  request.text_feed = -1;
  CHECK(kz_synthesize(engine, &request, listen, &heard, NULL) == KZ_INVALID_ARGUMENT);
  request.text_feed = 0;
  request.text = NULL;
  CHECK(kz_synthesize(engine, &request, listen, &heard, NULL) == KZ_INVALID_ARGUMENT);
  CHECK(kz_decode(engine, &code, 1, listen, &heard, NULL) == KZ_INVALID_ARGUMENT);
  CHECK(heard.num_samples == 0);

  /* nothing to speak is no error */
  request.text = " ... ";
  CHECK(kz_synthesize(engine, &request, listen, &heard, &report) == KZ_OK);
  CHECK(report.finish_reason == KZ_FINISH_EMPTY && report.num_samples == 0 && heard.num_samples == 0);
}

static void test_stop(kz_engine* engine) {
  kz_request request = request_of("hello");
  kz_report report = {.size = sizeof report};
  struct heard heard = {0, 0, 1, 0};
  request.max_frames = 200;
  CHECK(kz_synthesize(engine, &request, listen, &heard, &report) == KZ_OK);
  CHECK(report.finish_reason == KZ_FINISH_CANCELLED);
  CHECK(heard.num_calls == 1);
}

/* A program with an older header knows less of a struct, one with a newer header more. */
static void test_other_sizes(kz_engine* engine) {
  struct newer {
    kz_request known;
    int64_t unknown;
  } newer;
  kz_report older = {.size = sizeof older};
  kz_request request = request_of("hello");
  struct heard heard = {0, 0, 0, 0};
  memset(&newer, 0, sizeof newer);
  newer.known = request;
  newer.known.size = sizeof newer;
  CHECK(kz_synthesize(engine, &newer.known, listen, &heard, NULL) == KZ_OK);
  newer.unknown = 1;
  CHECK(kz_synthesize(engine, &newer.known, listen, &heard, NULL) == KZ_UNSUPPORTED);
  older.size = offsetof(kz_report, seed);
  older.seed = 7;
  CHECK(kz_synthesize(engine, &request, listen, &heard, &older) == KZ_OK);
  CHECK(older.num_frames > 0 && older.seed == 7);
}

static void test_tokens(const kz_engine* engine) {
  int32_t ids[64];
  size_t num_ids = 0, num_again = 0;
  CHECK(kz_tokenize(engine, "Bonjour", ids, 64, &num_ids) == KZ_OK);
  CHECK(num_ids > 0 && num_ids <= 64);
  CHECK(kz_tokenize(engine, "Bonjour", NULL, 0, &num_again) == KZ_OK);
  CHECK(num_again == num_ids);
  CHECK(kz_tokenize(engine, "Bonjour", NULL, 1, &num_again) == KZ_INVALID_ARGUMENT);
  CHECK(kz_tokenize(engine, NULL, ids, 64, &num_ids) == KZ_INVALID_ARGUMENT);
}

int main(void) {
  kz_engine* engine;
  CHECK(kz_last_error()[0] == '\0');
  test_names();
  test_wrong_calls();
  test_placements();
  engine = load_tiny();
  test_info(engine);
  test_speech(engine);
  test_wrong_requests(engine);
  test_stop(engine);
  test_other_sizes(engine);
  test_speech(engine); /* nothing of the above is left */
  test_tokens(engine);
  kz_engine_free(engine);
  puts("C API: all checks hold");
  return 0;
}

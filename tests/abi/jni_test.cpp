// The native functions of the Kotlin binding without a Java virtual machine: what they say, and how they fail.
#include <kazeia/kazeia.h>

#include <cmath>
#include <cstdio>

#include "jni_client.h"

namespace kazeia::test {
namespace {

constexpr char kEmoji[] = "Bravo \U0001F600\U0001F469\u200D\U0001F680 \U0001D11E fin";
constexpr char kIllegalState[] = "java/lang/IllegalStateException";
constexpr char kEngineError[] = "com/kazeia/tts/TtsException";

// An engine for all tests of this file.
class Jni : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { engine_ = load_engine(); }
  static void TearDownTestSuite() { free_engine(engine_); }

  static jlong engine_;
};
jlong Jni::engine_ = 0;

int keep(const float* samples, size_t num_samples, void* user_data) {
  auto& all = *static_cast<std::vector<jshort>*>(user_data);
  for (size_t i = 0; i < num_samples; ++i) {
    all.push_back(static_cast<jshort>(std::lrintf(samples[i] * 32767.0F)));
  }
  return 1;
}

// The same text through the C API.
std::vector<jshort> spoken_in_c(const std::string& text) {
  kz_engine_options options{};
  options.size = sizeof options;
  options.model = kTinyModel;
  options.num_threads = 1;
  kz_engine* engine = nullptr;
  EXPECT_EQ(kz_engine_load(&options, &engine), KZ_OK) << kz_last_error();
  kz_request request{};
  request.size = sizeof request;
  request.text = text.c_str();
  request.has_seed = 1;
  request.seed = 42;
  request.max_frames = 5;
  std::vector<jshort> samples;
  EXPECT_EQ(kz_synthesize(engine, &request, keep, &samples, nullptr), KZ_OK) << kz_last_error();
  kz_engine_free(engine);
  return samples;
}

TEST_F(Jni, equal_requests_give_equal_samples_also_those_of_the_c_api) {
  const Heard first = synthesize(engine_, request_for("Bonjour Kazeia"));
  const Heard second = synthesize(engine_, request_for("Bonjour Kazeia"));
  EXPECT_EQ(first.samples.size(), 5U * 1920U);
  EXPECT_TRUE(first.finished("length")) << first.report;
  EXPECT_EQ(first.samples, second.samples);
  EXPECT_EQ(first.samples, spoken_in_c("Bonjour Kazeia"));
}

#ifdef KAZEIA_PROGRAM
TEST_F(Jni, the_samples_are_those_of_the_program) {
  const std::string command = std::string(KAZEIA_PROGRAM) + " say -m " + kTinyModel +
                              " -t 1 --seed 42 --max-frames 5 --raw -o - \"" + kEmoji + "\" 2>/dev/null";
  FILE* program = popen(command.c_str(), "r");
  ASSERT_NE(program, nullptr);
  std::vector<jshort> said(100'000);
  said.resize(fread(said.data(), sizeof(jshort), said.size(), program));
  EXPECT_EQ(pclose(program), 0) << command;
  EXPECT_FALSE(said.empty());
  EXPECT_EQ(synthesize(engine_, request_for(kEmoji)).samples, said);
}
#endif

TEST_F(Jni, quantised_models_say_the_same_twice) {
  for (const char* model : {"random:tiny:q8_0", "random:tiny:q4_0"}) {
    const jlong engine = load_engine(model);
    const std::vector<jshort> first = synthesize(engine, request_for("Bonjour")).samples;
    EXPECT_EQ(first.size(), 5U * 1920U) << model;
    EXPECT_EQ(synthesize(engine, request_for("Bonjour")).samples, first) << model;
    free_engine(engine);
  }
}

TEST_F(Jni, a_stream_is_the_whole_in_pieces) {
  int pieces = 0;
  const Heard streamed = stream(engine_, request_for("Bonjour", 12), [&](MockEnv&, std::span<const jshort>) {
    ++pieces;
    return jboolean{JNI_TRUE};
  });
  EXPECT_GT(pieces, 1);
  EXPECT_EQ(streamed.samples, synthesize(engine_, request_for("Bonjour", 12)).samples);
  EXPECT_NE(streamed.report.find("\"numFrames\":12,"), std::string::npos) << streamed.report;
  EXPECT_NE(streamed.report.find("\"seed\":42,"), std::string::npos) << streamed.report;
}

TEST_F(Jni, local_references_do_not_grow_with_the_length_of_the_speech) {
  const Heard brief = stream(engine_, request_for("Bonjour", 2));
  const Heard longer = stream(engine_, request_for("Bonjour", 24));
  EXPECT_GT(longer.samples.size(), brief.samples.size());
  EXPECT_EQ(longer.max_refs, brief.max_refs);
  EXPECT_LE(brief.max_refs, 4U);
}

TEST_F(Jni, every_option_of_a_request_reaches_the_engine) {
  const std::vector<jshort> plain = synthesize(engine_, request_for("Bonjour")).samples;
  const std::pair<const char*, jint> wrong_numbers[] = {{"textFeed", 9},           {"talkerDraw", 9},
                                                        {"talkerTopK", -7},        {"codePredictorDraw", 9},
                                                        {"codePredictorTopK", -7}, {"maxFrames", -7}};
  for (const auto& [name, value] : wrong_numbers) {
    const JavaValue request = request_for("Bonjour");
    request->fields[name] = value;
    EXPECT_EQ(synthesize(engine_, request).thrown(), kEngineError) << name;
  }
  for (const char* name : {"talkerTemperature", "talkerTopP", "talkerRepetitionPenalty", "codePredictorTemperature",
                           "codePredictorTopP"}) {
    const JavaValue request = request_for("Bonjour");
    request->fields[name] = jfloat{-1};
    EXPECT_EQ(synthesize(engine_, request).thrown(), kEngineError) << name;
  }
  const JavaValue other_seed = request_for("Bonjour");
  other_seed->fields["seed"] = jlong{-1};
  const Heard other = synthesize(engine_, other_seed);
  EXPECT_NE(other.samples, plain);
  EXPECT_NE(other.report.find("\"seed\":-1,"), std::string::npos) << other.report;
  const JavaValue drawn_seed = request_for("Bonjour");
  drawn_seed->fields["hasSeed"] = jboolean{JNI_FALSE};
  EXPECT_EQ(synthesize(engine_, drawn_seed).report.find("\"seed\":42,"), std::string::npos);
}

TEST_F(Jni, emoji_and_broken_text_are_spoken) {
  EXPECT_EQ(synthesize(engine_, request_for(kEmoji)).samples, spoken_in_c(kEmoji));
  // A lone surrogate as bytes, as Java's encoder replaces it, and bytes that are no UTF-8 at all.
  for (const char* text : {"a \xED\xA0\xBD b", "a ? b", "a \xEF\xBF\xBD b", "\xFF\xFE caf\xE9 \xF0\x9F"}) {
    const Heard heard = synthesize(engine_, request_for(text));
    EXPECT_EQ(heard.thrown(), "") << text;
    EXPECT_EQ(heard.samples.size(), 5U * 1920U) << text;
  }
  // A zero byte ends no text.
  EXPECT_EQ(synthesize(engine_, request_for(std::string("one\0two", 7))).samples,
            synthesize(engine_, request_for("one two")).samples);
}

TEST_F(Jni, nothing_to_say_is_no_error) {
  for (const char* text : {"", " ... ", "\n"}) {
    const Heard heard = synthesize(engine_, request_for(text));
    EXPECT_EQ(heard.thrown(), "");
    EXPECT_TRUE(heard.finished("empty")) << heard.report;
    EXPECT_TRUE(heard.samples.empty());
  }
}

TEST_F(Jni, a_hundred_kilobytes_of_text_are_spoken_or_refused_with_the_limit) {
  std::string text;
  while (text.size() < 100'000) text += "Le vent se leve. ";
  // Fed token by token, the prompt is short and the frames are capped.
  const JavaValue streaming = request_for(text, 3);
  streaming->fields["textFeed"] = jint{2};
  const Heard capped = synthesize(engine_, streaming);
  EXPECT_EQ(capped.thrown(), "") << capped.exception->message;
  EXPECT_EQ(capped.samples.size(), 3U * 1920U);
  // All at once it may be longer than the model's range of positions.
  const JavaValue full = request_for(text, 3);
  full->fields["textFeed"] = jint{1};
  const Heard heard = synthesize(engine_, full);
  if (heard.exception) {
    EXPECT_EQ(heard.thrown(), kEngineError);
    EXPECT_EQ(heard.exception->code, KZ_INVALID_ARGUMENT) << heard.exception->message;
  } else {
    EXPECT_LE(heard.samples.size(), 3U * 1920U);
  }
}

TEST_F(Jni, an_error_of_the_engine_keeps_its_code_and_its_text) {
  const JavaValue request = request_for("Bonjour");
  request->fields["voice"] = java_bytes("n\u00E9mo \U0001F600");
  const Heard heard = synthesize(engine_, request);
  ASSERT_EQ(heard.thrown(), kEngineError);
  EXPECT_EQ(heard.exception->code, KZ_INVALID_ARGUMENT);
  EXPECT_NE(heard.exception->message.find("n\u00E9mo \U0001F600"), std::string::npos) << heard.exception->message;
  JavaValue thrown;
  EXPECT_EQ(load_engine("/nowhere/voice.gguf", &thrown), 0);
  ASSERT_NE(thrown, nullptr);
  EXPECT_EQ(thrown->class_name, kEngineError);
  EXPECT_EQ(thrown->code, KZ_IO);
  EXPECT_NE(thrown->message.find("/nowhere/voice.gguf"), std::string::npos) << thrown->message;
}

TEST_F(Jni, null_where_a_value_is_needed_is_an_exception) {
  constexpr char kNullPointer[] = "java/lang/NullPointerException";
  EXPECT_EQ(synthesize(engine_, nullptr).thrown(), kNullPointer);
  const JavaValue request = request_for("Bonjour");
  request->fields["text"] = JavaValue();
  EXPECT_EQ(stream(engine_, request).thrown(), kNullPointer);
  MockEnv env;
  EXPECT_EQ(Java_com_kazeia_tts_TtsJni_nativeLoad(&env, nullptr, nullptr, 1, nullptr), 0);
  EXPECT_EQ(env.take_exception()->class_name, kNullPointer);
  EXPECT_EQ(Java_com_kazeia_tts_TtsJni_nativeStream(&env, nullptr, engine_, env.ref(request_for("Bonjour")), nullptr),
            nullptr);
  EXPECT_EQ(env.take_exception()->class_name, kNullPointer);
}

TEST_F(Jni, an_array_that_java_cannot_make_is_an_exception) {
  for (const jint max_frames : {2, 20}) {
    MockEnv env;
    env.limit_arrays(3 * 1920);
    const JavaValue samples = env.take(Java_com_kazeia_tts_TtsJni_nativeSynthesize(
        &env, nullptr, engine_, env.ref(request_for("Bonjour", max_frames)), nullptr));
    EXPECT_EQ(samples != nullptr, max_frames == 2);
    const JavaValue thrown = env.take_exception();
    EXPECT_EQ(thrown ? thrown->class_name : "", max_frames == 2 ? "" : "java/lang/OutOfMemoryError");
  }
}

TEST_F(Jni, a_callback_ends_the_speech_by_its_answer_or_its_exception) {
  const std::vector<jshort> before = synthesize(engine_, request_for("Bonjour")).samples;
  int calls = 0;
  const Heard stopped = stream(engine_, request_for("Bonjour", 200),
                               [&](MockEnv&, std::span<const jshort>) { return static_cast<jboolean>(++calls < 2); });
  EXPECT_TRUE(stopped.finished("cancelled")) << stopped.report;
  EXPECT_EQ(calls, 2);
  calls = 0;
  const Heard failed = stream(engine_, request_for("Bonjour", 200), [&](MockEnv& env, std::span<const jshort>) {
    ++calls;
    env.throw_in_java(java_exception("java/io/IOException", "the speaker is gone"));
    return jboolean{JNI_TRUE};
  });
  EXPECT_EQ(failed.thrown(), "java/io/IOException");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(synthesize(engine_, request_for("Bonjour")).samples, before);
}

TEST_F(Jni, a_description_of_the_model_is_json_with_voices_and_languages) {
  MockEnv env;
  const std::string info = text_of(env.take(Java_com_kazeia_tts_TtsJni_nativeInfo(&env, nullptr, engine_)));
  for (const char* part : {"\"sampleRateHz\":24000", "\"samplesPerFrame\":1920", "\"numThreads\":1",
                           "\"voices\":[{\"name\":\"", "\"languages\":[\"", "\"version\":\""}) {
    EXPECT_NE(info.find(part), std::string::npos) << part << " in " << info;
  }
  EXPECT_EQ(text_of(env.take(Java_com_kazeia_tts_TtsJni_nativeVersion(&env, nullptr))), kz_version());
}

TEST_F(Jni, a_closed_engine_or_a_made_up_handle_is_an_exception) {
  const jlong closed = load_engine();
  free_engine(closed);
  const jlong next = load_engine();
  EXPECT_NE(next, closed) << "a handle is never used twice";
  for (const jlong handle : {closed, jlong{0}, jlong{-1}, jlong{0x7f00'dead'beef}}) {
    EXPECT_EQ(synthesize(handle, request_for("Bonjour")).thrown(), kIllegalState);
    EXPECT_EQ(stream(handle, request_for("Bonjour")).thrown(), kIllegalState);
    MockEnv env;
    EXPECT_EQ(Java_com_kazeia_tts_TtsJni_nativeInfo(&env, nullptr, handle), nullptr);
    EXPECT_EQ(env.take_exception()->class_name, kIllegalState);
    cancel_engine(handle);
    free_engine(handle);
  }
  EXPECT_EQ(synthesize(next, request_for("Bonjour")).thrown(), "");
  free_engine(next);
}

TEST_F(Jni, a_callback_may_ask_and_cancel_but_neither_speak_nor_close) {
  int calls = 0;
  const Heard heard = stream(engine_, request_for("Bonjour", 200), [&](MockEnv& env, std::span<const jshort>) {
    ++calls;
    EXPECT_EQ(synthesize(engine_, request_for("Bonjour")).thrown(), kIllegalState);
    Java_com_kazeia_tts_TtsJni_nativeFree(&env, nullptr, engine_);
    EXPECT_EQ(env.take_exception()->class_name, kIllegalState);
    EXPECT_NE(env.take(Java_com_kazeia_tts_TtsJni_nativeInfo(&env, nullptr, engine_)), nullptr);
    cancel_engine(engine_);
    return jboolean{JNI_TRUE};
  });
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(heard.finished("cancelled")) << heard.report;
}

}  // namespace
}  // namespace kazeia::test

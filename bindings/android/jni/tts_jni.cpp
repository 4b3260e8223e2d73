// The native functions of com.kazeia.tts.TtsJni, over the C API. TtsJni.kt says what each promises.
#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <vector>

#include "java.h"
#include "json.h"
#include "session.h"

namespace kazeia::jni {
namespace {

// Runs the body of a native function; no C++ exception reaches the virtual machine. `body` returns the function's
// value, which counts for nothing while a Java exception is pending.
template <class Body>
auto guarded(JNIEnv* env, const Body& body) noexcept -> decltype(body()) {
  using Value = decltype(body());
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(env);
  } catch (const std::exception& error) {
    throw_engine_error(env, KZ_INTERNAL, error.what());
  }
  return Value();
}

// As samples of 16 bits in files: [-1, 1] -> [-32767, 32767], rounded to nearest, louder ones clipped, NaN is silence.
int16_t to_s16(float sample) {
  if (std::isnan(sample)) return 0;
  if (sample <= -1.0F) return -32767;
  if (sample >= 1.0F) return 32767;
  return static_cast<int16_t>(std::lrintf(sample * 32767.0F));
}

// What a speaking call needs in the callback of the C API.
struct Listener {
  JNIEnv* env;
  const Call& call;
  jobject callback;                   // nullptr: the samples are kept
  std::vector<int16_t> samples = {};  // all of them, or those of one callback
  bool out_of_memory = false;
};

// A new short[]; nullptr: OutOfMemoryError is pending.
jshortArray to_shorts(JNIEnv* env, const std::vector<int16_t>& samples) {
  const auto size = static_cast<jsize>(samples.size());
  jshortArray shorts = env->NewShortArray(size);
  if (shorts != nullptr) env->SetShortArrayRegion(shorts, 0, size, samples.data());
  return shorts;
}

int on_audio(const float* samples, size_t num_samples, void* user_data) {
  Listener& listener = *static_cast<Listener*>(user_data);
  if (listener.call.cancelled()) return 0;
  std::vector<int16_t>& kept = listener.samples;
  try {
    if (listener.callback != nullptr) kept.clear();
    const size_t before = kept.size();
    kept.resize(before + num_samples);
    std::transform(samples, samples + num_samples, kept.begin() + static_cast<std::ptrdiff_t>(before), to_s16);
  } catch (const std::bad_alloc&) {
    listener.out_of_memory = true;
    return 0;
  }
  if (listener.callback == nullptr) return 1;
  const LocalRef<jshortArray> shorts(listener.env, to_shorts(listener.env, kept));
  return shorts.get() != nullptr && call_on_audio(listener.env, listener.callback, shorts.get());
}

struct Speech {
  kz_report report;
  std::vector<int16_t> samples;  // all, if there is no callback
};

void throw_closed(JNIEnv* env) { throw_illegal_state(env, "the engine is closed"); }

void throw_inside(JNIEnv* env) { throw_illegal_state(env, "called inside an audio callback of the same engine"); }

// What nativeSynthesize (callback: nullptr) and nativeStream share. False: an exception is pending.
bool speak(JNIEnv* env, jlong handle, jobject request, jobject callback, Speech& speech) {
  const std::shared_ptr<Session> session = SessionTable::instance().find(handle);
  if (session == nullptr) return throw_closed(env), false;
  if (Call::is_inside(*session)) return throw_inside(env), false;
  RequestValues values;
  if (!read_request(env, request, values)) return false;
  const Call call(session);
  if (!call.entered()) return throw_closed(env), false;
  Listener listener{.env = env, .call = call, .callback = callback};
  speech.report = {};
  speech.report.size = sizeof speech.report;
  const kz_status status = kz_synthesize(call.engine(), &values.request, on_audio, &listener, &speech.report);
  if (env->ExceptionCheck() != JNI_FALSE) return false;  // of the callback
  if (listener.out_of_memory) return throw_out_of_memory(env), false;
  if (status != KZ_OK) return throw_engine_error(env, status, kz_last_error()), false;
  speech.samples = std::move(listener.samples);
  return true;
}

}  // namespace
}  // namespace kazeia::jni

using namespace kazeia::jni;

extern "C" {

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  void* env = nullptr;
  if (vm->GetEnv(&env, JNI_VERSION_1_6) != JNI_OK) return JNI_ERR;
  return find_java_names(static_cast<JNIEnv*>(env)) ? JNI_VERSION_1_6 : JNI_ERR;
}

JNIEXPORT jbyteArray JNICALL Java_com_kazeia_tts_TtsJni_nativeVersion(JNIEnv* env, jclass) {
  return to_bytes(env, kz_version());
}

JNIEXPORT jlong JNICALL Java_com_kazeia_tts_TtsJni_nativeLoad(JNIEnv* env, jclass, jbyteArray model, jint num_threads,
                                                              jbyteArray placement) {
  return guarded(env, [&]() -> jlong {
    if (model == nullptr) return throw_null_pointer(env, "model"), 0;
    const std::string path = to_text(env, model);
    const std::string places = placement == nullptr ? std::string() : to_text(env, placement);
    kz_engine_options options{};
    options.size = sizeof options;
    options.model = path.c_str();
    options.num_threads = num_threads;
    options.placement = places.empty() ? nullptr : places.c_str();
    kz_engine* engine = nullptr;
    const kz_status status = kz_engine_load(&options, &engine);
    if (status != KZ_OK) return throw_engine_error(env, status, kz_last_error()), 0;
    return SessionTable::instance().add(std::make_shared<Session>(engine));
  });
}

JNIEXPORT void JNICALL Java_com_kazeia_tts_TtsJni_nativeFree(JNIEnv* env, jclass, jlong handle) {
  guarded(env, [&] {
    const std::shared_ptr<Session> known = SessionTable::instance().find(handle);
    if (known == nullptr) return;
    if (Call::is_inside(*known)) return throw_inside(env);
    const std::shared_ptr<Session> session = SessionTable::instance().remove(handle);
    if (session != nullptr) session->close();
  });
}

JNIEXPORT jbyteArray JNICALL Java_com_kazeia_tts_TtsJni_nativeInfo(JNIEnv* env, jclass, jlong handle) {
  return guarded(env, [&]() -> jbyteArray {
    const std::shared_ptr<Session> session = SessionTable::instance().find(handle);
    if (session == nullptr) return throw_closed(env), nullptr;
    const Call call(session);
    if (!call.entered()) return throw_closed(env), nullptr;
    const std::string json = info_json(call.engine());
    if (json.empty()) return throw_engine_error(env, KZ_INTERNAL, kz_last_error()), nullptr;
    return to_bytes(env, json);
  });
}

JNIEXPORT jshortArray JNICALL Java_com_kazeia_tts_TtsJni_nativeSynthesize(JNIEnv* env, jclass, jlong handle,
                                                                          jobject request, jobjectArray report_out) {
  return guarded(env, [&]() -> jshortArray {
    Speech speech;
    if (!speak(env, handle, request, /*callback=*/nullptr, speech)) return nullptr;
    if (report_out != nullptr) {
      const LocalRef<jbyteArray> report(env, to_bytes(env, report_json(speech.report)));
      if (report.get() == nullptr) return nullptr;
      env->SetObjectArrayElement(report_out, 0, report.get());
      if (env->ExceptionCheck() != JNI_FALSE) return nullptr;  // an array without elements
    }
    return to_shorts(env, speech.samples);
  });
}

JNIEXPORT jbyteArray JNICALL Java_com_kazeia_tts_TtsJni_nativeStream(JNIEnv* env, jclass, jlong handle, jobject request,
                                                                     jobject callback) {
  return guarded(env, [&]() -> jbyteArray {
    if (callback == nullptr) return throw_null_pointer(env, "callback"), nullptr;
    Speech speech;
    if (!speak(env, handle, request, callback, speech)) return nullptr;
    return to_bytes(env, report_json(speech.report));
  });
}

JNIEXPORT void JNICALL Java_com_kazeia_tts_TtsJni_nativeCancel(JNIEnv* env, jclass, jlong handle) {
  guarded(env, [&] {
    const std::shared_ptr<Session> session = SessionTable::instance().find(handle);
    if (session == nullptr) return;
    const Call call(session);  // keeps the engine alive
    if (call.entered()) session->cancel();
  });
}

}  // extern "C"

// The native functions as TtsJni.kt declares them, called as Java would, with values instead of references.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mock_jvm.h"

extern "C" {
JNIEXPORT jbyteArray JNICALL Java_com_kazeia_tts_TtsJni_nativeVersion(JNIEnv*, jclass);
JNIEXPORT jlong JNICALL Java_com_kazeia_tts_TtsJni_nativeLoad(JNIEnv*, jclass, jbyteArray, jint, jbyteArray);
JNIEXPORT void JNICALL Java_com_kazeia_tts_TtsJni_nativeFree(JNIEnv*, jclass, jlong);
JNIEXPORT jbyteArray JNICALL Java_com_kazeia_tts_TtsJni_nativeInfo(JNIEnv*, jclass, jlong);
JNIEXPORT jshortArray JNICALL Java_com_kazeia_tts_TtsJni_nativeSynthesize(JNIEnv*, jclass, jlong, jobject,
                                                                          jobjectArray);
JNIEXPORT jbyteArray JNICALL Java_com_kazeia_tts_TtsJni_nativeStream(JNIEnv*, jclass, jlong, jobject, jobject);
JNIEXPORT void JNICALL Java_com_kazeia_tts_TtsJni_nativeCancel(JNIEnv*, jclass, jlong);
}

namespace kazeia::test {

inline constexpr char kTinyModel[] = "random:tiny:f32";

struct Heard {
  std::vector<jshort> samples;
  std::string report;  // JSON
  JavaValue exception;
  size_t max_refs = 0;  // local references that existed at once

  std::string thrown() const { return exception ? exception->class_name : ""; }
  bool finished(const std::string& reason) const {
    return report.find("\"finishReason\":\"" + reason + "\"") != std::string::npos;
  }
};

using OnAudio = std::function<jboolean(MockEnv&, std::span<const jshort>)>;

// A NativeRequest with a fixed seed and a few frames.
inline JavaValue request_for(const std::string& text, jint max_frames = 5) {
  auto request = std::make_shared<JavaObject>();
  request->class_name = "com/kazeia/tts/NativeRequest";
  request->fields["text"] = java_bytes(text);
  request->fields["hasSeed"] = jboolean{JNI_TRUE};
  request->fields["seed"] = jlong{42};
  request->fields["maxFrames"] = max_frames;
  return request;
}

inline jlong load_engine(const std::string& model = kTinyModel, JavaValue* exception = nullptr) {
  EXPECT_EQ(load_library(KAZEIA_SOURCE_DIR "/bindings/android/kazeia/src/main/kotlin/com/kazeia/tts/TtsJni.kt"),
            JNI_VERSION_1_6);
  MockEnv env;
  const jlong handle = Java_com_kazeia_tts_TtsJni_nativeLoad(&env, nullptr, env.ref<jbyteArray>(java_bytes(model)),
                                                             /*num_threads=*/1, nullptr);
  const JavaValue thrown = env.take_exception();
  if (exception != nullptr) {
    *exception = thrown;
  } else {
    EXPECT_EQ(thrown ? thrown->message : "", "");
  }
  return handle;
}

inline void free_engine(jlong handle) {
  MockEnv env;
  Java_com_kazeia_tts_TtsJni_nativeFree(&env, nullptr, handle);
  EXPECT_FALSE(env.take_exception());
}

inline void cancel_engine(jlong handle) {
  MockEnv env;
  Java_com_kazeia_tts_TtsJni_nativeCancel(&env, nullptr, handle);
  EXPECT_FALSE(env.take_exception());
}

inline Heard synthesize(jlong handle, const JavaValue& request) {
  MockEnv env;
  auto reports = std::make_shared<JavaObject>();
  reports->elements.resize(1);
  const JavaValue samples = env.take(Java_com_kazeia_tts_TtsJni_nativeSynthesize(
      &env, nullptr, handle, env.ref(request), env.ref<jobjectArray>(reports)));
  Heard heard{.samples = samples ? samples->shorts : std::vector<jshort>(),
              .report = text_of(reports->elements[0]),
              .exception = env.take_exception(),
              .max_refs = env.max_refs()};
  EXPECT_EQ(samples == nullptr, heard.exception != nullptr);
  EXPECT_EQ(env.num_refs(), request ? 2U : 1U) << "references are left over";
  return heard;
}

// on_audio: may be empty; the samples are collected in any case.
inline Heard stream(jlong handle, const JavaValue& request, const OnAudio& on_audio = {}) {
  MockEnv env;
  Heard heard;
  auto callback = std::make_shared<JavaObject>();
  callback->on_audio = [&](std::span<const jshort> samples) {
    heard.samples.insert(heard.samples.end(), samples.begin(), samples.end());
    return on_audio ? on_audio(env, samples) : jboolean{JNI_TRUE};
  };
  const JavaValue report =
      env.take(Java_com_kazeia_tts_TtsJni_nativeStream(&env, nullptr, handle, env.ref(request), env.ref(callback)));
  heard.report = text_of(report);
  heard.exception = env.take_exception();
  heard.max_refs = env.max_refs();
  EXPECT_EQ(report == nullptr, heard.exception != nullptr);
  EXPECT_EQ(env.num_refs(), request ? 2U : 1U) << "references are left over";
  return heard;
}

}  // namespace kazeia::test

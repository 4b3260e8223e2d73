// The Java side as the native functions need it: its classes, exceptions, and values.
#pragma once
#include <jni.h>

#include <string>
#include <string_view>
#include <utility>

#include "kazeia/kazeia.h"

namespace kazeia::jni {

// A local reference that is given back at the end of its scope, so that loops don't pile them up.
template <class T>
class LocalRef {
 public:
  LocalRef(JNIEnv* env, T object) : env_(env), object_(object) {}
  ~LocalRef() {
    if (object_ != nullptr) env_->DeleteLocalRef(object_);
  }
  LocalRef(const LocalRef&) = delete;
  LocalRef& operator=(const LocalRef&) = delete;

  T get() const { return object_; }
  T release() { return std::exchange(object_, nullptr); }

 private:
  JNIEnv* env_;
  T object_;
};

// Finds the classes and their members once; false: an exception is pending, and the library can't be used.
bool find_java_names(JNIEnv* env);

// Each leaves an exception pending; the native function then returns at once.
void throw_engine_error(JNIEnv* env, kz_status status, std::string_view message_utf8);
void throw_illegal_state(JNIEnv* env, const char* ascii_message);
void throw_null_pointer(JNIEnv* env, const char* ascii_message);
void throw_out_of_memory(JNIEnv* env);

// Bytes of a text for the C API. Zero bytes, at which that would end, become spaces.
std::string to_text(JNIEnv* env, jbyteArray bytes);

// A new byte[]; nullptr: an exception is pending.
jbyteArray to_bytes(JNIEnv* env, std::string_view text);

// A kz_request with the texts that it points to.
struct RequestValues {
  kz_request request;
  std::string text, voice, language, instruct;
};

// From a NativeRequest; false: an exception is pending.
bool read_request(JNIEnv* env, jobject from, RequestValues& to);

// NativeAudioCallback.onAudio. An exception of the callback stays pending, and the answer is then false.
bool call_on_audio(JNIEnv* env, jobject callback, jshortArray samples);

}  // namespace kazeia::jni

// As much of a Java virtual machine as the native functions of libkazeia_tts use, so that they can be tested without
// one. Anything else ends the test, and so do the mistakes that a real machine forgives until it crashes: a reference
// used after it was deleted or on another thread, a call while an exception is pending.
#pragma once
#include <jni.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace kazeia::test {

// Any Java object; what it is decides which members mean something.
struct JavaObject {
  std::string class_name = {};
  std::vector<jbyte> bytes = {};    // byte[]
  std::vector<jshort> shorts = {};  // short[]
  std::vector<std::shared_ptr<JavaObject>> elements = {};
  std::map<std::string, std::variant<jint, jlong, jfloat, jboolean, std::shared_ptr<JavaObject>>> fields = {};
  std::function<jboolean(std::span<const jshort>)> on_audio = {};  // NativeAudioCallback
  jint code = 0;                                                   // TtsException
  std::string message = {};                                        // exceptions, in UTF-8
};
using JavaValue = std::shared_ptr<JavaObject>;  // empty: null

JavaValue java_bytes(const std::string& text);
JavaValue java_exception(const std::string& class_name, const std::string& message);
std::string text_of(const JavaValue& bytes);

// The JNIEnv of one thread. Local references live until its scope ends, as those of a native call from Java do.
class MockEnv : public JNIEnv_ {
 public:
  MockEnv();
  ~MockEnv();
  MockEnv(const MockEnv&) = delete;
  MockEnv& operator=(const MockEnv&) = delete;

  // A local reference for an argument of a native function; null for an empty value.
  template <class T = jobject>
  T ref(const JavaValue& value) {
    return static_cast<T>(new_ref(value));
  }
  // What a native function returned, with its reference given back.
  JavaValue take(jobject result);
  // The pending exception, and none is pending after that.
  JavaValue take_exception();

  void throw_in_java(const JavaValue& exception) { pending_ = exception; }
  size_t num_refs() const { return refs_.size(); }
  size_t max_refs() const { return max_refs_; }
  // From now on arrays of this many elements or more can't be made: OutOfMemoryError.
  void limit_arrays(jsize size) { array_limit_ = size; }

 private:
  friend struct JniFunctions;

  jobject new_ref(const JavaValue& value);
  JavaObject& object(jobject reference);  // of a live reference that is not null
  bool may_allocate(jsize size);

  std::set<struct MockRef*> refs_;
  size_t max_refs_ = 0;
  jsize array_limit_ = 0x7fffffff;
  JavaValue pending_;
};

// Calls JNI_OnLoad once for the process. Fields of NativeRequest exist as its Kotlin source declares them.
jint load_library(const std::string& kotlin_source);

}  // namespace kazeia::test

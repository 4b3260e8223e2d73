#include "mock_jvm.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <regex>
#include <utility>

namespace kazeia::test {

struct MockRef : _jobject {
  JavaValue value;
};

namespace {

// What jmethodID and jfieldID point to.
struct Member {
  std::string name, type;
};

std::mutex members_lock;
std::set<std::string> request_fields;  // "seed J"

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "mock_jvm: %s\n", what);
  std::abort();
}

[[noreturn]] void trap() { fail("a JNI function that the mock does not know was called"); }

MockEnv& mock(JNIEnv* env) { return *static_cast<MockEnv*>(env); }

const Member* member(const std::string& name, const std::string& type) {
  static std::map<std::string, Member>& all = *std::make_unique<std::map<std::string, Member>>().release();
  const std::lock_guard lock(members_lock);
  return &all.try_emplace(name + " " + type, Member{name, type}).first->second;
}

void read_request_fields(const std::string& kotlin_source) {
  std::ifstream file(kotlin_source);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::map<std::string, std::string> types = {
      {"ByteArray", "[B"}, {"Int", "I"}, {"Long", "J"}, {"Float", "F"}, {"Boolean", "Z"}};
  const std::regex declaration(R"(@JvmField\s+va[lr] (\w+): (\w+))");
  for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it) {
    request_fields.insert((*it)[1].str() + " " + types.at((*it)[2].str()));
  }
}

}  // namespace

// The functions of the table; JNIEnv_'s inline members call them.
struct JniFunctions {
  static MockEnv& ready(JNIEnv* env) {
    if (mock(env).pending_) fail("a JNI function was called while an exception was pending");
    return mock(env);
  }

  static jclass JNICALL find_class(JNIEnv* env, const char* name) {
    return static_cast<jclass>(ready(env).new_ref(std::make_shared<JavaObject>(JavaObject{.class_name = name})));
  }
  // Global references are for classes, and never given back.
  static jobject JNICALL new_global_ref(JNIEnv* env, jobject local) {
    static std::vector<std::unique_ptr<MockRef>>& globals =
        *std::make_unique<std::vector<std::unique_ptr<MockRef>>>().release();
    globals.push_back(std::make_unique<MockRef>());
    globals.back()->value = static_cast<MockRef*>(local)->value;
    ready(env);
    return globals.back().get();
  }
  static void JNICALL delete_local_ref(JNIEnv* env, jobject local) {
    auto* ref = static_cast<MockRef*>(local);
    if (mock(env).refs_.erase(ref) == 0) fail("a reference was deleted that is not one of this thread");
    delete ref;
  }
  static jmethodID JNICALL get_method_id(JNIEnv* env, jclass of, const char* name, const char* type) {
    ready(env);
    const std::string& class_name = static_cast<MockRef*>(static_cast<jobject>(of))->value->class_name;
    const std::string found = class_name + "." + name + type;
    if (found != "com/kazeia/tts/TtsException.<init>(I[B)V" &&
        found != "com/kazeia/tts/NativeAudioCallback.onAudio([S)Z") {
      fail(found.c_str());
    }
    return reinterpret_cast<jmethodID>(const_cast<Member*>(member(name, type)));
  }
  static jfieldID JNICALL get_field_id(JNIEnv* env, jclass, const char* name, const char* type) {
    if (!request_fields.contains(std::string(name) + " " + type)) {
      ready(env).pending_ = java_exception("java/lang/NoSuchFieldError", name);
      return nullptr;
    }
    return reinterpret_cast<jfieldID>(const_cast<Member*>(member(name, type)));
  }

  // The value of a field of type T; zero if the test has not set it.
  template <class T>
  static T field(JNIEnv* env, jobject object, jfieldID id) {
    JavaObject& from = ready(env).object(object);
    const auto it = from.fields.find(reinterpret_cast<Member*>(id)->name);
    return it == from.fields.end() ? T() : std::get<T>(it->second);
  }
  static jobject JNICALL get_object_field(JNIEnv* env, jobject object, jfieldID id) {
    return mock(env).new_ref(field<JavaValue>(env, object, id));
  }

  static jsize JNICALL get_array_length(JNIEnv* env, jarray array) {
    const JavaObject& object = ready(env).object(array);
    return static_cast<jsize>(std::max({object.bytes.size(), object.shorts.size(), object.elements.size()}));
  }
  static jbyteArray JNICALL new_byte_array(JNIEnv* env, jsize size) {
    if (!ready(env).may_allocate(size)) return nullptr;
    JavaObject object{.class_name = "[B", .bytes = std::vector<jbyte>(static_cast<size_t>(size))};
    return static_cast<jbyteArray>(mock(env).new_ref(std::make_shared<JavaObject>(std::move(object))));
  }
  static jshortArray JNICALL new_short_array(JNIEnv* env, jsize size) {
    if (!ready(env).may_allocate(size)) return nullptr;
    JavaObject object{.class_name = "[S", .shorts = std::vector<jshort>(static_cast<size_t>(size))};
    return static_cast<jshortArray>(mock(env).new_ref(std::make_shared<JavaObject>(std::move(object))));
  }
  template <class T>
  static std::span<T> region(std::vector<T>& all, jsize start, jsize size) {
    if (start < 0 || size < 0 || static_cast<size_t>(start) + static_cast<size_t>(size) > all.size()) {
      fail("a region outside the array");
    }
    return std::span(all).subspan(static_cast<size_t>(start), static_cast<size_t>(size));
  }
  static void JNICALL get_byte_region(JNIEnv* env, jbyteArray array, jsize start, jsize size, jbyte* to) {
    std::ranges::copy(region(ready(env).object(array).bytes, start, size), to);
  }
  static void JNICALL set_byte_region(JNIEnv* env, jbyteArray array, jsize start, jsize size, const jbyte* from) {
    const auto to = region(ready(env).object(array).bytes, start, size);
    std::copy_n(from, to.size(), to.begin());
  }
  static void JNICALL set_short_region(JNIEnv* env, jshortArray array, jsize start, jsize size, const jshort* from) {
    const auto to = region(ready(env).object(array).shorts, start, size);
    std::copy_n(from, to.size(), to.begin());
  }
  static void JNICALL set_element(JNIEnv* env, jobjectArray array, jsize index, jobject element) {
    JavaObject& object = ready(env).object(array);
    if (static_cast<size_t>(index) >= object.elements.size()) {
      mock(env).pending_ = java_exception("java/lang/ArrayIndexOutOfBoundsException", "");
      return;
    }
    object.elements[static_cast<size_t>(index)] = static_cast<MockRef*>(element)->value;
  }

  static jboolean JNICALL call_boolean(JNIEnv* env, jobject object, jmethodID, va_list arguments) {
    const auto samples = static_cast<MockRef*>(va_arg(arguments, jobject))->value;
    const auto callback = ready(env).object(object).on_audio;
    return callback(samples->shorts);
  }
  static jobject JNICALL new_object(JNIEnv* env, jclass of, jmethodID, va_list arguments) {
    JavaObject made{.class_name = static_cast<MockRef*>(static_cast<jobject>(of))->value->class_name};
    made.code = va_arg(arguments, jint);
    made.message = text_of(static_cast<MockRef*>(va_arg(arguments, jobject))->value);
    return ready(env).new_ref(std::make_shared<JavaObject>(std::move(made)));
  }
  static jint JNICALL throw_it(JNIEnv* env, jthrowable exception) {
    ready(env).pending_ = static_cast<MockRef*>(static_cast<jobject>(exception))->value;
    return JNI_OK;
  }
  static jint JNICALL throw_new(JNIEnv* env, jclass of, const char* message) {
    const auto& name = static_cast<MockRef*>(static_cast<jobject>(of))->value->class_name;
    ready(env).pending_ = java_exception(name, message);
    return JNI_OK;
  }
  static jboolean JNICALL exception_check(JNIEnv* env) { return mock(env).pending_ ? JNI_TRUE : JNI_FALSE; }

  static const JNINativeInterface_* table() {
    static const JNINativeInterface_ functions = [] {
      JNINativeInterface_ t{};
      void (*trap_pointer)() = trap;
      for (size_t i = 4; i < sizeof t / sizeof(void*); ++i) {  // the first four are reserved
        std::memcpy(reinterpret_cast<char*>(&t) + i * sizeof(void*), &trap_pointer, sizeof(void*));
      }
      t.FindClass = find_class;
      t.NewGlobalRef = new_global_ref;
      t.DeleteLocalRef = delete_local_ref;
      t.GetMethodID = get_method_id;
      t.GetFieldID = get_field_id;
      t.GetObjectField = get_object_field;
      t.GetIntField = field<jint>;
      t.GetLongField = field<jlong>;
      t.GetFloatField = field<jfloat>;
      t.GetBooleanField = field<jboolean>;
      t.GetArrayLength = get_array_length;
      t.NewByteArray = new_byte_array;
      t.NewShortArray = new_short_array;
      t.GetByteArrayRegion = get_byte_region;
      t.SetByteArrayRegion = set_byte_region;
      t.SetShortArrayRegion = set_short_region;
      t.SetObjectArrayElement = set_element;
      t.CallBooleanMethodV = call_boolean;
      t.NewObjectV = new_object;
      t.Throw = throw_it;
      t.ThrowNew = throw_new;
      t.ExceptionCheck = exception_check;
      return t;
    }();
    return &functions;
  }
};

JavaValue java_bytes(const std::string& text) {
  return std::make_shared<JavaObject>(JavaObject{.class_name = "[B", .bytes = {text.begin(), text.end()}});
}

JavaValue java_exception(const std::string& class_name, const std::string& message) {
  return std::make_shared<JavaObject>(JavaObject{.class_name = class_name, .message = message});
}

std::string text_of(const JavaValue& bytes) {
  return bytes ? std::string(bytes->bytes.begin(), bytes->bytes.end()) : "";
}

MockEnv::MockEnv() { functions = JniFunctions::table(); }

MockEnv::~MockEnv() {
  for (MockRef* ref : refs_) delete ref;
}

jobject MockEnv::new_ref(const JavaValue& value) {
  if (!value) return nullptr;
  auto ref = std::make_unique<MockRef>();
  ref->value = value;
  refs_.insert(ref.get());
  max_refs_ = std::max(max_refs_, refs_.size());
  return ref.release();
}

JavaObject& MockEnv::object(jobject reference) {
  auto* ref = static_cast<MockRef*>(reference);
  if (!refs_.contains(ref)) fail("a reference was used that is null, deleted or of another thread");
  return *ref->value;
}

bool MockEnv::may_allocate(jsize size) {
  if (size < array_limit_) return true;
  pending_ = java_exception("java/lang/OutOfMemoryError", "Java heap space");
  return false;
}

JavaValue MockEnv::take(jobject result) {
  if (result == nullptr) return nullptr;
  object(result);
  JavaValue value = static_cast<MockRef*>(result)->value;
  JniFunctions::delete_local_ref(this, result);
  return value;
}

JavaValue MockEnv::take_exception() { return std::exchange(pending_, nullptr); }

jint load_library(const std::string& kotlin_source) {
  static const jint version = [&] {
    read_request_fields(kotlin_source);
    MockEnv env;
    static MockEnv* const current = &env;
    JNIInvokeInterface_ functions{};
    functions.GetEnv = [](JavaVM*, void** out, jint) -> jint {
      *out = static_cast<JNIEnv*>(current);
      return JNI_OK;
    };
    JavaVM_ vm{&functions};
    return JNI_OnLoad(&vm, nullptr);
  }();
  return version;
}

}  // namespace kazeia::test

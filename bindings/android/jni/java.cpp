#include "java.h"

#include <algorithm>

namespace kazeia::jni {
namespace {

// Members of NativeRequest.
struct RequestFields {
  jfieldID text, voice, language, instruct;
  jfieldID text_feed, has_seed, seed, max_frames, silence_limit_ms;
  jfieldID talker_draw, talker_temperature, talker_top_k, talker_top_p, talker_repetition_penalty;
  jfieldID code_predictor_draw, code_predictor_temperature, code_predictor_top_k, code_predictor_top_p;
};

// Found in JNI_OnLoad, before any other native function can be called, and constant from then on.
struct JavaNames {
  jclass engine_error, illegal_state, null_pointer, out_of_memory;
  jmethodID new_engine_error, on_audio;
  RequestFields request;
};
JavaNames names;

struct FieldName {
  jfieldID RequestFields::*id;
  const char *name, *type;
};
constexpr FieldName kRequestFields[] = {
    {&RequestFields::text, "text", "[B"},
    {&RequestFields::voice, "voice", "[B"},
    {&RequestFields::language, "language", "[B"},
    {&RequestFields::instruct, "instruct", "[B"},
    {&RequestFields::text_feed, "textFeed", "I"},
    {&RequestFields::has_seed, "hasSeed", "Z"},
    {&RequestFields::seed, "seed", "J"},
    {&RequestFields::max_frames, "maxFrames", "I"},
    {&RequestFields::silence_limit_ms, "silenceLimitMs", "I"},
    {&RequestFields::talker_draw, "talkerDraw", "I"},
    {&RequestFields::talker_temperature, "talkerTemperature", "F"},
    {&RequestFields::talker_top_k, "talkerTopK", "I"},
    {&RequestFields::talker_top_p, "talkerTopP", "F"},
    {&RequestFields::talker_repetition_penalty, "talkerRepetitionPenalty", "F"},
    {&RequestFields::code_predictor_draw, "codePredictorDraw", "I"},
    {&RequestFields::code_predictor_temperature, "codePredictorTemperature", "F"},
    {&RequestFields::code_predictor_top_k, "codePredictorTopK", "I"},
    {&RequestFields::code_predictor_top_p, "codePredictorTopP", "F"},
};

// A class that stays: the ids of its members are valid as long as it is loaded.
jclass find_class(JNIEnv* env, const char* name) {
  const LocalRef<jclass> local(env, env->FindClass(name));
  return local.get() == nullptr ? nullptr : static_cast<jclass>(env->NewGlobalRef(local.get()));
}

// The text in a field; "" for null.
std::string text_field(JNIEnv* env, jobject object, jfieldID field) {
  const LocalRef<jbyteArray> bytes(env, static_cast<jbyteArray>(env->GetObjectField(object, field)));
  return bytes.get() == nullptr ? std::string() : to_text(env, bytes.get());
}

const char* null_if_empty(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

}  // namespace

bool find_java_names(JNIEnv* env) {
  names.engine_error = find_class(env, "com/kazeia/tts/TtsException");
  if (names.engine_error == nullptr) return false;
  names.new_engine_error = env->GetMethodID(names.engine_error, "<init>", "(I[B)V");
  if (names.new_engine_error == nullptr) return false;
  for (const auto& [found, name] : {std::pair{&names.illegal_state, "java/lang/IllegalStateException"},
                                    std::pair{&names.null_pointer, "java/lang/NullPointerException"},
                                    std::pair{&names.out_of_memory, "java/lang/OutOfMemoryError"}}) {
    *found = find_class(env, name);
    if (*found == nullptr) return false;
  }
  // Kept from being unloaded by a global reference each, as the classes above are.
  jclass callback = find_class(env, "com/kazeia/tts/NativeAudioCallback");
  if (callback == nullptr) return false;
  names.on_audio = env->GetMethodID(callback, "onAudio", "([S)Z");
  if (names.on_audio == nullptr) return false;
  jclass request = find_class(env, "com/kazeia/tts/NativeRequest");
  if (request == nullptr) return false;
  return std::all_of(std::begin(kRequestFields), std::end(kRequestFields), [&](const FieldName& field) {
    names.request.*field.id = env->GetFieldID(request, field.name, field.type);
    return names.request.*field.id != nullptr;
  });
}

// The message crosses as bytes, because the strings of JNI have another encoding than ours.
void throw_engine_error(JNIEnv* env, kz_status status, std::string_view message_utf8) {
  const LocalRef<jbyteArray> message(env, to_bytes(env, message_utf8));
  if (message.get() == nullptr) return;
  const LocalRef<jthrowable> error(
      env, static_cast<jthrowable>(
               env->NewObject(names.engine_error, names.new_engine_error, static_cast<jint>(status), message.get())));
  if (error.get() != nullptr) env->Throw(error.get());
}

void throw_illegal_state(JNIEnv* env, const char* ascii_message) { env->ThrowNew(names.illegal_state, ascii_message); }

void throw_null_pointer(JNIEnv* env, const char* ascii_message) { env->ThrowNew(names.null_pointer, ascii_message); }

void throw_out_of_memory(JNIEnv* env) { env->ThrowNew(names.out_of_memory, "native memory"); }

std::string to_text(JNIEnv* env, jbyteArray bytes) {
  std::string text(static_cast<size_t>(env->GetArrayLength(bytes)), '\0');
  static_assert(sizeof(jbyte) == sizeof(char));
  env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(text.size()), reinterpret_cast<jbyte*>(text.data()));
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

jbyteArray to_bytes(JNIEnv* env, std::string_view text) {
  const auto size = static_cast<jsize>(text.size());
  jbyteArray bytes = env->NewByteArray(size);
  if (bytes != nullptr) env->SetByteArrayRegion(bytes, 0, size, reinterpret_cast<const jbyte*>(text.data()));
  return bytes;
}

bool read_request(JNIEnv* env, jobject from, RequestValues& to) {
  const RequestFields& field = names.request;
  if (from == nullptr) {
    throw_null_pointer(env, "request");
    return false;
  }
  const LocalRef<jobject> text(env, env->GetObjectField(from, field.text));
  if (text.get() == nullptr) {
    throw_null_pointer(env, "request.text");
    return false;
  }
  to.text = to_text(env, static_cast<jbyteArray>(text.get()));
  to.voice = text_field(env, from, field.voice);
  to.language = text_field(env, from, field.language);
  to.instruct = text_field(env, from, field.instruct);
  kz_request& request = to.request;
  request = {};
  request.size = sizeof request;
  request.text = to.text.c_str();
  request.voice = null_if_empty(to.voice);
  request.language = null_if_empty(to.language);
  request.instruct = null_if_empty(to.instruct);
  request.text_feed = env->GetIntField(from, field.text_feed);
  request.has_seed = env->GetBooleanField(from, field.has_seed) != JNI_FALSE;
  request.seed = static_cast<uint64_t>(env->GetLongField(from, field.seed));
  request.max_frames = env->GetIntField(from, field.max_frames);
  request.silence_limit_ms = env->GetIntField(from, field.silence_limit_ms);
  request.talker.draw = env->GetIntField(from, field.talker_draw);
  request.talker.temperature = env->GetFloatField(from, field.talker_temperature);
  request.talker.top_k = env->GetIntField(from, field.talker_top_k);
  request.talker.top_p = env->GetFloatField(from, field.talker_top_p);
  request.talker.repetition_penalty = env->GetFloatField(from, field.talker_repetition_penalty);
  request.code_predictor.draw = env->GetIntField(from, field.code_predictor_draw);
  request.code_predictor.temperature = env->GetFloatField(from, field.code_predictor_temperature);
  request.code_predictor.top_k = env->GetIntField(from, field.code_predictor_top_k);
  request.code_predictor.top_p = env->GetFloatField(from, field.code_predictor_top_p);
  return true;
}

bool call_on_audio(JNIEnv* env, jobject callback, jshortArray samples) {
  const jboolean wants_more = env->CallBooleanMethod(callback, names.on_audio, samples);
  return env->ExceptionCheck() == JNI_FALSE && wants_more != JNI_FALSE;
}

}  // namespace kazeia::jni

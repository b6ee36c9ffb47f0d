#include <cstdint>

#include "jni_support.hpp"
#include "pycuda/text/nul.hpp"
#include "pycuda/text/utf8.hpp"

namespace pycuda_java {
namespace {

void append_utf8(std::string& text, char32_t point) {
    if (point < 0x80) {
        text += static_cast<char>(point);
        return;
    }
    const int trailing = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    constexpr unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    text += static_cast<char>(lead[trailing] | point >> (6 * trailing));
    for (int i = trailing - 1; i >= 0; --i) text += static_cast<char>(0x80 | (point >> (6 * i) & 0x3F));
}

}  // namespace

jstring to_java(JNIEnv* env, std::string_view text) {
    std::vector<jchar> units;
    units.reserve(text.size() + 1);
    for (std::size_t position = 0; position < text.size();) {
        char32_t point = pycuda::next_code_point(text, position);
        if (point < 0x10000) {
            units.push_back(static_cast<jchar>(point));
        } else {
            point -= 0x10000;
            units.push_back(static_cast<jchar>(0xD800 + (point >> 10)));
            units.push_back(static_cast<jchar>(0xDC00 + (point & 0x3FF)));
        }
    }
    return env->NewString(units.data(), static_cast<jsize>(units.size()));
}

std::string from_java(JNIEnv* env, jstring text) {
    const auto length = static_cast<std::size_t>(env->GetStringLength(text));
    std::vector<jchar> units(length + 1);  // data() of an empty one may be null
    env->GetStringRegion(text, 0, static_cast<jsize>(length), units.data());
    std::string result;
    result.reserve(length);
    for (std::size_t i = 0; i < length; ++i) {
        char32_t point = units[i];
        if (point >= 0xD800 && point < 0xDC00 && i + 1 < length && units[i + 1] >= 0xDC00 && units[i + 1] < 0xE000) {
            point = 0x10000 + ((point - 0xD800) << 10) + (units[++i] - 0xDC00u);
        } else if (point >= 0xD800 && point < 0xE000) {
            point = pycuda::replacement_character;
        }
        append_utf8(result, point);
    }
    return result;
}

bool has_no_null(JNIEnv* env, jobjectArray objects) {
    const jsize size = env->GetArrayLength(objects);
    for (jsize i = 0; i < size; ++i) {
        jobject element = env->GetObjectArrayElement(objects, i);
        if (!element) {
            if (jclass type = env->FindClass("java/lang/NullPointerException"))
                env->ThrowNew(type, ("element " + std::to_string(i) + " is null").c_str());
            return false;
        }
        env->DeleteLocalRef(element);
    }
    return true;
}

bool has_no_nul(JNIEnv* env, std::string_view text, const char* what) {
    try {
        pycuda::require_no_nul(text, what);
        return true;
    } catch (const std::invalid_argument& refusal) {
        throw_illegal_argument(env, refusal.what());
        return false;
    }
}

std::vector<std::string> from_java(JNIEnv* env, jobjectArray texts) {
    std::vector<std::string> result;
    const jsize size = env->GetArrayLength(texts);
    for (jsize i = 0; i < size; ++i) {
        auto text = static_cast<jstring>(env->GetObjectArrayElement(texts, i));
        result.push_back(from_java(env, text));
        env->DeleteLocalRef(text);
    }
    return result;
}

std::vector<unsigned char> from_java(JNIEnv* env, jbyteArray bytes) {
    std::vector<unsigned char> result(static_cast<std::size_t>(env->GetArrayLength(bytes)));
    env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(result.size()), reinterpret_cast<jbyte*>(result.data()));
    return result;
}

std::vector<jlong> from_java(JNIEnv* env, jlongArray values) {
    std::vector<jlong> result(static_cast<std::size_t>(env->GetArrayLength(values)));
    env->GetLongArrayRegion(values, 0, static_cast<jsize>(result.size()), result.data());
    return result;
}

jobjectArray to_java(JNIEnv* env, const std::vector<std::string>& texts) {
    jclass string_class = env->FindClass("java/lang/String");
    jobjectArray array =
        string_class ? env->NewObjectArray(static_cast<jsize>(texts.size()), string_class, nullptr) : nullptr;
    if (!array) return nullptr;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        jstring text = to_java(env, texts[i]);
        if (!text) return nullptr;
        env->SetObjectArrayElement(array, static_cast<jsize>(i), text);
        env->DeleteLocalRef(text);
    }
    return array;
}

jbyteArray to_java(JNIEnv* env, const std::vector<unsigned char>& bytes) {
    const auto size = static_cast<jsize>(bytes.size());
    jbyteArray array = env->NewByteArray(size);
    if (array) env->SetByteArrayRegion(array, 0, size, reinterpret_cast<const jbyte*>(bytes.data()));
    return array;
}

jintArray to_java(JNIEnv* env, const std::vector<jint>& values) {
    const auto size = static_cast<jsize>(values.size());
    jintArray array = env->NewIntArray(size);
    if (array) env->SetIntArrayRegion(array, 0, size, values.data());
    return array;
}

jlongArray to_java(JNIEnv* env, const std::vector<jlong>& values) {
    const auto size = static_cast<jsize>(values.size());
    jlongArray array = env->NewLongArray(size);
    if (array) env->SetLongArrayRegion(array, 0, size, values.data());
    return array;
}

jfloatArray to_java(JNIEnv* env, const std::vector<jfloat>& values) {
    const auto size = static_cast<jsize>(values.size());
    jfloatArray array = env->NewFloatArray(size);
    if (array) env->SetFloatArrayRegion(array, 0, size, values.data());
    return array;
}

}  // namespace pycuda_java

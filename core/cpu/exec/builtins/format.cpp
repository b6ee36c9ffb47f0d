#include "exec/builtins/format.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace cpu::exec {

namespace {

class Arguments {
public:
    explicit Arguments(std::span<const std::byte> bytes) : bytes_(bytes) {}
    template <class T>
    bool take(T& value) {
        at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        if (at_ + sizeof(T) > bytes_.size()) return false;
        std::memcpy(&value, bytes_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return true;
    }

private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

template <class T>
void append(std::string& out, const std::string& specification, T value) {
    const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
    if (length <= 0) return;
    const std::size_t start = out.size();
    out.resize(start + static_cast<std::size_t>(length) + 1);
    std::snprintf(out.data() + start, static_cast<std::size_t>(length) + 1, specification.c_str(), value);
    out.pop_back();
}

/// One conversion: its flags, width and precision with `*` replaced, and its kind.
struct Conversion {
    std::string prefix;  ///< "%-08.3"
    int longs = 0, shorts = 0;
    char kind = 0;
    std::size_t end = 0;
};

/// The limit of a width or precision, so that a kernel cannot fill the host's memory.
constexpr int widest = 99999;

std::string limited(std::string_view digits) {
    const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
    if (digits.size() - zeros <= 5) return std::string(digits);
    return std::string(digits.substr(0, zeros)) + std::to_string(widest);
}

bool read_conversion(std::string_view format, std::size_t at, Arguments& arguments, Conversion& c) {
    c.prefix = "%";
    for (++at; at < format.size() && std::strchr("-+ #0123456789.*", format[at]); ++at) {
        if (format[at] == '*') {
            int number = 0;
            if (!arguments.take(number)) return false;
            c.prefix += std::to_string(std::clamp(number, -widest, widest));
        } else if (format[at] >= '0' && format[at] <= '9') {
            const std::size_t end = std::min(format.find_first_not_of("0123456789", at), format.size());
            c.prefix += limited(format.substr(at, end - at));
            at = end - 1;
        } else {
            c.prefix += format[at];
        }
    }
    for (; at < format.size() && std::strchr("hljztL", format[at]); ++at)
        if (format[at] == 'h')
            ++c.shorts;
        else if (format[at] != 'L')
            ++c.longs;
    if (at >= format.size()) return false;
    c.kind = format[at];
    c.end = at + 1;
    return true;
}

bool convert(std::string& out, const Conversion& c, Arguments& arguments,
             const std::function<std::string(std::uint64_t)>& text) {
    switch (c.kind) {
        case 'd':
        case 'i':
        case 'u':
        case 'x':
        case 'X':
        case 'o': {
            if (c.longs) {
                long long value;
                if (!arguments.take(value)) return false;
                append(out, c.prefix + "ll" + c.kind, value);
            } else {
                int value;
                if (!arguments.take(value)) return false;
                append(out, c.prefix + std::string("hh", std::min(c.shorts, 2)) + c.kind, value);
            }
            return true;
        }
        case 'c': {
            int value;
            if (!arguments.take(value)) return false;
            append(out, c.prefix + c.kind, value);
            return true;
        }
        case 'f':
        case 'F':
        case 'e':
        case 'E':
        case 'g':
        case 'G':
        case 'a':
        case 'A': {
            double value;
            if (!arguments.take(value)) return false;
            append(out, c.prefix + c.kind, value);
            return true;
        }
        case 's':
        case 'p': {
            std::uint64_t value;
            if (!arguments.take(value)) return false;
            if (c.kind == 's')
                append(out, c.prefix + c.kind, text(value).c_str());
            else
                append(out, c.prefix + c.kind, reinterpret_cast<const void*>(value));
            return true;
        }
        default:
            return false;
    }
}

}  // namespace

std::string format_text(std::string_view format, std::span<const std::byte> bytes,
                        const std::function<std::string(std::uint64_t)>& text, int& count) {
    Arguments arguments(bytes);
    std::string out;
    count = 0;
    for (std::size_t at = 0; at < format.size();) {
        if (format[at] != '%') {
            out += format[at++];
            continue;
        }
        if (at + 1 < format.size() && format[at + 1] == '%') {
            out += '%';
            at += 2;
            continue;
        }
        Conversion c;
        if (read_conversion(format, at, arguments, c) && convert(out, c, arguments, text)) {
            ++count;
            at = c.end;
        } else {
            out += format[at++];
        }
    }
    return out;
}

}  // namespace cpu::exec

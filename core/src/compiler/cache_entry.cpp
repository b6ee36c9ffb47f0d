#include "compiler/cache_entry.hpp"

#include <cstring>

#include "compiler/blake2b.hpp"

namespace pycuda {

namespace {

constexpr std::string_view magic = "pycuda compiler cache 1\n";
constexpr std::size_t checksum_chars = 64;

class Writer {
public:
    std::string text;
    void number(std::uint64_t value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); }
    void string(std::string_view value) {
        number(value.size());
        text += value;
    }
    void strings(const std::vector<std::string>& values) {
        number(values.size());
        for (const std::string& value : values) string(value);
    }
};

/// Reads what Writer wrote. Once `failed` is set, the values read are invalid.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}
    bool failed = false;

    std::uint64_t number() {
        std::uint64_t value = 0;
        if (rest_.size() < sizeof value) {
            failed = true;
            return 0;
        }
        std::memcpy(&value, rest_.data(), sizeof value);
        rest_.remove_prefix(sizeof value);
        return value;
    }
    std::string string() {
        const std::uint64_t length = number();
        if (length > rest_.size()) {
            failed = true;
            return {};
        }
        std::string value(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return value;
    }
    /// The number of items that follow, each of at least one number: a corrupted count cannot request absurd memory.
    std::uint64_t count() {
        const std::uint64_t n = number();
        failed |= n > rest_.size() / sizeof n;
        return failed ? 0 : n;
    }
    std::vector<std::string> strings() {
        std::vector<std::string> values(count());
        for (std::string& value : values) value = string();
        return values;
    }

private:
    std::string_view rest_;
};

}  // namespace

std::string serialize(const CacheEntry& entry) {
    Writer body;
    for (const std::string* text : {&entry.name, &entry.kind, &entry.arch, &entry.backend, &entry.compiler})
        body.string(*text);
    body.strings(entry.command_line);
    body.strings(entry.lowered_names);
    body.number(entry.dependencies.files.size());
    for (const Dependency& file : entry.dependencies.files) {
        body.number(static_cast<std::uint64_t>(file.kind));
        body.string(file.path);
        body.string(file.hash);
        body.number(file.stamp.nbytes);
        body.number(static_cast<std::uint64_t>(file.stamp.mtime_ns));
        body.number(file.stamp.inode);
    }
    body.strings(entry.dependencies.absent);
    body.string(entry.image);
    return std::string(magic) + blake2b_hex(body.text) + body.text;
}

std::optional<CacheEntry> parse_cache_entry(std::string_view text) {
    if (!text.starts_with(magic) || text.size() < magic.size() + checksum_chars) return {};
    const std::string_view checksum = text.substr(magic.size(), checksum_chars);
    const std::string_view body = text.substr(magic.size() + checksum_chars);
    if (blake2b_hex(body) != checksum) return {};
    Reader reader(body);
    CacheEntry entry;
    for (std::string* field : {&entry.name, &entry.kind, &entry.arch, &entry.backend, &entry.compiler})
        *field = reader.string();
    entry.command_line = reader.strings();
    entry.lowered_names = reader.strings();
    entry.dependencies.files.resize(reader.count());
    for (Dependency& file : entry.dependencies.files) {
        file.kind = static_cast<Dependency::Kind>(reader.number());
        file.path = reader.string();
        file.hash = reader.string();
        file.stamp.nbytes = reader.number();
        file.stamp.mtime_ns = static_cast<std::int64_t>(reader.number());
        file.stamp.inode = reader.number();
    }
    entry.dependencies.absent = reader.strings();
    entry.image = reader.string();
    if (reader.failed) return {};
    return entry;
}

}  // namespace pycuda

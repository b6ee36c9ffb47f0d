#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace exec_test {

/// A parameter block, packed as a driver packs it. Objects with an address() are passed as that address.
class Arguments {
public:
    template <class... T>
    explicit Arguments(const T&... values) {
        (add(values), ...);
    }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    template <class T>
    void add(const T& value) {
        if constexpr (requires { value.address(); }) {
            add(value.address());
        } else {
            bytes_.resize((bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T) + sizeof(T));
            std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
        }
    }
    std::vector<std::byte> bytes_;
};

}  // namespace exec_test

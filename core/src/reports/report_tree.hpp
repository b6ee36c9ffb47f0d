#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda {

/// A tree of named values that can be shown to people and to programs.
class ReportNode {
public:
    /// Add a named child and return it.
    ReportNode& section(const std::string& name);
    void add(const std::string& name, const std::string& text);
    void add(const std::string& name, const char* text) { add(name, std::string(text)); }
    void add(const std::string& name, std::int64_t number);
    void add(const std::string& name, std::same_as<bool> auto truth) {
        add_raw(name, truth ? "true" : "false", truth ? "yes" : "no");
    }
    void add(const std::string& name, const std::vector<std::string>& texts);

    /// The value of a nested child as text; empty if there is none.
    std::string at(std::initializer_list<std::string_view> names) const;

    /// Indented lines "name: value".
    std::string text(int indent = 0) const;
    std::string json(int indent = 0) const;

private:
    void add_raw(const std::string& name, std::string json, std::string text);

    std::string name_;
    std::string json_;  ///< the value's JSON; empty for a section
    std::string text_;
    std::vector<ReportNode> children_;
};

}  // namespace pycuda

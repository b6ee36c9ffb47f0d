#include "reports/report_tree.hpp"

#include <algorithm>
#include <cstdio>

namespace pycuda {

namespace {

std::string json_string(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            quoted += escape;
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

/// Indent lines after the first by `indent` blanks.
std::string hang(const std::string& text, int indent) {
    std::string result;
    for (const char c : text) {
        result += c;
        if (c == '\n') result.append(static_cast<std::size_t>(indent), ' ');
    }
    return result;
}

}  // namespace

ReportNode& ReportNode::section(const std::string& name) {
    children_.emplace_back().name_ = name;
    return children_.back();
}

void ReportNode::add_raw(const std::string& name, std::string json, std::string text) {
    ReportNode& child = section(name);
    child.json_ = std::move(json);
    child.text_ = std::move(text);
}

void ReportNode::add(const std::string& name, const std::string& text) {
    add_raw(name, json_string(text), text);
}

void ReportNode::add(const std::string& name, std::int64_t number) {
    add_raw(name, std::to_string(number), std::to_string(number));
}

void ReportNode::add(const std::string& name, const std::vector<std::string>& texts) {
    std::string json, text;
    for (const std::string& item : texts) {
        json += (json.empty() ? "" : ", ") + json_string(item);
        text += (text.empty() ? "" : "\n") + item;
    }
    add_raw(name, "[" + json + "]", texts.empty() ? "none" : text);
}

std::string ReportNode::at(std::initializer_list<std::string_view> names) const {
    const ReportNode* node = this;
    for (const std::string_view name : names) {
        const auto child = std::find_if(node->children_.begin(), node->children_.end(),
                                        [&](const ReportNode& one) { return one.name_ == name; });
        if (child == node->children_.end()) return {};
        node = &*child;
    }
    return node->text_;
}

std::string ReportNode::text(int indent) const {
    std::string lines;
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    for (const ReportNode& child : children_) {
        lines += margin + child.name_ + ":";
        if (child.json_.empty())
            lines += "\n" + child.text(indent + 2);
        else if (child.text_.find('\n') != std::string::npos)
            lines += "\n" + margin + "  " + hang(child.text_, indent + 2) + "\n";
        else
            lines += " " + child.text_ + "\n";
    }
    return lines;
}

std::string ReportNode::json(int indent) const {
    std::string members;
    const std::string margin(static_cast<std::size_t>(indent) + 2, ' ');
    for (const ReportNode& child : children_)
        members += (members.empty() ? "\n" : ",\n") + margin + json_string(child.name_) + ": " +
                   (child.json_.empty() ? child.json(indent + 2) : child.json_);
    return "{" + members + "\n" + std::string(static_cast<std::size_t>(indent), ' ') + "}";
}

}  // namespace pycuda

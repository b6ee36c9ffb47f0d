#include "ptx/scopes.hpp"

namespace cpu::ptx {
namespace {

constexpr std::size_t max_ranges = 1024;

}  // namespace

void Scopes::open(Function& function) {
    if (depth() == 0) labels_.clear();
    function_ = &function;
    scopes_.emplace_back();
}

void Scopes::close() {
    Scope closing = std::move(scopes_.back());
    scopes_.pop_back();
    if (depth() == 0) return;
    for (const auto& [name, id] : closing.labels) {
        if (labels_[id].target != none || labels_[id].same_as != none) continue;
        const auto [outer, added] = scopes_.back().labels.try_emplace(name, id);
        if (!added) labels_[id].same_as = outer->second;
    }
}

bool Scopes::declare(std::string_view name, Symbol symbol) {
    return scopes_.back().names.try_emplace(name, symbol).second;
}

bool Scopes::declare_at_module(std::string_view name, Symbol symbol) {
    return scopes_.front().names.try_emplace(name, symbol).second;
}

bool Scopes::declare_registers(std::string_view prefix, std::uint64_t count, Type type) {
    if (scopes_.back().ranges.size() == max_ranges) return false;
    scopes_.back().ranges.push_back({prefix, count, type});
    return true;
}

const Symbol* Scopes::find_in_ranges(Scope& scope, std::string_view name) {
    for (const Range& range : scope.ranges) {
        if (!name.starts_with(range.prefix)) continue;
        const std::string_view digits = name.substr(range.prefix.size());
        if (digits.empty() || digits.size() > 10 || (digits[0] == '0' && digits.size() > 1)) continue;
        std::uint64_t number = 0;
        bool is_number = true;
        for (const char c : digits) {
            is_number = is_number && c >= '0' && c <= '9';
            number = number * 10 + static_cast<unsigned>(c - '0');
        }
        if (!is_number || number >= range.count) continue;
        const auto id = static_cast<RegisterId>(function_->registers.size());
        function_->registers.push_back({std::string(name), range.type});
        return &(scope.names[name] = {Symbol::Kind::Register, 1, id});
    }
    return nullptr;
}

const Symbol* Scopes::find(std::string_view name) {
    for (std::size_t i = scopes_.size(); i-- > 0;) {
        const auto found = scopes_[i].names.find(name);
        if (found != scopes_[i].names.end()) return &found->second;
        if (const Symbol* symbol = find_in_ranges(scopes_[i], name)) return symbol;
    }
    return nullptr;
}

const Symbol* Scopes::find_at_module(std::string_view name) const {
    const auto found = scopes_.front().names.find(name);
    return found == scopes_.front().names.end() ? nullptr : &found->second;
}

std::uint32_t Scopes::use_label(std::string_view name, std::uint32_t line) {
    const auto [entry, added] = scopes_.back().labels.try_emplace(name, static_cast<std::uint32_t>(labels_.size()));
    if (added) labels_.push_back({name, line});
    return entry->second;
}

bool Scopes::declare_label(std::string_view name, std::uint32_t target) {
    LabelRecord& label = labels_[use_label(name, 0)];
    if (label.target != none) return false;
    label.target = target;
    return true;
}

std::vector<std::uint32_t> Scopes::resolve_labels(Function& function, MissingLabel& missing) {
    std::vector<std::uint32_t> final_ids(labels_.size(), none);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
        if (labels_[i].same_as != none) continue;
        if (labels_[i].target == none) {
            missing = {labels_[i].name, labels_[i].line};
            return {};
        }
        final_ids[i] = static_cast<std::uint32_t>(function.labels.size());
        function.labels.push_back({std::string(labels_[i].name), labels_[i].target});
    }
    for (std::size_t i = 0; i < labels_.size(); ++i) {
        std::size_t root = i;
        while (labels_[root].same_as != none) root = labels_[root].same_as;  // as many steps as scopes are nested
        final_ids[i] = final_ids[root];
    }
    return final_ids;
}

}  // namespace cpu::ptx

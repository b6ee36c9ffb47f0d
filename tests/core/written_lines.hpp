#pragma once

#include <ostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace pycuda::test {

/// A matcher of texts in which lines match these regular expressions, in this order; others may lie between them.
/// GoogleTest's own expressions have neither groups nor ranges on Windows.
class WrittenLines {
public:
    using is_gtest_matcher = void;
    explicit WrittenLines(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}

    bool MatchAndExplain(const std::string& text, std::ostream*) const {
        std::istringstream lines(text);
        std::size_t found = 0;
        for (std::string line; found < patterns_.size() && std::getline(lines, line);) {
            if (line.ends_with('\r')) line.pop_back();
            if (std::regex_match(line, std::regex(patterns_[found]))) ++found;
        }
        return found == patterns_.size();
    }
    void DescribeTo(std::ostream* out) const { describe("has in order: ", out); }
    void DescribeNegationTo(std::ostream* out) const { describe("does not have in order: ", out); }

private:
    void describe(const char* begin, std::ostream* out) const {
        *out << begin;
        for (const std::string& pattern : patterns_) *out << pattern << '\n';
    }
    std::vector<std::string> patterns_;
};

/// A matcher of texts of at most one line, which begins so.
class NothingButALine {
public:
    using is_gtest_matcher = void;
    explicit NothingButALine(std::string begin) : begin_(std::move(begin)) {}

    bool MatchAndExplain(const std::string& text, std::ostream*) const {
        return text.empty() || (text.starts_with(begin_) && text.find('\n') + 1 == text.size());
    }
    void DescribeTo(std::ostream* out) const { *out << "is empty, or one line that begins with " << begin_; }
    void DescribeNegationTo(std::ostream* out) const { *out << "is more than one line that begins with " << begin_; }

private:
    std::string begin_;
};

}  // namespace pycuda::test

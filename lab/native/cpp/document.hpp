// A small JSON reader, so that every program loads its structures in the same way.
//
// Separate from the libraries under test: loading needs none of them and is not timed. It reads valid
// documents and throws std::runtime_error for others. It keeps what the structures need: unsigned
// integers, strings, booleans, null, arrays and objects; other numbers stay text. Used by
// structures.hpp.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {

struct Value {
    enum class Kind { null, truth, number, text, array, object };
    Kind kind = Kind::null;
    bool truth = false;
    std::string text; // the text of a string, or of a number as written
    std::vector<Value> items;
    std::vector<std::pair<std::string, Value>> members;

    const Value &operator[](std::string_view name) const {
        for (const auto &member : members) {
            if (member.first == name) return member.second;
        }
        throw std::runtime_error("no member " + std::string(name));
    }
    std::uint64_t integer() const {
        if (kind != Kind::number) throw std::runtime_error("expected an integer");
        std::size_t end = 0;
        const auto found = std::stoull(text, &end);
        if (end != text.size() || text[0] == '-') {
            throw std::runtime_error("expected an integer without a sign, found " + text);
        }
        return found;
    }
};

class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    Value document() {
        Value found = value();
        space();
        if (at_ != text_.size()) fail("nothing more");
        return found;
    }

  private:
    std::string_view text_;
    std::size_t at_ = 0;

    [[noreturn]] void fail(const std::string &expected) const {
        throw std::runtime_error("expected " + expected + " at byte " + std::to_string(at_));
    }
    void space() {
        while (at_ < text_.size() && std::strchr(" \n\r\t", text_[at_]) && text_[at_]) ++at_;
    }
    bool taken(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    Value value() {
        space();
        Value found;
        if (taken("null")) return found;
        if (text_.substr(at_, 1) == "t" || text_.substr(at_, 1) == "f") {
            found.kind = Value::Kind::truth;
            found.truth = taken("true");
            if (!found.truth && !taken("false")) fail("a value");
        } else if (taken("\"")) {
            found.kind = Value::Kind::text;
            found.text = string();
        } else if (taken("[")) {
            found.kind = Value::Kind::array;
            elements(']', [&] { found.items.push_back(value()); });
        } else if (taken("{")) {
            found.kind = Value::Kind::object;
            elements('}', [&] {
                space();
                if (!taken("\"")) fail("a name");
                std::string name = string();
                space();
                if (!taken(":")) fail("a colon");
                found.members.emplace_back(std::move(name), value());
            });
        } else {
            found.kind = Value::Kind::number;
            const std::size_t start = at_;
            while (at_ < text_.size() && std::strchr("+-.0123456789eE", text_[at_]) && text_[at_]) ++at_;
            found.text = text_.substr(start, at_ - start);
            if (found.text.empty()) fail("a value");
        }
        return found;
    }
    template <class One> void elements(char end, One one) {
        const std::string_view last(&end, 1);
        space();
        if (taken(last)) return;
        do {
            one();
            space();
        } while (taken(","));
        if (!taken(last)) fail("a comma or the end");
    }
    // The rest of a string after its opening quote.
    std::string string() {
        std::string found;
        while (at_ < text_.size()) {
            const char one = text_[at_++];
            if (one == '"') return found;
            if (one != '\\') {
                found += one;
                continue;
            }
            if (at_ == text_.size()) break;
            const char kind = text_[at_++];
            static constexpr char kinds[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
            if (const char *place = kind ? std::strchr(kinds, kind) : nullptr) {
                found += meant[place - kinds];
            } else if (kind == 'u') {
                std::uint32_t point = unit();
                if (point >> 10 == 0x36 && taken("\\u")) {
                    point = 0x10000 + ((point & 0x3ff) << 10) + (unit() & 0x3ff);
                }
                append(found, point);
            } else {
                fail("an escape");
            }
        }
        fail("a quote");
    }
    std::uint32_t unit() {
        if (text_.size() - at_ < 4) fail("four digits");
        const auto point = std::stoul(std::string(text_.substr(at_, 4)), nullptr, 16);
        at_ += 4;
        return static_cast<std::uint32_t>(point);
    }
    static void append(std::string &to, std::uint32_t point) {
        const auto low = [&](int shift) { return char(0x80 | ((point >> shift) & 0x3f)); };
        if (point < 0x80) {
            to += char(point);
        } else if (point < 0x800) {
            to += {char(0xc0 | (point >> 6)), low(0)};
        } else if (point < 0x10000) {
            to += {char(0xe0 | (point >> 12)), low(6), low(0)};
        } else {
            to += {char(0xf0 | (point >> 18)), low(12), low(6), low(0)};
        }
    }
};

} // namespace lab

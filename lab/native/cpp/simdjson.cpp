// simdjson: its string builder fed by the structure (4.0 and newer), and its DOM serialised again.
//
// The seed's fastest row is this builder with C++26 reflection, which generates the calls below. No
// compiler here supports it, so the calls are written by hand.
#include <memory>
#include <simdjson.h>

#include "program.hpp"

// The include guard of the header that introduced the builder.
#ifdef SIMDJSON_BUILDER_H
#define LAB_HAS_BUILDER 1
#else
#define LAB_HAS_BUILDER 0
#endif

namespace lab {

#if LAB_HAS_BUILDER
using simdjson::builder::string_builder;

static void write(string_builder &to, std::uint64_t value) { to.append(value); }
static void write(string_builder &to, bool value) { to.append(value); }
static void write(string_builder &to, const std::string &value) {
    to.escape_and_append_with_quotes(std::string_view(value));
}
static void write(string_builder &to, const std::optional<std::string> &value) {
    if (value) {
        write(to, *value);
    } else {
        to.append_null();
    }
}
template <class T> void write(string_builder &to, const std::vector<T> &values);
template <class T> void write(string_builder &to, const std::map<std::string, T> &values);

// The name with its quotes is a compile-time constant; `LAB_FIRST` also opens the object.
#define LAB_TEXT(text) to.append_raw(text, sizeof text - 1)
#define LAB_FIRST(name) LAB_TEXT("{\"" #name "\":"), write(to, from.name)
#define LAB_MEMBER(name) LAB_TEXT(",\"" #name "\":"), write(to, from.name)

static void write(string_builder &to, const User &from) {
    LAB_FIRST(id), LAB_MEMBER(name), LAB_MEMBER(screen_name), LAB_MEMBER(location);
    LAB_MEMBER(description), LAB_MEMBER(verified), LAB_MEMBER(followers_count);
    LAB_MEMBER(friends_count), LAB_MEMBER(statuses_count), to.end_object();
}
static void write(string_builder &to, const Status &from) {
    LAB_FIRST(created_at), LAB_MEMBER(id), LAB_MEMBER(text), LAB_MEMBER(user);
    LAB_MEMBER(retweet_count), LAB_MEMBER(favorite_count), to.end_object();
}
static void write(string_builder &to, const TwitterData &from) {
    LAB_FIRST(statuses), to.end_object();
}
static void write(string_builder &to, const Price &from) {
    LAB_FIRST(amount), LAB_MEMBER(audienceSubCategoryId), LAB_MEMBER(seatCategoryId);
    to.end_object();
}
static void write(string_builder &to, const Area &from) {
    LAB_FIRST(areaId), LAB_MEMBER(blockIds), to.end_object();
}
static void write(string_builder &to, const SeatCategory &from) {
    LAB_FIRST(areas), LAB_MEMBER(seatCategoryId), to.end_object();
}
static void write(string_builder &to, const Performance &from) {
    LAB_FIRST(eventId), LAB_MEMBER(id), LAB_MEMBER(logo), LAB_MEMBER(name), LAB_MEMBER(prices);
    LAB_MEMBER(seatCategories), LAB_MEMBER(seatMapImage), LAB_MEMBER(start), LAB_MEMBER(venueCode);
    to.end_object();
}
static void write(string_builder &to, const Event &from) {
    LAB_FIRST(description), LAB_MEMBER(id), LAB_MEMBER(logo), LAB_MEMBER(name);
    LAB_MEMBER(subTopicIds), LAB_MEMBER(subjectCode), LAB_MEMBER(subtitle), LAB_MEMBER(topicIds);
    to.end_object();
}
static void write(string_builder &to, const CitmCatalog &from) {
    LAB_FIRST(events), LAB_MEMBER(performances), to.end_object();
}
#undef LAB_TEXT
#undef LAB_FIRST
#undef LAB_MEMBER

template <class T> void write(string_builder &to, const std::vector<T> &values) {
    to.start_array();
    bool first = true;
    for (const T &value : values) {
        if (!first) to.append_comma();
        first = false;
        write(to, value);
    }
    to.end_array();
}

template <class T> void write(string_builder &to, const std::map<std::string, T> &values) {
    to.start_object();
    bool first = true;
    for (const auto &[name, value] : values) {
        if (!first) to.append_comma();
        first = false;
        write(to, name);
        to.append_colon();
        write(to, value);
    }
    to.end_object();
}

static void finish(string_builder &from, Sink &sink) {
    std::string_view text;
    if (from.view().get(text)) throw std::runtime_error("simdjson's builder failed");
    sink.take(text.data(), text.size());
}

static Call builder_call(const Given &given) {
    return for_structure(given, [&](const auto &data) -> Call {
        if (!given.reused) {
            return [&data](Sink &sink) {
                string_builder builder;
                write(builder, data);
                finish(builder, sink);
            };
        }
        return [&data, builder = std::make_shared<string_builder>()](Sink &sink) {
            builder->clear();
            write(*builder, data);
            finish(*builder, sink);
        };
    });
}
#else
static Call builder_call(const Given &) { return {}; }
#endif

// No structure is involved: the document is parsed beforehand, and its tape is serialised.
static Call dom_call(const Given &given) {
    auto parser = std::make_shared<simdjson::dom::parser>();
    const simdjson::dom::element tree = parser->parse(given.document);
    return [parser, tree](Sink &sink) {
        const std::string text = simdjson::minify(tree);
        sink.take(text.data(), text.size());
    };
}

} // namespace lab

int main(int count, char **arguments) {
    std::map<std::string, std::string> no_builder;
    if (!LAB_HAS_BUILDER) no_builder[""] = "the string builder came with simdjson 4.0";
    const auto version = std::to_string(simdjson::SIMDJSON_VERSION_MAJOR) + "." +
                         std::to_string(simdjson::SIMDJSON_VERSION_MINOR) + "." +
                         std::to_string(simdjson::SIMDJSON_VERSION_REVISION);
    return lab::program(
        count, arguments,
        {{"simdjson builder (C++)",
          version,
          "string_builder fed by the structure, names rendered before: what its C++26 reflection "
          "would write",
          no_builder,
          lab::builder_call},
         {"simdjson DOM (C++)",
          version,
          "minify() of a document parsed before: not from the structure",
          {{"reused", "minify() always returns a new string"}},
          lab::dom_call}});
}

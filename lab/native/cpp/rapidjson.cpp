// RapidJSON, in both of its ways: a Writer fed by the structure, and a Document built from it first, as
// in the seed.
#include <memory>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "program.hpp"

namespace lab {

using rapidjson::StringBuffer;
using Writer = rapidjson::Writer<StringBuffer>;
using Pool = rapidjson::MemoryPoolAllocator<>;

static rapidjson::SizeType length(std::size_t size) { return rapidjson::SizeType(size); }

// Both ways iterate over the members of a structure with `members(structure, take)`.
#define LAB_MEMBER(name) take(#name, from.name)
template <class Take> void members(const User &from, Take take) {
    LAB_MEMBER(id), LAB_MEMBER(name), LAB_MEMBER(screen_name), LAB_MEMBER(location);
    LAB_MEMBER(description), LAB_MEMBER(verified), LAB_MEMBER(followers_count);
    LAB_MEMBER(friends_count), LAB_MEMBER(statuses_count);
}
template <class Take> void members(const Status &from, Take take) {
    LAB_MEMBER(created_at), LAB_MEMBER(id), LAB_MEMBER(text), LAB_MEMBER(user);
    LAB_MEMBER(retweet_count), LAB_MEMBER(favorite_count);
}
template <class Take> void members(const TwitterData &from, Take take) { LAB_MEMBER(statuses); }
template <class Take> void members(const Price &from, Take take) {
    LAB_MEMBER(amount), LAB_MEMBER(audienceSubCategoryId), LAB_MEMBER(seatCategoryId);
}
template <class Take> void members(const Area &from, Take take) {
    LAB_MEMBER(areaId), LAB_MEMBER(blockIds);
}
template <class Take> void members(const SeatCategory &from, Take take) {
    LAB_MEMBER(areas), LAB_MEMBER(seatCategoryId);
}
template <class Take> void members(const Performance &from, Take take) {
    LAB_MEMBER(eventId), LAB_MEMBER(id), LAB_MEMBER(logo), LAB_MEMBER(name), LAB_MEMBER(prices);
    LAB_MEMBER(seatCategories), LAB_MEMBER(seatMapImage), LAB_MEMBER(start), LAB_MEMBER(venueCode);
}
template <class Take> void members(const Event &from, Take take) {
    LAB_MEMBER(description), LAB_MEMBER(id), LAB_MEMBER(logo), LAB_MEMBER(name);
    LAB_MEMBER(subTopicIds), LAB_MEMBER(subjectCode), LAB_MEMBER(subtitle), LAB_MEMBER(topicIds);
}
template <class Take> void members(const CitmCatalog &from, Take take) {
    LAB_MEMBER(events), LAB_MEMBER(performances);
}
#undef LAB_MEMBER

// Directly into a writer.
struct Events {
    Writer &to;

    void operator()(std::uint64_t value) { to.Uint64(value); }
    void operator()(bool value) { to.Bool(value); }
    void operator()(const std::string &value) { to.String(value.data(), length(value.size())); }
    void operator()(const std::optional<std::string> &value) {
        if (value) {
            (*this)(*value);
        } else {
            to.Null();
        }
    }
    template <class T> void operator()(const std::vector<T> &values) {
        to.StartArray();
        for (const T &value : values) (*this)(value);
        to.EndArray();
    }
    template <class T> void operator()(const std::map<std::string, T> &values) {
        to.StartObject();
        for (const auto &[name, value] : values) {
            to.Key(name.data(), length(name.size()));
            (*this)(value);
        }
        to.EndObject();
    }
    template <class T> void operator()(const T &record) {
        to.StartObject();
        members(record, [this](const auto &name, const auto &value) {
            to.Key(name, length(sizeof name - 1));
            (*this)(value);
        });
        to.EndObject();
    }
};

// Into a tree, which refers to strings and names instead of copying them.
struct Tree {
    Pool &pool;
    using Node = rapidjson::Value;

    Node operator()(std::uint64_t value) { return Node(value); }
    Node operator()(bool value) { return Node(value); }
    Node operator()(const std::string &value) {
        return Node(rapidjson::StringRef(value.data(), value.size()));
    }
    Node operator()(const std::optional<std::string> &value) {
        return value ? (*this)(*value) : Node();
    }
    template <class T> Node operator()(const std::vector<T> &values) {
        Node made(rapidjson::kArrayType);
        made.Reserve(length(values.size()), pool);
        for (const T &value : values) made.PushBack((*this)(value), pool);
        return made;
    }
    template <class T> Node operator()(const std::map<std::string, T> &values) {
        Node made(rapidjson::kObjectType);
        for (const auto &[name, value] : values) {
            made.AddMember((*this)(name), (*this)(value), pool);
        }
        return made;
    }
    template <class T> Node operator()(const T &record) {
        Node made(rapidjson::kObjectType);
        members(record, [&](const auto &name, const auto &value) {
            made.AddMember(rapidjson::StringRef(name), (*this)(value), pool);
        });
        return made;
    }
};

template <class T> void by_events(const T &data, StringBuffer &to) {
    Writer writer(to);
    Events{writer}(data);
}

template <class T> void by_tree(const T &data, StringBuffer &to, Pool &pool) {
    const rapidjson::Value tree = Tree{pool}(data);
    Writer writer(to);
    tree.Accept(writer);
}

static Call writer_call(const Given &given) {
    return for_structure(given, [&](const auto &data) -> Call {
        if (!given.reused) {
            return [&data](Sink &sink) {
                StringBuffer buffer;
                by_events(data, buffer);
                sink.take(buffer.GetString(), buffer.GetSize());
            };
        }
        return [&data, buffer = std::make_shared<StringBuffer>()](Sink &sink) {
            buffer->Clear();
            by_events(data, *buffer);
            sink.take(buffer->GetString(), buffer->GetSize());
        };
    });
}

static Call tree_call(const Given &given) {
    return for_structure(given, [&](const auto &data) -> Call {
        if (!given.reused) {
            return [&data](Sink &sink) {
                StringBuffer buffer;
                Pool pool;
                by_tree(data, buffer, pool);
                sink.take(buffer.GetString(), buffer.GetSize());
            };
        }
        // Clearing the pool frees all blocks except the first, so the first one is large.
        auto block = std::make_shared<std::vector<char>>(std::size_t(16) << 20);
        return [&data, block, pool = std::make_shared<Pool>(block->data(), block->size()),
                buffer = std::make_shared<StringBuffer>()](Sink &sink) {
            buffer->Clear();
            pool->Clear();
            by_tree(data, *buffer, *pool);
            sink.take(buffer->GetString(), buffer->GetSize());
        };
    });
}

} // namespace lab

int main(int count, char **arguments) {
    return lab::program(
        count, arguments,
        {{"RapidJSON (C++)",
          RAPIDJSON_VERSION_STRING,
          "a Writer fed by the structure, into a StringBuffer",
          {},
          lab::writer_call},
         {"RapidJSON DOM (C++)",
          RAPIDJSON_VERSION_STRING,
          "as the seed did: a Document is made of the structure, strings referred to, then written; "
          "reused: StringBuffer and the document's memory",
          {},
          lab::tree_call}});
}

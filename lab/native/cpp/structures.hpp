// Twitter and CITM catalog, with the structures of the fourth seed: the same members in the same order
// as in ../src/structures.rs. Reading skips members that a structure does not declare.
//
// Separate from the programs because all of them write these structures.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "document.hpp"

namespace lab {

struct User {
    std::uint64_t id;
    std::string name, screen_name, location, description;
    bool verified;
    std::uint64_t followers_count, friends_count, statuses_count;
};

struct Status {
    std::string created_at;
    std::uint64_t id;
    std::string text;
    User user;
    std::uint64_t retweet_count, favorite_count;
};

struct TwitterData {
    std::vector<Status> statuses;
};

struct Price {
    std::uint64_t amount, audienceSubCategoryId, seatCategoryId;
};

struct Area {
    std::uint64_t areaId;
    std::vector<std::uint64_t> blockIds;
};

struct SeatCategory {
    std::vector<Area> areas;
    std::uint64_t seatCategoryId;
};

struct Performance {
    std::uint64_t eventId, id;
    std::optional<std::string> logo, name;
    std::vector<Price> prices;
    std::vector<SeatCategory> seatCategories;
    std::optional<std::string> seatMapImage;
    std::uint64_t start;
    std::string venueCode;
};

struct Event {
    std::optional<std::string> description;
    std::uint64_t id;
    std::optional<std::string> logo;
    std::string name;
    std::vector<std::uint64_t> subTopicIds;
    std::optional<std::string> subjectCode, subtitle;
    std::vector<std::uint64_t> topicIds;
};

struct CitmCatalog {
    std::map<std::string, Event> events;
    std::vector<Performance> performances;
};

inline void read(const Value &from, std::uint64_t &to) { to = from.integer(); }

inline void read(const Value &from, bool &to) {
    if (from.kind != Value::Kind::truth) throw std::runtime_error("expected true or false");
    to = from.truth;
}

inline void read(const Value &from, std::string &to) {
    if (from.kind != Value::Kind::text) throw std::runtime_error("expected a string");
    to = from.text;
}

inline void read(const Value &from, std::optional<std::string> &to) {
    to.reset();
    if (from.kind != Value::Kind::null) read(from, to.emplace());
}

template <class T> void read(const Value &from, std::vector<T> &to);
template <class T> void read(const Value &from, std::map<std::string, T> &to);

#define LAB_MEMBER(member) read(from[#member], to.member)

inline void read(const Value &from, User &to) {
    LAB_MEMBER(id), LAB_MEMBER(name), LAB_MEMBER(screen_name), LAB_MEMBER(location);
    LAB_MEMBER(description), LAB_MEMBER(verified), LAB_MEMBER(followers_count);
    LAB_MEMBER(friends_count), LAB_MEMBER(statuses_count);
}

inline void read(const Value &from, Status &to) {
    LAB_MEMBER(created_at), LAB_MEMBER(id), LAB_MEMBER(text), LAB_MEMBER(user);
    LAB_MEMBER(retweet_count), LAB_MEMBER(favorite_count);
}

inline void read(const Value &from, TwitterData &to) { LAB_MEMBER(statuses); }

inline void read(const Value &from, Price &to) {
    LAB_MEMBER(amount), LAB_MEMBER(audienceSubCategoryId), LAB_MEMBER(seatCategoryId);
}

inline void read(const Value &from, Area &to) { LAB_MEMBER(areaId), LAB_MEMBER(blockIds); }

inline void read(const Value &from, SeatCategory &to) {
    LAB_MEMBER(areas), LAB_MEMBER(seatCategoryId);
}

inline void read(const Value &from, Performance &to) {
    LAB_MEMBER(eventId), LAB_MEMBER(id), LAB_MEMBER(logo), LAB_MEMBER(name), LAB_MEMBER(prices);
    LAB_MEMBER(seatCategories), LAB_MEMBER(seatMapImage), LAB_MEMBER(start), LAB_MEMBER(venueCode);
}

inline void read(const Value &from, Event &to) {
    LAB_MEMBER(description), LAB_MEMBER(id), LAB_MEMBER(logo), LAB_MEMBER(name);
    LAB_MEMBER(subTopicIds), LAB_MEMBER(subjectCode), LAB_MEMBER(subtitle), LAB_MEMBER(topicIds);
}

inline void read(const Value &from, CitmCatalog &to) {
    LAB_MEMBER(events), LAB_MEMBER(performances);
}

#undef LAB_MEMBER

template <class T> void read(const Value &from, std::vector<T> &to) {
    if (from.kind != Value::Kind::array) throw std::runtime_error("expected an array");
    to.resize(from.items.size());
    for (std::size_t index = 0; index < to.size(); ++index) read(from.items[index], to[index]);
}

template <class T> void read(const Value &from, std::map<std::string, T> &to) {
    if (from.kind != Value::Kind::object) throw std::runtime_error("expected an object");
    to.clear();
    for (const auto &member : from.members) read(member.second, to[member.first]);
}

} // namespace lab

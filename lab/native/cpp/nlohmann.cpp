// nlohmann/json: the library's macro builds a tree of values from the structure, then dump().
#include <nlohmann/json.hpp>

#include "program.hpp"

// The macro needs both directions for types that it does not know.
namespace nlohmann {
template <> struct adl_serializer<std::optional<std::string>> {
    static void to_json(json &to, const std::optional<std::string> &from) {
        if (from) {
            to = *from;
        } else {
            to = nullptr;
        }
    }
    static void from_json(const json &from, std::optional<std::string> &to) {
        to.reset();
        if (!from.is_null()) to = from.get<std::string>();
    }
};
} // namespace nlohmann

namespace lab {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(User, id, name, screen_name, location, description, verified,
                                   followers_count, friends_count, statuses_count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Status, created_at, id, text, user, retweet_count,
                                   favorite_count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TwitterData, statuses)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Price, amount, audienceSubCategoryId, seatCategoryId)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Area, areaId, blockIds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SeatCategory, areas, seatCategoryId)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Performance, eventId, id, logo, name, prices, seatCategories,
                                   seatMapImage, start, venueCode)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Event, description, id, logo, name, subTopicIds, subjectCode,
                                   subtitle, topicIds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CitmCatalog, events, performances)

static Call call(const Given &given) {
    return for_structure(given, [](const auto &data) -> Call {
        return [&data](Sink &sink) {
            const std::string text = nlohmann::json(data).dump();
            sink.take(text.data(), text.size());
        };
    });
}

static std::string version() {
    return std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." +
           std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." +
           std::to_string(NLOHMANN_JSON_VERSION_PATCH);
}

} // namespace lab

int main(int count, char **arguments) {
    return lab::program(count, arguments,
                        {{"nlohmann/json (C++)",
                          lab::version(),
                          "a tree is made of the structure by the library's macro, then dump(); members sorted "
                          "by name",
                          {{"reused", "dump() always returns a new string"}},
                          lab::call}});
}

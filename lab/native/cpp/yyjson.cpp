// yyjson: builds a mutable document from the structure without copying strings, then writes it.
#include <cstdlib>
#include <memory>
#include <yyjson.h>

#include "program.hpp"

namespace lab {

struct Maker {
    yyjson_mut_doc *document;

    yyjson_mut_val *operator()(std::uint64_t value) { return yyjson_mut_uint(document, value); }
    yyjson_mut_val *operator()(bool value) { return yyjson_mut_bool(document, value); }
    yyjson_mut_val *operator()(const std::string &value) {
        return yyjson_mut_strn(document, value.data(), value.size());
    }
    yyjson_mut_val *operator()(const std::optional<std::string> &value) {
        return value ? (*this)(*value) : yyjson_mut_null(document);
    }
    template <class T> yyjson_mut_val *operator()(const std::vector<T> &values) {
        yyjson_mut_val *made = yyjson_mut_arr(document);
        for (const T &value : values) yyjson_mut_arr_append(made, (*this)(value));
        return made;
    }
    template <class T> yyjson_mut_val *operator()(const std::map<std::string, T> &values) {
        yyjson_mut_val *made = yyjson_mut_obj(document);
        for (const auto &[name, value] : values) {
            yyjson_mut_obj_add(made, (*this)(name), (*this)(value));
        }
        return made;
    }
    // A name that is a literal, so its length is a compile-time constant.
    template <std::size_t size, class T>
    void member(yyjson_mut_val *to, const char (&name)[size], const T &value) {
        yyjson_mut_obj_add(to, yyjson_mut_strn(document, name, size - 1), (*this)(value));
    }
#define LAB_MEMBER(name) member(made, #name, from.name)
    yyjson_mut_val *operator()(const User &from) {
        yyjson_mut_val *made = yyjson_mut_obj(document);
        LAB_MEMBER(id), LAB_MEMBER(name), LAB_MEMBER(screen_name), LAB_MEMBER(location);
        LAB_MEMBER(description), LAB_MEMBER(verified), LAB_MEMBER(followers_count);
        LAB_MEMBER(friends_count), LAB_MEMBER(statuses_count);
        return made;
    }
    yyjson_mut_val *operator()(const Status &from) {
        yyjson_mut_val *made = yyjson_mut_obj(document);
        LAB_MEMBER(created_at), LAB_MEMBER(id), LAB_MEMBER(text), LAB_MEMBER(user);
        LAB_MEMBER(retweet_count), LAB_MEMBER(favorite_count);
        return made;
    }
    yyjson_mut_val *operator()(const TwitterData &from) {
        yyjson_mut_val *made = yyjson_mut_obj(document);
        LAB_MEMBER(statuses);
        return made;
    }
    yyjson_mut_val *operator()(const Price &from) {
        yyjson_mut_val *made = yyjson_mut_obj(document);
        LAB_MEMBER(amount), LAB_MEMBER(audienceSubCategoryId), LAB_MEMBER(seatCategoryId);
        return made;
    }
    yyjson_mut_val *operator()(const Area &from) {
        yyjson_mut_val *made = yyjson_mut_obj(document);
        LAB_MEMBER(areaId), LAB_MEMBER(blockIds);
        return made;
    }
    yyjson_mut_val *operator()(const SeatCategory &from) {
        yyjson_mut_val *made = yyjson_mut_obj(document);
        LAB_MEMBER(areas), LAB_MEMBER(seatCategoryId);
        return made;
    }
    yyjson_mut_val *operator()(const Performance &from) {
        yyjson_mut_val *made = yyjson_mut_obj(document);
        LAB_MEMBER(eventId), LAB_MEMBER(id), LAB_MEMBER(logo), LAB_MEMBER(name);
        LAB_MEMBER(prices), LAB_MEMBER(seatCategories), LAB_MEMBER(seatMapImage);
        LAB_MEMBER(start), LAB_MEMBER(venueCode);
        return made;
    }
    yyjson_mut_val *operator()(const Event &from) {
        yyjson_mut_val *made = yyjson_mut_obj(document);
        LAB_MEMBER(description), LAB_MEMBER(id), LAB_MEMBER(logo), LAB_MEMBER(name);
        LAB_MEMBER(subTopicIds), LAB_MEMBER(subjectCode), LAB_MEMBER(subtitle);
        LAB_MEMBER(topicIds);
        return made;
    }
    yyjson_mut_val *operator()(const CitmCatalog &from) {
        yyjson_mut_val *made = yyjson_mut_obj(document);
        LAB_MEMBER(events), LAB_MEMBER(performances);
        return made;
    }
#undef LAB_MEMBER
};

// `memory` allocates the document and the text; null means malloc.
template <class T> void write(const T &data, const yyjson_alc *memory, Sink &sink) {
    yyjson_mut_doc *document = yyjson_mut_doc_new(memory);
    yyjson_mut_doc_set_root(document, Maker{document}(data));
    std::size_t size = 0;
    char *text = yyjson_mut_write_opts(document, YYJSON_WRITE_NOFLAG, memory, &size, nullptr);
    if (!text) throw std::runtime_error("yyjson wrote nothing");
    sink.take(text, size);
    if (memory) {
        memory->free(memory->ctx, text);
    } else {
        std::free(text);
    }
    yyjson_mut_doc_free(document);
}

static Call call(const Given &given) {
    std::shared_ptr<yyjson_alc> memory;
    if (given.reused) memory = {yyjson_alc_dyn_new(), yyjson_alc_dyn_free};
    return for_structure(given, [&](const auto &data) -> Call {
        return [&data, memory](Sink &sink) { write(data, memory.get(), sink); };
    });
}

} // namespace lab

int main(int count, char **arguments) {
    return lab::program(count, arguments,
                        {{"yyjson (C)",
                          YYJSON_VERSION_STRING,
                          "a mutable document is made of the structure, then written; reused: both "
                          "in the memory of one dynamic allocator",
                          {},
                          lab::call}});
}

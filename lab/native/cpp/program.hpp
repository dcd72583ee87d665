// The program around a library: measures one sample of one contender and prints it as a line of JSON.
//
// Separate from the files of the libraries, which contain only the timed code. Arguments, output and
// timing are those of ../src/main.rs and ../src/stopwatch.rs:
//
//     PROGRAM --list
//     PROGRAM --contender NAME --structure twitter|citm --buffer fresh|reused
//         --document FILE [--seconds 0.3] [--values 5] [--output FILE]
//
// The file of a library passes a table of `Way`s to `program`.
#pragma once

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "structures.hpp"

#ifdef __clang__
#define LAB_COMPILER __VERSION__
#else
#define LAB_COMPILER "GCC " __VERSION__
#endif

namespace lab {

// Takes the result of a call: prevents the compiler from removing the work, and keeps the text if
// `keeps` is set.
struct Sink {
    std::size_t bytes = 0;
    bool keeps = false;
    std::string text;

    void take(const char *data, std::size_t size) {
        asm volatile("" : : "r"(data) : "memory");
        bytes = size;
        if (keeps) text.assign(data, size);
    }
};

using Call = std::function<void(Sink &)>;

// The document, and the structure read from it: `is_twitter` says which of the two is filled.
struct Given {
    bool reused = false;
    bool is_twitter = false;
    std::string document;
    TwitterData twitter;
    CitmCatalog citm;
};

// One contender. `call` may keep references into its argument. `unable` says why a contender has no
// row, by "fresh" or "reused", or by "" for both.
struct Way {
    std::string name, version, note;
    std::map<std::string, std::string> unable;
    std::function<Call(const Given &)> call;
};

// The call for the selected structure, from a function template over structures.
template <class Make> Call for_structure(const Given &given, Make make) {
    return given.is_twitter ? make(given.twitter) : make(given.citm);
}

inline std::string in_quotes(std::string_view text) {
    std::string found(1, '"');
    for (const char one : text) {
        if (one == '"' || one == '\\') found += '\\';
        found += one;
    }
    return found + '"';
}

inline void list(const std::vector<Way> &ways) {
    for (const auto &way : ways) {
        std::string unable;
        for (const auto &[buffer, reason] : way.unable) {
            unable += (unable.empty() ? "" : ",") + in_quotes(buffer) + ":" + in_quotes(reason);
        }
        std::cout << "{\"contender\":" << in_quotes(way.name) << ",\"version\":" << in_quotes(way.version)
                  << ",\"note\":" << in_quotes(way.note + "; compiled by " LAB_COMPILER ", -O3")
                  << ",\"unable\":{" << unable << "}}\n";
    }
}

inline void sample(const std::vector<Way> &ways, const std::map<std::string, std::string> &given) {
    const auto required = [&](const char *name) {
        const auto found = given.find(name);
        if (found == given.end()) throw std::runtime_error(std::string(name) + " is missing");
        return found->second;
    };
    const auto number = [&](const char *name, double otherwise) {
        return given.count(name) ? std::stod(given.at(name)) : otherwise;
    };
    const std::string name = required("--contender"), buffer = required("--buffer");
    const std::string structure = required("--structure"), path = required("--document");
    if (buffer != "fresh" && buffer != "reused") {
        throw std::runtime_error("--buffer: expected fresh or reused, found " + buffer);
    }
    if (structure != "twitter" && structure != "citm") {
        throw std::runtime_error("--structure: expected twitter or citm, found " + structure);
    }
    const double seconds = number("--seconds", 0.3), values = number("--values", 5);
    if (!(seconds > 0 && seconds < 3600 && values >= 1)) {
        throw std::runtime_error("--seconds and --values: expected more than none");
    }
    const Way *way = nullptr;
    for (const auto &one : ways) {
        if (one.name == name) way = &one;
    }
    if (!way) throw std::runtime_error("--contender: no " + name + " here, see --list");
    for (const std::string &why : {std::string(), buffer}) {
        if (way->unable.count(why)) throw std::runtime_error(way->unable.at(why));
    }

    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot open " + path);
    Given data;
    data.reused = buffer == "reused";
    data.is_twitter = structure == "twitter";
    data.document.assign(std::istreambuf_iterator<char>(file), {});
    const Value whole = Reader(data.document).document();
    if (data.is_twitter) {
        read(whole, data.twitter);
    } else {
        read(whole, data.citm);
    }

    const Call call = way->call(data);
    Sink sink;
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    const auto begin = Clock::now();
    std::size_t warmups = 0;
    while (warmups < 3 || since(begin) < seconds / 10) {
        call(sink);
        ++warmups;
    }
    const double each = since(begin) / double(warmups);
    const auto loops = std::max(std::size_t(1), std::size_t(seconds / values / each));
    std::string times;
    for (int value = 0; value < int(values); ++value) {
        const auto start = Clock::now();
        for (std::size_t loop = 0; loop < loops; ++loop) call(sink);
        char text[40];
        std::snprintf(text, sizeof text, "%.3f", since(start) * 1e9 / double(loops));
        times += (times.empty() ? "" : ",") + std::string(text);
    }
    const auto bytes = sink.bytes;
    if (given.count("--output")) {
        sink.keeps = true;
        call(sink);
        std::ofstream(given.at("--output"), std::ios::binary) << sink.text;
    }
    std::cout << "{\"contender\":" << in_quotes(way->name) << ",\"version\":" << in_quotes(way->version)
              << ",\"bytes\":" << bytes << ",\"loops\":" << loops << ",\"warmups\":" << warmups
              << ",\"times\":[" << times << "]}\n";
}

inline int program(int count, char **arguments, const std::vector<Way> &ways) {
    try {
        std::map<std::string, std::string> given;
        for (int index = 1; index < count; index += 2) {
            if (std::string(arguments[index]) == "--list") {
                list(ways);
                return 0;
            }
            if (index + 1 == count) {
                throw std::runtime_error(std::string("a value must follow ") + arguments[index]);
            }
            given[arguments[index]] = arguments[index + 1];
        }
        sample(ways, given);
    } catch (const std::exception &error) {
        std::cerr << arguments[0] << ": " << error.what() << '\n';
        return 64;
    }
    return 0;
}

} // namespace lab

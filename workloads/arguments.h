// SPDX-License-Identifier: Apache-2.0
// Command line of a workload: --name VALUE or --name=VALUE, numbers only, --help. This file does not use
// CUDA: --help and wrong arguments work on a machine without any accelerator.
#pragma once

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace workload {

class Arguments {
public:
  Arguments(char const* program, char const* purpose) : program_(program), purpose_(purpose) {}

  // The variable's current value is the default that --help shows; the variable must outlive parse().
  Arguments& number(char const* name, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
                    char const* help) {
    options_.push_back({name, help, &value, nullptr, static_cast<double>(low), static_cast<double>(high),
                        std::to_string(value), std::to_string(low), std::to_string(high)});
    return *this;
  }

  Arguments& real(char const* name, double& value, double low, double high, char const* help) {
    options_.push_back({name, help, nullptr, &value, low, high, shown(value), shown(low), shown(high)});
    return *this;
  }

  // Exits with 0 after --help, with 2 (and the valid arguments on stderr) for an unknown argument.
  void parse(int argc, char** argv) const {
    for (int i = 1; i < argc; ++i) {
      std::string name = argv[i];
      if (name == "--help" || name == "-h") {
        usage(stdout);
        std::exit(0);
      }
      std::string value;
      std::size_t const equals = name.find('=');
      bool const joined = equals != std::string::npos;
      if (joined) {
        value = name.substr(equals + 1);
        name.resize(equals);
      }
      Option const* option = find(name);
      if (!option) reject("unknown argument '" + name + "'");
      if (!joined) {
        if (i + 1 == argc) reject(name + " needs a value");
        value = argv[++i];
      }
      if (!assign(*option, value))
        reject(name + " takes a number from " + option->low_text + " to " + option->high_text + ", not '" +
               value + "'");
    }
  }

private:
  struct Option {
    char const* name;
    char const* help;
    std::uint64_t* whole; // exactly one of the two pointers is set
    double* real;
    double low, high;
    std::string default_text, low_text, high_text;
  };

  static std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
  }

  Option const* find(std::string const& name) const {
    for (Option const& option : options_)
      if (name == option.name) return &option;
    return nullptr;
  }

  static bool assign(Option const& option, std::string const& text) {
    if (text.empty() || std::strspn(text.c_str(), "0123456789.eE+-") != text.size()) return false;
    char* end = nullptr;
    errno = 0;
    if (option.whole) {
      if (text.find('-') != std::string::npos) return false; // strtoull would wrap a negative number
      unsigned long long const parsed = std::strtoull(text.c_str(), &end, 10);
      if (errno || *end || static_cast<double>(parsed) < option.low ||
          static_cast<double>(parsed) > option.high)
        return false;
      *option.whole = parsed;
      return true;
    }
    double const parsed = std::strtod(text.c_str(), &end);
    if (errno || *end || !std::isfinite(parsed) || parsed < option.low || parsed > option.high) return false;
    *option.real = parsed;
    return true;
  }

  void usage(std::FILE* out) const {
    std::fprintf(out, "usage: %s [--argument value]...\n%s\n", program_, purpose_);
    std::fprintf(out, "  %-18s this text\n", "--help");
    for (Option const& option : options_)
      std::fprintf(out, "  %-18s %s (%s to %s; default %s)\n", option.name, option.help,
                   option.low_text.c_str(), option.high_text.c_str(), option.default_text.c_str());
  }

  [[noreturn]] void reject(std::string const& why) const {
    std::fprintf(stderr, "%s: %s\n", program_, why.c_str());
    usage(stderr);
    std::exit(2);
  }

  char const* program_;
  char const* purpose_;
  std::vector<Option> options_;
};

} // namespace workload

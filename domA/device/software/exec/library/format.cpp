// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/library/format.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace pegasus::software {

namespace {

constexpr std::size_t max_format = 4096, max_string = 4096;
constexpr int max_width = 1024; // limits the memory for a hostile width

// One conversion: %[flags][width][.precision][length]conversion.
struct Conversion {
  std::string flags;
  int width = -1, precision = -1;
  bool wide = false; // an 8-byte integer
  int narrow = 0;    // hh: 1, h: 2 bytes
  char kind = 0;
};

class Writer {
public:
  Writer(std::uint64_t values, ReadDevice const& read, Formatted& out)
      : at_(values), read_(read), out_(out) {}

  // Returns false if an argument or text could not be read; out_.bad_address is then set.
  bool run(std::string const& format);

private:
  template <class T> bool next(T& value) {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (!read_(at_, &value, sizeof(T))) {
      out_.bad_address = at_;
      return false;
    }
    at_ += sizeof(T);
    ++out_.arguments;
    return true;
  }
  bool number(std::string const& format, std::size_t& i, int& value);
  bool parse(std::string const& format, std::size_t& i, Conversion& c);
  bool convert(Conversion const& c);
  bool integer(Conversion const& c);
  bool text(Conversion const& c);
  template <class T> void emit(Conversion const& c, std::string const& length_and_kind, T value);

  std::uint64_t at_;
  ReadDevice const& read_;
  Formatted& out_;
};

bool Writer::number(std::string const& format, std::size_t& i, int& value) {
  if (i < format.size() && format[i] == '*') {
    ++i;
    std::int32_t given = 0;
    if (!next(given)) return false;
    value = std::clamp(given, -max_width, max_width);
    return true;
  }
  int n = -1;
  for (; i < format.size() && format[i] >= '0' && format[i] <= '9'; ++i)
    n = std::min((n < 0 ? 0 : n) * 10 + (format[i] - '0'), max_width);
  value = n;
  return true;
}

bool Writer::parse(std::string const& format, std::size_t& i, Conversion& c) {
  while (i < format.size() && std::strchr("-+ #0", format[i]) != nullptr && c.flags.size() < 8)
    c.flags += format[i++];
  if (!number(format, i, c.width)) return false;
  if (c.width < -1) { // a negative width from '*' is the flag '-' (C17 7.21.6.1)
    c.flags += '-';
    c.width = -c.width;
  }
  if (i < format.size() && format[i] == '.') {
    ++i;
    if (!number(format, i, c.precision)) return false;
    if (c.precision < 0 && format[i - 1] == '.') c.precision = 0;
  }
  for (; i < format.size() && std::strchr("hlLqjzt", format[i]) != nullptr; ++i) {
    if (format[i] == 'h')
      c.narrow = c.narrow == 2 ? 1 : 2;
    else
      c.wide = true;
  }
  c.kind = i < format.size() ? format[i++] : '\0';
  return true;
}

template <class T> void Writer::emit(Conversion const& c, std::string const& length_and_kind, T value) {
  std::string spec = "%" + c.flags;
  if (c.width >= 0) spec += std::to_string(c.width);
  if (c.precision >= 0) spec += "." + std::to_string(c.precision);
  spec += length_and_kind;
  char small[512];
  int const n = std::snprintf(small, sizeof small, spec.c_str(), value);
  if (n < 0) return;
  if (static_cast<std::size_t>(n) < sizeof small) {
    out_.text.append(small, static_cast<std::size_t>(n));
    return;
  }
  std::string large(static_cast<std::size_t>(n) + 1, '\0');
  std::snprintf(large.data(), large.size(), spec.c_str(), value);
  large.pop_back();
  out_.text += large;
}

bool Writer::integer(Conversion const& c) {
  std::uint64_t bits = 0;
  bool const is_signed = c.kind == 'd' || c.kind == 'i';
  if (c.wide) {
    if (!next(bits)) return false;
  } else {
    std::uint32_t small = 0;
    if (!next(small)) return false;
    if (c.narrow == 1)
      small = is_signed ? static_cast<std::uint32_t>(static_cast<std::int8_t>(small)) : small & 0xff;
    if (c.narrow == 2)
      small = is_signed ? static_cast<std::uint32_t>(static_cast<std::int16_t>(small)) : small & 0xffff;
    bits = is_signed ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(small)}) : small;
  }
  if (is_signed)
    emit(c, std::string("ll") + c.kind, static_cast<long long>(bits));
  else
    emit(c, std::string("ll") + c.kind, static_cast<unsigned long long>(bits));
  return true;
}

bool Writer::text(Conversion const& c) {
  std::uint64_t at = 0;
  if (!next(at)) return false;
  std::string value;
  if (at == 0) {
    value = "(null)";
  } else {
    std::size_t const most = c.precision >= 0 ? static_cast<std::size_t>(c.precision) : max_string;
    for (char ch = 0; value.size() < most; value += ch) {
      if (!read_(at + value.size(), &ch, 1)) {
        out_.bad_address = at + value.size();
        return false;
      }
      if (ch == '\0') break;
    }
  }
  emit(c, "s", value.c_str());
  return true;
}

bool Writer::convert(Conversion const& c) {
  switch (c.kind) {
  case 'd':
  case 'i':
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    return integer(c);
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A': {
    double value = 0;
    if (!next(value)) return false;
    emit(c, std::string(1, c.kind), value);
    return true;
  }
  case 'c': {
    std::uint32_t value = 0;
    if (!next(value)) return false;
    emit(c, "c", static_cast<int>(value & 0xff));
    return true;
  }
  case 'p': {
    std::uint64_t value = 0;
    if (!next(value)) return false;
    Conversion plain = c;
    plain.precision = -1;
    std::erase_if(plain.flags, [](char f) { return f != '-'; });
    emit(plain, "p", reinterpret_cast<void const*>(value)); // printed, never dereferenced
    return true;
  }
  case 's':
    return text(c);
  case '%':
    out_.text += '%';
    return true;
  // %n and unknown conversions write nothing. They take no argument, because its size is unknown.
  default:
    return true;
  }
}

bool Writer::run(std::string const& format) {
  for (std::size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      out_.text += format[i++];
      continue;
    }
    ++i;
    Conversion c;
    if (!parse(format, i, c) || !convert(c)) return false;
  }
  return true;
}

} // namespace

Formatted format_device_text(std::uint64_t format, std::uint64_t values, ReadDevice const& read) {
  Formatted out;
  if (format == 0) {
    out.arguments = -1;
    return out;
  }
  std::string text;
  for (char ch = 0; text.size() < max_format; text += ch) {
    if (!read(format + text.size(), &ch, 1)) {
      out.bad_address = format + text.size();
      return out;
    }
    if (ch == '\0') break;
  }
  static_cast<void>(Writer(values, read, out).run(text));
  return out;
}

} // namespace pegasus::software

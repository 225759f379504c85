// SPDX-License-Identifier: Apache-2.0
#include "ctl/text/screen.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <fmt/core.h>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace pegasus::ctl {
namespace {

// ECMA-48 and xterm: the other screen, cursor home and erase to the end (no flicker), and back.
constexpr std::string_view enter = "\x1b[?1049h\x1b[?25l", home = "\x1b[H\x1b[J",
                           leave = "\x1b[?25h\x1b[?1049l";

bool write_out(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

// Lines of the terminal; as many as one likes if it does not say.
std::size_t rows() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : SIZE_MAX;
}

// The last line is not ended: the terminal would scroll.
std::string fitted(std::string_view text, std::size_t most) {
  auto const lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (lines <= most) return std::string(text.substr(0, text.rfind('\n')));
  std::size_t end = 0;
  for (std::size_t line = 0; line + 1 < most; ++line)
    end = text.find('\n', end) + 1;
  return std::string(text.substr(0, end)) + fmt::format("... and {} lines more", lines - most + 1);
}

// What has been typed already.
std::optional<char> next_byte() {
  char byte = 0;
  return read(STDIN_FILENO, &byte, 1) == 1 ? std::optional(byte) : std::nullopt;
}

// Of a key without a letter, behind its ESC: ECMA-48 5.4.
void skip_sequence() {
  auto byte = next_byte();
  if (byte != '[' && byte != 'O') return;
  do
    byte = next_byte();
  while (byte && (*byte < '@' || *byte > '~'));
}

} // namespace

bool Screen::possible() { return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1; }

Screen::Screen() {
  tcgetattr(STDIN_FILENO, &before_);
  termios keys = before_;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  keys.c_cc[VMIN] = 0;
  keys.c_cc[VTIME] = 0;
  keys.c_cc[VSUSP] = _POSIX_VDISABLE; // a shell would get the terminal as it is now
  tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  (void)write_out(enter);
}

Screen::~Screen() {
  (void)write_out(leave);
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

bool Screen::show(std::string_view text) { return write_out(std::string(home) + fitted(text, rows())); }

std::optional<char> Screen::key(std::chrono::steady_clock::time_point until, int also) {
  auto const left =
      std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
  std::array<pollfd, 2> events{{{STDIN_FILENO, POLLIN, 0}, {also, POLLIN, 0}}};
  if (poll(events.data(), events.size(), static_cast<int>(std::clamp<long>(left, 0, INT_MAX))) <= 0)
    return std::nullopt;
  if (events[0].revents == 0) return std::nullopt;
  auto const typed = next_byte();
  if (!typed) return 'q'; // the terminal is gone
  if (*typed != '\x1b') return typed;
  skip_sequence();
  return std::nullopt;
}

} // namespace pegasus::ctl

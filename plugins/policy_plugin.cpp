// SPDX-License-Identifier: Apache-2.0
#include "plugins/policy_plugin.h"

#include "base/unique_fd.h"
#include "policies/plugin.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pegasus::plugins {
namespace {

using Reason = std::optional<std::string>; // why not

// A group's bit is also the mask of an access control list.
constexpr mode_t others_write = S_IWGRP | S_IWOTH;

Reason wrong_owner(struct stat const& of, bool root_only) {
  if (of.st_uid != 0 && (root_only || of.st_uid != geteuid()))
    return fmt::format("belongs to user {}, and {} must own it", of.st_uid,
                       root_only ? "root" : "you or root");
  if ((of.st_mode & others_write) != 0)
    return fmt::format("can be changed by others (mode {:o}): chmod go-w", of.st_mode & ALLPERMS);
  return std::nullopt;
}

// Of the opened file, so that it cannot be another one that is loaded.
Reason mistrust(std::string const& opened, struct stat const& file, Trust trust) {
  if (trust == Trust::any) return std::nullopt;
  if (Reason const wrong = wrong_owner(file, trust == Trust::root)) return "it " + *wrong;
  if (trust == Trust::us_and_root) return std::nullopt;
  std::error_code error;
  std::filesystem::path above = std::filesystem::read_symlink(opened, error);
  if (error) return "its directory is not known: " + error.message();
  while (above != above.parent_path()) {
    above = above.parent_path();
    struct stat directory {};
    if (lstat(above.c_str(), &directory) != 0)
      return fmt::format("its directory {} is not known: {}", above.native(), std::strerror(errno));
    if (Reason const wrong = wrong_owner(directory, true))
      return fmt::format("its directory {} {}", above.native(), *wrong);
  }
  return std::nullopt;
}

// dlerror() begins with the name by which the file was opened.
std::string load_error(std::string const& opened) {
  char const* const said = dlerror();
  std::string_view reason = said != nullptr ? said : "no reason is given";
  if (reason.starts_with(opened + ": ")) reason.remove_prefix(opened.size() + 2);
  return std::string(reason);
}

template <class Function> Function* function(void* library, char const* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

using Found = tl::expected<policies::Entry const*, std::string>;

tl::unexpected<std::string> refused(std::string why) { return tl::unexpected(std::move(why)); }

Found entry_of(void* library) {
  auto* const interface = function<decltype(pegasus_policy_interface)>(library, "pegasus_policy_interface");
  auto* const policy = function<decltype(pegasus_policy)>(library, "pegasus_policy");
  if (policy == nullptr || interface == nullptr)
    return refused("it has no function pegasus_policy as policies/plugin.h declares it");
  std::string_view const theirs = interface();
  std::string_view const ours = pegasus_policy_interface();
  if (theirs != ours)
    return refused(fmt::format(
        "it was built from other headers than this program ({}; here: {}): build it again", theirs, ours));
  policies::Entry const* const entry = policy();
  if (entry == nullptr) return refused("its pegasus_policy() returns no entry");
  return entry;
}

Found load(std::string const& file, Trust trust, Failed failed) {
  base::UniqueFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // which a FIFO does not hold up
  struct stat status {};
  if (!fd || fstat(fd.get(), &status) != 0) return refused(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return refused("it is not a file");
  std::string const opened = fmt::format("/proc/self/fd/{}", fd.get());
  if (Reason const why = mistrust(opened, status, trust)) return refused(*why);
  void* const library = dlopen(opened.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refused("it cannot be loaded as a shared object: " + load_error(opened));
  fd.release(); // never unloaded, nor closed: the linker would take the next file of this number for the same
  Found const entry = entry_of(library);
  return entry ? add_guarded(**entry, failed) : entry;
}

} // namespace

tl::expected<policies::Entry const*, std::string> load_policy(std::string const& file, Trust trust,
                                                              Failed failed) {
  return load(file, trust, failed).map_error([&](std::string const& why) { return file + ": " + why; });
}

} // namespace pegasus::plugins

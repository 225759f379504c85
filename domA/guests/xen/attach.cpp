// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/attach.h"

#include "domA/guests/xen/store.h"
#include "domA/guests/xen/vaccel_option.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/core.h>

extern "C" {
#include <libxl.h>
#include <libxlutil.h>
}

namespace pegasus::xen {
namespace {

// The first string of the list `vaccel`; empty: there is none, or its first is empty.
tl::expected<std::string, std::string> option_in(std::string const& configuration) {
  char* messages = nullptr;
  std::size_t bytes = 0;
  FILE* const report = open_memstream(&messages, &bytes);
  XLU_Config* const parsed = xlu_cfg_init(report, "the configuration");
  bool const read =
      xlu_cfg_readdata(parsed, configuration.data(), static_cast<int>(configuration.size())) == 0;
  std::string option;
  XLU_ConfigList* list = nullptr;
  if (read && xlu_cfg_get_list(parsed, "vaccel", &list, nullptr, 1) == 0)
    if (char const* const first = xlu_cfg_get_listitem(list, 0)) option = first;
  xlu_cfg_destroy(parsed);
  std::fclose(report);
  std::string const problem(messages, bytes);
  std::free(messages);
  if (!read) return tl::unexpected("this is no configuration of xl: " + problem);
  return option;
}

} // namespace

tl::expected<std::string, std::string> attach(std::string const& guest, std::string const& configuration) {
  auto const text = option_in(configuration);
  if (!text) return tl::unexpected(text.error());
  auto const settings = parse_vaccel(*text);
  if (!settings) return tl::unexpected(settings.error());
  auto store = Store::open();
  if (!store) return tl::unexpected(store.error());

  std::string const self = store->read("domid").value_or("0");
  std::string id;
  for (std::string const& candidate : store->list("/local/domain"))
    if (candidate == guest || store->read(fmt::format("/local/domain/{}/name", candidate)) == guest)
      id = candidate;
  if (id.empty() || id == self)
    return tl::unexpected(fmt::format("there is no guest \"{}\"; see xl list", guest));
  std::string const front = fmt::format("/local/domain/{}/device/vaccel/0", id);
  std::string const back = fmt::format("/local/domain/{}/backend/vaccel/{}/0", self, id);
  if (store->exists(back + "/frontend"))
    return tl::unexpected(fmt::format("{} has an accelerator already", guest));

  // As libxl does: each side may write its own directory and read the other's.
  auto const number = static_cast<unsigned>(std::strtoul(id.c_str(), nullptr, 10));
  auto const own = static_cast<unsigned>(std::strtoul(self.c_str(), nullptr, 10));
  bool made = store->make_directory(front, number, own) && store->make_directory(back, own, number) &&
              store->write(front + "/backend", back) && store->write(front + "/backend-id", self) &&
              store->write(front + "/state", "1") && store->write(back + "/frontend-id", id) &&
              store->write(back + "/online", "1") && store->write(back + "/state", "1") &&
              write_vaccel(*settings,
                           [&](std::string_view node, std::string const& value) {
                             return store->write(fmt::format("{}/{}", back, node), value);
                           }) &&
              store->write(back + "/frontend", front); // last: a device is one that has this
  if (!made) return tl::unexpected(fmt::format("cannot write {} and {} in xenstore", front, back));
  return store->read(fmt::format("/local/domain/{}/name", id)).value_or(id);
}

} // namespace pegasus::xen

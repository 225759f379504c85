// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/attach.h"

#include "control/quantity.h"
#include "domA/guests/xen/device_nodes.h"
#include "domA/guests/xen/vaccel_option.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fmt/core.h>
#include <optional>

extern "C" {
#include <libxl.h>
#include <libxlutil.h>
}

namespace pegasus::xen {
namespace {

using control::bad_request, control::could_not, control::not_as_things_are, control::RequestError;

// The first string of the list `vaccel`. The error is a message.
tl::expected<std::string, std::string> option_in(std::string const& configuration) {
  char* messages = nullptr;
  std::size_t bytes = 0;
  FILE* const report = open_memstream(&messages, &bytes);
  XLU_Config* const parsed = xlu_cfg_init(report, "the configuration");
  bool const read =
      xlu_cfg_readdata(parsed, configuration.data(), static_cast<int>(configuration.size())) == 0;
  std::optional<std::string> option;
  XLU_ConfigList* list = nullptr;
  if (read && xlu_cfg_get_list(parsed, "vaccel", &list, nullptr, 1) == 0)
    if (char const* const first = xlu_cfg_get_listitem(list, 0)) option = first;
  xlu_cfg_destroy(parsed);
  std::fclose(report);
  std::string const problem(messages, bytes);
  std::free(messages);
  if (!read) return tl::unexpected("this is not a configuration of xl: " + problem);
  if (option) return *option;
  return tl::unexpected(std::string("the configuration has no list vaccel: write vaccel = [ "
                                    "\"credits=512,memory=64M\" ] there, or give the "
                                    "settings to pegasusctl attach"));
}

struct Place {
  std::uint32_t own, guest; // domain ids
  std::string name;         // the guest's
};

tl::expected<Place, RequestError> place_of(Store& store, std::string const& guest) {
  constexpr std::uint64_t last = 0x7fff; // no domain has a greater number
  auto const own = static_cast<std::uint32_t>(store.number("domid", last).value_or(0));
  for (std::string const& candidate : store.list("/local/domain")) {
    auto const name = store.read(fmt::format("/local/domain/{}/name", candidate));
    auto const id = control::whole_number(candidate, 0, last);
    if (id && *id != own && (candidate == guest || name == guest))
      return Place{own, static_cast<std::uint32_t>(*id), name.value_or(candidate)};
  }
  return bad_request(fmt::format("there is no guest \"{}\": see xl list", guest));
}

} // namespace

tl::expected<control::Settings, std::string> settings_in(std::string const& configuration) {
  auto const text = option_in(configuration);
  if (!text) return tl::unexpected(text.error());
  if (auto const backend = backend_in(*text); !backend.empty() && backend != "0" && backend != "Domain-0")
    return tl::unexpected(fmt::format(
        "vaccel: backend={} is another domain: ask the pegasusd there, or leave backend= out", backend));
  return parse_vaccel(*text);
}

tl::expected<std::string, RequestError> attach(std::string const& guest, control::Settings const& settings) {
  auto store = Store::open();
  if (!store) return could_not(store.error());
  auto const place = place_of(*store, guest);
  if (!place) return tl::unexpected(place.error());
  auto const& [own, id, name] = *place;
  if (has_device(*store, own, id))
    return not_as_things_are(fmt::format("{} has an accelerator already", guest));
  if (!make_device(*store, own, id, settings))
    return could_not(
        fmt::format("cannot write {} and {} in xenstore", front_directory(id), back_directory(own, id)));
  return name;
}

tl::expected<std::string, RequestError> detach(std::string const& guest) {
  auto store = Store::open();
  if (!store) return could_not(store.error());
  auto const place = place_of(*store, guest);
  if (!place) return tl::unexpected(place.error());
  auto const& [own, id, name] = *place;
  if (!has_device(*store, own, id)) return not_as_things_are(fmt::format("{} has no accelerator", guest));
  if (store->exists(fmt::format("/libxl/{}/device/vaccel/0", id)))
    return not_as_things_are(
        fmt::format("the accelerator of {} belongs to the toolstack: use xl vaccel-detach", guest));
  // Without its state the device is one that is gone: its tasks end, and what is left of it here is removed.
  if (!store->remove(front_directory(id)) || !store->remove(back_directory(own, id) + "/state"))
    return could_not(fmt::format("cannot write {} in xenstore", back_directory(own, id)));
  return name;
}

} // namespace pegasus::xen

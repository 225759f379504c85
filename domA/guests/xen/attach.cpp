// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/attach.h"

#include "domA/guests/xen/store.h"
#include "domA/guests/xen/vaccel_option.h"

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

// Where a guest's device 0 is in xenstore, as libxl has it.
struct Place {
  std::string self, guest; // domain ids
  std::string name;        // the guest's
  std::string front, back;
};

tl::expected<Place, RequestError> place_of(Store& store, std::string const& guest) {
  Place place;
  place.self = store.read("domid").value_or("0");
  for (std::string const& candidate : store.list("/local/domain"))
    if (candidate == guest || store.read(fmt::format("/local/domain/{}/name", candidate)) == guest)
      place.guest = candidate;
  if (place.guest.empty() || place.guest == place.self)
    return bad_request(fmt::format("there is no guest \"{}\": see xl list", guest));
  place.name = store.read(fmt::format("/local/domain/{}/name", place.guest)).value_or(place.guest);
  place.front = fmt::format("/local/domain/{}/device/vaccel/0", place.guest);
  place.back = fmt::format("/local/domain/{}/backend/vaccel/{}/0", place.self, place.guest);
  return place;
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
  auto const& [self, id, name, front, back] = *place;
  if (store->exists(back + "/frontend"))
    return not_as_things_are(fmt::format("{} has an accelerator already", guest));

  // As libxl does: each side may write its own directory and read the other side's.
  auto const number = static_cast<unsigned>(std::strtoul(id.c_str(), nullptr, 10));
  auto const own = static_cast<unsigned>(std::strtoul(self.c_str(), nullptr, 10));
  auto const write_setting = [&store, &back = back](std::string_view node, std::string const& value) {
    return store->write(fmt::format("{}/{}", back, node), value);
  };
  bool const made = store->make_directory(front, number, own) && store->make_directory(back, own, number) &&
                    store->write(front + "/backend", back) && store->write(front + "/backend-id", self) &&
                    store->write(front + "/state", "1") && store->write(back + "/frontend-id", id) &&
                    store->write(back + "/online", "1") && store->write(back + "/state", "1") &&
                    write_vaccel(settings, write_setting) &&
                    store->write(back + "/frontend", front); // last: a device is one that has this
  if (!made) return could_not(fmt::format("cannot write {} and {} in xenstore", front, back));
  return name;
}

tl::expected<std::string, RequestError> detach(std::string const& guest) {
  auto store = Store::open();
  if (!store) return could_not(store.error());
  auto const place = place_of(*store, guest);
  if (!place) return tl::unexpected(place.error());
  if (!store->exists(place->back + "/frontend"))
    return not_as_things_are(fmt::format("{} has no accelerator", guest));
  if (store->exists(fmt::format("/libxl/{}/device/vaccel/0", place->guest)))
    return not_as_things_are(
        fmt::format("the accelerator of {} belongs to the toolstack: use xl vaccel-detach", guest));
  // Without its state the device is one that is gone: its tasks end, and what is left of it here is removed.
  if (!store->remove(place->front) || !store->remove(place->back + "/state"))
    return could_not(fmt::format("cannot write {} in xenstore", place->back));
  return place->name;
}

} // namespace pegasus::xen

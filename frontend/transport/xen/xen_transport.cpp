// SPDX-License-Identifier: Apache-2.0
#include "frontend/transport/xen/xen_transport.h"

#include "base/clock.h"
#include "base/futex.h"
#include "frontend/protocol/xen.h"
#include "frontend/transport/asking_again.h"
#include "frontend/transport/fail.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/random.h>
#include <unistd.h>

namespace pegasus::frontend {
namespace {

constexpr std::uint32_t slots = PEGASUS_SLOTS_DEFAULT;
constexpr char device_directory[] = "device/vaccel";
// A running backend answers in milliseconds, a booting one in seconds.
constexpr int answer_limit_ms = 30'000;
constexpr int answer_check_ms = 1'000;
constexpr int leave_limit_ms = 2'000; // a running backend takes milliseconds
constexpr int leave_check_ms = 10;

bool number(std::string const& text, unsigned long most, unsigned long& value) {
  char* end = nullptr;
  value = std::strtoul(text.c_str(), &end, 10);
  return !text.empty() && *end == '\0' && value <= most;
}

// Unique in the domain, whatever process numbers its containers use.
std::string task_key() {
  std::uint64_t random = 0;
  // A guest that has just booted may have no entropy yet.
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0) random = base::monotonic_ns();
  char key[64];
  std::snprintf(key, sizeof key, "%d-%016" PRIx64, static_cast<int>(getpid()), random);
  return key;
}

} // namespace

bool XenTransport::present() {
  Xenstore store;
  if (!store.open()) return errno == EACCES;
  std::string domain;
  std::vector<std::string> devices;
  return (store.read("domid", domain) && domain != "0") ||
         (store.list(device_directory, devices) && !devices.empty());
}

XenTransport* XenTransport::open(pegasus_connect_kind kind, TransportError& error) {
  for (SpokenVersions spoken;;) {
    auto* const transport = new XenTransport(kind, spoken); // lives as long as the process
    if (transport->find_device(error) && transport->share_pages(error) && transport->write_directory(error) &&
        transport->announce(error) && transport->await_connect_reply(error)) {
      transport->pages_.keep();
      return transport;
    }
    if (!transport->frontend_.empty()) transport->store_.remove(transport->frontend_);
    bool const in_version_1 = transport->of_version_1_ && spoken.narrow_to_version_1();
    delete transport;
    if (!in_version_1) return nullptr;
  }
}

pegasus_channel_header& XenTransport::header() const {
  return *reinterpret_cast<pegasus_channel_header*>(pages_.data());
}

bool XenTransport::find_device(TransportError& error) {
  if (!store_.open())
    return fail(error, no_device,
                "cannot open /dev/xen/xenbus: %s: give this user access to /dev/xen (see xen.md)",
                std::strerror(errno));
  std::vector<std::string> devices;
  if (!store_.list(device_directory, devices) || devices.empty())
    return fail(error, no_device,
                "this guest of Xen has no accelerator: add vaccel = [ \"\" ] to its configuration, or run "
                "`pegasusctl "
                "attach` in the host; for programs of this machine alone start pegasusd here");
  // The device with the lowest number.
  std::ranges::sort(devices, {},
                    [](std::string const& name) { return std::strtoul(name.c_str(), nullptr, 10); });
  std::string const device = device_directory + ("/" + devices.front());
  std::string id;
  std::string path;
  unsigned long domain = 0;
  if (!store_.read(device + "/backend", path) || !store_.read(device + "/backend-id", id) ||
      !number(id, 0x7fef, domain))
    return fail(error, no_device, "%s names no backend: was the guest's accelerator just removed?",
                device.c_str());
  std::string const key = task_key();
  frontend_ = device + "/tasks/" + key;
  backend_ = path + "/tasks/" + key;
  backend_domain_ = static_cast<std::uint16_t>(domain);
  return true;
}

// As large an arena as the guest kernel allows; copies of any size stream through it.
bool XenTransport::share_enough(TransportError& error) {
  bool const totals = kind_ == PEGASUS_CONNECT_TOTALS;
  while (!pages_.share(totals ? PEGASUS_XEN_TOTALS_PAGES : PEGASUS_XEN_CHANNEL_PAGES(slots, arena_bytes_),
                       backend_domain_)) {
    if (errno == ENOSPC && !totals && arena_bytes_ > PEGASUS_ARENA_MIN) {
      arena_bytes_ = std::max(arena_bytes_ / 2, PEGASUS_ARENA_MIN);
      continue;
    }
    if (errno == ENOSPC)
      return fail(
          error, no_device,
          "this guest shares as many pages as its kernel allows: end a program that uses CUDA, or write a "
          "larger number to /sys/module/xen_gntalloc/parameters/limit");
    if (errno == ENOENT)
      return fail(error, no_device, "there is no /dev/xen/gntalloc: load the kernel module xen-gntalloc");
    return fail(error, no_device, "cannot share pages with the host: %s (see xen.md, grants)",
                std::strerror(errno));
  }
  return true;
}

bool XenTransport::share_pages(TransportError& error) {
  if (!share_enough(error)) return false;
  header().guest_alive = header().host_alive = 1;
  if (!events_.open())
    return fail(error, no_device, "cannot open /dev/xen/evtchn: %s: load the kernel module xen-evtchn",
                std::strerror(errno));
  if (!events_.offer(backend_domain_, doorbell_) || !events_.offer(backend_domain_, control_))
    return fail(error, no_device, "cannot get an event channel: %s", std::strerror(errno));
  if (!pages_.tell_when_gone(offsetof(pegasus_channel_header, guest_alive), control_))
    return fail(error, no_device, "the guest's kernel refuses an unmap notification: %s",
                std::strerror(errno));
  return true;
}

bool XenTransport::write_directory(TransportError& error) {
  auto const& references = pages_.references();
  std::size_t const pages = (references.size() + PEGASUS_XEN_DIRECTORY_REFS - 1) / PEGASUS_XEN_DIRECTORY_REFS;
  if (!directory_.share(pages, backend_domain_))
    return fail(error, no_device,
                "no page is left to name the shared ones: write a larger number to "
                "/sys/module/xen_gntalloc/parameters/limit");
  auto* const directory = reinterpret_cast<pegasus_xen_directory*>(directory_.data());
  pegasus_xen_connect_request& connect_request = directory[0].connect_request;
  connect_request.magic = PEGASUS_CONNECT_REQUEST_MAGIC;
  set_versions(connect_request, spoken_);
  connect_request.task = static_cast<std::uint32_t>(getpid());
  connect_request.kind = static_cast<std::uint32_t>(kind_);
  connect_request.slots = slots;
  connect_request.arena_bytes = arena_bytes_;
  std::snprintf(connect_request.program, sizeof connect_request.program, "%s", program_invocation_short_name);
  directory[0].pages = static_cast<std::uint32_t>(references.size());
  for (std::size_t i = 0; i < references.size(); ++i)
    directory[i / PEGASUS_XEN_DIRECTORY_REFS].refs[i % PEGASUS_XEN_DIRECTORY_REFS] = references[i];
  for (std::size_t i = 0; i + 1 < pages; ++i)
    directory[i].next = directory_.references()[i + 1];
  return true;
}

bool XenTransport::announce(TransportError& error) {
  auto write = [&](char const* node, std::uint32_t value) {
    return store_.write(frontend_ + "/" + node, std::to_string(value));
  };
  if (store_.watch(backend_ + "/state") && write("directory", directory_.references().front()) &&
      write("doorbell", doorbell_) && write("control", control_) && write("state", PEGASUS_XEN_INITIALISED))
    return true;
  return fail(error, no_device, "cannot write %s in xenstore: %s", frontend_.c_str(), std::strerror(errno));
}

bool XenTransport::await_connect_reply(TransportError& error) {
  unsigned long state = 0;
  AskingAgain asking;
  for (int waited = 0; state != PEGASUS_XEN_CONNECTED; waited += answer_check_ms) {
    std::string text;
    if (store_.read(backend_ + "/state", text) && number(text, PEGASUS_XEN_CLOSED, state) &&
        state == PEGASUS_XEN_CLOSED) {
      if (!store_.read(backend_ + "/error", text)) text = "no reason is given; look at pegasusd's log";
      of_version_1_ = refuses_all_but_version_1(text);
      return fail(error, no_device, "the accelerator daemon refused this program: %.400s", text.c_str());
    }
    if (state == PEGASUS_XEN_CONNECTED) break;
    if (state == PEGASUS_XEN_INIT_WAIT) { // until this pegasusd or the next one admits the task
      if (!ask_again(asking, error)) return false;
      waited = 0;
      continue;
    }
    if (waited >= answer_limit_ms)
      return fail(error, not_ready,
                  "the host's accelerator daemon did not answer within 30 s: is pegasusd running there?");
    (void)store_.wait(answer_check_ms);
  }
  take_connect_reply();
  if (connect_reply_.magic != PEGASUS_CONNECT_REPLY_MAGIC || !fits_the_pages())
    return fail(error, version_mismatch,
                "the accelerator daemon's answer does not describe this program's pages: look at its log");
  if (!accept_version(connect_reply_, spoken_, error)) return false;
  directory_.release();
  return true;
}

void XenTransport::take_connect_reply() {
  std::uint32_t const pages_before =
      kind_ == PEGASUS_CONNECT_TOTALS ? 1u : PEGASUS_XEN_CHANNEL_PAGES(slots, 0u);
  std::byte* const reply = pages_.data() + std::size_t{pages_before} * PEGASUS_XEN_PAGE;
  std::memcpy(&connect_reply_, reply, sizeof connect_reply_);
  std::memset(reply, 0, sizeof connect_reply_);
  connect_reply_.message[sizeof connect_reply_.message - 1] = '\0';
}

bool XenTransport::fits_the_pages() const {
  if (kind_ == PEGASUS_CONNECT_TOTALS) return connect_reply_.channel_bytes == sizeof(pegasus_totals);
  return connect_reply_.slots == slots && connect_reply_.arena_bytes == arena_bytes_ &&
         connect_reply_.channel_bytes <= pages_.references().size() * PEGASUS_XEN_PAGE;
}

// Writing the value that is already there asks again. When pegasusd released the pages it cleared host_alive.
bool XenTransport::ask_again(AskingAgain& asking, TransportError& error) {
  std::string why;
  if (!store_.read(backend_ + "/error", why)) why = "no reason is given; look at pegasusd's log";
  (void)store_.wait(asking.answered(why.c_str()));
  std::atomic_ref(header().host_alive).store(1, std::memory_order_relaxed);
  return store_.write(frontend_ + "/state", std::to_string(PEGASUS_XEN_INITIALISED)) ||
         fail(error, no_device, "cannot write %s in xenstore: %s", frontend_.c_str(), std::strerror(errno));
}

void XenTransport::wake(std::uint32_t* word) {
  if (word == &header().worker_parked) return events_.ring(doorbell_);
  events_.nudge();
  next_round();
}

// One event wakes one reader of the event file, and several threads may sleep. One thread listens; the others
// sleep until it has heard an event or leaves, and then one of them listens.
void XenTransport::sleep(std::uint32_t* word, std::uint32_t value, std::uint64_t timeout_ns) {
  std::uint32_t const round = round_.load(std::memory_order_acquire);
  std::unique_lock listens(listening_, std::try_to_lock);
  if (!listens.owns_lock())
    return (void)base::futex_wait(round_, round, std::chrono::nanoseconds(timeout_ns));
  if (std::atomic_ref(*word).load(std::memory_order_acquire) == value && !events_.wait(timeout_ns))
    look_for_task();
  listens.unlock(); // before the others try to take it
  next_round();
}

void XenTransport::next_round() {
  round_.fetch_add(1, std::memory_order_acq_rel);
  base::futex_wake(round_);
}

// In a guest that was restored from a file, no page shows that the other end is gone, and no port rings.
// But its kernel has registered all watches again, so this one fires, and the device is a new one
// without this task.
void XenTransport::look_for_task() {
  std::string state;
  if (store_.wait(0) && !store_.read(frontend_ + "/state", state)) restored_ = true;
}

// Pages that the host still maps when this process ends return to the guest kernel's memory at ten a second
// (Linux, drivers/xen/grant-table.c): a guest that runs one program after another would run out of memory.
void XenTransport::leave() {
  std::atomic_ref(header().guest_alive).store(0, std::memory_order_release);
  events_.ring(control_);
  for (int waited = 0; !hung_up() && waited < leave_limit_ms; waited += leave_check_ms)
    (void)events_.wait(std::uint64_t{leave_check_ms} * 1'000'000u); // another thread may hear the event
}

void XenTransport::abandon() { events_.release(); }

bool XenTransport::hung_up() {
  return restored_.load(std::memory_order_relaxed) ||
         std::atomic_ref(header().host_alive).load(std::memory_order_relaxed) == 0;
}

} // namespace pegasus::frontend

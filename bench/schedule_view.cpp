// SPDX-License-Identifier: Apache-2.0
// Measures what the hypervisor's CPU schedule costs a policy. Each figure is beside its limits, measured in
// the same run: memcpy of the same cache lines, and one cheap system call per domain, which costs less than
// any hypercall. The slots stay unchanged, change as on a busy host, or are rewritten without a pause.
#include "bench/schedule_pages.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace pegasus;
using namespace pegasus::bench;
using Clock = std::chrono::steady_clock;

constexpr char help[] = "usage: schedule_view\n\n"
                        "Prints what reading the hypervisor's CPU schedule costs, beside its limits. It "
                        "needs no Xen: a second\nthread, on CPU 1, writes the pages as Xen would.\n";

// Makes the compiler assume that `value` is used and that memory has changed.
template <class T> void keep(T const& value) { asm volatile("" : : "r"(&value) : "memory"); }

double median(std::vector<double> samples) {
  auto const middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

template <class Work> double batch_ns(Work work, std::uint64_t times) {
  auto const start = Clock::now();
  for (std::uint64_t i = 0; i < times; ++i)
    work();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(times);
}

// The median of batches of about a millisecond each, long enough to meet the usual number of changes.
// A batch counts only if both threads had their CPUs meanwhile.
template <class Work> double ns(Writer& writer, Work work) {
  constexpr std::size_t wanted = 50, tries = 1000;
  constexpr double whole = 0.95;
  auto const times = static_cast<std::uint64_t>(1e6 / batch_ns(work, 1000)) + 1;
  std::vector<double> samples;
  for (std::size_t i = 0; i < tries && samples.size() < wanted; ++i) {
    double const reader_before = ns_of(CLOCK_THREAD_CPUTIME_ID), writer_before = writer.cpu_ns();
    double const each = batch_ns(work, times);
    double const enough = whole * each * static_cast<double>(times);
    if (ns_of(CLOCK_THREAD_CPUTIME_ID) - reader_before >= enough && writer.cpu_ns() - writer_before >= enough)
      samples.push_back(each);
  }
  if (samples.empty()) {
    std::fputs("schedule_view: two CPUs were never free for a millisecond: try again on an idle machine\n",
               stderr);
    std::exit(1);
  }
  return median(samples);
}

// The median of `work` alone, each time after the other CPU has rewritten every slot.
template <class Work> double ns_after_rewriting(Host& host, Work work) {
  constexpr std::uint32_t rounds = 4000;
  std::atomic<std::uint32_t> asked{0}, done{0};
  std::thread writer([&] {
    pin_to(1);
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      while (asked.load(std::memory_order_acquire) != round) {
      }
      for (std::uint64_t i = 0; i < host.slots(); ++i)
        host.write(i);
      done.store(round, std::memory_order_release);
    }
  });
  std::vector<double> samples;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    asked.store(round, std::memory_order_release);
    while (done.load(std::memory_order_acquire) != round) {
    }
    samples.push_back(batch_ns(work, 1));
  }
  writer.join();
  return median(samples);
}

// The domains of one View, as pegasusd fills them from mapped pages.
std::vector<policies::DomainView> view(Host const& host) {
  std::vector<policies::DomainView> result;
  for (std::uint32_t id = 0; id < host.domains(); ++id) {
    policies::DomainView view;
    view.id = id;
    view.calling_vcpu = id % host.vcpus();
    if (auto const vcpu = host.reader(id).vcpu(view.calling_vcpu)) {
      view.cpu.running = vcpu->state == monitor::VcpuState::running;
      view.cpu.credit_left = monitor::credit_left(*vcpu);
    }
    result.push_back(view);
  }
  return result;
}

void copy_lines(Host const& host) {
  alignas(64) std::byte copy[64];
  for (std::uint32_t id = 0; id < host.domains(); ++id) {
    std::memcpy(copy, host.slot(id, id % host.vcpus()), sizeof copy);
    keep(copy);
  }
}

void row(std::string const& what, double value, double limit, char const* limit_is, char const* goal) {
  std::printf("| %-40s | %10.1f %-6s | %10.1f %-26s | %6.2f | %-8s |\n", what.c_str(), value, "ns", limit,
              limit_is, value / limit, goal);
}

// The cheapest system call, made on this thread only.
double system_call_ns() {
  Host idle(1, 1);
  Writer no_writer(idle, Changes::none);
  return ns(no_writer, [] { keep(syscall(SYS_getppid)); });
}

// Prints `read` beside both limits. There is no goal for what Xen never does.
void beside_both(std::string const& what, std::uint32_t domains, double read, double copied, bool as_xen) {
  static double const system_call = system_call_ns();
  row(what, read, copied, "ns memcpy of the lines", "");
  row(what, read, domains * system_call, domains == 1 ? "ns system call" : "ns a system call a domain",
      as_xen ? "<= 1" : "");
}

constexpr std::pair<Changes, char const*> kinds[] = {
    {Changes::none, ", still"}, {Changes::busy, ", 1,000 changes/s"}, {Changes::flat_out, ", flat out"}};

void vcpu_rows() {
  for (auto const& [changes, name] : kinds) {
    Host host(1, 1);
    Writer writer(host, changes);
    std::uint64_t reads = 0, missed = 0;
    double const read = ns(writer, [&] {
      auto const vcpu = host.reader(0).vcpu(0);
      keep(vcpu);
      ++reads;
      missed += !vcpu;
    });
    row(std::string("a vCPU") + name, read, ns(writer, [&] { copy_lines(host); }), "ns memcpy of its line",
        "");
    if (changes == Changes::none && missed != 0) std::abort();
    if (changes == Changes::flat_out)
      std::printf("| %-40s | %10.4f %-6s | %10s %-26s | %6s | %-8s |\n", "given up of these reads",
                  100.0 * static_cast<double>(missed) / static_cast<double>(reads), "%", "", "", "", "");
  }
}

void view_rows(std::string const& what, std::uint32_t domains, std::uint32_t vcpus) {
  for (auto const& [changes, name] : kinds) {
    Host host(domains, vcpus);
    Writer writer(host, changes);
    double const cost = ns(writer, [&] { keep(view(host)); });
    double const copied = ns(writer, [&] { copy_lines(host); });
    beside_both(what + name, domains, cost, copied, changes != Changes::flat_out);
  }
}

} // namespace

int main(int arguments, char** argument) {
  if (arguments > 1) {
    bool const asked = std::strcmp(argument[1], "--help") == 0;
    std::fputs(help, asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  pin_to(0);
  std::printf("| what                                     | measured          | beside it                  "
              "           | ratio  | goal     |\n");
  std::printf("|------------------------------------------|-------------------|----------------------------"
              "-----------|--------|----------|\n");
  vcpu_rows();
  view_rows("a View of one domain", 1, 4);
  view_rows("a View of 64 domains of 4 vCPUs", 64, 4);

  Host host(64, 4);
  double const read = ns_after_rewriting(host, [&] { keep(view(host)); });
  double const copied = ns_after_rewriting(host, [&] { copy_lines(host); });
  beside_both("a View of 64 domains, all just changed", 64, read, copied, false);
}

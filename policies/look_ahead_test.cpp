// SPDX-License-Identifier: Apache-2.0
#include "policies/look_ahead.h"

#include "policies/eevdf.h"
#include "policies/testing/timeline.h"
#include "policies/testing/view_changes.h"

#include <catch2/catch.hpp>

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t batch = 0, first = 1, second = 2;
constexpr Nanos target = 200us;

// Domain 1, at position `batch`, always calls; domains 2 and 3 make requests of 100 us.
class Requests {
public:
  Requests() : domains_(3) {
    for (DomainId id = 1; DomainView & domain : domains_) {
      domain.id = id++;
      domain.tasks = 1;
    }
    domains_[batch].calls_waiting = 1;
    domains_[first].latency_slice = target;
    look(0ms);
  }
  Requests& look(Nanos at) {
    look_ahead_.update({.now = Time{at}, .domains = domains_, .changed = changes_.take(domains_)});
    return *this;
  }
  Requests& calls(std::uint32_t position, Nanos at) {
    domains_[position].calls_waiting = 1;
    domains_[position].calls_since = Time{at};
    return look(at);
  }
  Requests& served(std::uint32_t position, Nanos at) {
    domains_[position].calls_waiting = 0;
    domains_[position].calls_since = Time{at};
    domains_[position].device_busy_total += 100us;
    return look(at);
  }
  Requests& request(std::uint32_t position, Nanos at) {
    return calls(position, at).served(position, at + 100us);
  }
  Requests& every(Nanos interval, Nanos from, int count, std::uint32_t position = first) {
    for (int i = 0; i < count; ++i)
      request(position, from + i * interval);
    return *this;
  }
  DomainView& domain(std::uint32_t position) { return domains_[position]; }
  [[nodiscard]] std::optional<PieceLimit> limit(std::uint32_t running = batch) const {
    return look_ahead_.limit(running);
  }

private:
  LookAhead look_ahead_;
  std::vector<DomainView> domains_;
  ViewChanges changes_;
};

} // namespace

TEST_CASE("where no domain has a target pieces are as long as they like") {
  Requests requests;
  requests.domain(first).latency_slice = 0ms;
  requests.look(1ms).every(5ms, 10ms, 20);
  CHECK_FALSE(requests.limit());
}

TEST_CASE("regular requests are expected shortly before they come") {
  Requests requests;
  requests.every(5ms, 0ms, 40);
  auto const limit = requests.limit();
  REQUIRE(limit);
  CHECK(limit->longest == target);
  CHECK(limit->from <= Time{200ms});
  CHECK(limit->from > Time{199ms});
  CHECK_FALSE(requests.limit(first)); // its own pieces are as long as it likes
}

TEST_CASE("a domain whose requests are not known yet is expected at once, for a second") {
  Requests requests;
  CHECK(requests.limit()->from <= Time{0ms});
  CHECK_FALSE(requests.look(1s).limit());
  requests.request(first, 2s);
  CHECK(requests.limit()->from <= Time{2s});
  CHECK_FALSE(requests.look(3s).limit());
}

TEST_CASE("a request whose time varies is expected from four deviations before") {
  Requests requests;
  for (int i = 0; i < 100; ++i) // 4 ms and 6 ms in turn: the mean is 5 ms, the deviation 1 ms
    requests.request(first, 10ms * (i / 2) + 4ms * (i % 2));
  auto const limit = requests.limit();
  REQUIRE(limit);
  Nanos const last = 494ms;
  CHECK(limit->from > Time{last});
  CHECK(limit->from < Time{last + 2ms});
}

TEST_CASE("a domain is expected from its call until it has been served, also if it came early") {
  Requests requests;
  requests.every(5ms, 0ms, 40).calls(first, 197ms);
  CHECK(requests.limit()->from <= Time{197ms});
  CHECK(requests.look(198ms).limit()->from <= Time{197ms});
  CHECK(requests.served(first, 199ms).limit()->from > Time{197ms});
}

TEST_CASE("a domain that does not call for eight times its interval is not expected until it does") {
  Requests requests;
  requests.every(5ms, 0ms, 40); // the last one at 195 ms
  CHECK(requests.look(234ms).limit());
  CHECK_FALSE(requests.look(235ms).limit());
  requests.every(5ms, 10s, 2);
  auto const limit = requests.limit();
  REQUIRE(limit); // the pause is not an interval
  CHECK(limit->from > Time{10s + 5ms});
  CHECK(limit->from <= Time{10s + 10ms});
}

TEST_CASE("a domain that calls ten times as seldom from now on is expected then") {
  Requests requests;
  requests.every(5ms, 0ms, 40).every(50ms, 1s, 40);
  auto const limit = requests.limit();
  REQUIRE(limit);
  CHECK(limit->from > Time{3s - 10ms});
  CHECK(limit->from <= Time{3s});
}

TEST_CASE("a domain that calls without a pause costs others no pieces") {
  Requests requests;
  requests.calls(first, 1ms);
  CHECK(requests.limit());
  for (Nanos at = 2ms; at < 2s; at += 1ms) {
    requests.domain(first).device_busy_total += 500us;
    requests.look(at);
  }
  CHECK_FALSE(requests.limit());
}

TEST_CASE("calls that follow within the target are one request") {
  Requests requests;
  for (int i = 0; i < 40; ++i)
    for (int call = 0; call < 3; ++call)
      requests.request(first, 5ms * i + 150us * call);
  auto const limit = requests.limit();
  REQUIRE(limit);
  CHECK(limit->from > Time{199ms});
}

TEST_CASE("of several domains the earliest and the shortest target hold, but not the running one's") {
  Requests requests;
  requests.domain(second).latency_slice = 1ms;
  for (int i = 0; i < 40; ++i)
    requests.request(first, 5ms * i).request(second, 5ms * i + 2ms);
  CHECK(requests.limit(batch)->from <= Time{200ms});
  CHECK(requests.limit(batch)->longest == target);
  CHECK(requests.limit(first)->from > Time{200ms});
  CHECK(requests.limit(first)->longest == 1ms);
  requests.domain(first).tasks = 0;
  CHECK(requests.look(199ms).limit(batch)->longest == 1ms);
}

TEST_CASE("eevdf limits the pieces of the domain that runs, and of no domain with the target alone") {
  EarliestDeadline policy{Tunables{}};
  Timeline line(policy);
  line.domain(1).domain(2).latency(2, target).quiet(2);
  line.at(0ms).expect(run(1), pieces(target));
  line.at(1ms).calls(2).quiet(1).expect(run(2), no_limit());
}

// SPDX-License-Identifier: Apache-2.0
// What is kept between two decisions, as data: a class names each of its fields once, in a function visit(), which serves
// saving and restoring alike.
//
//   void Account::visit(StateVisitor& state) {
//     state.field("balance", balance);
//     state.field("ready", ready);
//   }
//
// A field that a saved state lacks keeps the value that it has, and one that nobody asks for is passed over: what was saved
// by an older or a newer build is read as far as both know it. What can be computed from other fields is not saved; visit()
// makes it anew when restoring().
//
// What is restored is checked. A value that is out of its type's range, not finite, or longer than `longest` refuses
// the whole state, and the field keeps its value: visit() goes on with values that are in range. What else must hold a
// class demands by require().
#pragma once

#include "policies/view.h"

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pegasus::policies {

class StateVisitor;

// Has a member visit(), or a function visit() beside it.
template <class T>
concept Visited = requires(T& value, StateVisitor& state) {
  value.visit(state);
};
template <class T>
concept VisitedBeside = requires(T& value, StateVisitor& state) {
  visit(value, state);
};

// A number that is not negative, or an id.
template <class T>
concept Natural = std::unsigned_integral<T> || std::is_same_v<T, DomainId> || std::is_same_v<T, TaskId>;

class StateVisitor {
public:
  // No time that is kept is longer, but for virtual ones.
  static constexpr Nanos longest{std::int64_t{1} << 58}; // nine years
  static constexpr Nanos longest_virtual{std::int64_t{1} << 62};

  [[nodiscard]] virtual bool restoring() const = 0;
  // What is restored is not a state: `why` names the field or the rule.
  virtual void refuse(std::string_view why) = 0;
  void require(bool holds, std::string_view why) {
    if (restoring() && !holds) refuse(why);
  }

  // A field of any kind, times in nanoseconds.
  template <class T> void field(std::string_view name, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint64_t number = value ? 1 : 0;
      natural(name, number);
      if (in_range(name, number <= 1)) value = number == 1;
    } else if constexpr (Natural<T>) {
      std::uint64_t number = value;
      natural(name, number);
      if (in_range(name, fits<T>(number))) value = from<T>(number);
    } else if constexpr (std::signed_integral<T>) {
      std::int64_t number = value;
      integer(name, number);
      if (in_range(name, std::in_range<T>(number))) value = static_cast<T>(number);
    } else if constexpr (std::is_same_v<T, double>) {
      double number = value;
      real(name, number);
      if (in_range(name, std::isfinite(number))) value = number;
    } else {
      visit_group(name, value);
    }
  }
  void field(std::string_view name, Nanos& time) { within(name, time, -longest, longest); }
  void field(std::string_view name, Time& time) {
    Nanos since = time.time_since_epoch();
    field(name, since);
    time = Time{since};
  }
  // A time that may also be `none`, which no clock shows.
  void time_or(std::string_view name, Time& time, Time none) {
    std::optional<Time> known = time == none ? std::nullopt : std::optional(time);
    field(name, known);
    time = known.value_or(none);
  }
  // Device time over weight (weights.h), and sums of it.
  void virtual_time(std::string_view name, Nanos& time) {
    within(name, time, -longest_virtual, longest_virtual);
  }
  // A duration that is not less than `least`.
  void duration(std::string_view name, Nanos& time, Nanos least = Nanos{0}) {
    within(name, time, least, longest);
  }
  // What a worker claims, of any length; times are not long before the schedule's first.
  void claim(std::string_view name, Nanos& time) { within(name, time, Nanos{0}, Nanos::max()); }
  void claim(std::string_view name, std::optional<Time>& time) {
    Nanos since = time.value_or(Time{}).time_since_epoch();
    if (restoring() ? has(name) : time.has_value()) within(name, since, -longest, Nanos::max());
    if (restoring()) time = has(name) ? std::optional(Time{since}) : std::nullopt;
  }
  // An enumeration from 0 on, `last` included.
  template <class Enum> void choice(std::string_view name, Enum& value, Enum last) {
    auto number = static_cast<std::uint64_t>(value);
    natural(name, number);
    if (in_range(name, number <= static_cast<std::uint64_t>(last))) value = static_cast<Enum>(number);
  }
  // Accounts in the View's order (accounts.h): of its domains, unless the next View names all.
  template <class Account> void accounts(std::string_view name, std::vector<Account>& all) {
    field(name, all);
    bool ordered = true;
    for (std::size_t i = 1; i < all.size(); ++i)
      ordered = ordered && all[i - 1].id < all[i].id;
    bool fit = per_domain(all.size());
    for (std::size_t i = 0; fit && domains_ && i < all.size(); ++i)
      fit = all[i].id == (*domains_)[i];
    if (!in_range(name, ordered && fit)) all.clear();
  }
  // Whether that many accounts belong to the domains of the last View.
  [[nodiscard]] bool per_domain(std::size_t accounts) const {
    return !domains_ || domains_->size() == accounts;
  }
  // Numbers in ascending order, each once.
  template <class Number> void ascending(std::string_view name, std::vector<Number>& all) {
    field(name, all);
    bool ordered = true;
    for (std::size_t i = 1; i < all.size(); ++i)
      ordered = ordered && all[i - 1] < all[i];
    if (!in_range(name, ordered)) all.clear();
  }
  // One of the first `size` places, or none.
  void position(std::string_view name, std::optional<std::uint32_t>& place, std::size_t size) {
    field(name, place);
    if (!in_range(name, !place || *place < size)) place.reset();
  }

  // A field whose visit() takes more than the visitor.
  template <class T, class With> void field_with(std::string_view name, T& value, With& with) {
    (void)open(name, 1);
    select(0);
    value.visit(*this, with);
    close();
  }

  template <class T> void field(std::string_view name, std::optional<T>& value) {
    if (!restoring()) {
      if (value) field(name, *value);
      return;
    }
    value.reset();
    if (!has(name)) return;
    T read = T();
    field(name, read);
    value = read;
  }
  template <class T> void field(std::string_view name, std::vector<T>& values) {
    if constexpr (Natural<T>) {
      std::vector<std::uint64_t> numbers(values.begin(), values.end());
      naturals(name, numbers);
      if (!restoring() || !all_in_range<T>(name, numbers)) return;
      values.clear();
      for (std::uint64_t const number : numbers)
        values.push_back(from<T>(number));
    } else {
      if (restoring() && !has(name)) return;
      std::size_t const size = open(name, values.size());
      if (restoring()) values = std::vector<T>(size);
      for (std::size_t i = 0; i < size; ++i) {
        select(i);
        visit_fields(values[i]);
      }
      close();
    }
  }
  template <class T, std::size_t size> void field(std::string_view name, std::array<T, size>& values) {
    std::vector<T> numbers(values.begin(), values.end());
    field(name, numbers);
    if (!in_range(name, numbers.size() == size)) return;
    for (std::size_t i = 0; i < size; ++i)
      values[i] = numbers[i];
  }
  template <Natural T> void field(std::string_view name, std::set<T>& values) {
    std::vector<T> numbers(values.begin(), values.end());
    field(name, numbers);
    values = std::set<T>(numbers.begin(), numbers.end());
  }
  template <Natural Key, class T> void field(std::string_view name, std::map<Key, T>& values) {
    if (restoring() && !has(name)) return;
    std::vector<Key> keys;
    for (auto const& each : values)
      keys.push_back(each.first);
    keys.resize(open(name, keys.size()));
    if (restoring()) values.clear();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      select(i);
      field("key", keys[i]);
      visit_fields(values[keys[i]]);
    }
    close();
  }

protected:
  // `domains`: restoring a policy, those of the View that it saw last; nullopt if its next View names all.
  explicit StateVisitor(std::optional<std::span<DomainId const>> domains = std::nullopt)
      : domains_(domains) {}
  ~StateVisitor() = default;

  // Saving: writes the value under the name. Restoring: reads it, if it is there and of this kind.
  virtual void integer(std::string_view name, std::int64_t& value) = 0;
  virtual void natural(std::string_view name, std::uint64_t& value) = 0;
  virtual void real(std::string_view name, double& value) = 0;
  virtual void naturals(std::string_view name, std::vector<std::uint64_t>& values) = 0;
  [[nodiscard]] virtual bool has(std::string_view name) const = 0; // restoring
  // Groups of fields under a name: saving makes `size` of them, restoring returns how many there are. What is visited after
  // select(), up to close(), is the selected group's; one that is not there has no fields.
  [[nodiscard]] virtual std::size_t open(std::string_view name, std::size_t size) = 0;
  virtual void select(std::size_t index) = 0;
  virtual void close() = 0;

private:
  template <class T> struct NumberOf {
    using Type = std::uint32_t; // an id's
  };
  template <std::unsigned_integral T> struct NumberOf<T> { using Type = T; };
  template <Natural T> static bool fits(std::uint64_t number) {
    return std::in_range<typename NumberOf<T>::Type>(number);
  }
  template <Natural T> static T from(std::uint64_t number) {
    return static_cast<typename NumberOf<T>::Type>(number);
  }
  bool in_range(std::string_view name, bool holds) {
    require(holds, name);
    return holds;
  }
  template <class T> bool all_in_range(std::string_view name, std::vector<std::uint64_t> const& numbers) {
    bool fit = true;
    for (std::uint64_t const number : numbers)
      fit = fit && fits<T>(number);
    return in_range(name, fit);
  }
  void within(std::string_view name, Nanos& time, Nanos least, Nanos most) {
    std::int64_t number = time.count();
    integer(name, number);
    if (in_range(name, !restoring() || (Nanos{number} >= least && Nanos{number} <= most)))
      time = Nanos{number};
  }
  template <class T> void visit_fields(T& value) {
    if constexpr (Visited<T>)
      value.visit(*this);
    else
      visit(value, *this);
  }
  template <class T> void visit_group(std::string_view name, T& value) {
    static_assert(Visited<T> || VisitedBeside<T>, "a field of a class needs a function visit()");
    (void)open(name, 1);
    select(0);
    visit_fields(value);
    close();
  }

  std::optional<std::span<DomainId const>> domains_;
};

} // namespace pegasus::policies

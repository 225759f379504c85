// SPDX-License-Identifier: Apache-2.0
// Restores fields from a message.
#pragma once

#include "domA/state/state.pb.h"
#include "policies/state_visitor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::state {

// `in` and `refused` must outlive it; the first reason to refuse the state is put into `refused`, where that is empty.
// `owner`, for that text: whose fields they are; `domains`: as in StateVisitor.
class FieldsReader final : public policies::StateVisitor {
public:
  FieldsReader(Fields const& in, std::string_view owner, std::string& refused,
               std::optional<std::span<policies::DomainId const>> domains = std::nullopt)
      : StateVisitor(domains), owner_(owner), refused_(refused), at_{.fields = &in} {}

  [[nodiscard]] bool restoring() const override { return true; }
  void refuse(std::string_view why) override;

private:
  struct Place {
    Fields const* fields = nullptr;
    int next = 0; // fields are mostly asked for in the order in which they were saved
  };
  struct Opened {
    Groups const* groups;
    Place around; // what they are a field of
  };

  void integer(std::string_view name, std::int64_t& value) override;
  void natural(std::string_view name, std::uint64_t& value) override;
  void real(std::string_view name, double& value) override;
  void naturals(std::string_view name, std::vector<std::uint64_t>& values) override;
  [[nodiscard]] bool has(std::string_view name) const override;
  [[nodiscard]] std::size_t open(std::string_view name, std::size_t size) override;
  void select(std::size_t index) override;
  void close() override;
  [[nodiscard]] int find(std::string_view name) const; // -1 if there is none
  // The field, if it is there and of this kind.
  [[nodiscard]] Field const* take(std::string_view name, Field::ValueCase kind);

  std::string_view owner_;
  std::string& refused_;
  Place at_;
  std::vector<Opened> opened_;
};

} // namespace pegasus::state

// SPDX-License-Identifier: Apache-2.0
// Saves fields into a message.
#pragma once

#include "domA/state/state.pb.h"
#include "policies/state_visitor.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pegasus::state {

// Changes nothing of what it visits. `out` must outlive it.
class FieldsWriter final : public policies::StateVisitor {
public:
  explicit FieldsWriter(Fields& out) : out_(&out) {}

  [[nodiscard]] bool restoring() const override { return false; }
  void refuse(std::string_view /*why*/) override {}

private:
  struct Opened {
    Groups* groups;
    Fields* around; // what they are a field of
  };

  void integer(std::string_view name, std::int64_t& value) override { add(name).set_integer(value); }
  void natural(std::string_view name, std::uint64_t& value) override { add(name).set_natural(value); }
  void real(std::string_view name, double& value) override { add(name).set_real(value); }
  void naturals(std::string_view name, std::vector<std::uint64_t>& values) override;
  [[nodiscard]] bool has(std::string_view /*name*/) const override { return false; }
  [[nodiscard]] std::size_t open(std::string_view name, std::size_t size) override;
  void select(std::size_t index) override;
  void close() override;
  [[nodiscard]] Field& add(std::string_view name);

  Fields* out_;
  std::vector<Opened> opened_;
};

} // namespace pegasus::state

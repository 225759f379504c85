// SPDX-License-Identifier: Apache-2.0
#include "domA/state/fields_writer.h"

#include <string>

namespace pegasus::state {

Field& FieldsWriter::add(std::string_view name) {
  Field& field = *out_->add_field();
  field.set_name(std::string(name));
  return field;
}

void FieldsWriter::naturals(std::string_view name, std::vector<std::uint64_t>& values) {
  Naturals& numbers = *add(name).mutable_naturals();
  numbers.mutable_value()->Reserve(static_cast<int>(values.size()));
  for (std::uint64_t const value : values)
    numbers.add_value(value);
}

std::size_t FieldsWriter::open(std::string_view name, std::size_t size) {
  Groups& groups = *add(name).mutable_groups();
  for (std::size_t i = 0; i < size; ++i)
    groups.add_group();
  opened_.push_back({&groups, out_});
  return size;
}

void FieldsWriter::select(std::size_t index) {
  out_ = opened_.back().groups->mutable_group(static_cast<int>(index));
}

void FieldsWriter::close() {
  out_ = opened_.back().around;
  opened_.pop_back();
}

} // namespace pegasus::state

// SPDX-License-Identifier: Apache-2.0
#include "domA/state/fields_reader.h"

namespace pegasus::state {

void FieldsReader::refuse(std::string_view why) {
  if (refused_.empty()) refused_.append(owner_).append(": \"").append(why).append("\" has no valid value");
}

int FieldsReader::find(std::string_view name) const {
  int const size = at_.fields->field_size();
  for (int i = 0; i < size; ++i)
    if (int const place = (at_.next + i) % size; at_.fields->field(place).name() == name) return place;
  return -1;
}

Field const* FieldsReader::take(std::string_view name, Field::ValueCase kind) {
  int const place = find(name);
  if (place < 0) return nullptr;
  at_.next = place + 1;
  Field const& field = at_.fields->field(place);
  if (field.value_case() == kind) return &field;
  refuse(name);
  return nullptr;
}

void FieldsReader::integer(std::string_view name, std::int64_t& value) {
  if (Field const* const field = take(name, Field::kInteger)) value = field->integer();
}

void FieldsReader::natural(std::string_view name, std::uint64_t& value) {
  if (Field const* const field = take(name, Field::kNatural)) value = field->natural();
}

void FieldsReader::real(std::string_view name, double& value) {
  if (Field const* const field = take(name, Field::kReal)) value = field->real();
}

void FieldsReader::naturals(std::string_view name, std::vector<std::uint64_t>& values) {
  if (Field const* const field = take(name, Field::kNaturals))
    values.assign(field->naturals().value().begin(), field->naturals().value().end());
}

bool FieldsReader::has(std::string_view name) const { return find(name) >= 0; }

std::size_t FieldsReader::open(std::string_view name, std::size_t /*size*/) {
  Field const* const field = take(name, Field::kGroups);
  Groups const& groups = field == nullptr ? Groups::default_instance() : field->groups();
  opened_.push_back({&groups, at_});
  return static_cast<std::size_t>(groups.group_size());
}

void FieldsReader::select(std::size_t index) {
  Groups const& groups = *opened_.back().groups;
  bool const there = index < static_cast<std::size_t>(groups.group_size());
  at_ = {.fields = there ? &groups.group(static_cast<int>(index)) : &Fields::default_instance()};
}

void FieldsReader::close() {
  at_ = opened_.back().around;
  opened_.pop_back();
}

} // namespace pegasus::state

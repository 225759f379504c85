// SPDX-License-Identifier: Apache-2.0
// The statements outside of functions, and the heads of functions. PTX ISA 9.0, chapter 11.
#pragma once

#include "domA/device/ptx/module.h"
#include "domA/device/ptx/reader.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pegasus::ptx {

class ModuleParser {
public:
  explicit ModuleParser(std::shared_ptr<std::string const> text) : in_(*text) {
    module_.text = std::move(text);
  }
  [[nodiscard]] bool parse();
  [[nodiscard]] Error error() const { return in_.error(); }
  [[nodiscard]] Module take();

private:
  struct Linkage {
    bool external = false, visible = false, weak = false, common = false;
  };
  struct Known {
    bool function;
    std::size_t index;
  };
  bool statement();
  bool directive(std::string_view name);
  bool version();
  bool target();
  bool target_name(std::string_view name);
  bool address_size();
  bool alias();
  bool linkage(Linkage&);
  bool variables(Linkage);
  bool add_variable(Variable);
  bool function(Linkage);
  bool add_function(Function const& head, std::size_t& index);
  bool body(Function&);
  [[nodiscard]] std::optional<std::uint32_t> element_bytes(std::string_view name) const;

  Reader in_;
  Module module_;
  std::deque<std::string> names_;
  std::map<std::string_view, Known> known_;
};

} // namespace pegasus::ptx

// SPDX-License-Identifier: Apache-2.0
// Reads the files of a program: its own, the libraries that it is linked with, Python's modules. Nothing of them is
// executed.
#pragma once

#include "ctl/doctor/facts.h"
#include "ctl/doctor/library_search.h"
#include "ctl/doctor/translation.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pegasus::ctl::doctor {

class Examination {
public:
  // `library_directory`: that of our guest libraries.
  Examination(std::string library_directory, LibrarySearch const& search, Translation const& translation);

  // The program and the libraries that it is linked with, directly or through others.
  void add_program(std::string const& path);
  // A library that a program loads by itself.
  void add_module(std::string const& path);

  [[nodiscard]] Facts finish() &&;

private:
  // What one of our libraries exports, and which of that refuses.
  struct OurLibrary {
    std::set<std::string, std::less<>> exported, refused;
  };
  // An imported function that our library does not have; another object may.
  struct Missing {
    std::size_t object;
    std::string library, function;
  };

  void add_object(std::string const& path, relink::ElfFile const& file, bool is_program);
  // Decides about the libraries that an object asks for; appends to the line those that are to be examined. NVIDIA's are
  // known by their names, unless one has its symbols.
  void add_needed(Asker const& asker, bool follow);
  [[nodiscard]] bool runtime_is_replaced(relink::ElfFile const& library) const;
  void note_runtime(relink::ElfFile const& file, ObjectFacts& object) const;
  void note_functions(relink::ElfFile const& file, ObjectFacts& object);
  [[nodiscard]] OurLibrary const& our_library(std::string const& name);
  void forget_what_others_define();

  std::string library_directory_;
  LibrarySearch const& search_;
  Translation const& translation_;
  Facts facts_;
  std::map<std::string, OurLibrary> ours_;
  std::deque<Asker> line_; // the objects that were found; each stays where it is
  std::set<std::string> seen_;
  std::vector<Missing> missing_;
};

} // namespace pegasus::ctl::doctor

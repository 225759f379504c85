// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/examination.h"

#include "ctl/doctor/embedded_images.h"
#include "ctl/doctor/known_libraries.h"
#include "frontend/relink/plan.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace pegasus::ctl::doctor {
namespace {

constexpr std::size_t most_objects = 1000; // far more libraries than any program is linked with
constexpr std::uint64_t most_refusal_bytes = std::uint64_t{1} << 20;
constexpr std::string_view libcuda = "libcuda.so.1";

bool is_runtime(std::string_view library) { return library.starts_with("libcudart.so."); }
bool is_ours(std::string_view library) { return library == libcuda || is_runtime(library); }

// "cuMemAlloc_v2", not "curl_easy_init" or "cudaMalloc".
bool is_of_driver(std::string_view function) {
  return function.size() > 2 && function[2] >= 'A' && function[2] <= 'Z';
}

} // namespace

Examination::Examination(std::string library_directory, LibrarySearch const& search,
                         Translation const& translation)
    : library_directory_(std::move(library_directory)), search_(search), translation_(translation) {}

void Examination::add_program(std::string const& path) {
  auto const program = relink::ElfFile::open(path);
  if (!program) return;
  std::size_t const first = line_.size();
  line_.push_back({path, program->dynamic(), nullptr});
  add_object(path, *program, true);
  for (std::size_t i = first; i < std::min(line_.size(), most_objects); ++i) {
    if (i > first)
      if (auto const library = relink::ElfFile::open(line_[i].path))
        add_object(line_[i].path, *library, false);
    add_needed(line_[i], true);
  }
}

void Examination::add_module(std::string const& path) {
  auto const module = relink::ElfFile::open(path);
  if (!module) return;
  add_object(path, *module, false);
  line_.push_back({path, module->dynamic(), nullptr});
  add_needed(line_.back(), false);
}

void Examination::add_needed(Asker const& asker, bool follow) {
  for (std::string const& name : asker.told.needed) {
    if (is_ours(name)) continue; // `pegasus run` preloads it
    KnownLibrary const* const known = known_library(name);
    if ((known == nullptr && !follow) || !seen_.insert(name).second) continue;
    auto const path = search_.find(name, asker);
    auto const file = path ? relink::ElfFile::open(*path) : std::nullopt;
    if (!file && follow) facts_.not_found.push_back({name, asker.path});
    if (known != nullptr && (known->works || !file || !runtime_is_replaced(*file)))
      facts_.nvidia.push_back({name, asker.path});
    else if (file && follow)
      line_.push_back({*path, file->dynamic(), &asker});
  }
}

bool Examination::runtime_is_replaced(relink::ElfFile const& library) const {
  return cuda_runtime_of(library) == CudaRuntime::nvidia_static &&
         why_not_replaced(library, library_directory_).empty();
}

void Examination::add_object(std::string const& path, relink::ElfFile const& file, bool is_program) {
  ObjectFacts object;
  object.path = path;
  object.is_program = is_program;
  note_runtime(file, object);
  note_functions(file, object);
  EmbeddedImages const images(file);
  for (std::size_t i = 0; i < images.count(); ++i)
    if (translation_.is_over()) {
      ++object.images.images;
      ++object.images.left;
    } else {
      translation_.add(images.image(i), object.images);
    }
  bool const has_cuda =
      object.runtime != CudaRuntime::unknown || object.asks_for_libcuda || object.images.images > 0;
  if (has_cuda || is_program)
    facts_.objects.push_back(std::move(object));
  else
    ++facts_.plain_objects;
}

void Examination::note_runtime(relink::ElfFile const& file, ObjectFacts& object) const {
  object.runtime = cuda_runtime_of(file);
  for (std::string const& name : file.needed()) {
    if (is_runtime(name)) object.libcudart = name;
    if (name == libcuda) object.asks_for_libcuda = true;
  }
  if (object.runtime != CudaRuntime::nvidia_static) return;
  object.release = relink::release_of(relink::runtime_functions(file, SHT_SYMTAB));
  object.not_replaced = why_not_replaced(file, library_directory_);
}

void Examination::note_functions(relink::ElfFile const& file, ObjectFacts& object) {
  auto const note = [&](std::string const& name, std::span<std::string_view const> prefixes) {
    OurLibrary const& ours = our_library(name);
    FunctionFacts facts{.library = name};
    for (std::string& function : file.symbols(false, prefixes)) {
      if (name == libcuda && !is_of_driver(function)) continue;
      if (!ours.exported.contains(function))
        missing_.push_back({facts_.objects.size(), name, std::move(function)});
      else if (ours.refused.contains(function))
        facts.refused.push_back(std::move(function));
    }
    if (!facts.refused.empty()) object.functions.push_back(std::move(facts));
  };
  static constexpr std::array<std::string_view, 2> of_runtime = {"cuda", "__cuda"};
  static constexpr std::array<std::string_view, 1> of_driver = {"cu"};
  if (object.runtime == CudaRuntime::shared) note(object.libcudart, of_runtime);
  if (object.asks_for_libcuda) note(std::string(libcuda), of_driver);
}

Examination::OurLibrary const& Examination::our_library(std::string const& name) {
  auto const [at, is_new] = ours_.try_emplace(name);
  if (!is_new) return at->second;
  auto const file = relink::ElfFile::open(library_directory_ + "/" + name);
  if (!file) return at->second; // check_guest_libraries() says so
  static constexpr std::array<std::string_view, 2> all = {"cu", "__cu"};
  for (std::string& function : file->symbols(true, all))
    at->second.exported.insert(std::move(function));
  // PEGASUS_REFUSE puts the names there, with zeros between them.
  std::string const names = file->section(".pegasus_refusals", most_refusal_bytes).bytes;
  for (std::size_t begin = 0; begin < names.size();) {
    std::size_t const end = std::min(names.find('\0', begin), names.size());
    if (end > begin) at->second.refused.insert(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return at->second;
}

// Other libraries may have functions whose names begin like CUDA's.
void Examination::forget_what_others_define() {
  if (missing_.empty()) return;
  std::set<std::string, std::less<>> defined;
  static constexpr std::array<std::string_view, 2> all = {"cu", "__cu"};
  for (Asker const& object : line_)
    if (auto const file = relink::ElfFile::open(object.path))
      for (std::string& function : file->symbols(true, all))
        defined.insert(std::move(function));
  std::erase_if(missing_, [&](Missing const& missing) {
    return defined.contains(missing.function) || ours_[missing.library].exported.empty();
  });
}

Facts Examination::finish() && {
  forget_what_others_define();
  for (Missing& missing : missing_) {
    auto& functions = facts_.objects[missing.object].functions;
    auto found = std::ranges::find(functions, missing.library, &FunctionFacts::library);
    if (found == functions.end()) found = functions.insert(found, FunctionFacts{.library = missing.library});
    found->missing.push_back(std::move(missing.function));
  }
  return std::move(facts_);
}

} // namespace pegasus::ctl::doctor

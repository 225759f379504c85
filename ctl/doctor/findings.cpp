// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/findings.h"

#include "cli/words.h"
#include "ctl/doctor/image_findings.h"
#include "ctl/doctor/known_libraries.h"

#include <algorithm>
#include <fmt/core.h>

namespace pegasus::ctl::doctor {
namespace {

constexpr std::size_t most_names = 8;        // of functions in one finding
constexpr std::size_t most_reasons_said = 4; // in the verdict

std::string file_name(std::string const& path) { return path.substr(path.rfind('/') + 1); }

std::string listed(std::vector<std::string> const& names) {
  std::vector<std::string> const first(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most_names)));
  std::string const all = cli::joined(first);
  return names.size() > most_names ? fmt::format("{} and {} more", all, names.size() - most_names) : all;
}

// A library's runtime that fails lets the program's other calls work.
Finding unusable_runtime(ObjectFacts const& object, RuntimeProblem const& problem) {
  std::string const name = file_name(object.path);
  return {.weight = object.is_program ? Weight::all : Weight::part,
          .object = name,
          .about = "runtime",
          .what = problem.what,
          .remedy = problem.remedy,
          .brief = fmt::format("{} {}", name, problem.what)};
}

Finding runtime_finding(ObjectFacts const& object, std::string const& library_directory) {
  Finding note{.object = file_name(object.path), .about = "runtime", .what = ""};
  switch (object.runtime) {
  case CudaRuntime::shared:
    note.what = fmt::format("uses {}: `pegasus run` puts Pegasus's in its place", object.libcudart);
    break;
  case CudaRuntime::other_release:
    return unusable_runtime(object, of_other_release());
  case CudaRuntime::ours_static:
    note.what = "holds Pegasus's static runtime";
    break;
  case CudaRuntime::nvidia_static:
    if (!object.not_replaced.empty())
      return unusable_runtime(object, not_replaced(object.not_replaced, library_directory));
    note.what =
        fmt::format("holds NVIDIA's static runtime of CUDA {}: replaced when it is loaded", object.release);
    break;
  case CudaRuntime::unknown:
    note.what = object.asks_for_libcuda ? "none: it uses the driver API (libcuda.so.1)"
                                        : "no CUDA is to be seen; what it loads or starts later is not";
    break;
  }
  return note;
}

void add_functions(std::vector<Finding>& findings, ObjectFacts const& object) {
  std::string const name = file_name(object.path);
  for (FunctionFacts const& functions : object.functions) {
    bool const of_driver = functions.library.starts_with("libcuda.so");
    if (!functions.refused.empty())
      findings.push_back(
          {.weight = Weight::part,
           .object = name,
           .about = "functions",
           .what = fmt::format("not supported by Pegasus's {}: {}; a call returns {}", functions.library,
                               listed(functions.refused),
                               of_driver ? "CUDA_ERROR_NOT_SUPPORTED" : "cudaErrorNotSupported"),
           .remedy = "do without them",
           .brief = fmt::format("calls of {}", listed(functions.refused))});
    if (!functions.missing.empty())
      findings.push_back(
          {.weight = Weight::part,
           .object = name,
           .about = "functions",
           .what =
               fmt::format("not in Pegasus's {}: {}; the program ends when it calls one, or does not start",
                           functions.library, listed(functions.missing)),
           .remedy = "do without them",
           .brief = fmt::format("calls of {}", listed(functions.missing))});
  }
}

void add_libraries(std::vector<Finding>& findings, Facts const& facts) {
  for (NeededLibrary const& library : facts.nvidia) {
    KnownLibrary const* const known = known_library(library.name);
    if (known == nullptr) continue;
    if (known->works) {
      findings.push_back({.object = library.name,
                          .about = "library",
                          .what = fmt::format("{}, for {}", known->name, file_name(library.needed_by))});
      continue;
    }
    findings.push_back(
        {.weight = Weight::part,
         .object = library.name,
         .about = "library",
         .what = fmt::format("{}, for {}, contains NVIDIA's runtime, which works on NVIDIA's driver only: "
                             "its first call fails, and a message says why",
                             known->name, file_name(library.needed_by)),
         .remedy = "use only what does not need it",
         .brief = fmt::format("calls of {}", known->name)});
  }
  for (NeededLibrary const& library : facts.not_found)
    findings.push_back({.weight = Weight::all,
                        .object = library.name,
                        .about = "library",
                        .what = fmt::format("{} needs it, and the dynamic linker will not find it",
                                            file_name(library.needed_by)),
                        .remedy = "install it, or name its directory in LD_LIBRARY_PATH",
                        .brief = fmt::format("{} is not found", library.name)});
}

void add_packages(std::vector<Finding>& findings, Facts const& facts) {
  std::vector<std::string> wheels;
  for (Package const& package : facts.packages) {
    KnownPackage const* const known = known_package(package.name);
    if (known == nullptr) continue;
    if (known->says.empty()) {
      wheels.push_back(package.name);
      continue;
    }
    findings.push_back({.weight = known->lacks.empty() ? Weight::note : Weight::part,
                        .object = fmt::format("{} {}", package.name, package.version),
                        .about = "package",
                        .what = std::string(known->says),
                        .remedy = std::string(known->remedy),
                        .brief = fmt::format("{}: {}", package.name, known->lacks)});
  }
  if (!wheels.empty())
    findings.push_back({.object = "NVIDIA's wheels", .about = "package", .what = cli::joined(wheels)});
  if (facts.is_python && facts.packages.empty())
    findings.push_back({.object = file_name(facts.program),
                        .about = "package",
                        .what = fmt::format("none that uses CUDA is known in {}",
                                            facts.directories.empty() ? "this environment"
                                                                      : cli::joined(facts.directories))});
  if (facts.modules_left > 0)
    findings.push_back({.about = "package",
                        .what = fmt::format("not looked at, for their number: {}",
                                            counted(facts.modules_left, "extension module"))});
}

// Findings with one remedy stand together.
struct Reason {
  std::string what;
  std::string remedy;
};

std::vector<Reason> reasons_of(std::vector<Finding> const& findings, Weight weight) {
  std::vector<Reason> reasons;
  for (Finding const& finding : findings) {
    if (finding.weight != weight) continue;
    std::string const& what = finding.brief.empty() ? finding.what : finding.brief;
    auto const same = std::ranges::find(reasons, finding.remedy, &Reason::remedy);
    if (same == reasons.end())
      reasons.push_back({what, finding.remedy});
    else if (same->what.find(what) == std::string::npos)
      same->what += "; " + what;
  }
  return reasons;
}

std::string verdict_of(std::vector<Finding> const& findings, Weight weight) {
  if (weight == Weight::note) return "will run";
  std::vector<Reason> const reasons = reasons_of(findings, weight);
  std::string said;
  for (std::size_t i = 0; i < std::min(reasons.size(), most_reasons_said); ++i) {
    said += (i == 0 ? "" : "; ") + reasons[i].what;
    if (!reasons[i].remedy.empty()) said += fmt::format(" ({})", reasons[i].remedy);
  }
  if (reasons.size() > most_reasons_said) said += "; and what is said above";
  if (weight == Weight::part) return "will run except: " + said;
  bool const on_software = std::ranges::all_of(
      findings, [weight](Finding const& finding) { return finding.weight != weight || finding.on_software; });
  return fmt::format("will not run{}: {}", on_software ? " on the software accelerator" : "", said);
}

void add_objects(std::vector<Finding>& findings, Facts const& facts, std::string const& library_directory,
                 bool each_kernel) {
  for (ObjectFacts const& object : facts.objects) {
    std::string const name = file_name(object.path);
    bool const others_run = std::ranges::any_of(facts.objects, [&object](ObjectFacts const& other) {
      return &other != &object && has_usable_code(other.images);
    });
    bool const is_needed = !others_run && !facts.is_python && known_library(name) == nullptr;
    if (object.runtime != CudaRuntime::unknown || !facts.is_python)
      findings.push_back(runtime_finding(object, library_directory));
    add_functions(findings, object);
    for (Finding& finding : image_findings(object.images, name, is_needed, each_kernel))
      findings.push_back(std::move(finding));
  }
}

} // namespace

Diagnosis diagnose(Facts const& facts, std::string const& library_directory, bool each_kernel) {
  Diagnosis diagnosis;
  std::vector<Finding>& findings = diagnosis.findings;
  if (!facts.incomplete.empty())
    findings.push_back({.weight = Weight::all, .about = "program", .what = facts.incomplete});
  if (!facts.script_of.empty())
    findings.push_back(
        {.object = file_name(facts.program),
         .about = "program",
         .what = fmt::format("is a script of {}: what it starts is not looked at", facts.script_of)});
  if (facts.objects.empty() && facts.script_of.empty() && !facts.is_python)
    findings.push_back({.object = file_name(facts.program),
                        .about = "program",
                        .what = "is not a program for 64-bit x86 that can be read: nothing is known of it"});
  add_packages(findings, facts);
  add_objects(findings, facts, library_directory, each_kernel);
  add_libraries(findings, facts);
  if (facts.plain_objects > 0 && !facts.is_python)
    findings.push_back(
        {.about = "library", .what = counted(facts.plain_objects, "more shared object") + " without CUDA"});
  for (Finding const& finding : findings)
    diagnosis.weight = std::max(diagnosis.weight, finding.weight);
  diagnosis.verdict = verdict_of(findings, diagnosis.weight);
  return diagnosis;
}

} // namespace pegasus::ctl::doctor

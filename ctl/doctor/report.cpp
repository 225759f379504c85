// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/report.h"

#include "cli/printable.h"

#include <fmt/core.h>

namespace pegasus::ctl::doctor {
namespace {

char const* word(Weight weight) {
  return weight == Weight::note ? "note" : weight == Weight::part ? "part" : "all";
}

char const* word(CudaRuntime runtime) {
  switch (runtime) {
  case CudaRuntime::shared:
    return "shared";
  case CudaRuntime::other_release:
    return "other_release";
  case CudaRuntime::ours_static:
    return "pegasus_static";
  case CudaRuntime::nvidia_static:
    return "nvidia_static";
  case CudaRuntime::unknown:
    break;
  }
  return "none";
}

Json kernels_json(std::vector<UnusableKernel> const& kernels) {
  Json list = Json::array();
  for (UnusableKernel const& kernel : kernels)
    list.push_back({{"kernel", kernel.name}, {"reason", kernel.reason}, {"line", kernel.line}});
  return list;
}

Json object_json(ObjectFacts const& object) {
  Json refused = Json::array(), missing = Json::array();
  for (FunctionFacts const& functions : object.functions) {
    for (std::string const& name : functions.refused)
      refused.push_back(name);
    for (std::string const& name : functions.missing)
      missing.push_back(name);
  }
  ImageFacts const& images = object.images;
  return {{"path", object.path},
          {"runtime", word(object.runtime)},
          {"replaced", object.runtime == CudaRuntime::nvidia_static && object.not_replaced.empty()},
          {"driver_api", object.asks_for_libcuda},
          {"refused_functions", std::move(refused)},
          {"missing_functions", std::move(missing)},
          {"images", images.images},
          {"images_without_code", images.without_code},
          {"images_left", images.left},
          {"ptx", images.found.ptx},
          {"machine_code", images.found.machine},
          {"kernels", images.kernels},
          {"kernels_left", images.kernels_left},
          {"unusable_kernels", kernels_json(images.unusable)}};
}

char const* name_of(Weight weight) {
  return weight == Weight::note ? "runs" : weight == Weight::part ? "runs_in_part" : "does_not_run";
}

} // namespace

std::string report_text(Diagnosis const& diagnosis, Shown const& shown) {
  Table table({{.title = "OBJECT", .align = Align::left},
               {.title = "ABOUT", .align = Align::left},
               {.title = "FOUND", .align = Align::left, .text = true}});
  for (Finding const& finding : diagnosis.findings)
    table.add_row({finding.object, finding.about,
                   finding.what + (finding.remedy.empty() ? "" : "; " + finding.remedy)});
  return table.text(shown) + line_beside("\n" + cli::printable(diagnosis.verdict) + "\n", shown);
}

Json report_json(Facts const& facts, Diagnosis const& diagnosis) {
  Json findings = Json::array(), objects = Json::array(), packages = Json::array();
  for (Finding const& finding : diagnosis.findings)
    findings.push_back({{"weight", word(finding.weight)},
                        {"object", finding.object},
                        {"about", finding.about},
                        {"what", finding.what},
                        {"remedy", finding.remedy}});
  for (ObjectFacts const& object : facts.objects)
    objects.push_back(object_json(object));
  for (Package const& package : facts.packages)
    packages.push_back({{"name", package.name}, {"version", package.version}});
  return {{"program", facts.program},      {"verdict", name_of(diagnosis.weight)},
          {"sentence", diagnosis.verdict}, {"findings", std::move(findings)},
          {"objects", std::move(objects)}, {"packages", std::move(packages)}};
}

} // namespace pegasus::ctl::doctor

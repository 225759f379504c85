// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/report.h"

#include <catch2/catch.hpp>
#include <sstream>

using namespace pegasus::ctl;
using namespace pegasus::ctl::doctor;

namespace {

Diagnosis const diagnosis{
    .findings = {{.weight = Weight::part,
                  .object = "app\x1b[2J",
                  .about = "functions",
                  .what =
                      "not supported by Pegasus's libcudart.so.13: cudaMallocArray; a call returns an error",
                  .remedy = "do without them"}},
    .weight = Weight::part,
    .verdict = "will run except: calls of cudaMallocArray (do without them)"};

} // namespace

TEST_CASE("the report: a table, and the verdict as the last line") {
  CHECK(report_text(diagnosis, {}) ==
        "OBJECT   ABOUT      FOUND\n"
        "app?[2J  functions  not supported by Pegasus's libcudart.so.13: cudaMallocArray; a call returns an "
        "error; do "
        "without them\n\nwill run except: calls of cudaMallocArray (do without them)\n");
}

TEST_CASE("the report fits a terminal") {
  std::istringstream lines(report_text(diagnosis, {.columns = 60}));
  for (std::string line; std::getline(lines, line);)
    CHECK(line.size() <= 60);
}

TEST_CASE("the report as JSON") {
  Facts facts;
  facts.program = "/opt/app";
  ObjectFacts object{.path = "/opt/app", .is_program = true, .runtime = CudaRuntime::nvidia_static};
  object.functions.push_back({"libcudart.so.13", {"cudaMallocArray"}, {"cudaNew"}});
  object.images.images = 2;
  object.images.found.ptx = {"compute_75"};
  object.images.unusable = {{"_Z1kv", "unknown", 3}};
  facts.objects.push_back(object);
  facts.packages = {{"numba", "0.61"}};
  Json const document = report_json(facts, diagnosis);
  CHECK(document["verdict"] == "runs_in_part");
  CHECK(document["sentence"] == diagnosis.verdict);
  CHECK(document["findings"][0]["weight"] == "part");
  CHECK(document["objects"][0]["runtime"] == "nvidia_static");
  CHECK(document["objects"][0]["replaced"] == true);
  CHECK(document["objects"][0]["refused_functions"] == Json::array({"cudaMallocArray"}));
  CHECK(document["objects"][0]["ptx"] == Json::array({"compute_75"}));
  CHECK(document["objects"][0]["unusable_kernels"][0]["line"] == 3);
  CHECK(document["packages"][0]["name"] == "numba");
}

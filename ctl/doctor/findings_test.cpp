// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/findings.h"

#include "ctl/doctor/kernel_name.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace pegasus::ctl;
using namespace pegasus::ctl::doctor;

namespace {

ObjectFacts shared_program() {
  ObjectFacts program{.path = "/opt/app", .is_program = true, .runtime = CudaRuntime::shared};
  program.libcudart = "libcudart.so.13";
  return program;
}

Facts facts_of(ObjectFacts program) {
  Facts facts;
  facts.program = program.path;
  facts.objects.push_back(std::move(program));
  return facts;
}

Diagnosis diagnosis_of(Facts const& facts, bool each_kernel = false) {
  return diagnose(facts, "/opt/p/lib", each_kernel);
}

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

std::size_t count_about(Diagnosis const& diagnosis, std::string const& about) {
  return static_cast<std::size_t>(std::ranges::count(diagnosis.findings, about, &Finding::about));
}

ImageFacts images_of(std::size_t kernels, std::vector<UnusableKernel> unusable) {
  ImageFacts images;
  images.images = 1;
  images.kernels = kernels;
  images.unusable = std::move(unusable);
  images.found.ptx = {"compute_75"};
  return images;
}

} // namespace

TEST_CASE("nothing stands in the way") {
  ObjectFacts program = shared_program();
  program.images = images_of(3, {});
  Diagnosis const diagnosis = diagnosis_of(facts_of(program));
  CHECK(diagnosis.weight == Weight::note);
  CHECK(diagnosis.verdict == "will run");
  CHECK(has(diagnosis.findings[0].what, "libcudart.so.13"));
  CHECK(has(diagnosis.findings[1].what, "1 image: PTX for compute_75"));
  CHECK(has(diagnosis.findings[2].what, "3 kernels can run"));
}

TEST_CASE("a runtime that cannot be replaced: the program's own, and a library's") {
  ObjectFacts object{.path = "/opt/app", .is_program = true, .runtime = CudaRuntime::nvidia_static};
  object.not_replaced = "its symbols are stripped";
  Diagnosis const of_program = diagnosis_of(facts_of(object));
  CHECK(of_program.weight == Weight::all);
  CHECK(of_program.verdict.starts_with("will not run: app holds NVIDIA's static CUDA runtime"));
  CHECK(has(of_program.verdict, "/opt/p/lib/libcudart_static.a"));

  Facts facts = facts_of(shared_program());
  object.path = "/opt/libpart.so";
  object.is_program = false;
  facts.objects.push_back(object);
  Diagnosis const of_library = diagnosis_of(facts);
  CHECK(of_library.weight == Weight::part);
  CHECK(of_library.verdict.starts_with("will run except: libpart.so holds"));
}

TEST_CASE("images without PTX: all that the program has, and some of it") {
  ObjectFacts program = shared_program();
  program.images.images = 2;
  program.images.without_code = 2;
  program.images.found.machine = {"sm_90"};
  Facts facts = facts_of(program);
  Diagnosis const nothing = diagnosis_of(facts);
  CHECK(nothing.weight == Weight::all);
  CHECK(nothing.verdict.starts_with("will not run on the software accelerator: 2 of 2 images of app"));
  CHECK(has(nothing.verdict, "arch=compute_75,code=compute_75"));
  CHECK_FALSE(has(nothing.verdict, "--compute-capability"));
  facts.objects.front().images.found.ptx = {"compute_80"};
  CHECK(has(diagnosis_of(facts).verdict, "or give pegasusd or `pegasus run` --compute-capability 8.0"));

  ObjectFacts library{.path = "/opt/libpart.so", .runtime = CudaRuntime::shared};
  library.images = images_of(1, {});
  facts.objects.push_back(library);
  CHECK(diagnosis_of(facts).weight == Weight::part);
}

TEST_CASE("kernels that will not run are grouped by their reason, the most frequent first") {
  ObjectFacts program = shared_program();
  program.images =
      images_of(5, {{"_Z1av", "unknown 'x'", 7}, {"b", "unknown 'y'", 9}, {"c", "unknown 'y'", 4}});
  Facts const facts = facts_of(program);
  Diagnosis const diagnosis = diagnosis_of(facts);
  CHECK(diagnosis.weight == Weight::part);
  CHECK(has(diagnosis.verdict, "3 of 5 kernels of app: unknown 'y', and 1 more reason"));
  REQUIRE(count_about(diagnosis, "instruction") == 2);
  CHECK(diagnosis.findings[3].what == "unknown 'y': 2 kernels, first b, PTX line 9");
  CHECK(diagnosis.findings[4].what == "unknown 'x': 1 kernel, first a(), PTX line 7");
  CHECK(count_about(diagnosis_of(facts, true), "instruction") == 3);
}

TEST_CASE("a program of which no kernel will run") {
  ObjectFacts program = shared_program();
  program.images = images_of(1, {{"k", "unknown 'x'", 1}});
  CHECK(diagnosis_of(facts_of(program)).weight == Weight::all);
  program.images.left = 1; // there may be more
  CHECK(diagnosis_of(facts_of(program)).weight == Weight::part);
}

TEST_CASE("many reasons are cut, and many names") {
  ObjectFacts program = shared_program();
  std::vector<UnusableKernel> unusable;
  for (int i = 0; i < 30; ++i)
    unusable.push_back({"k" + std::to_string(i), "reason " + std::to_string(i), 0});
  program.images = images_of(40, unusable);
  FunctionFacts functions{.library = "libcudart.so.13"};
  for (int i = 0; i < 20; ++i)
    functions.refused.push_back("cudaF" + std::to_string(i));
  program.functions.push_back(functions);
  Diagnosis const diagnosis = diagnosis_of(facts_of(program));
  CHECK(count_about(diagnosis, "instruction") == 21);
  CHECK(diagnosis.findings.back().what == "10 more reasons; --verbose shows each kernel");
  CHECK(has(diagnosis.verdict, "cudaF7 and 12 more"));
}

TEST_CASE("functions: refused, or absent") {
  ObjectFacts program = shared_program();
  program.functions.push_back({"libcudart.so.13", {"cudaMallocArray"}, {"cudaNew"}});
  program.functions.push_back({"libcuda.so.1", {"cuTexObjectCreate"}, {}});
  Diagnosis const diagnosis = diagnosis_of(facts_of(program));
  CHECK(diagnosis.verdict == "will run except: calls of cudaMallocArray; calls of cudaNew; calls of "
                             "cuTexObjectCreate (do without them)");
  CHECK(has(diagnosis.findings[1].what, "cudaErrorNotSupported"));
  CHECK(has(diagnosis.findings[2].what, "not in Pegasus's libcudart.so.13: cudaNew"));
  CHECK(has(diagnosis.findings[3].what, "CUDA_ERROR_NOT_SUPPORTED"));
}

TEST_CASE("NVIDIA's libraries, those that work, and those that are not there") {
  Facts facts = facts_of(shared_program());
  facts.nvidia = {{"libnvrtc.so.13", "/opt/app"}};
  CHECK(diagnosis_of(facts).weight == Weight::note);
  facts.nvidia.push_back({"libcublas.so.13", "/opt/app"});
  CHECK(diagnosis_of(facts).verdict == "will run except: calls of cuBLAS (use only what does not need it)");
  facts.not_found = {{"libmissing.so", "/opt/app"}};
  Diagnosis const diagnosis = diagnosis_of(facts);
  CHECK(diagnosis.weight == Weight::all);
  CHECK(has(diagnosis.verdict, "libmissing.so is not found"));
}

TEST_CASE("Python: packages come first, and an environment without any") {
  Facts facts;
  facts.program = "/venv/bin/python3";
  facts.is_python = true;
  facts.directories = {"/venv/lib/python3.11/site-packages"};
  CHECK(diagnosis_of(facts).weight == Weight::note);
  CHECK(has(diagnosis_of(facts).findings.front().what, "/venv/lib/python3.11/site-packages"));
  facts.packages = {{"cupy-cuda13x", "14.2.0"}, {"numba", "0.61"}, {"nvidia-cublas", "13.0"}};
  Diagnosis const diagnosis = diagnosis_of(facts);
  CHECK(diagnosis.findings.front().object == "cupy-cuda13x 14.2.0");
  CHECK(has(diagnosis.verdict, "CUPY_ACCELERATORS="));
  CHECK(diagnosis.findings.back().what == "nvidia-cublas");
}

TEST_CASE("a file that says nothing") {
  Facts facts;
  facts.program = "/opt/data";
  Diagnosis const diagnosis = diagnosis_of(facts);
  CHECK(diagnosis.weight == Weight::note);
  CHECK(has(diagnosis.findings.front().what, "nothing is known of it"));
}

TEST_CASE("a module of Python without usable code does not keep Python from running") {
  Facts facts;
  facts.is_python = true;
  ObjectFacts module{.path = "/venv/cub.so", .runtime = CudaRuntime::unknown};
  module.images.images = module.images.without_code = 1;
  facts.objects.push_back(module);
  CHECK(diagnosis_of(facts).weight == Weight::part);
}

TEST_CASE("names of kernels are readable") {
  CHECK(readable_kernel("_Z6sampleyPf") == "sample(unsigned long long, float*)");
  CHECK(readable_kernel("plain") == "plain");
  CHECK(readable_kernel(std::string(500, 'x')).size() == 100);
}

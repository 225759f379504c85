// SPDX-License-Identifier: Apache-2.0
// The kernels that slice() refuses, and the reason it returns.
#include "domA/device/slicing/slice.h"

#include "domA/device/slicing/test_text.h"

using namespace pegasus::slicing;
using namespace pegasus::slicing::test;
using Catch::Contains;
using pegasus::ptx::test::kernel_with;
using pegasus::ptx::test::module_with;

namespace {

struct Row {
  char const *body, *before, *reason;
};

void check(std::initializer_list<Row> rows) {
  for (Row const& row : rows)
    CHECK_THAT(refusal(kernel_with(row.body, row.before)), Contains(row.reason));
}

} // namespace

TEST_CASE("refused: what is about the launch as a whole") {
  check({
      {"mov.u32 %r1, %envreg2;", "", "it reads '%envreg2', which may be about the launch as a whole"},
      {"mov.u64 %rd1, %gridid;", "", "it reads '%gridid'"},
      {"mov.u32 %r1, %clusterid.x;", "", "it reads '%clusterid.x'"},
      {"mov.u32 %r1, %nclusterid.x;", "", "it reads '%nclusterid.x'"},
      {"mov.u32 %r1, %cluster_ctarank;", "", "it reads '%cluster_ctarank'"},
      {"mov.pred %p1, %is_explicit_cluster;", "", "it reads '%is_explicit_cluster'"},
      {"mov.u64 %rd1, %current_graph_exec;", "", "it reads '%current_graph_exec'"},
      {"mov.u32 %r1, %not_invented_yet;", "", "it reads '%not_invented_yet'"},
      {"griddepcontrol.wait;", "", "'griddepcontrol.wait' is about a cluster or the launch as a whole"},
      {"clusterlaunchcontrol.try_cancel.async.b128 [%rd1], [%rd2];", "", "'clusterlaunchcontrol.try_cancel'"},
      {"barrier.cluster.arrive;", "", "'barrier.cluster'"},
      {"mapa.u64 %rd1, %rd2, %r1;", "", "'mapa.u64'"},
      {"getctarank.u64 %r1, %rd1;", "", "'getctarank.u64'"},
      {"call.uni second;", ".func second() { .reg .b32 %r<2>; mov.u32 %r1, %envreg1; ret; }",
       "it reads '%envreg1', which may be about the launch as a whole (in the function 'second')"},
  });
  for (auto const directive : {".reqnctapercluster 2, 1, 1", ".explicitcluster", ".maxclusterrank 4"})
    CHECK_THAT(refusal(module_with(std::string(".entry k() ") + directive + " { ret; }")),
               Contains("its launches are in clusters"));
}

TEST_CASE("refused: a block's index where it cannot be replaced") {
  check({
      {"mov.v4.u32 {%r1, %r2, %r3, %r4}, %ctaid;", "", "it reads '%ctaid' as a vector"},
      {"mov.u32 %r1, %ctaid.w;", "", "it reads '%ctaid.w' as a vector"},
      {"mov.u64 %rd1, %ctaid.x;", "", "it reads '%ctaid.x' as a value that has not 32 bits"},
      {".reg .b32 %ctaid; mov.b32 %r1, %ctaid;", "", "it gives the name '%ctaid' a meaning of its own"},
      {"call.uni second;", ".func second() { .reg .b32 %r<2>; mov.u32 %r1, %ctaid.x; ret; }",
       "it reads '%ctaid.x', and only a kernel is told its piece (in the function 'second')"},
      {"call.uni second;",
       ".func third() { .reg .b32 %r<2>; mov.u32 %r1, %nctaid.x; ret; }\n.func second() { call.uni third; "
       "ret; }",
       "it reads '%nctaid.x', and only a kernel is told its piece (in the function 'third')"},
  });
}

TEST_CASE("refused: code and data of the module as loaded") {
  constexpr auto variables = ".global .align 4 .u32 counter;\n.visible .global .align 8 .b8 table[64];\n";
  check({
      {"call.uni %rd1, p;\np: .callprototype _ ();", "", "it calls through a pointer"},
      {"mov.u64 %rd1, second;", ".func second() { ret; }", "it takes the address of the function 'second'"},
      {"call.uni second;", ".extern .func second();", "it calls 'second', which is not in this text"},
      {"call.uni cudaLaunchDeviceV2;", ".extern .func cudaLaunchDeviceV2();",
       "it launches kernels ('cudaLaunchDeviceV2')"},
      {"call.uni __cudaCDP2LaunchDevice;", ".extern .func __cudaCDP2LaunchDevice();", "it launches kernels"},
      {"mov.u64 %rd1, other;", ".entry other() { ret; }", "its code names the kernel 'other'"},
      {"ld.const.f32 %f1, [offset];", ".const .align 4 .f32 offset = 1.0;",
       "it uses the .const variable 'offset'"},
      {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [picture, {%r1}];", ".global .texref picture;",
       "it uses the texture, sampler or surface 'picture'"},
      {".global .u32 own; ld.global.u32 %r1, [own];", "", "it declares the variable 'own' inside its code"},
      {"mov.u64 %rd1, missing;", ".global .u32 missing;", "the loaded module has no variable 'missing'"},
      {"mov.u64 %rd1, nowhere;", "", "it uses 'nowhere', which is not in this text"},
      {"mov.u64 %rd1, $str;", ".global .align 8 .b8 $str[8] = {0xFF(counter)};\n.global .u32 counter;",
       "the loaded module has no variable '$str'"},
      {"mov.u32 %r1, counter;", variables, "it takes less than 64 bits of the address of 'counter'"},
      {"ld.global.u32 %r1, table[2];", variables, "it uses an element of 'table' by its number"},
      {"cvta.global.u64 %rd1, table+8;", variables, "it uses 'table' with an offset outside of mov"},
      {"{ .reg .b64 counter; } mov.u64 %rd1, counter;", variables,
       "it gives the name 'counter' a meaning of its own"},
      {"counter: mov.u64 %rd1, counter;", variables, "'counter' is a label and a variable"},
      {"mov.u32 %r1, pegasus_slice_x;", ".shared .u32 pegasus_slice_x;",
       "it uses names with 'pegasus_slice'"},
  });
}

TEST_CASE("refused: parameters that leave no room") {
  auto const with = [](char const* version, char const* bytes) {
    return std::string(".version ") + version + "\n.target sm_75\n.address_size 64\n.entry k(.param .b8 a[" +
           bytes + "]) { ret; }";
  };
  CHECK_THAT(refusal(with("8.0", "4073")),
             Contains("it has 4073 bytes of parameters already, and may have 4096"));
  CHECK_THAT(refusal(with("8.1", "32741")), Contains("may have 32764 at most"));
  CHECK(sliced(with("8.1", "32740")).parameter_offset == 32740);
}

TEST_CASE("refused: texts that are not a module with that kernel") {
  CHECK_THAT(refusal(""), Contains("the text has no kernel 'k'"));
  CHECK_THAT(refusal(kernel_with(""), "other"), Contains("the text has no kernel 'other'"));
  CHECK_THAT(refusal(module_with(".func k() { ret; }")), Contains("the text has no kernel 'k'"));
  CHECK_THAT(refusal(module_with(".entry k();")), Contains("the text has no kernel 'k'"));
  CHECK_THAT(refusal(module_with(".entry k() { ret; ")), Contains("expected '}'"));
  CHECK_THAT(refusal(module_with(".entry k() { ret; } }")), Contains("expected a directive"));
  CHECK_THAT(refusal(module_with(".entry k() { ret; } .entry k() { ret; }")), Contains("defined twice"));
  CHECK_THAT(refusal(module_with(".entry k() { ret; } /* ")), Contains("comment"));
  CHECK_THAT(refusal(".version 7.0\n.target sm_75\n.address_size 32\n.entry k() { ret; }"),
             Contains("32 bits"));
  CHECK_THAT(refusal(module_with(".entry k(.reg .u32 a) { ret; }")), Contains("not in .param space"));
  CHECK_THAT(refusal(module_with(".entry k() { bra NOWHERE; }")), Contains("NOWHERE"));
  // One reader could take this for the end of a block, and another for debug data.
  CHECK_THAT(refusal(module_with(".entry k() { @@ {\nret; } .entry b() { ret; \n@@ }\n}")),
             Contains("does not end"));
}

// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/testing/features.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using avcpu::CallResult;
using avcpu::testing::FeatureGuest;
using device::Dim3;
using device::Status;

namespace {

pegasus_launch_with_attributes_request with_all(FeatureGuest& guest) {
  pegasus_launch_with_attributes_request request{};
  request.launch.function = guest.function();
  request.launch.grid[0] = request.launch.grid[1] = request.launch.grid[2] = 8;
  request.launch.block[0] = request.launch.block[1] = request.launch.block[2] = 1;
  request.attributes.set = PEGASUS_LAUNCH_ALL;
  request.attributes.priority = -5;
  for (std::uint16_t axis = 0; axis < 3; ++axis) {
    request.attributes.cluster[axis] = static_cast<std::uint16_t>(axis + 1);
    request.attributes.preferred_cluster[axis] = static_cast<std::uint16_t>(axis + 2);
  }
  request.attributes.cluster_scheduling = 2;
  request.attributes.memory_domain = 1;
  request.attributes.memory_domain_map[1] = 3;
  request.attributes.carveout = -1;
  return request;
}

void check_all(device::LaunchAttributes const& attributes) {
  CHECK(attributes.cluster == Dim3{1, 2, 3});
  CHECK(attributes.preferred_cluster == Dim3{2, 3, 4});
  CHECK(attributes.cluster_scheduling == 2u);
  CHECK(attributes.priority == -5);
  CHECK(attributes.memory_domain == 1u);
  CHECK(attributes.memory_domain_map == std::array<std::uint8_t, 2>{0, 3});
  CHECK(attributes.carveout == -1);
  CHECK(attributes.programmatic);
}

} // namespace

TEST_CASE("a launch's attributes arrive, with its parameters") {
  FeatureGuest guest;
  pegasus_launch_with_attributes_request request = with_all(guest);
  request.launch.parameter_bytes = 28;
  (void)guest.execute(PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES, request,
                      GENERATE(std::size_t{0}, std::size_t{28}));
  CHECK(guest.synchronize() == Status::success);
  REQUIRE(guest.context->launches.size() == 1);
  check_all(guest.context->launches[0].attributes);
  CHECK(guest.context->launches[0].grid == Dim3{8, 8, 8});
  CHECK(guest.context->launches[0].parameters.size() == 28);
}

TEST_CASE("attributes that are not given do not arrive") {
  FeatureGuest guest;
  pegasus_launch_with_attributes_request request = with_all(guest);
  request.attributes.set = 0;
  (void)guest.execute(PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES, request);
  REQUIRE(guest.context->launches.size() == 1);
  device::LaunchAttributes const& arrived = guest.context->launches[0].attributes;
  CHECK_FALSE((arrived.cluster || arrived.preferred_cluster || arrived.cluster_scheduling ||
               arrived.priority || arrived.memory_domain || arrived.memory_domain_map || arrived.carveout ||
               arrived.programmatic));
}

TEST_CASE("unknown attributes, values beyond CUDA's and missing parameters are refused before the device") {
  FeatureGuest guest;
  pegasus_launch_with_attributes_request request = with_all(guest);
  SECTION("unknown") { request.attributes.set = PEGASUS_LAUNCH_ALL + 1; }
  SECTION("policy") { request.attributes.cluster_scheduling = 4; }
  SECTION("domain") { request.attributes.memory_domain = 2; }
  SECTION("carveout") { request.attributes.carveout = GENERATE(std::int8_t{101}, std::int8_t{-2}); }
  SECTION("parameters") { request.launch.parameter_bytes = 1 + PEGASUS_REQUEST_BODY - sizeof request; }
  (void)guest.execute(PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES, request);
  CHECK(guest.synchronize() == Status::invalid_value);
  CHECK(guest.context->launches.empty());
}

TEST_CASE("a graph stores a launch with its attributes, and launches it in the graph's stream") {
  FeatureGuest guest;
  auto const graph = FeatureGuest::body<pegasus_graph_create_reply>(
      guest.execute(PEGASUS_CALL_GRAPH_CREATE, pegasus_graph_create_request{}));
  auto const stream = FeatureGuest::body<pegasus_stream_create_reply>(
      guest.execute(PEGASUS_CALL_STREAM_CREATE, pegasus_stream_create_request{}));
  struct {
    pegasus_graph_add_request add;
    pegasus_launch_with_attributes_request launch;
  } const added{{graph.graph, PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES, 0}, with_all(guest)};
  (void)guest.execute(PEGASUS_CALL_GRAPH_ADD, added);
  CHECK(guest.execute(PEGASUS_CALL_GRAPH_READY, pegasus_graph_ready_request{graph.graph}).status ==
        Status::success);
  (void)guest.execute(PEGASUS_CALL_GRAPH_LAUNCH, pegasus_graph_launch_request{graph.graph, stream.stream});
  CHECK(guest.synchronize() == Status::success);
  REQUIRE(guest.context->launches.size() == 1);
  check_all(guest.context->launches[0].attributes);
  CHECK(guest.context->streams[0] != nullptr);
}

TEST_CASE("questions about clusters are answered by the device") {
  FeatureGuest guest;
  auto const launch = with_all(guest);
  pegasus_cluster_occupancy_request request{launch.launch, launch.attributes, 1, 0};
  CallResult const answer = guest.execute(PEGASUS_CALL_CLUSTER_OCCUPANCY, request);
  CHECK(answer.status == Status::success);
  CHECK(FeatureGuest::body<pegasus_cluster_occupancy_reply>(answer).value == 16);
  CHECK(guest.context->question == device::ClusterQuestion::active);
  check_all(guest.context->launches.at(0).attributes);
  request.question = 2;
  CHECK(guest.execute(PEGASUS_CALL_CLUSTER_OCCUPANCY, request).status == Status::success);
  CHECK(guest.context->question == device::ClusterQuestion::largest);
  for (std::uint32_t const question : {0u, 3u, 257u, ~0u}) {
    request.question = question;
    CHECK(guest.execute(PEGASUS_CALL_CLUSTER_OCCUPANCY, request).status == Status::invalid_value);
  }
}

TEST_CASE("a device without clusters answers no question about them") {
  testing::NullContext context;
  testing::NullFunction function;
  int value = 0;
  CHECK(context.cluster_occupancy(function, {}, device::ClusterQuestion::active, value) ==
        Status::not_supported);
  device::TensorMap::Descriptor made{};
  CHECK(context.encode_tensor_map({}, made) == Status::not_supported);
}

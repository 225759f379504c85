// SPDX-License-Identifier: Apache-2.0
#include "ctl/commands/set.h"

#include "ctl/commands/command.h"
#include "ctl/text/printable.h"
#include "ctl/text/size.h"

#include <algorithm>
#include <fmt/core.h>
#include <memory>

namespace pegasus::ctl {
namespace {

constexpr std::uint64_t accelerators_max = 1023; // the daemon knows better

constexpr std::string_view valid_settings =
    "the settings are credits=N (1 to 65535), memory=SIZE (64M, 1G; 0: no limit), slo=X (0 to 1), "
    "latency=TIME (100us to 1s; 0: the policy's own slice), host-memory=SIZE (of its workers together; 0: "
    "the "
    "daemon's default) and accelerator=N (as pegasusctl accelerators "
    "counts; any: whichever suits)";

Result<void> parse_setting(std::string_view key, std::string_view value, control::SetDomain& request) {
  if (key == "credits")
    return parse_whole("credits", value, 1, credits_max).map([&](std::uint64_t credits) {
      request.set_credits(static_cast<std::uint32_t>(credits));
    });
  if (key == "memory")
    return parse_size(value).map([&](std::uint64_t bytes) { request.set_memory_bytes(bytes); });
  if (key == "host-memory")
    return parse_size(value).map([&](std::uint64_t bytes) { request.set_host_memory_bytes(bytes); });
  if (key == "slo") return parse_number("slo", value, 0, 1).map([&](double slo) { request.set_slo(slo); });
  if (key == "latency")
    return parse_time("latency", value).map([&](std::chrono::nanoseconds slice) {
      request.set_latency_slice_ns(static_cast<std::uint64_t>(slice.count()));
    });
  if (key == "accelerator") {
    if (value != "any")
      return parse_whole("accelerator", value, 0, accelerators_max).map([&](std::uint64_t index) {
        request.set_accelerator(static_cast<std::int32_t>(index));
      });
    request.set_accelerator(-1);
    return {};
  }
  return fail(FailureKind::usage,
              fmt::format("\"{}\" is no setting of a domain; {}", printable(key), valid_settings));
}

Result<void> set_domain(CommandContext const& context, std::string const& name, bool create,
                        std::vector<std::string> const& words) {
  control::Request request;
  request.mutable_set_domain()->set_name(name);
  request.mutable_set_domain()->set_create(create);
  if (auto parsed = parse_settings(words, *request.mutable_set_domain()); !parsed) return parsed;
  auto const reply = context.ask(request, control::Reply::kDone);
  if (!reply) return tl::unexpected(reply.error());
  if (context.json) return print_json(Json{{"domain", name}, {"done", true}});
  return {};
}

} // namespace

Result<void> parse_settings(std::vector<std::string> const& words, control::SetDomain& request) {
  if (words.empty()) return fail(FailureKind::usage, fmt::format("nothing to set; {}", valid_settings));
  std::vector<std::string_view> seen;
  for (std::string_view const word : words) {
    auto const equals = word.find('=');
    if (equals == std::string_view::npos)
      return fail(FailureKind::usage,
                  fmt::format("\"{}\" is not key=value; {}", printable(word), valid_settings));
    std::string_view const key = word.substr(0, equals);
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      return fail(FailureKind::usage, fmt::format("{} is given twice; {}", printable(key), valid_settings));
    seen.push_back(key);
    if (auto parsed = parse_setting(key, word.substr(equals + 1), request); !parsed) return parsed;
  }
  return {};
}

void add_set_command(CLI::App& app, CommandContext& context) {
  struct Arguments {
    std::string domain;
    std::vector<std::string> settings;
    bool create = false;
  };
  CLI::App* const command =
      app.add_subcommand("set", "change a domain: credits=N memory=SIZE slo=X latency=TIME accelerator=N");
  auto const arguments = std::make_shared<Arguments>();
  command->add_option("DOMAIN", arguments->domain, "the domain's name")->required();
  command->add_option("SETTING", arguments->settings,
                      "credits=1..65535, memory=64M (0: no limit), slo=0..1, latency=100us..1s (0: the "
                      "policy's own slice), accelerator=0 (any: whichever suits)");
  command->add_flag("--create", arguments->create, "make the domain if there is none of this name");
  command->callback([&context, arguments] {
    context.result = set_domain(context, arguments->domain, arguments->create, arguments->settings);
  });
}

} // namespace pegasus::ctl

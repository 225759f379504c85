// SPDX-License-Identifier: Apache-2.0
// European option prices (Black and Scholes 1973), the steady load of the demo: launches of a fixed size with
// occasional synchronisation, for a given time or number of iterations.
#include "workloads/common.h"

using namespace workload;

constexpr float interest = 0.02f, volatility = 0.30f;

struct Options {
  float const* spot;
  float const* strike;
  float const* years;
  float* call;
  float* put;
};

__device__ float normal_cdf(float x) { return 0.5f * erfcf(-0.70710678f * x); }

__global__ void price(Options options, unsigned first, unsigned end) {
  unsigned const i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= end) return;
  float const spot = options.spot[i], strike = options.strike[i], years = options.years[i];
  float const spread = volatility * sqrtf(years);
  float const d1 = (logf(spot / strike) + (interest + 0.5f * volatility * volatility) * years) / spread;
  float const below1 = normal_cdf(d1), below2 = normal_cdf(d1 - spread);
  float const discounted = strike * expf(-interest * years);
  options.call[i] = spot * below1 - discounted * below2;
  options.put[i] = discounted * (1.0f - below2) - spot * (1.0f - below1);
}

static double normal_cdf_on_cpu(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

static void price_on_cpu(double spot, double strike, double years, double& call, double& put) {
  double const rate = interest, sigma = volatility, spread = sigma * std::sqrt(years);
  double const d1 = (std::log(spot / strike) + (rate + 0.5 * sigma * sigma) * years) / spread,
               d2 = d1 - spread;
  double const discounted = strike * std::exp(-rate * years);
  call = spot * normal_cdf_on_cpu(d1) - discounted * normal_cdf_on_cpu(d2);
  put = discounted * normal_cdf_on_cpu(-d2) - spot * normal_cdf_on_cpu(-d1);
}

struct Plan {
  std::uint64_t options = 32768, kernel_options = 8192, iterations = 4, sync_every = 16;
  double seconds = 0;
};

// Iterates over the options in a loop, kernel_options at a time. A launch is queued and not waited for.
class Pricer {
public:
  Pricer(Options const& options, Plan const& plan) : options_(options), plan_(plan) {}

  std::uint64_t launch_next() {
    std::uint64_t const end = std::min(position_ + plan_.kernel_options, plan_.options),
                        count = end - position_;
    price<<<blocks_for(count, 128), 128>>>(options_, static_cast<unsigned>(position_),
                                           static_cast<unsigned>(end));
    CHECK_CUDA(cudaGetLastError());
    position_ = end == plan_.options ? 0 : end;
    if (++launches_ % plan_.sync_every == 0) CHECK_CUDA(cudaDeviceSynchronize());
    return count;
  }

  bool at_start() const { return position_ == 0; }

private:
  Options options_;
  Plan plan_;
  std::uint64_t position_ = 0, launches_ = 0;
};

static std::uint64_t run(Pricer& pricer, Plan const& plan, Stopwatch const& watch) {
  std::uint64_t work = 0;
  if (plan.seconds > 0)
    while (watch.seconds() < plan.seconds)
      work += pricer.launch_next();
  else
    while (work < plan.options * plan.iterations)
      work += pricer.launch_next();
  CHECK_CUDA(cudaDeviceSynchronize());
  return work;
}

int main(int argc, char** argv) {
  Plan plan;
  Arguments("black_scholes", "Prices European options by the Black-Scholes formula, again and again.")
      .number("--options", plan.options, 1, 1u << 26, "options in memory")
      .number("--kernel-options", plan.kernel_options, 1, 1u << 26, "options priced by one launch")
      .number("--iterations", plan.iterations, 1, 1000000000, "passes over all options, when --seconds is 0")
      .real("--seconds", plan.seconds, 0, 86400, "run for this wall time instead of a number of passes")
      .number("--sync-every", plan.sync_every, 1, 1000000, "launches between synchronisations")
      .parse(argc, argv);

  Random random;
  std::vector<float> spot(plan.options), strike(plan.options), years(plan.options);
  std::vector<double> expected_call(plan.options), expected_put(plan.options);
  for (std::size_t i = 0; i < plan.options; ++i) {
    spot[i] = random.between(5, 30);
    strike[i] = random.between(1, 100);
    years[i] = random.between(0.25f, 10);
    price_on_cpu(spot[i], strike[i], years[i], expected_call[i], expected_put[i]);
  }

  DeviceArray<float> device_spot(spot), device_strike(strike), device_years(years), call(plan.options),
      put(plan.options);
  Pricer pricer({device_spot.get(), device_strike.get(), device_years.get(), call.get(), put.get()}, plan);
  Stopwatch const watch;
  std::uint64_t const work = run(pricer, plan, watch);
  double const seconds = watch.seconds();

  // Filled with NaN first: the pass that is compared is then one that ran after the whole load.
  call.fill_bytes(0xff);
  put.fill_bytes(0xff);
  while (!pricer.at_start())
    pricer.launch_next();
  do
    pricer.launch_next();
  while (!pricer.at_start());
  std::string mismatch = first_mismatch("call", call.download(), expected_call, 1e-5);
  if (mismatch.empty()) mismatch = first_mismatch("put", put.download(), expected_put, 1e-5);
  return report({"black_scholes", work, "options", seconds}, mismatch);
}

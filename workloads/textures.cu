// SPDX-License-Identifier: Apache-2.0
// Textures of arrays of one to three dimensions, of layers, of linear and pitched memory; filters, address modes,
// fractions and integers. Every fetch is compared with a plain reference. Coordinates are multiples of an eighth of a texel, so that the device's weights are exact.
#include "workloads/common.h"
#include "workloads/texture_objects.h"

using namespace workload;

namespace {

// Where texel i is read; -1: the border.
int addressed(int i, int size, cudaTextureAddressMode mode) {
  switch (mode) {
  case cudaAddressModeWrap:
    return ((i % size) + size) % size;
  case cudaAddressModeMirror: {
    int const period = ((i % (2 * size)) + 2 * size) % (2 * size);
    return period < size ? period : 2 * size - 1 - period;
  }
  case cudaAddressModeBorder:
    return i < 0 || i >= size ? -1 : i;
  default:
    return std::clamp(i, 0, size - 1);
  }
}

struct Fetch {
  cudaTextureAddressMode mode = cudaAddressModeClamp;
  bool linear = false;
  float border = 0;

  float texel(Image const& image, int x, int y, int z) const {
    x = addressed(x, static_cast<int>(image.width), mode);
    y = addressed(y, static_cast<int>(image.height), mode);
    z = addressed(z, static_cast<int>(image.depth), mode);
    return x < 0 || y < 0 || z < 0
               ? border
               : image.slice(static_cast<unsigned>(z))[y * static_cast<int>(image.width) + x];
  }
  // In texels. A dimension of one texel is fetched at 0.5.
  float at(Image const& image, float x, float y, float z) const {
    if (!linear) return texel(image, int(std::floor(x)), int(std::floor(y)), int(std::floor(z)));
    x -= 0.5f, y -= 0.5f, z -= 0.5f;
    int const i = int(std::floor(x)), j = int(std::floor(y)), k = int(std::floor(z));
    float const a = x - std::floor(x), b = y - std::floor(y), c = z - std::floor(z);
    float sum = 0;
    for (int n = 0; n < 8; ++n) {
      int const dx = n & 1, dy = n >> 1 & 1, dz = n >> 2;
      float const weight = (dx ? a : 1 - a) * (dy ? b : 1 - b) * (dz ? c : 1 - c);
      if (weight != 0) sum += weight * texel(image, i + dx, j + dy, k + dz);
    }
    return sum;
  }
};

cudaTextureDesc sampling_of(Fetch const& fetch, bool normalized) {
  cudaTextureDesc sampling{};
  for (cudaTextureAddressMode& mode : sampling.addressMode)
    mode = fetch.mode;
  sampling.filterMode = fetch.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  sampling.normalizedCoords = normalized;
  sampling.borderColor[0] = fetch.border;
  return sampling;
}

// A fetch of each kind: what a thread does at one place. `scale` turns texels into coordinates.
enum class Kind { one, two, three, one_layer, two_layers };

} // namespace

__global__ void fetch(cudaTextureObject_t texture, Kind kind, float4 const* places, float3 scale,
                      float* results, unsigned count) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float4 const at = places[i];
  float const x = at.x * scale.x, y = at.y * scale.y, z = at.z * scale.z;
  int const layer = static_cast<int>(at.w);
  switch (kind) {
  case Kind::one:
    results[i] = tex1D<float>(texture, x);
    break;
  case Kind::two:
    results[i] = tex2D<float>(texture, x, y);
    break;
  case Kind::three:
    results[i] = tex3D<float>(texture, x, y, z);
    break;
  case Kind::one_layer:
    results[i] = tex1DLayered<float>(texture, x, layer);
    break;
  case Kind::two_layers:
    results[i] = tex2DLayered<float>(texture, x, y, layer);
    break;
  }
}

__global__ void fetch_linear_memory(cudaTextureObject_t texture, float* results, int count) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) results[i] = tex1Dfetch<float>(texture, i);
}

__global__ void fetch_fractions(cudaTextureObject_t texture, float4* results, unsigned width) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width) results[i] = tex2D<float4>(texture, static_cast<float>(i) + 0.5f, 1.5f);
}

__global__ void fetch_integers(cudaTextureObject_t texture, uchar4* results, unsigned width) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width) results[i] = tex2D<uchar4>(texture, static_cast<float>(i) + 0.5f, 1.5f);
}

namespace {

// Places in and around the image, a quarter of a texel apart, none where two texels meet.
std::vector<float4> places_in(Image const& image, unsigned count, Random& random) {
  std::vector<float4> places;
  auto const within = [&](unsigned size) {
    if (size == 1) return 0.5f;
    return static_cast<float>(random.next() % (4 * 3 * size)) / 4 - static_cast<float>(size) + 0.125f;
  };
  for (unsigned i = 0; i < count; ++i)
    places.push_back({within(image.width), within(image.height), within(image.depth),
                      static_cast<float>(random.next() % image.depth)});
  return places;
}

void check_fetches(char const* what, Array const& array, Image const& image, Kind kind, Fetch const& how,
                   bool normalized, unsigned count, Random& random) {
  TextureObject const texture(array.resource(), sampling_of(how, normalized));
  bool const layered = kind == Kind::one_layer || kind == Kind::two_layers;
  std::vector<float4> const places = places_in(image, count, random);
  std::vector<float> expected;
  for (float4 const& at : places)
    expected.push_back(layered ? how.at(image.layer(static_cast<unsigned>(at.w)), at.x, at.y, 0.5f)
                               : how.at(image, at.x, at.y, at.z));
  DeviceArray<float4> const device_places(places);
  DeviceArray<float> const results(count);
  float3 const scale =
      normalized ? float3{1.0f / static_cast<float>(image.width), 1.0f / static_cast<float>(image.height),
                          1.0f / static_cast<float>(image.depth)}
                 : float3{1, 1, 1};
  fetch<<<blocks_for(count, 128), 128>>>(texture, kind, device_places.get(), scale, results.get(), count);
  CHECK_CUDA(cudaGetLastError());
  compare(what, results.download(), expected);
}

// Sizes are powers of two: normalized coordinates are exact.
void check_arrays(unsigned count, Random& random) {
  auto const draw = [&] { return static_cast<float>(random.next() % 256); };
  Image const row(64, 1, 1, draw), plane(32, 16, 1, draw), volume(16, 8, 8, draw);
  constexpr unsigned layers = 5;
  Image const row_layers(32, 1, layers, draw), plane_layers(16, 16, layers, draw);
  Array const one(row, {64, 0, 0}, 0), two(plane, {32, 16, 0}, 0), three(volume, {16, 8, 8}, 0);
  Array const one_layered(row_layers, {32, 0, layers}, cudaArrayLayered);
  Array const two_layered(plane_layers, {16, 16, layers}, cudaArrayLayered);
  for (bool const linear : {false, true})
    for (cudaTextureAddressMode const mode :
         {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap, cudaAddressModeMirror}) {
      Fetch const how{mode, linear, mode == cudaAddressModeBorder ? 7.0f : 0.0f};
      bool const normalized = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
      check_fetches("tex1D", one, row, Kind::one, how, normalized, count, random);
      check_fetches("tex2D", two, plane, Kind::two, how, normalized, count, random);
      check_fetches("tex3D", three, volume, Kind::three, how, normalized, count, random);
      check_fetches("tex1DLayered", one_layered, row_layers, Kind::one_layer, how, normalized, count, random);
      check_fetches("tex2DLayered", two_layered, plane_layers, Kind::two_layers, how, normalized, count,
                    random);
    }
}

void check_memory(Random& random) {
  std::vector<float> values(1000);
  for (float& value : values)
    value = random.between(-1, 1);
  DeviceArray<float> const memory(values), results(values.size() + 24);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {memory.get(), cudaCreateChannelDesc<float>(), values.size() * sizeof(float)};
  TextureObject const texture(resource, {});
  fetch_linear_memory<<<8, 128>>>(texture, results.get(), 1024);
  CHECK_CUDA(cudaGetLastError());
  values.resize(1024); // behind the end there are zeroes
  compare("tex1Dfetch", results.download(), values);

  // Bytes, as fractions and as they are.
  constexpr unsigned width = 40;
  std::vector<uchar4> pixels(width * 3);
  for (uchar4& pixel : pixels) {
    std::uint32_t const bits = random.next();
    std::memcpy(&pixel, &bits, sizeof pixel);
  }
  void* rows = nullptr;
  std::size_t pitch = 0;
  CHECK_CUDA(cudaMallocPitch(&rows, &pitch, width * sizeof(uchar4), 3));
  CHECK_CUDA(cudaMemcpy2D(rows, pitch, pixels.data(), width * sizeof(uchar4), width * sizeof(uchar4), 3,
                          cudaMemcpyHostToDevice));
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = 3;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc sampling{};
  sampling.readMode = cudaReadModeNormalizedFloat;
  DeviceArray<float4> const fractions(width);
  DeviceArray<uchar4> const integers(width);
  {
    TextureObject const pixels_as_fractions(resource, sampling);
    sampling.readMode = cudaReadModeElementType;
    TextureObject const pixels_as_integers(resource, sampling);
    fetch_fractions<<<1, 64>>>(pixels_as_fractions, fractions.get(), width);
    fetch_integers<<<1, 64>>>(pixels_as_integers, integers.get(), width);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  auto const read_fractions = fractions.download();
  auto const read_integers = integers.download();
  for (unsigned i = 0; i < width; ++i) {
    uchar4 const& pixel = pixels[width + i];
    compare("fractions", {read_fractions[i].x, read_fractions[i].w},
            {static_cast<float>(pixel.x) / 255, static_cast<float>(pixel.w) / 255});
    if (std::memcmp(&read_integers[i], &pixel, sizeof pixel) != 0)
      fail("integers: texel %u is another one", i);
  }
  CHECK_CUDA(cudaFree(rows));
}

} // namespace

int main(int argc, char** argv) {
  std::uint64_t fetches = 1000;
  Arguments("textures", "Fetches from textures of arrays and of memory.")
      .number("--fetches", fetches, 1, 1'000'000, "of each kind of array, filter and address mode")
      .parse(argc, argv);
  Random random;
  Stopwatch const watch;
  check_arrays(static_cast<unsigned>(fetches), random);
  check_memory(random);
  return report({"textures", 8 * 5 * fetches, "fetches", watch.seconds()}, "");
}

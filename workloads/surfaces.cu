// SPDX-License-Identifier: Apache-2.0
// Surfaces that kernels write, and textures of cubemaps and of arrays with levels; gathers. All of it is compared with what
// must be there.
#include "workloads/common.h"
#include "workloads/texture_objects.h"

using namespace workload;

// One thread looks at the middle of each texel of one face.
__global__ void fetch_cubemap(cudaTextureObject_t texture, float3 middle, float3 right, float3 down,
                              float* results, unsigned size) {
  unsigned const x = threadIdx.x, y = threadIdx.y;
  float const s = (2.0f * static_cast<float>(x) + 1) / static_cast<float>(size) - 1;
  float const t = (2.0f * static_cast<float>(y) + 1) / static_cast<float>(size) - 1;
  results[y * size + x] =
      texCubemap<float>(texture, middle.x + s * right.x + t * down.x, middle.y + s * right.y + t * down.y,
                        middle.z + s * right.z + t * down.z);
}

__global__ void fetch_level(cudaTextureObject_t texture, float level, float* results, unsigned size) {
  unsigned const x = threadIdx.x, y = threadIdx.y;
  results[y * size + x] = tex2DLod<float>(texture, (static_cast<float>(x) + 0.5f) / static_cast<float>(size),
                                          (static_cast<float>(y) + 0.5f) / static_cast<float>(size), level);
}

__global__ void gather(cudaTextureObject_t texture, float4* results, unsigned width, unsigned height) {
  unsigned const x = threadIdx.x, y = threadIdx.y;
  results[y * (width - 1) + x] =
      tex2Dgather<float4>(texture, static_cast<float>(x) + 1.0f, static_cast<float>(y) + 1.0f, 0);
}

// Doubles each texel, where it is.
__global__ void double_surface(cudaSurfaceObject_t surface, unsigned width, unsigned height) {
  unsigned const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int const at = static_cast<int>(x * sizeof(float));
  float const value = surf2Dread<float>(surface, at, static_cast<int>(y));
  surf2Dwrite(2 * value, surface, at, static_cast<int>(y));
}

// The cell's own number, in all layers; what is beyond the edge is left out.
__global__ void number_volume(cudaSurfaceObject_t surface, unsigned width, unsigned height, unsigned depth) {
  int const x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  for (int z = 0; z <= static_cast<int>(depth); ++z)
    surf3Dwrite(static_cast<float>((z * static_cast<int>(height) + y) * static_cast<int>(width) + x), surface,
                x * static_cast<int>(sizeof(float)), y, z, cudaBoundaryModeZero);
}

__global__ void copy_layer(cudaSurfaceObject_t surface, unsigned size, int from, int to) {
  int const x = static_cast<int>(threadIdx.x * sizeof(float)), y = static_cast<int>(threadIdx.y);
  surf2DLayeredwrite(surf2DLayeredread<float>(surface, x, y, from), surface, x, y, to);
}

namespace {

// Faces in CUDA's order: +x, -x, +y, -y, +z, -z; where their middles are, and where their s and t grow.
void check_cubemap(Random& random) {
  constexpr unsigned size = 8;
  Image const faces(size, size, 6, [&] { return static_cast<float>(random.next() % 1000); });
  Array const array(faces, {size, size, 6}, cudaArrayCubemap);
  struct {
    float3 middle, right, down;
  } const directions[] = {{{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
                          {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},   {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
                          {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}};
  TextureObject const texture(array.resource(), plain_sampling(true));
  DeviceArray<float> const results(size * size);
  for (unsigned face = 0; face < 6; ++face) {
    auto const& [middle, right, down] = directions[face];
    fetch_cubemap<<<1, dim3(size, size)>>>(texture, middle, right, down, results.get(), size);
    CHECK_CUDA(cudaGetLastError());
    compare("texCubemap", results.download(), {faces.slice(face), faces.slice(face) + size * size});
  }
}

void check_levels() {
  constexpr unsigned size = 16, levels = 4;
  cudaChannelFormatDesc const floats = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t mipmap = nullptr;
  CHECK_CUDA(cudaMallocMipmappedArray(&mipmap, &floats, {size, size, 0}, levels));
  for (unsigned level = 0; level < levels; ++level) { // level n is full of 10 * n
    unsigned const side = size >> level;
    std::vector<float> const texels(side * side, 10.0f * static_cast<float>(level));
    cudaArray_t array = nullptr;
    CHECK_CUDA(cudaGetMipmappedArrayLevel(&array, mipmap, level));
    CHECK_CUDA(cudaMemcpy2DToArray(array, 0, 0, texels.data(), side * sizeof(float), side * sizeof(float),
                                   side, cudaMemcpyHostToDevice));
  }
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmap;
  cudaTextureDesc sampling = plain_sampling(true);
  sampling.mipmapFilterMode = cudaFilterModeLinear;
  sampling.maxMipmapLevelClamp = levels - 1;
  DeviceArray<float> const results(size * size);
  {
    TextureObject const texture(resource, sampling);
    for (float const level : {0.0f, 1.0f, 1.5f, 2.25f, 3.0f, 9.0f}) {
      fetch_level<<<1, dim3(size, size)>>>(texture, level, results.get(), size);
      CHECK_CUDA(cudaGetLastError());
      compare("tex2DLod", results.download(), std::vector<float>(size * size, 10 * std::min(level, 3.0f)));
    }
  }
  CHECK_CUDA(cudaFreeMipmappedArray(mipmap));
}

void check_gather(Random& random) {
  constexpr unsigned width = 16, height = 8;
  Image const image(width, height, 1, [&] { return static_cast<float>(random.next() % 1000); });
  Array const array(image, {width, height, 0}, cudaArrayTextureGather);
  DeviceArray<float4> const results((width - 1) * (height - 1));
  TextureObject const texture(array.resource(), plain_sampling(false));
  gather<<<1, dim3(width - 1, height - 1)>>>(texture, results.get(), width, height);
  CHECK_CUDA(cudaGetLastError());
  auto const read = results.download();
  for (unsigned y = 0; y + 1 < height; ++y)
    for (unsigned x = 0; x + 1 < width; ++x) {
      float4 const& four = read[y * (width - 1) + x]; // counterclockwise from below left
      float const* const above = image.texels.data() + y * width + x;
      compare("tex2Dgather", {four.x, four.y, four.z, four.w},
              {above[width], above[width + 1], above[1], above[0]});
    }
}

void check_surfaces(Random& random) {
  constexpr unsigned width = 50, height = 20, depth = 3, side = 16;
  Image const plane(width, height, 1, [&] { return random.between(-1, 1); });
  Array const array(plane, {width, height, 0}, cudaArraySurfaceLoadStore);
  {
    SurfaceObject const surface(array.get());
    double_surface<<<dim3(4, 2), dim3(16, 16)>>>(surface, width, height);
    CHECK_CUDA(cudaGetLastError());
  }
  std::vector<float> results(width * height), expected = plane.texels;
  for (float& value : expected)
    value *= 2;
  CHECK_CUDA(cudaMemcpy2DFromArray(results.data(), width * sizeof(float), array.get(), 0, 0,
                                   width * sizeof(float), height, cudaMemcpyDeviceToHost));
  compare("surf2Dwrite", results, expected);

  Image const volume(side, side, depth, [] { return -1.0f; });
  Array const volume_array(volume, {side, side, depth}, cudaArraySurfaceLoadStore);
  Array const layers(volume, {side, side, depth}, cudaArraySurfaceLoadStore | cudaArrayLayered);
  SurfaceObject const surface(volume_array.get()), layered(layers.get());
  number_volume<<<1, dim3(side, side)>>>(surface, side, side, depth);
  CHECK_CUDA(cudaGetLastError());
  cudaMemcpy3DParms box{}; // from the volume's last slice to the first layer
  box.kind = cudaMemcpyDeviceToDevice;
  box.srcArray = volume_array.get();
  box.srcPos = {0, 0, depth - 1};
  box.dstArray = layers.get();
  box.extent = {side, side, 1};
  CHECK_CUDA(cudaMemcpy3D(&box));
  copy_layer<<<1, dim3(side, side)>>>(layered, side, 0, depth - 1);
  CHECK_CUDA(cudaGetLastError());
  results.assign(side * side, 0);
  box = {};
  box.kind = cudaMemcpyDeviceToHost;
  box.srcArray = layers.get();
  box.srcPos = {0, 0, depth - 1};
  box.dstPtr = {results.data(), side * sizeof(float), side, side};
  box.extent = {side, side, 1};
  CHECK_CUDA(cudaMemcpy3D(&box));
  expected.clear();
  for (unsigned i = 0; i < side * side; ++i)
    expected.push_back(static_cast<float>((depth - 1) * side * side + i));
  compare("surf3Dwrite, surf2DLayeredwrite", results, expected);
}

} // namespace

int main(int argc, char** argv) {
  std::uint64_t rounds = 1;
  Arguments("surfaces", "Writes surfaces, reads cubemaps and levels of textures.")
      .number("--rounds", rounds, 1, 10'000, "of all of it")
      .parse(argc, argv);
  Random random;
  Stopwatch const watch;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    check_cubemap(random);
    check_levels();
    check_gather(random);
    check_surfaces(random);
  }
  return report({"surfaces", rounds, "rounds", watch.seconds()}, "");
}

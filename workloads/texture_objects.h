// SPDX-License-Identifier: Apache-2.0
// Images, and the arrays, textures and surfaces of the workloads that use them.
#pragma once

#include "workloads/common.h"

#include <cmath>
#include <functional>

namespace workload {

// An image on the host.
struct Image {
  unsigned width, height = 1, depth = 1;
  std::vector<float> texels;

  Image(unsigned w, unsigned h, unsigned d, std::function<float()> const& draw)
      : width(w), height(h), depth(d) {
    for (unsigned i = 0; i < w * h * d; ++i)
      texels.push_back(draw());
  }
  float const* slice(unsigned z) const { return texels.data() + std::size_t{z} * width * height; }
  Image layer(unsigned z) const {
    Image alone = *this;
    alone.depth = 1;
    alone.texels.assign(slice(z), slice(z) + std::size_t{width} * height);
    return alone;
  }
};

class TextureObject {
public:
  TextureObject(cudaResourceDesc const& resource, cudaTextureDesc const& sampling) {
    CHECK_CUDA(cudaCreateTextureObject(&handle_, &resource, &sampling, nullptr));
  }
  TextureObject(TextureObject const&) = delete;
  TextureObject& operator=(TextureObject const&) = delete;
  ~TextureObject() { CHECK_CUDA(cudaDestroyTextureObject(handle_)); }
  operator cudaTextureObject_t() const { return handle_; }

private:
  cudaTextureObject_t handle_ = 0;
};

class SurfaceObject {
public:
  explicit SurfaceObject(cudaArray_t array) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK_CUDA(cudaCreateSurfaceObject(&handle_, &resource));
  }
  SurfaceObject(SurfaceObject const&) = delete;
  SurfaceObject& operator=(SurfaceObject const&) = delete;
  ~SurfaceObject() { CHECK_CUDA(cudaDestroySurfaceObject(handle_)); }
  operator cudaSurfaceObject_t() const { return handle_; }

private:
  cudaSurfaceObject_t handle_ = 0;
};

// An array of floats that holds the image; `extent` as cudaMalloc3DArray takes it.
class Array {
public:
  Array(Image const& image, cudaExtent const& extent, unsigned flags) {
    cudaChannelFormatDesc const floats = cudaCreateChannelDesc<float>();
    CHECK_CUDA(cudaMalloc3DArray(&array_, &floats, extent, flags));
    cudaMemcpy3DParms box{};
    box.kind = cudaMemcpyHostToDevice;
    box.srcPtr = {const_cast<float*>(image.texels.data()), image.width * sizeof(float), image.width,
                  image.height};
    box.dstArray = array_;
    box.extent = {image.width, image.height, image.depth};
    CHECK_CUDA(cudaMemcpy3D(&box));
  }
  Array(Array const&) = delete;
  Array& operator=(Array const&) = delete;
  ~Array() { CHECK_CUDA(cudaFreeArray(array_)); }
  cudaArray_t get() const { return array_; }
  cudaResourceDesc resource() const {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    return resource;
  }

private:
  cudaArray_t array_ = nullptr;
};

// Points of a texture, in texels or, if normalized, from 0 to 1; beyond the edge, the edge.
inline cudaTextureDesc plain_sampling(bool normalized) {
  cudaTextureDesc sampling{};
  for (cudaTextureAddressMode& mode : sampling.addressMode)
    mode = cudaAddressModeClamp;
  sampling.normalizedCoords = normalized;
  return sampling;
}

inline void compare(char const* what, std::vector<float> const& results, std::vector<float> const& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!(std::fabs(results[i] - expected[i]) <= 1e-5f * (1 + std::fabs(expected[i]))))
      fail("%s: fetch %zu is %g instead of %g", what, i, results[i], expected[i]);
}

} // namespace workload

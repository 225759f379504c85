// SPDX-License-Identifier: Apache-2.0
// Each of CUDA's functions on texture and surface objects once, for nvcc_textures_test.cpp.
#include <cuda_runtime.h>

#define KERNEL extern "C" __global__ void

KERNEL fetches(cudaTextureObject_t row, cudaTextureObject_t plane, cudaTextureObject_t volume, float4* out) {
  float const x = 2.5f / 8, y = 3.5f / 8, z = 1.5f / 3;
  *out++ = tex1Dfetch<float4>(row, 5);
  *out++ = make_float4(tex1Dfetch<float>(row, 8), tex1Dfetch<float>(row, -1), tex1Dfetch<float>(row, 7), 0);
  *out++ = make_float4(tex1D<float>(plane, x), tex2D<float>(plane, x, y), tex3D<float>(volume, x, y, z), 0);
  *out++ = make_float4(tex1DLod<float>(plane, 0.5f, 1), tex2DLod<float>(plane, 0.5f, 0.5f, 1),
                       tex3DLod<float>(volume, 0.5f, 0.5f, z, 2), 0);
  float2 const dx2 = make_float2(0.25f, 0), dy2 = make_float2(0, 0.125f);
  float4 const dx4 = make_float4(0.25f, 0, 0, 0), dy4 = make_float4(0, 0.125f, 0, 0);
  *out++ = make_float4(tex1DGrad<float>(plane, 0.5f, 0.25f, 0), tex2DGrad<float>(plane, 0.5f, 0.5f, dx2, dy2),
                       tex3DGrad<float>(volume, 0.5f, 0.5f, z, dx4, dy4), 0);
  *out++ = tex2Dgather<float4>(plane, 0.5f, 0.5f, 0);
  bool resident = false;
  float const value = tex2D<float>(plane, x, y, &resident);
  *out++ = make_float4(value, resident, 0, 0);
}

KERNEL arrays(cudaTextureObject_t layers, cudaTextureObject_t cubes, float4* out) {
  float const x = 2.5f / 8, y = 3.5f / 8;
  float2 const dx2 = make_float2(0.25f, 0), dy2 = make_float2(0, 0.125f);
  float4 const none = make_float4(0, 0, 0, 0);
  *out++ = make_float4(tex1DLayered<float>(layers, x, 2), tex2DLayered<float>(layers, x, y, 1),
                       tex2DLayered<float>(layers, x, y, -1), 0);
  *out++ = make_float4(tex1DLayeredLod<float>(layers, 0.5f, 1, 1),
                       tex2DLayeredLod<float>(layers, 0.5f, 0.5f, 1, 1),
                       tex1DLayeredGrad<float>(layers, 0.5f, 1, 0.25f, 0),
                       tex2DLayeredGrad<float>(layers, 0.5f, 0.5f, 1, dx2, dy2));
  *out++ = make_float4(texCubemap<float>(cubes, 4, 1, 2), texCubemapLayered<float>(cubes, 4, 1, 2, 1),
                       texCubemapLod<float>(cubes, 4, 1, 2, 0),
                       texCubemapLayeredLod<float>(cubes, -4, 1, 2, 1, 0));
  *out++ = make_float4(texCubemapGrad<float>(cubes, 1, 4, 2, none, none),
                       texCubemapLayeredGrad<float>(cubes, 1, -4, 2, 1, none, none), 0, 0);
}

// An image of bytes, upside down and doubled; out of range are zeros.
KERNEL flips(cudaTextureObject_t from, cudaSurfaceObject_t to, int width, int height) {
  int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  uchar4 v = tex2D<uchar4>(from, x, height - 1 - y);
  v.x *= 2;
  if (x < width + 3) surf2Dwrite(v, to, x * 4, y, cudaBoundaryModeZero);
}

KERNEL surfaces(cudaSurfaceObject_t s, float* out) {
  surf1Dwrite(1.5f, s, 4);
  surf2Dwrite(2.5f, s, 8, 1);
  surf3Dwrite(3.5f, s, 0, 1, 1);
  surf2DLayeredwrite(4.5f, s, 12, 1, 2);
  surf1DLayeredwrite(5.5f, s, 0, 3);
  surfCubemapwrite(6.5f, s, 4, 1, 4);
  surfCubemapLayeredwrite(7.5f, s, 100, 100, 11, cudaBoundaryModeClamp);
  *out++ = surf1Dread<float>(s, 4);
  *out++ = surf2Dread<float>(s, 8, 1);
  *out++ = surf3Dread<float>(s, 0, 1, 1);
  *out++ = surf2DLayeredread<float>(s, 12, 1, 2);
  *out++ = surf1DLayeredread<float>(s, 0, 3);
  *out++ = surfCubemapread<float>(s, 4, 1, 4);
  *out++ = surfCubemapLayeredread<float>(s, 12, 1, 11);
  *out++ = surf2Dread<float>(s, -4, 0, cudaBoundaryModeZero);
  *out++ = surf2Dread<float4>(s, 0, 1, cudaBoundaryModeClamp).z;
}

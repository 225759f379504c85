// SPDX-License-Identifier: Apache-2.0
// Included before every source of libcudart.so.12 and libcudart.so.11.0. What CUDA 13 calls cudaMemAdvise, CUDA 12 calls
// cudaMemAdvise_v2, and its cudaMemAdvise is another function: so our sources, which are CUDA 13's, define the former, and
// the files of this folder the latter.
#pragma once

#define cudaGraphAddDependencies cudaGraphAddDependencies_v2
#define cudaGraphAddNode cudaGraphAddNode_v2
#define cudaGraphGetEdges cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#define cudaGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes_v2
#define cudaGraphRemoveDependencies cudaGraphRemoveDependencies_v2
#define cudaMemAdvise cudaMemAdvise_v2
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_v2
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2

// These take or fill other structs in these releases, or have other parameters.
#define cudaChooseDevice cudaChooseDevice_v13
#define cudaGetDeviceProperties cudaGetDeviceProperties_v13
#define cudaPointerGetAttributes cudaPointerGetAttributes_v13
#if PEGASUS_CUDART_RELEASE == 11
#define cudaCreateTextureObject cudaCreateTextureObject_v2
#define cudaFuncGetAttributes cudaFuncGetAttributes_v13
#define cudaGetDriverEntryPoint cudaGetDriverEntryPoint_v13
#define cudaGetDriverEntryPoint_ptsz cudaGetDriverEntryPoint_v13_ptsz
#define cudaGetTextureObjectTextureDesc cudaGetTextureObjectTextureDesc_v2
#define cudaGraphExecUpdate cudaGraphExecUpdate_v13
#define cudaGraphInstantiate cudaGraphInstantiate_v13
#endif

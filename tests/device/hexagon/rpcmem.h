// Memory shared by host and DSP, as far as ggml's driver names it.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define RPCMEM_HEAP_ID_SYSTEM 25
#define RPCMEM_DEFAULT_FLAGS 1

#ifdef __cplusplus
extern "C" {
#endif
void* rpcmem_alloc(int heap, uint32_t flags, int size);
void* rpcmem_alloc2(int heap, uint32_t flags, size_t size);
void rpcmem_free(void* memory);
int rpcmem_to_fd(void* memory);
#ifdef __cplusplus
}
#endif

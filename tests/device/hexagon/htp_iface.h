// The interface of ggml's own code on the DSP, which the SDK generates from htp_iface.idl.
#pragma once
#include "remote.h"

typedef struct {
  unsigned int events[8];
} htp_iface_pmu_conf;

#ifdef __cplusplus
extern "C" {
#endif
int htp_iface_open(const char* uri, remote_handle64* handle);
int htp_iface_close(remote_handle64 handle);
int htp_iface_start(remote_handle64 handle, unsigned session, uint64_t queue, unsigned num_hvx, unsigned num_hmx,
                    uint64_t max_memory);
int htp_iface_stop(remote_handle64 handle);
int htp_iface_mmap(remote_handle64 handle, unsigned fd, uint64_t size);
int htp_iface_munmap(remote_handle64 handle, unsigned fd);
int htp_iface_profiler(remote_handle64 handle, unsigned mode, const htp_iface_pmu_conf* conf);
int htp_iface_etm(remote_handle64 handle, unsigned enable);
int htp_iface_hwinfo(remote_handle64 handle, unsigned* num_threads, unsigned* num_hvx, unsigned* num_hmx,
                     unsigned long long* vtcm_size);
#ifdef __cplusplus
}
#endif

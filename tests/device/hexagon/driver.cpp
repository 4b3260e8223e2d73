// A DSP that opens sessions and says what hardware it has, and refuses all work. See README.md.
#include <cstdlib>

#include "dspqueue.h"
#include "htp_iface.h"
#include "rpcmem.h"

namespace {

constexpr int kGeneration = 79;
constexpr unsigned kThreads = 8, kVectorUnits = 4, kMatrixUnits = 1;
constexpr unsigned long long kOnChipBytes = 8ULL << 20;
constexpr size_t kPage = 4096;
constexpr int kFailed = 1;

}  // namespace

extern "C" {

int htpdrv_init() { return 0; }
domain* htpdrv_get_domain(int) {
  static domain cdsp = {CDSP_DOMAIN_ID, "&_dom=cdsp"};
  return &cdsp;
}
int htpdrv_get_arch(int, int* generation) {
  *generation = kGeneration;
  return 0;
}

void* rpcmem_alloc2(int, uint32_t, size_t size) {
  return std::aligned_alloc(kPage, (size + kPage - 1) / kPage * kPage);
}
void* rpcmem_alloc(int heap, uint32_t flags, int size) { return rpcmem_alloc2(heap, flags, static_cast<size_t>(size)); }
void rpcmem_free(void* memory) { std::free(memory); }
int rpcmem_to_fd(void*) {
  static int next = 100;
  return next++;
}

int remote_session_control(uint32_t request, void*, uint32_t) { return request == FASTRPC_GET_URI ? kFailed : 0; }
int remote_handle64_control(remote_handle64, uint32_t, void*, uint32_t) { return 0; }
int remote_handle_control(uint32_t, void*, uint32_t) { return 0; }
int remote_system_request(system_req_payload*) { return AEE_EUNSUPPORTEDAPI; }
int fastrpc_mmap(int, int, void*, int, size_t, enum fastrpc_map_flags) { return 0; }
int fastrpc_munmap(int, int, void*, size_t) { return 0; }

AEEResult dspqueue_create(int, uint32_t, uint32_t, uint32_t, dspqueue_callback_t, dspqueue_callback_t, void*,
                          dspqueue_t* queue) {
  static int any;
  *queue = &any;
  return AEE_SUCCESS;
}
AEEResult dspqueue_close(dspqueue_t) { return AEE_SUCCESS; }
AEEResult dspqueue_export(dspqueue_t, uint64_t* id) {
  *id = 1;
  return AEE_SUCCESS;
}
AEEResult dspqueue_write(dspqueue_t, uint32_t, uint32_t, struct dspqueue_buffer*, uint32_t, const uint8_t*, uint32_t) {
  return kFailed;
}
AEEResult dspqueue_read(dspqueue_t, uint32_t*, uint32_t, uint32_t*, struct dspqueue_buffer*, uint32_t, uint32_t*,
                        uint8_t*, uint32_t) {
  return kFailed;
}

int htp_iface_open(const char*, remote_handle64* handle) {
  *handle = 1;
  return 0;
}
int htp_iface_close(remote_handle64) { return 0; }
int htp_iface_start(remote_handle64, unsigned, uint64_t, unsigned, unsigned, uint64_t) { return 0; }
int htp_iface_stop(remote_handle64) { return 0; }
int htp_iface_mmap(remote_handle64, unsigned, uint64_t) { return 0; }
int htp_iface_munmap(remote_handle64, unsigned) { return 0; }
int htp_iface_profiler(remote_handle64, unsigned, const htp_iface_pmu_conf*) { return 0; }
int htp_iface_etm(remote_handle64, unsigned) { return 0; }
int htp_iface_hwinfo(remote_handle64, unsigned* num_threads, unsigned* num_hvx, unsigned* num_hmx,
                     unsigned long long* vtcm_size) {
  *num_threads = kThreads;
  *num_hvx = kVectorUnits;
  *num_hmx = kMatrixUnits;
  *vtcm_size = kOnChipBytes;
  return 0;
}

}  // extern "C"

// Owners of ggml handles: each is freed exactly once, in reverse order of construction.
#pragma once
#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml-cpu.h>
#include <ggml.h>

#include <memory>

namespace kazeia {

struct GgmlDeleter {
  void operator()(ggml_context* p) const { ggml_free(p); }
  void operator()(ggml_backend* p) const { ggml_backend_free(p); }
  void operator()(ggml_backend_buffer* p) const { ggml_backend_buffer_free(p); }
  void operator()(ggml_gallocr* p) const { ggml_gallocr_free(p); }
  void operator()(ggml_backend_sched* p) const { ggml_backend_sched_free(p); }
  void operator()(ggml_threadpool* p) const { ggml_threadpool_free(p); }
};

using GgmlContextPtr = std::unique_ptr<ggml_context, GgmlDeleter>;
using GgmlBackendPtr = std::unique_ptr<ggml_backend, GgmlDeleter>;
using GgmlBufferPtr = std::unique_ptr<ggml_backend_buffer, GgmlDeleter>;
using GgmlAllocatorPtr = std::unique_ptr<ggml_gallocr, GgmlDeleter>;
using GgmlSchedulerPtr = std::unique_ptr<ggml_backend_sched, GgmlDeleter>;
using GgmlThreadPoolPtr = std::unique_ptr<ggml_threadpool, GgmlDeleter>;

}  // namespace kazeia

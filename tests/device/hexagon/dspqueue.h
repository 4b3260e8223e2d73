// Queues between host and DSP, as far as ggml's driver names them.
#pragma once
#include <stdint.h>

#include "AEEStdErr.h"

typedef void* dspqueue_t;
typedef void (*dspqueue_callback_t)(dspqueue_t queue, AEEResult result, void* context);

struct dspqueue_buffer {
  uint32_t fd, size, offset, flags;
  union {
    void* ptr;
    uint64_t address;
  };
};

#define DSPQUEUE_TIMEOUT_NONE 0xFFFFFFFF

enum {
  DSPQUEUE_BUFFER_FLAG_REF = 1,
  DSPQUEUE_BUFFER_FLAG_DEREF = 2,
  DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER = 4,
  DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT = 8,
};

#ifdef __cplusplus
extern "C" {
#endif
AEEResult dspqueue_create(int domain, uint32_t flags, uint32_t request_size, uint32_t response_size,
                          dspqueue_callback_t on_packet, dspqueue_callback_t on_error, void* context,
                          dspqueue_t* queue);
AEEResult dspqueue_close(dspqueue_t queue);
AEEResult dspqueue_export(dspqueue_t queue, uint64_t* id);
AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t num_buffers, struct dspqueue_buffer* buffers,
                         uint32_t message_length, const uint8_t* message, uint32_t timeout_us);
AEEResult dspqueue_read(dspqueue_t queue, uint32_t* flags, uint32_t max_buffers, uint32_t* num_buffers,
                        struct dspqueue_buffer* buffers, uint32_t max_message_length, uint32_t* message_length,
                        uint8_t* message, uint32_t timeout_us);
#ifdef __cplusplus
}
#endif

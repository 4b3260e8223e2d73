// Sessions with the DSP, as far as ggml's driver names them.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef uint64_t remote_handle64;
typedef uint32_t remote_handle;

#define CDSP_DOMAIN_NAME "cdsp"
#define CDSP_DOMAIN_ID 3
#define DOMAINS_LIST_FLAGS_SET_TYPE(flags, type) ((flags) | (type))

enum fastrpc_map_flags {
  FASTRPC_MAP_FD = 2,
  FASTRPC_MAP_FD_DELAYED = 3,
  FASTRPC_MAP_FD_DELAYED_EXTENDED = 4,
};

enum {
  FASTRPC_RESERVE_NEW_SESSION = 1,
  FASTRPC_GET_EFFECTIVE_DOMAIN_ID,
  DSPRPC_CONTROL_UNSIGNED_MODULE,
  FASTRPC_GET_URI,
  DSPRPC_CONTROL_LATENCY,
  DSPRPC_GET_DSP_INFO,
  FASTRPC_GET_DOMAINS,
  FASTRPC_NSP,
  DOMAINS_LIST_FLAGS,
};

struct remote_rpc_reserve_new_session {
  char* domain_name;
  uint32_t domain_name_len;
  char* session_name;
  uint32_t session_name_len;
  uint32_t effective_domain_id;
  uint32_t session_id;
};

struct remote_rpc_effective_domain_id {
  char* domain_name;
  uint32_t domain_name_len;
  uint32_t session_id;
  uint32_t effective_domain_id;
};

struct remote_rpc_control_unsigned_module {
  int domain;
  int enable;
};

struct remote_rpc_get_uri {
  char* domain_name;
  uint32_t domain_name_len;
  uint32_t session_id;
  char* module_uri;
  uint32_t module_uri_len;
  char* uri;
  uint32_t uri_len;
};

struct remote_rpc_control_latency {
  uint32_t enable;
  uint32_t latency;
};

struct remote_dsp_capability {
  uint32_t domain, attribute_ID, capability;
};

typedef struct {
  int id;
  char name[64];
  int type, status, card, instance_id;
} fastrpc_domain;

typedef struct {
  int id;
  const char* uri;
} domain;

typedef struct {
  fastrpc_domain* domains;
  int max_domains, num_domains;
  uint64_t flags;
} fastrpc_domains_info;

typedef struct {
  int id;
  fastrpc_domains_info sys;
} system_req_payload;

#ifdef __cplusplus
extern "C" {
#endif
int remote_session_control(uint32_t request, void* data, uint32_t length);
int remote_handle64_control(remote_handle64 handle, uint32_t request, void* data, uint32_t length);
int remote_handle_control(uint32_t request, void* data, uint32_t length);
int remote_system_request(system_req_payload* request);
int fastrpc_mmap(int domain, int fd, void* address, int offset, size_t length, enum fastrpc_map_flags flags);
int fastrpc_munmap(int domain, int fd, void* address, size_t length);
#ifdef __cplusplus
}
#endif

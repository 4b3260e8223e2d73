// Result codes of the vendor's calls, as far as ggml's driver names them.
#pragma once

typedef int AEEResult;

enum {
  AEE_SUCCESS = 0,
  AEE_EUNSUPPORTEDAPI = 1,
  AEE_EUNABLETOLOAD = 2,
  AEE_EWOULDBLOCK = 3,
  AEE_EEXPIRED = 4,
  AEE_EOFFSET = 0,
};

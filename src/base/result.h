// Result and Error are part of the public API; the library's own files reach them here.
#pragma once
#include "kazeia/result.h"  // IWYU pragma: export

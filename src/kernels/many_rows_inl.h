// Products of quantised weights with many activation rows, for CPUs whose dot4 has to widen bytes; included by
// isa/*.cpp after kernels_inl.h. Weights and activations are widened once for many uses, a chunk of columns at a time,
// so that both stay in the caches; between chunks the sums wait in y.
//
// The table brings, besides what kernels_inl.h names:
//   pair_products(w, x)    in each 32-bit lane the sum of the products of its two 16-bit values
//   nibble_products(w, x)  in each 16-bit lane the sum of the products of its two bytes; w: 0..15, x: signed
//
// Sums of integers are exact, and a row's floats are added in the order of its blocks: the bits of matmul_inl.h.

constexpr int kMostTileRows = 8 / kRowVectors;  // activation rows of a tile, whose sums stay in registers
constexpr int kFewestRows = 8;                  // with fewer, to widen costs more than it saves
constexpr int kMostRows = 64;                   // activation rows of one pass over the weights
constexpr int kChunkBlocks = 8;

inline void prefetch(const std::byte* w, size_t num_bytes) {
  for (size_t at = 0; at < num_bytes; at += 64) __builtin_prefetch(w + at);
}

// q8: values of 16 bits. A step multiplies two columns of each row: the even ones of a quad, later its odd ones. The
// sums begin with what takes the weights' bias off them.
struct WideQ8 {
  static constexpr size_t kBlockBytes = kPackedQ8Block;
  static constexpr int kSteps = kGroup / 2;
  using Sums = I;

  static void widen_weights(const std::byte* w, I (&steps)[kSteps][kRowVectors]) {
    for (int quad = 0; quad < kSteps / 2; ++quad) {
      for (int v = 0; v < kRowVectors; ++v, w += sizeof(I)) {
        steps[quad][v] = load<I>(w) & 0x00FF00FF;
        steps[quad + kSteps / 2][v] = (load<I>(w) >> 8) & 0x00FF00FF;
      }
    }
  }
  static void widen_activations(const int8_t* q, int32_t (&steps)[kSteps]) {
    typedef int16_t Pairs __attribute__((vector_size(kGroup)));
    const auto values = load<Pairs>(q);
    store(steps, (values << 8) >> 8);
    store(steps + kSteps / 2, values >> 8);
  }
  static int32_t start(int32_t sum) { return -128 * sum; }
  static Sums products(I w, I x) { return pair_products(w, x); }
  static I finish(Sums sums) { return sums; }
};

// q4: a byte for each nibble. A step multiplies a quad of columns. 16 bits hold the sums of a block. The upper one of a
// lane is at most 16 * 15 * 127 = 30,480. The lower one begins with the bias of all 32 columns, and each of them counts
// for at most 8 * 127 in it, multiplied already or not: 32,512.
struct WideQ4 {
  static constexpr size_t kBlockBytes = kPackedQ4Block;
  static constexpr int kSteps = kGroup / 4;
  typedef int16_t Sums __attribute__((vector_size(sizeof(I))));  // of another type GCC would copy them in each step

  static void widen_weights(const std::byte* w, I (&steps)[kSteps][kRowVectors]) {
    for (int quad = 0; quad < kSteps; quad += 2) {
      for (int v = 0; v < kRowVectors; ++v, w += sizeof(I)) {
        steps[quad][v] = load<I>(w) & 0x0F0F0F0F;
        steps[quad + 1][v] = (load<I>(w) >> 4) & 0x0F0F0F0F;
      }
    }
  }
  static void widen_activations(const int8_t* q, int32_t (&steps)[kSteps]) { std::memcpy(steps, q, kGroup); }
  static int32_t start(int32_t sum) { return (-8 * sum) & 0xFFFF; }
  static Sums products(I w, I x) { return reinterpret_cast<Sums>(nibble_products(w, x)); }
  static I finish(Sums sums) { return finish_nibbles(reinterpret_cast<I>(sums)); }
};

template <class Wide>
struct WideBlock {  // 16 matrix rows
  I steps[Wide::kSteps][kRowVectors];
  F scale[kRowVectors];
};

template <class Wide>
struct WideChunk {  // of an activation row
  int32_t steps[kChunkBlocks][Wide::kSteps];
  int32_t start[kChunkBlocks];  // of the sums
  float scale[kChunkBlocks];
};

// Adds a chunk's columns to y[BATCH rows][16], or begins it.
template <class Wide, int BATCH>
inline void chunk_tile(const WideBlock<Wide>* w, const WideChunk<Wide>* x, int num_blocks, bool is_first, float* y,
                       int64_t y_stride) {
  F acc[BATCH][kRowVectors] = {};
  if (!is_first)
    for (int m = 0; m < BATCH; ++m)
      for (int v = 0; v < kRowVectors; ++v) acc[m][v] = load<F>(y + m * y_stride + v * kWidth);
  for (int b = 0; b < num_blocks; ++b, ++w) {
    typename Wide::Sums sums[BATCH][kRowVectors];
#pragma GCC unroll 8
    for (int m = 0; m < BATCH; ++m) {
      for (auto& sum : sums[m]) sum = reinterpret_cast<typename Wide::Sums>(I{} + x[m].start[b]);
    }
    // Unrolled further, GCC would reorder the sums and spill their terms.
#pragma GCC unroll 2
    for (int step = 0; step < Wide::kSteps; ++step) {
#pragma GCC unroll 8
      for (int m = 0; m < BATCH; ++m) {
        const I activations = I{} + x[m].steps[b][step];
#pragma GCC unroll 4
        for (int v = 0; v < kRowVectors; ++v) sums[m][v] += Wide::products(w->steps[step][v], activations);
      }
    }
#pragma GCC unroll 8
    for (int m = 0; m < BATCH; ++m) {
#pragma GCC unroll 4
      for (int v = 0; v < kRowVectors; ++v) {
        acc[m][v] += __builtin_convertvector(Wide::finish(sums[m][v]), F) * (w->scale[v] * x[m].scale[b]);
      }
    }
  }
  for (int m = 0; m < BATCH; ++m)
    for (int v = 0; v < kRowVectors; ++v) store(y + m * y_stride + v * kWidth, acc[m][v]);
}

// The tile with exactly num_rows <= BATCH rows.
template <class Wide, int BATCH = kMostTileRows>
inline void chunk_tile_of(int num_rows, const WideBlock<Wide>* w, const WideChunk<Wide>* x, int num_blocks,
                          bool is_first, float* y, int64_t y_stride) {
  if (num_rows == BATCH) return chunk_tile<Wide, BATCH>(w, x, num_blocks, is_first, y, y_stride);
  if constexpr (BATCH > 1) chunk_tile_of<Wide, BATCH - 1>(num_rows, w, x, num_blocks, is_first, y, y_stride);
}

// Blocks [first, first + count) of a row.
template <class Wide>
inline void widen_row(const QuantRow& x, int first, int count, WideChunk<Wide>& wide) {
  for (int b = 0; b < count; ++b) {
    Wide::widen_activations(x.q + (first + b) * kGroup, wide.steps[b]);
    wide.start[b] = Wide::start(x.sum[first + b]);
    wide.scale[b] = x.scale[first + b];
  }
}

// The product of at most kMostRows activation rows. Its tiles are alike: a last one of a single row would cost as much
// as one of three.
template <class Wide>
inline void chunked_pass(const std::byte* packed, const QuantRow& x, int num_rows, int num_blocks, float* y,
                         int64_t y_stride, int group_begin, int group_end) {
  const size_t group_bytes = Wide::kBlockBytes * static_cast<size_t>(num_blocks);
  const int num_tiles = (num_rows + kMostTileRows - 1) / kMostTileRows;
  WideBlock<Wide> blocks[kChunkBlocks];
  alignas(64) WideChunk<Wide> rows[kMostRows];
  for (int first = 0; first < num_blocks; first += kChunkBlocks) {
    const int count = num_blocks - first < kChunkBlocks ? num_blocks - first : kChunkBlocks;
    const size_t chunk_bytes = static_cast<size_t>(count) * Wide::kBlockBytes;
    const size_t part = chunk_bytes / static_cast<size_t>(num_tiles);
    for (int m = 0; m < num_rows; ++m) widen_row(row_of(x, m, num_blocks), first, count, rows[m]);
    for (int group = group_begin; group < group_end; ++group) {
      const std::byte* w =
          packed + static_cast<size_t>(group) * group_bytes + static_cast<size_t>(first) * Wide::kBlockBytes;
      for (int b = 0; b < count; ++b, w += Wide::kBlockBytes) {
        Wide::widen_weights(w, blocks[b].steps);
        load_scales(w + Wide::kBlockBytes - kPackedRows * 2, blocks[b].scale);
      }
      // Each tile asks for a part of the next group's chunk; all of it at once would stall the core.
      const std::byte* next = w + group_bytes - chunk_bytes;
      for (int tile = 0; tile < num_tiles; ++tile, next += part) {
        prefetch(next, part);
        const int m = num_rows * tile / num_tiles;
        chunk_tile_of<Wide>(num_rows * (tile + 1) / num_tiles - m, blocks, rows + m, count, first == 0,
                            y + m * y_stride + group * kPackedRows, y_stride);
      }
    }
  }
}

template <class Wide, MatmulKernel FEW>
inline void matmul_many(const std::byte* packed, const QuantRow& x, int num_rows, int num_blocks, float* y,
                        int64_t y_stride, int group_begin, int group_end) {
  if (num_rows < kFewestRows) return FEW(packed, x, num_rows, num_blocks, y, y_stride, group_begin, group_end);
  for (int m = 0; m < num_rows; m += kMostRows)
    chunked_pass<Wide>(packed, row_of(x, m, num_blocks), num_rows - m < kMostRows ? num_rows - m : kMostRows,
                       num_blocks, y + m * y_stride, y_stride, group_begin, group_end);
}

// The table with these products.
constexpr Kernels with_many_rows(Kernels table) {
  table.matmul_q8 = matmul_many<WideQ8, matmul<PackedQ8>>;
  table.matmul_q4 = matmul_many<WideQ4, matmul<PackedQ4>>;
  return table;
}

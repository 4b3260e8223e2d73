// The parts of the tokenizer, in the order text passes through them: UTF-8, NFC, split, byte-pair merges.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kazeia {

// ---- UTF-8 (utf8.cpp)

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

struct Utf8Char {
  char32_t codepoint;
  size_t end;  // byte offset after it
};

// The character at byte offset `at` < text.size(). Bytes that are no UTF-8 read as U+FFFD, one for each longest
// start of a valid sequence, as Python's errors="replace" and WHATWG count them. Never reads past the end.
Utf8Char read_utf8(std::string_view text, size_t at);

void append_utf8(std::string& out, char32_t codepoint);

// A whole text, both ways.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view text);

// ---- Character classes (unicode.cpp)

enum class CharClass {
  letter,   // \p{L}
  number,   // \p{N}
  newline,  // \r \n
  space,    // the rest of \s
  other,
};

CharClass class_of(char32_t codepoint);

// ---- Normalization (nfc.cpp)

// Valid UTF-8 in Unicode normalization form C.
std::string normalize_nfc(std::string_view text);

// ---- Split (pretokenizer.cpp)

// The end of the piece that starts at `at` < text.size(). Text must be valid UTF-8. Pieces cover the text.
size_t piece_end(std::string_view text, size_t at);

// ---- Byte-pair merges (bpe.cpp)

struct PairMerge {
  int32_t left;  // ids
  int32_t right;
  int32_t merged;
  uint32_t rank;  // position in merges.txt: the lowest goes first
};

// Pair of ids -> its merge: a hash table with open addressing, at most half full.
class MergeTable {
 public:
  // Where a pair occurs twice, the later one counts.
  explicit MergeTable(std::span<const PairMerge> merges);
  // Null if the pair does not merge.
  const PairMerge* find(int32_t left, int32_t right) const;

 private:
  size_t slot_of(int32_t left, int32_t right) const;

  std::vector<PairMerge> slots_;  // left < 0 is empty
};

// Working memory of merge_piece, kept from piece to piece so that it allocates only for the longest.
struct MergeScratch {
  struct Symbol {
    int32_t id;
    uint32_t previous;
    uint32_t next;
  };
  struct Candidate {
    const PairMerge* merge;
    uint32_t position;  // of the left symbol
  };
  std::vector<Symbol> symbols;
  std::vector<Candidate> queue;
};

// Appends the ids of one piece. ids: one per byte on entry; merged as long as any pair merges, lowest rank first,
// leftmost first among equals. O(n log n) for n bytes.
void merge_piece(const MergeTable& merges, std::span<const int32_t> ids, MergeScratch& scratch,
                 std::vector<int32_t>& out);

}  // namespace kazeia

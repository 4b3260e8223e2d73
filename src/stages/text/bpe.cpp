// Byte-pair merges of one piece, with a queue of the pairs that may merge.
#include <algorithm>
#include <bit>

#include "stages/text/internal.h"

namespace kazeia {
namespace {

constexpr uint32_t kNoSymbol = static_cast<uint32_t>(-1);

// Of two candidates, whether a waits for b: the order of the queue, whose front has the lowest rank.
bool waits_for(const MergeScratch::Candidate& a, const MergeScratch::Candidate& b) {
  if (a.merge->rank != b.merge->rank) return a.merge->rank > b.merge->rank;
  return a.position > b.position;
}

// The symbols of a piece as a linked list, and the pairs among them that merge, lowest rank first.
class MergeQueue {
 public:
  MergeQueue(const MergeTable& merges, std::span<const int32_t> ids, MergeScratch& scratch)
      : merges_(merges), symbols_(scratch.symbols), queue_(scratch.queue) {
    const auto num_symbols = static_cast<uint32_t>(ids.size());
    symbols_.resize(num_symbols);
    queue_.clear();
    for (uint32_t i = 0; i < num_symbols; ++i) {
      symbols_[i] = {ids[i], i == 0 ? kNoSymbol : i - 1, i + 1 == num_symbols ? kNoSymbol : i + 1};
    }
    for (uint32_t i = 0; i + 1 < num_symbols; ++i) {
      if (const PairMerge* merge = merges_.find(ids[i], ids[i + 1])) queue_.push_back({merge, i});
    }
    std::make_heap(queue_.begin(), queue_.end(), waits_for);
  }

  void run() {
    while (!queue_.empty()) {
      const MergeScratch::Candidate candidate = queue_.front();
      std::pop_heap(queue_.begin(), queue_.end(), waits_for);
      queue_.pop_back();
      if (is_current(candidate)) apply(candidate);
    }
  }

 private:
  // False if an earlier merge took one of the two symbols away.
  bool is_current(const MergeScratch::Candidate& candidate) const {
    const MergeScratch::Symbol& left = symbols_[candidate.position];
    return left.id == candidate.merge->left && left.next != kNoSymbol &&
           symbols_[left.next].id == candidate.merge->right;
  }

  void apply(const MergeScratch::Candidate& candidate) {
    MergeScratch::Symbol& left = symbols_[candidate.position];
    MergeScratch::Symbol& right = symbols_[left.next];
    left.id = candidate.merge->merged;
    left.next = right.next;
    right.id = -1;  // no candidate has this id, so those that wait at its position are dropped
    if (left.next != kNoSymbol) symbols_[left.next].previous = candidate.position;
    propose(left.previous);
    propose(candidate.position);
  }

  // Queues the pair whose left symbol is at `position`, if it merges.
  void propose(uint32_t position) {
    if (position == kNoSymbol || symbols_[position].next == kNoSymbol) return;
    const MergeScratch::Symbol& left = symbols_[position];
    const PairMerge* merge = merges_.find(left.id, symbols_[left.next].id);
    if (!merge) return;
    queue_.push_back({merge, position});
    std::push_heap(queue_.begin(), queue_.end(), waits_for);
  }

  const MergeTable& merges_;
  std::vector<MergeScratch::Symbol>& symbols_;
  std::vector<MergeScratch::Candidate>& queue_;
};

}  // namespace

MergeTable::MergeTable(std::span<const PairMerge> merges)
    : slots_(std::bit_ceil(2 * merges.size() + 1), PairMerge{-1, -1, -1, 0}) {
  for (const PairMerge& merge : merges) slots_[slot_of(merge.left, merge.right)] = merge;
}

// The slot that holds the pair, or the empty one where it belongs.
size_t MergeTable::slot_of(int32_t left, int32_t right) const {
  const size_t mask = slots_.size() - 1;
  const uint64_t key = (uint64_t{static_cast<uint32_t>(left)} << 32) | static_cast<uint32_t>(right);
  // The high half of a multiplication by 2^64 / golden ratio: neighbouring ids land far apart.
  size_t slot = static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & mask;
  while (slots_[slot].left >= 0 && (slots_[slot].left != left || slots_[slot].right != right)) slot = (slot + 1) & mask;
  return slot;
}

const PairMerge* MergeTable::find(int32_t left, int32_t right) const {
  const PairMerge& found = slots_[slot_of(left, right)];
  return found.left >= 0 ? &found : nullptr;
}

void merge_piece(const MergeTable& merges, std::span<const int32_t> ids, MergeScratch& scratch,
                 std::vector<int32_t>& out) {
  if (ids.empty()) return;
  MergeQueue(merges, ids, scratch).run();
  for (uint32_t i = 0; i != kNoSymbol; i = scratch.symbols[i].next) out.push_back(scratch.symbols[i].id);
}

}  // namespace kazeia

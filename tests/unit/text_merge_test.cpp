// links: kazeia_stage_text
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <vector>

#include "stages/text/internal.h"

namespace kazeia {
namespace {

// The definition: find the leftmost pair of the lowest rank, join it, start again.
std::vector<int32_t> merge_by_definition(const MergeTable& merges, std::vector<int32_t> ids) {
  while (true) {
    const PairMerge* best = nullptr;
    size_t best_position = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const PairMerge* merge = merges.find(ids[i], ids[i + 1]);
      if (!merge || (best && best->rank <= merge->rank)) continue;
      best = merge;
      best_position = i;
    }
    if (!best) return ids;
    ids[best_position] = best->merged;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best_position) + 1);
  }
}

std::vector<int32_t> merged(const MergeTable& merges, const std::vector<int32_t>& ids) {
  MergeScratch scratch;
  std::vector<int32_t> out;
  merge_piece(merges, ids, scratch, out);
  return out;
}

// ids 0..2 and up to `count` random merges of what exists so far.
std::vector<PairMerge> random_merges(std::mt19937& random, int count) {
  std::vector<PairMerge> merges;
  for (int i = 0; i < count; ++i) {
    const auto any_id = [&] { return static_cast<int32_t>(random() % static_cast<uint32_t>(3 + i)); };
    merges.push_back({any_id(), any_id(), 3 + i, static_cast<uint32_t>(i)});
  }
  return merges;
}

TEST(MergePiece, GivesWhatTheDefinitionGives) {
  std::mt19937 random(7);
  for (int round = 0; round < 3'000; ++round) {
    const MergeTable merges(random_merges(random, 1 + static_cast<int>(random() % 12)));
    std::vector<int32_t> ids(random() % 40);
    for (int32_t& id : ids) id = static_cast<int32_t>(random() % 3);
    ASSERT_EQ(merged(merges, ids), merge_by_definition(merges, ids));
  }
}

TEST(MergePiece, JoinsTheLeftmostOfEqualPairsFirst) {
  const MergeTable merges(std::vector<PairMerge>{{0, 0, 1, 0}});
  EXPECT_EQ(merged(merges, {0, 0, 0}), (std::vector<int32_t>{1, 0}));
}

TEST(MergePiece, AnEmptyPieceGivesNothing) { EXPECT_TRUE(merged(MergeTable({}), {}).empty()); }

TEST(MergePiece, AHugePieceOfEqualBytesTakesNoQuadraticTime) {
  std::vector<PairMerge> doublings;
  for (int32_t i = 0; i < 8; ++i) doublings.push_back({i, i, i + 1, static_cast<uint32_t>(i)});
  const auto start = std::chrono::steady_clock::now();
  const auto ids = merged(MergeTable(doublings), std::vector<int32_t>(256'000, 0));
  EXPECT_EQ(ids, std::vector<int32_t>(1'000, 8));
  // Some 0.1 s; with the definition above, ten minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(MergeTable, TheLaterOfTwoEqualPairsCounts) {
  const MergeTable merges(std::vector<PairMerge>{{1, 2, 3, 0}, {1, 2, 4, 1}});
  ASSERT_NE(merges.find(1, 2), nullptr);
  EXPECT_EQ(merges.find(1, 2)->merged, 4);
  EXPECT_EQ(merges.find(2, 1), nullptr);
}

}  // namespace
}  // namespace kazeia

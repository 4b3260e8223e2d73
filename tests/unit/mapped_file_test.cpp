// links: kazeia_base
#include "base/mapped_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

namespace kazeia {
namespace {

class MappedFileTest : public testing::Test {
 protected:
  void write(char first) const {
    std::vector<char> bytes(10'000);
    std::iota(bytes.begin(), bytes.end(), first);
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  void TearDown() override { std::filesystem::remove(path); }

  const std::string path = testing::TempDir() + "mapped_file_test.bin";
};

void expect_equal_copies(const MappedFile& file) {
  for (const auto& [offset, count] :
       {std::pair(0, 1), std::pair(4090, 100), std::pair(9'000, 1'000), std::pair(5, 0)}) {
    const auto part = file.bytes().subspan(static_cast<size_t>(offset), static_cast<size_t>(count));
    std::vector<std::byte> copy(part.size());
    file.copy(part, copy.data());
    EXPECT_TRUE(std::equal(copy.begin(), copy.end(), part.begin())) << offset;
  }
}

TEST_F(MappedFileTest, ACopyHoldsWhatTheMappingShows) {
  write('a');
  auto file = MappedFile::open(path);
  ASSERT_TRUE(file) << file.error().message;
  expect_equal_copies(*file);
  const MappedFile moved = *std::move(file);
  expect_equal_copies(moved);
}

TEST_F(MappedFileTest, AFileThatTakesItsNameLaterChangesNothing) {
  write('a');
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file) << file.error().message;
  std::filesystem::remove(path);
  write('x');
  expect_equal_copies(*file);
  EXPECT_EQ(file->bytes()[0], std::byte{'a'});
}

}  // namespace
}  // namespace kazeia

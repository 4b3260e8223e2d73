// .npy files come back as they were written, and anything else is refused with the reason.
// links: kazeia_npy
#include "cli/npy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kazeia {
namespace {

class Npy : public testing::Test {
 protected:
  ~Npy() override { std::filesystem::remove(path_); }

  void write(const std::string& content) const { std::ofstream(path_, std::ios::binary) << content; }
  // Version 1.0 with this header dictionary.
  void write(const std::string& header, const std::string& values) const {
    write(std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + values);
  }
  std::string message() const {
    const Result<NpyArray> array = read_npy(path_);
    if (array) return "";
    EXPECT_TRUE(array.error().message.starts_with(path_ + ": "));
    return array.error().message.substr(path_.size() + 2);
  }

  const std::string path_ = testing::TempDir() + "kazeia_npy_test.npy";
};

TEST_F(Npy, ValuesAndShapesComeBack) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{0, 7}, Shape{2, 3}, Shape{2, 3, 4, 5}}) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.37F - 1.0F;
    ASSERT_TRUE(write_npy(path_, shape, values));
    // As NumPy writes it, the values start at a multiple of 64 bytes.
    EXPECT_EQ((std::filesystem::file_size(path_) - values.size() * sizeof(float)) % 64, 0U);
    Shape found;
    EXPECT_EQ(*read_npy_f32(path_, found), values);
    EXPECT_EQ(found, shape);
  }
  const std::vector<int32_t> codes = {1, -2, 2147483647, -2147483647 - 1};
  ASSERT_TRUE(write_npy(path_, {2, 2}, codes));
  Shape found;
  EXPECT_EQ(*read_npy_i32(path_, found), codes);
}

TEST_F(Npy, WideIntegersAreTakenIfTheyFit) {
  write("{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }\n",
        std::string("\xfe\xff\xff\xff\xff\xff\xff\xff", 8));
  Shape shape;
  EXPECT_EQ(*read_npy_i32(path_, shape), std::vector<int32_t>{-2});
  write("{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }\n", std::string("\0\0\0\0\1\0\0\0", 8));
  const auto too_wide = read_npy_i32(path_, shape);
  ASSERT_FALSE(too_wide);
  EXPECT_EQ(too_wide.error().message, path_ + ": expected values of 32 bits, found 4294967296");
}

TEST_F(Npy, BrokenFilesAreRefusedWithTheReason) {
  const std::string four(4, '\0');
  write("RIFF....WAVE");
  EXPECT_EQ(message(), "not a .npy file: expected the magic bytes \\x93NUMPY");
  write(std::string("\x93NUMPY\x07\x00", 8));
  EXPECT_EQ(message(), "expected .npy version 1 to 3, found 7");
  write(std::string("\x93NUMPY\x01\x00\x50\x00{'descr'", 18));
  EXPECT_EQ(message(), "the header is cut short");
  write(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12));
  EXPECT_EQ(message(), "the header is cut short or too long");
  write("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", four);
  EXPECT_EQ(message(), "expected C order, found Fortran order");
  write("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", four);
  EXPECT_EQ(message(), "expected 8 bytes of values for shape [2], found 4");
  for (const char* shape : {"(1, 1, 1, 1, 1)", "(-1,)", "(9999999999,)", "(99999, 99999)", "(x,)", "(1", "1"}) {
    write(std::string("{'descr': '<f4', 'fortran_order': False, 'shape': ") + shape, four);
    EXPECT_TRUE(message().starts_with("expected a shape of at most 4 dimensions")) << shape;
  }
  for (const char* type : {"'<f8'", "'>f4'", "'|b1'", "[('x', '<f4')]"}) {
    write(std::string("{'descr': ") + type + ", 'fortran_order': False, 'shape': (1,), }", four);
    EXPECT_TRUE(message().starts_with("expected float32, int32 or int64")) << type;
  }
  for (const char* header : {"", "{}", "{'descr': '<f4', 'shape': (1,)}", "{'descr'", "'shape':"}) {
    write(header, four);
    EXPECT_TRUE(message().starts_with("the header names no type, order or shape")) << header;
  }
  std::filesystem::remove(path_);
  EXPECT_EQ(message(), "can't be opened: No such file or directory");
}

TEST_F(Npy, ATypeThatTheCallerCannotUseIsNamed) {
  Shape shape;
  ASSERT_TRUE(write_npy(path_, {1}, std::vector<float>{1.0F}));
  EXPECT_EQ(read_npy_i32(path_, shape).error().message, path_ + ": expected int32 values, found float32");
  ASSERT_TRUE(write_npy(path_, {1}, std::vector<int32_t>{1}));
  EXPECT_EQ(read_npy_f32(path_, shape).error().message, path_ + ": expected float32 values, found integers");
}

}  // namespace
}  // namespace kazeia

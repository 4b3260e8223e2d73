// links: kazeia_formats nlohmann_json::nlohmann_json
// The header of a safetensors file is believed only where it agrees with the file.
#include <gtest/gtest.h>

#include "formats/safetensors_reader.h"
#include "support/safetensors_image.h"

namespace kazeia {
namespace {

using test::bytes_of;
using test::safetensors_image;

constexpr const char* kTwoTensors = R"({"__metadata__": {"format": "pt"},
  "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
  "b": {"dtype": "BF16", "shape": [3], "data_offsets": [16, 22]}})";

std::string message(const std::string& image) {
  const auto tensors = parse_safetensors(bytes_of(image), "m.safetensors");
  return tensors ? "no error" : tensors.error().message;
}

// The error for one tensor "a" with this header entry over `num_bytes` of data.
std::string message_for(const std::string& entry, size_t num_bytes) {
  return message(safetensors_image("{\"a\": " + entry + "}", std::string(num_bytes, '\0')));
}

TEST(Safetensors, tensors_are_views_of_the_file) {
  const std::string image = safetensors_image(kTwoTensors, "0123456789abcdefghijkl");
  const auto tensors = parse_safetensors(bytes_of(image), "m.safetensors");
  ASSERT_TRUE(tensors) << tensors.error().message;
  ASSERT_EQ(tensors->size(), 2U);
  const SafetensorsTensor& b = tensors->find("b")->second;
  EXPECT_EQ(b.dtype, DType::bf16);
  EXPECT_EQ(b.shape, (Shape{3}));
  EXPECT_EQ(static_cast<const void*>(b.bytes.data()), image.data() + image.size() - 6);
  EXPECT_EQ(b.bytes.size(), 6U);
}

TEST(Safetensors, types_that_no_weight_has_are_read_but_not_offered_as_weights) {
  const std::string image =
      safetensors_image(R"({"n": {"dtype": "I64", "shape": [], "data_offsets": [0, 8]}})", std::string(8, '\0'));
  const auto tensors = parse_safetensors(bytes_of(image), "m.safetensors");
  ASSERT_TRUE(tensors) << tensors.error().message;
  EXPECT_FALSE(tensors->find("n")->second.dtype.has_value());
}

TEST(Safetensors, every_truncation_is_refused) {
  const std::string image = safetensors_image(kTwoTensors, std::string(22, 'x'));
  for (size_t size = 0; size < image.size(); ++size) EXPECT_NE(message(image.substr(0, size)), "no error") << size;
  EXPECT_NE(message(image + "y").find("expected 22 bytes of data, found 23"), std::string::npos);
}

TEST(Safetensors, an_absurd_header_size_is_refused) {
  std::string image = safetensors_image(kTwoTensors, std::string(22, 'x'));
  image[7] = '\x7F';
  EXPECT_NE(message(image).find("header size: expected at most"), std::string::npos) << message(image);
}

TEST(Safetensors, wrong_entries_are_refused_by_name) {
  const auto expect = [](const std::string& entry, size_t num_bytes, const std::string& part) {
    const std::string found = message_for(entry, num_bytes);
    EXPECT_NE(found.find(part), std::string::npos) << found;
    EXPECT_EQ(found.find("m.safetensors: a: "), 0U) << found;
  };
  expect(R"({"dtype": "F32", "shape": [2], "data_offsets": [0, 12]})", 12,
         "expected 8 bytes for F32 [2], found 12 bytes");
  expect(R"({"dtype": "F32", "shape": [2], "data_offsets": [4, 12]})", 8,
         "inside the file's 8 bytes of data, found 4 to 12");
  expect(R"({"dtype": "F32", "shape": [2], "data_offsets": [8, 0]})", 8, "data_offsets");
  expect(R"({"dtype": "F32", "shape": [2], "data_offsets": [4, 12]})", 12,
         "leave a gap after the header: expected byte 0, found 4");
  expect(R"({"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]})", 8, "data_offsets");
  expect(R"({"dtype": "F32", "shape": [2], "data_offsets": [0]})", 8, "header entry");
  expect(R"({"dtype": "F33", "shape": [2], "data_offsets": [0, 8]})", 8,
         "dtype: expected a safetensors type, found \"F33\"");
  expect(R"({"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]})", 8, "shape");
  expect(R"({"dtype": "F32", "shape": [2.5], "data_offsets": [0, 8]})", 8, "shape");
  expect(R"({"dtype": "F32", "shape": [1,1,1,1,2], "data_offsets": [0, 8]})", 8, "shape");
  expect(R"({"dtype": "F32", "shape": [1099511627776, 1099511627776, 4], "data_offsets": [0, 8]})", 8,
         "less than 2^64 bytes");
  expect(R"({"dtype": "F32", "shape": [18446744073709551615], "data_offsets": [0, 8]})", 8, "shape");
  expect(R"({"shape": [2]})", 8, "header entry");
  expect(R"(7)", 8, "header entry");
}

TEST(Safetensors, overlapping_tensors_are_refused_by_both_names) {
  const std::string header = R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
    "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}})";
  EXPECT_NE(message(safetensors_image(header, std::string(12, 'x')))
                .find("b: data_offsets overlap those of a: expected byte 8, found 4"),
            std::string::npos);
}

TEST(Safetensors, a_name_twice_is_refused) {
  const std::string header = R"({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
    "a": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]}})";
  EXPECT_NE(message(safetensors_image(header, "xy")).find("key \"a\" appears twice"), std::string::npos);
}

}  // namespace
}  // namespace kazeia

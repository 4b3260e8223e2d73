// links: kazeia_convert kazeia_test_support
// A converted model is the same model; its types are those asked for; a failure leaves nothing behind.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "cli/convert_model.h"
#include "compute/quantize.h"
#include "formats/model_file.h"
#include "formats/tensor_manifest.h"
#include "support/differences.h"
#include "support/tiny_checkpoint.h"

namespace kazeia {
namespace {

using test::TempFolder;
using test::TinyCheckpoint;
using test::write_tiny_checkpoint;

ModelFile open(const std::string& path) {
  Result<ModelFile> model = open_model(path);
  EXPECT_TRUE(model) << model.error().message;
  return model ? *std::move(model) : ModelFile{};
}

std::vector<float> floats_of(const ModelFile& model, const std::string& name) {
  std::vector<std::byte> scratch;
  const TensorInfo* info = model.tensors->find(name);
  const auto bytes = model.tensors->read(name, scratch);
  std::vector<float> values(static_cast<size_t>(info->shape.num_elements()));
  dequantize_row(info->dtype, *bytes, values);
  return values;
}

class Convert : public testing::Test {
 protected:
  ConvertReport convert(StorageType type) {
    Result<ConvertReport> report = convert_model(checkpoint.path(), gguf, type);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *std::move(report) : ConvertReport{};
  }

  TempFolder checkpoint, out;
  std::string gguf = out.file("m.gguf");
};

TEST_F(Convert, folder_and_file_of_one_type_hold_the_same_bytes) {
  for (const auto& [dtype, type] : {std::pair{DType::f32, StorageType::f32}, {DType::bf16, StorageType::bf16}}) {
    write_tiny_checkpoint(checkpoint.path(), {.variant = "tiny-mtp", .dtype = dtype});
    convert(type);
    const ModelFile folder = open(checkpoint.path()), file = open(gguf);
    EXPECT_EQ(folder.tensors->names(), file.tensors->names());
    for (const TensorSpec& spec : tensor_manifest(folder.config)) {
      const TensorInfo* info = file.tensors->find(spec.name);
      ASSERT_NE(info, nullptr) << spec.name;
      EXPECT_TRUE(info->mapped);
      EXPECT_EQ(info->shape, spec.shape) << spec.name;
      EXPECT_EQ(info->dtype, storage_dtype(spec, type)) << spec.name;
      if (spec.role == TensorRole::codec_matrix && type == StorageType::bf16) continue;  // the folder has these in f32
      EXPECT_EQ(floats_of(folder, spec.name), floats_of(file, spec.name)) << spec.name;
    }
    EXPECT_EQ(file.config.name, folder.config.name);
    EXPECT_EQ(file.tokenizer.merges, folder.tokenizer.merges);
  }
}

TEST_F(Convert, each_type_is_as_exact_as_it_can_be) {
  write_tiny_checkpoint(checkpoint.path(), {.dtype = DType::f32});
  const ModelFile exact = open(checkpoint.path());
  struct Case {
    StorageType type;
    double max_error;  // uniform weights: half a step of 2^-8, 2^-11, 1/127, 1/8 relative to 1/sqrt(3), with a margin
  };
  for (const Case& c : {Case{StorageType::bf16, 3e-3},
                        {StorageType::f16, 4e-4},
                        {StorageType::q8_0, 6e-3},
                        {StorageType::q4_0, 0.12},
                        {StorageType::mixed, 0.12}}) {
    convert(c.type);
    const ModelFile file = open(gguf);
    for (const TensorSpec& spec : tensor_manifest(exact.config)) {
      const double error = test::relative_error(floats_of(file, spec.name), floats_of(exact, spec.name));
      EXPECT_LE(error, spec.role == TensorRole::exact ? 0 : c.max_error)
          << spec.name << " " << storage_type_name(c.type);
    }
  }
}

TEST_F(Convert, rows_that_are_no_whole_blocks_are_kept_in_f16_and_reported) {
  write_tiny_checkpoint(checkpoint.path(),
                        {.change = [](ModelConfig& config) { config.talker.stack.intermediate_size = 80; }});
  const ConvertReport report = convert(StorageType::q8_0);
  EXPECT_EQ(report.odd_tensors,
            (std::vector<std::string>{"talker.layers.0.down_proj.weight", "talker.layers.1.down_proj.weight"}));
  const ModelFile file = open(gguf);
  EXPECT_EQ(file.tensors->find("talker.layers.0.down_proj.weight")->dtype, DType::f16);
  EXPECT_EQ(file.tensors->find("talker.layers.0.up_proj.weight")->dtype, DType::q8_0);
}

TEST_F(Convert, a_gguf_can_be_converted_again) {
  write_tiny_checkpoint(checkpoint.path());
  convert(StorageType::f32);
  const auto report = convert_model(gguf, out.file("again.gguf"), StorageType::q4_0);
  ASSERT_TRUE(report) << report.error().message;
  convert(StorageType::q4_0);
  EXPECT_EQ(test::read_file(gguf), test::read_file(out.file("again.gguf")));
}

TEST_F(Convert, converting_twice_gives_the_same_bytes) {
  write_tiny_checkpoint(checkpoint.path());
  convert(StorageType::mixed);
  const std::string first = test::read_file(gguf);
  convert(StorageType::mixed);
  EXPECT_EQ(first, test::read_file(gguf));
}

TEST_F(Convert, progress_ends_at_the_total) {
  write_tiny_checkpoint(checkpoint.path());
  uint64_t last = 0, total = 0;
  size_t calls = 0;
  const auto report = convert_model(checkpoint.path(), gguf, StorageType::q8_0, [&](const ConvertProgress& progress) {
    EXPECT_GE(progress.bytes_done, last);
    last = progress.bytes_done;
    total = progress.bytes_total;
    ++calls;
    return true;
  });
  ASSERT_TRUE(report);
  EXPECT_EQ(last, total);
  EXPECT_EQ(calls, report->num_tensors + 1);
  EXPECT_EQ(report->num_bytes, std::filesystem::file_size(gguf));
}

TEST_F(Convert, a_cancelled_conversion_leaves_no_file) {
  write_tiny_checkpoint(checkpoint.path());
  int calls = 0;
  const auto report =
      convert_model(checkpoint.path(), gguf, StorageType::q8_0, [&](const ConvertProgress&) { return ++calls < 10; });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::cancelled);
  EXPECT_TRUE(std::filesystem::is_empty(out.path()));
}

TEST_F(Convert, a_failure_leaves_no_file) {
  write_tiny_checkpoint(checkpoint.path());
  std::filesystem::remove(checkpoint.file("speech_tokenizer/model.safetensors"));
  const auto broken_input = convert_model(checkpoint.path(), gguf, StorageType::q8_0);
  ASSERT_FALSE(broken_input);
  EXPECT_NE(broken_input.error().message.find("speech_tokenizer/model.safetensors"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(out.path()));

  write_tiny_checkpoint(checkpoint.path());
  const auto broken_output = convert_model(checkpoint.path(), out.file("missing/m.gguf"), StorageType::q8_0);
  ASSERT_FALSE(broken_output);
  EXPECT_EQ(broken_output.error().code, ErrorCode::io);
  EXPECT_TRUE(std::filesystem::is_empty(out.path()));
}

TEST_F(Convert, a_file_with_a_tensor_missing_or_of_a_wrong_shape_or_type_is_refused) {
  write_tiny_checkpoint(checkpoint.path());
  convert(StorageType::q8_0);
  const std::string original = test::read_file(gguf);
  const auto message_after = [&](const std::string& name, const auto& change) {
    std::string image = original;
    const size_t at = image.find(name);
    EXPECT_NE(at, std::string::npos);
    change(image, at, name.size());  // after the name: 4 bytes of rank, 8 of each size, 4 of type
    test::write_file(gguf, image);
    const Result<ModelFile> model = open_model(gguf);
    return model ? std::string("no error") : model.error().message;
  };
  const std::string renamed =
      message_after("talker.norm.weight", [](std::string& image, size_t at, size_t) { image[at] = 'w'; });
  EXPECT_NE(renamed.find("m.gguf: talker.norm.weight: the tensor is missing"), std::string::npos) << renamed;
  const std::string shape = message_after(
      "talker.norm.weight", [](std::string& image, size_t at, size_t size) { image[at + size + 4] = 32; });
  EXPECT_NE(shape.find("talker.norm.weight: expected [64], found [32]"), std::string::npos) << shape;
  const std::string type = message_after("talker.norm.weight",
                                         [](std::string& image, size_t at, size_t size) { image[at + size + 12] = 1; });
  EXPECT_NE(type.find("talker.norm.weight: expected type f32, found f16"), std::string::npos) << type;
}

TEST(RandomModel, every_type_reads_the_same_twice_and_has_the_right_scale) {
  for (const char* spec : {"tiny:f32", "tiny:bf16", "tiny:f16", "tiny-mtp:q8_0", "tiny:q4_0", "tiny16:mixed"}) {
    const Result<ModelFile> model = make_random_model(spec, 3);
    ASSERT_TRUE(model) << model.error().message;
    for (const std::string& name : model->tensors->names()) EXPECT_EQ(floats_of(*model, name), floats_of(*model, name));
    const auto values = floats_of(*model, "talker.layers.0.q_proj.weight");
    double sum = 0, squares = 0;
    for (const float value : values) {
      sum += static_cast<double>(value);
      squares += static_cast<double>(value * value);
    }
    const double n = static_cast<double>(values.size());
    const double width = model->config.talker.stack.hidden_size;
    EXPECT_NEAR(std::sqrt(squares / n), 0.64 / std::sqrt(width), 0.004) << spec;
    EXPECT_NEAR(sum / n, 0, 0.004) << spec;
  }
}

TEST(RandomModel, seeds_and_names_give_different_values) {
  const auto values = [](uint64_t seed, const char* name) { return floats_of(*make_random_model("tiny", seed), name); };
  EXPECT_NE(values(1, "talker.layers.0.q_proj.weight"), values(2, "talker.layers.0.q_proj.weight"));
  EXPECT_NE(values(1, "talker.layers.0.q_proj.weight"), values(1, "talker.layers.1.q_proj.weight"));
}

TEST(RandomModel, the_end_of_speech_row_of_the_head_is_zero) {
  for (const char* spec : {"tiny:f32", "tiny:q4_0"}) {
    const Result<ModelFile> model = make_random_model(spec, 1);
    const auto head = floats_of(*model, "talker.codec_head.weight");
    const auto row = static_cast<size_t>(model->config.talker.codec_eos_id) * 64;
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(head[row + i], 0);
    EXPECT_NE(head[0], 0);
  }
}

TEST(RandomModel, an_unknown_size_or_type_lists_the_known_ones) {
  for (const char* spec : {"7b:q8_0", "0.6b:q5_k", ""}) {
    const Result<ModelFile> model = make_random_model(spec, 1);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(model.error().message.find("expected SIZE:TYPE"), std::string::npos);
  }
}

}  // namespace
}  // namespace kazeia

// links: kazeia_test_support
// An official checkpoint folder is read under our names and layouts, and broken ones are refused by file and tensor.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "formats/half.h"
#include "formats/model_file.h"
#include "formats/tensor_manifest.h"
#include "support/edit_json.h"
#include "support/safetensors_image.h"
#include "support/tiny_checkpoint.h"

namespace kazeia {
namespace {

using nlohmann::json;
using test::TempFolder;
using test::TinyCheckpoint;
using test::write_tiny_checkpoint;

ModelFile open(const std::string& path) {
  Result<ModelFile> model = open_model(path);
  EXPECT_TRUE(model) << model.error().message;
  return model ? *std::move(model) : ModelFile{};
}

std::string message(const std::string& path) {
  const Result<ModelFile> model = open_model(path);
  return model ? "no error" : model.error().message;
}

std::vector<std::byte> bytes_of_tensor(const ModelFile& model, const std::string& name) {
  std::vector<std::byte> scratch;
  const auto bytes = model.tensors->read(name, scratch);
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes ? std::vector<std::byte>(bytes->begin(), bytes->end()) : scratch;
}

// Rewrites the header (and, through it, anything) of a safetensors file.
template <class Change>
void change_header(const std::string& path, const Change& change) {
  auto [header, data] = test::split_safetensors(test::read_file(path));
  change(header, data);
  test::write_file(path, test::safetensors_image(header.dump(), data));
}

TEST(Checkpoint, every_tensor_of_the_manifest_is_there_under_our_name_and_shape) {
  for (const char* variant : {"tiny", "tiny16", "tiny-mtp"}) {
    const TempFolder folder;
    write_tiny_checkpoint(folder.path(), {.variant = variant});
    const ModelFile model = open(folder.path());
    const auto manifest = tensor_manifest(model.config);
    EXPECT_EQ(model.tensors->names().size(), manifest.size());
    for (const TensorSpec& spec : manifest) {
      const TensorInfo* info = model.tensors->find(spec.name);
      ASSERT_NE(info, nullptr) << spec.name;
      EXPECT_EQ(info->shape, spec.shape) << spec.name;
      EXPECT_TRUE(dtype_allowed(spec.role, info->dtype)) << spec.name;
      EXPECT_EQ(bytes_of_tensor(model, spec.name).size(), info->num_bytes()) << spec.name;
    }
    EXPECT_EQ(model.tensors->find("talker.nothing"), nullptr);
  }
}

TEST(Checkpoint, matrices_keep_their_type_as_views_and_norms_become_f32) {
  const TempFolder folder;
  for (const DType dtype : {DType::bf16, DType::f16, DType::f32}) {
    write_tiny_checkpoint(folder.path(), {.dtype = dtype});
    const ModelFile model = open(folder.path());
    const TensorInfo* matrix = model.tensors->find("talker.layers.0.q_proj.weight");
    EXPECT_EQ(matrix->dtype, dtype);
    std::vector<std::byte> scratch;
    const auto bytes = model.tensors->read("talker.layers.0.q_proj.weight", scratch);
    EXPECT_EQ(matrix->mapped, scratch.empty());
    EXPECT_EQ(bytes->size(), matrix->num_bytes());
    EXPECT_EQ(model.tensors->find("talker.layers.0.input_norm.weight")->dtype, DType::f32);
    EXPECT_EQ(model.tensors->find("codec.wave.conv_in.weight")->dtype, DType::f32);
  }
}

TEST(Checkpoint, a_norm_in_bf16_has_the_same_values_in_f32) {
  const TempFolder folder;
  write_tiny_checkpoint(folder.path(), {.dtype = DType::bf16});
  const auto [header, data] = test::split_safetensors(test::read_file(folder.file("model.safetensors")));
  const size_t begin = header["talker.model.norm.weight"]["data_offsets"][0];
  const auto ours = bytes_of_tensor(open(folder.path()), "talker.norm.weight");
  for (size_t i = 0; i < ours.size() / 4; ++i) {
    uint16_t official = 0;
    float value = 0;
    std::memcpy(&official, &data[begin + 2 * i], 2);
    std::memcpy(&value, &ours[4 * i], 4);
    EXPECT_EQ(value, bf16_to_float(official));
  }
}

TEST(Checkpoint, shards_hold_the_same_model_as_one_file) {
  const TempFolder one, many;
  write_tiny_checkpoint(one.path());
  write_tiny_checkpoint(many.path(), {.num_shards = 3});
  const ModelFile a = open(one.path()), b = open(many.path());
  for (const std::string& name : a.tensors->names()) {
    EXPECT_EQ(bytes_of_tensor(a, name), bytes_of_tensor(b, name)) << name;
  }
}

TEST(Checkpoint, tensors_that_the_engine_does_not_use_are_ignored) {
  const TempFolder folder;
  write_tiny_checkpoint(folder.path());
  change_header(folder.file("speech_tokenizer/model.safetensors"), [](json& header, std::string& data) {
    header["encoder.downsample.initialized"] = {
        {"dtype", "I64"}, {"shape", {1}}, {"data_offsets", {data.size(), data.size() + 8}}};
    data += std::string(8, '\0');
  });
  open(folder.path());
}

TEST(Checkpoint, a_missing_tensor_is_named_and_so_is_the_one_it_was_renamed_to) {
  const TempFolder folder;
  write_tiny_checkpoint(folder.path());
  const std::string name = "talker.model.layers.1.mlp.gate_proj.weight";
  change_header(folder.file("model.safetensors"), [&](json& header, std::string&) {
    header["talker.model.layers.1.mlp.gate_project.weight"] = header[name];
    header.erase(name);
  });
  const std::string found = message(folder.path());
  EXPECT_NE(found.find("model.safetensors: " + name + ": the tensor is missing"), std::string::npos) << found;
  EXPECT_NE(found.find("talker.model.layers.1.mlp.gate_project.weight"), std::string::npos) << found;
}

TEST(Checkpoint, a_wrong_shape_is_refused_with_both_shapes) {
  const TempFolder folder;
  write_tiny_checkpoint(folder.path());
  change_header(folder.file("model.safetensors"), [](json& header, std::string&) {
    header["talker.model.layers.0.self_attn.k_proj.weight"]["shape"] = {64, 32};
  });
  const std::string found = message(folder.path());
  EXPECT_NE(found.find("talker.model.layers.0.self_attn.k_proj.weight: expected [32, 64], found [64, 32]"),
            std::string::npos)
      << found;
}

TEST(Checkpoint, a_wrong_type_is_refused_with_both_types) {
  const TempFolder folder;
  write_tiny_checkpoint(folder.path());
  change_header(folder.file("speech_tokenizer/model.safetensors"),
                [](json& header, std::string&) { header["decoder.pre_conv.conv.bias"]["dtype"] = "I32"; });
  const std::string found = message(folder.path());
  EXPECT_NE(
      found.find("speech_tokenizer/model.safetensors: decoder.pre_conv.conv.bias: expected type F32, F16 or BF16, "
                 "found I32"),
      std::string::npos)
      << found;
}

TEST(Checkpoint, a_truncated_file_is_refused) {
  const TempFolder folder;
  write_tiny_checkpoint(folder.path());
  const std::string path = folder.file("model.safetensors");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1000);
  EXPECT_NE(message(folder.path()).find("model.safetensors: "), std::string::npos) << message(folder.path());
  std::filesystem::resize_file(path, 0);
  EXPECT_NE(message(folder.path()).find("the file is empty"), std::string::npos) << message(folder.path());
  std::filesystem::remove(path);
  EXPECT_NE(message(folder.path()).find("model.safetensors: can't open"), std::string::npos) << message(folder.path());
}

TEST(Checkpoint, a_broken_index_is_refused) {
  const TempFolder folder;
  write_tiny_checkpoint(folder.path(), {.num_shards = 2});
  const std::string index = folder.file("model.safetensors.index.json");
  const std::string original = test::read_file(index);
  const auto expect = [&](const std::string& part) {
    EXPECT_NE(message(folder.path()).find(part), std::string::npos) << message(folder.path());
    test::write_file(index, original);
  };
  test::set_json(index, "/weight_map/talker.model.norm.weight", "../model-00001-of-00002.safetensors");
  expect("talker.model.norm.weight: expected a file name");
  test::set_json(index, "/weight_map/talker.model.norm.weight", "model-00009-of-00002.safetensors");
  expect("model-00009-of-00002.safetensors: can't open");
  test::set_json(index, "/weight_map/talker.model.text_embedding.weight", "model-00002-of-00002.safetensors");
  expect("talker.model.text_embedding.weight: the index says it is here, but it is missing");
  test::erase_json(index, "/weight_map", "talker.model.norm.weight");
  expect("talker.model.norm.weight: the tensor is missing");
  test::write_file(index, "{}");
  expect("weight_map: expected an object");
}

TEST(Checkpoint, the_tokenizer_of_another_model_is_refused) {
  const TempFolder folder;
  write_tiny_checkpoint(folder.path(), {.change = [](ModelConfig& config) { config.prompt.im_start = 5; }});
  EXPECT_NE(message(folder.path()).find("wrong tokenizer: prompt.im_start_id = 5: expected the token \"<|im_start|>\""),
            std::string::npos)
      << message(folder.path());
  write_tiny_checkpoint(folder.path(), {.change = [](ModelConfig& config) { config.prompt.assistant = 7; }});
  EXPECT_NE(message(folder.path()).find("expected the token \"assistant\""), std::string::npos)
      << message(folder.path());
}

TEST(Checkpoint, a_path_that_is_no_model_is_refused) {
  const TempFolder folder;
  EXPECT_NE(message(folder.file("nothing")).find("nothing: can't open"), std::string::npos);
  EXPECT_NE(message(folder.path()).find("config.json: can't open"), std::string::npos);
  test::write_file(folder.file("text.gguf"), "this is not a model at all, but long enough to look");
  EXPECT_NE(message(folder.file("text.gguf")).find("expected a GGUF file"), std::string::npos);
}

}  // namespace
}  // namespace kazeia

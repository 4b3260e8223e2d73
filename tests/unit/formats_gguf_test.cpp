// links: kazeia_formats
// The GGUF container: what the writer writes the reader reads, and no broken file gets past it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/mapped_file.h"
#include "formats/byte_tokenizer.h"
#include "formats/config_fields.h"
#include "formats/gguf_format.h"
#include "formats/gguf_model.h"
#include "formats/random_model.h"

namespace kazeia {
namespace {

// A GGUF image put together by hand, field by field, so that any field can be wrong.
class Image {
 public:
  explicit Image(uint64_t num_tensors, uint64_t num_values, uint32_t version = kGgufVersion) {
    bytes_.append(kGgufMagic, 4);
    put(version).put(num_tensors).put(num_values);
  }
  template <class T>
  Image& put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  Image& text(const std::string& value) {
    put(uint64_t{value.size()});
    bytes_ += value;
    return *this;
  }
  Image& tensor(const std::string& name, const std::vector<int64_t>& ne, uint32_t type, uint64_t offset) {
    text(name).put(static_cast<uint32_t>(ne.size()));
    for (const int64_t size : ne) put(size);
    return put(type).put(offset);
  }
  // Pads to the default alignment, then adds data.
  Image& data(size_t size) {
    bytes_.append((32 - bytes_.size() % 32) % 32, '\0');
    bytes_.append(size, 'x');
    return *this;
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

 private:
  std::string bytes_;
};

std::string message(const Image& image) {
  const auto contents = parse_gguf(image.bytes(), "m.gguf");
  return contents ? "no error" : contents.error().message;
}

void expect_refused(const Image& image, const std::string& part) {
  EXPECT_NE(message(image).find(part), std::string::npos) << message(image);
  EXPECT_EQ(message(image).find("m.gguf: "), 0U) << message(image);
}

TEST(GgufReader, shapes_are_row_major) {
  const auto image = Image(1, 0).tensor("w", {3, 2}, 0, 0).data(24);
  const auto contents = parse_gguf(image.bytes(), "m.gguf");
  ASSERT_TRUE(contents) << contents.error().message;
  EXPECT_EQ(contents->tensors.at("w").shape, (Shape{2, 3}));
}

TEST(GgufReader, a_wrong_header_is_refused) {
  expect_refused(Image(0, 0, 2), "GGUF version: expected 3, found 2");
  expect_refused(Image(uint64_t{1} << 60, 0), "no more entries than the file has room for");
  expect_refused(Image(0, uint64_t{1} << 60), "no more entries than the file has room for");
}

TEST(GgufReader, wrong_metadata_is_refused_by_key) {
  const auto entry = [](const std::string& key) { return Image(0, 1).text(key); };
  expect_refused(entry("k").put(uint32_t{99}).put(uint64_t{0}).put(uint64_t{0}), "metadata k: truncated or not valid");
  expect_refused(entry("k").put(uint32_t{8}).put(uint64_t{1} << 62).put(uint64_t{0}), "metadata k: truncated");
  // An array of 2^61 integers, and an array in an array.
  expect_refused(entry("k").put(uint32_t{9}).put(uint32_t{4}).put(uint64_t{1} << 61).put(uint64_t{0}), "metadata k");
  expect_refused(entry("k").put(uint32_t{9}).put(uint32_t{9}).put(uint64_t{1}).put(uint64_t{0}), "metadata k");
  expect_refused(Image(0, 2).text("k").put(uint32_t{4}).put(1).text("k").put(uint32_t{4}).put(2),
                 "metadata k: appears twice");
  const auto alignment = [](uint32_t value) {
    return Image(0, 1).text("general.alignment").put(uint32_t{4}).put(value);
  };
  for (const uint32_t value : {0U, 1U, 48U, 1U << 20})
    expect_refused(alignment(value), "general.alignment: expected a power of two");
}

TEST(GgufReader, a_wrong_tensor_is_refused_by_name) {
  const auto one = [](std::vector<int64_t> ne, uint32_t type, uint64_t offset, size_t bytes) {
    return Image(1, 0).tensor("w", ne, type, offset).data(bytes);
  };
  expect_refused(one({4}, 0, 0, 12), "w: expected 16 bytes at offset 0, found a truncated file with 12 bytes of data");
  expect_refused(one({4}, 0, 32, 32), "w: expected 16 bytes at offset 32");
  expect_refused(one({4}, 0, UINT64_MAX - 31, 32), "w: expected 16 bytes");
  expect_refused(one({4}, 0, 8, 64), "w: expected an offset that is a multiple of 32, found 8");
  expect_refused(one({4}, 12, 0, 64), "w: expected type f32, f16, bf16, q8_0 or q4_0, found GGUF type 12");
  expect_refused(one({0}, 0, 0, 64), "w: expected sizes from 1");
  expect_refused(one({-4}, 0, 0, 64), "w: expected sizes from 1");
  expect_refused(one({1LL << 40, 1LL << 40}, 0, 0, 64), "w: expected sizes from 1");
  expect_refused(one({48}, 8, 0, 64), "w: expected rows of whole blocks of 32, found [48]");
  expect_refused(one({1, 1, 1, 1, 1}, 0, 0, 64), "w: expected at most 4 dimensions, found 5");
  expect_refused(Image(2, 0).tensor("a", {16}, 0, 0).tensor("b", {16}, 0, 32).data(128),
                 "b overlaps a: expected an offset from 64, found 32");
  expect_refused(Image(2, 0).tensor("a", {8}, 0, 0).tensor("a", {8}, 0, 32).data(64), "a: appears twice");
  expect_refused(Image(1, 0).tensor(std::string(65, 'n'), {4}, 0, 0).data(64), "tensor list: truncated or not valid");
}

class GgufFile : public testing::Test {
 protected:
  GgufFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kazeia-gguf-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    path = (folder / "m.gguf").string();
  }
  ~GgufFile() override { std::filesystem::remove_all(folder); }

  size_t num_files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }

  std::filesystem::path folder;
  std::string path;
};

std::vector<std::byte> pattern_bytes(size_t size) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i % 251);
  return bytes;
}

TEST_F(GgufFile, what_is_written_is_read) {
  GgufMetadata metadata;
  metadata.add("count", uint32_t{7});
  metadata.add("half", 0.5F);
  metadata.add("yes", true);
  metadata.add("name", "caf\xC3\xA9");
  metadata.add("ids", std::span<const int32_t>(std::vector<int32_t>{3, 1, 2}));
  metadata.add("words", std::span<const std::string>(std::vector<std::string>{"", "a", "bc"}));
  const auto f32 = pattern_bytes(4 * 6), q8 = pattern_bytes(34 * 3);
  auto writer = GgufWriter::create(path, metadata, {{"a", DType::f32, {2, 3}}, {"b", DType::q8_0, {3, 32}}});
  ASSERT_TRUE(writer) << writer.error().message;
  ASSERT_TRUE(writer->write(f32));
  ASSERT_TRUE(writer->write(std::span(q8).first(34)));
  ASSERT_TRUE(writer->write(std::span(q8).subspan(34)));
  ASSERT_TRUE(writer->commit());
  EXPECT_EQ(writer->num_bytes(), std::filesystem::file_size(path));

  const auto file = MappedFile::open(path);
  const auto contents = parse_gguf(file->bytes(), path);
  ASSERT_TRUE(contents) << contents.error().message;
  const auto& values = contents->metadata;
  EXPECT_EQ(std::get<int64_t>(values.at("count")), 7);
  EXPECT_EQ(std::get<double>(values.at("half")), 0.5);
  EXPECT_TRUE(std::get<bool>(values.at("yes")));
  EXPECT_EQ(std::get<std::string_view>(values.at("name")), "caf\xC3\xA9");
  EXPECT_EQ(std::get<std::vector<int64_t>>(values.at("ids")), (std::vector<int64_t>{3, 1, 2}));
  EXPECT_EQ(std::get<std::vector<std::string_view>>(values.at("words")),
            (std::vector<std::string_view>{"", "a", "bc"}));
  EXPECT_EQ(contents->tensor_order, (std::vector<std::string>{"a", "b"}));
  const GgufTensor& b = contents->tensors.at("b");
  EXPECT_EQ(b.shape, (Shape{3, 32}));
  EXPECT_TRUE(std::equal(b.bytes.begin(), b.bytes.end(), q8.begin(), q8.end()));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b.bytes.data()) % kGgufAlignment, 0U);
}

TEST_F(GgufFile, every_truncation_is_refused) {
  GgufMetadata metadata;
  metadata.add("words", std::span<const std::string>(std::vector<std::string>{"a", "bc"}));
  auto writer = GgufWriter::create(path, metadata, {{"a", DType::f32, {2, 8}}, {"b", DType::f16, {32}}});
  ASSERT_TRUE(writer->write(pattern_bytes(64)));
  ASSERT_TRUE(writer->write(pattern_bytes(64)));
  ASSERT_TRUE(writer->commit());
  const auto file = MappedFile::open(path);
  for (size_t size = 0; size < file->bytes().size(); ++size) {
    EXPECT_FALSE(parse_gguf(file->bytes().first(size), path)) << size;
  }
}

TEST_F(GgufFile, a_write_that_is_given_up_leaves_the_old_file_and_nothing_else) {
  std::ofstream(path) << "old";
  {
    auto writer = GgufWriter::create(path, {}, {{"a", DType::f32, {4}}});
    ASSERT_TRUE(writer);
    EXPECT_EQ(num_files(), 2U);
  }
  EXPECT_EQ(num_files(), 1U);
  EXPECT_EQ(std::filesystem::file_size(path), 3U);
}

TEST_F(GgufFile, a_full_disk_is_an_error_and_leaves_no_file) {
  ::signal(SIGXFSZ, SIG_IGN);  // then a write past the limit fails like one to a full disk
  rlimit old_limit{}, small{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  small = {.rlim_cur = 4096, .rlim_max = old_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  Status status = ok();
  {
    auto writer = GgufWriter::create(path, {}, {{"a", DType::f32, {64, 64}}});
    EXPECT_TRUE(writer);
    status = writer->write(pattern_bytes(64 * 64 * 4));
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::io);
  EXPECT_NE(status.error().message.find(path + ": can't write more than 4096 bytes"), std::string::npos)
      << status.error().message;
  EXPECT_EQ(num_files(), 0U);
}

TEST_F(GgufFile, a_place_that_can_not_be_written_is_refused_at_once) {
  const auto message_of = [](const std::string& place) {
    const auto writer = GgufWriter::create(place, {}, {});
    return writer ? std::string("no error") : writer.error().message;
  };
  EXPECT_NE(message_of((folder / "missing" / "m.gguf").string()).find("does not exist"), std::string::npos);
  EXPECT_NE(message_of(folder.string()).find("expected the name of a file"), std::string::npos);
  EXPECT_NE(message_of("/dev/full").find("can't write more than 0 bytes"), std::string::npos);
  EXPECT_NE(message_of("/proc/m.gguf").find("can't create"), std::string::npos);
}

// Gives every plain field a value of its own, inside its bounds.
struct Marker {
  int next = 0;
  void operator()(const Field& field, int& out) { out = static_cast<int>(field.min) + next++; }
  void operator()(const Field& field, float& out) {
    out = static_cast<float>(field.min + (field.max - field.min) * (0.1 + 0.001 * next++));
  }
  void operator()(const Field&, bool& out) { out = !out; }
  void operator()(const Field&, std::vector<int>& out) { out = {1 + next++ % 8, 2}; }
};

struct Collector {
  std::vector<double> values;
  void operator()(const Field&, int value) { values.push_back(value); }
  void operator()(const Field&, float value) { values.push_back(static_cast<double>(value)); }
  void operator()(const Field&, bool value) { values.push_back(value); }
  void operator()(const Field&, const std::vector<int>& list) { values.insert(values.end(), list.begin(), list.end()); }
};

std::vector<double> plain_fields(const ModelConfig& config) {
  Collector collector;
  visit_fields(config, collector);
  return collector.values;
}

class GgufModel : public GgufFile {
 protected:
  Result<ModelConfig> round_trip(const ModelConfig& config, const TokenizerData& tokenizer = byte_tokenizer()) {
    auto writer = GgufWriter::create(path, make_gguf_metadata(config, tokenizer), {});
    KZ_RETURN_IF_ERROR(writer->commit());
    KZ_TRY(file, MappedFile::open(path));
    KZ_TRY(contents, parse_gguf(file->bytes(), path));
    return read_gguf_config(*contents, path);
  }

  std::optional<MappedFile> file;
  std::optional<GgufContents> contents;
};

TEST_F(GgufModel, config_and_tokenizer_survive_the_file) {
  ModelConfig config = *random_model_config("tiny-mtp");
  config.type = ModelType::base;
  config.text_feed = TextFeed::streaming;
  config.license = "CC0-1.0";
  config.source = "made here";
  config.speakers[0].language = "french";
  config.talker_sampling = {false, 0.25F, 3, 0.5F, 1.5F};
  config.code_predictor_sampling = {true, 0.75F, 0, 0.875F, 1.0F};
  const auto read = round_trip(config);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(plain_fields(*read), plain_fields(config));
  EXPECT_EQ(read->type, config.type);
  EXPECT_EQ(read->text_feed, config.text_feed);
  EXPECT_EQ(read->name, config.name);
  EXPECT_EQ(read->size, config.size);
  EXPECT_EQ(read->license, config.license);
  EXPECT_EQ(read->source, config.source);
  EXPECT_EQ(read->description, config.description);
  ASSERT_EQ(read->speakers.size(), 2U);
  EXPECT_EQ(read->speakers[0].language, "french");
  EXPECT_EQ(read->speakers[1].name, "eric");
  EXPECT_EQ(read->speakers[1].dialect, "sichuan_dialect");
  EXPECT_EQ(read->speakers[1].codec_id, config.speakers[1].codec_id);
  ASSERT_EQ(read->languages.size(), 4U);
  EXPECT_EQ(read->languages[2].codec_id, config.languages[2].codec_id);

  const auto tokenizer = read_gguf_tokenizer(*contents, path);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  const TokenizerData expected = byte_tokenizer();
  EXPECT_EQ(tokenizer->tokens, expected.tokens);
  EXPECT_EQ(tokenizer->merges, expected.merges);
  ASSERT_EQ(tokenizer->added.size(), expected.added.size());
  EXPECT_EQ(tokenizer->added[3].text, expected.added[3].text);
  EXPECT_EQ(tokenizer->added[3].id, expected.added[3].id);
}

// With a distinct value in each, a field written under another's key would be seen.
TEST_F(GgufModel, no_two_fields_share_a_key) {
  ModelConfig config = *random_model_config("tiny");
  Marker marker;
  visit_fields(config, marker);
  const auto writer = GgufWriter::create(path, make_gguf_metadata(config, {}), {})->commit();
  ASSERT_TRUE(writer);
  file = *MappedFile::open(path);
  EXPECT_TRUE(parse_gguf(file->bytes(), path)) << "a key appears twice";
}

TEST_F(GgufModel, an_invalid_config_in_a_file_is_refused) {
  ModelConfig config = *random_model_config("tiny");
  config.talker.stack.hidden_size = 1'000'000;
  auto read = round_trip(config);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("qwen3-tts.talker.hidden_size: expected"), std::string::npos)
      << read.error().message;
  config = *random_model_config("tiny");
  config.codec.num_quantizers = 5;
  read = round_trip(config);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("codec.num_quantizers: expected 4"), std::string::npos) << read.error().message;
}

TEST_F(GgufModel, a_file_of_another_kind_is_refused) {
  const auto message_with = [&](const char* key, auto value) {
    GgufMetadata metadata;
    metadata.add(key, value);
    EXPECT_TRUE(GgufWriter::create(path, metadata, {})->commit());
    const auto model = open_gguf_model(path);
    return model ? std::string("no error") : model.error().message;
  };
  EXPECT_NE(
      message_with("general.architecture", "llama").find("general.architecture: expected qwen3-tts, found \"llama\""),
      std::string::npos);
  EXPECT_NE(message_with("general.architecture", uint32_t{3})
                .find("general.architecture: expected a text, found another type"),
            std::string::npos);
  EXPECT_NE(message_with("general.name", "x").find("general.architecture: expected a text, found no such key"),
            std::string::npos);
}

}  // namespace
}  // namespace kazeia

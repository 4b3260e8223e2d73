// Our GGUF: which metadata keys hold the config and the tokenizer. docs/formats.md lists them.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "formats/gguf_reader.h"
#include "formats/gguf_writer.h"
#include "formats/model_config.h"
#include "formats/model_file.h"
#include "formats/tokenizer_data.h"

namespace kazeia {

inline constexpr int kGgufFormatVersion = 1;

// Everything except general.alignment.
GgufMetadata make_gguf_metadata(const ModelConfig& config, const TokenizerData& tokenizer);

// The way back, validated. `path` is for messages.
Result<ModelConfig> read_gguf_config(const GgufContents& contents, const std::string& path);
Result<TokenizerData> read_gguf_tokenizer(const GgufContents& contents, const std::string& path);

// Config, tokenizer and tensors; every tensor of the manifest is there with its shape and a type that its role allows.
Result<ModelFile> open_gguf_model(const std::string& path);

}  // namespace kazeia

#include "formats/random_model.h"

#include "formats/byte_tokenizer.h"

namespace kazeia {
namespace {

// Ids of the published CustomVoice models.
ModelConfig published_config() {
  ModelConfig config;
  config.talker.stack = {1024, 3072, 28, 16, 8, 128, 1e-6F, 1e6F};
  config.talker.vocab_size = 3072;
  config.talker.text_vocab_size = 151'936;
  config.talker.text_hidden_size = 2048;
  config.talker.num_code_groups = 16;
  config.talker.codec_bos_id = 2149;
  config.talker.codec_eos_id = 2150;
  config.talker.codec_pad_id = 2148;
  config.talker.codec_think_id = 2154;
  config.talker.codec_nothink_id = 2155;
  config.talker.codec_think_bos_id = 2156;
  config.talker.codec_think_eos_id = 2157;
  config.code_predictor.stack = {1024, 3072, 5, 16, 8, 128, 1e-6F, 1e6F};
  config.code_predictor.vocab_size = 2048;
  config.codec.pre_transformer = {512, 1024, 8, 16, 16, 64, 1e-5F, 1e4F};
  config.codec.sliding_window = 72;
  config.codec.num_quantizers = 16;
  config.codec.codebook_size = 2048;
  config.codec.codebook_dim = 512;
  config.codec.latent_dim = 1024;
  config.codec.decoder_dim = 1536;
  config.codec.upsampling_ratios = {2, 2};
  config.codec.upsample_rates = {8, 5, 4, 3};
  config.prompt = byte_tokenizer_ids();
  config.languages = {{"chinese", 2055},    {"english", 2050}, {"german", 2053},          {"italian", 2070},
                      {"portuguese", 2071}, {"spanish", 2054}, {"japanese", 2058},        {"korean", 2064},
                      {"french", 2061},     {"russian", 2069}, {"beijing_dialect", 2074}, {"sichuan_dialect", 2062}};
  config.speakers = {
      {"ryan", 3061, "", ""}, {"eric", 2875, "sichuan_dialect", ""}, {"dylan", 2878, "beijing_dialect", ""}};
  return config;
}

ModelConfig tiny_config(int num_code_groups, int codebook_size, int talker_hidden) {
  ModelConfig config;
  config.size = "tiny";
  config.talker.stack = {talker_hidden, 2 * talker_hidden, 2, 4, 2, 16, 1e-6F, 1e6F};
  config.talker.vocab_size = codebook_size + 1024;
  config.talker.text_vocab_size = byte_tokenizer_vocab_size();
  config.talker.text_hidden_size = 64;
  config.talker.num_code_groups = num_code_groups;
  const int control = codebook_size + 100;  // as in the published models, 100 after the codes
  config.talker.codec_pad_id = control;
  config.talker.codec_bos_id = control + 1;
  config.talker.codec_eos_id = control + 2;
  config.talker.codec_think_id = control + 6;
  config.talker.codec_nothink_id = control + 7;
  config.talker.codec_think_bos_id = control + 8;
  config.talker.codec_think_eos_id = control + 9;
  config.code_predictor.stack = {64, 128, 2, 4, 2, 16, 1e-6F, 1e6F};
  config.code_predictor.vocab_size = codebook_size;
  config.codec.pre_transformer = {32, 64, 2, 2, 2, 16, 1e-5F, 1e4F};
  config.codec.sliding_window = 12;
  config.codec.num_quantizers = num_code_groups;
  config.codec.codebook_size = codebook_size;
  config.codec.codebook_dim = 32;
  config.codec.latent_dim = 64;
  config.codec.decoder_dim = 64;
  config.codec.upsampling_ratios = {2, 2};
  config.codec.upsample_rates = {8, 5, 4, 3};
  config.prompt = byte_tokenizer_ids();
  config.languages = {{"chinese", control + 20},
                      {"english", control + 21},
                      {"french", control + 22},
                      {"sichuan_dialect", control + 23}};
  config.speakers = {{"ryan", control + 40, "", ""}, {"eric", control + 41, "sichuan_dialect", ""}};
  return config;
}

}  // namespace

std::optional<ModelConfig> random_model_config(std::string_view name) {
  ModelConfig config;
  if (name == "0.6b") {
    config = published_config();
    config.size = "0b6";
  } else if (name == "1.7b") {
    config = published_config();
    config.size = "1b7";
    config.talker.stack.hidden_size = 2048;
    config.talker.stack.intermediate_size = 6144;
  } else if (name == "tiny") {
    config = tiny_config(/*num_code_groups=*/4, /*codebook_size=*/512, /*talker_hidden=*/64);
  } else if (name == "tiny16") {
    config = tiny_config(/*num_code_groups=*/16, /*codebook_size=*/2048, /*talker_hidden=*/64);
  } else if (name == "tiny-mtp") {
    config = tiny_config(/*num_code_groups=*/4, /*codebook_size=*/512, /*talker_hidden=*/96);
  } else {
    return std::nullopt;
  }
  config.name = "random " + std::string(name);
  config.description = "Seeded random weights: it speaks noise.";
  return config;
}

}  // namespace kazeia

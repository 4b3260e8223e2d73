// A complete tokenizer without learned merges, for models that only have to have the right shape.
#pragma once
#include "formats/model_config.h"
#include "formats/tokenizer_data.h"

namespace kazeia {

// Ids 0..255 are the bytes in the order of the official byte alphabet, then "assistant" and "user" with the merges that
// build them, then the template's tokens under their official names.
TokenizerData byte_tokenizer();

// The ids of the template's tokens in byte_tokenizer().
PromptIds byte_tokenizer_ids();

// Rows of a text embedding table for it: its ids, rounded up to a multiple of 64.
int byte_tokenizer_vocab_size();

}  // namespace kazeia

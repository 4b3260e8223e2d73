// The tokenizer: checks a vocabulary into tables, then runs text through the steps of internal.h.
#include <array>
#include <functional>
#include <unordered_map>
#include <utility>

#include "stages/text/internal.h"
#include "stages/text/text.h"

namespace kazeia {
namespace {

constexpr size_t kMaxIds = size_t{1} << 22;  // bounds the id tables against an absurd id

// The character that stands for a byte in byte-level text: printable Latin-1 is itself, the other bytes follow in
// their order from U+0100. Source: bytes_to_unicode, the GPT-2 encoder.
constexpr std::array<char32_t, 256> make_byte_characters() {
  std::array<char32_t, 256> characters{};
  char32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool is_printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    characters[byte] = is_printable ? byte : next++;
  }
  return characters;
}

constexpr std::array<char32_t, 256> kByteCharacters = make_byte_characters();

// Byte-level text back to bytes; empty if a character stands for no byte.
std::string to_bytes(std::string_view token) {
  static constexpr auto kBytes = [] {
    std::array<int16_t, 0x144> bytes{};
    bytes.fill(-1);
    for (uint32_t byte = 0; byte < 256; ++byte) bytes[kByteCharacters[byte]] = static_cast<int16_t>(byte);
    return bytes;
  }();
  std::string out;
  for (size_t at = 0; at < token.size();) {
    const Utf8Char c = read_utf8(token, at);
    at = c.end;
    if (c.codepoint >= kBytes.size() || kBytes[c.codepoint] < 0) return {};
    out += static_cast<char>(kBytes[c.codepoint]);
  }
  return out;
}

// Lets a map with std::string keys be asked with a std::string_view.
struct StringHash : std::hash<std::string_view> {
  using is_transparent = void;
};
using IdOfText = std::unordered_map<std::string, int32_t, StringHash, std::equal_to<>>;

// The ids of the vocabulary while it is checked; the keys are the strings of TokenizerData.
using VocabularyIndex = std::unordered_map<std::string_view, int32_t>;

Error bad_tokenizer(const std::string& what) { return {ErrorCode::bad_model, "tokenizer: " + what}; }

// The texts of all ids in one block of memory: id -> blob[offsets[id], offsets[id + 1]).
struct TokenTexts {
  std::string blob;
  std::vector<size_t> offsets;

  void append(std::string_view text) {
    if (offsets.empty()) offsets.push_back(0);
    blob += text;
    offsets.push_back(blob.size());
  }
};

}  // namespace

struct Tokenizer::Tables {
  std::array<int32_t, 256> byte_ids;
  MergeTable merges;
  TokenTexts texts;
  IdOfText added;
};

namespace {

Result<VocabularyIndex> index_tokens(const std::vector<std::string>& tokens) {
  if (tokens.size() > kMaxIds) return bad_tokenizer("expected at most " + std::to_string(kMaxIds) + " tokens");
  VocabularyIndex ids;
  ids.reserve(tokens.size());
  for (const std::string& token : tokens) {
    if (!ids.emplace(token, static_cast<int32_t>(ids.size())).second) {
      return bad_tokenizer("token \"" + token + "\" occurs twice");
    }
  }
  return ids;
}

Result<std::array<int32_t, 256>> find_byte_ids(const VocabularyIndex& ids) {
  std::array<int32_t, 256> byte_ids{};
  for (size_t byte = 0; byte < 256; ++byte) {
    std::string character;
    append_utf8(character, kByteCharacters[byte]);
    const auto found = ids.find(character);
    if (found == ids.end()) {
      return bad_tokenizer("expected a byte-level vocabulary, found no token for byte " + std::to_string(byte));
    }
    byte_ids[byte] = found->second;
  }
  return byte_ids;
}

Error bad_merge(size_t index, const std::string& line, const std::string& what) {
  return bad_tokenizer("merge " + std::to_string(index) + " \"" + line + "\": " + what);
}

Result<std::vector<PairMerge>> resolve_merges(const std::vector<std::string>& lines, const VocabularyIndex& ids) {
  std::vector<PairMerge> merges(lines.size());
  std::string joined;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const size_t space = line.find(' ');
    if (space == line.npos) return bad_merge(i, lines[i], "expected two tokens with a space between");
    joined.assign(line.substr(0, space)).append(line.substr(space + 1));
    merges[i].rank = static_cast<uint32_t>(i);
    for (const auto& [text, id] : {std::pair<std::string_view, int32_t*>{line.substr(0, space), &merges[i].left},
                                   {line.substr(space + 1), &merges[i].right},
                                   {joined, &merges[i].merged}}) {
      const auto found = ids.find(text);
      if (found == ids.end()) {
        return bad_merge(i, lines[i], "\"" + std::string(text) + "\" is no token of the vocabulary");
      }
      *id = found->second;
    }
  }
  return merges;
}

Result<IdOfText> index_added(const TokenizerData& data) {
  IdOfText added;
  int32_t previous = -1;
  for (const AddedToken& token : data.added) {
    const std::string name = "added token \"" + token.text + "\" with id " + std::to_string(token.id);
    if (token.id <= previous || static_cast<size_t>(token.id) >= kMaxIds)
      return bad_tokenizer(name + ": expected ids in rising order below " + std::to_string(kMaxIds));
    if (static_cast<size_t>(token.id) < data.tokens.size() &&
        data.tokens[static_cast<size_t>(token.id)] != token.text) {
      return bad_tokenizer(name + ": the vocabulary has \"" + data.tokens[static_cast<size_t>(token.id)] + "\" there");
    }
    if (!added.emplace(token.text, token.id).second) return bad_tokenizer(name + " occurs twice");
    previous = token.id;
  }
  return added;
}

Result<TokenTexts> collect_texts(const TokenizerData& data) {
  TokenTexts texts;
  for (const std::string& token : data.tokens) {
    const std::string bytes = to_bytes(token);
    if (bytes.empty()) return bad_tokenizer("expected byte-level text, found the token \"" + token + "\"");
    texts.append(bytes);
  }
  for (const AddedToken& token : data.added) {
    const auto id = static_cast<size_t>(token.id);
    if (id < data.tokens.size()) continue;
    while (texts.offsets.size() <= id) texts.append({});
    texts.append(token.text);
  }
  return texts;
}

}  // namespace

Result<Tokenizer> Tokenizer::create(const TokenizerData& data) {
  KZ_TRY(const VocabularyIndex ids, index_tokens(data.tokens));
  KZ_TRY(const auto byte_ids, find_byte_ids(ids));
  KZ_TRY(const std::vector<PairMerge> merges, resolve_merges(data.merges, ids));
  KZ_TRY(IdOfText added, index_added(data));
  KZ_TRY(TokenTexts texts, collect_texts(data));
  return Tokenizer(
      std::make_unique<const Tables>(Tables{byte_ids, MergeTable(merges), std::move(texts), std::move(added)}));
}

Tokenizer::Tokenizer(std::unique_ptr<const Tables> tables) : tables_(std::move(tables)) {}
Tokenizer::Tokenizer(Tokenizer&& other) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&& other) noexcept = default;
Tokenizer::~Tokenizer() = default;

TextIds Tokenizer::encode(std::string_view text) const {
  const std::string normalized = normalize_nfc(text);
  TextIds out;
  out.ids.reserve(normalized.size() / 3);  // a token has three to four bytes in most languages
  MergeScratch scratch;
  std::vector<int32_t> piece;
  for (size_t at = 0; at < normalized.size();) {
    const size_t end = piece_end(normalized, at);
    piece.clear();
    for (; at < end; ++at) piece.push_back(tables_->byte_ids[static_cast<uint8_t>(normalized[at])]);
    merge_piece(tables_->merges, piece, scratch, out.ids);
  }
  return out;
}

std::optional<int32_t> Tokenizer::id_of(std::string_view added_token) const {
  const auto found = tables_->added.find(added_token);
  if (found == tables_->added.end()) return std::nullopt;
  return found->second;
}

std::string_view Tokenizer::bytes_of(int32_t id) const {
  if (id < 0 || id >= num_ids()) return {};
  const auto index = static_cast<size_t>(id);
  const TokenTexts& texts = tables_->texts;
  return std::string_view(texts.blob).substr(texts.offsets[index], texts.offsets[index + 1] - texts.offsets[index]);
}

int32_t Tokenizer::num_ids() const { return static_cast<int32_t>(tables_->texts.offsets.size()) - 1; }

}  // namespace kazeia

#include "compute/placement.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

namespace kazeia {
namespace {

constexpr std::string_view kAlias = "device:", kAll = "all", kStrict = ":strict", kWeights = ":weights";

// What one word of the spec asks for.
struct Place {
  std::string device;  // empty: the part was not named
  bool strict = false, weights = false;
};

Error unknown_word(const std::string& word) {
  std::string parts;
  for (const ModelPart part : kModelParts) parts += std::string(part_name(part)) + ", ";
  return Error{ErrorCode::invalid_argument, "placement: expected PART=DEVICE[:strict][:weights] with PART one of " +
                                                parts + std::string(kAll) + ", found \"" + word + "\""};
}

bool strip(std::string& text, std::string_view ending) {
  if (!text.ends_with(ending)) return false;
  text.resize(text.size() - ending.size());
  return true;
}

Place parse_place(std::string text) {
  Place place;
  for (bool more = true; more;) {
    const bool strict = strip(text, kStrict), weights = strip(text, kWeights);
    place.strict |= strict;
    place.weights |= weights;
    more = strict || weights;
  }
  place.device = std::move(text);
  return place;
}

std::optional<ModelPart> find_part(std::string_view name) {
  const auto found = std::ranges::find_if(kModelParts, [&](ModelPart part) { return name == part_name(part); });
  return found == kModelParts.end() ? std::nullopt : std::optional(*found);
}

// What the words say, by part.
struct Words {
  std::map<ModelPart, Place> places;
  std::map<std::string, std::string> aliases;
};

Result<Words> read_words(const std::string& spec) {
  Words words;
  std::istringstream stream(spec);
  for (std::string word; stream >> word;) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals + 1 == word.size()) return unknown_word(word);
    const std::string key = word.substr(0, equals);
    if (key.starts_with(kAlias)) {
      words.aliases[key.substr(kAlias.size())] = word.substr(equals + 1);
      continue;
    }
    const Place place = parse_place(word.substr(equals + 1));
    const auto part = find_part(key);
    if (part) {
      words.places[*part] = place;
    } else if (key == kAll) {
      for (const ModelPart each : {ModelPart::talker, ModelPart::code_predictor, ModelPart::codec})
        words.places[each] = place;
    } else {
      return unknown_word(word);
    }
  }
  return words;
}

// Opens each device once.
class Devices {
 public:
  Devices(std::shared_ptr<Device> cpu, const Words& words, std::span<const LentBackend> lent)
      : cpu_(std::move(cpu)), words_(words), lent_(lent) {}

  Result<std::shared_ptr<Device>> get(const std::string& name) {
    if (name == "cpu" || name == "CPU") return cpu_;
    if (const auto known = opened_.find(name); known != opened_.end()) return known->second;
    KZ_TRY(std::shared_ptr<Device> device, open(name));
    return opened_.emplace(name, std::move(device)).first->second;
  }

 private:
  Result<std::shared_ptr<Device>> open(const std::string& name) const {
    const int num_threads = cpu_->num_threads();
    for (const LentBackend& lent : lent_)
      if (lent.name == name) return Device::borrow(lent.backend, name, num_threads);
    const auto alias = words_.aliases.find(name);
    return Device::open(alias == words_.aliases.end() ? name : alias->second, num_threads);
  }

  std::shared_ptr<Device> cpu_;
  const Words& words_;
  std::span<const LentBackend> lent_;
  std::map<std::string, std::shared_ptr<Device>> opened_;
};

}  // namespace

const char* part_name(ModelPart part) {
  switch (part) {
    case ModelPart::talker: return "talker";
    case ModelPart::code_predictor: return "code_predictor";
    case ModelPart::codec: return "codec";
    case ModelPart::codec_wave: return "codec.wave";
  }
  return "";
}

std::shared_ptr<Device>& Placement::slot(ModelPart part) {
  switch (part) {
    case ModelPart::talker: return talker;
    case ModelPart::code_predictor: return code_predictor;
    case ModelPart::codec: return codec;
    case ModelPart::codec_wave: return codec_wave;
  }
  return codec;
}

bool Placement::is_on_cpu(ModelPart part) const {
  const std::shared_ptr<Device>& own = device(part);
  return (own ? own : codec)->is_cpu();
}

void Placement::move_to_cpu(ModelPart part, const std::string& reason) {
  std::shared_ptr<Device>& own = slot(part);
  if (!own || own->is_cpu()) return;
  moves.push_back({part, own->name(), reason});
  own = cpu;
}

Result<Placement> Placement::parse(const std::string& spec, int num_threads, std::span<const LentBackend> lent) {
  KZ_TRY(const std::shared_ptr<Device> cpu, Device::cpu(num_threads));
  Placement placement{
      .talker = cpu, .code_predictor = cpu, .codec = cpu, .codec_wave = nullptr, .cpu = cpu, .moves = {}};
  KZ_TRY(const Words words, read_words(spec));
  Devices devices(cpu, words, lent);
  for (const auto& [part, place] : words.places) {
    const std::string name = part_name(part);
    auto device = devices.get(place.device);
    if (!device) return Error{device.error().code, "placement: " + name + ": " + device.error().message};
    if ((*device)->is_cpu()) {
      placement.slot(part) = cpu;
      continue;
    }
    auto placed = (*device)->for_part({.part = name, .strict = place.strict, .weights = place.weights});
    if (placed) {
      placement.slot(part) = *std::move(placed);
    } else if (place.strict) {
      return std::move(placed).error();
    } else {
      placement.moves.push_back({part, (*device)->name() + std::string(kWeights), placed.error().message});
    }
  }
  return placement;
}

}  // namespace kazeia

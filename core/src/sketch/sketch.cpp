#include "crivo/sketch.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error_text.h"
#include "crivo/hash.h"
#include "format/blob_header.h"
#include "format/blob_sums.h"
#include "hash/xxh3_inline.h"
#include "kinds/registry.h"
#include "sketch/symbols.h"

namespace crivo {
namespace {

SymbolKey symbol_key(std::uint64_t number) noexcept {
  SymbolKey key{};
  store_le(key.data(), number);
  return key;
}

std::size_t symbol_bytes(const SketchSpec& spec) noexcept { return kSymbolCheckBytes + spec.key_bytes; }

/// `code` is kBadArgument for a caller's spec, and kCorrupt for the fields of a blob.
Result<void> check_sketch(const SketchSpec& spec, ErrorCode code) {
  const bool is_short = spec.keys == SketchKeys::kBytes;
  if (spec.keys > SketchKeys::kIntegers) {
    return error(code, "keys must be 0 (hashes), 1 (bytes) or 2 (integers), got ", static_cast<unsigned>(spec.keys));
  }
  if (spec.key_bytes < (is_short ? 1U : 8U) || spec.key_bytes > (is_short ? kMaxSketchKeyBytes : 8U)) {
    return error(code, "key_bytes must ", is_short ? "be in [1, 32]" : "be 8 for hashes and integers", ", got ",
                 spec.key_bytes);
  }
  if (spec.first >= kMaxSketchSymbols) {
    return error(code, "first must be below ", kMaxSketchSymbols, ", got ", spec.first);
  }
  const std::uint64_t most = kMaxSketchSymbols - spec.first;
  if (spec.symbols < 1 || spec.symbols > most) {
    return error(code, "symbols must be in [1, ", most, "], got ", spec.symbols);
  }
  return {};
}

/// The key as symbols store it. Errors: kBadArgument.
Result<SymbolKey> as_stored(const SketchSpec& spec, std::string_view key) {
  if (spec.keys == SketchKeys::kHashes) return symbol_key(hash_key(key, spec.seed));
  if (spec.keys == SketchKeys::kIntegers) return bad_argument("key must be an integer, got a byte string");
  if (key.size() != spec.key_bytes) {
    return bad_argument("key must have the ", spec.key_bytes, " bytes of the sketch's keys, got ", key.size());
  }
  SymbolKey known{};
  std::memcpy(known.data(), key.data(), key.size());
  return known;
}

/// Errors: kBadArgument for a sketch of byte strings.
Result<void> check_numbers(const SketchSpec& spec) {
  if (spec.keys != SketchKeys::kBytes) return {};
  return bad_argument("keys must be hashes or integers, got strings of ", spec.key_bytes, " bytes");
}

std::uint64_t payload_bytes(const SketchSpec& spec) noexcept { return kFirstBytes + spec.symbols * symbol_bytes(spec); }

Symbols symbols_of(const SketchSpec& spec, AlignedBytes& payload) noexcept {
  return {std::span(payload).subspan(kFirstBytes), spec.key_bytes, spec.first};
}

void apply(const SketchSpec& spec, AlignedBytes& payload, const SymbolKey& key, bool add) noexcept {
  const SymbolTerm term(key, spec.key_bytes, spec.seed);
  symbols_of(spec, payload).apply(term, add ? term.check : 0 - term.check);
}

Result<void> check_same(const char* field, const auto& mine, const auto& theirs) {
  if (mine == theirs) return {};
  return error(ErrorCode::kIncompatible, field, " must be the same in both sketches, got ", mine, " and ", theirs);
}

}  // namespace

SymbolTerm::SymbolTerm(const SymbolKey& of, unsigned key_bytes, std::uint64_t seed) noexcept : key(of) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(key.data(), key_bytes, seed);
  check = hash.low64;
  steps = hash.high64 | 1;
}

std::uint64_t SketchedKeys::number(std::size_t i) const noexcept {
  return load_le<std::uint64_t>(bytes_.data() + i * key_bytes_);
}

Result<Sketch> Sketch::create(const SketchSpec& spec, std::uint64_t max_bytes) {
  if (auto valid = check_sketch(spec, ErrorCode::kBadArgument); !valid) return valid.error();
  const std::uint64_t bytes = payload_bytes(spec);
  if (bytes > std::min<std::uint64_t>(max_bytes, std::numeric_limits<std::size_t>::max())) {
    return limit_error(ErrorCode::kTooLarge, bytes, "symbols must fit in ", max_bytes, " bytes, got ", spec.symbols,
                       ", which need ", bytes);
  }
  Sketch sketch(spec, AlignedBytes(static_cast<std::size_t>(bytes)));
  store_le(sketch.payload_.data(), spec.first);
  return sketch;
}

Result<Sketch> Sketch::parse(std::span<const std::byte> blob, const ReadLimits& limits) {
  if (auto valid = check_envelope(blob); !valid) return valid.error();
  const Header header = read_fields(blob);
  if (header.shape.kind != Kind::kSketch) {
    const KindRow* filter = find_kind(header.shape.kind);
    if (filter != nullptr) return corrupt("kind must be sketch, got ", filter->info.name, ", a filter");
    return corrupt("kind must be sketch, got ", static_cast<unsigned>(header.shape.kind));
  }
  if (header.flags != 0) return corrupt("flags must be 0, got ", header.flags);
  if (header.codec != Codec::kRaw) {
    return corrupt("codec must be 0 (raw) for a sketch, got ", static_cast<unsigned>(header.codec));
  }
  if (header.shape.hash_id != HashId::kXxh3_64) {
    return corrupt("hash id must be 1, got ", static_cast<unsigned>(header.shape.hash_id));
  }
  const auto stored = blob.subspan(kBlobHeaderBytes);
  if (header.shape.param > 2) return corrupt("parameter must be at most 2, got ", header.shape.param);
  SketchSpec spec{.symbols = header.shape.units,
                  .first = 0,
                  .keys = static_cast<SketchKeys>(header.shape.param),
                  .key_bytes = header.shape.k,
                  .seed = header.shape.seed};
  if (stored.size() >= kFirstBytes) spec.first = load_le<std::uint64_t>(stored.data());
  if (auto valid = check_sketch(spec, ErrorCode::kCorrupt); !valid) return valid.error();
  if (const std::uint64_t bytes = payload_bytes(spec); header.raw_bytes != bytes || stored.size() != bytes) {
    return corrupt("raw payload bytes must be ", bytes, " for this shape, got ", header.raw_bytes, ", and ",
                   stored.size(), " in the blob");
  }
  if (header.facts.capacity != spec.symbols) {
    return corrupt("capacity must be the number of symbols, ", spec.symbols, ", got ", header.facts.capacity);
  }
  if (header.facts.fp_rate != 1) return corrupt("promised rate must be 1 for a sketch, got ", header.facts.fp_rate);
  if (stored.size() > limits.max_bytes) {
    return limit_error(ErrorCode::kTooLarge, stored.size(), "raw payload bytes must be at most the limit of ",
                       limits.max_bytes, ", got ", stored.size());
  }
  Sketch sketch(spec, AlignedBytes(stored.begin(), stored.end()));
  sketch.keys_ = header.facts.keys;
  return sketch;
}

bool Sketch::is_sketch(std::span<const std::byte> blob) noexcept {
  return check_start(blob) && read_fields(blob).shape.kind == Kind::kSketch;
}

std::vector<std::byte> Sketch::to_blob() const {
  const Shape shape{.kind = Kind::kSketch,
                    .k = static_cast<std::uint8_t>(spec_.key_bytes),
                    .param = static_cast<std::uint16_t>(spec_.keys),
                    .units = spec_.symbols,
                    .seed = spec_.seed};
  BlobSums sums(Codec::kRaw);
  sums.add(payload_);
  const BlobFrame frame = sums.finish(shape, {.keys = keys_, .capacity = spec_.symbols, .fp_rate = 1});
  std::vector<std::byte> blob(kBlobHeaderBytes);
  blob.reserve(kBlobHeaderBytes + payload_.size());
  std::ranges::copy(frame.header, blob.begin());
  blob.insert(blob.end(), payload_.begin(), payload_.end());
  return blob;
}

Result<void> Sketch::add(std::string_view key) {
  const Result<SymbolKey> known = as_stored(spec_, key);
  if (!known) return known.error();
  apply(spec_, payload_, *known, true);
  ++keys_;
  return {};
}

Result<void> Sketch::remove(std::string_view key) {
  const Result<SymbolKey> known = as_stored(spec_, key);
  if (!known) return known.error();
  apply(spec_, payload_, *known, false);
  --keys_;
  return {};
}

Result<void> Sketch::add_numbers(std::span<const std::uint64_t> numbers) {
  if (auto valid = check_numbers(spec_); !valid) return valid.error();
  for (const std::uint64_t number : numbers) apply(spec_, payload_, symbol_key(number), true);
  keys_ += numbers.size();
  return {};
}

Result<void> Sketch::remove_numbers(std::span<const std::uint64_t> numbers) {
  if (auto valid = check_numbers(spec_); !valid) return valid.error();
  for (const std::uint64_t number : numbers) apply(spec_, payload_, symbol_key(number), false);
  keys_ -= numbers.size();
  return {};
}

Result<void> Sketch::check_same_keys(const Sketch& other) const {
  if (auto same = check_same("keys", sketch_keys_text(spec_), sketch_keys_text(other.spec_)); !same) return same;
  return check_same("seed", spec_.seed, other.spec_.seed);
}

Result<void> Sketch::combine(const Sketch& other) {
  if (auto same = check_same_keys(other); !same) return same;
  if (auto same = check_same("first", spec_.first, other.spec_.first); !same) return same;
  if (auto same = check_same("symbols", spec_.symbols, other.spec_.symbols); !same) return same;
  symbols_of(spec_, payload_).apply_row(std::span(other.payload_).subspan(kFirstBytes), true);
  keys_ += other.keys_;
  return {};
}

Result<void> Sketch::subtract(const Sketch& other) {
  if (auto same = check_same_keys(other); !same) return same;
  if (auto same = check_same("first", spec_.first, other.spec_.first); !same) return same;
  spec_.symbols = std::min(spec_.symbols, other.spec_.symbols);
  payload_.resize(static_cast<std::size_t>(payload_bytes(spec_)));
  symbols_of(spec_, payload_).apply_row(std::span(other.payload_).subspan(kFirstBytes), false);
  keys_ -= other.keys_;
  return {};
}

Result<void> Sketch::append(const Sketch& next) {
  if (auto same = check_same_keys(next); !same) return same;
  if (next.spec_.first != spec_.first + spec_.symbols) {
    return error(ErrorCode::kIncompatible, "first must be ", spec_.first + spec_.symbols,
                 ", the number after the last symbol, got ", next.spec_.first);
  }
  if (next.keys_ != keys_) {
    return error(ErrorCode::kIncompatible, "number of keys must be the same in both sketches of a set, got ",
                 static_cast<std::int64_t>(keys_), " and ", static_cast<std::int64_t>(next.keys_));
  }
  payload_.insert(payload_.end(), next.payload_.begin() + kFirstBytes, next.payload_.end());
  spec_.symbols += next.spec_.symbols;
  return {};
}

}  // namespace crivo

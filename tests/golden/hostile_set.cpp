#include "hostile_set.h"

#include <bit>
#include <cmath>
#include <limits>

#include "zstd_frame.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

/// Collects the files. Every file is made from the same valid filter of 100 keys, with 1024 bits.
class Collection {
 public:
  Collection() {
    FilterSpec spec{.kind = Kind::kClassic, .capacity = 100};
    spec.bits_per_key = 10.2;  // 1020 bits, so that four bits are padding
    raw_ = blob_of(build_filter(spec, 100).ref());
    payload_.assign(raw_.begin() + header::kBytes, raw_.end());
    spec.kind = Kind::kBlocked;
    blocked_ = blob_of(build_filter(spec, 100).ref());
    sst_ = sst_block_of(build_filter(spec, 100).ref());
    named_sst_ = sst_block_of(build_filter(spec, 100).ref(), "drop_suffix:8");
  }

  void add_headers();
  void add_shapes();
  void add_ranges();
  void add_facts();
  void add_raw_payloads();
  void add_zstd_frames();
  void add_zstd_bombs();
  void add_gap_codings();
  void add_sums();
  void add_sst_blocks();
  void add_sst_names();
  [[nodiscard]] std::vector<HostileFile> take() { return std::move(files_); }

 private:
  void add(std::string name, Bytes bytes, std::string message) {
    files_.push_back({std::move(name) + ".blob", std::move(bytes), std::move(message)});
  }
  void add_forged(std::string name, const Field& field, std::uint64_t value, std::string message) {
    add(std::move(name), forge(raw_, field, value), std::move(message));
  }
  void add_stored(std::string name, std::uint64_t codec, const Bytes& stored, std::string message) {
    add(std::move(name), with_payload(forge(raw_, header::kCodec, codec), stored), std::move(message));
  }
  void add_zstd(std::string name, const Bytes& frame, std::string message) {
    add_stored("zstd-" + std::move(name), 1, frame, std::move(message));
  }
  void add_sst(std::string name, Bytes block, std::string message) {
    files_.push_back({std::move(name) + ".sst", std::move(block), std::move(message)});
  }

  /// A frame that decodes to the payload. The caller then damages its header.
  [[nodiscard]] ZstdFrame sound_frame() const {
    return {.content_size = payload_.size(),
            .window_descriptor = {},
            .dictionary_id = {},
            .blocks = raw_block(payload_, true)};
  }

  Bytes raw_;
  Bytes payload_;
  Bytes blocked_;
  Bytes sst_;
  Bytes named_sst_;  // the SST block with a key transform
  std::vector<HostileFile> files_;
};

void Collection::add_headers() {
  add("empty", {}, "blob size must be at least 64 bytes, got 0");
  add("one-byte-short-of-a-header", Bytes(raw_.begin(), raw_.begin() + 63),
      "blob size must be at least 64 bytes, got 63");
  add("zeros", Bytes(200), "magic must be");
  add_forged("bad-magic", header::kMagic, 0x4F5652C2, "magic must be");
  add_forged("magic-without-its-high-bit", header::kMagic, 0x4F565243, "magic must be");
  add_forged("version-0", header::kVersion, 0, "format version must be 1, got 0");
  add_forged("future-version", header::kVersion, 2, "format version must be 1, got 2");
  add_forged("unknown-kind-0", header::kKind, 0, "kind must be known, got 0");
  add_forged("unknown-kind-200", header::kKind, 200, "kind must be known, got 200");
  add_forged("unknown-codec", header::kCodec, 200, "codec must be");
  add_forged("unknown-flag", header::kFlags, 0x80, "flags must be 0, got 128");
  add_forged("unknown-hash", header::kHashId, 2, "hash id must be 1, got 2");
  add_forged("wrong-checksum", header::kChecksum, get(raw_, header::kChecksum) + 1, "checksum must match");
}

void Collection::add_shapes() {
  add_forged("k-0", header::kProbes, 0, "k must be in [1, 64], got 0");
  add_forged("classic-k-65", header::kProbes, 65, "k must be in [1, 64], got 65");
  add("blocked-k-17", forge(blocked_, header::kProbes, 17), "k must be in [1, 16], got 17");
  add_forged("parameter-1", header::kParam, 1, "kind parameter must be 0, got 1");
  add_forged("units-0", header::kUnits, 0, "number of bits must be in [1, 70368744177664], got 0");
  add_forged("units-past-2-to-the-46", header::kUnits, (std::uint64_t{1} << 46) + 1, "number of bits must be in");
  // (units + 63) / 64 would wrap to 0 words, and 64 x blocks to 0 bytes, and an empty payload would match.
  Bytes wrapping = forge(raw_, header::kUnits, std::numeric_limits<std::uint64_t>::max());
  add("units-that-overflow", with_payload(forge(wrapping, header::kRawBytes, 0), {}), "number of bits must be in");
  Bytes blocks = forge(blocked_, header::kUnits, std::uint64_t{1} << 58);
  add("blocks-that-overflow", with_payload(forge(blocks, header::kRawBytes, 0), {}), "number of blocks must be in");
  add_forged("raw-bytes-too-many", header::kRawBytes, 136, "raw payload bytes must be 128 for this shape, got 136");
  add_forged("raw-bytes-too-few", header::kRawBytes, 120, "raw payload bytes must be 128 for this shape, got 120");
  add_forged("more-units-than-payload", header::kUnits, 1025, "raw payload bytes must be 136 for this shape, got 128");
}

// Two words locate all other data: the number of keys and the number of codes.
void Collection::add_ranges() {
  const Bytes range = blob_of(build_filter(Kind::kRange, 100).ref());
  const auto add_forged_words = [&](std::string name, std::uint64_t keys, std::uint64_t codes, std::string message) {
    Bytes payload(range.begin() + header::kBytes, range.end());
    put(payload, {"keys", 0, 8}, keys);
    put(payload, {"codes", 8, 8}, codes);
    add("range-" + std::move(name), with_payload(range, payload), std::move(message));
  };
  add("range-hash-of-other-kinds", forge(range, header::kHashId, 1), "hash id must be 2, got 1");
  add("range-k-63", forge(range, header::kProbes, 63), "k must be at most 62, got 63");
  add("range-k-of-more-words", forge(range, header::kProbes, 62), "number of words must be");
  add_forged_words("without-keys", 0, 100, "payload without keys must be all zeros, got nonzero words");
  add_forged_words("without-codes", 100, 0, "codes must be in [1, 100], got 0");
  add_forged_words("more-codes-than-keys", 100, 101, "codes must be in [1, 100], got 101");
  add_forged_words("keys-past-2-to-the-40", (std::uint64_t{1} << 40) + 1, 100, "distinct keys must be at most");
  add_forged_words("keys-of-more-words", 1'000'000, 100, "number of words must be");
  add_forged_words("all-ones", ~std::uint64_t{0}, ~std::uint64_t{0}, "distinct keys must be at most");
  Bytes padded = blob_of(build_filter(Kind::kRange, 90).ref());  // does not fill its last word
  padded.back() |= std::byte{0x80};
  repair_blob(padded);
  add("range-padding-bit-set", padded, "padding bits of the payload must be 0");
}

void Collection::add_facts() {
  const auto rate = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  add_forged("capacity-0", header::kCapacity, 0, "capacity must be in [1, 1099511627776], got 0");
  add_forged("capacity-past-2-to-the-40", header::kCapacity, (std::uint64_t{1} << 40) + 1,
             "capacity must be in [1, 1099511627776], got 1099511627777");
  add_forged("rate-0", header::kFpRate, rate(0), "promised rate must be in (0, 1], got 0");
  add_forged("rate-negative", header::kFpRate, rate(-0.5), "promised rate must be in (0, 1], got -0.5");
  add_forged("rate-above-1", header::kFpRate, rate(1.5), "promised rate must be in (0, 1], got 1.5");
  add_forged("rate-infinite", header::kFpRate, rate(HUGE_VAL), "promised rate must be in (0, 1], got inf");
  add_forged("rate-nan", header::kFpRate, 0x7FF8000000000000, "promised rate must be in (0, 1], got nan");
}

void Collection::add_raw_payloads() {
  add("no-payload", with_payload(raw_, {}), "raw payload bytes must be 128, got 0");
  add("one-byte-missing", with_payload(raw_, std::span(payload_).first(127)), "raw payload bytes must be 128, got 127");
  add("one-byte-appended", with_payload(raw_, payload_ + Bytes(1)), "raw payload bytes must be 128, got 129");
  Bytes padded = payload_;
  padded.back() |= std::byte{0x80};
  add("padding-bit-set", with_payload(raw_, padded), "padding bits of the payload must be 0");
}

void Collection::add_zstd_frames() {
  const Bytes sound = encode(sound_frame());
  add_zstd("nothing", {}, "zstd frame must start with its magic");
  add_zstd("magic-only", Bytes(sound.begin(), sound.begin() + 4), "zstd frame must state its content size");
  add_zstd("raw-payload-instead", payload_, "zstd frame must start with its magic");
  add_zstd("legacy-magic", Bytes{std::byte{0x27}} + Bytes(sound.begin() + 1, sound.end()),
           "zstd frame must start with its magic");
  add_zstd("one-byte-missing", Bytes(sound.begin(), sound.end() - 1), "zstd frame must be complete");
  add_zstd("one-byte-appended", sound + Bytes(1), "zstd frame must fill the stored payload of 145 bytes, got 144");
  add_zstd("two-frames", sound + sound, "zstd frame must fill the stored payload");
  add_zstd("skippable-frame-before", skippable_frame() + sound, "zstd frame must start with its magic");
  add_zstd("skippable-frame-after", sound + skippable_frame(), "zstd frame must fill the stored payload");
  add_zstd("skippable-frame-only", skippable_frame(), "zstd frame must start with its magic");

  ZstdFrame frame = sound_frame();
  frame.content_size.reset();
  frame.window_descriptor = 0;
  add_zstd("without-content-size", encode(frame), "zstd frame must state its content size");
  frame = sound_frame();
  frame.content_size = 129;
  add_zstd("content-size-too-large", encode(frame), "zstd frame must hold the header's 128 raw payload bytes, got 129");
  frame.content_size = std::numeric_limits<std::uint64_t>::max() - 2;
  add_zstd("content-size-near-2-to-the-64", encode(frame), "zstd frame must ");
  frame = sound_frame();
  frame.dictionary_id = 7;
  add_zstd("with-dictionary", encode(frame), "zstd frame must need no dictionary");
  frame = sound_frame();
  frame.window_descriptor = (28 - 10) << 3;
  add_zstd("window-of-2-to-the-28", encode(frame), "zstd frame must have a window of at most 2^27 bytes");
  frame.window_descriptor = ((27 - 10) << 3) + 1;  // an eighth above 2^27
  add_zstd("window-above-2-to-the-27", encode(frame), "zstd frame must have a window of at most 2^27 bytes");
}

void Collection::add_zstd_bombs() {
  // The frame states 128 bytes, but its blocks have more or fewer.
  ZstdFrame frame = sound_frame();
  frame.blocks = rle_block(std::byte{0}, 1 << 17, false) + rle_block(std::byte{0}, 1 << 17, true);
  add_zstd("blocks-larger-than-stated", encode(frame), "zstd frame must ");
  frame.blocks = rle_block(std::byte{0}, 100, true);
  add_zstd("blocks-smaller-than-stated", encode(frame), "zstd frame must decode");
  frame.blocks = Bytes{std::byte{0x07}, std::byte{0x00}, std::byte{0x00}};  // last block, of the reserved type 3
  add_zstd("reserved-block-type", encode(frame), "zstd frame must be complete");
  frame.blocks = rle_block(std::byte{0}, 64, false);
  add_zstd("no-last-block", encode(frame), "zstd frame must be complete");

  // A GiB of zeros in 32 KiB. All fields are valid; only the reader's limit rejects it.
  Bytes blocks;
  for (std::uint64_t done = 0; done < kGibibyte; done += 1 << 17) {
    blocks = std::move(blocks) + rle_block(std::byte{0}, 1 << 17, done + (1 << 17) == kGibibyte);
  }
  Bytes huge = forge(forge(raw_, header::kUnits, 8 * kGibibyte), header::kRawBytes, kGibibyte);
  huge = forge(huge, header::kCodec, 1);
  const ZstdFrame bomb{.content_size = kGibibyte, .window_descriptor = {}, .dictionary_id = {}, .blocks = blocks};
  add("zstd-bomb-of-a-gibibyte", with_payload(huge, encode(bomb)),
      "raw payload bytes must be at most the limit of 1048576, got 1073741824");
  // The same bomb, but its frame states a small size.
  Bytes small = forge(raw_, header::kCodec, 1);
  add("zstd-bomb-that-claims-128-bytes",
      with_payload(small,
                   encode({.content_size = 128, .window_descriptor = {}, .dictionary_id = {}, .blocks = blocks})),
      "zstd frame must ");
  // A frame of thirteen bytes that states a GiB.
  add("zstd-13-bytes-that-claim-a-gibibyte",
      with_payload(huge,
                   encode({.content_size = kGibibyte, .window_descriptor = {}, .dictionary_id = {}, .blocks = {}})),
      "raw payload bytes must be at most the limit");
}

void Collection::add_gap_codings() {
  const auto add_gap = [&](std::string name, std::uint64_t set, const Bytes& low, const Bytes& symbols,
                           std::string message) {
    Bytes stored(8);
    put(stored, {"set", 0, 8}, set);
    ZstdFrame frame{.content_size = symbols.size(),
                    .window_descriptor = {},
                    .dictionary_id = {},
                    .blocks = raw_block(symbols, true)};
    add_stored("gap-" + std::move(name), 2, stored + low + encode(frame), std::move(message));
  };
  const auto gaps = [](std::initializer_list<int> values) {
    Bytes symbols;
    for (const int value : values) symbols.push_back(static_cast<std::byte>(value));
    return symbols;
  };
  // The payload has 1024 bits. If 64 or more of them are set, the gaps have no low bits; if one is set, they have six.
  const Bytes sixty_four(64, std::byte{3});
  add_stored("gap-nothing", 2, {}, "gap coding must have at least 8 bytes, got 0");
  add_gap("more-bits-than-there-are", 1025, {}, sixty_four, "gap coding must have at most 256 bits set, got 1025");
  add_gap("all-ones-count", std::numeric_limits<std::uint64_t>::max(), {}, sixty_four,
          "gap coding must have at most 256 bits set");
  add_gap("a-bit-more-than-a-quarter-set", 257, {}, Bytes(257, std::byte{2}),
          "gap coding must have at most 256 bits set, got 257");
  add_gap("one-gap-too-few", 65, {}, sixty_four, "gap coding must have as many gaps as bits set, got 1 too few");
  add_gap("one-gap-too-many", 64, {}, sixty_four + gaps({1}),
          "gap coding must have as many gaps as bits set, got more");
  add_gap("gap-past-the-end", 64, {}, Bytes(63, std::byte{15}) + gaps({16}), "gap coding must stay inside 1024 bits");
  add_gap("endless-gap", 64, {}, Bytes(100, std::byte{255}), "gap coding must have gaps of at most 1024 bits");
  add_gap("gap-without-an-end", 64, {}, sixty_four + gaps({255}), "gap coding must have as many gaps as bits set");
  add_gap("low-padding-bit-set", 1, gaps({0xC0}), gaps({0}), "gap coding must have clear padding bits");
  add_gap("padding-bit-of-the-filter-set", 1, gaps({0x3F}), gaps({15}), "padding bits of the payload must be 0");
  const ZstdFrame wide{.content_size = {},
                       .window_descriptor = (18 - 10) << 3,
                       .dictionary_id = {},
                       .blocks = raw_block(sixty_four, true)};
  Bytes head(8);
  put(head, {"set", 0, 8}, 64);
  add_stored("gap-window-of-2-to-the-18", 2, head + encode(wide), "zstd frame must ");
  put(head, {"set", 0, 8}, 256);
  const ZstdFrame short_frame{
      .content_size = 256, .window_descriptor = {}, .dictionary_id = {}, .blocks = rle_block(std::byte{3}, 256, true)};
  add_stored("gap-bomb-of-equal-symbols", 2, head + encode(short_frame),
             "gap coding must have at least 64 bytes for 256 bits set, got 25");
  put(head, {"set", 0, 8}, 1);
  add_stored("gap-low-bits-missing", 2, head, "gap coding must have 1 bytes of low bits, got 0");
  put(head, {"set", 0, 8}, 32);
  add_stored("gap-without-symbols", 2, head + Bytes(4), "zstd frame must start with its magic");
}

void Collection::add_sums() {
  const Bytes sound = [&] {
    Bytes stored = payload_ + Bytes(16);
    Bytes blob = with_payload(forge(raw_, header::kCodec, 3), stored);  // with_payload repairs the checksums
    return Bytes(blob.begin() + header::kBytes, blob.end());
  }();
  constexpr const char* kLength = "stored payload with sums must have 144 bytes, got ";
  const auto cut = [&](std::size_t bytes) { return Bytes(sound.begin(), sound.begin() + static_cast<long>(bytes)); };
  const auto refuse = [&](const char* name, const Bytes& stored, std::string message) {
    add_stored(std::string("sums-") + name, 3, stored, std::move(message));
  };
  refuse("nothing", {}, kLength);
  refuse("payload-only", payload_, kLength);
  refuse("without-that-of-the-header", cut(136), kLength);
  refuse("one-byte-missing", cut(143), kLength);
  refuse("one-byte-appended", sound + Bytes(1), kLength);
  refuse("one-sum-too-many", sound + Bytes(8), kLength);
  // Damages one checksum, and leaves all other bytes unchanged. The error must name this checksum.
  const auto spoil = [&](const char* name, std::size_t at, std::string message) {
    Bytes blob = with_payload(forge(raw_, header::kCodec, 3), sound);
    const std::uint64_t sum = get(std::span<const std::byte>(blob).subspan(at), {"sum", 0, 8});
    put(std::span(blob).subspan(at), {"sum", 0, 8}, sum + 1);
    add(std::string("sums-") + name, blob, std::move(message));
  };
  spoil("wrong-one-of-a-segment", header::kBytes + 128,
        "segment 0 (bytes 0 to 127 of the payload) must match its checksum");
  spoil("wrong-one-of-the-header", header::kBytes + 136, "checksum of the header must match its bytes");
  spoil("wrong-checksum", header::kChecksum.offset, "checksum must match the contents");
  // The largest size that a header can state. Its sums would need terabytes.
  Bytes huge = forge(raw_, header::kRawBytes, (std::uint64_t{1} << 48) - 8);
  huge = forge(huge, header::kCodec, 3);
  add("sums-of-2-to-the-48-bytes", with_payload(huge, sound), "raw payload bytes must be 128 for this shape");
}

void Collection::add_sst_blocks() {
  add_sst("empty", {}, "block size must be at least 32, got 0");
  add_sst("one-byte-short-of-a-trailer", Bytes(sst_.end() - 31, sst_.end()), "block size must be at least 32, got 31");
  add_sst("trailer-only", Bytes(sst_.end() - 32, sst_.end()), "checksum must match");
  add_sst("another-marker", forge_sst(sst_, trailer::kMarker, 0xBE), "marker must be -67");
  add_sst("rocksdb-bloom-marker", forge_sst(sst_, trailer::kMarker, 0xFF), "marker must be -67");
  add_sst("future-version", forge_sst(sst_, trailer::kVersion, 2), "format version must be 1, got 2");
  add_sst("unknown-kind", forge_sst(sst_, trailer::kKind, 77), "kind must be known, got 77");
  add_sst("unknown-hash", forge_sst(sst_, trailer::kHashId, 0), "hash id must be 1, got 0");
  add_sst("k-0", forge_sst(sst_, trailer::kProbes, 0), "k must be in [1, 16], got 0");
  add_sst("units-0", forge_sst(sst_, trailer::kUnits, 0), "number of blocks must be in");
  add_sst("units-past-2-to-the-40", forge_sst(sst_, trailer::kUnits, (std::uint64_t{1} << 40) + 1),
          "number of blocks must be in");
  add_sst("one-block-too-many", forge_sst(sst_, trailer::kUnits, get(trailer_of(sst_), trailer::kUnits) + 1),
          "raw payload bytes must be");
  add_sst("parameter-1", forge_sst(sst_, trailer::kParam, 1), "kind parameter must be 0, got 1");
  add_sst("reserved-byte-set", forge_sst(sst_, trailer::kReserved26, 1), "reserved bytes must be 0");
  add_sst("reserved-end-set", forge_sst(sst_, trailer::kReserved31, 1), "reserved bytes must be 0");
  add_sst("wrong-checksum", forge_sst(sst_, trailer::kChecksum, 1), "checksum must match");
  add_sst_names();
  Bytes appended = Bytes(1) + sst_;
  repair_sst_block(appended);
  add_sst("one-byte-before", appended, "raw payload bytes must be");
}

void Collection::add_sst_names() {
  constexpr const char* kRefusal = "key transform's section must be";
  const auto add_bytes = [&](std::string name, std::size_t from_end, char byte) {
    Bytes block = named_sst_;
    block[block.size() - from_end] = static_cast<std::byte>(byte);
    repair_sst_block(block);
    add_sst(std::move(name), block, kRefusal);
  };
  add_sst("key-transform", named_sst_, "key transform must be drop_suffix:8, got none");
  add_sst("name-of-33-bytes", forge_sst(named_sst_, trailer::kNameBytes, 33), kRefusal);
  add_sst("name-of-255-bytes", forge_sst(named_sst_, trailer::kNameBytes, 255), kRefusal);
  add_sst("name-that-is-payload", forge_sst(sst_, trailer::kNameBytes, 8), kRefusal);
  add_sst("name-with-its-zeros", forge_sst(named_sst_, trailer::kNameBytes, 14), kRefusal);
  add_sst("name-cut-short", forge_sst(named_sst_, trailer::kNameBytes, 12), kRefusal);
  add_sst("name-that-is-not-counted", forge_sst(named_sst_, trailer::kNameBytes, 0), "raw payload bytes must be");
  add_sst("name-before-the-block", forge_sst(Bytes(sst_.end() - 32, sst_.end()), trailer::kNameBytes, 1), kRefusal);
  add_bytes("name-with-a-blank", 32 + 16, ' ');
  add_bytes("name-with-a-nul", 32 + 16, '\0');
  add_bytes("name-with-a-byte-above-ascii", 32 + 16, '\x80');
  add_bytes("name-and-no-zero", 32 + 1, 'x');
}

}  // namespace

std::vector<HostileFile> hostile_files() {
  Collection collection;
  collection.add_headers();
  collection.add_shapes();
  collection.add_ranges();
  collection.add_facts();
  collection.add_raw_payloads();
  collection.add_zstd_frames();
  collection.add_zstd_bombs();
  collection.add_gap_codings();
  collection.add_sums();
  collection.add_sst_blocks();
  return collection.take();
}

}  // namespace crivo::testing

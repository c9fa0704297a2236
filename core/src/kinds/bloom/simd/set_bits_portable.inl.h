// Sets a key's bits in portable code, for the scalar kernel and for instruction sets without a faster way. The
// including file must include kinds/bloom/block.h. Defines set_bits().

inline void set_bits(std::byte* block, const BlockKey& key, unsigned probes) noexcept {
  for (unsigned i = 0; i < probes; ++i) {
    const unsigned position = key.position(i);
    block[position >> 3] |= static_cast<std::byte>(1U << (position & 7));
  }
}

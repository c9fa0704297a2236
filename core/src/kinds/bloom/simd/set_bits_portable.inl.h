// Setting a key's bits in portable code: the scalar kernel, and that of an instruction set that has no wider way. The
// including file must have included kinds/bloom/block.h. It gets: set_bits().

inline void set_bits(std::byte* block, const BlockKey& key, unsigned probes) noexcept {
  for (unsigned i = 0; i < probes; ++i) {
    const unsigned position = key.position(i);
    block[position >> 3] |= static_cast<std::byte>(1U << (position & 7));
  }
}

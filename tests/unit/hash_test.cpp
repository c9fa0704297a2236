// Golden hash values from the library of xxHash 0.8.1, not from Crivo. They never change, so that stored filters work.
#include "crivo/hash.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace crivo {
namespace {

constexpr std::uint64_t kSeeds[] = {0, 1, std::uint64_t{1} << 63};

struct Golden {
  std::size_t length;
  std::uint64_t hash[3];  // one per seed
};

// The lengths are on both sides of every branch of XXH3: 0, 1-3, 4-8, 9-16, 17-128, 129-240, 241 and more.
constexpr Golden kGolden[] = {
    {0, {0x2D06800538D394C2, 0x4DC5B0CC826F6703, 0x1FDB4382F72040B7}},
    {1, {0x4C5CCA45D0F4811F, 0x0A187BF012ECA100, 0xCDDCF56D357B09A5}},
    {3, {0x6E3E2670E61106AC, 0x09B2077206B1496D, 0xA40C0031941E64DF}},
    {4, {0x5C4C63133443D03F, 0x16D938BF1343226D, 0xE19E4EC19A0F8106}},
    {8, {0xF9FD4DD0B04D78F5, 0xD1129F0BF6E39A1D, 0x3E9B2E058C47AA2B}},
    {9, {0x7C20DF9712C26EDF, 0xF495C810D169A686, 0x9FBE818A453D3DA6}},
    {16, {0x86ABF6BACCEA0858, 0x216FE4CA42FEF4FF, 0xEA24623EA9D3141F}},
    {17, {0xB58BF5DC5022D071, 0x426160E58ECD06D5, 0x70309134512D1677}},
    {128, {0x10D17F72C0CCBA41, 0x172EC533A3E1041C, 0x8E8E175D8427AFBB}},
    {129, {0x1648BDC3DB49D1A2, 0x955A5A636A9B3FCE, 0x8C030CBE8C595E56}},
    {240, {0xB6CFAF343FAB81E6, 0x2D3A9751EDA787AE, 0x2C31719A821CCA8C}},
    {241, {0x956CAE592C67279E, 0xC4EA650F07C84B7C, 0xF0F92C9E01818B98}},
    {1000, {0x571D5CBFEF44331B, 0x4B18EBD5BD6FE6AB, 0xA9F19C8E24336246}},
};

/// Byte i is 131 i + 7 modulo 256, so the key has NULs and bytes above 127.
std::string key_of(std::size_t length) {
  std::string key(length, '\0');
  for (std::size_t i = 0; i < length; ++i) key[i] = static_cast<char>(static_cast<unsigned char>(i * 131 + 7));
  return key;
}

TEST(Hash, NeverChanges) {
  for (const Golden& golden : kGolden) {
    for (std::size_t i = 0; i < std::size(kSeeds); ++i) {
      EXPECT_EQ(hash_key(key_of(golden.length), kSeeds[i]), golden.hash[i])
          << "length " << golden.length << ", seed " << kSeeds[i];
    }
  }
}

TEST(Hash, AnEmptyKeyMayHaveNoAddress) { EXPECT_EQ(hash_key(std::string_view(), 0), kGolden[0].hash[0]); }

TEST(Hash, DoesNotDependOnAlignment) {
  const std::string key = key_of(1000);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const std::string shifted = std::string(shift, 'x') + key;
    EXPECT_EQ(hash_key(std::string_view(shifted).substr(shift), 1), hash_key(key, 1));
  }
}

TEST(Hash, ManyAtOnceAreTheSameAsOneByOne) {
  std::vector<std::string> texts;
  for (std::size_t length = 0; length < 300; ++length) texts.push_back(key_of(length));
  const std::vector<std::string_view> keys(texts.begin(), texts.end());
  std::vector<std::uint64_t> hashes(keys.size() + 1, 42);
  hash_keys(keys, 7, hashes);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(hashes[i], hash_key(keys[i], 7));
  EXPECT_EQ(hashes.back(), 42U) << "wrote past the keys it was given";
}

}  // namespace
}  // namespace crivo

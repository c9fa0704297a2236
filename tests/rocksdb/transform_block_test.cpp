// Key transforms in builders and readers, called through their vtables as RocksDB calls them.
#include <algorithm>
#include <cstring>

#include "blob_surgery.h"
#include "capture_log.h"
#include "crivo/host/sst_block.h"
#include "support.h"

namespace crivo::testing {
namespace {

using rocksdb::Slice;

Policy policy_of(Kind kind, const std::string& key_transform, double fp_rate = 0.01) {
  RocksDBFilterOptions options{.fp_rate = fp_rate, .kind = kind, .key_transform = key_transform};
  if (kind == Kind::kRibbon) options.bloom_before_level = -1;
  return NewRocksDBFilterPolicy(options);
}

/// Reverses the bytes, so that the result is in the scratch string. Throws for a key with an exclamation mark.
Slice reversed(const Slice& key, std::string* scratch) {
  scratch->assign(std::reverse_iterator(key.data() + key.size()), std::reverse_iterator(key.data()));
  if (scratch->find('!') != std::string::npos) throw std::runtime_error("an exclamation mark");
  return *scratch;
}

/// The name of the registered transform `reversed`. It has the maximum length.
const std::string& reversing() {
  static const std::string name = [] {
    std::string registered = "crivo-test.reversed_of_32_bytes.";
    if (const auto status = RegisterKeyTransform(registered, reversed); !status.ok()) registered = status.ToString();
    return registered;
  }();
  return name;
}

std::string block_of(const rocksdb::FilterPolicy& policy, const std::vector<std::string>& keys) {
  const auto builder = new_builder(policy);
  for (const std::string& key : keys) builder->AddKey(key);
  return finish(*builder);
}

std::string upper(std::string key) {
  std::ranges::transform(key, key.begin(), [](unsigned char byte) { return static_cast<char>(std::toupper(byte)); });
  return key;
}

std::vector<std::string> keys_from(std::uint64_t begin, std::uint64_t end) {
  std::vector<std::string> keys;
  for (std::uint64_t i = begin; i < end; ++i) keys.push_back(key_of(i));
  return keys;
}

std::uint64_t count_matches(const rocksdb::FilterPolicy& policy, const Slice& block,
                            const std::vector<std::string>& keys) {
  const auto reader = new_reader(policy, block);
  return static_cast<std::uint64_t>(
      std::ranges::count_if(keys, [&](const std::string& key) { return reader->MayMatch(key); }));
}

class KeyTransforms : public ::testing::TestWithParam<Kind> {};

CRIVO_FOR_BOTH_KINDS(KeyTransforms);

struct Pair {
  std::string transform;
  std::string a;
  std::string b;
  bool same;
};

TEST_P(KeyTransforms, MakeTheDocumentedKeysEqual) {
  using namespace std::string_literals;
  const Pair pairs[] = {
      {"none", "key", "key", true},
      {"none", "key", "KEY", false},
      {"lower_ascii", "AZaz", "azAZ", true},
      {"lower_ascii", "A\0B"s, "a\0b"s, true},
      {"lower_ascii", "A\0B"s, "A\0C"s, false},
      {"lower_ascii", "", "", true},
      {"lower_ascii", "@[", "`{", false},
      {"lower_ascii", "\xC9", "\xE9", false},
      {"lower_ascii", std::string(300, 'A'), std::string(300, 'a'), true},
      {"take_prefix:4", "abcd1", "abcd2", true},
      {"take_prefix:4", "abcd", "abcd2", true},
      {"take_prefix:4", "abc", "abcd", false},
      {"take_prefix:4", "abc", "abc", true},
      {"take_prefix:4", "", "a", false},
      {"take_prefix:4294967295", "abcd", "abcde", false},
      {"drop_suffix:2", "abXX", "abYY", true},
      {"drop_suffix:2", "abXX", "acXX", false},
      {"drop_suffix:2", "abXX", "ab", false},
      {"drop_suffix:2", "XX", "YY", true},
      {"drop_suffix:2", "XX", "", true},
      {"drop_suffix:2", "X", "YY", true},
      {"drop_suffix:4294967295", "abcd", "xyz", true},
      {reversing(), "abc", "abc", true},
      {reversing(), "abc", "cba", false},
  };
  for (const Pair& pair : pairs) {
    const Policy policy = policy_of(GetParam(), pair.transform, 1e-9);
    EXPECT_EQ(count_matches(*policy, block_of(*policy, {pair.a}), {pair.b}), pair.same ? 1U : 0U)
        << pair.transform << ": " << pair.a << " and " << pair.b;
  }
}

TEST_P(KeyTransforms, BuildTheFilterOfTheCanonicalKeys) {
  std::vector<std::string> shouted = keys_from(0, 1000);
  std::ranges::transform(shouted, shouted.begin(), upper);
  const std::string block = block_of(*policy_of(GetParam(), "lower_ascii"), shouted);
  const std::string plain = block_of(*policy_of(GetParam(), "none"), keys_from(0, 1000));
  EXPECT_EQ(block.size(), plain.size() + 16);
  const auto filter = open_sst_block(std::as_bytes(std::span(block)), "lower_ascii");
  const auto plain_filter = open_sst_block(std::as_bytes(std::span(plain)));
  ASSERT_TRUE(filter && plain_filter);
  EXPECT_TRUE(std::ranges::equal(filter->payload(), plain_filter->payload()));
}

// Reads blocks of RocksDB and Crivo under every transform. Under a transform other than its own, no block says "no".
TEST_P(KeyTransforms, OfAnotherBlockMeanMaybe) {
  const std::string names[] = {"none", "lower_ascii", "drop_suffix:8", "drop_suffix:9", reversing()};
  const std::vector<std::string> absent = keys_from(5000, 6000);
  for (const std::string& theirs : names) {
    const std::string block = block_of(*policy_of(GetParam(), theirs), keys_from(0, 1000));
    for (const std::string& ours : names) {
      const std::uint64_t matches = count_matches(*policy_of(GetParam(), ours), block, absent);
      if (ours == theirs) {
        EXPECT_LT(matches, 50U) << ours;
      } else {
        EXPECT_EQ(matches, absent.size()) << "a block of " << theirs << " read as one of " << ours;
      }
    }
  }
  for (const PolicyMaker& builtin : builtin_policies()) {
    const std::string block = block_of(*builtin.make(10), keys_from(0, 1000));
    EXPECT_LT(count_matches(*policy_of(GetParam(), "none"), block, absent), 50U) << builtin.label;
    EXPECT_EQ(count_matches(*policy_of(GetParam(), "lower_ascii"), block, absent), absent.size()) << builtin.label;
    const std::string ours = block_of(*policy_of(GetParam(), "lower_ascii"), keys_from(0, 1000));
    EXPECT_EQ(count_matches(*builtin.make(10), ours, absent), absent.size()) << builtin.label << "'s reader";
  }
}

Slice throwing_a_number(const Slice&, std::string*) { throw 7; }

TEST_P(KeyTransforms, ThatThrowHaveOneLineInLogForEachFilter) {
  (void)RegisterKeyTransform("crivo-test.throws_a_number", throwing_a_number);
  for (const std::string& name : {reversing(), std::string("crivo-test.throws_a_number")}) {
    SCOPED_TRACE(name);
    const Policy policy = policy_of(GetParam(), name);
    CaptureLog log;
    const auto builder = new_builder(*policy, &log);
    for (int filter = 0; filter < 2; ++filter) {
      for (const char* key : {"a!", "b!", "c!"}) builder->AddKey(key);
      (void)finish(*builder);
      const std::string lines = log.take();
      EXPECT_THAT(lines, HasSubstr("a filter block lets every key pass"));
      EXPECT_EQ(std::ranges::count(lines, '\n'), 1) << lines;
    }
  }
}

TEST_P(KeyTransforms, ThatThrowLoseNoKey) {
  const Policy policy = policy_of(GetParam(), reversing());
  const auto builder = new_builder(*policy);
  for (const char* key : {"a", "b!", "c"}) builder->AddKey(key);
  EXPECT_GT(builder->EstimateEntriesAdded(), 0U);
  const std::string always_maybe = finish(*builder);
  EXPECT_EQ(count_matches(*policy, always_maybe, {"a", "b!", "c", "d"}), 4U);
  EXPECT_TRUE(new_reader(*builtin_bloom(), always_maybe)->MayMatch("d"));

  for (const char* key : {"a", "b", "c"}) builder->AddKey(key);
  const std::string block = finish(*builder);
  EXPECT_EQ(count_matches(*policy, block, {"a", "b", "c"}), 3U);
  EXPECT_LT(count_matches(*policy, block, keys_from(0, 100)), 20U) << "the next filter is a filter again";
  EXPECT_EQ(count_matches(*policy, block, {"x!"}), 1U) << "a question that throws";
  std::array<Slice, 2> keys{"a", "x!"};
  std::array<Slice*, 2> pointers{keys.data(), keys.data() + 1};
  std::array<bool, 2> answers{};
  new_reader(*policy, block)->MayMatch(2, pointers.data(), answers.data());
  EXPECT_TRUE(answers[0] && answers[1]);
}

TEST_P(KeyTransforms, AreCheckedInBlocksBeforeTheyAreWritten) {
  rocksdb::BlockBasedTableOptions table;
  table.detect_filter_construct_corruption = true;
  const Policy policy = policy_of(GetParam(), "take_prefix:12");
  const auto builder = new_builder(*policy, table);
  std::string block = build_block(*builder, 0, 2000);
  EXPECT_TRUE(builder->MaybePostVerify(block).ok());
  (void)build_block(*builder, 0, 2000);
  block[block.size() - sst_tail_bytes(14)] = 'T';  // the name's first letter
  EXPECT_TRUE(builder->MaybePostVerify(block).IsCorruption());
}

constexpr std::uint64_t kFewKeys = 20;

/// The number of the first keys that the block denies, read with its own transform, another one and none. The block is
/// at the end of its allocation, so that sanitizers see a read outside it.
std::uint64_t lost_keys(const std::string& block) {
  const std::unique_ptr<char[]> memory(new char[block.size()]);
  std::memcpy(memory.get(), block.data(), block.size());
  std::uint64_t lost = 0;
  static const Policy policies[] = {policy_of(Kind::kBlocked, "lower_ascii"),
                                    policy_of(Kind::kBlocked, "take_prefix:9"), policy_of(Kind::kBlocked, "none")};
  static const std::vector<std::string> keys = keys_from(0, kFewKeys);
  for (const Policy& policy : policies) {
    lost += kFewKeys - count_matches(*policy, Slice(memory.get(), block.size()), keys);
  }
  return lost;
}

// These blocks have a right checksum. A name of another length, of zeros, or from the payload makes a block invalid.
TEST_P(KeyTransforms, LoseNoKeyToForgedNames) {
  for (const char* name : {"lower_ascii", "none"}) {
    const std::string block = block_of(*policy_of(GetParam(), name), keys_from(0, kFewKeys));
    const auto sound = std::as_bytes(std::span(block));
    for (std::uint64_t length = 0; length < 256; ++length) {
      const Bytes forged = forge_sst(sound, trailer::kNameBytes, length);
      const std::string text(reinterpret_cast<const char*>(forged.data()), forged.size());
      ASSERT_EQ(lost_keys(text), 0U) << name << " with length " << length;
      for (const std::size_t keep : {32U, 33U, 39U, 40U, 47U, 48U, 64U}) {  // without the payload
        Bytes end(forged.end() - static_cast<std::ptrdiff_t>(keep), forged.end());
        repair_sst_block(end);
        const std::string end_text(reinterpret_cast<const char*>(end.data()), end.size());
        ASSERT_EQ(lost_keys(end_text), 0U) << name << " with length " << length << " of " << keep;
      }
    }
  }
}

TEST(KeyTransformNames, AreRegisteredOnce) {
  const auto same = [](const Slice& key, std::string*) { return key; };
  EXPECT_TRUE(RegisterKeyTransform("crivo-test.once", same).ok());
  const auto refused = [&](std::string_view name, const KeyTransform& function = {}) {
    const rocksdb::Status status = RegisterKeyTransform(name, function ? function : same);
    EXPECT_TRUE(status.IsInvalidArgument()) << name;
    return status.ToString();
  };
  EXPECT_THAT(refused("crivo-test.once"), HasSubstr("name must not be registered before, got crivo-test.once"));
  for (const std::string& name :
       {std::string(), std::string(33, 'x'), std::string("a b"), std::string("a:1"), std::string("a;b"),
        std::string("a=b"), std::string("{a}"), std::string("\xC3\xA4"), std::string("a\0b", 3)}) {
    EXPECT_THAT(refused(name), HasSubstr("crivo: name must be 1 to 32 letters, digits or characters of _-., got "));
  }
  for (const std::string name : {"none", "lower_ascii", "drop_suffix", "take_prefix"}) {
    EXPECT_THAT(refused(name), HasSubstr("crivo: name must not be the name of a built-in key transform, got " + name));
  }
  EXPECT_THAT(RegisterKeyTransform("crivo-test.empty", nullptr).ToString(), HasSubstr("transform must be a function"));
  EXPECT_TRUE(RegisterKeyTransform("crivo-test.empty", same).ok()) << "what was refused is not registered";
}

}  // namespace
}  // namespace crivo::testing

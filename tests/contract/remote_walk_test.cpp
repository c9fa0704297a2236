// Filters that lie elsewhere, walked at random: some questions wait at the same time, what they miss comes in any
// order, twice, late, cut off, damaged, or of another version, and what is here is given up now and then. Whatever is
// answered is what the whole filter answers.
#include <random>

#include "crivo/host/partial_filter.h"
#include "crivo/map.h"
#include "every_kind.h"

namespace crivo::testing {
namespace {

class RemoteWalk : public PerKind {
 protected:
  void walk(std::uint64_t seed);
  std::uint64_t answers_ = 0;
  std::uint64_t errors_ = 0;

 private:
  /// One that asks a batch, a count, a range or a value.
  struct Question {
    unsigned what = 0;
    std::vector<std::uint64_t> hashes = {};  // none while it has no question
    std::vector<RemoteRange> under_way = {};
    int rounds = 0;
  };
  void begin(Question& question);
  void come(Question& question);
  void ask(Question& question);
  [[nodiscard]] RemoteRange read(RemoteRange range) const;
  [[nodiscard]] RemoteRange damaged(RemoteRange range);
  Result<void> answer(Question& question, MissingRanges& missing);

  std::mt19937_64 random_;
  Bytes blob_;
  std::optional<AnyFilter> filter_;
  std::optional<PartialFilter> there_;
  std::vector<std::uint64_t> asked_;
  bool damages_ = false;
  std::vector<RemoteRange> late_;
};
CRIVO_FOR_EVERY_KIND(RemoteWalk);

void RemoteWalk::walk(std::uint64_t seed) {
  random_.seed(seed);
  constexpr std::uint64_t kSizes[] = {0, 1, 10, 1000, 20'000, 60'000};
  const std::uint64_t keys = kSizes[random_() % std::size(kSizes)];
  FilterSpec spec = spec_for(std::max<std::uint64_t>(keys, 1));
  if (kind() == Kind::kScalable) spec.capacity = 1000;  // so that it has layers
  filter_ = build_filter(spec, keys);
  const bool has_sums = random_() % 4 != 0;
  blob_ = blob_of(filter_->ref(), has_sums ? BlobForm::kMappable : BlobForm::kSmallest);
  const std::uint64_t little = has_sums ? filter_->payload().size() / 2 : filter_->payload().size() + 65'536;
  there_.emplace(RemoteOptions{.max_memory = random_() % 2 == 0 ? little : std::uint64_t{1} << 26});
  asked_ = present_hashes(std::min<std::uint64_t>(keys, 300), 0);
  const auto absent = absent_hashes(300, 0);
  asked_.insert(asked_.end(), absent.begin(), absent.end());
  damages_ = random_() % 2 == 0;
  late_.clear();
  std::vector<Question> questions(1 + random_() % 4);
  for (int step = 0; step < 400; ++step) {
    Question& question = questions[random_() % questions.size()];
    if (question.hashes.empty()) {
      begin(question);
    } else if (!question.under_way.empty()) {
      come(question);
    } else {
      ask(question);
    }
    if (HasFailure()) return;
  }
}

void RemoteWalk::begin(Question& question) {
  question = {.what = static_cast<unsigned>(random_() % 4)};
  for (std::size_t count = question.what == 0 && random_() % 3 == 0 ? 40 : 1; count > 0; --count) {
    question.hashes.push_back(asked_[random_() % asked_.size()]);
  }
  there_->make_room();
}

RemoteRange RemoteWalk::read(RemoteRange range) const {
  const std::uint64_t begin = std::min<std::uint64_t>(range.offset, blob_.size());
  const std::uint64_t end = std::min<std::uint64_t>(range.offset + range.bytes, blob_.size());
  range.found.assign(blob_.data() + begin, blob_.data() + end);
  range.version = "1";
  return range;
}

RemoteRange RemoteWalk::damaged(RemoteRange range) {
  if (range.found.empty()) return range;
  switch (random_() % 6) {
    case 0:
      range.found[random_() % range.found.size()] ^= static_cast<std::byte>(1U << random_() % 8);
      break;
    case 1:
      range.found.resize(random_() % range.found.size());
      break;
    case 2:
      range.found.resize(range.found.size() + random_() % 5000, std::byte{0xFF});
      break;
    case 3:
      std::ranges::fill(range.found, std::byte{0});
      break;
    case 4:  // those of another place
      std::rotate(range.found.begin(), range.found.begin() + static_cast<std::ptrdiff_t>(range.found.size() / 2),
                  range.found.end());
      break;
    default:
      range.version = "2";
  }
  return range;
}

/// One of the ranges comes, and now and then another one that came before.
void RemoteWalk::come(Question& question) {
  const auto at = question.under_way.begin() + static_cast<std::ptrdiff_t>(random_() % question.under_way.size());
  const RemoteRange range = damages_ && random_() % 12 == 0 ? damaged(*at) : *at;
  if (random_() % 10 != 0) question.under_way.erase(at);
  if (!late_.empty() && random_() % 10 == 0) (void)there_->supply(late_[random_() % late_.size()]);
  if (random_() % 8 == 0) late_.push_back(range);
  const auto supplied = there_->supply(range);
  if (supplied) return;
  ASSERT_TRUE(damages_) << supplied.error().message;
  ++errors_;
  question = {};
}

/// Asks there, and compares what is answered with what is answered here.
Result<void> RemoteWalk::answer(Question& question, MissingRanges& missing) {
  const FilterRef& here = filter_->ref();
  const std::vector<std::uint64_t>& hashes = question.hashes;
  const auto is_answered = [&](const Result<void>& done) { return done && missing.empty() && !there_->is_crowded(); };
  bool hits[40] = {};
  std::uint64_t values[40] = {};
  Result<void> done;
  switch (question.what) {
    case 0:
      done = there_->may_contain_hashes(hashes, hits, missing);
      for (std::size_t i = 0; is_answered(done) && i < hashes.size(); ++i) {
        EXPECT_EQ(hits[i], here.may_contain_hash(hashes[i]));
      }
      break;
    case 1: {
      done = there_->count_hash(hashes[0], values[0], missing);
      if (is_answered(done)) {
        EXPECT_EQ(values[0], *here.count_hash(hashes[0]));
      }
      break;
    }
    case 2: {
      const std::uint64_t high = hashes[0] + std::min(~hashes[0], random_() % 2 == 0 ? 1000 : random_());
      done = there_->may_contain_range(hashes[0], high, hits[0], missing);
      if (is_answered(done)) {
        EXPECT_EQ(hits[0], here.may_contain_range(hashes[0], high));
      }
      break;
    }
    default:
      done = there_->find_hashes(hashes, values, hits, missing);
      if (is_answered(done)) {
        const auto found = MapRef::of(here)->find_hash(hashes[0]);
        EXPECT_EQ(hits[0], found.has_value());
        if (found) {
          EXPECT_EQ(values[0], *found);
        }
      }
  }
  return done;
}

void RemoteWalk::ask(Question& question) {
  MissingRanges missing;
  const Result<void> done = answer(question, missing);
  if (!done) {
    const ErrorCode code = done.error().code;
    ASSERT_TRUE(damages_ || code == ErrorCode::kUnsupported) << done.error().message;
    ASSERT_NE(code, ErrorCode::kBadArgument) << done.error().message;
    ++errors_;
    question = {};
  } else if (there_->is_crowded()) {
    ASSERT_GT(question.hashes.size(), 1U);
    question = {};
  } else if (missing.empty()) {
    ++answers_;
    question = {};
  } else {
    ASSERT_LT(++question.rounds, 300) << "a question must end";
    for (const RemoteRange& range : missing) question.under_way.push_back(read(range));
  }
}

TEST_P(RemoteWalk, AnswersAsInMemoryOrNotAtAll) {
  for (std::uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) walk(seed);
  EXPECT_GT(answers_, 1000U);
  EXPECT_GT(errors_, 100U);
}
TEST_P(RemoteWalk, AnswersAsInMemoryOrNotAtAllLong) {
  for (std::uint64_t seed = 1000; seed < 4000 && !HasFailure(); ++seed) walk(seed);
}

}  // namespace
}  // namespace crivo::testing

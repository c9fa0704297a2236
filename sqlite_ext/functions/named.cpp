// Questions to a filter that is named: bloom_contains_in('filters', 'f', 'visited', key) and its like.
//
// SQLite copies a value for every call that gets it from a column or a subquery; a name costs nothing. The row is read
// and checked once, and the decoded filter is kept with the statement. What makes that safe is a look at the row in
// every call (stored_row.h): its handle must not have expired, and it must show the header that was read, which holds
// the checksum of the rest. Whatever else happens, the row is read again.
//
// A checksum can be forged, and after a rollback the handle shows an older row, or the one beside it. So a kept filter
// answers alone only if the row was read in this statement, and at a time when no change of an open transaction could
// be rolled back: then each later change of the row must expire the handle. Otherwise the row is looked up again, the
// bytes that the question is about are read from it as well, as in values/kept_filters.h, and where the answers differ
// the row is read in full.
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "crivo/host/paged_filter.h"
#include "functions.h"
#include "functions/questions.h"
#include "values/kept_filters.h"
#include "values/stored_row.h"

namespace crivo::sqlite {
namespace {

constexpr std::size_t kArgs = 5;  // schema, table, column, row, key

/// Compares spans of one size; the compiler would compare std::byte one by one.
bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  return std::memcmp(a.data(), b.data(), a.size()) == 0;
}

/// The payload of a raw filter as it lies in its row.
class RowPages : public PageSource {
 public:
  static constexpr std::size_t kLargestBlock = 256;

  RowPages(StoredRow& row, std::size_t page_bytes) : row_(row), page_bytes_(page_bytes) {}
  const std::byte* read(std::uint64_t page) override {
    const std::size_t offset = kBlobHeaderBytes + static_cast<std::size_t>(page) * page_bytes_;
    read_open_row(row_, offset, std::span(bytes_).first(page_bytes_));
    return bytes_.data();
  }
  std::byte* write(std::uint64_t) override { return nullptr; }  // never called: questions change nothing

 private:
  StoredRow& row_;
  std::size_t page_bytes_;
  std::array<std::byte, kLargestBlock> bytes_;
};

/// The filter that one call in a statement names, and what is known of its row.
class NamedFilter {
 public:
  NamedFilter(const Call& call, const RowArgs& args)
      : db_(sqlite3_context_db_handle(call.context)), row_(db_, args, StoredRow::Access::kRead) {}

  [[nodiscard]] bool is_in(const RowArgs& args) const noexcept { return row_.is_in(args); }

  template <class Question>
  Answer ask(const Call& call, sqlite3_value* row, const Question& question) {
    if (alone_ && row_.was_found_by(row)) {
      fetch_ahead(question);
      if (shows_kept_header()) return question(kept_->owned.ref);
    }
    alone_ = false;
    if (!row_.open(row)) return {};
    return ask_open_row(call, question);
  }

 private:
  using Header = std::array<std::byte, kBlobHeaderBytes>;

  /// Starts to load what the answer needs, while the row's header is read: a lock in SQLite would have each wait for
  /// the other.
  template <class Question>
  void fetch_ahead(const Question&) const noexcept {}
  void fetch_ahead(const Contains& question) const noexcept {
    if (!pages_) return;
    const FilterRef& ref = kept_->owned.ref;
    const std::uint64_t page = pages_->page_of(ref.hash(question.key().view()));
    __builtin_prefetch(ref.payload().data() + page * pages_->bytes_of(0));
  }

  bool shows_kept_header() {
    Header now;
    return row_.read(0, now) && same_bytes(now, kept_->header);
  }

  template <class Question>
  Answer ask_open_row(const Call& call, const Question& question) {
    const ReadLimits limits{.max_bytes = max_payload_bytes(db_)};
    find_kept(call, limits);
    if (kept_ != nullptr) {
      const Answer answer = question(kept_->owned.ref);
      if (agrees_with_row(question, answer)) return answer;
    }
    read_row(call, limits);
    return question(kept_->owned.ref);
  }

  /// Finds the filter of the header that the row shows now, if this statement or another has read one.
  void find_kept(const Call& call, const ReadLimits& limits) {
    if (row_.bytes() < kBlobHeaderBytes) return keep(nullptr);
    Header header;
    read_open_row(row_, 0, header);
    if (kept_ != nullptr && same_bytes(kept_->header, header) && kept_->blob_bytes == row_.bytes()) return;
    keep(call.connection().kept.find(header, row_.bytes(), limits));
  }

  void keep(std::shared_ptr<const KeptFilter> filter) {
    kept_ = std::move(filter);
    pages_read_ = 0;
    pages_.reset();
    if (kept_ == nullptr) return;
    const Shape& shape = kept_->owned.ref.shape();
    const std::size_t granule = PagedFilter::granularity(shape.kind);
    if (granule != 0 && granule <= RowPages::kLargestBlock) pages_ = unwrap(PagedFilter::open(shape, granule));
  }

  /// True if the row gives this answer, too. A kind that cannot be asked piece by piece is compared in full. So is any
  /// filter once that many of its bytes were read that comparing it would have cost no more; it may then answer alone.
  template <class Question>
  bool agrees_with_row(const Question&, const Answer&) {
    return row_is_kept();
  }
  bool agrees_with_row(const Contains& question, const Answer& answer) {
    constexpr std::size_t kPageOfDatabase = 4096;
    const bool worth_comparing = may_answer_alone() && ++pages_read_ * kPageOfDatabase >= kept_->blob_bytes;
    if (!kept_->compressed.empty() || !pages_ || worth_comparing) return row_is_kept();
    if (question.key().is_null()) return true;
    RowPages pages(row_, pages_->bytes_of(0));
    const bool found = pages_->may_contain_hash(kept_->owned.ref.hash(question.key().view()), pages);
    return found == (answer != 0);
  }

  bool row_is_kept() {
    const std::span<const std::byte> kept =
        kept_->compressed.empty() ? kept_->owned.filter.payload() : std::span<const std::byte>(kept_->compressed);
    std::array<std::byte, 16384> buffer;
    for (std::size_t at = 0; at < kept.size(); at += buffer.size()) {
      const auto expected = kept.subspan(at, std::min(buffer.size(), kept.size() - at));
      const auto given = std::span(buffer).first(expected.size());
      read_open_row(row_, kBlobHeaderBytes + at, given);
      if (!same_bytes(given, expected)) return false;
    }
    alone_ = may_answer_alone();
    return true;
  }

  void read_row(const Call& call, const ReadLimits& limits) {
    std::vector<std::byte> blob(row_.bytes());
    read_open_row(row_, 0, blob);
    OpenedBlob opened = unwrap(parse_blob(blob, limits));
    const bool raw = opened.codec() == Codec::kRaw;
    const auto rest = std::span<const std::byte>(blob).subspan(raw ? blob.size() : kBlobHeaderBytes);
    keep(std::make_shared<KeptFilter>(blob, rest, std::move(opened).into_filter()));
    call.connection().kept.offer(kept_);
    alone_ = may_answer_alone();
  }

  /// True unless what the row shows now may be rolled back. Without BEGIN only the running statement can be, and with
  /// it ends whoever asked.
  [[nodiscard]] bool may_answer_alone() const {
    return sqlite3_get_autocommit(db_) != 0 || sqlite3_txn_state(db_, row_.schema().c_str()) != SQLITE_TXN_WRITE;
  }

  sqlite3* db_;
  StoredRow row_;
  std::shared_ptr<const KeptFilter> kept_;
  std::optional<PagedFilter> pages_;  // the places of keys in kept_; nothing for a kind that has no such places
  bool alone_ = false;                // kept_ may answer alone while the row is open and shows its header
  std::size_t pages_read_ = 0;        // since kept_ was found
};

void free_named(void* named) { std::unique_ptr<NamedFilter>(static_cast<NamedFilter*>(named)); }

/// SQLite keeps auxiliary data from row to row if the argument is constant in the statement, as names are, and frees it
/// at the end of the statement, before that commits. So no handle is left open behind the statement.
template <class Question>
void ask_named(const Call& call, const RowArgs& args, const Question& question) {
  if (sqlite3_value_type(args.row) == SQLITE_NULL) return;
  auto* named = static_cast<NamedFilter*>(sqlite3_get_auxdata(call.context, 0));
  std::unique_ptr<NamedFilter> made;
  if (named == nullptr || !named->is_in(args)) {
    made = std::make_unique<NamedFilter>(call, args);
    named = made.get();
  }
  const Answer answer = named->ask(call, args.row, question);
  if (answer) sqlite3_result_int64(call.context, *answer);
  if (made != nullptr) sqlite3_set_auxdata(call.context, 0, made.release(), free_named);
}

void bloom_contains_in(const Call& call) {
  const RowArgs args(call, kArgs);
  ask_named(call, args, Contains(KeyBytes(call.args[args.next])));
}

void bloom_count_in(const Call& call) {
  const RowArgs args(call, kArgs);
  ask_named(call, args, Count(KeyBytes(call.args[args.next])));
}

void bloom_contains_any_in(const Call& call) {
  const RowArgs args(call, kArgs);
  ask_named(call, args, AskForMany(call, args.next, kAnyHit));
}

void bloom_contains_all_in(const Call& call) {
  const RowArgs args(call, kArgs);
  ask_named(call, args, AskForMany(call, args.next, kAllHits));
}

/// These functions read tables, so they are neither deterministic nor innocuous. They are allowed in views and triggers
/// of a trusted schema, which could read the same tables by a subquery.
constexpr int kReadsTables = SQLITE_UTF8;

constexpr std::array kNamedFunctions = {
    FunctionRow{"bloom_contains_in", kArgs - 1, kArgs, kReadsTables, guarded<bloom_contains_in>},
    FunctionRow{"bloom_contains_any_in", kArgs - 1, kArgs, kReadsTables, guarded<bloom_contains_any_in>},
    FunctionRow{"bloom_contains_all_in", kArgs - 1, kArgs, kReadsTables, guarded<bloom_contains_all_in>},
    FunctionRow{"bloom_count_in", kArgs - 1, kArgs, kReadsTables, guarded<bloom_count_in>},
};

}  // namespace

std::span<const FunctionRow> named_functions() noexcept { return kNamedFunctions; }

}  // namespace crivo::sqlite

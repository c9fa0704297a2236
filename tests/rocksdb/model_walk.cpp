#include "model_walk.h"

#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction_db.h>
#include <rocksdb/write_batch.h>

#include <iostream>
#include <utility>

namespace crivo::testing::model {
namespace {

constexpr int kSteps = 40;

std::string encode_timestamp(std::uint64_t time) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(time >> (8 * i)));  // for BytewiseComparatorWithU64Ts
  return bytes;
}

std::string family_name(std::size_t family) {
  return family == 0 ? rocksdb::kDefaultColumnFamilyName : "family" + std::to_string(family);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string described(const Nature& nature) {
  const char* const compactions[] = {"level", "universal", "FIFO"};
  return std::string(nature.comparator->Name()) + ", " + compactions[nature.compaction] + " compaction" +
         (nature.dynamic_levels ? " with dynamic levels" : "");
}

}  // namespace

void check(const rocksdb::Status& status, const std::string& what) {
  if (status.ok()) return;
  const std::string text = what + ": " + status.ToString();
  if (status.IsNotSupported()) throw NotSupported(text);
  throw Failure(text);
}

Opened::Opened(Opened&& other) noexcept : db(std::move(other.db)), families(std::exchange(other.families, {})) {}

Opened& Opened::operator=(Opened&& other) noexcept {
  close();
  db = std::move(other.db);
  families = std::exchange(other.families, {});
  return *this;
}

void Opened::close() {
  for (auto* const family : std::exchange(families, {})) {
    if (db != nullptr) (void)db->DestroyColumnFamilyHandle(family);  // an open that failed may leave handles
  }
  db.reset();
}

Walk::Walk(std::uint64_t seed, const Policies& policies, Tally& tally)
    : tally_(tally), seed_(seed), policies_(policies), random_(seed), nature_(draw_nature(random_)) {
  model_.assign(nature_.families, Contents(Order{nature_.comparator}));
}

Walk::~Walk() { close(); }

void Walk::run() {
  std::string doing = "opening";
  try {
    session_ = draw_session(nature_, policies_, random_);
    open();
    for (int step = 0; step < kSteps; ++step) {
      // Each step draws from the seed and its own number. The state that a step finds (the number of files depends on
      // threads) does not affect later draws.
      random_ = Random(seed_ * 1000 + static_cast<std::uint64_t>(step));
      const Operation& operation = drawn_step(operations(), random_);
      doing = "step " + std::to_string(step) + " (" + operation.name + ")";
      tell(doing);
      try {
        operation.run(*this);
        ++tally_.rows[operation.name];
      } catch (const NotSupported&) {
        ++tally_.rows[std::string(operation.name) + ", not supported"];
      }
    }
    doing = "the end";
    read_moments();
    read_everything(reading());
    reopen();
    read_everything(reading());
  } catch (const std::exception& failure) {
    throw Failure(std::string(failure.what()) + "\n  in " + doing + "\n  of a walk with " + described(nature_) +
                  "\n  in a session with " + joined(session_.names));
  }
  close();
  ++tally_.walks;
  tally_.useful += useful_;
  tally_.walks_with_useful_filters += useful_ > 0;
}

void Walk::tell(const std::string& what) const {
  if (tally_.tell) std::cout << what << std::endl;  // flushed now, because the next step may end the program
}

std::string Walk::scratch(const std::string& name) { return folder_.file(name + std::to_string(scratches_++)); }

Reading Walk::reading_of(const Opened& opened) {
  rocksdb::ReadOptions options;
  options.fill_cache = random_.percent(80);
  options.verify_checksums = random_.percent(80);
  if (nature_.timestamps) {
    timestamp_ = encode_timestamp(clock_);
    timestamp_slice_ = timestamp_;
    options.timestamp = &timestamp_slice_;
  }
  return {opened, model_, options, random_};
}

rocksdb::Slice Walk::new_timestamp() {
  timestamp_ = encode_timestamp(++clock_);
  return timestamp_;
}

rocksdb::WriteBatch Walk::new_batch() const { return rocksdb::WriteBatch(0, 0, 0, nature_.timestamps ? 8 : 0); }

void Walk::put(rocksdb::WriteBatch& batch, std::size_t family, const std::string& key, const std::string& value) {
  if (nature_.timestamps) {
    check(batch.Put(handle(family), key, encode_timestamp(clock_), value), "Put");
  } else {
    check(batch.Put(handle(family), key, value), "Put");
  }
}

void Walk::erase(rocksdb::WriteBatch& batch, std::size_t family, const std::string& key) {
  if (nature_.timestamps) {
    check(batch.Delete(handle(family), key, encode_timestamp(clock_)), "Delete");
  } else {
    check(batch.Delete(handle(family), key), "Delete");
  }
}

std::string Walk::new_value() { return "value " + std::to_string(values_++) + std::string(random_.below(30), '.'); }

void Walk::remember_moment() {
  if (nature_.timestamps) {
    moments_.push_back({nullptr, encode_timestamp(clock_), model_});
  } else if (db().GetLatestSequenceNumber() == 0) {
    // Compactions of RocksDB 7.8, with or without filters, would drop keys that were ingested into the empty database.
    // Their sequence number is 0, like the snapshot's, and 0 means "none" there.
    throw NotSupported("a snapshot before the first write");
  } else {
    moments_.push_back({db().GetSnapshot(), {}, model_});
  }
}

void Walk::read_moments() {
  for (const Moment& moment : moments_) {
    Reading then{opened_, moment.model, {}, random_};
    const rocksdb::Slice timestamp = moment.timestamp;
    if (nature_.timestamps) then.options.timestamp = &timestamp;
    then.options.snapshot = moment.snapshot;
    for (int i = 0; i < 3; ++i) read_somehow(then);
  }
}

void Walk::forget_moments() {
  for (const Moment& moment : moments_) {
    if (moment.snapshot != nullptr) db().ReleaseSnapshot(moment.snapshot);
  }
  moments_.clear();
}

std::vector<rocksdb::ColumnFamilyDescriptor> Walk::descriptors() const {
  std::vector<rocksdb::ColumnFamilyDescriptor> all;
  for (std::size_t i = 0; i < session_.families.size(); ++i) all.emplace_back(family_name(i), session_.families[i]);
  return all;
}

rocksdb::Options Walk::options_of(std::size_t family) const { return {session_.database, session_.families[family]}; }

void Walk::open() {
  for (const std::string& name : session_.names) ++tally_.rows[name];
  tell("a session with " + joined(session_.names));
  opened_ = open_copy(*this, path_);
  has_dropped_family_ = false;
}

void Walk::close() {
  if (opened_.db == nullptr) return;
  forget_moments();
  opened_.close();
  for (const auto ticker : {rocksdb::BLOOM_FILTER_USEFUL, rocksdb::BLOOM_FILTER_PREFIX_USEFUL}) {
    useful_ += session_.database.statistics->getTickerCount(ticker);
  }
}

void Walk::reopen() {
  close();
  session_ = draw_session(nature_, policies_, random_);
  open();
}

void Walk::drop_family_and_make_it_anew(std::size_t family) {
  forget_moments();  // a snapshot does not keep a dropped family
  check(db().DropColumnFamily(handle(family)), "DropColumnFamily");
  check(db().DestroyColumnFamilyHandle(std::exchange(opened_.families[family], nullptr)), "the dropped family");
  check(db().CreateColumnFamily(session_.families[family], family_name(family), &opened_.families[family]),
        "CreateColumnFamily");
  model_[family].clear();
  has_dropped_family_ = true;
}

Opened open_copy(const Walk& walk, const std::string& path) {
  const Session& session = walk.session();
  Opened opened;
  rocksdb::Status status;
  if (session.transactions == Transactions::kPessimistic) {
    rocksdb::TransactionDB* made = nullptr;
    status = rocksdb::TransactionDB::Open(session.database, {}, path, walk.descriptors(), &opened.families, &made);
    opened.db.reset(made);
  } else if (session.transactions == Transactions::kOptimistic) {
    rocksdb::OptimisticTransactionDB* made = nullptr;
    status =
        rocksdb::OptimisticTransactionDB::Open(session.database, path, walk.descriptors(), &opened.families, &made);
    opened.db.reset(made);
  } else {
    status = open_into(&opened.db, [&](auto* out) {
      return rocksdb::DB::Open(session.database, path, walk.descriptors(), &opened.families, out);
    });
  }
  check(status, "DB::Open");
  return opened;
}

}  // namespace crivo::testing::model

// The state of a walk: the database, the model, and functions that the steps share.
#pragma once

#include <deque>

#include "model.h"

namespace crivo::testing::model {

class Walk {
 public:
  Walk(std::uint64_t seed, const Policies& policies, Tally& tally);
  ~Walk();
  Walk(const Walk&) = delete;
  void run();  // throws a Failure

  /// Prints a message if the walk is a repetition.
  void tell(const std::string& what) const;

  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] const Nature& nature() const { return nature_; }
  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string scratch(const std::string& name);  // the path of a new file
  [[nodiscard]] std::size_t draw_family() { return random_.below(model_.size()); }
  [[nodiscard]] rocksdb::DB& db() const { return *opened_.db; }
  [[nodiscard]] rocksdb::ColumnFamilyHandle* handle(std::size_t family) const { return opened_.families[family]; }
  [[nodiscard]] Contents& contents(std::size_t family) { return model_[family]; }
  [[nodiscard]] const Model& model() const { return model_; }

  /// Reads the walk's own database in its present state, or another one.
  [[nodiscard]] Reading reading() { return reading_of(opened_); }
  [[nodiscard]] Reading reading_of(const Opened& opened);

  /// The timestamp of the next write. Every writing step calls this.
  [[nodiscard]] rocksdb::Slice new_timestamp();
  [[nodiscard]] rocksdb::WriteBatch new_batch() const;
  void put(rocksdb::WriteBatch& batch, std::size_t family, const std::string& key, const std::string& value);
  void erase(rocksdb::WriteBatch& batch, std::size_t family, const std::string& key);
  [[nodiscard]] std::string new_value();

  /// Keeps the present state for later reads: a snapshot, or a timestamp.
  void remember_moment();
  void read_moments();

  void reopen();
  void drop_family_and_make_it_anew(std::size_t family);
  [[nodiscard]] bool has_dropped_family() const { return has_dropped_family_; }  // in this session
  [[nodiscard]] std::vector<rocksdb::ColumnFamilyDescriptor> descriptors() const;
  [[nodiscard]] rocksdb::Options options_of(std::size_t family) const;

 private:
  struct Moment {
    const rocksdb::Snapshot* snapshot;
    std::string timestamp;
    Model model;
  };

  void open();
  void close();
  void forget_moments();

  Tally& tally_;
  std::uint64_t seed_;
  Policies policies_;
  Random random_;
  Nature nature_;
  TempFolder folder_;
  std::string path_ = folder_.file("db");
  Session session_{};
  Opened opened_;
  Model model_;
  std::deque<Moment> moments_;
  bool has_dropped_family_ = false;
  std::uint64_t clock_ = 0;
  std::uint64_t values_ = 0;
  std::uint64_t scratches_ = 0;
  std::uint64_t useful_ = 0;
  std::string timestamp_;
  rocksdb::Slice timestamp_slice_;
};

/// A possible step of a walk.
struct Operation {
  const char* name;
  unsigned weight;
  void (*run)(Walk& walk);
};
[[nodiscard]] const std::vector<Operation>& operations();

// Operations that copy the walk's database, or open it in another way (model_copies.cpp).
void ingest_files(Walk& walk);
void ask_secondary_instance(Walk& walk);
void ask_read_only_instance(Walk& walk);
void ask_checkpoint(Walk& walk);
void ask_backup(Walk& walk);

/// Opens a copy of the walk's database with its present options.
[[nodiscard]] Opened open_copy(const Walk& walk, const std::string& path);

}  // namespace crivo::testing::model

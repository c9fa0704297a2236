// Builds a filter on many machines, with MPI.
//
// Each rank reads its share of the input, and hashes the keys. In rounds of MPI_Alltoallv with a bounded size, each
// hash is sent to the rank that builds its shard. Then each rank writes the files of its shards, and rank 0 writes the
// manifest. For blocked, classic and ribbon, the files are identical to those of `crivo build --shards`.
//
// With --merge, there is one filter in one file: each rank fills a Bloom filter of the same size, and MPI_Reduce with
// MPI_BOR computes their union.
#include <crivo/blob_file.h>
#include <crivo/builder.h>
#include <crivo/kinds.h>
#include <crivo/shard_writer.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using crivo::AnyFilter;
using crivo::FilterBuilder;
using crivo::FilterSpec;
using Hashes = std::vector<std::uint64_t>;

constexpr std::size_t kHashesInRound = std::size_t{1} << 20;  // the most hashes that a rank sends in a round: 8 MiB

struct Options {
  FilterSpec spec;
  std::uint32_t shards = 64;
  bool merge = false;
  std::uint64_t max_memory = UINT64_MAX;  // for the build of each shard
  std::string output;
  std::string input;
};

struct World {
  int rank = 0;
  int size = 1;
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
};

template <class T>
T unwrap(crivo::Result<T> result) {
  if (!result.has_value()) throw std::runtime_error(result.error().message);
  return *std::move(result);
}
void unwrap(const crivo::Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

/// The hashes of the lines that begin in this rank's share of the file's bytes.
class Share {
 public:
  Share(const std::string& path, const World& world, std::uint64_t seed) : file_(path, std::ios::binary), seed_(seed) {
    file_.seekg(0, std::ios::end);
    const auto bytes = static_cast<std::uint64_t>(file_.tellg());
    if (!file_) throw std::runtime_error("input must be readable, got " + path);
    const auto begin_of = [&](int rank) {
      return bytes / static_cast<unsigned>(world.size) * static_cast<unsigned>(rank);
    };
    at_ = begin_of(world.rank);
    end_ = world.rank + 1 == world.size ? bytes : begin_of(world.rank + 1);
    file_.seekg(static_cast<std::streamoff>(at_ == 0 ? 0 : at_ - 1));
    std::string line;
    if (at_ != 0 && std::getline(file_, line)) at_ += line.size();  // the end of a line of the previous rank
  }
  /// Appends the next hashes, up to `most` in all; none at the end.
  void read(std::size_t most, Hashes& hashes) {
    std::string line;
    while (hashes.size() < most && at_ < end_ && std::getline(file_, line)) {
      at_ += line.size() + 1;
      hashes.push_back(crivo::hash_key(line, seed_));
    }
    if (file_.bad()) throw std::runtime_error("input must be readable to its end");
  }

 private:
  std::ifstream file_;
  std::uint64_t seed_;
  std::uint64_t at_;
  std::uint64_t end_;
};

/// Sends each hash to the rank of its shard, and returns the hashes that this rank received. All ranks must call it.
Hashes exchange(const Hashes& hashes, std::uint32_t shards, const World& world) {
  const auto ranks = static_cast<std::size_t>(world.size);
  std::vector<int> sent(ranks), received(ranks), send_at(ranks), receive_at(ranks);
  const auto rank_of = [&](std::uint64_t hash) { return crivo::shard_of(hash, shards) % ranks; };
  for (const std::uint64_t hash : hashes) ++sent[rank_of(hash)];
  MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (std::size_t i = 1; i < ranks; ++i) {
    send_at[i] = send_at[i - 1] + sent[i - 1];
    receive_at[i] = receive_at[i - 1] + received[i - 1];
  }
  Hashes sorted(hashes.size());
  std::vector<int> next = send_at;
  for (const std::uint64_t hash : hashes) sorted[static_cast<std::size_t>(next[rank_of(hash)]++)] = hash;
  Hashes came(static_cast<std::size_t>(receive_at.back() + received.back()));
  MPI_Alltoallv(sorted.data(), sent.data(), send_at.data(), MPI_UINT64_T, came.data(), received.data(),
                receive_at.data(), MPI_UINT64_T, MPI_COMM_WORLD);
  return came;
}

void build_shards(const Options& options, const World& world) {
  // Rank 0 holds the lock until the manifest is written. The other ranks wait until rank 0 has the lock.
  std::optional<crivo::ShardsLock> lock;
  if (world.rank == 0) lock.emplace(unwrap(crivo::ShardsLock::acquire(options.output)));
  MPI_Barrier(MPI_COMM_WORLD);
  const auto is_mine = [&](std::uint32_t shard) { return static_cast<int>(shard) % world.size == world.rank; };
  std::vector<std::optional<FilterBuilder>> builders(options.shards);
  for (std::uint32_t shard = 0; shard < options.shards; ++shard) {
    if (is_mine(shard))
      builders[shard] = unwrap(FilterBuilder::create(options.spec, {.max_memory = options.max_memory}));
  }
  Share share(options.input, world, options.spec.seed);
  std::vector<Hashes> of_shard(options.shards);
  for (int more = 1; more != 0;) {
    Hashes read;
    share.read(kHashesInRound, read);
    for (const std::uint64_t hash : exchange(read, options.shards, world)) {
      of_shard[crivo::shard_of(hash, options.shards)].push_back(hash);
    }
    for (std::uint32_t shard = 0; shard < options.shards; ++shard) {
      if (of_shard[shard].empty()) continue;
      unwrap(builders[shard]->add_hashes(of_shard[shard]));
      of_shard[shard].clear();
    }
    const int mine = read.empty() ? 0 : 1;
    MPI_Allreduce(&mine, &more, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  std::vector<crivo::Shard> written(options.shards);
  for (std::uint32_t shard = 0; shard < options.shards; ++shard) {
    if (!is_mine(shard)) continue;
    const AnyFilter filter = unwrap(builders[shard]->finish());
    builders[shard].reset();
    written[shard] = unwrap(crivo::write_shard(filter.ref(), options.output, shard));
  }
  // Exactly one rank has the description of each shard. The others have zeros, so MPI_BOR collects all of them.
  static_assert(std::is_trivially_copyable_v<crivo::Shard>);
  std::vector<crivo::Shard> all(options.shards);
  MPI_Reduce(written.data(), all.data(), static_cast<int>(sizeof(crivo::Shard) * options.shards), MPI_BYTE, MPI_BOR, 0,
             MPI_COMM_WORLD);
  if (world.rank != 0) return;
  unwrap(crivo::write_manifest(options.output, {options.spec.seed, all}, *lock));
  std::printf("%s: %u shards, keys %llu, by %d ranks\n", options.output.c_str(), options.shards,
              static_cast<unsigned long long>(crivo::Manifest{options.spec.seed, all}.facts().keys), world.size);
}

void build_merged(const Options& options, const World& world) {
  AnyFilter filter = unwrap(AnyFilter::create(options.spec));
  if (!filter.ref().kind().can.unite || filter.ref().kind().can.remove) {
    throw std::runtime_error("kind must be one of bits (classic, blocked) where filters are merged");
  }
  Share share(options.input, world, options.spec.seed);
  for (Hashes hashes;; hashes.clear()) {
    share.read(kHashesInRound, hashes);
    if (hashes.empty()) break;
    unwrap(filter.add_hashes(hashes));
  }
  crivo::AlignedBytes payload(filter.payload().begin(), filter.payload().end());
  constexpr std::size_t kAtOnce = std::size_t{64} << 20;  // bytes
  for (std::size_t at = 0; at < payload.size(); at += kAtOnce) {
    const int words = static_cast<int>(std::min(kAtOnce, payload.size() - at) / 8);
    std::byte* const piece = payload.data() + at;
    MPI_Reduce(world.rank == 0 ? MPI_IN_PLACE : piece, piece, words, MPI_UINT64_T, MPI_BOR, 0, MPI_COMM_WORLD);
  }
  crivo::Facts facts = filter.facts();
  std::uint64_t keys = 0;
  MPI_Reduce(&facts.keys, &keys, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (world.rank != 0) return;
  facts.keys = keys;
  const AnyFilter all = unwrap(AnyFilter::adopt(filter.shape(), facts, std::move(payload)));
  const std::uint64_t bytes = unwrap(crivo::write_blob_file(all.ref(), options.output));
  std::printf("%s: keys %llu, %llu bytes, by %d ranks\n", options.output.c_str(), static_cast<unsigned long long>(keys),
              static_cast<unsigned long long>(bytes), world.size);
}

Options read_options(int argc, char** argv) {
  Options options;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return std::string(++i < argc ? argv[i] : ""); };
    if (word == "--kind") {
      unwrap(crivo::choose_kind(options.spec, value()));
    } else if (word == "--fp-rate") {
      options.spec.fp_rate = std::strtod(value().c_str(), nullptr);
    } else if (word == "--capacity") {
      options.spec.capacity = std::strtoull(value().c_str(), nullptr, 10);
    } else if (word == "--shards") {
      options.shards = static_cast<std::uint32_t>(std::strtoul(value().c_str(), nullptr, 10));
    } else if (word == "--max-memory") {
      options.max_memory = std::strtoull(value().c_str(), nullptr, 10);
    } else if (word == "--merge") {
      options.merge = true;
    } else {
      files.push_back(word);
    }
  }
  if (files.size() != 2) {
    throw std::runtime_error(
        "usage: mpirun crivo_mpi_build [--kind K] [--fp-rate R] ([--shards N] [--max-memory BYTES] | --merge "
        "--capacity "
        "N) OUTPUT INPUT");
  }
  const std::uint32_t shards = options.shards;
  if (shards == 0 || shards > crivo::kMaxShards || (shards & (shards - 1)) != 0) {
    throw std::runtime_error("shards must be a power of two, 1 to 65536");
  }
  options.output = files[0];
  options.input = files[1];
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    const World world;
    const Options options = read_options(argc, argv);
    options.merge ? build_merged(options, world) : build_shards(options, world);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "crivo_mpi_build: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);  // otherwise the other ranks would wait for this one
  }
  MPI_Finalize();
}

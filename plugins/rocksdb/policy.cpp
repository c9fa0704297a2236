#include "policy.h"

#include <rocksdb/convenience.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_type.h>
#include <rocksdb/version.h>

#include <limits>
#include <new>
#include <unordered_map>

#include "builder.h"
#include "reader.h"

namespace crivo {
namespace {

using rocksdb::ConfigOptions;
using rocksdb::OptionTypeInfo;
using rocksdb::Status;

Status refusal(const PolicyInfo& policy, const Error& error) {
  return Status::InvalidArgument(std::string(policy.name) + ": " + error.message);
}

std::string option_text(const AtomicSettings& options, const std::string& name) {
  const Settings settings = options.load();
  if (name == "kind") return std::string(kind_name(options.policy().kind));
  if (name == "bloom_before_level") return std::to_string(settings.bloom_before_level);
  if (name == "fp_rate") return settings.fp_rate != 0 ? number_text(settings.fp_rate) : "";
  return settings.fp_rate == 0 ? number_text(settings.bits_per_key) : "";
}

// How RocksDB reads an option, writes it into OPTIONS files and compares it; `address` is the policy's AtomicSettings.
Status parse_option(const ConfigOptions&, const std::string& name, const std::string& value, void* address) {
  auto& settings = *static_cast<AtomicSettings*>(address);
  SettingsParser parser(settings.policy(), settings.load());
  if (const auto set = parser.set(name, value); !set) return refusal(settings.policy(), set.error());
  settings.store(parser.settings());
  return Status::OK();
}

Status serialize_option(const ConfigOptions&, const std::string& name, const void* address, std::string* value) {
  *value = option_text(*static_cast<const AtomicSettings*>(address), name);
  return Status::OK();
}

bool options_equal(const ConfigOptions&, const std::string& name, const void* a, const void* b, std::string* mismatch) {
  const bool equal = option_text(*static_cast<const AtomicSettings*>(a), name) ==
                     option_text(*static_cast<const AtomicSettings*>(b), name);
  if (!equal) *mismatch = name;
  return equal;
}

using OptionMap = std::unordered_map<std::string, OptionTypeInfo>;

const OptionMap* option_map(const PolicyInfo& policy) {
  // Mutable: DB::SetOptions may change it. Never destroyed: policies may outlive our static objects.
  static const auto* const maps = [] {
    const OptionTypeInfo option(0, rocksdb::OptionType::kUnknown, rocksdb::OptionVerificationType::kNormal,
                                rocksdb::OptionTypeFlags::kMutable, parse_option, serialize_option, options_equal);
    auto* const made = new std::unordered_map<std::string_view, OptionMap>;
    for (const PolicyInfo& each : policies()) {
      for (const std::string_view name : each.options) (*made)[each.name].emplace(name, option);
    }
    return made;
  }();
  return &maps->at(policy.name);
}

/// As RocksDB's own Ribbon policy counts for bloom_before_level: a flush comes before level 0, and files whose level is
/// unknown, or of a style without levels, count as the last.
int level_of(const rocksdb::FilterBuildingContext& context) {
  constexpr int kLast = std::numeric_limits<int>::max() - 1;
  const bool has_levels = context.compaction_style == rocksdb::kCompactionStyleLevel ||
                          context.compaction_style == rocksdb::kCompactionStyleUniversal;
  if (!has_levels) return kLast;
  if (context.reason == rocksdb::TableFileCreationReason::kFlush) return -1;
  return context.level_at_creation < 0 ? kLast : context.level_at_creation;
}

}  // namespace

std::string library_mismatch() {
  const std::string built_for = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  const std::string running = rocksdb::GetRocksVersionAsString(/*with_patch=*/false);
  if (running == built_for) return {};
  return "crivo: librocksdb must be version " + built_for + ", which this library was built for, got " + running;
}

FilterPolicy::FilterPolicy(const PolicyInfo* policy)
    : settings_(policy != nullptr ? *policy : policies().front()),
      error_(library_mismatch()),
      builtin_(rocksdb::NewBloomFilterPolicy(10)) {
  RegisterOptions(Name(), &settings_, option_map(settings_.policy()));
}

FilterPolicy::FilterPolicy(const RocksDBFilterOptions& options) : FilterPolicy(find_policy(options.kind)) {
  if (options.kind != settings_.policy().kind) {
    keep(Error{ErrorCode::kBadArgument, "kind must be blocked or ribbon, got " + std::string(kind_name(options.kind))});
  }
  SettingsParser parser(settings_.policy());
  if (options.bits_per_key) keep(parser.set_bits_per_key(*options.bits_per_key));
  if (options.fp_rate) keep(parser.set_fp_rate(*options.fp_rate));
  if (options.bloom_before_level) keep(parser.set_bloom_before_level(*options.bloom_before_level));
  settings_.store(parser.settings());
}

FilterPolicy::FilterPolicy(std::string_view id) : FilterPolicy(find_policy(id.substr(0, id.find(':')))) {
  const std::size_t colon = id.find(':');
  const std::string_view name = id.substr(0, colon);
  if (name != settings_.policy().name) {
    if (error_.empty()) {
      error_ = std::string(id) + ": name must be crivo.Bloom or crivo.Ribbon, got " + std::string(name);
    }
  } else if (colon != std::string_view::npos) {
    SettingsParser parser(settings_.policy());
    keep(parser.set_positional(id.substr(colon + 1)));
    settings_.store(parser.settings());
  }
}

void FilterPolicy::keep(const Result<void>& result) {
  if (!result && error_.empty()) error_ = std::string(Name()) + ": " + result.error().message;
}

// RocksDB drops the status of a policy that an option string makes, so that one is kept; a policy that a running
// database changes (mutable options only) stays as it is, and the caller gets the error.
Status FilterPolicy::ConfigureOptions(const ConfigOptions& config,
                                      const std::unordered_map<std::string, std::string>& options,
                                      std::unordered_map<std::string, std::string>*) {
  SettingsParser parser(settings_.policy(), settings_.load());
  for (const auto& [long_name, value] : options) {
    const std::string name = GetOptionName(long_name);
    if (config.ignore_unknown_options && !settings_.policy().has_option(name)) continue;
    const auto set = parser.set(name, value);
    if (!set && config.mutable_options_only) return refusal(settings_.policy(), set.error());
    keep(set);
  }
  settings_.store(parser.settings());
  return Status::OK();
}

Status FilterPolicy::ValidateOptions(const rocksdb::DBOptions&, const rocksdb::ColumnFamilyOptions&) const {
  return error_.empty() ? Status::OK() : Status::InvalidArgument(error_);
}

rocksdb::FilterBitsBuilder* FilterPolicy::GetBuilderWithContext(const rocksdb::FilterBuildingContext& context) const {
  const Settings settings = settings_.load();
  if (!error_.empty() || !settings.writes_filters()) return nullptr;
  const bool bloom = settings_.policy().has_levels() && level_of(context) < settings.bloom_before_level;
  const BlockSizing sizing(settings.spec(bloom ? Kind::kBlocked : settings_.policy().kind));
  return abi::as_rocksdb(new (std::nothrow)
                             BlockBuilder(sizing, context.table_options.detect_filter_construct_corruption));
}

rocksdb::FilterBitsReader* FilterPolicy::GetFilterBitsReader(const rocksdb::Slice& contents) const {
  return new_block_reader(contents, *builtin_);
}

std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBFilterPolicy(const RocksDBFilterOptions& options) {
  return std::make_shared<FilterPolicy>(options);
}

}  // namespace crivo

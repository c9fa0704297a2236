#include "policy.h"

#include <rocksdb/convenience.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_type.h>
#include <rocksdb/version.h>

#include <new>
#include <unordered_map>

#include "builder.h"
#include "reader.h"

namespace crivo {
namespace {

using rocksdb::ConfigOptions;
using rocksdb::OptionTypeInfo;
using rocksdb::Status;

std::string message(std::string_view text) { return std::string(kPolicyName) + ": " + std::string(text); }

std::string option_text(const Settings& settings, const std::string& name) {
  if (name == "kind") return "blocked";
  if (name == "fp_rate") return settings.fp_rate != 0 ? number_text(settings.fp_rate) : "";
  return settings.fp_rate == 0 ? number_text(settings.bits_per_key) : "";
}

// How RocksDB reads an option, writes it into OPTIONS files and compares it; `address` is the policy's AtomicSettings.
Status parse_option(const ConfigOptions&, const std::string& name, const std::string& value, void* address) {
  auto& settings = *static_cast<AtomicSettings*>(address);
  SettingsParser parser(settings.load());
  if (const auto set = parser.set(name, value); !set) return Status::InvalidArgument(message(set.error().message));
  settings.store(parser.settings());
  return Status::OK();
}

Status serialize_option(const ConfigOptions&, const std::string& name, const void* address, std::string* value) {
  *value = option_text(static_cast<const AtomicSettings*>(address)->load(), name);
  return Status::OK();
}

bool options_equal(const ConfigOptions&, const std::string& name, const void* a, const void* b, std::string* mismatch) {
  const bool equal = option_text(static_cast<const AtomicSettings*>(a)->load(), name) ==
                     option_text(static_cast<const AtomicSettings*>(b)->load(), name);
  if (!equal) *mismatch = name;
  return equal;
}

const std::unordered_map<std::string, OptionTypeInfo>* option_map() {
  // Mutable: DB::SetOptions may change it. Never destroyed: policies may outlive our static objects.
  static const OptionTypeInfo option(0, rocksdb::OptionType::kUnknown, rocksdb::OptionVerificationType::kNormal,
                                     rocksdb::OptionTypeFlags::kMutable, parse_option, serialize_option, options_equal);
  static const auto* const map = new std::unordered_map<std::string, OptionTypeInfo>{
      {"bits_per_key", option}, {"fp_rate", option}, {"kind", option}};
  return map;
}

}  // namespace

std::string library_mismatch() {
  const std::string built_for = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  const std::string running = rocksdb::GetRocksVersionAsString(/*with_patch=*/false);
  if (running == built_for) return {};
  return message("librocksdb must be version " + built_for + ", which this library was built for, got " + running);
}

BloomPolicy::BloomPolicy() : error_(library_mismatch()), builtin_(rocksdb::NewBloomFilterPolicy(10)) {
  RegisterOptions(std::string(kPolicyName), &settings_, option_map());
}

BloomPolicy::BloomPolicy(const RocksDBFilterOptions& options) : BloomPolicy() {
  SettingsParser parser;
  if (const auto set = parser.set_kind(kind_name(options.kind)); !set) keep(message(set.error().message));
  if (options.bits_per_key) {
    if (const auto set = parser.set_bits_per_key(*options.bits_per_key); !set) keep(message(set.error().message));
  }
  if (options.fp_rate) {
    if (const auto set = parser.set_fp_rate(*options.fp_rate); !set) keep(message(set.error().message));
  }
  settings_.store(parser.settings());
}

BloomPolicy::BloomPolicy(std::string_view id) : BloomPolicy() {
  const std::string_view name = id.substr(0, id.find(':'));
  if (name != kPolicyName) {
    keep(std::string(id) + ": name must be crivo.Bloom, got " + std::string(name));
  } else if (name != id) {
    SettingsParser parser;
    if (const auto set = parser.set("bits_per_key", id.substr(name.size() + 1)); !set) {
      keep(message(set.error().message));
    }
    settings_.store(parser.settings());
  }
}

void BloomPolicy::keep(std::string_view message) {
  if (error_.empty()) error_ = message;
}

// RocksDB drops the status of a policy that an option string makes, so that one is kept; a policy that a running
// database changes (mutable options only) stays as it is, and the caller gets the error.
Status BloomPolicy::ConfigureOptions(const ConfigOptions& config,
                                     const std::unordered_map<std::string, std::string>& options,
                                     std::unordered_map<std::string, std::string>*) {
  SettingsParser parser(settings_.load());
  for (const auto& [long_name, value] : options) {
    const std::string name = GetOptionName(long_name);
    if (config.ignore_unknown_options && !SettingsParser::knows(name)) continue;
    const auto set = parser.set(name, value);
    if (set) continue;
    if (config.mutable_options_only) return Status::InvalidArgument(message(set.error().message));
    keep(message(set.error().message));
  }
  settings_.store(parser.settings());
  return Status::OK();
}

Status BloomPolicy::ValidateOptions(const rocksdb::DBOptions&, const rocksdb::ColumnFamilyOptions&) const {
  return error_.empty() ? Status::OK() : Status::InvalidArgument(error_);
}

rocksdb::FilterBitsBuilder* BloomPolicy::GetBuilderWithContext(const rocksdb::FilterBuildingContext& context) const {
  const Settings settings = settings_.load();
  if (!error_.empty() || !settings.writes_filters()) return nullptr;
  return abi::as_rocksdb(
      new (std::nothrow) BlockBuilder(settings.bits_per_key, context.table_options.detect_filter_construct_corruption));
}

rocksdb::FilterBitsReader* BloomPolicy::GetFilterBitsReader(const rocksdb::Slice& contents) const {
  return new_block_reader(contents, *builtin_);
}

std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBFilterPolicy(const RocksDBFilterOptions& options) {
  return std::make_shared<BloomPolicy>(options);
}

}  // namespace crivo

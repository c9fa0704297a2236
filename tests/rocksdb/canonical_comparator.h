// A comparator that considers different bytes equal.
#pragma once

#include <rocksdb/comparator.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace crivo::testing {

/// Compares the canonical forms of keys byte by byte. Does not shorten separators, like any such comparator.
class CanonicalComparator final : public rocksdb::Comparator {
 public:
  using Canonical = std::string (*)(const rocksdb::Slice&);
  CanonicalComparator(const char* name, Canonical canonical) : name_(name), canonical_(canonical) {}
  const char* Name() const override { return name_; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return canonical_(a).compare(canonical_(b));
  }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  const char* name_;
  Canonical canonical_;
};

inline std::string lower_case(const rocksdb::Slice& key) {
  std::string text = key.ToString();
  std::ranges::transform(text, text.begin(), [](unsigned char byte) { return static_cast<char>(std::tolower(byte)); });
  return text;
}

}  // namespace crivo::testing

// Writes the blobs of all cases (same_bytes.py) through the C++ library:  ask FOLDER
#include <crivo/blob.h>
#include <crivo/builder.h>
#include <crivo/key.h>
#include <crivo/kinds.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace {

template <class T>
T value_of(crivo::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

std::string contents(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string key_of(char type, const std::string& value) {
  const auto text = [](auto number) { return std::string(crivo::NumberKey(number).view()); };
  if (type == 'i' && value[0] == '-') return text(std::int64_t{std::stoll(value)});
  if (type == 'i') return text(std::uint64_t{std::stoull(value)});
  if (type != 'r') return value;
  double real = 0;
  std::memcpy(&real, value.data(), sizeof real);
  return text(real);
}

/// The values are those of a map, or 1 for a member of an exact filter and 0 for another key; other kinds have none.
void add_keys(crivo::FilterBuilder& builder, crivo::Kind kind, const std::string& records, const std::string& values) {
  for (std::size_t at = 0, i = 0; at < records.size(); ++i) {
    std::size_t size = 0;
    for (std::size_t byte = 4; byte > 0; --byte) size = size << 8 | static_cast<unsigned char>(records[at + byte]);
    const std::string key = key_of(records[at], records.substr(at + 5, size));
    const auto value = static_cast<unsigned char>(values[i]);
    const auto added = kind == crivo::Kind::kMap     ? builder.add(key, value)
                       : kind == crivo::Kind::kExact ? builder.add(key, value % 2)
                                                     : builder.add(key);
    if (!added) std::exit(1);
    at += 5 + size;
  }
}

}  // namespace

int main(int, char** arguments) {
  std::ifstream cases("cases");
  for (std::string line; std::getline(cases, line);) {
    std::string kind, keys, name;
    crivo::FilterSpec spec;
    std::istringstream(line) >> kind >> spec.fp_rate >> spec.seed >> spec.capacity >> keys >> name;
    if (!crivo::choose_kind(spec, kind)) return 1;
    auto builder = value_of(crivo::FilterBuilder::create(spec));
    add_keys(builder, spec.kind, contents(keys), contents(keys + ".values"));
    const auto filter = value_of(builder.finish());
    const auto blob = value_of(crivo::to_blob(filter.ref(), crivo::BlobForm::kRaw));
    std::ofstream file(std::filesystem::path(arguments[1]) / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(blob.data()), static_cast<std::streamsize>(blob.size()));
    if (!file.flush()) return 1;
  }
}

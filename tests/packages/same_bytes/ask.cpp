// Writes the blobs of all cases (same_bytes.py) through the C++ library:  ask FOLDER
#include <crivo/blob.h>
#include <crivo/builder.h>
#include <crivo/key.h>
#include <crivo/kinds.h>
#include <crivo/sketch.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

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

/// Calls take(key, value) for each record.
template <class Take>
void each_key(const std::string& keys_file, Take take) {
  const std::string records = contents(keys_file), values = contents(keys_file + ".values");
  for (std::size_t at = 0, i = 0; at < records.size(); ++i) {
    std::size_t size = 0;
    for (std::size_t byte = 4; byte > 0; --byte) size = size << 8 | static_cast<unsigned char>(records[at + byte]);
    if (!take(key_of(records[at], records.substr(at + 5, size)), static_cast<unsigned char>(values[i]))) std::exit(1);
    at += 5 + size;
  }
}

/// The values are those of a map, or 1 for a member and 0 for another key of an exact filter. Other kinds have none.
std::vector<std::byte> filter_blob(const crivo::FilterSpec& spec, const std::string& keys_file) {
  auto builder = value_of(crivo::FilterBuilder::create(spec));
  each_key(keys_file, [&](const std::string& key, unsigned char value) -> bool {
    if (spec.kind == crivo::Kind::kMap) return bool(builder.add(key, value));
    if (spec.kind == crivo::Kind::kExact) return bool(builder.add(key, value % 2));
    return bool(builder.add(key));
  });
  return value_of(crivo::to_blob(value_of(builder.finish()).ref(), crivo::BlobForm::kRaw));
}

std::vector<std::byte> sketch_blob(const crivo::SketchSpec& spec, const std::string& keys_file) {
  auto sketch = value_of(crivo::Sketch::create(spec));
  each_key(keys_file, [&](const std::string& key, unsigned char) { return bool(sketch.add(key)); });
  return sketch.to_blob();
}

}  // namespace

int main(int, char** arguments) {
  std::ifstream cases("cases");
  for (std::string line; std::getline(cases, line);) {
    std::string kind, keys, name;
    crivo::FilterSpec spec;
    std::istringstream(line) >> kind >> spec.fp_rate >> spec.seed >> spec.capacity >> keys >> name;
    const bool of_sketch = kind == "sketch";
    if (!of_sketch && !crivo::choose_kind(spec, kind)) return 1;
    const auto blob =
        of_sketch ? sketch_blob({.symbols = spec.capacity, .seed = spec.seed}, keys) : filter_blob(spec, keys);
    std::ofstream file(std::filesystem::path(arguments[1]) / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(blob.data()), static_cast<std::streamsize>(blob.size()));
    if (!file.flush()) return 1;
  }
}

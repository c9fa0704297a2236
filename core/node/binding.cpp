// The functions of core/js/exports.h for the JavaScript classes in Node. Their arguments and results are numbers;
// pointers are below 2^53. The classes are loaded once per thread and per module loader. Each of these instances has
// its own shared buffer, last error, filters and sketches (Node-API, https://nodejs.org/api/n-api.html).
#include <node_api.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "exports.h"

namespace crivo::js {
namespace {

constexpr std::size_t kBufferOffset = 16;  // not 0, which means failure

struct Instance {
  napi_env env;
  napi_ref buffer = nullptr;  // the ArrayBuffer of the shared buffer
  std::byte* bytes = nullptr;
  std::size_t size = 0;
  LastError error = {};
  // The objects that JavaScript owns, and their sizes as reported to V8.
  std::unordered_map<AnyFilter*, std::int64_t> filters = {};
  std::unordered_map<Sketch*, std::int64_t> sketches = {};

  void take(AnyFilter* filter) {
    if (filter != nullptr) note(filters, filter, filter->payload().size());
  }
  void take(Sketch* sketch) {
    if (sketch != nullptr) note(sketches, sketch, sketch->blob_bytes());
  }
  template <class T>
  void note(std::unordered_map<T*, std::int64_t>& all, T* made, std::uint64_t taken) {
    std::int64_t total = 0;
    all.emplace(made, static_cast<std::int64_t>(taken));
    napi_adjust_external_memory(env, static_cast<std::int64_t>(taken), &total);
  }
  template <class T>
  void forget(std::unordered_map<T*, std::int64_t>& all, T* made) {
    std::int64_t total = 0;
    if (auto taken = all.extract(made)) napi_adjust_external_memory(env, -taken.mapped(), &total);
  }
};

thread_local Instance* current = nullptr;  // the instance that JavaScript called last

/// JavaScript's `new TYPE(argument)`; null if that throws. Node-API's own functions would end the process instead.
napi_value construct(napi_env env, const char* type, napi_value argument) {
  napi_value global = nullptr;
  napi_value constructor = nullptr;
  napi_value made = nullptr;
  napi_get_global(env, &global);
  napi_get_named_property(env, global, type, &constructor);
  if (napi_new_instance(env, constructor, 1, &argument, &made) == napi_ok) return made;
  napi_value thrown = nullptr;
  napi_get_and_clear_last_exception(env, &thrown);
  return nullptr;
}

/// Null if there is no memory, or if the buffer is too long for a Uint8Array, through which filter.js reads it.
napi_value new_array_buffer(napi_env env, std::size_t size) {
  napi_value length = nullptr;
  napi_create_double(env, static_cast<double>(size), &length);
  napi_value made = construct(env, "ArrayBuffer", length);
  return made != nullptr && construct(env, "Uint8Array", made) != nullptr ? made : nullptr;
}

napi_value buffer(napi_env env, napi_callback_info info) {
  void* data = nullptr;
  napi_value result = nullptr;
  napi_get_cb_info(env, info, nullptr, nullptr, nullptr, &data);
  if (const auto* instance = static_cast<Instance*>(data); instance->buffer != nullptr) {
    napi_get_reference_value(env, instance->buffer, &result);
  }
  return result;
}

void close_filter(AnyFilter* filter) {
  current->forget(current->filters, filter);
  close(filter);
}
void close_sketch(Sketch* sketch) {
  current->forget(current->sketches, sketch);
  sketch_close(sketch);
}

template <class T>
T argument(napi_env env, napi_value value) {
  double number = 0;
  napi_get_value_double(env, value, &number);
  if constexpr (std::is_pointer_v<T>) {
    return std::bit_cast<T>(static_cast<std::uintptr_t>(number));
  } else {
    return static_cast<T>(number);
  }
}

template <class T>
double as_number(T result) {
  if constexpr (std::is_same_v<T, AnyFilter*> || std::is_same_v<T, Sketch*>) {
    current->take(result);
  }
  if constexpr (std::is_pointer_v<T>)
    return static_cast<double>(std::bit_cast<std::uintptr_t>(result));
  else
    return static_cast<double>(result);
}

template <class R, class... A, std::size_t... i>
napi_value call(napi_env env, R (*function)(A...), const napi_value* given, std::index_sequence<i...>) {
  napi_value result = nullptr;
  if constexpr (std::is_void_v<R>) {
    function(argument<A>(env, given[i])...);
  } else {
    napi_create_double(env, as_number(function(argument<A>(env, given[i])...)), &result);
  }
  return result;
}

template <class R, class... A>
constexpr std::size_t arguments_of(R (*)(A...)) {
  return sizeof...(A);
}

template <auto function>
napi_value called(napi_env env, napi_callback_info info) {
  constexpr std::size_t kArguments = arguments_of(function);
  std::array<napi_value, kArguments + 1> given;
  std::size_t count = kArguments;
  void* data = nullptr;
  napi_get_cb_info(env, info, &count, given.data(), nullptr, &data);
  current = static_cast<Instance*>(data);
  return call(env, function, given.data(), std::make_index_sequence<kArguments>());
}

constexpr struct {
  const char* name;
  napi_callback called;
} kFunctions[] = {
    {"buffer", buffer},
    {"grow_buffer", called<grow_buffer>},
    {"free_buffer", called<free_buffer>},
    {"code", called<code>},
    {"message", called<message>},
    {"open", called<open>},
    {"close", called<close_filter>},
    {"plan", called<plan>},
    {"free_plan", called<free_plan>},
    {"create", called<create>},
    {"builder", called<builder>},
    {"collect", called<collect>},
    {"collect_values", called<collect_values>},
    {"finish", called<finish>},
    {"free_builder", called<free_builder>},
    {"put_integer", called<put_integer>},
    {"has", called<has>},
    {"has_many", called<has_many>},
    {"has_range", called<has_range>},
    {"find", called<find>},
    {"find_many", called<find_many>},
    {"count", called<count>},
    {"add", called<add>},
    {"advance", called<advance>},
    {"remove_key", called<remove_key>},
    {"facts", called<facts>},
    {"write", called<write>},
    {"find_shard", called<find_shard>},
    {"sketch_symbols", called<sketch_symbols>},
    {"sketch_open", called<sketch_open>},
    {"sketch_create", called<sketch_create>},
    {"sketch_close", called<close_sketch>},
    {"sketch_change", called<sketch_change>},
    {"sketch_append", called<sketch_append>},
    {"sketch_combine", called<sketch_combine>},
    {"sketch_difference", called<sketch_difference>},
    {"sketch_facts", called<sketch_facts>},
    {"sketch_write", called<sketch_write>},
};

/// Frees the objects of an instance whose thread ends, because JavaScript does not close them.
void end(napi_env, void* data, void*) {
  auto* instance = static_cast<Instance*>(data);
  for (const auto& [filter, bytes] : instance->filters) close(filter);
  for (const auto& [sketch, bytes] : instance->sketches) sketch_close(sketch);
  delete instance;
}

}  // namespace

LastError& last_error() { return current->error; }

std::byte* buffer_bytes() { return current->bytes + kBufferOffset; }

std::size_t grow_buffer(std::size_t bytes) {
  Instance& to = *current;
  const std::size_t wanted = bytes + kBufferOffset;
  if (to.bytes != nullptr && wanted <= to.size) return kBufferOffset;
  napi_value grown = new_array_buffer(to.env, wanted);
  void* at = nullptr;
  napi_ref reference = nullptr;
  std::size_t size = 0;
  if (grown == nullptr || napi_get_arraybuffer_info(to.env, grown, &at, &size) != napi_ok || size != wanted ||
      napi_create_reference(to.env, grown, 1, &reference) != napi_ok) {
    to.error = {.code = 9, .message = {}};
    return 0;
  }
  if (to.bytes != nullptr) std::memcpy(at, to.bytes, to.size);
  free_buffer();
  to.buffer = reference;
  to.bytes = static_cast<std::byte*>(at);
  to.size = wanted;
  return kBufferOffset;
}

void free_buffer() {
  if (current->buffer != nullptr) napi_delete_reference(current->env, current->buffer);
  current->buffer = nullptr;
  current->bytes = nullptr;
  current->size = 0;
}

NAPI_MODULE_INIT() {
  auto* instance = new Instance{.env = env};
  napi_set_instance_data(env, instance, end, nullptr);
  for (const auto& [name, function] : kFunctions) {
    napi_value value = nullptr;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, function, instance, &value);
    napi_set_named_property(env, exports, name, value);
  }
  return exports;
}

}  // namespace crivo::js

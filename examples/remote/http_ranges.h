// Reads a filter's files from a web server, by requests with Range (RFC 9110, section 14), with libcurl.
#pragma once

#include <crivo/remote_filter.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

/// What the requests took. Any thread may read it.
struct HttpUse {
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> bytes = 0;  // of the bodies
};

/// A reader of what lies at this address. All ranges of a call are requested at the same time, over as few connections
/// as the server needs for that; a thread keeps its connections from call to call.
[[nodiscard]] std::unique_ptr<crivo::RangeReader> read_by_http(std::string url, std::shared_ptr<HttpUse> use);

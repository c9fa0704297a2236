#include "http_ranges.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <deque>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr long kWhole = 200;
constexpr long kPartial = 206;
constexpr long kNotSatisfiable = 416;  // the file ends before
constexpr long kMostConnections = 8;
constexpr long kLeastBytesPerSecond = 100;
constexpr long kSecondsOfSilence = 30;
constexpr long kMostRedirections = 5;

struct CleansUpMulti {
  void operator()(CURLM* requests) const { curl_multi_cleanup(requests); }
};
struct CleansUpEasy {
  void operator()(CURL* request) const { curl_easy_cleanup(request); }
};
using Multi = std::unique_ptr<CURLM, CleansUpMulti>;

crivo::Error failed(const std::string& url, const std::string& reason) {
  return {crivo::ErrorCode::kSystem, url + " must be readable by ranges, got " + reason};
}

/// One request.
class Request {
 public:
  Request(const std::string& url, crivo::RemoteRange& range) : url_(url), range_(range) {
    url_.insert(std::min(url_.find('?'), url_.size()), range.file);
    const std::string wanted = std::to_string(range.offset) + "-" + std::to_string(range.offset + range.bytes - 1);
    curl_easy_setopt(easy_.get(), CURLOPT_URL, url_.c_str());
    curl_easy_setopt(easy_.get(), CURLOPT_RANGE, wanted.c_str());
    curl_easy_setopt(easy_.get(), CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy_.get(), CURLOPT_MAXREDIRS, kMostRedirections);
    curl_easy_setopt(easy_.get(), CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy_.get(), CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy_.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy_.get(), CURLOPT_PIPEWAIT, 1L);  // HTTP/2 takes one connection for all
    curl_easy_setopt(easy_.get(), CURLOPT_LOW_SPEED_LIMIT, kLeastBytesPerSecond);
    curl_easy_setopt(easy_.get(), CURLOPT_LOW_SPEED_TIME, kSecondsOfSilence);
    curl_easy_setopt(easy_.get(), CURLOPT_WRITEDATA, this);
    curl_easy_setopt(easy_.get(), CURLOPT_WRITEFUNCTION, &Request::take_body);
    curl_easy_setopt(easy_.get(), CURLOPT_HEADERDATA, this);
    curl_easy_setopt(easy_.get(), CURLOPT_HEADERFUNCTION, &Request::take_header);
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  [[nodiscard]] CURL* easy() const { return easy_.get(); }
  [[nodiscard]] std::size_t bytes() const { return range_.found.size(); }

  crivo::Result<void> end(CURLcode code) {
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status == kNotSatisfiable) {
      range_.found.clear();
      return {};
    }
    if (status == kWhole) return failed(url_, "the whole file: its server may not know Range");
    if (status != 0 && status != kPartial) return failed(url_, "status " + std::to_string(status));
    if (too_much_) return failed(url_, "more than was asked for");
    if (code != CURLE_OK) return failed(url_, curl_easy_strerror(code));
    if (begin_ == UINT64_MAX) return failed(url_, "no Content-Range");
    if (begin_ != range_.offset) return failed(url_, "bytes from " + std::to_string(begin_) + " on, and not those");
    range_.version = etag_.empty() ? last_modified_ : etag_;
    return {};
  }

 private:
  static std::size_t take_body(const char* data, std::size_t, std::size_t bytes, void* to) {
    auto& request = *static_cast<Request*>(to);
    std::vector<std::byte>& found = request.range_.found;
    request.too_much_ = bytes > request.range_.bytes - found.size();
    if (request.too_much_) return 0;  // which ends the request
    const auto* begin = reinterpret_cast<const std::byte*>(data);
    try {
      found.insert(found.end(), begin, begin + bytes);
    } catch (const std::bad_alloc&) {  // which must not pass through libcurl
      return 0;
    }
    return bytes;
  }
  static std::size_t take_header(const char* data, std::size_t, std::size_t bytes, void* to) {
    auto& request = *static_cast<Request*>(to);
    const std::string_view line(data, bytes);
    if (line.starts_with("HTTP/")) {  // of a redirection, or of what it led to
      request.etag_.clear();
      request.last_modified_.clear();
      request.begin_ = UINT64_MAX;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return bytes;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::size_t first = line.find_first_not_of(" \t", colon + 1);
    const std::string_view value = first == std::string_view::npos ? "" : line.substr(first);
    if (name == "content-range" && value.starts_with("bytes ")) {
      std::from_chars(value.data() + 6, value.data() + value.size(), request.begin_);
    }
    if (name == "etag") request.etag_ = value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
    if (name == "last-modified") request.last_modified_ = value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
    return bytes;
  }

  std::string url_;
  crivo::RemoteRange& range_;
  std::unique_ptr<CURL, CleansUpEasy> easy_{curl_easy_init()};
  std::string etag_;
  std::string last_modified_;
  std::uint64_t begin_ = UINT64_MAX;  // what came, as Content-Range says
  bool too_much_ = false;
};

class HttpRanges final : public crivo::RangeReader {
 public:
  HttpRanges(std::string url, std::shared_ptr<HttpUse> use) : url_(std::move(url)), use_(std::move(use)) {}

  crivo::Result<void> read(std::span<crivo::RemoteRange> ranges) override {
    Multi multi = take_multi();
    std::deque<Request> requests;
    for (crivo::RemoteRange& range : ranges) {
      Request& request = requests.emplace_back(url_, range);
      curl_easy_setopt(request.easy(), CURLOPT_PRIVATE, &request);
      curl_multi_add_handle(multi.get(), request.easy());
    }
    crivo::Result<void> done = run(multi.get());
    for (Request& request : requests) {
      curl_multi_remove_handle(multi.get(), request.easy());
      ++use_->requests;
      use_->bytes += request.bytes();
    }
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(multi));
    return done;
  }

 private:
  /// Until all requests have ended. Returns the first error.
  static crivo::Result<void> run(CURLM* multi) {
    crivo::Result<void> done;
    for (int running = 1; running > 0;) {
      CURLMcode code = curl_multi_perform(multi, &running);
      if (code == CURLM_OK && running > 0) code = curl_multi_poll(multi, nullptr, 0, 1000, nullptr);
      if (code != CURLM_OK) return failed("the server", curl_multi_strerror(code));
      int left = 0;
      while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
        Request* request = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &request);
        if (auto ended = request->end(message->data.result); !ended && done) done = ended;
      }
    }
    return done;
  }

  /// One that no thread uses, with its connections.
  Multi take_multi() {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Multi multi = std::move(idle_.back());
      idle_.pop_back();
      return multi;
    }
    Multi multi(curl_multi_init());
    curl_multi_setopt(multi.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS, kMostConnections);
    return multi;
  }

  const std::string url_;
  const std::shared_ptr<HttpUse> use_;
  std::mutex mutex_;
  std::vector<Multi> idle_;
};

}  // namespace

std::unique_ptr<crivo::RangeReader> read_by_http(std::string url, std::shared_ptr<HttpUse> use) {
  return std::make_unique<HttpRanges>(std::move(url), std::move(use));
}

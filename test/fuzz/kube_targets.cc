#include "fuzz/kube_targets.h"

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/require.h"
#include "net/watch_frame.h"
#include "wire/api_status.h"
#include "wire/lease.h"
#include "wire/value.h"
#include "wire/watch_event.h"

namespace tamp::fuzz {
namespace {

// The lines of the bytes, which arrive in pieces of this size.
std::vector<std::string> lines(std::string_view bytes, std::size_t piece) {
  net::WatchFrame frame(4096);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    frame.feed(bytes.substr(at, piece));
    while (auto line = frame.next()) out.push_back(std::move(*line));
  }
  return out;
}

}  // namespace

void watch(std::string_view bytes) {
  const std::vector<std::string> whole = lines(bytes, std::max<std::size_t>(bytes.size(), 1));
  require(whole == lines(bytes, 7), "it does not matter how the bytes are cut");
  for (const std::string& line : whole) {
    require(line.find('\n') == std::string::npos && line.size() <= 4096, "a line is a line");
    const auto json = wire::Json::parse(line);
    if (!json) continue;
    const auto event = wire::read_event_info(json->root());
    require(event ? event->type == wire::EventInfo::Type::Error || !event->resource_version.empty()
                  : !event.error().message.empty(),
            "an event says where the watch stands, or why it is none");
    const auto page = wire::read_page_info(json->root());
    require(page ? !page->resource_version.empty() : !page.error().message.empty(),
            "a list says where it stands, or why it is none");
  }
}

void api_status(std::string_view bytes) {
  const wire::ApiStatus status = wire::read_api_status(std::string(bytes));
  require(status.code >= 0 && status.retry_after_seconds >= 0, "no number is negative");
  if (const auto json = wire::Json::parse(std::string(bytes));
      json && json->root().get("kind").string() == "Status")
    return;
  require(!status.failure && status.causes.empty(), "what is no Status has only a message");
  require(status.message.size() <= 200, "a foreign page is cut short");
  require(std::none_of(status.message.begin(), status.message.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }),
          "a foreign page carries no control characters");
}

void lease(std::string_view bytes) {
  const auto lease = wire::read_lease(std::string(bytes));
  if (!lease) return require(!lease.error().message.empty(), "an error has a message");
  const std::string written = wire::write_lease(*lease);
  const auto again = wire::read_lease(written);
  require(again.ok() && wire::write_lease(*again) == written, "a Lease reads back: " + written);
}

}  // namespace tamp::fuzz

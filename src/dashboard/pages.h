// The dashboard's pages and the description of its API, bundled into the program when it is built (scripts/embed-pages.py).
#pragma once

#include <span>
#include <string_view>

namespace tamp::dashboard {

struct Page {
  std::string_view path;  // "/app.js"
  std::string_view content_type;
  std::string_view bytes, gzip;  // the same, twice
  std::string_view etag;         // with its quotes
};

// In the order of paths.
std::span<const Page> pages();

}  // namespace tamp::dashboard

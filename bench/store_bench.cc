// What keeping a large cluster current costs: the time of a pod's event and of a view, and the memory of it all.
//
//   gen.py --types instance_types.json --nodes 10000 --fill 0.85 --mix diverse > cluster.json
//   tamp_store_bench cluster.json
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace {

using tamp::store::ClusterStore;
using tamp::wire::ObjectKind;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// "VmRSS" or "VmHWM" of this process, in MiB.
double memory(std::string_view what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what)) return std::stod(line.substr(line.find(':') + 1)) / 1024;
  return 0;
}

// The objects in the items of a List, as texts.
std::vector<std::string> items_of(std::string_view text) {
  std::vector<std::string> items;
  text.remove_prefix(text.find('[', text.find("\"items\"")) + 1);
  std::size_t depth = 0, begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == '{') {
      if (depth++ == 0) begin = i;
    } else if (!quoted && c == '}' && depth > 0 && --depth == 0) {
      items.emplace_back(text.substr(begin, i + 1 - begin));
    }
  }
  return items;
}

// The generator leaves out what every object on the wire has.
std::string with_version(std::string item) {
  const std::string_view metadata = "\"metadata\": {";
  const auto at = item.find(metadata);
  return at == std::string::npos ? item : item.insert(at + metadata.size(), "\"resourceVersion\": \"1\", ");
}

bool fill(ClusterStore& store, ObjectKind kind, const std::vector<std::string>& items) {
  constexpr std::size_t kPage = 500;
  store.begin_list(kind);
  for (std::size_t i = 0; i < items.size(); i += kPage) {
    const std::vector<std::string_view> page(
        items.begin() + static_cast<std::ptrdiff_t>(i),
        items.begin() + static_cast<std::ptrdiff_t>(std::min(i + kPage, items.size())));
    const auto added = store.add_page(
        kind, fmt::format(R"({{"metadata":{{"resourceVersion":"1"}},"items":[{}]}})", fmt::join(page, ",")));
    if (!added) {
      fmt::print(stderr, "{}\n", added.error().message);
      return false;
    }
  }
  store.end_list(kind);
  return true;
}

// Microseconds for each event.
double events(ClusterStore& store, const std::vector<std::string>& pods, std::string_view old_phase,
              std::string_view new_phase) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < pods.size(); i += std::max<std::size_t>(1, pods.size() / 20'000)) {
    std::string line = fmt::format(R"({{"type":"MODIFIED","object":{}}})", pods[i]);
    if (const auto at = line.find(old_phase); at != std::string::npos)
      line.replace(at, old_phase.size(), new_phase);
    line.reserve(line.size() + 64);
    lines.push_back(std::move(line));
  }
  const auto start = Clock::now();
  const std::size_t count = lines.size();
  for (std::string& line : lines)
    if (!store.apply_event(ObjectKind::Pod, std::move(line))) fmt::print(stderr, "an event was refused\n");
  return ms_since(start) * 1000 / static_cast<double>(count);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: tamp_store_bench cluster.json\n");
    return 2;
  }
  std::map<ObjectKind, std::vector<std::string>> items;
  {
    std::ifstream file(argv[1], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (std::string& item : items_of(text))
      for (const auto& kind : tamp::wire::kinds())
        if (item.find(fmt::format("\"kind\": \"{}\", \"metadata\"", kind.kind)) != std::string::npos) {
          items[kind.id].push_back(with_version(std::move(item)));
          break;
        }
  }
  const double before = memory("VmRSS");

  ClusterStore store;
  auto start = Clock::now();
  for (const auto& [kind, texts] : items)
    if (!fill(store, kind, texts)) return 1;
  fmt::print("{} nodes, {} pods\n", store.count(ObjectKind::Node), store.count(ObjectKind::Pod));
  fmt::print("lists          {:8.0f} ms\n", ms_since(start));
  fmt::print("store          {:8.0f} MiB\n", memory("VmRSS") - before);

  const auto& pods = items[ObjectKind::Pod];
  fmt::print("event, same    {:8.2f} us\n", events(store, pods, "", ""));
  fmt::print("event, changed {:8.2f} us\n", events(store, pods, "\"Running\"", "\"Pending\""));
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    start = Clock::now();
    const auto view = store.view();
    best = std::min(best, ms_since(start));
    if (i == 0) fmt::print("with a view    {:8.0f} MiB\n", memory("VmRSS") - before);
  }
  fmt::print("view           {:8.0f} ms\n", best);
  start = Clock::now();
  store.compact();
  fmt::print("compaction     {:8.0f} ms\n", ms_since(start));
  fmt::print("peak           {:8.0f} MiB, {:.0f} of them the input\n", memory("VmHWM"), before);
  return 0;
}

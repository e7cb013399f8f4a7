// How messages spell things. The types below format only when a message is really written: most gates pass, and nobody
// asks them why.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/cluster.h"
#include "core/time.h"

namespace tamp {

struct Span {
  Duration value;
};
struct Moment {
  Time value;
};
// "default/web-1"
struct PodName {
  const Cluster& cluster;
  const Pod& pod;
};
// "75%", "12.5%"
struct Percent {
  double ratio;
};

}  // namespace tamp

template <>
struct fmt::formatter<tamp::Span> : fmt::formatter<std::string_view> {
  auto format(const tamp::Span& span, fmt::format_context& ctx) const {
    // Fractions of a second are noise in a sentence.
    const auto whole = tamp::Duration::seconds(span.value.ns / 1'000'000'000);
    const bool tiny = whole.ns == 0 && span.value.ns != 0;
    return fmt::formatter<std::string_view>::format(tamp::format_duration(tiny ? span.value : whole), ctx);
  }
};

template <>
struct fmt::formatter<tamp::Moment> : fmt::formatter<std::string_view> {
  auto format(const tamp::Moment& moment, fmt::format_context& ctx) const {
    return fmt::formatter<std::string_view>::format(tamp::format_rfc3339(moment.value), ctx);
  }
};

template <>
struct fmt::formatter<tamp::PodName> : fmt::formatter<std::string_view> {
  auto format(const tamp::PodName& name, fmt::format_context& ctx) const {
    return fmt::format_to(ctx.out(), "{}/{}", name.cluster.text(name.pod.ns),
                          name.cluster.text(name.pod.name));
  }
};

template <>
struct fmt::formatter<tamp::Percent> : fmt::formatter<std::string_view> {
  auto format(const tamp::Percent& percent, fmt::format_context& ctx) const {
    std::string text = fmt::format("{:.1f}", percent.ratio * 100);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return fmt::format_to(ctx.out(), "{}%", text);
  }
};

#include "controller/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/json_writer.h"

namespace tamp::controller {
namespace {

std::string_view name(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "debug";
    case LogLevel::Info:
      return "info";
    case LogLevel::Warn:
      return "warn";
    case LogLevel::Error:
      break;
  }
  return "error";
}

// "2026-11-15T00:00:00.123Z"
std::string stamp(Time t) {
  std::string text = format_rfc3339(t);
  text.pop_back();
  return fmt::format("{}.{:03}Z", text, (t.ns - t.unix_seconds() * 1'000'000'000) / 1'000'000);
}

void write_value(JsonWriter& w, const LogField& field) {
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string_view>)
          w.string(value);
        else if constexpr (std::is_same_v<T, double>)
          w.number(value);
        else if constexpr (std::is_same_v<T, bool>)
          w.boolean(value);
        else
          w.integer(value);
      },
      field.value);
}

std::string json_line(Time at, LogLevel level, std::string_view message,
                      std::initializer_list<LogField> fields) {
  JsonWriter w;
  w.begin_object();
  w.field("time", stamp(at)).field("level", name(level)).field("msg", message);
  for (const LogField& field : fields) {
    w.key(field.key);
    write_value(w, field);
  }
  w.end_object();
  return w.take() + "\n";
}

// Bare where it is a plain word, else in quotes.
void append_text(std::string& out, std::string_view value) {
  const auto plain = [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '=' && c != '\\'; };
  if (!value.empty() && std::all_of(value.begin(), value.end(), plain))
    out += value;
  else
    append_json_string(out, value);
}

std::string text_line(Time at, LogLevel level, std::string_view message,
                      std::initializer_list<LogField> fields) {
  std::string out = fmt::format("{} {:<5} ", stamp(at), name(level));
  std::string quoted;
  append_json_string(quoted, message);
  out += std::string_view(quoted).substr(1, quoted.size() - 2);
  for (const LogField& field : fields) {
    out += ' ';
    out += field.key;
    out += '=';
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      append_text(out, *text);
    } else {
      JsonWriter w;
      write_value(w, field);
      out += w.text();
    }
  }
  return out + "\n";
}

}  // namespace

Result<LogLevel> parse_log_level(std::string_view text) {
  for (const LogLevel level : {LogLevel::Debug, LogLevel::Info, LogLevel::Warn, LogLevel::Error})
    if (text == name(level)) return level;
  return Error{fmt::format("\"{}\" is not a level: debug, info, warn or error", text)};
}

Result<LogFormat> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::Text;
  if (text == "json") return LogFormat::Json;
  return Error{fmt::format("\"{}\" is not a log format: text or json", text)};
}

void Log::record(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) const {
  if (level < least_) return;
  const Time at = clock_();
  write_(format_ == LogFormat::Json ? json_line(at, level, message, fields)
                                    : text_line(at, level, message, fields));
}

void Log::debug(std::string_view message, std::initializer_list<LogField> fields) const {
  record(LogLevel::Debug, message, fields);
}
void Log::info(std::string_view message, std::initializer_list<LogField> fields) const {
  record(LogLevel::Info, message, fields);
}
void Log::warn(std::string_view message, std::initializer_list<LogField> fields) const {
  record(LogLevel::Warn, message, fields);
}
void Log::error(std::string_view message, std::initializer_list<LogField> fields) const {
  record(LogLevel::Error, message, fields);
}

}  // namespace tamp::controller

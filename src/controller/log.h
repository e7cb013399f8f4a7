// Structured logs: one line per record, as JSON or as text for people. Values from the cluster are data: they are quoted,
// and control characters in them are escaped, so that no name can forge a line.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/result.h"
#include "core/time.h"

namespace tamp::controller {

enum class LogLevel : std::uint8_t { Debug, Info, Warn, Error };
enum class LogFormat : std::uint8_t { Text, Json };

Result<LogLevel> parse_log_level(std::string_view text);
Result<LogFormat> parse_log_format(std::string_view text);

struct LogField {
  std::string_view key;
  std::variant<std::string_view, double, std::int64_t, bool> value;

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(std::string_view(v)) {}
  LogField(std::string_view k, const char* v) : key(k), value(std::string_view(v)) {}
  LogField(std::string_view k, double v) : key(k), value(v) {}
  LogField(std::string_view k, std::int64_t v) : key(k), value(v) {}
  LogField(std::string_view k, std::size_t v) : key(k), value(static_cast<std::int64_t>(v)) {}
  LogField(std::string_view k, int v) : key(k), value(static_cast<std::int64_t>(v)) {}
  LogField(std::string_view k, bool v) : key(k), value(v) {}
};

class Log {
 public:
  // `write` gets whole lines with their newline; `clock` is asked once for each.
  Log(LogLevel least, LogFormat format, std::function<Time()> clock,
      std::function<void(std::string_view)> write)
      : least_(least), format_(format), clock_(std::move(clock)), write_(std::move(write)) {}

  void debug(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void warn(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void error(std::string_view message, std::initializer_list<LogField> fields = {}) const;

 private:
  void record(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) const;

  LogLevel least_;
  LogFormat format_;
  std::function<Time()> clock_;
  std::function<void(std::string_view)> write_;
};

}  // namespace tamp::controller

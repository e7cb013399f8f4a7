#include "wire/csv.h"

#include <fmt/format.h>

namespace tamp::wire {

Result<std::vector<CsvRow>> parse_csv(std::string_view text) {
  std::vector<CsvRow> rows;
  CsvRow row;
  std::string field;
  std::size_t line = 1;
  bool quoted = false, was_quoted = false;

  const auto end_field = [&] {
    row.fields.push_back(std::move(field));
    field.clear();
    was_quoted = false;
  };
  const auto end_row = [&] {
    const bool blank = row.fields.empty() && field.empty() && !was_quoted;
    if (!blank) {
      end_field();
      rows.push_back(std::move(row));
    }
    row = CsvRow();
  };

  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  row.line = line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (text.substr(i + 1).starts_with('"')) {
        field += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"' && field.empty() && !was_quoted) {
      quoted = was_quoted = true;
    } else if (c == '"') {
      return Error{fmt::format("line {}: a quote inside a field that does not begin with one", line)};
    } else if (c == ',') {
      end_field();
    } else if (c == '\n') {
      end_row();
      row.line = line;
    } else if (c != '\r') {
      field += c;
    }
  }
  if (quoted) return Error{fmt::format("line {}: a quote is not closed", row.line)};
  end_row();
  return rows;
}

}  // namespace tamp::wire

// What the real server prints of each built-in kind: the columns of its table and the cells of a row. Kinds that have no
// printer of their own get two columns, name and time of creation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "sim/api/object.h"

namespace tamp::world::api {

struct Column {
  std::string_view name = {};
  std::string_view type = "string";
  int priority = 0;  // 1: only in wide output
  std::string_view format = {};
};

struct Printer {
  std::vector<Column> columns;
  Tree::Array (*cells)(const Tree& object, Time now);
};

const Printer& printer_of(ResourceId resource);

// ---- parts of cells
// "45s", "2m30s", "3h", "5d": two or three figures, as in every Age column.
std::string human_duration(Duration span);
// Since an RFC 3339 text; "<unknown>" if there is none.
std::string age(const Tree& timestamp, Time now);
// "a=1,b=2"; "<none>" if there are none.
std::string format_labels(const Tree& labels);
// metav1.LabelSelector as kubectl's -l takes it; "<none>" if it is empty.
std::string format_selector(const Tree& selector);
// Whether the pod is initializing, running, crashing, …: READY, STATUS and RESTARTS, then the columns of wide output.
Tree::Array pod_cells(const Tree& pod, Time now);

}  // namespace tamp::world::api

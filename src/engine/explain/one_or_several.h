// A list that has one entry at most, as a rule: the first under its old key, null where there is none, and all of them under
// the plural where there are several. Who knows of one reads on as before. Writer is JsonWriter or YamlWriter.
#pragma once

#include <string_view>
#include <vector>

namespace tamp::explain {

template <typename Writer, typename T, typename WriteOne>
void write_one_or_several(Writer& w, std::string_view one, std::string_view several,
                          const std::vector<T>& list, WriteOne write) {
  w.key(one);
  if (list.empty())
    w.null();
  else
    write(list.front());
  if (list.size() < 2) return;
  w.key(several).begin_array();
  for (const T& each : list) write(each);
  w.end_array();
}

}  // namespace tamp::explain

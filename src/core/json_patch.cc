#include "core/json_patch.h"

#include "core/json_writer.h"

namespace tamp {

std::string pointer_token(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

std::string make_json_patch(const std::vector<PatchOperation>& operations) {
  JsonWriter w;
  w.begin_array();
  for (const PatchOperation& operation : operations) {
    w.begin_object().field("op", operation.op).field("path", operation.path);
    if (!operation.value.empty()) w.key("value").raw(operation.value);
    w.end_object();
  }
  return w.end_array().take();
}

}  // namespace tamp

#include "net/resource.h"

#include "core/ascii.h"

namespace tamp::net {

std::string collection_path(const ResourceType& type, std::string_view ns) {
  std::string path = type.group.empty() ? "/api/" : "/apis/" + std::string(type.group) + "/";
  path += type.version;
  if (type.namespaced && !ns.empty()) path += "/namespaces/" + escape(ns);
  path += "/";
  path += type.plural;
  return path;
}

std::string object_path(const ResourceType& type, std::string_view ns, std::string_view name,
                        std::string_view subresource) {
  std::string path = collection_path(type, ns) + "/" + escape(name);
  if (!subresource.empty()) {
    path += "/";
    path += subresource;
  }
  return path;
}

std::string query_text(const Query& query) {
  std::string text;
  for (const auto& [key, value] : query) {
    if (value.empty()) continue;
    text += text.empty() ? "?" : "&";
    text += key;
    text += "=";
    text += escape(value);
  }
  return text;
}

std::string escape(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace tamp::net

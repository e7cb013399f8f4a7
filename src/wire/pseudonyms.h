// Other names for the things of a cluster: the same name gets the same pseudonym wherever it stands, and pseudonyms sort as
// the names did. Order matters, because decisions between equals fall back on it.
//
// A pseudonym is a letter and digits. The letter is chosen for the order relative to names that stay as they are: with
// the namespaces cart, default and web, cart becomes c00001, and web becomes x00002.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tamp::wire {

class Pseudonyms {
 public:
  // ---- first, everything that there is
  void add_name(std::string_view name);
  void add_path(std::string_view path);
  // A string that is never replaced, also where it is the name of something.
  void add_word(std::string_view word);
  // Any other string that may be replaced: no pseudonym will be equal to one of these.
  void add_value(std::string_view value);
  // The claim of a pod's own volume is called <pod>-<volume>, and Kubernetes relies on that.
  void add_pod_claim(std::string_view pod, std::string_view volume);

  void settle();

  // ---- then, what stands for it. REQUIRES: settle() was called
  std::string_view of(std::string_view text) const;
  std::string of_path(std::string_view path) const;

 private:
  bool stays(const std::string& name) const;

  std::map<std::string, std::string, std::less<>> names_;  // in order, with their pseudonyms
  std::unordered_set<std::string> words_;
  std::vector<std::pair<std::string, std::string>> pod_claims_;  // pod, volume
  std::size_t digits_ = 5;
};

}  // namespace tamp::wire

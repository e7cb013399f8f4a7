// Builds an instance type of the machine catalogue with its offerings. Unless told otherwise it is linux/amd64,
// takes 110 pods, and is offered on-demand in test-zone-a … test-zone-d.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/pod_builder.h"

namespace tamp::test {

class TypeBuilder {
 public:
  TypeBuilder(Cluster& cluster, std::string_view name);

  TypeBuilder& cpu(std::int64_t milli) { return room(kCpu, milli); }
  TypeBuilder& memory_gi(std::int64_t gi) { return room(kMemory, gi * kGi); }
  TypeBuilder& max_pods(std::int64_t n) { return room(kPods, n); }
  TypeBuilder& resource(std::string_view name, std::int64_t amount);
  TypeBuilder& arch(std::string_view value);
  TypeBuilder& os(std::string_view value);
  TypeBuilder& price(double dollars);       // on-demand, in every zone
  TypeBuilder& spot_price(double dollars);  // spot, in every zone
  TypeBuilder& zones(Values names);
  // One offering more, or in place of the one that price() or spot_price() made there.
  TypeBuilder& offering(std::string_view zone, std::string_view capacity_type, double dollars,
                        bool available = true);
  // What a new node of this type keeps for itself; 100m and 10Mi unless told otherwise.
  TypeBuilder& overhead(std::int64_t cpu_milli, std::int64_t memory_mi);

  void build_into(Cluster& cluster) const;

 private:
  struct Offer {
    std::string zone, capacity_type;
    double dollars;
    bool available;
  };

  TypeBuilder& room(ResourceId id, std::int64_t amount);

  Cluster* cluster_;
  std::string name_, arch_ = "amd64", os_ = "linux";
  std::vector<std::string> zones_{"test-zone-a", "test-zone-b", "test-zone-c", "test-zone-d"};
  double price_ = -1, spot_price_ = -1;
  std::vector<Offer> offers_;
  ResourceList capacity_;
  std::int64_t overhead_cpu_ = 100, overhead_memory_mi_ = 10;
};

}  // namespace tamp::test

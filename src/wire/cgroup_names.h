// The names that kubelets and container runtimes give to cgroups.
//
//   driver     pod                                              container
//   systemd    kubepods-burstable-pod<uid, '-' as '_'>.slice    cri-containerd-<id>.scope, crio-<id>.scope, docker-<id>.scope
//   cgroupfs   pod<uid>                                         <id>, crio-<id>
//
// Pods of quality Guaranteed lack the "burstable" or "besteffort" part, and a kubelet with a cgroup root of its own puts that in front
// ("kubelet-kubepods-…"). A static pod's directory carries the hash of its manifest in place of the uid.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tamp::wire {

// The uid that the directory of a pod carries, in lower case and with '-'; nothing if it is not the name of one.
std::optional<std::string> pod_of_cgroup(std::string_view directory);

// A uid as pod_of_cgroup gives it, so that the two compare.
std::string cgroup_uid(std::string_view uid);

// The id (64 hexadecimal digits) of the container that the directory belongs to. Nothing for its monitor ("crio-conmon-…").
std::optional<std::string_view> container_of_cgroup(std::string_view directory);

}  // namespace tamp::wire

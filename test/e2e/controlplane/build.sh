#!/usr/bin/env bash
# build.sh DIRECTORY: builds the programs of the test control plane into DIRECTORY/bin and copies the manifests and data that
# come with them into DIRECTORY/share. Their versions are those of the go.mod files beside this one. Needs go in PATH.
set -euo pipefail
target=$(mkdir -p "$1/bin" "$1/share" && cd "$1" && pwd)
cd "$(dirname "$0")"
export GOTOOLCHAIN=local GOFLAGS='-mod=readonly -buildvcs=false' GOWORK=off

# version_of DIRECTORY MODULE, dir_of DIRECTORY MODULE
version_of() { (cd "$1" && go list -m -f '{{.Version}}' "$2"); }
dir_of() { (cd "$1" && go list -m -f '{{.Dir}}' "$2"); }

# build DIRECTORY PACKAGE NAME [LINKER FLAGS]. Without -trimpath and with the default CGO_ENABLED, so that Go's build cache
# serves these programs and the judges alike: they share most of what they compile.
build() {
  echo "  $3" >&2
  (cd "$1" && go build -p "${JOBS:-$(nproc)}" -ldflags "-s -w ${4:-}" -o "$target/bin/$3" "$2")
}

kubernetes=$(version_of kubernetes k8s.io/kubernetes)
major=${kubernetes#v} major=${major%%.*}
minor=${kubernetes#v*.} minor=${minor%%.*}
# Without these the programs call themselves v0.0.0, and clients refuse to believe it.
stamp="-X k8s.io/component-base/version.gitVersion=$kubernetes -X k8s.io/component-base/version.gitMajor=$major
  -X k8s.io/component-base/version.gitMinor=$minor -X k8s.io/component-base/version.gitTreeState=clean"
stamp=${stamp//$'\n'/ }

build etcd go.etcd.io/etcd/server/v3 etcd
for name in kube-apiserver kubectl kube-controller-manager kube-scheduler; do
  build kubernetes "k8s.io/kubernetes/cmd/$name" "$name" "$stamp"
done
build kwok sigs.k8s.io/kwok/cmd/kwok kwok
build karpenter sigs.k8s.io/karpenter/kwok karpenter

karpenter=$(dir_of karpenter sigs.k8s.io/karpenter)
install -d "$target/share/karpenter-crds"
install -m 644 "$karpenter"/pkg/apis/crds/*.yaml "$karpenter"/kwok/apis/crds/*.yaml "$target/share/karpenter-crds/"
install -m 644 "$karpenter/kwok/cloudprovider/instance_types.json" "$target/share/"
touch "$target/done"

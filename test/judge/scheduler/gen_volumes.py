"""Storage: classes, volumes, claims, attach limits, and who mounts what."""
import copy

from gen_base import Dice, meta

CSI = "csi.example.com"
EBS = "ebs.csi.aws.com"
EBS_IN_TREE = "kubernetes.io/aws-ebs"
HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"


class Storage:
    def __init__(self, d: Dice, nodes, all_kinds):
        self.d = d
        self.nodes = nodes
        self.node_names = [n["metadata"]["name"] for n in nodes]
        self.classes = make_classes(d)
        self.volumes = []
        self.claims = {}  # (namespace, name) -> claim
        self.others = []
        self.stuck = set()  # pods that must stay pending
        self.csi_nodes = [c for c in (self.make_csi_node(n) for n in self.node_names) if c]
        for i in range(d.between(0, 8)):
            self.add_local_volume(i)
        self.all_kinds = all_kinds
        if all_kinds:
            self.add_capacity()

    def objects(self):
        if self.all_kinds:
            self.add_attachments()
        return self.classes + self.volumes + list(self.claims.values()) + self.csi_nodes + self.others

    # -- who mounts what ---------------------------------------------------

    def give_volumes(self, pod, wanted):
        d = self.d
        volumes = []
        if d.chance(0.2):
            volumes.append({"name": "tmp", "emptyDir": {}})
        if wanted:
            for i in range(d.weighted({1: 70, 2: 25, 3: 5})):
                volumes.append(self.make_mount(pod, f"v{i}"))
        if volumes:
            pod["spec"]["volumes"] = volumes

    def make_mount(self, pod, name):
        d = self.d
        kind = d.weighted({"claim": 65, "ephemeral": 10, "csi": 5, "disk": 20})
        if kind == "csi":
            return {"name": name, "csi": {"driver": CSI}}  # inline CSI volumes do not count
        if kind == "disk":
            return {"name": name, **self.make_disk()}
        if kind == "ephemeral":
            return self.make_ephemeral(pod, name)
        namespace = pod["metadata"]["namespace"]
        known = sorted(n for ns, n in self.claims if ns == namespace)
        if known and d.chance(0.4):
            claim = d.pick(known)  # shared with another pod
        elif d.chance(0.04):
            claim = "missing"
        else:
            claim = f"data-{d.next()}"
            self.add_claim(claim, namespace)
        return {"name": name, "persistentVolumeClaim": {"claimName": claim}}

    def make_disk(self):
        """In-tree volumes straight in the pod: two pods may not share them,
        and those that moved to CSI count for its limits."""
        d = self.d
        read_only = d.chance(0.6)
        kind = d.pick(["gce", "aws", "iscsi", "rbd"])
        if kind == "gce":
            return {"gcePersistentDisk": {"pdName": "pd1", "readOnly": read_only}}
        if kind == "aws":
            return {"awsElasticBlockStore": {"volumeID": d.pick(["vol-1", "vol-2"]), "readOnly": read_only}}
        if kind == "iscsi":
            return {"iscsi": {"targetPortal": "10.0.0.9", "iqn": "iqn.1", "lun": 0, "readOnly": read_only}}
        return {"rbd": {"monitors": d.some(["m1", "m2", "m3"], 1, 2), "pool": d.pick(["p1", "p2"]), "image": "i1", "readOnly": read_only}}

    def make_ephemeral(self, pod, name):
        d = self.d
        volume = {"name": name, "ephemeral": {"volumeClaimTemplate": {"spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "late", "resources": {"requests": {"storage": "1Gi"}}}}}}
        claim_name = f"{pod['metadata']['name']}-{name}"
        namespace = pod["metadata"]["namespace"]
        if d.chance(0.1):
            return volume  # its controller has not made the claim yet
        claim = self.add_claim(claim_name, namespace)
        claim["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": pod["metadata"]["name"],
                                                 "uid": pod["metadata"]["uid"], "controller": True}]
        if d.chance(0.1):
            # Somebody else's claim has the name. Only a pending pod gets into
            # this: with a bound one the scheduler stops in an error.
            claim["metadata"]["ownerReferences"][0]["uid"] = "uid-other"
            self.stuck.add(pod["metadata"]["uid"])
        return volume

    # -- claims and volumes ------------------------------------------------

    def add_claim(self, name, namespace):
        d = self.d
        claim = {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta(name, namespace),
            "spec": {"accessModes": [d.weighted({"ReadWriteOnce": 7, "ReadWriteMany": 2, "ReadWriteOncePod": 3})],
                     "resources": {"requests": {"storage": f"{d.between(1, 4)}Gi"}}, "volumeMode": "Filesystem"},
            "status": {"phase": "Pending"},
        }
        self.claims[(namespace, name)] = claim
        state = d.weighted({"bound": 58, "late": 30, "immediate": 2, "odd": 10})
        if state == "bound":
            self.bind_claim(claim)
        elif state == "late":
            claim["spec"]["storageClassName"] = d.weighted({"late": 3, "late-zonal": 4, "local": 6, "late-ebs": 2})
            if d.chance(0.25):
                claim["spec"]["selector"] = {"matchLabels": {"media": "fast"}}
            if d.chance(0.1):
                claim["spec"]["volumeMode"] = "Block"
            if d.chance(0.1):
                claim["metadata"]["annotations"] = {SELECTED_NODE: d.pick(self.node_names)}
            elif d.chance(0.05):
                # The annotation that came before the field still wins over it.
                claim["metadata"]["annotations"] = {"volume.beta.kubernetes.io/storage-class": "local"}
            if d.chance(0.15):
                self.add_reserved_volume(claim)
        elif state == "immediate":
            claim["spec"]["storageClassName"] = "now"
        else:
            self.spoil_claim(claim)
        return claim

    def spoil_claim(self, claim):
        """Claims in a state that keeps their pods from running anywhere."""
        d = self.d
        kind = d.pick(["no-class", "unknown-class", "half-bound", "lost", "deleting", "volume-gone"])
        if kind == "unknown-class":
            claim["spec"]["storageClassName"] = "nowhere"
        elif kind == "half-bound":
            self.bind_claim(claim)
            claim["metadata"]["annotations"].pop(BIND_COMPLETED)
        elif kind == "lost":
            claim["spec"]["volumeName"] = "gone"
            claim["status"]["phase"] = "Lost"
            claim["metadata"]["annotations"] = {BIND_COMPLETED: "yes"}
        elif kind == "deleting":
            self.bind_claim(claim)
            claim["metadata"]["deletionTimestamp"] = "2026-01-01T01:00:00Z"
            claim["metadata"]["finalizers"] = ["kubernetes.io/pvc-protection"]
        elif kind == "volume-gone":
            self.bind_claim(claim)
            claim["spec"]["volumeName"] = "gone"

    def bind_claim(self, claim):
        d = self.d
        namespace, name = claim["metadata"]["namespace"], claim["metadata"]["name"]
        volume_name = f"pv-{d.next()}"
        claim["spec"]["volumeName"] = volume_name
        claim["spec"]["storageClassName"] = d.pick(["late", "now"])
        claim["status"] = {"phase": "Bound"}
        claim["metadata"]["annotations"] = {BIND_COMPLETED: "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
        volume = {
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta(volume_name),
            "spec": {"accessModes": claim["spec"]["accessModes"], "capacity": {"storage": "4Gi"}, "volumeMode": "Filesystem",
                     "storageClassName": claim["spec"]["storageClassName"],
                     "claimRef": {"kind": "PersistentVolumeClaim", "namespace": namespace, "name": name,
                                  "uid": claim["metadata"]["uid"]}},
            "status": {"phase": "Bound"},
        }
        spec, labels = volume["spec"], {}
        source = d.weighted({"csi": 6, "ebs": 4, "nfs": 1})
        if source == "csi":
            # Two volumes may show the same disk: it is attached once.
            spec["csi"] = {"driver": CSI, "volumeHandle": d.pick(["shared", f"h-{volume_name}", f"h-{volume_name}"])}
        elif source == "ebs":
            spec["awsElasticBlockStore"] = {"volumeID": d.pick(["vol-1", f"aws://{d.pick(['z1', 'z2'])}/vol-{d.next()}"])}
        else:
            spec["nfs"] = {"server": "10.0.0.8", "path": "/"}
        where = d.weighted({"anywhere": 4, "zone": 4, "host": 1, "labels": 3, "terms": 1})
        if where == "zone":
            spec["nodeAffinity"] = node_affinity([[ZONE, d.some(["z1", "z2", "z3"], 1, 2)]])
        elif where == "host":
            spec["nodeAffinity"] = node_affinity([[HOSTNAME, [d.pick(self.node_names)]]])
        elif where == "terms":
            spec["nodeAffinity"] = node_affinity([[ZONE, ["z1"]]], [["rack", ["r1"]], ["disk", ["ssd"]]])
        elif where == "labels":
            labels[d.pick([ZONE, ZONE, BETA_ZONE])] = d.pick(["z1", "z2", "z2__z3", "z1__z2"])
            if d.chance(0.2):
                labels["topology.kubernetes.io/region"] = d.pick(["east", "west"])
        if labels:
            volume["metadata"]["labels"] = labels
        self.volumes.append(volume)

    def add_reserved_volume(self, claim):
        """A volume that somebody has set aside for this claim, or for one of
        the same name that is gone."""
        d = self.d
        volume = self.add_local_volume(d.between(10, 20))
        volume["metadata"].update(meta(f"reserved-{d.next()}"))
        volume["spec"]["storageClassName"] = claim["spec"]["storageClassName"]
        reference = {"kind": "PersistentVolumeClaim", "namespace": claim["metadata"]["namespace"], "name": claim["metadata"]["name"]}
        if d.chance(0.6):
            reference["uid"] = claim["metadata"]["uid"] if d.chance(0.6) else "uid-gone"
        volume["spec"]["claimRef"] = reference
        if d.chance(0.1):
            volume["metadata"]["deletionTimestamp"] = "2026-01-01T01:00:00Z"

    def add_local_volume(self, i):
        """A volume that waits for a claim. Sizes differ, because among equals
        the scheduler takes any."""
        d = self.d
        name = f"local-{i}"
        volume = {
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": meta(name, labels={"media": d.pick(["fast", "slow"])}),
            "spec": {"accessModes": d.pick([["ReadWriteOnce"], ["ReadWriteOnce", "ReadWriteOncePod"], ["ReadWriteMany", "ReadWriteOnce"]]),
                     "capacity": {"storage": f"{2 * 1024 + 512 * i}Mi"}, "storageClassName": "local",
                     "volumeMode": d.weighted({"Filesystem": 4, "Block": 1}),
                     "local": {"path": f"/mnt/{i}"},
                     "nodeAffinity": node_affinity([[HOSTNAME, d.some(self.node_names, 1, 6)]])},
            "status": {"phase": d.weighted({"Available": 9, "Released": 1})},
        }
        if d.chance(0.1):
            volume["spec"]["claimRef"] = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "somebody-else"}
        if d.chance(0.05):
            volume["spec"]["volumeAttributesClassName"] = "gold"
        self.volumes.append(volume)
        return volume

    # -- nodes -------------------------------------------------------------

    def make_csi_node(self, node_name):
        d = self.d
        if d.chance(0.15):
            return None
        csi_node = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": meta(node_name), "spec": {"drivers": []}}
        for driver in (CSI, EBS):
            if d.chance(0.85):
                entry = {"name": driver, "nodeID": node_name, "topologyKeys": []}
                if d.chance(0.85):
                    entry["allocatable"] = {"count": d.pick([0, 1, 1, 2, 3, 25])} if d.chance(0.9) else {}
                csi_node["spec"]["drivers"].append(entry)
        if d.chance(0.7):
            csi_node["metadata"]["annotations"] = {"storage.alpha.kubernetes.io/migrated-plugins": d.pick([
                EBS_IN_TREE, f"kubernetes.io/gce-pd,{EBS_IN_TREE}", "kubernetes.io/gce-pd", ""])}
        return csi_node

    # -- kinds that `tamp` does not read -----------------------------------

    def add_attachments(self):
        """Volumes that are attached though no pod uses them any more."""
        d = self.d
        for volume in self.volumes:
            if "csi" in volume["spec"] and d.chance(0.2):
                self.others.append({
                    "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": meta(f"va-{d.next()}"),
                    "spec": {"attacher": CSI, "nodeName": d.pick(self.node_names),
                             "source": {"persistentVolumeName": volume["metadata"]["name"]}}})

    def add_capacity(self):
        d = self.d
        self.others.append({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": meta(CSI),
                            "spec": {"storageCapacity": d.chance(0.7)}})
        for zone in d.some(["z1", "z2", "z3"], 0, 3):
            self.others.append({
                "apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "metadata": meta(f"capacity-{zone}", "default"),
                "storageClassName": d.pick(["late", "late-zonal"]), "capacity": d.pick(["1Gi", "3Gi", "100Gi"]),
                "nodeTopology": {"matchLabels": {ZONE: zone}}})


def make_classes(d: Dice):
    def storage_class(name, provisioner, mode, topologies=None):
        result = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": meta(name),
                  "provisioner": provisioner, "reclaimPolicy": "Delete", "volumeBindingMode": mode}
        if topologies:
            result["allowedTopologies"] = topologies
        return result

    zonal = [{"matchLabelExpressions": [{"key": ZONE, "values": d.some(["z1", "z2", "z3"], 1, 2)}]}]
    if d.chance(0.3):
        zonal.append({"matchLabelExpressions": [{"key": "rack", "values": ["r1"]}, {"key": "disk", "values": ["ssd"]}]})
    if d.chance(0.1):
        zonal = [{}]  # a term without expressions allows nothing
    return [
        storage_class("late", CSI, "WaitForFirstConsumer"),
        storage_class("late-zonal", CSI, "WaitForFirstConsumer", zonal),
        storage_class("late-ebs", EBS_IN_TREE, "WaitForFirstConsumer"),
        storage_class("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer"),
        storage_class("now", CSI, "Immediate"),
    ]


def node_affinity(*terms):
    """Terms are ORed, the (key, values) in each are ANDed."""
    return {"required": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": key, "operator": "In", "values": copy.copy(values)} for key, values in term]}
        for term in terms]}}

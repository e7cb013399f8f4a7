package main

import (
	"encoding/json"
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	storagev1defaults "k8s.io/kubernetes/pkg/apis/storage/v1"
)

// Snapshot is what the scheduler would see of a cluster through its informers.
type Snapshot struct {
	Nodes []*v1.Node
	Pods  []*v1.Pod // without the terminal ones, which the scheduler never lists
	Other []runtime.Object
}

// A kind that some filter plugin reads. Everything else in a snapshot is
// somebody else's business and is ignored.
type kind struct {
	make     func() runtime.Object
	defaults func(runtime.Object)
}

func noDefaults(runtime.Object) {}

var kinds = map[string]kind{
	"v1/Node": {
		func() runtime.Object { return &v1.Node{} },
		func(o runtime.Object) { corev1defaults.SetObjectDefaults_Node(o.(*v1.Node)) }},
	"v1/Pod": {
		func() runtime.Object { return &v1.Pod{} },
		func(o runtime.Object) { corev1defaults.SetObjectDefaults_Pod(o.(*v1.Pod)) }},
	"v1/Namespace": {
		func() runtime.Object { return &v1.Namespace{} },
		func(o runtime.Object) { corev1defaults.SetObjectDefaults_Namespace(o.(*v1.Namespace)) }},
	"v1/PersistentVolume": {
		func() runtime.Object { return &v1.PersistentVolume{} },
		func(o runtime.Object) { corev1defaults.SetObjectDefaults_PersistentVolume(o.(*v1.PersistentVolume)) }},
	"v1/PersistentVolumeClaim": {
		func() runtime.Object { return &v1.PersistentVolumeClaim{} },
		func(o runtime.Object) {
			corev1defaults.SetObjectDefaults_PersistentVolumeClaim(o.(*v1.PersistentVolumeClaim))
		}},
	"v1/Service":                    {func() runtime.Object { return &v1.Service{} }, noDefaults},
	"v1/ReplicationController":      {func() runtime.Object { return &v1.ReplicationController{} }, noDefaults},
	"apps/v1/ReplicaSet":            {func() runtime.Object { return &appsv1.ReplicaSet{} }, noDefaults},
	"apps/v1/StatefulSet":           {func() runtime.Object { return &appsv1.StatefulSet{} }, noDefaults},
	"policy/v1/PodDisruptionBudget": {func() runtime.Object { return &policyv1.PodDisruptionBudget{} }, noDefaults},
	"storage.k8s.io/v1/StorageClass": {
		func() runtime.Object { return &storagev1.StorageClass{} },
		func(o runtime.Object) { storagev1defaults.SetObjectDefaults_StorageClass(o.(*storagev1.StorageClass)) }},
	"storage.k8s.io/v1/CSINode": {func() runtime.Object { return &storagev1.CSINode{} }, noDefaults},
	"storage.k8s.io/v1/CSIDriver": {
		func() runtime.Object { return &storagev1.CSIDriver{} },
		func(o runtime.Object) { storagev1defaults.SetObjectDefaults_CSIDriver(o.(*storagev1.CSIDriver)) }},
	"storage.k8s.io/v1/CSIStorageCapacity": {func() runtime.Object { return &storagev1.CSIStorageCapacity{} }, noDefaults},
	"storage.k8s.io/v1/VolumeAttachment":   {func() runtime.Object { return &storagev1.VolumeAttachment{} }, noDefaults},
}

// ReadSnapshot reads what `kubectl get ... -o json` prints.
func ReadSnapshot(file string) (*Snapshot, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	if list.Kind != "List" {
		return nil, fmt.Errorf("want a List, got kind %q", list.Kind)
	}
	snapshot := &Snapshot{}
	for i, item := range list.Items {
		if err := snapshot.add(item); err != nil {
			return nil, fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	return snapshot, nil
}

// stored is the object as the API server would hand it out.
func stored(kind kind, object runtime.Object) (runtime.Object, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	copied := kind.make()
	return copied, json.Unmarshal(text, copied)
}

func (s *Snapshot) add(item json.RawMessage) error {
	var meta struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := json.Unmarshal(item, &meta); err != nil {
		return err
	}
	kind, ok := kinds[meta.APIVersion+"/"+meta.Kind]
	if !ok {
		return nil
	}
	object := kind.make()
	if err := json.Unmarshal(item, object); err != nil {
		return err
	}
	// The API server sets defaults on every read, so the scheduler never sees
	// an object without them. For what kubectl printed this changes nothing;
	// a snapshot written by hand becomes what it would be in a cluster.
	kind.defaults(object)
	// It also stores objects as text, so that quantities are read in canonical
	// form. Those that are not ("0.5Gi" as parsed) are held by reference, and
	// the scheduler would add a pod's overhead to them again and again.
	object, err := stored(kind, object)
	if err != nil {
		return err
	}

	switch o := object.(type) {
	case *v1.Node:
		s.Nodes = append(s.Nodes, o)
	case *v1.Pod:
		if o.Status.Phase != v1.PodSucceeded && o.Status.Phase != v1.PodFailed {
			s.Pods = append(s.Pods, o)
		}
	default:
		s.Other = append(s.Other, object)
	}
	return nil
}

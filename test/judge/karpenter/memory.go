package main

import (
	"context"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Memory answers reads as an informer's cache does in production: from memory, by deep copy, pods
// indexed by node. Deciding only reads; a write would reach the nil Client and crash the program, which
// is what should happen to a judge that changes its evidence.
type Memory struct {
	client.Client
	kinds      map[reflect.Type]*kind
	podsByNode map[string][]*corev1.Pod
}

// kind holds the objects of one Go type, in the order in which they came.
type kind struct {
	order []client.Object
	byKey map[client.ObjectKey]client.Object
}

func NewMemory(objects []client.Object) *Memory {
	m := &Memory{kinds: map[reflect.Type]*kind{}, podsByNode: map[string][]*corev1.Pod{}}
	for _, o := range objects {
		m.Put(o)
	}
	return m
}

func (m *Memory) kind(o any) *kind {
	t := reflect.TypeOf(o)
	k := m.kinds[t]
	if k == nil {
		k = &kind{byKey: map[client.ObjectKey]client.Object{}}
		m.kinds[t] = k
	}
	return k
}

// Put adds an object that is not there yet.
func (m *Memory) Put(o client.Object) {
	k := m.kind(o)
	k.order = append(k.order, o)
	k.byKey[client.ObjectKeyFromObject(o)] = o
	if p, ok := o.(*corev1.Pod); ok {
		m.podsByNode[p.Spec.NodeName] = append(m.podsByNode[p.Spec.NodeName], p)
	}
}

// Remove takes an object out.
func (m *Memory) Remove(o client.Object) {
	k := m.kind(o)
	key := client.ObjectKeyFromObject(o)
	delete(k.byKey, key)
	for i, x := range k.order {
		if client.ObjectKeyFromObject(x) == key {
			k.order = append(k.order[:i:i], k.order[i+1:]...)
			break
		}
	}
}

// Rebind moves the stored pod to another node and returns it; nil if it is not there.
func (m *Memory) Rebind(key client.ObjectKey, node string) *corev1.Pod {
	o, ok := m.kind(&corev1.Pod{}).byKey[key]
	if !ok {
		return nil
	}
	p := o.(*corev1.Pod)
	old := m.podsByNode[p.Spec.NodeName]
	for i, x := range old {
		if x == p {
			m.podsByNode[p.Spec.NodeName] = append(old[:i:i], old[i+1:]...)
			break
		}
	}
	p.Spec.NodeName = node
	m.podsByNode[node] = append(m.podsByNode[node], p)
	return p
}

// Each calls f for every stored object of T's type.
func Each[T client.Object](m *Memory, f func(T)) {
	var zero T
	for _, o := range m.kind(zero).order {
		f(o.(T))
	}
}

func (m *Memory) Get(_ context.Context, key client.ObjectKey, out client.Object, _ ...client.GetOption) error {
	k := m.kind(out)
	o, ok := k.byKey[key]
	if !ok { // cluster-scoped objects are sometimes asked for under a pod's namespace; a real cache drops it
		o, ok = k.byKey[client.ObjectKey{Name: key.Name}]
	}
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", out)}, key.String())
	}
	reflect.ValueOf(out).Elem().Set(reflect.ValueOf(o.DeepCopyObject()).Elem())
	return nil
}

func (m *Memory) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	o := client.ListOptions{}
	o.ApplyOptions(opts)
	items, err := meta.GetItemsPtr(list)
	if err != nil {
		return err
	}
	slice := reflect.ValueOf(items).Elem()
	source, err := m.source(reflect.New(slice.Type().Elem()).Interface(), o.FieldSelector)
	if err != nil {
		return err
	}
	share := o.UnsafeDisableDeepCopy != nil && *o.UnsafeDisableDeepCopy
	result := reflect.MakeSlice(slice.Type(), 0, len(source))
	for _, object := range source {
		if o.Namespace != "" && object.GetNamespace() != o.Namespace {
			continue
		}
		if o.LabelSelector != nil && !o.LabelSelector.Matches(labels.Set(object.GetLabels())) {
			continue
		}
		var copied runtime.Object = object
		if !share {
			copied = object.DeepCopyObject()
		}
		result = reflect.Append(result, reflect.ValueOf(copied).Elem())
	}
	slice.Set(result)
	return nil
}

// source narrows pods by the one index that the engine uses; other field selectors are refused, so that
// a new one in a later version is noticed.
func (m *Memory) source(item any, selector fields.Selector) ([]client.Object, error) {
	if selector == nil || selector.Empty() {
		return m.kind(item).order, nil
	}
	if _, ok := item.(*corev1.Pod); ok {
		if node, ok := selector.RequiresExactMatch("spec.nodeName"); ok {
			pods := m.podsByNode[node]
			source := make([]client.Object, len(pods))
			for i, p := range pods {
				source[i] = p
			}
			return source, nil
		}
	}
	return nil, fmt.Errorf("no index for %T by %q", item, selector)
}

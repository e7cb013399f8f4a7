package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"

	"github.com/awslabs/operatorpkg/status"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// Snapshot is a cluster as read from a file, in the order of the file.
type Snapshot struct {
	Objects []client.Object
	// Ignored counts the kinds that this program cannot decode.
	Ignored map[string]int
}

// ReadSnapshot reads JSON: a List, a single object, or several documents one after the other.
func ReadSnapshot(path string) (*Snapshot, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Ignored: map[string]int{}}
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
		var document json.RawMessage
		if err := decoder.Decode(&document); err == io.EOF {
			return s, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if err := s.add(document); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
}

func (s *Snapshot) add(raw json.RawMessage) error {
	var head struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return err
	}
	if head.Items != nil {
		for _, item := range head.Items {
			if err := s.add(item); err != nil {
				return err
			}
		}
		return nil
	}
	object, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(head.APIVersion, head.Kind))
	if err != nil {
		s.Ignored[head.Kind]++
		return nil
	}
	if err := json.Unmarshal(raw, object); err != nil {
		return fmt.Errorf("%s: %w", head.Kind, err)
	}
	s.Objects = append(s.Objects, withDefaults(object.(client.Object)))
	return nil
}

// withDefaults supplies what an API server always fills in and the engine relies on.
func withDefaults(o client.Object) client.Object {
	if o.GetUID() == "" { // the engine's caches are keyed by UID
		o.SetUID(types.UID(fmt.Sprintf("%T/%s/%s", o, o.GetNamespace(), o.GetName())))
	}
	switch o := o.(type) {
	case *corev1.Pod:
		if o.Namespace == "" {
			o.Namespace = corev1.NamespaceDefault
		}
	case *appsv1.DaemonSet:
		if o.Namespace == "" {
			o.Namespace = corev1.NamespaceDefault
		}
	case *v1.NodePool:
		// The catalogue is the KWOK provider's whatever cloud the snapshot came from, and a pool
		// counts only if the provider knows its node class and has called it ready.
		if o.Spec.Template.Spec.NodeClassRef == nil {
			o.Spec.Template.Spec.NodeClassRef = &v1.NodeClassReference{Name: "default"}
		}
		ref := o.Spec.Template.Spec.NodeClassRef
		ref.Group, ref.Kind = "karpenter.kwok.sh", "KWOKNodeClass"
		// Asking for the conditions adds the ones that a snapshot may lack and with them withdraws Ready,
		// so it is set again from what the snapshot said.
		unready := slices.ContainsFunc(o.Status.Conditions, func(c status.Condition) bool {
			return c.Type == status.ConditionReady && c.Status != metav1.ConditionTrue
		})
		if unready {
			o.StatusConditions().SetFalse(status.ConditionReady, "NotReady", "")
		} else {
			o.StatusConditions().SetTrue(status.ConditionReady)
		}
	}
	return o
}

func (s *Snapshot) ignoredKinds() []string {
	kinds := make([]string, 0, len(s.Ignored))
	for kind, n := range s.Ignored {
		kinds = append(kinds, fmt.Sprintf("%s (%d)", kind, n))
	}
	sort.Strings(kinds)
	return kinds
}

package main

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// Preemption is what the real DefaultPreemption would do for a pod that runs
// nowhere: its victims on every node where evictions help, and the nodes that
// it may choose. Where nodes are equally good it takes any of them, so it is
// asked several times.
type Preemption struct {
	Victims map[string][]string `json:"victims"` // by node; the most important first
	Chosen  []string            `json:"chosen"`
}

// Enough to miss one of ten once in a thousand times.
const selections = 64

// nobody is promised a node: a snapshot carries no nominations to the judge.
type nobody struct{}

func (nobody) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (nobody) DeleteNominatedPodIfExists(*v1.Pod)                            {}
func (nobody) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo)          {}
func (nobody) NominatedPodsForNode(string) []fwk.PodInfo                     { return nil }

func (c *court) preempt(ctx context.Context, state fwk.CycleState, pod *v1.Pod, statuses *framework.NodeToStatus) *Preemption {
	result := &Preemption{Victims: map[string][]string{}, Chosen: []string{}}
	plugin := c.plugins[names.DefaultPreemption].(*defaultpreemption.DefaultPreemption)
	if ok, _ := plugin.PodEligibleToPreemptOthers(ctx, pod, statuses.Get(pod.Status.NominatedNodeName)); !ok {
		return result
	}
	nodes, err := statuses.NodesForStatusCode(c.lister.NodeInfos(), fwk.Unschedulable)
	if err != nil || len(nodes) == 0 {
		return result
	}
	budgets, err := c.budgets.List(labels.Everything())
	if err != nil {
		c.warn(pod, "", err.Error())
		return result
	}
	slices.SortFunc(budgets, func(a, b *policyv1.PodDisruptionBudget) int {
		return slices.Compare([]string{a.Namespace, a.Name}, []string{b.Namespace, b.Name})
	})
	// As many candidates as there are nodes: the search ends early for none.
	candidates, _, _ := plugin.Evaluator.DryRunPreemption(ctx, state, pod, nodes, budgets, 0, int32(len(nodes)))
	for _, candidate := range candidates {
		victims := []string{}
		for _, victim := range candidate.Victims().Pods {
			victims = append(victims, victim.Namespace+"/"+victim.Name)
		}
		result.Victims[candidate.Name()] = victims
	}
	for range selections {
		if best := plugin.Evaluator.SelectCandidate(ctx, candidates); best != nil && !slices.Contains(result.Chosen, best.Name()) {
			result.Chosen = append(result.Chosen, best.Name())
		}
	}
	slices.Sort(result.Chosen)
	return result
}

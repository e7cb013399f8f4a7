package main

import (
	"context"
	"fmt"
	"time"

	"github.com/samber/lo"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
)

// Fixpoint carries commands out in memory until none is left or the limit is reached: pods go where the
// simulation put them, and a replacement becomes a node of its cheapest type.
func (e *Engine) Fixpoint(ctx context.Context, ties Ties, limit int) (*Journey, error) {
	j := &Journey{}
	j.NodesBefore, j.CostBefore = e.inventory()
	start, startCPU := time.Now(), cpuSeconds()
	for j.Commands < limit {
		commands, err := e.pass(ctx, ties)
		if err != nil {
			return nil, err
		}
		if len(commands) == 0 {
			break
		}
		for _, c := range commands {
			j.Commands++
			e.carryOut(ctx, c, j)
		}
	}
	j.Seconds, j.CPUSeconds = time.Since(start).Seconds(), cpuSeconds()-startCPU
	j.NodesAfter, j.CostAfter = e.inventory()
	return j, nil
}

// pass is one round of the controller: the first method that finds something ends it.
func (e *Engine) pass(ctx context.Context, ties Ties) ([]disruption.Command, error) {
	for _, method := range passOrder {
		e.recorder.Reset()
		if _, commands, err := e.Run(ctx, method, ties); err != nil || len(commands) > 0 {
			return commands, err
		}
	}
	return nil, nil
}

func (e *Engine) inventory() (nodes int, cost float64) {
	Each(e.memory, func(n *corev1.Node) { nodes++; cost += e.price(n) })
	return nodes, cost
}

func (e *Engine) carryOut(ctx context.Context, c disruption.Command, j *Journey) {
	for _, replacement := range c.Replacements {
		j.NodesMade++
		name := fmt.Sprintf("new-%05d", j.NodesMade)
		e.launch(ctx, replacement, name)
		for _, p := range replacement.Pods {
			e.bind(ctx, p, name, j)
		}
	}
	for _, n := range c.Results.ExistingNodes {
		for _, p := range n.Pods {
			e.bind(ctx, p, n.Name(), j)
		}
	}
	for _, candidate := range c.Candidates {
		e.cluster.DeleteNode(candidate.Node.Name)
		e.cluster.DeleteNodeClaim(candidate.NodeClaim.Name)
		_ = e.cost.DeleteNodeClaim(ctx, client.ObjectKeyFromObject(candidate.NodeClaim))
		e.memory.Remove(candidate.Node)
		e.memory.Remove(candidate.NodeClaim)
	}
}

func (e *Engine) bind(ctx context.Context, p *corev1.Pod, node string, j *Journey) {
	key := client.ObjectKeyFromObject(p)
	e.cluster.DeletePod(key)
	if stored := e.memory.Rebind(key, node); stored != nil {
		_ = e.cluster.UpdatePod(ctx, stored)
		j.PodsMoved++
	}
}

// launch makes the node that the cheapest offering of the replacement's first type would become.
func (e *Engine) launch(ctx context.Context, r *disruption.Replacement, name string) {
	t := r.InstanceTypeOptions[0]
	offering := t.Offerings.Available().Compatible(r.Requirements).Cheapest()
	labels := lo.Assign(r.Labels)
	for key, requirement := range t.Requirements {
		if values := requirement.Values(); len(values) == 1 {
			labels[key] = values[0]
		}
	}
	labels = lo.Assign(labels, map[string]string{
		corev1.LabelHostname:       name,
		corev1.LabelTopologyZone:   offering.Zone(),
		v1.CapacityTypeLabelKey:    offering.CapacityType(),
		v1.NodeRegisteredLabelKey:  "true",
		v1.NodeInitializedLabelKey: "true",
	})
	now := metav1.NewTime(e.clock.Now())
	providerID := "kwok://" + name
	claim := &v1.NodeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("claim-" + name), Labels: labels, CreationTimestamp: now},
		Spec:       r.Spec,
		Status:     v1.NodeClaimStatus{NodeName: name, ProviderID: providerID, Capacity: t.Capacity, Allocatable: t.Allocatable()},
	}
	for _, condition := range []string{v1.ConditionTypeLaunched, v1.ConditionTypeRegistered, v1.ConditionTypeInitialized, v1.ConditionTypeConsolidatable} {
		claim.StatusConditions().SetTrue(condition)
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("node-" + name), Labels: labels, CreationTimestamp: now},
		Spec:       corev1.NodeSpec{ProviderID: providerID, Taints: r.Spec.Taints},
		Status: corev1.NodeStatus{Capacity: t.Capacity, Allocatable: allocatable(t),
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	e.memory.Put(claim)
	e.memory.Put(node)
	e.cluster.UpdateNodeClaim(claim)
	_ = e.cost.UpdateNodeClaim(ctx, claim)
	lo.Must0(e.cluster.UpdateNode(ctx, node))
}

func allocatable(t *cloudprovider.InstanceType) corev1.ResourceList {
	return t.Allocatable().DeepCopy()
}

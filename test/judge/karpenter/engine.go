package main

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strings"
	"time"

	"github.com/samber/lo"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/dynamicresources/deviceallocation"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/state/cost"
	"sigs.k8s.io/karpenter/pkg/state/virtualpods"
)

// passOrder is the order in which the controller tries its methods. Drift and repair stand between
// them in production; they are not about cost and are left out.
var passOrder = []string{"empty", "multi", "single"}

// Ties says how candidates of equal savings ratio are ordered.
type Ties string

const (
	TiesRandom Ties = "random" // as Go's maps deliver them: what the controller does
	TiesName   Ties = "name"   // by node name, pools by name: reproducible
)

// Engine is Karpenter's disruption engine standing on one snapshot.
type Engine struct {
	memory   *Memory
	types    []*cloudprovider.InstanceType
	clock    clock.WithTicker
	cluster  *state.Cluster
	provider *kwok.CloudProvider
	queue    *disruption.Queue
	cost     *cost.ClusterCost
	recorder *Recorder
	methods  map[string]func() disruption.Method
}

// Recorder keeps the events of one run.
type Recorder struct{ events []events.Event }

func (r *Recorder) Publish(published ...events.Event) { r.events = append(r.events, published...) }
func (r *Recorder) Reset()                            { r.events = nil }

// Messages gives what was said of each node, in order and without repetition.
func (r *Recorder) Messages() map[string][]Event {
	said := map[string][]Event{}
	for _, e := range r.events {
		if node, ok := e.InvolvedObject.(*corev1.Node); ok && node != nil {
			said[node.Name] = append(said[node.Name], Event{Reason: e.Reason, Message: strings.TrimSpace(e.Message)})
		}
		if pool, ok := e.InvolvedObject.(*v1.NodePool); ok && pool != nil {
			key := "nodepool/" + pool.Name
			said[key] = append(said[key], Event{Reason: e.Reason, Message: strings.TrimSpace(e.Message)})
		}
	}
	for key := range said {
		said[key] = lo.Uniq(said[key])
	}
	return said
}

// noWait stands in for the fifteen seconds and the second look before a command is carried out: a
// snapshot does not change meanwhile.
type noWait struct{}

func (noWait) Validate(_ context.Context, c disruption.Command, _ time.Duration) (disruption.Command, error) {
	return c, nil
}

// NewEngine feeds the snapshot to the engine's own state in the order that loses nothing: a NodeClaim
// that comes after its Node makes the state forget what the node's pods cost.
func NewEngine(ctx context.Context, snapshot *Snapshot, types []*cloudprovider.InstanceType, now time.Time, realClock bool) (*Engine, error) {
	m := NewMemory(snapshot.Objects)
	e := &Engine{memory: m, types: types, recorder: &Recorder{}, clock: clocktesting.NewFakeClock(now)}
	if realClock {
		e.clock = clock.RealClock{}
	}
	e.provider = kwok.NewCloudProvider(ctx, m, types)
	e.cluster = state.NewCluster(e.clock, m, e.provider)
	e.cost = cost.NewClusterCost(ctx, e.provider, m)

	Each(m, func(p *v1.NodePool) { e.cost.UpdateOfferings(ctx, p, types) })
	Each(m, func(c *v1.NodeClaim) {
		e.cluster.UpdateNodeClaim(c)
		_ = e.cost.UpdateNodeClaim(ctx, c) // a claim of a pool that is gone has no cost
	})
	var failed error
	Each(m, func(n *corev1.Node) {
		if err := e.cluster.UpdateNode(ctx, n); err != nil && failed == nil {
			failed = fmt.Errorf("node %s never enters the cluster's state: %w", n.Name, err)
		}
	})
	if failed != nil {
		return nil, failed
	}
	Each(m, func(p *corev1.Pod) { _ = e.cluster.UpdatePod(ctx, p) }) // fails for pods of unknown nodes only
	Each(m, func(d *appsv1.DaemonSet) { failed = lo.CoalesceOrEmpty(failed, e.cluster.UpdateDaemonSet(ctx, d)) })
	if failed != nil {
		return nil, failed
	}

	provisioner := provisioning.NewProvisioner(m, e.recorder, e.provider, e.cluster, e.clock, deviceallocation.NewController(m), virtualpods.NewVirtualPodCache(m))
	e.queue = disruption.NewQueue(m, e.recorder, e.cluster, e.clock, provisioner)
	base := disruption.MakeConsolidation(e.clock, e.cluster, m, provisioner, e.provider, e.recorder, e.queue)
	validator := disruption.WithValidator(noWait{})
	e.methods = map[string]func() disruption.Method{
		"empty":  func() disruption.Method { return disruption.NewEmptiness(base, validator) },
		"multi":  func() disruption.Method { return disruption.NewMultiNodeConsolidation(base, validator) },
		"single": func() disruption.Method { return disruption.NewSingleNodeConsolidation(base, validator) },
	}
	return e, nil
}

// Synced says whether the controller would act at all: a NodeClaim without provider id stops it.
func (e *Engine) Synced() bool {
	synced := true
	Each(e.memory, func(c *v1.NodeClaim) { synced = synced && c.Status.ProviderID != "" })
	return synced
}

// Attempt is one method's candidates and what it needs to decide on them.
type Attempt struct {
	candidates []*disruption.Candidate
	totals     map[string]disruption.NodePoolTotals
	budgets    map[string]int
}

func (e *Engine) prepare(ctx context.Context, method string) (*Attempt, error) {
	m := e.methods[method]()
	candidates, totals, err := disruption.GetCandidatesWithTotals(ctx, e.cluster, e.memory, e.recorder, e.clock, e.provider, m.ShouldDisrupt, m.Class(), e.queue, e.cost)
	if err != nil {
		return nil, err
	}
	a := &Attempt{candidates: candidates, totals: totals}
	if len(candidates) == 0 {
		return a, nil
	}
	a.budgets, err = disruption.BuildDisruptionBudgetMapping(ctx, e.cluster, e.clock, e.memory, e.provider, e.recorder, m.Reason())
	return a, err
}

// decide hands candidates to a fresh method; budgets are copied, for some methods spend them.
func (e *Engine) decide(ctx context.Context, method string, a *Attempt, candidates ...*disruption.Candidate) ([]disruption.Command, error) {
	m := e.methods[method]()
	if setter, ok := m.(disruption.NodePoolTotalsSetter); ok {
		setter.SetNodePoolTotals(a.totals)
	}
	e.cluster.MarkUnconsolidated()
	commands, err := m.ComputeCommands(ctx, lo.Assign(a.budgets), candidates...)
	return lo.Filter(commands, func(c disruption.Command, _ int) bool { return c.Decision() != disruption.NoOpDecision }), err
}

// Run tries one method as the controller does.
func (e *Engine) Run(ctx context.Context, method string, ties Ties) (*Attempt, []disruption.Command, error) {
	a, err := e.prepare(ctx, method)
	if err != nil || len(a.candidates) == 0 {
		return a, nil, err
	}
	if ties == TiesRandom {
		commands, err := e.decide(ctx, method, a, a.candidates...)
		return a, commands, err
	}
	sortByName(a.candidates)
	if method != "single" {
		// The method sorts again, but pdqsort leaves a slice alone that is in order already.
		commands, err := e.decide(ctx, method, a, a.candidates...)
		return a, commands, err
	}
	// Single-node consolidation takes the pools in map order. It looks at one candidate at a time and
	// carries nothing over, so asking about each alone in a fixed order gives the same answer reproducibly.
	for _, candidate := range interleave(a.candidates) {
		commands, err := e.decide(ctx, method, a, candidate)
		if err != nil || len(commands) > 0 {
			return a, commands, err
		}
	}
	return a, nil, nil
}

// Every asks single-node consolidation about each candidate on its own.
func (e *Engine) Every(ctx context.Context, limit int, placements bool) (*Attempt, []Verdict, []disruption.Command, error) {
	a, err := e.prepare(ctx, "single")
	if err != nil {
		return a, nil, nil, err
	}
	sortByName(a.candidates)
	if limit > 0 && limit < len(a.candidates) {
		a.candidates = a.candidates[:limit]
	}
	general := e.recorder.Messages()
	isCandidate := map[string]bool{}
	var verdicts []Verdict
	var commands []disruption.Command
	for _, candidate := range a.candidates {
		isCandidate[candidate.Name()] = true
		e.recorder.Reset()
		found, err := e.decide(ctx, "single", a, candidate)
		verdict := Verdict{Node: candidate.Name(), Candidate: true}
		switch {
		case err != nil:
			verdict.Message = err.Error()
		case len(found) > 0:
			commands = append(commands, found...)
			verdict.Command = e.describe(found[0], placements)
		default:
			verdict.Event = e.whyNot(candidate, a)
		}
		verdicts = append(verdicts, verdict)
	}
	Each(e.memory, func(n *corev1.Node) {
		if !isCandidate[n.Name] && limit == 0 {
			verdicts = append(verdicts, Verdict{Node: n.Name, Event: lo.LastOrEmpty(general[n.Name])})
		}
	})
	sort.Slice(verdicts, func(i, j int) bool { return verdicts[i].Node < verdicts[j].Node })
	return a, verdicts, commands, nil
}

// whyNot gives the engine's event for the node, or names the two refusals that publish none.
func (e *Engine) whyNot(candidate *disruption.Candidate, a *Attempt) Event {
	said := lo.LastOrEmpty(e.recorder.Messages()[candidate.Name()])
	if said.Message != "" && said.Reason != events.ConsolidationCandidate { // found a move, then dropped it
		return said
	}
	if a.budgets[candidate.NodePool.Name] == 0 {
		return Event{Reason: "(silent) Budget", Message: fmt.Sprintf("no disruption left for pool %s", candidate.NodePool.Name)}
	}
	if candidate.NodePool.Spec.Disruption.ConsolidationPolicy.IsBalanced() {
		return Event{Reason: "(silent) Balanced", Message: "score below the threshold"}
	}
	return Event{Reason: "(silent)", Message: ""}
}

func sortByName(candidates []*disruption.Candidate) {
	sort.SliceStable(candidates, func(i, j int) bool {
		a, b := candidates[i], candidates[j]
		if a.SavingsRatio() != b.SavingsRatio() {
			return a.SavingsRatio() > b.SavingsRatio()
		}
		return a.Name() < b.Name()
	})
}

// interleave takes one candidate of each pool in turn, pools by name.
func interleave(candidates []*disruption.Candidate) []*disruption.Candidate {
	byPool := lo.GroupBy(candidates, func(c *disruption.Candidate) string { return c.NodePool.Name })
	pools := lo.Keys(byPool)
	sort.Strings(pools)
	var result []*disruption.Candidate
	for i := 0; len(result) < len(candidates); i++ {
		for _, pool := range pools {
			if i < len(byPool[pool]) {
				result = append(result, byPool[pool][i])
			}
		}
	}
	return result
}

// describe puts a command into words that another engine can be compared with.
func (e *Engine) describe(command disruption.Command, placements bool) *Command {
	c := &Command{Decision: string(command.Decision()), Savings: command.EstimatedSavings()}
	for _, candidate := range command.Candidates {
		c.Nodes = append(c.Nodes, candidate.Name())
		c.DisruptionCost += candidate.DisruptionCost
		c.RescheduleCost += candidate.RescheduleDisruptionCost
	}
	sort.Strings(c.Nodes)
	for _, replacement := range command.Replacements {
		c.NodePool = replacement.NodePoolName
		for _, t := range replacement.InstanceTypeOptions {
			c.InstanceTypes = append(c.InstanceTypes, t.Name)
			// What may be launched: the requirement alone may be open ("exists") where a pool says nothing.
			for _, o := range t.Offerings.Available().Compatible(replacement.Requirements) {
				c.CapacityTypes = append(c.CapacityTypes, o.CapacityType())
				c.Zones = append(c.Zones, o.Zone())
			}
		}
	}
	c.CapacityTypes, c.Zones = sortedUnique(c.CapacityTypes), sortedUnique(c.Zones)
	if placements {
		c.Pods = placementsOf(command)
	}
	return c
}

func placementsOf(command disruption.Command) []Placement {
	var placed []Placement
	for _, n := range command.Results.ExistingNodes {
		for _, p := range n.Pods {
			placed = append(placed, Placement{Pod: client.ObjectKeyFromObject(p).String(), From: p.Spec.NodeName, To: n.Name()})
		}
	}
	for _, n := range command.Results.NewNodeClaims {
		for _, p := range n.Pods {
			placed = append(placed, Placement{Pod: client.ObjectKeyFromObject(p).String(), From: p.Spec.NodeName, To: "replacement"})
		}
	}
	sort.Slice(placed, func(i, j int) bool { return placed[i].Pod < placed[j].Pod })
	return placed
}

func sortedUnique(values []string) []string {
	values = lo.Uniq(values)
	sort.Strings(values)
	return values
}

// price is what the engine says that a node costs; 0 if it does not know.
func (e *Engine) price(n *corev1.Node) float64 {
	for _, t := range e.types {
		if t.Name == n.Labels[corev1.LabelInstanceTypeStable] {
			if p, ok := t.OfferingPrice(n.Labels[corev1.LabelTopologyZone], n.Labels[v1.CapacityTypeLabelKey]); ok && !math.IsNaN(p) {
				return p
			}
		}
	}
	return 0
}

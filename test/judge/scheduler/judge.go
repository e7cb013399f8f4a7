package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	policylisters "k8s.io/client-go/listers/policy/v1"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// Verdicts is the judge's answer; its JSON is that of `tamp fits --all -o json`.
type Verdicts struct {
	Pods []PodVerdict `json:"pods"`
}

type PodVerdict struct {
	Namespace string        `json:"namespace"`
	Name      string        `json:"name"`
	Nodes     []NodeVerdict `json:"nodes"`
	// Only with -preempt, for a pending pod that fits nowhere.
	Preemption *Preemption `json:"preemption,omitempty"`
}

// NodeVerdict's reason is the name of the plugin that rejected, "" if it fits.
type NodeVerdict struct {
	Name   string `json:"name"`
	Fits   bool   `json:"fits"`
	Reason string `json:"reason"`
}

// Judge holds the scheduler's configuration. It keeps no state of a cluster.
type Judge struct {
	profile config.KubeSchedulerProfile
	preempt bool
}

// Plugins of the default profile that do not filter, or that need what a
// snapshot does not carry. The framework insists on a queue sort and a bind
// plugin, so those two stay.
var notFilters = []string{
	names.NodeResourcesBalancedAllocation,
	names.ImageLocality,
	names.DynamicResources, // needs ResourceSlices and DeviceClasses
}

// NewJudge takes the profile from the default KubeSchedulerConfiguration, so
// that plugins, their order and their arguments are those of a scheduler that
// was started without a configuration file.
func NewJudge(preempt bool) (*Judge, error) {
	metrics.Register()
	var versioned configv1.KubeSchedulerConfiguration
	scheme.Scheme.Default(&versioned)
	var cfg config.KubeSchedulerConfiguration
	if err := scheme.Scheme.Convert(&versioned, &cfg, nil); err != nil {
		return nil, err
	}
	profile := cfg.Profiles[0]
	profile.Plugins.MultiPoint.Enabled = slices.DeleteFunc(profile.Plugins.MultiPoint.Enabled,
		func(p config.Plugin) bool {
			return slices.Contains(notFilters, p.Name) || p.Name == names.DefaultPreemption && !preempt
		})
	return &Judge{profile: profile, preempt: preempt}, nil
}

// snapshotLister lets one framework judge many pods, each against a cluster
// from which that pod was taken away.
type snapshotLister struct{ current *cache.Snapshot }

func (l *snapshotLister) NodeInfos() fwk.NodeInfoLister           { return l.current.NodeInfos() }
func (l *snapshotLister) StorageInfos() fwk.StorageInfoLister     { return l.current.StorageInfos() }
func (l *snapshotLister) PodGroupStates() fwk.PodGroupStateLister { return l.current.PodGroupStates() }

// court is the real framework, set up for one snapshot.
type court struct {
	framework framework.Framework
	plugins   map[string]fwk.Plugin
	order     []string
	lister    *snapshotLister
	nodes     []*v1.Node
	bound     []*v1.Pod
	warnings  []string
	budgets   policylisters.PodDisruptionBudgetLister
	preempts  bool
}

// Run judges all pods of a snapshot that are neither terminal nor terminating.
func (j *Judge) Run(ctx context.Context, snapshot *Snapshot) (*Verdicts, []string, error) {
	// Ends the informers and the framework's goroutines: nothing of this
	// snapshot survives into the next.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	c, err := j.convene(ctx, snapshot)
	if err != nil {
		return nil, nil, err
	}
	pods := slices.Clone(snapshot.Pods)
	slices.SortFunc(pods, byName)
	verdicts := &Verdicts{Pods: []PodVerdict{}}
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil || !c.knows(pod.Spec.NodeName) {
			continue
		}
		nodes, preemption := c.judge(ctx, pod)
		verdicts.Pods = append(verdicts.Pods, PodVerdict{
			Namespace:  pod.Namespace,
			Name:       pod.Name,
			Nodes:      nodes,
			Preemption: preemption,
		})
	}
	return verdicts, c.warnings, nil
}

func byName(a, b *v1.Pod) int {
	if n := strings.Compare(a.Namespace, b.Namespace); n != 0 {
		return n
	}
	return strings.Compare(a.Name, b.Name)
}

func (j *Judge) convene(ctx context.Context, snapshot *Snapshot) (*court, error) {
	c := &court{preempts: j.preempt, plugins: map[string]fwk.Plugin{}, lister: &snapshotLister{current: cache.NewEmptySnapshot()}}
	for _, p := range j.profile.Plugins.MultiPoint.Enabled {
		c.order = append(c.order, p.Name)
	}
	c.nodes = slices.Clone(snapshot.Nodes)
	slices.SortFunc(c.nodes, func(a, b *v1.Node) int { return strings.Compare(a.Name, b.Name) })

	objects := slices.Clone(snapshot.Other)
	for _, node := range snapshot.Nodes {
		objects = append(objects, node)
	}
	for _, pod := range snapshot.Pods {
		objects = append(objects, pod)
		if pod.Spec.NodeName != "" && c.knows(pod.Spec.NodeName) {
			c.bound = append(c.bound, pod)
		}
	}
	// A node's pods are in the order in which they came, which matters among
	// victims that have not started. A snapshot does not tell: it is by name.
	slices.SortFunc(c.bound, byName)
	client := fake.NewSimpleClientset()
	for _, object := range objects {
		if err := client.Tracker().Add(object); err != nil {
			return nil, err
		}
	}
	factory := informers.NewSharedInformerFactory(client, 0)

	// Plugins are remembered as they are made, because the framework does not
	// tell which of them restricted a pod to certain nodes (see excludedBy).
	registry := frameworkruntime.Registry{}
	for name, factory := range plugins.NewInTreeRegistry() {
		registry[name] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			plugin, err := factory(ctx, args, h)
			c.plugins[name] = plugin
			return plugin, err
		}
	}
	var err error
	c.framework, err = frameworkruntime.NewFramework(ctx, registry, &j.profile,
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithSnapshotSharedLister(c.lister),
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		// The clusters are small: goroutines per node cost more than they save.
		frameworkruntime.WithParallelism(1),
		frameworkruntime.WithPodNominator(nobody{}),
		frameworkruntime.WithLogger(klog.Background()),
	)
	if err != nil {
		return nil, err
	}
	c.budgets = factory.Policy().V1().PodDisruptionBudgets().Lister()
	factory.StartWithContext(ctx)
	if result := factory.WaitForCacheSyncWithContext(ctx); result.Err != nil {
		return nil, result.Err
	}
	return c, nil
}

// knows says whether a node of that name exists; a pending pod's "" counts.
func (c *court) knows(node string) bool {
	return node == "" || slices.ContainsFunc(c.nodes, func(n *v1.Node) bool { return n.Name == node })
}

// judge asks about one pod as if it had just been evicted and recreated.
func (c *court) judge(ctx context.Context, pod *v1.Pod) ([]NodeVerdict, *Preemption) {
	if len(pod.Spec.ResourceClaims) > 0 {
		c.warn(pod, "", "has resource claims, which are not judged")
	}
	pending := pod.Spec.NodeName == ""
	others := slices.DeleteFunc(slices.Clone(c.bound), func(p *v1.Pod) bool { return p == pod })
	c.lister.current = cache.NewSnapshot(others, c.nodes)
	pod = pod.DeepCopy()
	pod.Spec.NodeName = ""

	state := framework.NewCycleState()
	result, status, restricting := c.framework.RunPreFilterPlugins(ctx, state, pod)
	verdicts := make([]NodeVerdict, 0, len(c.nodes))
	statuses := framework.NewDefaultNodeToStatus()
	after := func() *Preemption {
		fits := slices.ContainsFunc(verdicts, func(v NodeVerdict) bool { return v.Fits })
		if !c.preempts || !pending || fits {
			return nil
		}
		return c.preempt(ctx, state, pod, statuses)
	}
	reject := func(node, plugin string) {
		verdicts = append(verdicts, NodeVerdict{Name: node, Reason: plugin})
	}
	if !status.IsSuccess() && status.Plugin() != "" {
		if !status.IsRejected() {
			c.warn(pod, "", status.AsError().Error())
		}
		for _, node := range c.nodes {
			reject(node.Name, status.Plugin())
		}
		statuses.SetAbsentNodesStatus(status)
		return verdicts, after()
	}
	// What remains is success, or sets of nodes that have nothing in common: a
	// rejection that the framework attributes to no single plugin.
	var excluded map[string]string
	if !result.AllNodes() {
		excluded = c.excludedBy(ctx, pod, restricting.UnsortedList())
	}
	for _, node := range c.nodes {
		if plugin, ok := excluded[node.Name]; ok {
			reject(node.Name, plugin)
			continue
		}
		info, err := c.lister.current.Get(node.Name)
		if err != nil {
			c.warn(pod, node.Name, err.Error())
			continue
		}
		status := c.framework.RunFilterPlugins(ctx, state, pod, info)
		if status.IsSuccess() {
			verdicts = append(verdicts, NodeVerdict{Name: node.Name, Fits: true})
			continue
		}
		if !status.IsRejected() {
			c.warn(pod, node.Name, status.AsError().Error())
		}
		statuses.Set(node.Name, status)
		reject(node.Name, status.Plugin())
	}
	return verdicts, after()
}

// excludedBy asks the plugins that restricted the pod to certain nodes once
// more, one by one, and names for each excluded node the first that excludes it.
func (c *court) excludedBy(ctx context.Context, pod *v1.Pod, restricting []string) map[string]string {
	excluded := map[string]string{}
	all, _ := c.lister.NodeInfos().List()
	for _, name := range c.order {
		if !slices.Contains(restricting, name) {
			continue
		}
		result, _ := c.plugins[name].(fwk.PreFilterPlugin).PreFilter(ctx, framework.NewCycleState(), pod, all)
		for _, node := range c.nodes {
			if _, done := excluded[node.Name]; !done && !result.NodeNames.Has(node.Name) {
				excluded[node.Name] = name
			}
		}
	}
	return excluded
}

// warn records what the real scheduler would call an error rather than an
// answer: it would retry the pod, so the pod does not run.
func (c *court) warn(pod *v1.Pod, node, message string) {
	where := "pod " + pod.Namespace + "/" + pod.Name
	if node != "" {
		where += ", node " + node
	}
	c.warnings = append(c.warnings, fmt.Sprintf("%s: %s", where, message))
}

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// answers judges a snapshot and writes it as "pod@node=reason" words, with "ok"
// for a fit. Items are JSON objects without apiVersion, which is v1 throughout.
func answers(t *testing.T, items ...string) string {
	t.Helper()
	for i, item := range items {
		items[i] = strings.Replace(item, "{", `{"apiVersion":"v1",`, 1)
	}
	file := filepath.Join(t.TempDir(), "snapshot.json")
	list := fmt.Sprintf(`{"kind":"List","items":[%s]}`, strings.Join(items, ","))
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	snapshot, err := ReadSnapshot(file)
	if err != nil {
		t.Fatal(err)
	}
	judge, err := NewJudge(false)
	if err != nil {
		t.Fatal(err)
	}
	verdicts, warnings, err := judge.Run(context.Background(), snapshot)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	var words []string
	for _, pod := range verdicts.Pods {
		for _, node := range pod.Nodes {
			reason := node.Reason
			if node.Fits {
				reason = "ok"
			}
			words = append(words, fmt.Sprintf("%s@%s=%s", pod.Name, node.Name, reason))
		}
	}
	return strings.Join(words, " ")
}

func node(name string) string {
	return fmt.Sprintf(`{"kind":"Node","metadata":{"name":%q,"labels":{"kubernetes.io/hostname":%q}},
		"status":{"allocatable":{"cpu":"1","memory":"1Gi","pods":"10"}}}`, name, name)
}

// pod takes the rest of its metadata, spec and status, each as JSON members
// that begin with a comma.
func pod(name, metadata, spec, status string) string {
	return fmt.Sprintf(`{"kind":"Pod","metadata":{"name":%q,"namespace":"default"%s},"spec":{"x":0%s},"status":{"x":0%s}}`,
		name, metadata, spec, status)
}

func container(resources string) string {
	return fmt.Sprintf(`,"containers":[{"name":"c","resources":%s}]`, resources)
}

func TestJudge(t *testing.T) {
	on := func(node string) string { return fmt.Sprintf(`,"nodeName":%q`, node) }
	cpu := func(requests string) string { return container(fmt.Sprintf(`{"requests":{"cpu":%q}}`, requests)) }
	nodeNames := func(names string) string {
		return fmt.Sprintf(`,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
			{"matchFields":[{"key":"metadata.name","operator":"In","values":[%q]}]}]}}}`, names)
	}
	notTeamA := `,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname",
		"labelSelector":{},"namespaceSelector":{"matchExpressions":[{"key":"team","operator":"NotIn","values":["a"]}]}}]}}`

	for name, test := range map[string]struct {
		items []string
		want  string
	}{
		"a bound pod does not stand in its own way": {
			[]string{node("a"), pod("p", "", on("a")+cpu("1"), "")},
			"p@a=ok"},
		"nor does a terminal one in another's, and it is not judged": {
			[]string{node("a"), pod("done", "", on("a")+cpu("1"), `,"phase":"Succeeded"`), pod("p", "", cpu("1"), "")},
			"p@a=ok"},
		"a terminating pod does, and is not judged": {
			[]string{node("a"), pod("bye", `,"deletionTimestamp":"2026-01-01T00:00:00Z"`, on("a")+cpu("1"), ""), pod("p", "", cpu("1"), "")},
			"p@a=NodeResourcesFit"},
		"a pod on an unknown node is ignored": {
			[]string{node("a"), pod("lost", "", on("b")+cpu("1"), ""), pod("p", "", cpu("1"), "")},
			"p@a=ok"},
		"limits become requests as in the API server": {
			[]string{node("a"), pod("p", "", container(`{"limits":{"cpu":"2"}}`), "")},
			"p@a=NodeResourcesFit"},
		"zero requests fit where more is taken than there is": {
			[]string{node("a"), pod("big", "", on("a")+cpu("3"), ""), pod("p", "", cpu("0"), "")},
			"big@a=NodeResourcesFit p@a=ok"},
		"an infeasible resize counts what is allocated": {
			[]string{node("a"),
				pod("q", "", on("a")+cpu("1"), `,"conditions":[{"type":"PodResizePending","reason":"Infeasible"}],
					"containerStatuses":[{"name":"c","resources":{"requests":{"cpu":"200m"}},"allocatedResources":{"cpu":"300m"}}]`),
				pod("p", "", cpu("700m"), "")},
			"p@a=ok q@a=ok"},
		"judging others does not make a pod bigger": {
			[]string{node("a"),
				pod("big", "", on("a")+`,"overhead":{"memory":"200Mi"},"resources":{"limits":{"memory":"1Gi"}}`+
					container(`{"requests":{"memory":"0.5Gi"}}`), ""),
				pod("p1", "", cpu("0"), ""), pod("p2", "", container(`{"requests":{"memory":"300Mi"}}`), ""),
				pod("p3", "", container(`{"requests":{"memory":"300Mi"}}`), "")},
			"big@a=ok p1@a=ok p2@a=ok p3@a=ok"},
		"a node excluded by name is NodeAffinity's, whatever else it lacks": {
			[]string{node("a"), node("b"), pod("p", "", cpu("7")+nodeNames("a"), "")},
			"p@a=NodeResourcesFit p@b=NodeAffinity"},
		"a claim that is missing rejects the pod everywhere": {
			[]string{node("a"), node("b"), pod("p", "", cpu("0")+`,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"none"}}]`, "")},
			"p@a=VolumeRestrictions p@b=VolumeRestrictions"},
		"gates are no filter": {
			[]string{node("a"), pod("p", "", cpu("0")+`,"schedulingGates":[{"name":"g"}]`, "")},
			"p@a=ok"},
		// v1.36 matches the incoming pod's namespaceSelector also against no
		// labels at all, so that NotIn reaches pods in every namespace.
		"a negative namespaceSelector of the incoming pod": {
			[]string{node("a"),
				`{"kind":"Namespace","metadata":{"name":"default","labels":{"team":"a"}}}`,
				pod("other", "", on("a")+cpu("0"), ""), pod("p", "", cpu("0")+notTeamA, "")},
			"other@a=ok p@a=InterPodAffinity"},
		"and of a pod that is there": {
			[]string{node("a"),
				`{"kind":"Namespace","metadata":{"name":"default","labels":{"team":"a"}}}`,
				pod("other", "", on("a")+cpu("0")+notTeamA, ""), pod("p", "", cpu("0"), "")},
			"other@a=ok p@a=ok"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := answers(t, test.items...); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

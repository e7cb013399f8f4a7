// Command karpenter-judge runs the consolidation engine of sigs.k8s.io/karpenter on snapshot files and
// prints what it decides, so that another engine can be held against it on the same input.
//
//	karpenter-judge -snapshot FILE -instance-types FILE -now RFC3339 -method all|empty|multi|single[,…]
//	                [-every] [-limit N] [-repeat N] [-ties random|name[,…]] [-spot-to-spot]
//	                [-preference-policy Respect|Ignore] [-placements] [-events] [-real-clock] [-fixpoint N]
//
// "-snapshot -" reads the names of many snapshot files from standard input, one on a line. Each answer
// is one JSON document on one line; see Document for its fields.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	crlog "sigs.k8s.io/controller-runtime/pkg/log"

	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	kwokoptions "sigs.k8s.io/karpenter/kwok/options"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/test"
)

// Document is one method's answer in one repetition. In a pass ("all") the methods follow each other
// until one of them has a command.
type Document struct {
	Snapshot   string             `json:"snapshot"`
	Pass       string             `json:"pass"` // the -method asked for
	Ties       Ties               `json:"ties"`
	Repetition int                `json:"repetition"`
	Method     string             `json:"method"`
	Seconds    float64            `json:"seconds"`
	CPUSeconds float64            `json:"cpuSeconds"` // of the whole process, garbage collection included
	Candidates int                `json:"candidates"`
	Commands   []*Command         `json:"commands"`
	Verdicts   []Verdict          `json:"verdicts,omitempty"` // -every: one for each node
	Events     map[string][]Event `json:"events,omitempty"`   // -events: by node, or by nodepool/NAME
	Synced     bool               `json:"synced"`             // false: the controller would wait, not decide
	Error      string             `json:"error,omitempty"`    // the engine gave up; no command
}

// Command is what to remove and what to put in its place.
type Command struct {
	Decision       string      `json:"decision"`
	Nodes          []string    `json:"nodes"`
	NodePool       string      `json:"nodePool,omitempty"`
	InstanceTypes  []string    `json:"instanceTypes,omitempty"` // in launch order
	CapacityTypes  []string    `json:"capacityTypes,omitempty"`
	Zones          []string    `json:"zones,omitempty"`
	Savings        float64     `json:"savings"`
	DisruptionCost float64     `json:"disruptionCost"`
	RescheduleCost float64     `json:"rescheduleCost"`
	Pods           []Placement `json:"pods,omitempty"`
}

// Placement is where the simulation put a pod; From is empty for a pending one.
type Placement struct {
	Pod  string `json:"pod"`
	From string `json:"from"`
	To   string `json:"to"`
}

// Event is what the engine published about a node; a reason in parentheses marks a refusal that it
// keeps to itself.
type Event struct {
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Verdict is the answer for one node alone.
type Verdict struct {
	Node      string   `json:"node"`
	Candidate bool     `json:"candidate"`
	Command   *Command `json:"command,omitempty"`
	Event
}

// Journey is the way to the fixpoint.
type Journey struct {
	Snapshot    string  `json:"snapshot"`
	Commands    int     `json:"commands"`
	Seconds     float64 `json:"seconds"`
	CPUSeconds  float64 `json:"cpuSeconds"`
	NodesBefore int     `json:"nodesBefore"`
	NodesAfter  int     `json:"nodesAfter"`
	CostBefore  float64 `json:"costBefore"`
	CostAfter   float64 `json:"costAfter"`
	PodsMoved   int     `json:"podsMoved"`
	NodesMade   int     `json:"nodesMade"`
}

type settings struct {
	methods    []string
	ties       []Ties
	now        time.Time
	every      bool
	limit      int
	repeat     int
	placements bool
	events     bool
	realClock  bool
	fixpoint   int
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "karpenter-judge:", err)
		os.Exit(1)
	}
}

func run() error {
	snapshot := flag.String("snapshot", "", "snapshot file, or - for a list of files on standard input")
	typesFile := flag.String("instance-types", "", "machine catalogue in the KWOK provider's format")
	methods := flag.String("method", "all", "all, empty, multi, single, or several with commas")
	ties := flag.String("ties", string(TiesRandom), "order of equal candidates: random, name, or both with a comma (name is not repeated)")
	now := flag.String("now", "", "time to decide at, RFC 3339; the present if not given")
	spotToSpot := flag.Bool("spot-to-spot", false, "feature gate SpotToSpotConsolidation")
	preferences := flag.String("preference-policy", string(options.PreferencePolicyRespect), "Respect or Ignore")
	s := settings{}
	flag.BoolVar(&s.every, "every", false, "single: a verdict for each node on its own")
	flag.IntVar(&s.limit, "limit", 0, "every: at most this many candidates")
	flag.IntVar(&s.repeat, "repeat", 1, "repetitions, for what is left to chance")
	flag.BoolVar(&s.placements, "placements", false, "say where each pod goes")
	flag.BoolVar(&s.events, "events", false, "print the engine's events")
	flag.BoolVar(&s.realClock, "real-clock", false, "run on the real clock, so that the engine's timeouts apply")
	flag.IntVar(&s.fixpoint, "fixpoint", 0, "carry out up to this many commands in memory and print what came of it")
	flag.Parse()

	s.methods = strings.Split(*methods, ",")
	for _, m := range s.methods {
		if m != "all" && !slices.Contains(passOrder, m) {
			return fmt.Errorf("unknown method %q", m)
		}
	}
	for _, t := range strings.Split(*ties, ",") {
		if Ties(t) != TiesRandom && Ties(t) != TiesName {
			return fmt.Errorf("unknown ties %q", t)
		}
		s.ties = append(s.ties, Ties(t))
	}
	s.now = time.Now()
	if *now != "" {
		var err error
		if s.now, err = time.Parse(time.RFC3339, *now); err != nil {
			return err
		}
	}
	policy := options.PreferencePolicy(*preferences)
	if policy != options.PreferencePolicyRespect && policy != options.PreferencePolicyIgnore {
		return fmt.Errorf("unknown preference policy %q", policy)
	}

	crlog.SetLogger(logr.Discard())
	ctx := options.ToContext(context.Background(), test.Options(test.OptionsFields{
		PreferencePolicy: &policy,
		FeatureGates:     test.FeatureGates{SpotToSpotConsolidation: spotToSpot},
	}))
	types, err := kwok.ConstructInstanceTypes((&kwokoptions.Options{InstanceTypesFilePath: *typesFile}).ToContext(ctx))
	if err != nil {
		return err
	}

	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	if *snapshot != "-" {
		return judge(ctx, *snapshot, types, s, encoder)
	}
	files := bufio.NewScanner(os.Stdin)
	for files.Scan() {
		if err := judge(ctx, files.Text(), types, s, encoder); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return files.Err()
}

// judge answers every question about one snapshot.
func judge(ctx context.Context, path string, types []*cloudprovider.InstanceType, s settings, out *json.Encoder) error {
	snapshot, err := ReadSnapshot(path)
	if err != nil {
		return err
	}
	if kinds := snapshot.ignoredKinds(); len(kinds) > 0 {
		fmt.Fprintf(os.Stderr, "%s: ignored %s\n", path, strings.Join(kinds, ", "))
	}
	engine, err := NewEngine(ctx, snapshot, types, s.now, s.realClock)
	if err != nil {
		// In production the state never syncs then, and the controller waits forever.
		return out.Encode(Document{Snapshot: path, Commands: []*Command{}, Error: err.Error()})
	}
	if s.fixpoint > 0 {
		journey, err := engine.Fixpoint(ctx, s.ties[0], s.fixpoint)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		journey.Snapshot = path
		return out.Encode(journey)
	}
	for _, pass := range s.methods {
		for _, ties := range s.ties {
			repeat := s.repeat
			if ties == TiesName && len(s.ties) > 1 {
				repeat = 1
			}
			for repetition := range repeat {
				label := Document{Snapshot: path, Pass: pass, Ties: ties, Repetition: repetition, Synced: engine.Synced()}
				if err := engine.answer(ctx, label, s, out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cpuSeconds is the processor time that the process has had so far: what
// others do on the machine meanwhile does not count.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// answer runs one pass and prints a document for each method that it tried.
func (e *Engine) answer(ctx context.Context, label Document, s settings, out *json.Encoder) error {
	methods := []string{label.Pass}
	if label.Pass == "all" {
		methods = passOrder
	}
	for _, method := range methods {
		e.recorder.Reset()
		d := label
		d.Method, d.Commands = method, []*Command{}
		start, startCPU := time.Now(), cpuSeconds()
		attempt, commands, err := (*Attempt)(nil), []disruption.Command(nil), error(nil)
		if s.every && label.Pass == "single" {
			attempt, d.Verdicts, commands, err = e.Every(ctx, s.limit, s.placements)
		} else {
			attempt, commands, err = e.Run(ctx, method, label.Ties)
		}
		d.Seconds, d.CPUSeconds = time.Since(start).Seconds(), cpuSeconds()-startCPU
		if attempt != nil {
			d.Candidates = len(attempt.candidates)
		}
		for _, c := range commands {
			d.Commands = append(d.Commands, e.describe(c, s.placements))
		}
		if s.events {
			d.Events = e.recorder.Messages()
		}
		if err != nil {
			d.Error = err.Error()
		}
		if err := out.Encode(d); err != nil {
			return err
		}
		if err != nil || len(commands) > 0 {
			return nil // the pass ends; an error ends it, too, and the controller tries again later
		}
	}
	return nil
}

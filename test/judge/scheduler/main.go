// scheduler-judge answers "would this pod run on this node?" for every pair of
// a cluster snapshot, with the filter plugins of the real kube-scheduler.
//
//	scheduler-judge -snapshot FILE.json [-snapshot FILE.json]... [-preempt] [-o json]
//	scheduler-judge < list-of-file-names
//
// It writes one JSON document per snapshot, each on a line of its own and in
// the order of the input. Exit status: 0 all judged, 2 bad input or usage.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"k8s.io/klog/v2"
)

type fileList []string

func (l *fileList) String() string     { return strings.Join(*l, ",") }
func (l *fileList) Set(s string) error { *l = append(*l, s); return nil }

func main() {
	var files fileList
	flag.Var(&files, "snapshot", "JSON List of Kubernetes objects (may be repeated; without it, file names are read from standard input)")
	format := flag.String("o", "json", "output format; only json")
	preempt := flag.Bool("preempt", false, "also say what preemption would do for pending pods that fit nowhere")
	flag.Parse()
	if *format != "json" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(files, *preempt, os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "scheduler-judge:", err)
		os.Exit(2)
	}
}

func run(files []string, preempt bool, in io.Reader, out, warn io.Writer) error {
	// The scheduler logs what it could not parse; a judge's standard error
	// carries only what concerns the judgement.
	klog.SetLogger(klog.Logger{})
	judge, err := NewJudge(preempt)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	defer buffered.Flush()
	encoder := json.NewEncoder(buffered)

	one := func(file string) error {
		snapshot, err := ReadSnapshot(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		verdicts, warnings, err := judge.Run(context.Background(), snapshot)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, w := range warnings {
			fmt.Fprintf(warn, "%s: %s\n", file, w)
		}
		// Flushed per snapshot, so that a caller may feed names one by one.
		if err := encoder.Encode(verdicts); err != nil {
			return err
		}
		return buffered.Flush()
	}

	for _, file := range files {
		if err := one(file); err != nil {
			return err
		}
	}
	if len(files) > 0 {
		return nil
	}
	names := bufio.NewScanner(in)
	for names.Scan() {
		if name := strings.TrimSpace(names.Text()); name != "" {
			if err := one(name); err != nil {
				return err
			}
		}
	}
	return names.Err()
}

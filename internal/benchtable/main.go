// Command benchtable runs the benchmarks that have an aim and prints one table:
// what was measured, the aim, and whether it is met, with the machine and its load
// beside it.
//
//	go run ./internal/benchtable          all of them
//	go run ./internal/benchtable mcp      those whose name has mcp in it
//
// It fails where a benchmark fails or no longer says what the table is about, never
// because of a figure: figures of a machine with other work are not a measure.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("benchtable: ")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	only := ""
	if len(os.Args) > 1 {
		only = os.Args[1]
	}
	err := run(ctx, only, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// run runs each benchmark once and writes a row for each aim.
func run(ctx context.Context, only string, stdout, stderr io.Writer) error {
	fmt.Fprintf(stdout, "%s/%s, %d CPUs, %s; load before: %s\n\n| what | benchmark | measured | aim | met |\n|---|---|---|---|---|\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), load())
	ran := map[string]string{}
	var failed []error
	for _, a := range aims {
		if !strings.Contains(a.pkg+" "+a.benchmark+" "+a.what, only) {
			continue
		}
		root, _, _ := strings.Cut(a.benchmark, "/")
		key := a.pkg + " " + root
		if _, ok := ran[key]; !ok {
			fmt.Fprintln(stderr, "running", key)
			out, err := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^"+root+"$", "-benchtime", "1s", "-timeout", "30m", "./"+a.pkg).CombinedOutput()
			if err != nil {
				failed = append(failed, fmt.Errorf("%s: %w\n%s", key, err, bytes.TrimSpace(out)))
			}
			ran[key] = string(out)
		}
		row, err := a.row(ran[key])
		if err != nil {
			failed = append(failed, err)
		}
		fmt.Fprintln(stdout, row)
	}
	fmt.Fprintf(stdout, "\nLoad afterwards: %s\n", load())
	return errors.Join(failed...)
}

// load is how busy the machine is, where the system tells.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

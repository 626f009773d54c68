package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// aim is a figure of a benchmark and what it should be.
type aim struct {
	what      string
	pkg       string
	benchmark string // with sub-benchmarks, without the number of CPUs
	unit      string // of the figure in the benchmark's output
	invert    bool   // 1 divided by the figure
	versus    string // benchmark whose figure is divided by this one's; "": none
	atLeast   float64
	atMost    float64 // 0: no such bound
}

// aims are all there are that a benchmark measures. The others, of programs and
// servers as a whole, are measured by tests that make proof runs.
var aims = []aim{
	{what: "a token that is valid, ns", pkg: "tokens", benchmark: "BenchmarkToken", unit: "ns/op", atMost: 100},
	{what: "start of the program, ns", pkg: "cmd/erphub", benchmark: "BenchmarkStart/version", unit: "ns/op", atMost: 30e6},
	{what: "help of a command, ns", pkg: "cmd/erphub", benchmark: "BenchmarkStart/help_of_command", unit: "ns/op", atMost: 50e6},
	{what: "completion of tables, warm, ns", pkg: "cmd/erphub", benchmark: "BenchmarkStart/complete_tables", unit: "ns/op", atMost: 100e6},
	{what: "an embedded ERP opened, ns", pkg: "erp/erptest/internal/seed", benchmark: "BenchmarkOpen", unit: "ns/op", atMost: 10e6},
	{what: "a further embedded ERP in memory, MiB", pkg: "erp/erptest", benchmark: "BenchmarkFurtherERP", unit: "MiB-each", atMost: 2},
	{what: "a twin opened, ns", pkg: "erp/erptest/twin", benchmark: "BenchmarkFromTwin", unit: "ns/op", atMost: 20e6},
	{what: "10,000 records imported, ms", pkg: "dict/transfer", benchmark: "BenchmarkImport/Import", unit: "ms/10,000", atMost: 10_000},
	{what: "dictionary from PostgreSQL to the raw read", pkg: "dict/dbdict", benchmark: "BenchmarkLoad/PostgreSQL", unit: "raw/ours", invert: true, atMost: 1.4},
	{what: "dictionary from SQLite to the raw read", pkg: "dict/dbdict", benchmark: "BenchmarkLoad/SQLite", unit: "raw/ours", invert: true, atMost: 1.4},
	{what: "dictionary from PostgreSQL, ms", pkg: "dict/dbdict", benchmark: "BenchmarkLoad/PostgreSQL", unit: "ms/load", atMost: 1000},
	{what: "dictionary by REST, ms", pkg: "dict/restdict", benchmark: "BenchmarkSource", unit: "ms/load", atMost: 5000},
	{what: "start from a snapshot, ns", pkg: "dict/registry", benchmark: "BenchmarkWarmStart", unit: "ns/op", atMost: 50e6},
	{what: "the dictionary in memory, MiB", pkg: "dict/registry", benchmark: "BenchmarkMemory", unit: "MiB-with-search", atMost: 60},
	{what: "search, median in µs", pkg: "dict/registry", benchmark: "BenchmarkSearch", unit: "median-µs", atMost: 1000},
	{what: "a statement secured before, µs", pkg: "aiquery/guard", benchmark: "BenchmarkGuard", unit: "cached-µs", atMost: 10},
	{what: "securing to parse and deparse of the text", pkg: "aiquery/guard", benchmark: "BenchmarkGuard", unit: "uncached/asked", atMost: 3},
	{what: "secured SQL to a WHERE by hand, geometric mean", pkg: "aiquery", benchmark: "BenchmarkSecuredStatements", unit: "secured/by-hand", atMost: 1.15},
	{what: "the worst of them above one millisecond", pkg: "aiquery", benchmark: "BenchmarkSecuredStatements", unit: "worst-above-1ms", atMost: 2},
	{what: "the most that is added below it, ms", pkg: "aiquery", benchmark: "BenchmarkSecuredStatements", unit: "ms-added-below-1ms", atMost: 0.2},
	{what: "p99 of 64 callers to the plain p99", pkg: "aiquery", benchmark: "BenchmarkCallers", unit: "p99/plain-p99", atMost: 2},
	{what: "the deployment board with 100,000 runs, median in ms", pkg: "cmd/internal/board", benchmark: "BenchmarkBoard100k", unit: "ms-median", atMost: 100},
	{what: "the largest plugin with its zip, ns", pkg: "generator", benchmark: "BenchmarkLargestPlugin", unit: "ns/op", atMost: 20e6},
	{what: "a plan in batches to one request a step", pkg: "dict/restdict", benchmark: "BenchmarkRun", unit: "times-faster", atLeast: 5},
	{what: "speed of one record to net/http and encoding/json", pkg: "erp", benchmark: "BenchmarkRecord/Get", versus: "BenchmarkRecord/raw_map", unit: "ns/op", atLeast: 0.8},
	{what: "speed of a page into maps to the same", pkg: "erp", benchmark: "BenchmarkPage/Query_and_Map", versus: "BenchmarkPage/raw_map", unit: "ns/op", atLeast: 0.95},
	{what: "speed of a page of records to the same", pkg: "erp", benchmark: "BenchmarkPage/Query", versus: "BenchmarkPage/raw_map", unit: "ns/op", atLeast: 1.4},
	{what: "calls of listTables to the SDK's trivial tool", pkg: "mcp/server", benchmark: "BenchmarkTools/listTables", unit: "throughput-ratio", atLeast: 0.9},
	{what: "calls of describeTable to the same", pkg: "mcp/server", benchmark: "BenchmarkTools/describeTable", unit: "throughput-ratio", atLeast: 0.7},
	{what: "CPU of calls of listTables to the SDK's", pkg: "mcp/server", benchmark: "BenchmarkTools/listTables", unit: "cpu-ratio", atMost: 1.3},
}

// row is the aim's row of the table, from what its benchmark printed. A benchmark
// with parts has the figure once for each; the worst counts.
func (a aim) row(output string) (string, error) {
	cell := a.pkg + " " + a.benchmark
	figures, err := figures(output, a.benchmark, a.unit)
	if err != nil {
		return "", err
	}
	if len(figures) == 0 {
		if strings.Contains(output, "--- SKIP") || strings.Contains(output, "SKIPPED") {
			return fmt.Sprintf("| %s | %s | | %s | skipped |", a.what, cell, a.bound()), nil
		}
		return fmt.Sprintf("| %s | %s | | %s | not measured |", a.what, cell, a.bound()), fmt.Errorf("%s printed no %s", cell, a.unit)
	}
	above := 1.0
	if a.versus != "" {
		others, err := only(output, a.versus, a.unit)
		if err != nil {
			return "", err
		}
		above = others
	}
	if a.invert || a.versus != "" {
		for i, n := range figures {
			figures[i] = above / n
		}
	}
	worst := slices.Min(figures)
	if a.atMost > 0 {
		worst = slices.Max(figures)
	}
	met := "yes"
	if a.atMost > 0 && worst > a.atMost || a.atLeast > 0 && worst < a.atLeast {
		met = "**no**"
	}
	return fmt.Sprintf("| %s | %s | %.4g | %s | %s |", a.what, cell, worst, a.bound(), met), nil
}

// only is the one figure of a benchmark.
func only(output, benchmark, unit string) (float64, error) {
	all, err := figures(output, benchmark, unit)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%s printed %d figures in %s, not one", benchmark, len(all), unit)
	}
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

// figures are those of a benchmark and its parts in a unit.
func figures(output, benchmark, unit string) ([]float64, error) {
	var all []float64
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !named(fields[0], benchmark) {
			continue
		}
		for i := 2; i+1 < len(fields); i += 2 {
			if fields[i+1] != unit {
				continue
			}
			n, err := strconv.ParseFloat(fields[i], 64)
			if err != nil || n == 0 {
				return nil, fmt.Errorf("%s: the figure in %s is %q", benchmark, unit, fields[i])
			}
			all = append(all, n)
		}
	}
	return all, nil
}

// named reports whether a line is of the benchmark or of a part of it: Go puts the
// number of CPUs behind the name.
func named(name, benchmark string) bool {
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		if _, err := strconv.Atoi(name[i+1:]); err == nil {
			name = name[:i]
		}
	}
	return name == benchmark || strings.HasPrefix(name, benchmark+"/")
}

func (a aim) bound() string {
	if a.atMost > 0 {
		return fmt.Sprintf("at most %.6g", a.atMost)
	}
	return fmt.Sprintf("at least %.6g", a.atLeast)
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRow(t *testing.T) {
	t.Parallel()
	const output = "goos: linux\nBenchmarkLoad/PostgreSQL-2 \t 3\t2107035281 ns/op\t 1631 ms/load\t 0.50 raw/ours\nBenchmarkLoad/SQLite-2 \t 3\t 13 ns/op\t 881.2 ms/load\t 0.8 raw/ours\nPASS\n"
	for name, c := range map[string]struct {
		aim    aim
		output string
		want   string
		err    string
	}{
		"met":              {aim{what: "w", pkg: "p", benchmark: "BenchmarkLoad/SQLite", unit: "raw/ours", invert: true, atMost: 1.5}, output, "| w | p BenchmarkLoad/SQLite | 1.25 | at most 1.5 | yes |", ""},
		"not met":          {aim{what: "w", pkg: "p", benchmark: "BenchmarkLoad/PostgreSQL", unit: "raw/ours", invert: true, atMost: 1.5}, output, "| w | p BenchmarkLoad/PostgreSQL | 2 | at most 1.5 | **no** |", ""},
		"worst of parts":   {aim{what: "w", pkg: "p", benchmark: "BenchmarkLoad", unit: "ms/load", atMost: 1000}, output, "| w | p BenchmarkLoad | 1631 | at most 1000 | **no** |", ""},
		"at least":         {aim{what: "w", pkg: "p", benchmark: "BenchmarkLoad", unit: "raw/ours", atLeast: 0.5}, output, "| w | p BenchmarkLoad | 0.5 | at least 0.5 | yes |", ""},
		"skipped":          {aim{what: "w", pkg: "p", benchmark: "BenchmarkOther", unit: "x", atMost: 1}, "--- SKIP: BenchmarkOther", "| w | p BenchmarkOther | | at most 1 | skipped |", ""},
		"no such figure":   {aim{what: "w", pkg: "p", benchmark: "BenchmarkLoad", unit: "x", atMost: 1}, output, "| w | p BenchmarkLoad | | at most 1 | not measured |", "printed no x"},
		"longer name":      {aim{what: "w", pkg: "p", benchmark: "BenchmarkLoa", unit: "ms/load", atMost: 1}, output, "| w | p BenchmarkLoa | | at most 1 | not measured |", "printed no ms/load"},
		"to another":       {aim{what: "w", pkg: "p", benchmark: "BenchmarkLoad/SQLite", versus: "BenchmarkLoad/PostgreSQL", unit: "ms/load", atLeast: 2}, output, "| w | p BenchmarkLoad/SQLite | 1.851 | at least 2 | **no** |", ""},
		"to none":          {aim{what: "w", pkg: "p", benchmark: "BenchmarkLoad/SQLite", versus: "BenchmarkLoad/Oracle", unit: "ms/load", atLeast: 2}, output, "", "BenchmarkLoad/Oracle printed 0 figures"},
		"without CPUs (1)": {aim{what: "w", pkg: "p", benchmark: "BenchmarkX", unit: "ns/op", atMost: 10}, "BenchmarkX 3 9 ns/op\n", "| w | p BenchmarkX | 9 | at most 10 | yes |", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.aim.row(c.output)
			assert.Equal(t, c.want, got)
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.err)
			}
		})
	}
}

// The table names benchmarks that exist, and figures that they print.
func TestAimsExist(t *testing.T) {
	t.Parallel()
	for _, a := range aims {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(a.pkg), "*_test.go"))
		require.NoError(t, err)
		source := ""
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			source += string(text)
		}
		root, _, _ := strings.Cut(a.benchmark, "/")
		assert.Regexp(t, `func `+root+`\(`, source, a.pkg)
		if a.unit != "ns/op" {
			assert.Regexp(t, `ReportMetric\(.*"`+regexp.QuoteMeta(a.unit)+`"\)`, source, a.pkg)
		}
		assert.True(t, (a.atMost > 0) != (a.atLeast > 0), a.what)
	}
}

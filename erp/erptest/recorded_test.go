package erptest_test

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/recorded"
)

// maxDiffering is how many steps of the recording may differ, each listed with its
// reason in testdata/recorded-differences.txt.
const maxDiffering = 9 // of 1,577

// TestRecordedResponses sends the requests of a recording made with the real
// server's code, and expects its responses.
func TestRecordedResponses(t *testing.T) {
	t.Parallel()
	files := recorded.ReferenceFiles()
	if len(files) == 0 {
		t.Skip("SKIPPED: the recorded responses of the real server are not here; set ERPHUB_REFERENCE to the folder that has them")
	}
	listed := readDifferences(t, filepath.Join("testdata", "recorded-differences.txt"))
	assert.LessOrEqual(t, len(listed), maxDiffering, "listed differences")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(filepath.Base(filepath.Dir(file))+"/"+name, func(t *testing.T) {
			t.Parallel()
			playFile(t, file, listed)
		})
	}
}

// TestGoldenResponses does the same with scenarios of our own, whose responses
// were taken when those of the recording were equal.
func TestGoldenResponses(t *testing.T) {
	t.Parallel()
	files := recorded.GoldenFiles()
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			if *update {
				recordFile(t, file)
			}
			playFile(t, file, nil)
		})
	}
}

// recordFile has the scenarios of a file take the responses they get.
func recordFile(t *testing.T, file string) {
	scenarios, err := recorded.Load(file)
	require.NoError(t, err)
	for i := range scenarios {
		p := player(t)
		p.Record = true
		scenarios[i].Recorded = time.Now().UTC().Format(time.RFC3339)
		_, err := p.Play(t.Context(), &scenarios[i])
		require.NoError(t, err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range scenarios {
		require.NoError(t, e.Encode(&scenarios[i]))
	}
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
}

// readDifferences reads the steps that differ, "scenario#step reason" a line.
func readDifferences(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	listed := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		step, reason, _ := strings.Cut(line, " ")
		require.NotEmpty(t, strings.TrimSpace(reason), "the reason why %s differs", step)
		listed[step] = reason
	}
	require.NoError(t, lines.Err())
	return listed
}

// playFile plays the scenarios of a file, each that writes on a server of its own.
func playFile(t *testing.T, file string, listed map[string]string) {
	scenarios, err := recorded.Load(file)
	require.NoError(t, err)
	var shared *recorded.Player
	compared, unequal := 0, 0
	for i := range scenarios {
		s := &scenarios[i]
		p := shared
		if s.Writes || p == nil {
			p = player(t)
		}
		if !s.Writes {
			shared = p
		}
		out, err := p.Play(t.Context(), s)
		require.NoError(t, err)
		compared += out.Compared
		unequal += len(out.Unequal)
		found := map[string][]string{}
		for _, d := range out.Differences {
			step := fmt.Sprintf("%s#%d", d.Scenario, d.Step)
			found[step] = append(found[step], d.String())
		}
		for _, step := range slices.Sorted(maps.Keys(found)) {
			if _, known := listed[step]; known {
				continue
			}
			t.Error(found[step][0])
			if n := len(found[step]); n > 1 {
				t.Logf("and %d more of this response:\n%s", n-1, strings.Join(found[step][1:min(n, 6)], "\n"))
			}
		}
		for n := range s.Steps {
			step := fmt.Sprintf("%s#%d", s.ID, n)
			if reason, known := listed[step]; known && found[step] == nil {
				t.Errorf("%s is equal, but listed as different: %s", step, reason)
			}
		}
	}
	t.Logf("%d of %d steps equal", compared-unequal, compared)
}

// player sends to a new server that is as strict as the real one.
func player(t *testing.T) *recorded.Player {
	t.Helper()
	var ahead atomic.Int64 // of the server's clock
	srv := erptest.New(t, erptest.Options{Strict: true, Clock: func() time.Time {
		return time.Now().Add(time.Duration(ahead.Load()))
	}})
	return &recorded.Player{Base: srv.URL() + "/api/v1", Client: &http.Client{}, Descriptions: descriptions(t, srv),
		Pause: func(d time.Duration) { ahead.Add(int64(d)) }}
}

// descriptions are those that the server's tables and elements have; the tables and
// elements of the recording had none.
func descriptions(t *testing.T, srv *erptest.Server) map[string]bool {
	t.Helper()
	db := srv.Database()
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT Description, Help FROM AD_Element UNION SELECT Description, NULL FROM AD_Table")
	require.NoError(t, err)
	defer rows.Close()
	texts := map[string]bool{}
	for rows.Next() {
		var description, help sql.NullString
		require.NoError(t, rows.Scan(&description, &help))
		texts[description.String], texts[help.String] = true, true
	}
	require.NoError(t, rows.Err())
	delete(texts, "")
	require.NotEmpty(t, texts)
	return texts
}

package twin_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

// A server that fails at every third request, each time in another way, is read all
// the same.
func TestServerThatFails(t *testing.T) {
	if testing.Short() {
		t.Skip("makes one twin after another")
	}
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 0, 0)
	require.NoError(t, err)
	c, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)), erp.WithLocale("en_US"), erp.WithRetryPolicy(erp.RetryPolicy{Max: 2, MinWait: time.Millisecond, MaxWait: time.Millisecond}))
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	plain, dir := t.TempDir(), t.TempDir()
	_, err = twin.Clone(t.Context(), newSmall(twin.NewREST(c, nil)), plain, orders())
	require.NoError(t, err)
	ways := []erptest.Action{erptest.Fail(503), erptest.CutMiddle(), erptest.Fail(500), erptest.CutBefore(), erptest.HTML(502), erptest.Fail(429), erptest.CutAfter(), erptest.HTML(404)}
	var faults []*erptest.Fault
	for i := range 600 {
		faults = append(faults, srv.Faults().On(erptest.Match{N: 3 * (i + 1)}, ways[i%len(ways)]))
	}
	report, err := twin.Clone(t.Context(), newSmall(twin.NewREST(c, nil)), dir, orders())
	require.NoError(t, err)
	hits := 0
	for _, f := range faults {
		hits += f.Hits()
	}
	assert.Greater(t, hits, 50)
	for _, r := range report.Tables {
		assert.Empty(t, r.Unreadable, r.Table)
	}
	assert.Equal(t, verified(t, plain).Digest, verified(t, dir).Digest)
}

// A role that may not read the dictionary makes no twin, and is told so; the folder
// stays as it was.
func TestRoleWithoutPermissions(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"AD_Table", "AD_Column", "AD_Element"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t)
			require.NoError(t, srv.RestrictPath(t.Context(), `v1/models/`+table+`(/.*)?`, 103, "GET"))
			dir := filepath.Join(t.TempDir(), "twin")
			opts := orders()
			opts.Masking = mask.Options{Key: mask.FixedKey("none")}
			_, err := twin.Clone(t.Context(), newSmall(twin.NewREST(client(t, srv, "GardenAdmin", 11, 102), nil)), dir, opts)
			require.ErrorContains(t, err, "log in with a role that reads the Application Dictionary")
			assert.ErrorIs(t, err, twin.ErrNotReadable)
			assert.NoFileExists(t, twin.InFolder(dir))
		})
	}
}

// files are attachments that a source makes up, one after another.
type files struct {
	*invented
	n, size int
	titles  []string // of the first ones; others are "zip"
}

func (s *files) Stamp(ctx context.Context, t *twin.Table) (twin.Stamp, error) {
	if t.Name == "AD_Attachment" {
		return twin.Stamp{Rows: int64(s.n)}, nil
	}
	return s.invented.Stamp(ctx, t)
}

func (s *files) Rows(ctx context.Context, q *twin.Query, row func([]any) error) error {
	if q.Table.Name != "AD_Attachment" {
		return s.invented.Rows(ctx, q, row)
	}
	s.reads[q.Table.Name]++
	data := make([]byte, s.size)
	for i := range s.n {
		data[i%s.size]++
		title := "zip"
		if i < len(s.titles) {
			title = s.titles[i]
		}
		err := row(record(q, map[string]any{"AD_Attachment_ID": int64(2_000_000 + i), "Title": title, "AD_Table_ID": int64(259), "Record_ID": int64(100), "BinaryData": data, "Created": time.Time{}}))
		if err != nil {
			return err
		}
	}
	return nil
}

// Attachments are not read unless asked for; then memory holds a few of them at a
// time. ERPHUB_PROOF has it with a gigabyte.
func TestLargeAttachments(t *testing.T) {
	if testing.Short() {
		t.Skip("measures memory with large files")
	}
	n := 48
	if os.Getenv("ERPHUB_PROOF") != "" {
		n = 1024
	}
	clone := func(binary bool, n, size int) (*files, *twin.Report, float64) {
		src := &files{invented: inventing(t, nil), n: n, size: size}
		opts := orders()
		opts.Tables, opts.Binary = []string{"AD_Attachment"}, binary
		before, most := liveHeap(), 0.0
		opts.Progress = func(p twin.Progress) {
			if p.Table == "AD_Attachment" {
				most = max(most, liveHeap()-before)
			}
		}
		report, err := twin.Clone(t.Context(), src, t.TempDir(), opts)
		require.NoError(t, err)
		return src, report, most
	}
	src, report, _ := clone(false, n, 1<<20)
	assert.Zero(t, src.reads["AD_Attachment"])
	assert.Equal(t, "files are copied only when asked for", table(t, report, "AD_Attachment").Skipped)

	_, report, most := clone(true, n, 1<<20)
	assert.EqualValues(t, n, table(t, report, "AD_Attachment").Rows)
	assert.Greater(t, report.Bytes, int64(n)<<20)
	t.Logf("%d MB of attachments: %v, %.1f MB in use at most", n, report.Took, most/1e6)
	assert.Less(t, most, 40e6, "bytes in use")

	// One that is too large is told, and the clone goes on.
	_, report, _ = clone(true, 1, 257<<20)
	assert.Equal(t, map[string]int64{"BinaryData": 1}, table(t, report, "AD_Attachment").Unfit)
}

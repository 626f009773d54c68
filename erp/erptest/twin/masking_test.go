package twin_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
	"github.com/erphub/erphub/internal/testkit/masktest"
)

// No value that is masked occurs in any byte of the folder, and nothing else is
// lost: the twin has the rows of one that is not masked.
func TestNothingMaskedIsLeft(t *testing.T) {
	t.Parallel()
	var finder masktest.Finder
	dir := t.TempDir()
	opts := orders()
	opts.Masking = mask.Options{Key: mask.FixedKey("twin"), Observe: finder.Observe}
	report, err := twin.Clone(t.Context(), newSmall(database(t, live())), dir, opts)
	require.NoError(t, err)
	assert.True(t, report.Masked)
	assert.True(t, verified(t, dir).Masked)
	assert.NotEmpty(t, report.Columns)
	found, err := finder.Search(dir)
	require.NoError(t, err)
	assert.Empty(t, found)
	values, skipped := finder.Values()
	assert.Greater(t, values, 30, "%+v", skipped)

	_, unmasked := whole()
	assert.False(t, unmasked.Masked)
	assert.Empty(t, unmasked.Columns)
	rows := func(r *twin.Report) map[string]int64 {
		counts := map[string]int64{}
		for _, x := range r.Tables {
			counts[x.Table] = x.Rows
		}
		return counts
	}
	assert.Equal(t, rows(unmasked), rows(report))
}

// Whoever says nothing gets a masked twin, and the same values for the same ones
// with the key that is kept beside it.
func TestMaskedByDefault(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "twin")
	opts := orders()
	opts.Masking = mask.Options{}
	_, err := twin.Clone(t.Context(), newSmall(database(t, live())), dir, opts)
	require.NoError(t, err)
	info, err := os.Stat(twin.KeyFile(dir))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	names := func() []string {
		return texts(t, erptest.New(t, erptest.FromTwin(dir)), "SELECT Name FROM C_BPartner ORDER BY C_BPartner_ID")
	}
	before := names()
	for _, name := range texts(t, live(), "SELECT Name FROM C_BPartner") {
		assert.NotContains(t, before, name)
	}
	digest := verified(t, dir).Digest
	report, err := twin.Refresh(t.Context(), newSmall(database(t, live())), dir, twin.Options{})
	require.NoError(t, err)
	assert.True(t, report.Masked)
	assert.Equal(t, before, names())
	assert.NotEmpty(t, digest)

	require.NoError(t, os.Remove(twin.KeyFile(dir)))
	_, err = twin.Refresh(t.Context(), newSmall(database(t, live())), dir, twin.Options{})
	require.ErrorContains(t, err, "masked otherwise")
}

// Rows that were left out are in no byte of the folder, free pages included.
func TestNothingLeftOutIsLeft(t *testing.T) {
	t.Parallel()
	canary := func(i int) string { return fmt.Sprintf("zq%04d canary", i) }
	same := inventedTable{id: 990_031, columns: []inventedColumn{keyColumn("XX_Same"), nameText, {name: "XX_Same_UU", display: 200231}}}
	lost := inventedTable{id: 990_032, columns: []inventedColumn{keyColumn("XX_Lost"), nameText, {name: "XX_None_ID", display: 19, mandatory: true}}}
	for i := range 2000 {
		same.rows = append(same.rows, []any{int64(i + 1), canary(i), "one UUID"})
		lost.rows = append(lost.rows, []any{int64(i + 1), canary(2000 + i), int64(99)})
	}
	none := inventedTable{id: 990_033, columns: []inventedColumn{keyColumn("XX_None"), nameText}}
	dir := t.TempDir()
	src := inventing(t, map[string]inventedTable{"XX_Same": same, "XX_Lost": lost, "XX_None": none})
	report, err := twin.Clone(t.Context(), src, dir, twin.Options{Tables: []string{"XX_*"}, Tenants: []string{"*"}, Backoff: 1, Masking: plain})
	require.NoError(t, err)
	assert.EqualValues(t, 1, table(t, report, "XX_Same").Rows)
	assert.Zero(t, table(t, report, "XX_Lost").Rows)
	verified(t, dir)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var left []string
		for i := 1; i < 4000; i++ {
			if bytes.Contains(data, []byte(canary(i))) {
				left = append(left, canary(i))
			}
		}
		assert.Empty(t, left, "left in %s", file)
	}
}

// A text in a column with a list, which is none of its codes, was written by
// somebody: older versions kept the names of files in AD_Attachment.Title.
func TestTextInAListIsMasked(t *testing.T) {
	t.Parallel()
	src := &files{invented: inventing(t, nil), titles: []string{"zip", "Joe Block contract.pdf"}, n: 2, size: 10}
	opts := orders()
	opts.Tables, opts.Binary, opts.Masking = []string{"AD_Attachment"}, true, mask.Options{Key: mask.FixedKey("titles")}
	dir := t.TempDir()
	_, err := twin.Clone(t.Context(), src, dir, opts)
	require.NoError(t, err)
	titles := texts(t, erptest.New(t, erptest.FromTwin(dir)), "SELECT Title FROM AD_Attachment ORDER BY AD_Attachment_ID")
	require.Len(t, titles, 2)
	assert.Equal(t, "zip", titles[0])
	assert.NotRegexp(t, `(?i)joe|block|contract`, titles[1])
}

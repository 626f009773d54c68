package twin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
	"github.com/erphub/erphub/erp/erptest/twin/mask/masktest"
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

	unmasked, err := twin.Clone(t.Context(), newSmall(database(t, live())), t.TempDir(), orders())
	require.NoError(t, err)
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

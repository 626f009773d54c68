package twin_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// withoutFields is a source that has no fields.
type withoutFields struct{ twin.Source }

func (s withoutFields) Rows(ctx context.Context, q *twin.Query, row func([]any) error) error {
	if q.Table.Name == "AD_Field" {
		return nil
	}
	return s.Source.Rows(ctx, q, row)
}

func TestFromTwin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opts := orders()
	opts.Password = ""
	report, err := twin.Clone(t.Context(), newSmall(database(t, live())), dir, opts)
	require.NoError(t, err)
	before, err := os.ReadFile(twin.InFolder(dir))
	require.NoError(t, err)
	info, err := os.Stat(twin.InFolder(dir))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	one, other := erptest.New(t, erptest.FromTwin(dir)), erptest.New(t, erptest.FromTwin(dir))
	c := client(t, one, "GardenAdmin", 11, 102)
	first, err := c.Query(t.Context(), "C_BPartner", &erp.Query{OrderBy: []string{"C_BPartner_ID"}, Top: 1})
	require.NoError(t, err)
	_, err = c.Update(t.Context(), "C_BPartner", first.Records[0].ID(), map[string]any{"Description": "of one"})
	require.NoError(t, err)
	seen, err := client(t, other, "GardenAdmin", 11, 102).Get(t.Context(), "C_BPartner", first.Records[0].ID(), nil)
	require.NoError(t, err)
	text, _ := seen.Text("Description")
	assert.NotEqual(t, "of one", text)
	require.NoError(t, one.Close())
	after, err := os.ReadFile(twin.InFolder(dir))
	require.NoError(t, err)
	assert.Equal(t, before, after, "the twin is never changed")

	// Users log in with the password that was told, and with no other.
	_, err = logIn(t, other, "GardenAdmin", report.Password)
	require.NoError(t, err)
	_, err = logIn(t, other, "GardenAdmin", "GardenAdmin")
	require.ErrorContains(t, err, "Invalid User ID or Password")

	// Served as it is, the file changes, and says which tables.
	served, err := erptest.Open(t.Context(), erptest.Options{Path: twin.InFolder(dir)})
	require.NoError(t, err)
	require.NoError(t, served.SetConfig(t.Context(), "SOMETHING", "else"))
	third, err := erptest.Open(t.Context(), erptest.FromTwin(dir)) // with what is in the journal only
	require.NoError(t, err)
	assert.NoError(t, third.Close())
	require.NoError(t, served.Close())
	now, err := twin.Verify(t.Context(), twin.InFolder(dir))
	require.NoError(t, err)
	assert.Contains(t, now.Changed, "AD_SysConfig")
	assert.NotContains(t, now.Changed, "C_Order")
}

func TestNoTwin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := erptest.Open(t.Context(), erptest.FromTwin(dir))
	require.ErrorContains(t, err, "make one with erphub sandbox clone")
	plain, err := erptest.Open(t.Context(), erptest.Options{Path: twin.InFolder(dir)})
	require.NoError(t, err)
	require.NoError(t, plain.Close())
	_, err = erptest.Open(t.Context(), erptest.FromTwin(dir))
	require.ErrorContains(t, err, "it is a sandbox, but no twin")
	_, err = twin.Verify(t.Context(), twin.InFolder(dir))
	require.ErrorIs(t, err, twin.ErrNoTwin)
	_, err = twin.Clone(t.Context(), newSmall(database(t, live())), dir, orders())
	require.ErrorContains(t, err, "is no twin, so it stays as it is")
	_, err = erptest.Open(t.Context(), erptest.Options{Path: "x", Twin: dir})
	require.ErrorContains(t, err, "exclude each other")
}

// A link to a folder of something else, or a mistyped name, makes no twin there.
func TestFolderOfSomethingElse(t *testing.T) {
	t.Parallel()
	other, link := t.TempDir(), filepath.Join(t.TempDir(), "twin")
	require.NoError(t, os.WriteFile(filepath.Join(other, "passwd"), []byte("root"), 0o600))
	require.NoError(t, os.Symlink(other, link))
	_, err := twin.Clone(t.Context(), newSmall(database(t, live())), link, orders())
	require.ErrorContains(t, err, "has other files in it, such as passwd, and no twin")
	entries, err := os.ReadDir(other)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestVersionsAndDamage(t *testing.T) {
	t.Parallel()
	source, _ := whole()
	whole, err := os.ReadFile(twin.InFolder(source))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		change func(t *testing.T, path string)
		want   string
		is     error
	}{
		"a newer version": {func(t *testing.T, path string) { mark(t, path, `UPDATE ERPHUB_Twin SET Rows=99 WHERE Name=''`) },
			"it has form 99, and this erphub reads form 1 alone", twin.ErrVersion},
		"an unknown version": {func(t *testing.T, path string) { mark(t, path, `UPDATE ERPHUB_Twin SET Rows=0 WHERE Name=''`) },
			"it has form 0, and this erphub reads form 1 alone", twin.ErrVersion},
		"no head":    {func(t *testing.T, path string) { mark(t, path, `DELETE FROM ERPHUB_Twin WHERE Name=''`) }, "clone it again", twin.ErrDamaged},
		"a bad head": {func(t *testing.T, path string) { mark(t, path, `UPDATE ERPHUB_Twin SET Info='{' WHERE Name=''`) }, "clone it again", twin.ErrDamaged},
		"cut off":    {func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, int64(len(whole)/2/4096*4096))) }, "", twin.ErrDamaged},
		"overwritten": {func(t *testing.T, path string) {
			data := append([]byte(nil), whole...)
			for i := len(data) / 4; i < len(data)*3/4; i++ {
				data[i] = 0xa5
			}
			require.NoError(t, os.WriteFile(path, data, 0o600))
		}, "", twin.ErrDamaged},
		"no database": {func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("some text"), 0o600)) }, "", twin.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := twin.InFolder(dir)
			require.NoError(t, os.WriteFile(path, whole, 0o600))
			c.change(t, path)
			_, err := twin.Verify(t.Context(), path)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.want)
			if c.want != "" {
				_, err = erptest.Open(t.Context(), erptest.FromTwin(dir))
				require.ErrorContains(t, err, c.want)
				_, err = erptest.Open(t.Context(), erptest.Options{Path: path})
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

package docsearch_test

import (
	"bytes"
	"context"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp/internal/docsearch"
)

func write(t *testing.T, parts ...string) {
	t.Helper()
	path := filepath.Join(parts[:len(parts)-1]...)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(parts[len(parts)-1]), 0o644))
}

func open(t *testing.T, o *docsearch.Options, folders ...string) *docsearch.Library {
	t.Helper()
	l, err := docsearch.Open(t.Context(), folders, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.Close()) })
	return l
}

func sources(t *testing.T, l *docsearch.Library, question string) []string {
	t.Helper()
	found, err := l.Search(t.Context(), question, 20)
	require.NoError(t, err)
	out := []string{}
	for _, h := range found.Hits {
		out = append(out, h.Source)
	}
	return out
}

func TestLibrary(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	write(t, dir, "guide", "setup.md", "# Setup\n## Database\nunicorn settings")
	write(t, dir, "README.markdown", "unicorn overview")
	write(t, dir, "notes.txt", "unicorn text")
	write(t, dir, ".git", "x.md", "unicorn hidden")
	write(t, dir, ".hidden.md", "unicorn hidden")
	write(t, dir, "huge.md", strings.Repeat("unicorn ", 1000))
	write(t, outside, "secret.md", "unicorn secret")
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(dir, "link.md")))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "linked")))
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "round")))
	var log bytes.Buffer
	l := open(t, &docsearch.Options{MaxFile: 4000, Fresh: -1, Logger: slog.New(slog.NewTextHandler(&log, nil))}, dir)
	assert.ElementsMatch(t, []string{"guide/setup.md", "README.markdown"}, sources(t, l, "unicorn"))
	assert.Contains(t, log.String(), "huge.md")
	assert.Equal(t, 2, l.Len())
	found, err := l.Search(t.Context(), "database", 1)
	require.NoError(t, err)
	assert.Equal(t, "Setup", found.Hits[0].Title)
	assert.Equal(t, "Database", found.Hits[0].Heading)

	// What changes is found, what is gone is not.
	write(t, dir, "new.md", "griffin facts")
	assert.Equal(t, []string{"new.md"}, sources(t, l, "griffin"))
	write(t, dir, "new.md", "phoenix facts, longer than before")
	assert.Empty(t, sources(t, l, "griffin"))
	assert.Equal(t, []string{"new.md"}, sources(t, l, "phoenix"))
	require.NoError(t, os.Remove(filepath.Join(dir, "new.md")))
	assert.Empty(t, sources(t, l, "phoenix"))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = l.Search(ctx, "unicorn", 1)
	require.ErrorIs(t, err, context.Canceled)
	assert.Len(t, sources(t, l, "unicorn"), 2, "a search that was given up takes nothing away")
}

func TestLibraryOfSeveralFolders(t *testing.T) {
	t.Parallel()
	a, b := filepath.Join(t.TempDir(), "docs"), filepath.Join(t.TempDir(), "docs")
	write(t, a, "x.md", "unicorn")
	write(t, b, "x.md", "unicorn")
	l := open(t, nil, a, b)
	assert.ElementsMatch(t, []string{"docs/x.md", "docs-2/x.md"}, sources(t, l, "unicorn"))
	write(t, a, "y.md", "griffin")
	assert.Empty(t, sources(t, l, "griffin"), "it was looked at a moment ago")
	require.NoError(t, l.Refresh(t.Context()))
	assert.Equal(t, []string{"docs/y.md"}, sources(t, l, "griffin"))

	few := open(t, &docsearch.Options{MaxFiles: 1}, a)
	assert.Equal(t, 1, few.Len())
	empty := open(t, nil)
	assert.Empty(t, sources(t, empty, "unicorn"))
	_, err := docsearch.Open(t.Context(), []string{a, filepath.Join(a, "none")}, nil)
	require.ErrorContains(t, err, "open the folder of documents")
}

func TestLibraryForMany(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "x.md", "unicorn")
	l := open(t, &docsearch.Options{Fresh: time.Nanosecond}, dir)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				if i == 0 {
					assert.NoError(t, os.WriteFile(filepath.Join(dir, "y.md"), []byte("griffin"), 0o644))
					assert.NoError(t, l.Refresh(context.WithoutCancel(t.Context())))
				}
				found, err := l.Search(context.WithoutCancel(t.Context()), "unicorn", 5)
				assert.NoError(t, err)
				assert.Len(t, found.Hits, 1)
			}
		})
	}
	wg.Wait()
}

func TestDictionary(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		for _, statement := range []string{
			`UPDATE AD_Table SET Description = 'Agreed deliveries', Help = 'An order becomes binding when it is completed.' WHERE TableName = 'C_Order'`,
			`UPDATE AD_Column SET Description = 'Short text on documents', Help = 'Short text on documents' WHERE ColumnName = 'TaxIndicator'`,
			`UPDATE AD_Process SET Help = 'Brings the physical column up to date.' WHERE Value = 'AD_Column Sync'`,
		} {
			if _, err := tx.ExecContext(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	}, "AD_Table", "AD_Column", "AD_Process"))
	source, err := dbdict.New(srv.Database(), dbdict.SQLite, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, source.Close()) })
	catalog, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	passages, err := docsearch.Dictionary(t.Context(), catalog)
	require.NoError(t, err)
	x := docsearch.NewIndex(passages)
	for question, want := range map[string]string{
		"when is an order binding":       "dictionary, table C_Order",
		"indicator":                      "dictionary, column TaxIndicator",
		"bring physical columns to date": "dictionary, process AD_Column Sync",
	} {
		hits := x.Search(question, 10).Hits
		require.NotEmpty(t, hits, question)
		assert.Equal(t, want, hits[0].Source, question)
		assert.Equal(t, docsearch.KindDictionary, hits[0].Kind)
	}
	taxes := 0
	for _, p := range passages {
		if p.Source == "dictionary, column TaxIndicator" {
			taxes++
			assert.Equal(t, "Short text on documents", p.Text, "the help is the same as the description")
		}
	}
	assert.Equal(t, 1, taxes, "columns of several tables with the same words are one")
}

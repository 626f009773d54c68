package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	gosync "sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// numbers is a table with a key, a group and a name.
func numbers(name string) *store.Table {
	return table(name, key(name+"_ID"), text("Name", 60), store.Column{Name: "SeqNo", Ref: displaytype.Integer})
}

// openStores opens a store in memory and one in a file, each with the table and
// some rows.
func openStores(t *testing.T, number *store.Table, rows int) map[string]*store.Store {
	t.Helper()
	out := map[string]*store.Store{}
	for name, path := range map[string]string{"memory": "", "file": filepath.Join(t.TempDir(), "erp.db")} {
		s, err := store.Open(t.Context(), path, store.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, s.Close()) })
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.CreateTable(t.Context(), number); err != nil {
				return err
			}
			for i := range rows {
				if err := insertNumber(t.Context(), tx, number, int64(i+1)); err != nil {
					return err
				}
			}
			return nil
		}))
		out[name] = s
	}
	return out
}

func insertNumber(ctx context.Context, tx *store.Tx, number *store.Table, n int64) error {
	return tx.Insert(ctx, number, store.Row{number.Name + "_ID": n, "Name": fmt.Sprintf("N%d", n%7), "SeqNo": n % 5})
}

// Readers see the state they began with while a writer is at work, and the next
// one sees what was written.
func TestReadersGoOnBesideTheWriter(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	number := numbers("X_Number")
	s := openStores(t, number, 10)["file"]
	count := func() (n int) {
		require.NoError(t, s.View(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.Count(ctx, number, "")
			return err
		}))
		return n
	}
	read := s.Reader()
	defer read.Close()
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
		if err := insertNumber(ctx, tx, number, 11); err != nil {
			return err
		}
		// In this goroutine: what waited for the writer would wait for ever.
		assert.Equal(t, 10, count(), "a reader saw what was not committed")
		var n int
		assert.NoError(t, read.QueryRowContext(ctx, `SELECT COUNT(*) FROM X_Number`).Scan(&n))
		assert.Equal(t, 10, n, "a reader beside the server saw what was not committed")
		return nil
	}))
	assert.Equal(t, 11, count())
}

// Totals and pages that are remembered are those that reading everything gives,
// whatever is written at the same time.
func TestTotalsAndPagesAreRight(t *testing.T) {
	t.Parallel()
	number, other := numbers("X_Number"), numbers("X_Other")
	for name, s := range openStores(t, number, 900) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
				_, err := tx.CreateTable(ctx, other)
				return err
			}))
			stop := make(chan struct{})
			var writer, readers gosync.WaitGroup
			writer.Go(func() {
				for i := int64(0); ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					assert.NoError(t, s.Update(ctx, func(tx *store.Tx) error { return change(ctx, tx, number, other, i) }))
				}
			})
			for seed := range uint64(3) {
				readers.Go(func() {
					random := rand.New(rand.NewPCG(seed, 1))
					for range 25 {
						if !assert.NoError(t, s.View(ctx, func(tx *store.Tx) error { return compare(t, tx, number, random) })) {
							return
						}
					}
				})
			}
			readers.Wait()
			close(stop)
			writer.Wait()
		})
	}
}

// change is one of several ways of changing what lists depend on.
func change(ctx context.Context, tx *store.Tx, number, other *store.Table, i int64) error {
	switch i % 5 {
	case 0:
		return insertNumber(ctx, tx, number, 10_000+i)
	case 1:
		_, err := tx.Delete(ctx, number, "X_Number_ID=?", i*3%900)
		return err
	case 2:
		return insertNumber(ctx, tx, other, i)
	case 3:
		_, err := tx.Exec(ctx, `UPDATE X_Number SET SeqNo=3 WHERE X_Number_ID=?`, i*7%900)
		return err
	default: // nothing, so that something is remembered at times
		return nil
	}
}

// compare holds what is remembered against what is counted and read whole.
func compare(t *testing.T, tx *store.Tx, number *store.Table, random *rand.Rand) error {
	ctx := t.Context()
	key := store.Expr(number, number.KeyColumn())
	sel := store.Selection{
		Where:   []string{"", `"X_Number"."SeqNo"<>?`, `"X_Number"."X_Number_ID" NOT IN (SELECT o.X_Other_ID FROM X_Other o WHERE o.SeqNo<>?)`}[random.IntN(3)],
		OrderBy: []string{key + " ASC NULLS LAST", key + " DESC NULLS FIRST", `"X_Number"."Name" ASC NULLS LAST, ` + key + " ASC NULLS LAST", `"X_Number"."Name" ASC NULLS LAST`}[random.IntN(4)],
		Limit:   50, Offset: 50 * random.IntN(18),
	}
	if sel.Where != "" {
		sel.Args = []any{int64(random.IntN(3))}
	}
	for range 3 { // pages that follow each other
		total, err := tx.Total(ctx, number, sel.Where, sel.Args...)
		if err != nil {
			return err
		}
		counted, err := tx.Count(ctx, number, sel.Where, sel.Args...)
		if err != nil {
			return err
		}
		page, err := tx.Page(ctx, number, sel)
		if err != nil {
			return err
		}
		plain := sel
		if !strings.HasPrefix(plain.OrderBy, key) {
			plain.OrderBy = `"X_Number"."Name" ASC NULLS LAST, ` + key
		}
		rows, err := tx.Select(ctx, number, plain)
		if err != nil {
			return err
		}
		assert.Equal(t, counted, total, "total of %+v", sel)
		assert.Equal(t, rows, page.Rows(), "page of %+v", sel)
		sel.Offset += sel.Limit
	}
	return nil
}

// What is read page by page is counted once, and each page is found where the one
// before ended.
func TestPagesAreNotCountedAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	number, other := numbers("X_Number"), numbers("X_Other")
	s := openStores(t, number, 1000)["file"]
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.CreateTable(ctx, other)
		return err
	}))
	condition := `"X_Number"."SeqNo">=? AND "X_Number"."X_Number_ID" NOT IN (SELECT X_Other_ID FROM X_Other)`
	total := func() (n int) {
		require.NoError(t, s.View(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.Total(ctx, number, condition, int64(0))
			return err
		}))
		return n
	}
	// Behind the store's back, so that what is remembered can be told from what is counted.
	behind := func(statement string) {
		_, err := store.WriterOf(s).ExecContext(ctx, statement)
		require.NoError(t, err)
	}
	require.Equal(t, 1000, total())
	behind(`DELETE FROM X_Number WHERE X_Number_ID=1000`)
	require.Equal(t, 1000, total(), "counted again")
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error { return insertNumber(ctx, tx, other, 5000) }))
	require.Equal(t, 999, total(), "a table in the condition changed")

	page := func(offset int) int64 {
		var first int64
		require.NoError(t, s.View(ctx, func(tx *store.Tx) error {
			rows, err := tx.Page(ctx, number, store.Selection{
				Where: condition, Args: []any{int64(0)}, OrderBy: store.Expr(number, number.KeyColumn()) + " ASC NULLS LAST", Limit: 100, Offset: offset,
			})
			if err == nil {
				first = rows.Row(0).Int("X_Number_ID")
			}
			return err
		}))
		return first
	}
	require.Equal(t, int64(1), page(0))
	behind(`DELETE FROM X_Number WHERE X_Number_ID<=50`)
	require.Equal(t, int64(101), page(100), "what came before was passed over again")
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Delete(ctx, number, "X_Number_ID=?", 60)
		return err
	}))
	require.Equal(t, int64(252), page(200), "it was changed")
	require.Equal(t, 948, total())
}

// What a list depends on is known from one with other parameters, until something
// of that changes.
func TestTotalsOfOtherParameters(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	number, other := numbers("X_Number"), numbers("X_Other")
	s := openStores(t, number, 1000)["file"]
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.CreateTable(ctx, other)
		return err
	}))
	total := func(from int64) (n int) {
		require.NoError(t, s.View(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.Total(ctx, number, `"X_Number"."X_Number_ID">? AND "X_Number"."X_Number_ID" NOT IN (SELECT X_Other_ID FROM X_Other)`, from)
			return err
		}))
		return n
	}
	behind := func(statement string) {
		_, err := store.WriterOf(s).ExecContext(ctx, statement)
		require.NoError(t, err)
	}
	require.Equal(t, 1000, total(0))
	require.Equal(t, 900, total(100))
	behind(`DELETE FROM X_Number WHERE X_Number_ID=1000`)
	require.Equal(t, 900, total(100), "counted again")
	for i, id := range []int64{500, 501, 502} {
		require.NoError(t, s.Update(ctx, func(tx *store.Tx) error { return insertNumber(ctx, tx, other, id) }))
		require.Equal(t, 898-i, total(100), "a table in the condition changed")
		require.Equal(t, 798-i, total(200), "a table in the condition changed")
	}
}

// A filter that tells the time is not remembered.
func TestTotalsThatMove(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]bool{
		`"X"."Created"<datetime('now')`: true, `Created < CURRENT_TIMESTAMP`: true, `random()>0`: true, `julianday ()>1`: true,
		`"X"."UpdateTime"=?`: false, `"X"."DateTime"=?`: false, `mydate(1)`: false,
	} {
		assert.Equal(t, want, store.Moves(condition), strings.TrimSpace(condition))
	}
}

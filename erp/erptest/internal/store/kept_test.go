package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// What a writing transaction remembers of its reads is what reading anew gives,
// whatever it writes and undoes in between.
func TestKeptReadsAreRight(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	number, other := numbers("X_Number"), numbers("X_Other")
	s := openStores(t, number, 40)["memory"]
	random := rand.New(rand.NewPCG(7, 1))
	undone := errors.New("undone")
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.CreateTable(ctx, other); err != nil {
			return err
		}
		next := int64(1000)
		var act func(depth int) error
		act = func(depth int) error {
			for range 6 {
				next++
				group := random.Int64N(5)
				var err error
				switch random.IntN(8) {
				case 0:
					err = insertNumber(ctx, tx, number, next)
				case 1:
					_, err = tx.Set(ctx, number, store.Row{"Name": fmt.Sprint("n", next)}, "SeqNo=?", group)
				case 2:
					_, err = tx.Delete(ctx, number, "X_Number_ID=?", random.Int64N(40))
				case 3:
					_, err = tx.Exec(ctx, "UPDATE X_Number SET SeqNo=SeqNo+1 WHERE X_Number_ID%3=?", group)
				case 4:
					_, err = tx.Exec(ctx, "REPLACE INTO X_Number(X_Number_ID, Name, SeqNo) VALUES(?,'r',?)", next, group)
				case 5:
					err = insertNumber(ctx, tx, other, next)
				default:
					if depth < 3 {
						undo := random.IntN(2) == 0
						err = tx.Savepoint(ctx, func() error {
							if err := act(depth + 1); err != nil || !undo {
								return err
							}
							return undone
						})
						if errors.Is(err, undone) {
							err = nil
						}
					}
				}
				if err != nil {
					return err
				}
				for range 6 {
					query := []string{
						`SELECT X_Number_ID, Name FROM X_Number WHERE SeqNo=? ORDER BY X_Number_ID LIMIT 9`,
						`SELECT COUNT(*) FROM X_Number WHERE SeqNo>? AND Name NOT IN (SELECT Name FROM X_Other)`,
					}[random.IntN(2)]
					arg := random.Int64N(3)
					got, err := tx.Values(ctx, query, arg)
					if err != nil {
						return err
					}
					want, err := store.ReadAnew(ctx, tx, query, arg)
					if err != nil {
						return err
					}
					if !assert.Equal(t, want, got, query) {
						return errors.New("stale")
					}
				}
			}
			return nil
		}
		for range 40 {
			if err := act(0); err != nil {
				return err
			}
		}
		return nil
	}))
}

// A read that is repeated in a writing transaction is not run again; a reading
// transaction, whose neighbours write, remembers nothing.
func TestRepeatedReadsAreKept(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	number := numbers("X_Number")
	s := openStores(t, number, 3)["memory"]
	const query = `SELECT Name FROM X_Number WHERE X_Number_ID=?`
	read := func(tx *store.Tx) error {
		for range 3 {
			if _, err := tx.Values(ctx, query, int64(1)); err != nil {
				return err
			}
		}
		return nil
	}
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
		if err := read(tx); err != nil {
			return err
		}
		assert.Equal(t, 1, store.Kept(tx))
		if _, err := tx.Values(ctx, `SELECT random() FROM X_Number`); err != nil {
			return err
		}
		if err := insertNumber(ctx, tx, number, 9); err != nil {
			return err
		}
		assert.Zero(t, store.Kept(tx), "the table was written to")
		for range 3 {
			if _, err := tx.Values(ctx, `SELECT random() FROM X_Number`); err != nil {
				return err
			}
		}
		assert.Zero(t, store.Kept(tx), "it moves by itself")
		return nil
	}))
	require.NoError(t, s.Update(ctx, read))
	require.EqualError(t, s.Update(ctx, func(tx *store.Tx) error {
		assert.Equal(t, 1, store.Kept(tx), "of the transaction before")
		_, err := tx.Set(ctx, number, store.Row{"Name": "new"}, "X_Number_ID=1")
		if err == nil {
			err = read(tx)
		}
		return errors.Join(err, errors.New("undone"))
	}), "undone")
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
		assert.Zero(t, store.Kept(tx), "it was undone")
		found, err := tx.Values(ctx, query, int64(1))
		assert.Equal(t, [][]any{{"N1"}}, found)
		return err
	}))
	require.NoError(t, s.View(ctx, func(tx *store.Tx) error {
		err := read(tx)
		assert.Zero(t, store.Kept(tx))
		return err
	}))
}

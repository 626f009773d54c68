package twin

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// settle makes of the rows a database that the embedded ERP serves.
func (c *clone) settle(ctx context.Context, tables []*store.Table) error {
	// Rows that are left out may leave others behind that refer to them.
	err := c.step(ctx, "dangling", func() error {
		for again := true; again; {
			again = false
			for _, t := range tables {
				removed, err := c.repair(ctx, t)
				if err != nil {
					return err
				}
				again = again || removed
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.step(ctx, "what rules hide", func() error { return c.hidden(ctx, tables) }); err != nil {
		return err
	}
	if err := c.step(ctx, "indexes", func() error {
		for _, t := range tables {
			if err := c.index(ctx, t); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := c.step(ctx, "sequences", func() error { return c.sequences(ctx, tables) }); err != nil {
		return err
	}
	if err := c.step(ctx, "virtual columns", func() error { return c.virtualColumns(ctx) }); err != nil {
		return err
	}
	return c.step(ctx, "equipment", func() error { return c.work.Update(ctx, func(tx *store.Tx) error { return c.equip(ctx, tx) }) })
}

// equip adds what the embedded ERP needs, and its views, and notes what they lack.
func (c *clone) equip(ctx context.Context, tx *store.Tx) error {
	added, views, err := seed.Equip(ctx, tx)
	if err == nil && len(added) > 0 {
		slices.Sort(added)
		err = c.note(ctx, tx, fmt.Sprintf("the embedded ERP needs %d tables or columns that the ERP does not have, which are empty: %s", len(added), strings.Join(added, ", ")))
	}
	if err == nil && len(views) > 0 {
		slices.Sort(views)
		err = c.note(ctx, tx, fmt.Sprintf("what %d views or columns of views show is not known here: the views answer 404, the columns are empty: %s", len(views), strings.Join(views, ", ")))
	}
	return err
}

// index makes the indexes of a table.
func (c *clone) index(ctx context.Context, t *store.Table) error {
	return c.work.Update(ctx, func(tx *store.Tx) error {
		for _, statement := range seed.IndexStatements(t) {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("indexing %s: %w", t.Name, err)
			}
		}
		return nil
	})
}

// note keeps a sentence for the report.
func (c *clone) note(ctx context.Context, tx *store.Tx, text string) error {
	var notes []string
	if _, err := loadIn(ctx, tx, "notes", &notes); err != nil {
		return err
	}
	if slices.Contains(notes, text) {
		return nil
	}
	return save(ctx, tx, "notes", append(notes, text))
}

// standing are references that every row has; where theirs leads nowhere they are
// set to the system's.
var standing = map[string]int64{"CREATEDBY": 0, "UPDATEDBY": 0, "AD_ORG_ID": 0}

// repair empties the references of a table that lead nowhere. Where one must not be
// empty the row is left out; removed reports whether there was such a row.
func (c *clone) repair(ctx context.Context, t *store.Table) (removed bool, err error) {
	err = c.work.Update(ctx, func(tx *store.Tx) error {
		if empty, err := isEmpty(ctx, tx, t); err != nil || empty {
			return err
		}
		refs, err := c.danglingRefs(ctx, tx, t, 0)
		if err != nil {
			return err
		}
		var notes TableReport
		for _, r := range refs {
			if r.multi {
				err = c.repairMulti(ctx, tx, t, r, &notes)
			} else {
				err = c.repairOne(ctx, tx, t, r.column, r.dangling(t, 0), &notes, &removed)
			}
			if err != nil {
				return err
			}
		}
		err = c.eachPair(ctx, tx, t, func(_ *store.Table, _ *store.Column, id int64, condition string) error {
			record, _ := t.Column("Record_ID")
			return c.repairOne(ctx, tx, t, record, condition, &notes, &removed, id)
		})
		if err != nil || len(notes.Emptied)+len(notes.LeftOut) == 0 {
			return err
		}
		var st tableState
		if _, err := loadIn(ctx, tx, "table:"+t.Name, &st); err != nil {
			return err
		}
		st.Report.add(&notes)
		return save(ctx, tx, "table:"+t.Name, &st)
	})
	if err != nil {
		return false, fmt.Errorf("looking for references of %s that lead nowhere: %w", t.Name, err)
	}
	return removed, nil
}

func (c *clone) repairOne(ctx context.Context, tx *store.Tx, t *store.Table, col *store.Column, condition string, notes *TableReport, removed *bool, args ...any) error {
	name, table := sqlquote.Name(col.Name), sqlquote.Name(t.Name)
	statement, emptied := "", true
	substitute, everywhere := standing[strings.ToUpper(col.Name)]
	switch {
	case everywhere:
		statement = fmt.Sprintf("UPDATE %s SET %s=%d WHERE %s", table, name, substitute, condition)
	case col.Mandatory || slices.Contains(t.KeyColumns(), col):
		statement, emptied = "DELETE FROM "+table+" WHERE "+condition, false
	default:
		statement = "UPDATE " + table + " SET " + name + "=NULL WHERE " + condition
	}
	res, err := tx.Exec(ctx, statement, args...)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return err
	}
	if emptied {
		count(&notes.Emptied, col.Name, n)
		return nil
	}
	count(&notes.LeftOut, col.Name+" leads to no row of the twin", n)
	notes.Rows -= n
	*removed = true
	return nil
}

// repairMulti takes out of values with several keys those that lead nowhere.
func (c *clone) repairMulti(ctx context.Context, tx *store.Tx, t *store.Table, r ref, notes *TableReport) error {
	values, err := distinct(ctx, tx, t, r.column)
	if err != nil {
		return err
	}
	for _, v := range values {
		var kept []string
		keys := splitKeys(v)
		for _, key := range keys {
			var n int
			if err := tx.QueryRow(ctx, "SELECT COUNT(*) FROM "+sqlquote.Name(r.target.Name)+" WHERE "+sqlquote.Name(r.key.Name)+"=CAST(? AS "+affinity(r.key)+")", key).Scan(&n); err != nil {
				return err
			}
			if n > 0 {
				kept = append(kept, key)
			}
		}
		if len(kept) == len(keys) {
			continue
		}
		var with any
		if len(kept) > 0 || r.column.Mandatory {
			with = strings.Join(kept, ",")
		}
		res, err := tx.Exec(ctx, "UPDATE "+sqlquote.Name(t.Name)+" SET "+sqlquote.Name(r.column.Name)+"=? WHERE "+sqlquote.Name(r.column.Name)+"=?", with, v)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		count(&notes.Emptied, r.column.Name, n)
	}
	return nil
}

// sequences has new records numbered above those that are there: an ERP may count
// elsewhere, and the role may not see where.
func (c *clone) sequences(ctx context.Context, tables []*store.Table) error {
	return c.work.Update(ctx, func(tx *store.Tx) error {
		for _, t := range tables {
			key := tableOf(t).Key
			if key == "" {
				continue
			}
			var last int64
			err := tx.QueryRow(ctx, "SELECT COALESCE(MAX("+sqlquote.Name(key)+"),0) FROM "+sqlquote.Name(t.Name)+" WHERE "+sqlquote.Name(key)+"<?", math.MaxInt32).Scan(&last)
			if err != nil {
				return err
			}
			if last < store.FirstCustomID || strings.EqualFold(t.Name, "AD_Sequence") {
				continue
			}
			if err := ensureSequence(ctx, tx, t.Name); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `UPDATE AD_Sequence SET CurrentNext=? WHERE Name=? COLLATE NOCASE AND IsTableID='Y' AND CurrentNext<=?`, last+1, t.Name, last); err != nil {
				return err
			}
		}
		return nil
	})
}

// ensureSequence makes the sequence of a table unless there is one: the same row in
// each clone.
func ensureSequence(ctx context.Context, tx *store.Tx, table string) error {
	const of = ` WHERE Name=? COLLATE NOCASE AND IsTableID='Y'`
	var n int
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM AD_Sequence`+of, table).Scan(&n); err != nil || n > 0 {
		return err
	}
	if err := tx.EnsureSequence(ctx, table); err != nil {
		return err
	}
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte("AD_Sequence "+table)).String()
	_, err := tx.Exec(ctx, `UPDATE AD_Sequence SET AD_Sequence_UU=?, Created='1970-01-01 00:00:00', Updated='1970-01-01 00:00:00'`+of, id, table)
	return err
}

// virtualColumns has columns be empty whose SQL the embedded database cannot run.
func (c *clone) virtualColumns(ctx context.Context) error {
	type column struct {
		id   int64
		name string
	}
	var failing []column
	db := c.work.Reader() // which cannot write, whatever the dictionary says
	defer db.Close()      //nolint:errcheck // it was only read
	err := c.work.View(ctx, func(tx *store.Tx) error {
		byID, err := tx.TableNames(ctx)
		if err != nil {
			return err
		}
		for _, name := range byID {
			t, err := tx.Table(ctx, name)
			if err != nil {
				return err
			}
			exists, err := tx.TableExists(ctx, name)
			if err != nil {
				return err
			}
			for _, col := range t.Columns {
				if !exists || !col.IsVirtual() || strings.HasPrefix(col.ColumnSQL, "@") {
					continue
				}
				if err := tryColumn(ctx, db, t, col); err != nil {
					if ctx.Err() != nil {
						return ctx.Err()
					}
					failing = append(failing, column{col.ID, t.Name + "." + col.Name})
				}
			}
		}
		return nil
	})
	if err != nil || len(failing) == 0 {
		return err
	}
	return c.work.Update(ctx, func(tx *store.Tx) error {
		var list []string
		for _, f := range failing {
			if _, err := tx.Exec(ctx, `UPDATE AD_Column SET ColumnSQL='NULL' WHERE AD_Column_ID=?`, f.id); err != nil {
				return err
			}
			list = append(list, f.name)
		}
		tx.DictionaryChanged()
		slices.Sort(list)
		return c.note(ctx, tx, fmt.Sprintf("%d virtual columns are empty, because the embedded database cannot run their SQL: %s", len(list), strings.Join(list, ", ")))
	})
}

func tryColumn(ctx context.Context, db *sql.DB, t *store.Table, col *store.Column) error {
	rows, err := db.QueryContext(ctx, "SELECT "+store.Expr(t, col)+" FROM "+sqlquote.Name(t.Name)+" LIMIT 1")
	if err != nil {
		return err
	}
	rows.Next()
	return errors.Join(rows.Err(), rows.Close())
}

// setPasswords lets the users of the twin log in.
func (c *clone) setPasswords(ctx context.Context) error {
	password := cmp.Or(c.opts.Password, rand.Text())
	salt := rand.Text()
	hash := seed.HashPassword(password, salt)
	err := c.work.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE AD_User SET Password=?, Salt=? WHERE AD_User_ID IN (SELECT AD_User_ID FROM AD_User_Roles)`, hash, salt)
		return err
	})
	if err != nil {
		return fmt.Errorf("setting the password of the users: %w", err)
	}
	c.report.Password = password
	return nil
}

// replace puts the finished work in the place of the twin.
func replace(work, path string) (size int64, err error) {
	info, err := os.Stat(work)
	if err != nil {
		return 0, err
	}
	f, err := os.OpenFile(work, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	for _, suffix := range []string{"-wal", "-shm"} { // they belong to the file that goes
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
	}
	if err := os.Rename(work, path); err != nil {
		return 0, err
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // so that a power failure does not undo it
		_ = dir.Sync() // not every system can
		_ = dir.Close()
	}
	return info.Size(), nil
}

package seed

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// addViews gives a database whose dictionary came from another ERP the views that the
// demo database has, after its tables. It returns those that it could not give it, and
// columns of the other ERP that a view does not show, as View or View.Column.
func addViews(ctx context.Context, tx *store.Tx) (missing []string, err error) {
	views, err := ownViews()
	if err != nil {
		return nil, err
	}
	for _, statement := range []string{"DROP TABLE IF EXISTS " + store.ViewTable, store.ViewSQL} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	known := map[string]bool{}
	for _, v := range views {
		t, err := tx.Table(ctx, v.Name)
		switch {
		case err != nil && !errors.Is(err, store.ErrNoTable):
			return nil, err
		case err != nil: // another one may read it
		case !t.IsView:
			continue
		default:
			missing = append(missing, widen(&v, t)...)
		}
		if err := tx.AddView(ctx, v); err != nil {
			return nil, err
		}
		if _, err := tx.Values(ctx, "SELECT * FROM "+sqlquote.Name(v.Name)+" LIMIT 0"); err == nil {
			known[strings.ToUpper(v.Name)] = true
		} else if _, err := tx.Exec(ctx, "DELETE FROM "+store.ViewTable+" WHERE TableName=?", v.Name); err != nil {
			return nil, err
		}
	}
	rows, err := tx.Values(ctx, "SELECT TableName FROM AD_Table WHERE IsView='Y' AND IsActive='Y'")
	for _, row := range rows {
		if name := store.TextOf(row[0]); !known[strings.ToUpper(name)] {
			missing = append(missing, name)
		}
	}
	return missing, err
}

// widen has a view show nothing in the columns that only the other ERP has, and returns
// their names.
func widen(v *store.View, t *store.Table) (missing []string) {
	shown := map[string]bool{}
	for line := range strings.Lines(v.Columns) {
		name, _, _ := strings.Cut(line, " ")
		shown[strings.ToUpper(name)] = true
	}
	var own, theirs []string
	for _, c := range t.Columns {
		name, lower := sqlquote.Name(c.Name), sqlquote.Name(strings.ToLower(c.Name))
		switch {
		case c.IsVirtual():
		case shown[strings.ToUpper(c.Name)]:
			own, theirs = append(own, "v."+name), append(theirs, "v."+lower)
		default:
			own, theirs = append(own, "NULL AS "+name), append(theirs, c.Missing()+" AS "+lower)
			missing = append(missing, t.Name+"."+c.Name)
		}
	}
	if len(missing) > 0 {
		v.SQLite = "SELECT " + strings.Join(own, ", ") + " FROM (" + v.SQLite + ") v"
		v.PostgreSQL = "SELECT " + strings.Join(theirs, ", ") + " FROM (" + v.PostgreSQL + ") v"
		v.Columns = store.ViewColumns(t)
	}
	return missing
}

// ownViews are the views of the demo database, which are read once.
var ownViews = sync.OnceValues(func() (views []store.View, err error) {
	err = viewDemo(func(ctx context.Context, tx *store.Tx) (err error) {
		views, err = tx.Views(ctx)
		return err
	})
	return views, err
})

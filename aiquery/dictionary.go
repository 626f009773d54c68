package aiquery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/dict/registry"
)

// DefaultRedact are the columns with plain secrets that are masked besides
// those whose names end in PASSWORD, APIKEY, SECRET, CREDITCARD or TOKEN and
// those the dictionary marks as secure or encrypted. A leading * stands for any
// text.
func DefaultRedact() []string {
	return []string{"*UserPW", "Salt", "Answer", "UserPIN", "CreditCardVV", "EncryptionKey"}
}

// redactedSuffixes are the specification's.
var redactedSuffixes = []string{"password", "apikey", "secret", "creditcard", "token"}

// dictionary is what the ERP's dictionary and its database say together, for
// all roles. It does not change.
type dictionary struct {
	catalog *run.Catalog
	tables  map[string]*dictTable // by physical name
	byID    map[int64]*dictTable
	names   map[int64]string // in lower case, of all tables of the dictionary
	// masked are columns that the dictionary marks as secure or encrypted, by
	// table and column and by column alone; lower case.
	masked map[string]bool
}

// dictTable is a table that the dictionary knows and the database has.
type dictTable struct {
	info    registry.Table // without columns
	rel     *run.Relation
	columns []guard.Column // physical columns that the dictionary knows
	ids     []int64        // their AD_Column_IDs
	other   []guard.Column // physical columns it does not know
	base    string         // of a translation table: the physical name of the table it translates
}

func (t *dictTable) physical() string { return t.rel.Name }

// redactor decides which columns are masked.
type redactor struct {
	suffixes []string
	exact    map[string]bool // column, or table.column
}

func newRedactor(o *Options) *redactor {
	r := &redactor{suffixes: redactedSuffixes, exact: map[string]bool{}}
	more := slices.Clone(o.Redact)
	if !o.NoDefaultRedact {
		more = append(more, DefaultRedact()...)
	}
	for _, name := range more {
		if suffix, ok := strings.CutPrefix(name, "*"); ok && suffix != "" {
			r.suffixes = append(slices.Clip(r.suffixes), strings.ToLower(suffix))
			continue
		}
		r.exact[strings.ToLower(name)] = true
	}
	return r
}

// Redacts reports whether queries mask the values of a column: by the end of its
// name, by the dictionary (secure, encrypted), or by [Options.Redact]; names are
// in any case of letters. With an empty or unknown table it reports whether the column of any
// table is masked. A view's column is judged by its own name alone here, while
// queries follow the data. It fails when the dictionary or the database cannot
// be read; nothing must be shown then.
func (e *Engine) Redacts(ctx context.Context, table, column string) (bool, error) {
	if e.redact.redacts(table, column) {
		return true, nil
	}
	d, err := e.policies.shared(ctx, e.opts.Clock())
	if err != nil {
		return true, e.refused(err, "")
	}
	table, column = strings.ToLower(table), strings.ToLower(column)
	if d.tables[table] == nil {
		return d.masked[column] || e.redact.anyTable(column), nil
	}
	return d.masked[table+"."+column], nil
}

// RedactsByName reports whether queries mask a column of any table because of its
// name alone, with the default options; in any case of letters.
func RedactsByName(column string) bool { return newRedactor(&Options{}).redacts("", column) }

// anyTable reports whether a setting masks the column of some table.
func (r *redactor) anyTable(column string) bool {
	for name := range r.exact {
		if strings.HasSuffix(name, "."+column) {
			return true
		}
	}
	return false
}

func (r *redactor) redacts(table, column string) bool {
	table, column = strings.ToLower(table), strings.ToLower(column)
	return slices.ContainsFunc(r.suffixes, func(s string) bool { return strings.HasSuffix(column, s) }) ||
		r.exact[column] || r.exact[table+"."+column]
}

// loadDictionary joins the dictionary with the database's catalog.
func loadDictionary(ctx context.Context, reg registry.Registry, cat *run.Catalog, redact *redactor) (*dictionary, error) {
	tables, err := reg.Tables(ctx, registry.ListQuery{})
	if err != nil {
		return nil, fmt.Errorf("read the dictionary's tables: %w", err)
	}
	if len(tables.Items) == 0 {
		return nil, run.Fail(api.CodeUnavailable, errors.New("the registry has no tables"), "the dictionary is empty").
			Advise("load the registry that was given to aiquery.New first, and see its log for why it could not be loaded")
	}
	columns, err := reg.Columns(ctx, "", registry.ListQuery{})
	if err != nil {
		return nil, fmt.Errorf("read the dictionary's columns: %w", err)
	}
	byTable := map[int][]registry.Column{}
	d := &dictionary{catalog: cat, tables: map[string]*dictTable{}, byID: map[int64]*dictTable{}, names: map[int64]string{}, masked: map[string]bool{}}
	for _, c := range columns.Items {
		byTable[c.TableID] = append(byTable[c.TableID], c)
		if c.Secure || c.Encrypted {
			name := strings.ToLower(c.Name)
			d.masked[name], d.masked[strings.ToLower(c.Table)+"."+name] = true, true
		}
	}
	for _, info := range tables.Items {
		name := strings.ToLower(info.Name)
		d.names[int64(info.ID)] = name
		rel := cat.Relations[name]
		if rel == nil || !info.Active {
			continue
		}
		t := &dictTable{info: info, rel: rel}
		t.addColumns(byTable[info.ID], redact)
		if base, ok := strings.CutSuffix(name, "_trl"); ok {
			t.base = base
		}
		d.tables[name], d.byID[int64(info.ID)] = t, t
	}
	return d, nil
}

// addColumns takes those of the relation, with what the dictionary says of them.
func (t *dictTable) addColumns(columns []registry.Column, redact *redactor) {
	known := map[string]registry.Column{}
	for _, c := range columns {
		if c.Active && !c.Virtual() {
			known[strings.ToLower(c.Name)] = c
		}
	}
	for _, p := range t.rel.Columns {
		column := guard.Column{Name: p.Name, Type: p.Type, Whole: p.Whole}
		c, ok := known[p.Name]
		column.Redacted, column.Width = redact.redacts(strings.ToLower(t.info.Name), p.Name) || ok && (c.Secure || c.Encrypted), c.Length
		if !ok {
			t.other = append(t.other, column)
			continue
		}
		t.columns, t.ids = append(t.columns, column), append(t.ids, int64(c.ID))
	}
}

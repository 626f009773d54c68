package transfer

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/internal/searches"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
)

// existing finds the records that rows are about, by the columns of the key.
type existing struct {
	client *erp.Client
	target *target
	keys   []*field
	lead   *field // the key that records are searched by; the others are compared here

	seed  maphash.Seed
	lines map[uint64]uint32 // of keys that were seen, for keys that are there twice
}

func newExisting(client *erp.Client, t *target, keys []*field) *existing {
	e := &existing{client: client, target: t, keys: keys, lead: keys[0], seed: maphash.MakeSeed(), lines: map[uint64]uint32{}}
	// Text tells more records apart than a reference.
	if i := slices.IndexFunc(keys, func(k *field) bool { return k.col != nil && k.col.Type.IsText() && k.col.ForeignTable == "" }); i >= 0 {
		e.lead = keys[i]
	}
	return e
}

// claim notes the key of a row, and returns the line of an earlier one with the
// same. Keys are kept as hashes, 20 bytes or so each.
func (e *existing) claim(tuple string, line int) (before int, twice bool) {
	h := maphash.String(e.seed, tuple)
	at, twice := e.lines[h]
	if !twice {
		e.lines[h] = uint32(line) //nolint:gosec // files have fewer lines
	}
	return int(at), twice
}

// tuple is the key of a row; false when a part of it has no value.
func (e *existing) tuple(row *row) (string, bool) {
	parts := make([]string, len(e.keys))
	for i, k := range e.keys {
		v := row.value(k)
		if v == nil || v.Empty {
			return "", false
		}
		parts[i] = k.comparable(v.Plain)
	}
	return strings.Join(parts, "\x00"), true
}

// tupleOf is the key of a record.
func (e *existing) tupleOf(rec erp.Record) string {
	parts := make([]string, len(e.keys))
	for i, k := range e.keys {
		switch k.role {
		case roleID:
			parts[i] = rec.ID().String()
		case roleUUID:
			parts[i] = rec.UUID()
		default:
			parts[i] = k.comparable(values.Stored(k.col, rec))
		}
	}
	return strings.Join(parts, "\x00")
}

// comparable is a value of a key as text, the same for 2 and 2.00.
func (f *field) comparable(plain string) string {
	if exact, ok := erp.Decimal(plain).Rat(); ok && numeric(f) {
		return exact.RatString()
	}
	return plain
}

func numeric(f *field) bool {
	return f.col != nil && f.col.ForeignTable == "" && f.col.Type.IsNumeric()
}

// find are the records that rows are about, by key.
func (e *existing) find(ctx context.Context, rows []*row, fields []*field) (map[string][]erp.Record, error) {
	wanted := map[string]bool{}
	var leads []string
	for _, r := range rows {
		if tuple, ok := e.tuple(r); ok && r.err == nil {
			wanted[tuple] = true
			if lead := r.value(e.lead).Plain; !slices.Contains(leads, lead) {
				leads = append(leads, lead)
			}
		}
	}
	found := map[string][]erp.Record{}
	for _, chunk := range searches.Chunks(leads, 1) {
		q := &erp.Query{Filter: erp.ActiveOrNot(e.filter(chunk)), Select: e.columns(fields), Top: 100}
		for rec, err := range e.client.Records(ctx, e.target.table.Name, q) {
			if err != nil {
				return nil, fmt.Errorf("looking which records of %s are there: %w", e.target.table.Name, err)
			}
			if tuple := e.tupleOf(rec); wanted[tuple] {
				found[tuple] = append(found[tuple], rec.Clone())
			}
		}
	}
	return found, nil
}

// columns are those that are compared.
func (e *existing) columns(fields []*field) []string {
	var columns []string
	for _, f := range slices.Concat(e.keys, fields) {
		if f.role == roleValue && !slices.Contains(columns, f.col.Name) {
			columns = append(columns, f.col.Name)
		}
	}
	if len(columns) == 0 {
		columns = []string{"IsActive"} // id and uid come anyway, and nothing is everything
	}
	return columns
}

// filter finds at least the records whose leading key is one of the texts.
func (e *existing) filter(texts []string) erp.Filter {
	column := ""
	switch e.lead.role {
	case roleID:
		column = e.target.keyColumn()
	case roleUUID:
		column = e.target.uuidColumn()
	default:
		column = e.lead.col.Name
	}
	if e.lead.role == roleID || e.lead.col != nil && (numeric(e.lead) || e.lead.col.Type.IsID()) {
		numbers := make([]erp.Decimal, len(texts))
		for i, s := range texts {
			numbers[i] = erp.Decimal(s)
		}
		return erp.In(column, numbers...)
	}
	if e.lead.col != nil && (e.lead.col.Type.IsDate() || e.lead.col.Type == dict.TypeYesNo) {
		var any []erp.Filter
		for _, s := range texts {
			any = append(any, erp.Eq(column, rawValue(e.lead, s)))
		}
		return erp.Or(any...)
	}
	f, left := searches.AnyOf(column, texts)
	filters := []erp.Filter{f}
	for _, s := range left { // the language cannot write a quote: what is around it finds more than is wanted
		part := ""
		for _, p := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("'()%_", r) }) {
			if len(p) > len(part) {
				part = p
			}
		}
		filters = append(filters, erp.Contains(column, erp.Pattern(part)))
	}
	return erp.Or(filters...)
}

func rawValue(f *field, s string) any {
	if f.col.Type == dict.TypeYesNo {
		return s == "true"
	}
	if day, err := erp.ParseDate(s); err == nil {
		return day
	}
	if at, err := erp.ParseTime(s, nil); err == nil {
		return at
	}
	return s
}

package erptest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// lookup says how a reference to another record is resolved.
type lookup struct {
	table  string // the referenced table's name
	key    string // its column that holds the reference's value
	show   string // its column to display, "" for the identifier columns
	valued bool   // the search key stands before the display column
	// address is set for addresses, which are displayed as a line.
	address bool
}

// identity is what a lookup found: the display text and the UUID.
type identity struct{ text, uu string }

// lookupOf tells how to resolve a column, nil when it references no table.
func (rd *reader) lookupOf(ctx context.Context, col *store.Column) (*lookup, error) {
	if !col.IsLookup() && !col.IsMultiLookup() {
		return nil, nil
	}
	if l, ok := rd.specs[col]; ok {
		return l, nil
	}
	l, err := rd.findLookup(ctx, col)
	if err != nil {
		return nil, err
	}
	rd.specs[col] = l
	return l, nil
}

func (rd *reader) findLookup(ctx context.Context, col *store.Column) (*lookup, error) {
	name, err := rd.tx.TargetTable(ctx, col)
	if err != nil || name == "" {
		return nil, err
	}
	l := &lookup{table: name}
	t, err := rd.tx.Table(ctx, name)
	if errors.Is(err, store.ErrNoTable) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	l.table = t.Name
	switch {
	case col.Kind() == store.KindUUID:
		if uu := t.UUColumn(); uu != nil {
			l.key = uu.Name
		}
	case t.KeyColumn() != nil:
		l.key = t.KeyColumn().Name
	default:
		if c, ok := t.Column(col.Name); ok {
			l.key = c.Name
		}
	}
	if col.Ref == displaytype.Location {
		l.address = true
		return l, nil
	}
	if c, ok := t.Column("Description"); ok && col.Ref == displaytype.PAttribute {
		l.show = c.Name // attribute sets are displayed by what they say, often nothing
		return l, nil
	}
	if col.RefValue == 0 || col.Ref == displaytype.TableDir || col.Ref == displaytype.TableDirUU {
		return l, nil
	}
	ref, err := rd.tx.Reference(ctx, col.RefValue)
	if errors.Is(err, sql.ErrNoRows) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	if ref.Table == nil {
		return l, nil
	}
	if c, ok := t.Column(ref.Table.Key); ok && col.Kind() != store.KindUUID {
		l.key = c.Name
	}
	if c, ok := t.Column(ref.Table.Display); ok && c != t.KeyColumn() && !c.Secure && !c.Encrypted && !strings.HasPrefix(c.ColumnSQL, "@") {
		l.show = c.Name
		_, hasValue := t.Column("Value")
		l.valued = ref.Table.IsValueDisplayed && hasValue && !strings.EqualFold(c.Name, "Value")
	}
	return l, nil
}

// maxIdentifierDepth bounds identifiers made of identifiers.
const maxIdentifierDepth = 4

// prefetch resolves what these rows reference, one query per kind of lookup.
func (rd *reader) prefetch(ctx context.Context, fields []property, rows *store.Sheet, depth int) error {
	wanted := map[lookup]map[string]any{}
	var order []lookup
	want := func(l lookup, key string, value any) {
		if _, known := rd.identities[l][key]; known {
			return
		}
		if wanted[l] == nil {
			wanted[l] = map[string]any{}
			order = append(order, l)
		}
		wanted[l][key] = value
	}
	for _, f := range fields {
		if f.look == nil || f.col.Ref == displaytype.Image {
			continue
		}
		for _, v := range distinct(rows, rows.At(f.col.Name)) {
			if !f.col.IsMultiLookup() {
				want(*f.look, store.TextOf(v), v)
				continue
			}
			for _, key := range splitKeys(store.TextOf(v)) {
				want(*f.look, key, key)
			}
		}
	}
	for _, l := range order {
		if err := rd.identifyOnce(ctx, l, wanted[l], depth); err != nil {
			return err
		}
	}
	return nil
}

// identifyOnce is identify for keys that requests before may have asked for. Below
// other lookups identities end at a depth, so those are not for everybody.
func (rd *reader) identifyOnce(ctx context.Context, l lookup, wanted map[string]any, depth int) error {
	if depth > 0 {
		return rd.identify(ctx, l, wanted, depth)
	}
	if rd.identities[l] == nil {
		rd.identities[l] = map[string]*identity{}
	}
	memory, scope := &rd.c.srv.identities, identityScope{l, rd.language}
	memory.recall(rd.tx, scope, wanted, rd.identities[l])
	if len(wanted) == 0 {
		return nil
	}
	if err := rd.identify(ctx, l, wanted, depth); err != nil {
		return err
	}
	memory.remember(rd.tx, scope, wanted, rd.identities[l])
	return nil
}

// distinct are the values of a column, each once but for those that cannot be
// compared.
func distinct(rows *store.Sheet, at int) []any {
	var out []any
	seen := map[any]struct{}{}
	for i := range rows.Len() {
		v := rows.Value(i, at)
		switch v.(type) {
		case nil:
			continue
		case int64, string:
			if _, again := seen[v]; again {
				continue
			}
			seen[v] = struct{}{}
		}
		out = append(out, v)
	}
	return out
}

// identify reads the identities of the wanted keys; those not found are noted
// as nil.
func (rd *reader) identify(ctx context.Context, l lookup, wanted map[string]any, depth int) error {
	known := rd.identities[l]
	if known == nil {
		known = map[string]*identity{}
		rd.identities[l] = known
	}
	keys := make([]any, 0, len(wanted))
	for text, value := range wanted {
		known[text] = nil
		keys = append(keys, value)
	}
	if l.key == "" {
		return nil
	}
	t, err := rd.tx.Table(ctx, l.table)
	if errors.Is(err, store.ErrNoTable) {
		return nil
	}
	if err != nil {
		return err
	}
	if l.address {
		return rd.identifyAddresses(ctx, l, keys)
	}
	shown, separator := rd.displayColumns(t, l)
	read := sources(t, nil, l.key)
	parts := make([]property, 0, len(shown))
	for _, c := range shown {
		f := property{name: c.Name, col: c}
		if depth < maxIdentifierDepth {
			if f.look, err = rd.lookupOf(ctx, c); err != nil {
				return err
			}
		}
		parts = append(parts, f)
	}
	read = append(read, missing(read, shown)...)
	keyColumn, _ := t.Column(l.key)
	for among, args := range anyOf(store.Expr(t, keyColumn), keys) {
		rows, err := rd.tx.Read(ctx, t, store.Selection{Columns: read, Where: among, Args: args})
		if err != nil {
			if exists, existsErr := rd.tx.TableExists(ctx, t.Name); existsErr == nil && !exists {
				return nil // in the dictionary only
			}
			return err
		}
		if err := rd.translateSheet(ctx, t, shown, rows); err != nil {
			return err
		}
		if err := rd.prefetch(ctx, parts, rows, depth+1); err != nil {
			return err
		}
		if err := rd.identityOf(ctx, t, l, parts, separator, rows); err != nil {
			return err
		}
	}
	return nil
}

// identityOf notes the identities of records that were read.
func (rd *reader) identityOf(ctx context.Context, t *store.Table, l lookup, parts []property, separator string, rows *store.Sheet) error {
	key, uu := rows.At(l.key), -1
	if c := t.UUColumn(); c != nil {
		uu = rows.At(c.Name)
	}
	for i := range rows.Len() {
		var texts []string
		for _, f := range parts {
			text, err := rd.displayText(ctx, f, rows.Value(i, rows.At(f.col.Name)))
			if err != nil {
				return err
			}
			if text != "" {
				texts = append(texts, text)
			}
		}
		rd.identities[l][store.TextOf(rows.Value(i, key))] = &identity{
			text: strings.Join(texts, separator), uu: store.TextOf(rows.Value(i, uu)),
		}
	}
	return nil
}

// displayColumns are the columns whose texts, joined by the separator, stand
// for a record.
func (rd *reader) displayColumns(t *store.Table, l lookup) (columns []*store.Column, separator string) {
	if l.show != "" {
		if l.valued {
			if c, ok := t.Column("Value"); ok {
				columns = append(columns, c)
			}
		}
		if c, ok := t.Column(l.show); ok {
			columns = append(columns, c)
		}
		return columns, "-"
	}
	for _, c := range t.Identifiers() {
		if !c.Secure && !c.Encrypted && c.Kind() != store.KindBytes && !strings.HasPrefix(c.ColumnSQL, "@") {
			columns = append(columns, c)
		}
	}
	return columns, "_"
}

// displayText is one part of an identifier.
func (rd *reader) displayText(ctx context.Context, f property, v any) (string, error) {
	if v == nil {
		return "", nil
	}
	text := store.TextOf(v)
	switch {
	case f.look != nil && !f.col.IsMultiLookup():
		if id := rd.identities[*f.look][text]; id != nil {
			return id.text, nil
		}
		return "<" + text + ">", nil
	case f.col.IsList():
		name, _, err := rd.listName(ctx, f.col, text)
		return name, err
	case f.col.Kind() == store.KindDate:
		day, _, _ := strings.Cut(text, " ")
		return day, nil
	}
	return text, nil
}

// listName is the name of a list value, or the value in angle brackets when
// the list does not have it.
func (rd *reader) listName(ctx context.Context, col *store.Column, value string) (name, uu string, err error) {
	refID := col.RefValue
	if refID == 0 && col.Ref == displaytype.Payment {
		refID = paymentRuleList
	}
	ref, err := rd.tx.Reference(ctx, refID)
	if errors.Is(err, sql.ErrNoRows) {
		return "<" + value + ">", "", nil
	}
	if err != nil {
		return "", "", err
	}
	for _, v := range ref.List {
		if v.Value != value {
			continue
		}
		if rd.language == "" && !rd.exportsUUID("AD_Ref_List") {
			return v.Name, "", nil
		}
		l := lookup{table: "AD_Ref_List", key: "AD_Ref_List_ID", show: "Name"}
		key := fmt.Sprint(v.ID)
		if _, known := rd.identities[l][key]; !known {
			if err := rd.identify(ctx, l, map[string]any{key: v.ID}, maxIdentifierDepth); err != nil {
				return "", "", err
			}
		}
		if id := rd.identities[l][key]; id != nil {
			return id.text, id.uu, nil
		}
		return v.Name, "", nil
	}
	return "<" + value + ">", "", nil
}

// paymentRuleList is the AD_Reference of the Payment display type's values.
const paymentRuleList = 195

// exportsUUID reports whether lookups of the table carry the record's UUID.
func (rd *reader) exportsUUID(table string) bool {
	return rd.uuidAll || rd.uuidFor[strings.ToUpper(table)]
}

// splitKeys takes the value of a multiple selection apart.
func splitKeys(text string) []string {
	var keys []string
	for key := range strings.SplitSeq(text, ",") {
		if key = strings.TrimSpace(key); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// missing are the columns of more that are not in have.
func missing(have, more []*store.Column) []*store.Column {
	seen := map[*store.Column]bool{}
	for _, c := range have {
		seen[c] = true
	}
	var out []*store.Column
	for _, c := range more {
		if !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	return out
}

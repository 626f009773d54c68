package packin

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/packxml"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/sqlquote"
)

// unresolvedReference is a reference to a record that is not there, or not yet.
type unresolvedReference struct {
	text   string
	target string // table and id or UUID of the record
}

func (e *unresolvedReference) Error() string { return e.text }

func unresolved(column, table, key string) error {
	return &unresolvedReference{target: recordName(table, key),
		text: column + " refers to " + clipRunes(table, 60) + " " + clipRunes(key, 40) + ", which is not there"}
}

// recordName names a record by table and UUID or id.
func recordName(table, key string) string { return strings.ToUpper(table) + " " + key }

var blobName = lazyregexp.New(`^([0-9]+\.dat)\|(byte\[\]|string)$`)

// value converts a property into what its column stores; nil is NULL.
func (p *packIn) value(ctx context.Context, e *packxml.Element, t *store.Table, col *store.Column, prop packxml.Property) (any, error) {
	if isBoolean(col) {
		return yesNo(prop.Text), nil
	}
	if prop.Reference != "" {
		return p.referenceValue(ctx, e, col, prop)
	}
	if prop.Text == "" {
		return nil, nil
	}
	if col.Name == "AD_Org_ID" && prop.Text == "@AD_Org_ID@" {
		return p.s.OrgID, nil
	}
	bad := func(what string) error {
		return engine.PublicError(col.Name + ": " + engine.JSONOf(prop.Text) + " is no " + what)
	}
	switch col.Kind() {
	case store.KindInteger:
		n, err := strconv.ParseInt(prop.Text, 10, 32)
		if err != nil {
			return nil, bad("whole number")
		}
		return n, nil
	case store.KindDecimal:
		s, ok := engine.PlainDecimal(prop.Text)
		if !ok {
			return nil, bad("number")
		}
		return s, nil
	case store.KindDate, store.KindDateTime, store.KindInstant, store.KindTime:
		v, ok := p.s.StoredMoment(col.Kind(), prop.Text)
		if !ok {
			return nil, bad("time of the form 2026-01-31 12:00:00.0")
		}
		return v, nil
	case store.KindBytes:
		m := blobName().FindStringSubmatch(prop.Text)
		if m == nil {
			return nil, bad("name of a file in the archive")
		}
		return p.archive.Blob(m[1])
	}
	if m := blobName().FindStringSubmatch(prop.Text); m != nil && m[2] == "string" {
		data, err := p.archive.Blob(m[1])
		return string(data), err
	}
	if t.Name == "AD_Column" && col.Name == "IsToolbarButton" && (prop.Text == "true" || prop.Text == "false") {
		return yesNo(prop.Text), nil // of releases in which it was a flag
	}
	return prop.Text, nil
}

// isBoolean reports whether the ERP holds a column as a boolean: three of its names
// are, whatever their display type.
func isBoolean(col *store.Column) bool {
	switch col.Name {
	case "Posted", "Processed", "Processing":
		return true
	}
	return col.Ref == displaytype.YesNo
}

// yesNo reads a boolean; empty and anything unknown mean no.
func yesNo(text string) string {
	if text == "Y" || text == "true" {
		return "Y"
	}
	return "N"
}

// referenceValue is the key of the record a property refers to, or of several.
func (p *packIn) referenceValue(ctx context.Context, e *packxml.Element, col *store.Column, prop packxml.Property) (any, error) {
	if prop.Text = strings.TrimSpace(prop.Text); prop.Text == "" {
		return nil, nil
	}
	table, err := p.referencedTable(ctx, e, col, prop)
	if err != nil {
		return nil, err
	}
	if col.IsMultiLookup() {
		var keys []string
		for one := range strings.SplitSeq(prop.Text, ",") {
			prop.Text = strings.TrimSpace(one)
			key, err := p.reference(ctx, e, table, prop)
			if err != nil {
				return nil, err
			}
			keys = append(keys, strconv.FormatInt(key, 10))
		}
		return strings.Join(keys, ","), nil
	}
	if col.Kind() == store.KindUUID || col.Kind() == store.KindText {
		return p.textReference(ctx, col, table, prop)
	}
	return p.reference(ctx, e, table, prop)
}

// referencedTable is the table a property refers to: the one it names, that of
// AD_Table_ID for Record_ID, else the column's own.
func (p *packIn) referencedTable(ctx context.Context, e *packxml.Element, col *store.Column, prop packxml.Property) (string, error) {
	table := prop.Key
	if table == "" && (col.Name == "Record_ID" || col.Name == "Record_UU") {
		id, err := p.reference(ctx, e, "AD_Table", mustProperty(e, "AD_Table_ID"))
		if err != nil {
			return "", err
		}
		t, err := p.tx.TableByID(ctx, id)
		if err != nil {
			return "", err
		}
		table = t.Name
	}
	if table == "" {
		var err error
		if table, err = p.tx.TargetTable(ctx, col); err != nil {
			return "", err
		}
	}
	switch strings.ToUpper(table) {
	case "AD_ALLCLIENTS_V":
		table = "AD_Client"
	case "AD_ALLUSERS_V":
		table = "AD_User"
	case "AD_ALLROLES_V":
		table = "AD_Role"
	}
	return table, nil
}

// reference is the id of the record a property refers to in a table.
func (p *packIn) reference(ctx context.Context, _ *packxml.Element, table string, prop packxml.Property) (int64, error) {
	t, there, err := p.target(ctx, table)
	if err != nil {
		return 0, err
	}
	prop.Text = strings.TrimSpace(prop.Text)
	if prop.Reference == "uuid" {
		if !there {
			return 0, unresolved(prop.Name, table, prop.Text)
		}
		row, err := p.byUUID(ctx, t, prop.Text)
		if err != nil {
			return 0, err
		}
		if row == nil {
			return 0, unresolved(prop.Name, t.Name, prop.Text)
		}
		return row.Int(t.Name + "_ID"), nil
	}
	id, err := strconv.ParseInt(prop.Text, 10, 64)
	if err != nil || id < 0 || id >= store.FirstCustomID {
		return 0, engine.PublicError(prop.Name + ": " + engine.JSONOf(prop.Text) + " is no official id")
	}
	if !there || t.KeyColumn() == nil || id == 0 {
		return id, nil // a table this ERP does not have: nothing to look at
	}
	n, err := p.tx.Count(ctx, t, sqlquote.Name(t.KeyColumn().Name)+"=?", id)
	if err == nil && n == 0 {
		err = unresolved(prop.Name, t.Name, strconv.FormatInt(id, 10))
	}
	return id, err
}

// textReference is the key of a record that is referred to by text: its UUID,
// or what else identifies it.
func (p *packIn) textReference(ctx context.Context, col *store.Column, table string, prop packxml.Property) (any, error) {
	if prop.Reference != "uuid" {
		return prop.Text, nil
	}
	t, there, err := p.target(ctx, table)
	if err != nil {
		return nil, err
	}
	var row store.Row
	if there {
		if row, err = p.byUUID(ctx, t, prop.Text); err != nil {
			return nil, err
		}
	}
	if row == nil {
		return nil, unresolved(prop.Name, table, prop.Text)
	}
	return engine.KeyOf(engine.Field{Name: col.Name, Kind: col.Kind()}, t, row), nil
}

// target is a table that is referred to; there reports whether its rows can be
// looked at.
func (p *packIn) target(ctx context.Context, name string) (t *store.Table, there bool, err error) {
	t, err = p.tx.Table(ctx, name)
	if errors.Is(err, store.ErrNoTable) || name == "" {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	there, err = p.tx.TableExists(ctx, t.Name)
	return t, there, err
}

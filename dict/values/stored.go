package values

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// Same reports whether a record has a value in a column already. A secret column is
// not shown, so it never has.
func Same(rec erp.Record, col *registry.Column, v *Value) bool {
	if col.Secure || col.Encrypted {
		return false // it is not shown
	}
	raw, ok := rec.Raw(col.Name)
	if !ok || string(raw) == "null" {
		return v.Empty
	}
	if v.Empty {
		return false
	}
	is := Stored(col, rec)
	if col.ForeignTable == "" && !col.Type.IsList() && col.Type.IsNumeric() && col.Type != dict.TypeInteger {
		return erp.Decimal(is).Cmp(erp.Decimal(v.Plain)) == 0
	}
	return is == v.Plain
}

func formatTime(t dict.DisplayType, at time.Time) string {
	if t == dict.TypeTimestampWithTimeZone {
		return at.In(time.UTC).Format("2006-01-02T15:04:05.999999Z")
	}
	return at.In(time.UTC).Format("2006-01-02T15:04:05Z")
}

// Stored is the value of a record in a column, in the form of [Value.Plain]. A column
// without value gives the empty text.
func Stored(col *registry.Column, rec erp.Record) string {
	raw, ok := rec.Raw(col.Name)
	if !ok || len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	switch t := col.Type; {
	case t.IsMultiple():
		if keys, ok := storedKeys(rec, col.Name); ok {
			return keys
		}
	case t.IsList(), col.ForeignTable != "", raw[0] == '{' && t != dict.TypeJSON:
		ref, _ := rec.Ref(col.Name)
		return ref.ID.String()
	case t == dict.TypeJSON:
		return compactJSON(raw)
	case t == dict.TypeDate:
		day, _ := rec.Date(col.Name)
		return day.String()
	case t == dict.TypeTime:
		s, _ := rec.Text(col.Name)
		return strings.TrimSuffix(s, "Z")
	case t.IsDate():
		if at, ok := rec.Time(col.Name); ok {
			return formatTime(t, at)
		}
	case t.IsNumeric():
		if d, ok := rec.Decimal(col.Name); ok {
			return d.String()
		}
	case t == dict.TypeBinary:
		s, _ := rec.Text(col.Name)
		return strings.NewReplacer("\r", "", "\n", "").Replace(s)
	}
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// storedKeys are the keys that a column of several refers to, or of one.
func storedKeys(rec erp.Record, column string) (string, bool) {
	refs, ok := rec.Refs(column)
	if !ok {
		ref, ok := rec.Ref(column)
		return ref.ID.String(), ok
	}
	keys := make([]string, len(refs))
	for i, r := range refs {
		keys[i] = r.ID.String()
	}
	return strings.Join(keys, ","), true
}

func compactJSON(raw []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

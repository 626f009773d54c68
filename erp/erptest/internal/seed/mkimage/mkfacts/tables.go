package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// standard are the columns that the form "std" stands for, in its order.
var standard = []string{"AD_Client_ID", "AD_Org_ID", "IsActive", "Created", "CreatedBy", "Updated", "UpdatedBy"}

// tables writes all tables with their columns.
func (c *compiler) tables(w *bytes.Buffer) error {
	for _, t := range c.f.tables {
		fmt.Fprintf(w, "table %s %d level=%d", t.Name, t.ID, t.AccessLevel)
		if t.Window != 0 {
			fmt.Fprintf(w, " window=%d", t.Window)
		}
		if t.Replication != "" && t.Replication != "L" {
			fmt.Fprintf(w, " repl=%s", t.Replication)
		}
		if t.EntityType != "" && t.EntityType != "D" {
			fmt.Fprintf(w, " entity=%s", t.EntityType)
		}
		var flags []string
		for name, set := range map[string]bool{
			"delete": t.Deleteable, "log": t.ChangeLog, "volume": t.HighVolume, "secure": t.SecurityEnabled, "view": t.View,
			"off": t.Inactive || len(t.Columns) == 0, // of some views only the name is known
		} {
			if set {
				flags = append(flags, name)
			}
		}
		if slices.Sort(flags); flags != nil {
			fmt.Fprintf(w, " flags=%s", strings.Join(flags, ","))
		}
		fmt.Fprintf(w, " : %s\n", cmp.Or(oneLine(t.Label), t.Name))
		if len(t.Columns) > 0 {
			fmt.Fprintf(w, "  std %s\n", strings.Join(standardIDs(t), " "))
		}
		seqNos := identifiers(t)
		for _, x := range t.Columns {
			if slices.Contains(standard, x.Name) && isStandard(x) {
				continue
			}
			c.column(w, t, x, seqNos[x])
		}
	}
	return nil
}

// standardIDs are the ids of the standard columns, "-" for one that differs.
func standardIDs(t *table) []string {
	ids := make([]string, len(standard))
	for i, name := range standard {
		ids[i] = "-"
		for _, x := range t.Columns {
			if x.Name == name && isStandard(x) {
				ids[i] = strconv.FormatInt(x.ID, 10)
			}
		}
	}
	return ids
}

// isStandard reports whether one of the seven standard columns has their usual form.
func isStandard(x *column) bool { return !x.Key && !x.Parent && !x.Identifier && x.Virtual == nil }

// identifiers numbers the identifier columns: as on record where that is clear.
func identifiers(t *table) map[*column]int {
	var ids []*column
	for _, x := range t.Columns {
		if x.Identifier {
			ids = append(ids, x)
		}
	}
	slices.SortStableFunc(ids, func(a, b *column) int { return cmp.Compare(cmp.Or(a.SeqNo, 1), cmp.Or(b.SeqNo, 1)) })
	out := map[*column]int{}
	last := 0
	for _, x := range ids {
		last = max(last+1, x.SeqNo)
		out[x] = last
	}
	return out
}

func (c *compiler) column(w *bytes.Buffer, t *table, x *column, seqNo int) {
	s := c.settled[x]
	kind := s.kind
	if s.ref != 0 {
		kind += ":" + strconv.FormatInt(s.ref, 10)
	}
	var flags strings.Builder
	for _, f := range []struct {
		set  bool
		text string
	}{
		{x.Key, "K"}, {x.Parent && !x.Key, "P"}, {x.Mandatory, "M"}, {x.Updateable, "U"}, {x.AlwaysUpdateable, "A"},
		{seqNo == 1, "I"}, {seqNo > 1, "I" + strconv.Itoa(seqNo)}, {x.Selection, "S"}, {x.Translated, "T"},
		{x.Encrypted, "X"}, {x.Secure, "C"},
	} {
		if f.set {
			flags.WriteString(f.text)
		}
	}
	fmt.Fprintf(w, "  %s %d %s %d %s", x.Name, x.ID, kind, s.length, cmp.Or(flags.String(), "-"))
	if x.ValRule != 0 {
		fmt.Fprintf(w, " val=%d", x.ValRule)
	}
	if c.hasProcess[x.Process] {
		fmt.Fprintf(w, " proc=%d", x.Process)
	}
	for _, limit := range []struct{ name, v string }{{"min", x.Min}, {"max", x.Max}} {
		if v := strings.TrimSpace(limit.v); v != "" && !strings.Contains(v, " ") {
			fmt.Fprintf(w, " %s=%s", limit.name, v)
		}
	}
	if x.Virtual != nil {
		w.WriteString(" := NULL\n") // how it is computed is not among the facts
		return
	}
	if d := defaultOf(t, x, s.kind); d != "" {
		fmt.Fprintf(w, " = %s", d)
	}
	w.WriteString("\n")
}

var (
	nextLine = lazyregexp.New(`(?i)^@SQL=\s*SELECT\s+(?:NVL|COALESCE)\s*\(\s*MAX\s*\(\s*(\w+)\s*\)\s*,\s*0\s*\)\s*\+\s*10(?:\s+AS\s+DefaultValue)?\s+FROM\s+(\w+)(?:\s+WHERE\s+(\w+)\s*=\s*@(\w+)(?::0)?@)?\s*$`)
	decimal  = lazyregexp.New(`^-?[0-9]+(\.[0-9]+)?$`)
	whole    = lazyregexp.New(`^-?[0-9]+$`)
)

// defaultOf is the default value: constants and context variables as they are,
// the next line number in the files' own form, no other SQL.
func defaultOf(t *table, x *column, kind string) string {
	d := strings.TrimSpace(x.Default)
	bare := strings.TrimSpace(strings.Trim(d, "'"))
	upper := strings.ToUpper(d)
	switch {
	case d == "" || upper == "NULL":
		return ""
	case strings.HasPrefix(upper, "@SQL"):
		if m := nextLine().FindStringSubmatch(d); m != nil && strings.EqualFold(m[2], t.Name) && m[3] == m[4] {
			if m[3] == "" {
				return "next(" + m[1] + ")"
			}
			return "next(" + m[1] + "," + m[3] + ")"
		}
		if x.Name == "EntityType" {
			return "U"
		}
		return ""
	case strings.ContainsAny(d, "\n\r(") || strings.Contains(d, "||"):
		return ""
	case strings.Contains(d, "@"):
		return d
	}
	switch kind {
	case "date", "datetime", "time", "timestamptz":
		if upper == "SYSDATE" {
			return "SYSDATE"
		}
		return ""
	case "integer", "recordid", "id", "tabledir", "table", "search", "account", "location", "locator", "pattribute", "assignment", "image":
		if !whole().MatchString(bare) && !strings.HasPrefix(x.Name, "AD_Language") && x.Name != "EntityType" {
			return ""
		}
	case "amount", "number", "quantity", "costprice":
		if !decimal().MatchString(bare) {
			return ""
		}
	case "yesno":
		if bare != "Y" && bare != "N" {
			return ""
		}
	case "binary", "uuid", "json":
		return ""
	}
	return bare
}

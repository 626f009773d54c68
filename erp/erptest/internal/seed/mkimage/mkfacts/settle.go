package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// settled is what was decided about a column where the facts leave it open.
type settled struct {
	kind   string // the name of the display type in the files
	ref    int64  // AD_Reference_Value_ID
	length int
}

// lengths are the field lengths of types for columns without one.
var lengths = map[string]int{
	"string": 60, "text": 2000, "textlong": 0, "memo": 2000, "yesno": 1, "button": 1, "list": 2, "radiogrouplist": 2,
	"chosenlist": 255, "chosentable": 2000, "chosensearch": 2000, "date": 7, "datetime": 7, "timestamptz": 7, "time": 7, "integer": 10,
	"uuid": 36, "tableuu": 36, "tablediruu": 36, "searchuu": 36, "recorduu": 36, "binary": 4000, "url": 255, "json": 0,
	"filepath": 255, "filename": 255, "color": 20, "recordid": 10,
}

// special are lookups with a type of their own, by the table they point at.
var special = map[string]string{
	"C_ValidCombination": "account", "C_Location": "location", "M_Locator": "locator",
	"M_AttributeSetInstance": "pattribute", "AD_Image": "image", "S_ResourceAssignment": "assignment",
}

func (c *compiler) settleTypes() {
	for _, t := range c.f.tables {
		for _, x := range t.Columns {
			s := c.settleType(t, x)
			s.length = c.settleLength(x, s.kind)
			c.settled[x] = s
			if x.ValRule != 0 && (c.usedRules[x.ValRule] == "") {
				c.usedRules[x.ValRule] = c.pointsAt(x, s)
			}
		}
	}
}

// settleType decides on the display type: what is on record; else that of most
// columns of this name and kind; else what name and kind suggest.
func (c *compiler) settleType(t *table, x *column) settled {
	kind, guessed := strings.CutSuffix(x.Kind, "?")
	if strings.EqualFold(x.Name, t.Name+"_ID") && x.Key {
		return settled{kind: "id"}
	}
	if guessed {
		if like := c.like(x, kind); like != nil {
			return c.lookup(x, like.Kind, cmp.Or(x.RefList, like.RefList), cmp.Or(x.RefValue, like.RefValue))
		}
		kind = byName(x, kind)
	}
	return c.lookup(x, kind, x.RefList, x.RefValue)
}

// like is a column of the same name whose type is on record and fits what is
// known of x: the most frequent one.
func (c *compiler) like(x *column, kind string) *column {
	count := map[[2]string]int{}
	var best *column
	bestCount := 0
	for _, o := range c.byName[strings.ToUpper(x.Name)] {
		if o.Key || o.Virtual != nil || strings.HasSuffix(o.Kind, "?") || !fits(o.Kind, kind) || x.FK != "" && o.FK != x.FK || x.RefList != 0 && o.RefList != x.RefList {
			continue
		}
		k := [2]string{o.Kind, strconv.FormatInt(o.RefValue+o.RefList, 10)}
		count[k]++
		if count[k] > bestCount {
			best, bestCount = o, count[k]
		}
	}
	return best
}

// fits reports whether a display type belongs to a kind that was inferred.
func fits(kind, inferred string) bool {
	var kinds []string
	for k := range strings.SplitSeq(inferred, "|") {
		switch k {
		case "lookup":
			kinds = append(kinds, "tabledir", "table", "search", "account", "location", "locator", "pattribute", "image", "assignment", "chart", "recordid")
		case "decimal":
			kinds = append(kinds, "amount", "number", "quantity", "costprice")
		case "string":
			kinds = append(kinds, "string", "text", "button", "url", "memo", "textlong", "filepath", "filename", "color", "printer")
		case "list":
			kinds = append(kinds, "list", "radiogrouplist", "payment")
		case "integer":
			kinds = append(kinds, "integer", "recordid")
		default:
			kinds = append(kinds, k)
		}
	}
	return slices.Contains(kinds, kind)
}

// byName decides among kinds by the column's name.
func byName(x *column, kind string) string {
	name := strings.ToUpper(x.Name)
	switch kind {
	case "decimal":
		switch {
		case amounts().MatchString(name):
			return "amount"
		case quantities().MatchString(name):
			return "quantity"
		case prices().MatchString(name):
			return "costprice"
		}
		return "number"
	case "date|datetime":
		if moments().MatchString(name) {
			return "datetime"
		}
		return "date"
	case "yesno|button":
		if name == "PROCESSING" || name == "POSTED" {
			return "button"
		}
		return "yesno"
	case "lookup|integer":
		if name == "RECORD_ID" {
			return "recordid"
		}
		return "lookup"
	case "string":
		switch {
		case x.Len >= 2000:
			return "text"
		case x.Len == 1: // neither a list nor Yes-No
			return "button"
		}
	}
	return kind
}

var (
	amounts    = lazyregexp.New(`AMT|AMOUNT|BALANCE$`)
	quantities = lazyregexp.New(`QTY|QUANTITY`)
	prices     = lazyregexp.New(`PRICE|COST`)
	moments    = lazyregexp.New(`^CREATED|^UPDATED|TIME|RUN$`)
)

// lookup completes a type that needs a table or a list behind it.
func (c *compiler) lookup(x *column, kind string, list, ref int64) settled {
	named := c.tableNamed[strings.ToUpper(strings.TrimSuffix(x.Name, "_ID"))]
	fk := c.tableNamed[strings.ToUpper(x.FK)]
	if named != nil && !strings.HasSuffix(x.Name, "_ID") {
		named = nil
	}
	switch kind {
	case "lookup":
		switch {
		case fk != nil && special[fk.Name] != "" && (named == fk || fk.Name == "C_ValidCombination"):
			return settled{kind: special[fk.Name]}
		case named != nil && (fk == nil || fk == named):
			return settled{kind: "tabledir"}
		case fk != nil:
			return settled{kind: "table", ref: c.referenceTo(fk)}
		case strings.HasSuffix(x.Name, "edBy"):
			return settled{kind: "search", ref: c.referenceTo(c.tableNamed["AD_USER"])}
		}
		return settled{kind: "integer"}
	case "table", "chosentable", "chosensearch", "tableuu":
		if ref = c.tableReference(ref, fk); ref == 0 {
			return settled{kind: "integer"}
		}
		return settled{kind: kind, ref: ref}
	case "search", "searchuu":
		if ref == 0 && (named != nil || kind == "searchuu") {
			fk = nil // the name says it
		}
		return settled{kind: kind, ref: c.tableReference(ref, fk)}
	case "list", "radiogrouplist", "chosenlist", "payment":
		r := c.refByID[list]
		if r == nil && list != 0 && len(x.Values) > 0 {
			r = &reference{ID: list, Name: x.Name, Type: "L"}
			c.refByID[list] = r
			c.f.references = append(c.f.references, r)
		}
		if r == nil {
			return settled{kind: "string"}
		}
		if len(r.Values) == 0 {
			r.Values = x.Values
		}
		return settled{kind: kind, ref: list}
	case "button":
		if r := c.refByID[list]; r != nil {
			return settled{kind: kind, ref: list}
		}
		return settled{kind: kind}
	case "tabledir":
		return settled{kind: kind}
	}
	return settled{kind: kind}
}

// tableReference is the reference on record when it leads to a table, else one that
// leads to fk, 0 for none.
func (c *compiler) tableReference(ref int64, fk *table) int64 {
	r := c.refByID[ref]
	switch {
	case r != nil && r.Type == "T" && r.Table != "":
		return ref
	case fk == nil:
		return 0
	case ref != 0 && r == nil: // only its number is known
		r = &reference{ID: ref, Name: fk.Name, Type: "T", Table: fk.Name}
		c.refByID[ref] = r
		c.f.references = append(c.f.references, r)
		return ref
	}
	return c.referenceTo(fk)
}

// referenceTo is a table reference that takes every record of a table: one of the
// ERP's, else one made here.
func (c *compiler) referenceTo(t *table) int64 {
	name := strings.ToUpper(t.Name)
	if r := c.lookups[name]; r != nil {
		return r.ID
	}
	for _, r := range c.f.references {
		if r.Type == "T" && r.Where == "" && !r.Inactive && strings.EqualFold(r.Table, t.Name) {
			c.lookups[name] = r
			return r.ID
		}
	}
	r := &reference{ID: firstReferenceID + int64(len(c.made)), Name: t.Name, Type: "T", Table: t.Name}
	c.made, c.lookups[name] = append(c.made, r), r
	return r.ID
}

// pointsAt is the table of a lookup, "" for none.
func (c *compiler) pointsAt(x *column, s settled) string {
	if r := c.refByID[s.ref]; r != nil {
		return cmp.Or(r.Table, "AD_Ref_List")
	}
	if x.FK != "" {
		return x.FK
	}
	if t := c.tableNamed[strings.ToUpper(strings.TrimSuffix(x.Name, "_ID"))]; t != nil {
		return t.Name
	}
	return ""
}

// settleLength is the length on record, else that of most columns of this name and
// type, else that of the type.
func (c *compiler) settleLength(x *column, kind string) int {
	if x.Len != 0 {
		return x.Len
	}
	count := map[int]int{}
	best := 0
	for _, o := range c.byName[strings.ToUpper(x.Name)] {
		if o.Len != 0 && o.Kind == kind {
			count[o.Len]++
			if count[o.Len] > count[best] {
				best = o.Len
			}
		}
	}
	if best == 0 {
		n, ok := lengths[kind]
		if !ok {
			n = 22
		}
		best = n
	}
	if kind == "list" {
		for _, v := range x.Values {
			best = max(best, len(v[0]))
		}
	}
	return best
}

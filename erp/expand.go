package erp

import (
	"strings"
)

// maxExpandDepth bounds nesting; the server queries once per row and level.
const maxExpandDepth = 16

// Expand adds related records to the records read. Name is one of:
//
//   - a foreign key column, such as "C_BPartner_ID": the record it refers to
//     takes the place of the reference (Record.Record). Only Select applies.
//   - a child table, such as "C_OrderLine": its records are added as a list
//     under exactly that name (Record.Children).
//   - child table and link column, such as "C_OrderLine.Link_OrderLine_ID",
//     where there are several ways.
//
// On lists every row costs a query of its own on the server, and child lists
// are cut at the server's cap (100 by default) without notice.
type Expand struct {
	Name    string
	Select  []string
	Filter  Filter
	OrderBy []string
	Top     int // 0: as many as the server's cap allows
	Skip    int
	Expand  []Expand
	Label   Filter // condition on the labels of the children

	raw string
}

// RawExpand is an expand in the server's own language, taken as it is; it may
// hold several items.
func RawExpand(text string) Expand { return Expand{raw: text} }

// expandText writes a list of expands.
func expandText(list []Expand, separator string, depth int) (string, error) {
	if depth > maxExpandDepth {
		return "", invalid("expands are nested more than %d deep", maxExpandDepth)
	}
	parts := make([]string, 0, len(list))
	for _, e := range list {
		text, err := e.render(separator, depth)
		if err != nil {
			return "", err
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ","), nil
}

func (e Expand) render(separator string, depth int) (string, error) {
	if e.raw != "" || e.Name == "" && e.isBare() {
		if balance(e.raw) != 0 {
			return "", invalid("expand: the parentheses of %s do not match", quote(e.raw))
		}
		return strings.TrimSpace(e.raw), nil
	}
	if !isName(e.Name) || strings.Count(e.Name, ".") > 1 {
		return "", invalid("expand: %s is not a column, a child table or table.column", quote(e.Name))
	}
	if !isPage(e.Top, e.Skip) {
		return "", invalid("expand %s: Top and Skip must be between 0 and %d", e.Name, maxInt32)
	}
	if err := checkNames("expand "+e.Name, e.Select); err != nil {
		return "", err
	}
	var options []string
	add := func(name, value string) {
		if value != "" {
			options = append(options, name+"="+value)
		}
	}
	add("$select", strings.Join(e.Select, ","))
	filter, err := innerFilter(e.Filter, separator)
	if err != nil {
		return "", err
	}
	add("$filter", filter)
	order, err := orderText(e.OrderBy)
	if err != nil {
		return "", err
	}
	add("$orderby", order)
	add("$top", countText(e.Top))
	add("$skip", countText(e.Skip))
	inner, err := expandText(e.Expand, separator, depth+1)
	if err != nil {
		return "", err
	}
	add("$expand", inner)
	label, err := innerFilter(e.Label, separator)
	if err != nil {
		return "", err
	}
	add("label", label)
	if len(options) == 0 {
		return e.Name, nil
	}
	return e.Name + "(" + strings.Join(options, separator) + ")", nil
}

func (e Expand) isBare() bool {
	return len(e.Select) == 0 && e.Filter.IsZero() && len(e.OrderBy) == 0 && e.Top == 0 && e.Skip == 0 &&
		len(e.Expand) == 0 && e.Label.IsZero()
}

// innerFilter writes a filter inside an expand. The server appends it to the
// parent's condition without parentheses, and splits options at separators
// outside parentheses, so parentheses are put around whatever needs them.
func innerFilter(f Filter, separator string) (string, error) {
	text, err := f.Render()
	if err != nil || text == "" {
		return "", err
	}
	if balance(text) != 0 {
		return "", invalid("expand: the parentheses of the filter %s do not match", quote(text))
	}
	if f.kind == filterRaw || strings.Contains(text, separator) {
		return "(" + text + ")", nil
	}
	return text, nil
}

// balance returns the number of parentheses left open; below zero if one is
// closed that was not opened. The server counts them inside quotes as well.
func balance(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return depth
			}
		}
	}
	return depth
}

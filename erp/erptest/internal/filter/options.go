package filter

import (
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Select reads a $select into the column names it lists, blanks trimmed.
// Blank text selects nothing.
func Select(text string) []string {
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		if name = trim(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// OrderBy translates a $orderby. Any part that is not right, and any column
// that cannot be searched, makes it empty: the ERP ignores such clauses. A comma
// at the end is an error, because the ERP does not see it and its database does;
// see [Order] for clauses of the dictionary.
// As in the ERP's database NULL is greater than every value.
func OrderBy(text string, t *store.Table) (string, error) {
	if len(text) > MaxLength || trim(text) == "" {
		return "", nil
	}
	parts := strings.Split(text, ",")
	if len(parts) > MaxItems {
		return "", nil
	}
	last := len(parts)
	for last > 0 && parts[last-1] == "" {
		last--
	}
	var keys []string
	nulls := map[string]string{"ASC": " NULLS LAST", "DESC": " NULLS FIRST"}
	for _, part := range parts[:last] {
		words := strings.Split(trim(part), " ")
		direction := "ASC"
		if len(words) == 2 {
			direction = strings.ToUpper(words[1])
		}
		c, ok := t.Column(words[0])
		if !ok || len(words) > 2 || nulls[direction] == "" ||
			c.Secure || c.Encrypted || strings.HasPrefix(c.ColumnSQL, "@") {
			return "", nil
		}
		keys = append(keys, byValue(c, store.Expr(t, c))+" "+direction+nulls[direction])
	}
	if last < len(parts) {
		return "", broken("The order ends with a comma")
	}
	return strings.Join(keys, ", "), nil
}

// Order is OrderBy for a clause of the dictionary: empty when anything is wrong.
func Order(text string, t *store.Table) string {
	order, err := OrderBy(text, t)
	if err != nil {
		return ""
	}
	return order
}

// Expansion is one item of a $expand.
type Expansion struct {
	Name    string // as the client wrote it: column, table or table.column
	Select  string
	Filter  string
	OrderBy string
	Label   string
	Top     int
	Skip    int
	Expand  []Expansion
}

// OnlySelect reports whether no option but $select says anything.
func (e *Expansion) OnlySelect() bool {
	return e.Filter == "" && e.OrderBy == "" && e.Label == "" && e.Top <= 0 && e.Skip <= 0 && len(e.Expand) == 0
}

// Expand reads a $expand whose options are separated by the given character.
func Expand(text string, separator byte) ([]Expansion, error) {
	if len(text) > MaxLength {
		return nil, expandError("The expansion is longer than %d bytes", MaxLength)
	}
	return expand(text, separator, 0)
}

func expand(text string, separator byte, depth int) ([]Expansion, error) {
	if depth > MaxNested {
		return nil, expandError("Expansions are nested deeper than %d", MaxNested)
	}
	var out []Expansion
	for _, item := range split(text, ',') {
		if item = trim(item); item == "" {
			continue
		}
		e, err := expansion(item, separator, depth)
		if err != nil {
			return nil, err
		}
		if out = append(out, e); len(out) > MaxItems {
			return nil, expandError("More than %d expansions", MaxItems)
		}
	}
	return out, nil
}

// expansion reads one item. As in the ERP a name may hold anything but an opening
// parenthesis, and what follows the last closing one does not count.
func expansion(item string, separator byte, depth int) (Expansion, error) {
	name, options, has := strings.Cut(item, "(")
	e := Expansion{Name: trim(name)}
	if !has {
		return e, nil
	}
	end := strings.LastIndexByte(options, ')')
	if end < 0 {
		e := broken("Parentheses do not match: %s", item).(*Error) //nolint:errorlint // made in this line
		e.Title = "Expand error"
		return Expansion{}, e
	}
	for _, option := range split(options[:end], separator) {
		if option = trim(option); option == "" {
			continue
		}
		name, value, _ := strings.Cut(option, "=")
		if err := e.set(trim(name), trim(value), separator, depth); err != nil {
			return e, err
		}
	}
	return e, nil
}

// set notes an option; those it does not know do nothing, in the ERP neither.
func (e *Expansion) set(name, value string, separator byte, depth int) (err error) {
	switch name {
	case "$select":
		e.Select = value
	case "$filter":
		e.Filter = value
	case "$orderby":
		e.OrderBy = value
	case "label":
		e.Label = value
	case "$top":
		e.Top, err = integer(name, value)
	case "$skip":
		e.Skip, err = integer(name, value)
	case "$expand":
		e.Expand, err = expand(value, separator, depth+1)
	}
	return err
}

func integer(name, value string) (int, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return 0, expandError("%s is not an integer: %s", name, value)
	}
	return int(n), nil
}

func expandError(format string, args ...any) error {
	e := bad(format, args...).(*Error) //nolint:errorlint // made in this line
	e.Title = "Expand error"
	return e
}

package filter

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Columns knows the columns a filter may speak of.
type Columns interface {
	// Filterable is the column a name stands for and the SQL that reads it;
	// ok is false for names that are unknown or must not be searched.
	Filterable(name string) (c *store.Column, expr string, ok bool)
}

// ForTable offers the columns of a dictionary table, by name in any case, and
// the words id and uid for its keys. Secure and encrypted columns cannot be
// searched, nor those whose SQL belongs to the user interface.
func ForTable(t *store.Table) Columns { return tableColumns{t} }

type tableColumns struct{ t *store.Table }

func (tc tableColumns) Filterable(name string) (*store.Column, string, bool) {
	var c *store.Column
	switch name {
	case "id":
		c = tc.t.KeyColumn()
	case "uid":
		c = tc.t.UUColumn()
	}
	if c == nil {
		var ok bool
		if c, ok = tc.t.Column(name); !ok {
			return nil, "", false
		}
	}
	if c.Secure || c.Encrypted || strings.HasPrefix(c.ColumnSQL, "@") {
		return nil, "", false
	}
	return c, store.Expr(tc.t, c), true
}

// SQL is a condition with ? parameters. An empty Where lets everything
// through. A Where with alternatives is not in parentheses, as in the ERP.
type SQL struct {
	Where string
	Args  []any
}

// Translate turns a $filter into SQL. Times without zone are meant in zone.
//
// Like the ERP it goes from word to word and stops at the first it cannot use,
// so that it reports the first of several mistakes. What the ERP passes on to its
// database, which then does not understand it (a word AND too many, say), is reported
// only when everything else is right.
func Translate(text string, columns Columns, zone *time.Location) (SQL, error) {
	if len(text) > MaxLength {
		return SQL{}, bad("The filter is longer than %d bytes", MaxLength)
	}
	if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) {
		return SQL{}, bad("The filter is not valid text")
	}
	if strings.TrimSpace(text) == "" {
		return SQL{}, nil
	}
	tr := &translator{columns: columns, zone: zone, left: MaxTerms}
	if err := tr.filter(wordsOf(text), 0); err != nil {
		return SQL{}, err
	}
	if tr.wrong != nil {
		return SQL{}, tr.wrong
	}
	return SQL{Where: tr.sql.String(), Args: tr.args}, nil
}

type translator struct {
	columns Columns
	zone    *time.Location
	left    int // terms that may follow
	sql     strings.Builder
	args    []any
	wrong   error // what the ERP's database would say first
}

// broken notes that the ERP's database would not understand the condition.
func (tr *translator) broken(format string, args ...any) {
	if tr.wrong == nil {
		tr.wrong = broken(format, args...)
	}
}

func (tr *translator) arg(v any) { tr.args = append(tr.args, v) }

func (tr *translator) filter(words []string, depth int) error {
	if depth > MaxDepth {
		return bad("Parentheses are nested deeper than %d", MaxDepth)
	}
	next := func() (string, bool) {
		if len(words) == 0 {
			return "", false
		}
		word := words[0]
		words = words[1:]
		return word, true
	}
	open := true // whether a condition may come
	for {
		word, ok := next()
		if !ok {
			if open {
				tr.broken("The expression ends where a condition was expected")
			}
			return nil
		}
		if strings.EqualFold(word, "and") || strings.EqualFold(word, "or") {
			if open {
				tr.broken("A condition was expected in place of %s", word)
			}
			open = true
			tr.sql.WriteString(" " + strings.ToUpper(word) + " ")
			continue
		}
		if !open {
			tr.broken("Two conditions need AND or OR between them: %s", word)
		}
		open = false
		if tr.left--; tr.left < 0 {
			return bad("The filter has more than %d conditions", MaxTerms)
		}
		if err := tr.term(word, next, depth); err != nil {
			return err
		}
	}
}

// term translates the condition that begins with word.
func (tr *translator) term(word string, next func() (string, bool), depth int) error {
	if strings.EqualFold(word, "not") {
		word, ok := next()
		if !ok {
			return truncated()
		}
		name, isCall, err := knownFunction(word)
		if err != nil {
			return err
		}
		if !isCall {
			return bad("Operator NOT is only compatible with certain functions. Not with %s", word)
		}
		if !isMatch(name) {
			return broken("%s is no condition", name)
		}
		return tr.match(name, word, true)
	}
	if enclosed(word) {
		tr.sql.WriteByte('(')
		if err := tr.filter(wordsOf(word[1:len(word)-1]), depth+1); err != nil {
			return err
		}
		tr.sql.WriteByte(')')
		return nil
	}
	name, isCall, err := knownFunction(word)
	if err != nil {
		return err
	}
	if isCall && isMatch(name) {
		return tr.match(name, word, false)
	}
	operator, ok1 := next()
	right, ok2 := next()
	if !ok1 || !ok2 {
		return truncated()
	}
	return tr.comparison(word, operator, right)
}

// knownFunction is the function a word calls, if it calls one.
func knownFunction(word string) (name string, isCall bool, err error) {
	name, isCall = function(word)
	if isCall && !isMatch(name) && foldOf(name) == "" {
		err = broken("Method call '%s' not implemented", name)
	}
	return name, isCall, err
}

func isMatch(function string) bool {
	return function == "contains" || function == "startswith" || function == "endswith"
}

// foldOf is the SQL function of one that changes the case of a text, empty for
// others.
func foldOf(function string) string {
	switch function {
	case "tolower":
		return "erp_lower"
	case "toupper":
		return "erp_upper"
	}
	return ""
}

// foldCall is the SQL function and the argument of a call of tolower or toupper.
func foldCall(text string) (sql, of string, err error) {
	name, isCall, err := knownFunction(text)
	if err != nil {
		return "", "", err
	}
	sql = foldOf(name)
	of, ok := argument(text)
	if !isCall || sql == "" || !ok {
		return "", "", broken("This is no call of a function: %s", text)
	}
	return sql, of, nil
}

// operand is a column, perhaps in a call of tolower or toupper.
func (tr *translator) operand(text string) (*store.Column, string, error) {
	fold := ""
	if strings.Contains(text, "(") {
		var err error
		if fold, text, err = foldCall(text); err != nil {
			return nil, "", err
		}
	}
	c, expr, ok := tr.columns.Filterable(trim(text))
	if !ok {
		return nil, "", bad("Invalid column for filter: %s", trim(text))
	}
	return c, tr.folded(fold, c, expr), nil
}

// folded puts a column into a function for texts.
func (tr *translator) folded(fold string, c *store.Column, expr string) string {
	if fold == "" {
		return expr
	}
	if !isText(c) {
		tr.broken("The column cannot be converted to text: %s", c.Name)
	}
	return fold + "(" + expr + ")"
}

// match translates a call of contains, startswith or endswith.
func (tr *translator) match(name, call string, not bool) error {
	first, second, ok := arguments(call)
	if !ok {
		return broken("%s needs a column and a value", name)
	}
	c, expr, err := tr.operand(first)
	if err != nil {
		return err
	}
	if !isText(c) {
		tr.broken("%s needs a text column: %s", name, c.Name)
	}
	fold := ""
	if strings.Contains(second, "(") {
		if fold, second, err = foldCall(second); err != nil {
			return err
		}
	}
	pattern := "?"
	if right, e, ok := tr.columns.Filterable(trim(second)); ok {
		pattern = tr.folded(fold, right, e)
		if !isText(right) {
			tr.broken("%s needs a text column: %s", name, right.Name)
		}
	} else {
		value, ok := inner(second)
		if !ok {
			return broken("The value of %s is not quoted", name)
		}
		if name != "startswith" {
			value = "%" + value
		}
		if name != "endswith" {
			value += "%"
		}
		v, err := convert(c, "'"+value+"'", tr.zone)
		if err != nil {
			return err
		}
		tr.arg(v)
		if fold != "" {
			pattern = fold + "(?)"
		}
	}
	if not {
		tr.sql.WriteString("NOT ")
	}
	tr.sql.WriteString("erp_like(" + expr + "," + pattern + ")")
	return nil
}

var sqlOperators = map[string]string{"eq": "=", "neq": "<>", "gt": ">", "ge": ">=", "lt": "<", "le": "<=", "in": "IN"}

func (tr *translator) comparison(left, operator, right string) error {
	sql, known := sqlOperators[operator]
	if !known && operator != "and" && operator != "or" { // which the ERP takes for operators, too
		return bad("Unsupported operator: %s", operator)
	}
	c, expr, err := tr.operand(left)
	if err != nil {
		return err
	}
	switch {
	case right == "null" && (operator == "eq" || operator == "neq"):
		tr.sql.WriteString(expr)
		if operator == "eq" {
			tr.sql.WriteString(" IS NULL")
		} else {
			tr.sql.WriteString(" IS NOT NULL")
		}
		return nil
	case right == "null":
		return bad("Operator %s is not compatible with NULL comparision", operator)
	case c.Kind() == store.KindBytes:
		tr.broken("The column cannot be compared: %s", c.Name)
	case !known:
		tr.broken("Two conditions were expected around %s", operator)
	}
	if operator == "in" {
		return tr.in(c, expr, right)
	}
	value, err := tr.right(c, right)
	if err != nil {
		return err
	}
	tr.sql.WriteString(byValue(c, expr) + " " + sql + " " + value)
	return nil
}

func (tr *translator) in(c *store.Column, expr, list string) error {
	if !enclosed(list) {
		return bad("Wrong right parameter for IN operator")
	}
	values := strings.Split(trim(list[1:len(list)-1]), ",")
	for len(values) > 1 && values[len(values)-1] == "" {
		values = values[:len(values)-1]
	}
	if len(values) == 1 && values[0] == "" && strings.Contains(list, ",") {
		tr.broken("The list of values is empty")
		return nil
	}
	for _, text := range values {
		v, err := convert(c, trim(text), tr.zone)
		if err != nil {
			return err
		}
		tr.arg(v)
	}
	tr.sql.WriteString(byValue(c, expr) + " IN (" + strings.Join(slices.Repeat([]string{"?"}, len(values)), ",") + ")")
	return nil
}

// right is the right-hand side: a column when the word is the name of one,
// else a value of the left column's type.
func (tr *translator) right(left *store.Column, text string) (string, error) {
	fold := ""
	if !isQuoted(text) {
		if strings.Contains(text, "(") {
			var err error
			if fold, text, err = foldCall(text); err != nil {
				return "", err
			}
		}
		if c, expr, ok := tr.columns.Filterable(trim(text)); ok {
			if class(left) != class(c) {
				tr.broken("The columns %s and %s cannot be compared", left.Name, c.Name)
			}
			if left.Kind() == store.KindDecimal || c.Kind() == store.KindDecimal {
				expr = "CAST(" + expr + " AS TEXT)" // numbers of any kind meet as decimal text
			}
			return tr.folded(fold, c, expr), nil
		}
	}
	v, err := convert(left, text, tr.zone)
	if err != nil {
		return "", err
	}
	tr.arg(v)
	if fold == "" {
		return "?", nil
	}
	if _, isText := v.(string); !isText {
		tr.broken("The value cannot be converted to text: %s", text)
	}
	return fold + "(?)", nil
}

// byValue is the left-hand side in a form that compares by value: computed
// decimals have to be told so.
func byValue(c *store.Column, expr string) string {
	if c.Kind() == store.KindDecimal {
		return "CAST(" + expr + " AS TEXT) COLLATE DECIMAL"
	}
	return expr
}

// isText reports whether SQL's text functions take the column.
func isText(c *store.Column) bool { return class(c) == "text" }

// class is what kinds of columns the ERP's database compares with each other.
func class(c *store.Column) string {
	switch c.Kind() {
	case store.KindText, store.KindBool, store.KindUUID, store.KindJSON:
		return "text"
	case store.KindInteger, store.KindDecimal:
		return "number"
	case store.KindBytes:
		return "bytes"
	}
	return "time"
}

func truncated() error { return broken("The expression ends where more was expected") }

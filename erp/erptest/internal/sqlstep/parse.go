package sqlstep

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// ErrSyntax is in the error of a step whose SQL this package cannot read.
var ErrSyntax = errors.New("SQL")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrSyntax}, args...)...)
}

// Step is a statement of the small SQL that steps of archives may have: rows of
// one table are inserted, updated or deleted, or a foreign key is declared.
type Step struct {
	Verb    string // INSERT, UPDATE, DELETE or CONSTRAINT
	Table   string
	Columns []string
	Rows    [][]Value // of an INSERT; one of an UPDATE
	Where   Condition // nil for all rows
	Refers  string    // table of a foreign key, "" when one is dropped
}

// Value is a constant: what is written out, the current time or a new UUID.
type Value struct {
	Kind string // null, text, number, now or uuid
	Text string
}

// Condition is one of [Logic], [Compare] and [In].
type Condition any

// Logic joins conditions, or negates one.
type Logic struct {
	Op    string // AND, OR or NOT
	Parts []Condition
}

// Compare compares a column; Op is IS or IS NOT for NULL.
type Compare struct {
	Column, Op string
	Value      Value
}

// In looks a column up among values, or in what a query finds.
type In struct {
	Column string
	Not    bool
	Values []Value
	Query  *Query
}

// Query selects one column of a table.
type Query struct {
	Column, Table string
	Where         Condition
}

// Bounds of a step.
const (
	maxSQL    = 1 << 20 // characters
	maxParts  = 200     // joined by one AND or OR
	maxValues = 1000    // in one pair of parentheses
)

// Parse reads one statement.
func Parse(sql string) (*Step, error) {
	if len(sql) > maxSQL {
		return nil, refuse("it is too long")
	}
	tokens, err := scan(sql)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	step, err := p.statement()
	if err != nil {
		return nil, err
	}
	p.sign(";")
	if p.peek().kind != 0 {
		return nil, refuse("%s is not understood", p.next().text)
	}
	return step, nil
}

type parser struct {
	tokens []token
	at     int
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != 0 {
		p.at++
	}
	return t
}

// word takes the words of SQL, one after the other, or nothing.
func (p *parser) word(words ...string) bool {
	for i, w := range words {
		t := p.tokens[min(p.at+i, len(p.tokens)-1)]
		if t.kind != 'a' || !strings.EqualFold(t.text, w) {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *parser) sign(sign string) bool {
	if t := p.peek(); t.kind == 'o' && t.text == sign {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(sign string) error {
	if !p.sign(sign) {
		return refuse("%s is missing before %q", sign, p.peek().text)
	}
	return nil
}

func (p *parser) name() (string, error) {
	t := p.next()
	if t.kind != 'a' {
		return "", refuse("a name is missing before %q", t.text)
	}
	return t.text, nil
}

// names reads names in parentheses.
func (p *parser) names() ([]string, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var names []string
	for {
		name, err := p.name()
		if err != nil {
			return nil, err
		}
		if names = append(names, name); !p.sign(",") {
			return names, p.expect(")")
		}
	}
}

func (p *parser) statement() (step *Step, err error) {
	step = &Step{}
	switch {
	case p.word("DELETE", "FROM"):
		step.Verb = "DELETE"
		if step.Table, err = p.name(); err != nil {
			return nil, err
		}
		step.Where, err = p.whereClause()
	case p.word("UPDATE"):
		step.Verb = "UPDATE"
		err = p.update(step)
	case p.word("INSERT", "INTO"):
		step.Verb = "INSERT"
		err = p.insert(step)
	case p.word("ALTER", "TABLE"):
		step.Verb = "CONSTRAINT"
		err = p.constraint(step)
	default:
		return nil, refuse("%s is not understood", p.peek().text)
	}
	return step, err
}

func (p *parser) update(step *Step) (err error) {
	if step.Table, err = p.name(); err != nil {
		return err
	}
	if !p.word("SET") {
		return refuse("SET is missing before %q", p.peek().text)
	}
	var values []Value
	for {
		column, err := p.name()
		if err != nil {
			return err
		}
		if err := p.expect("="); err != nil {
			return err
		}
		v, err := p.value()
		if err != nil {
			return err
		}
		step.Columns, values = append(step.Columns, column), append(values, v)
		if !p.sign(",") {
			break
		}
	}
	step.Rows = [][]Value{values}
	step.Where, err = p.whereClause()
	return err
}

func (p *parser) insert(step *Step) (err error) {
	if step.Table, err = p.name(); err != nil {
		return err
	}
	if step.Columns, err = p.names(); err != nil {
		return err
	}
	if !p.word("VALUES") {
		return refuse("VALUES is missing before %q", p.peek().text)
	}
	for {
		values, err := p.values()
		if err != nil {
			return err
		}
		if len(values) != len(step.Columns) {
			return refuse("%d columns have %d values", len(step.Columns), len(values))
		}
		if step.Rows = append(step.Rows, values); !p.sign(",") {
			return nil
		}
	}
}

// constraint reads the declaration of a foreign key, or its removal.
func (p *parser) constraint(step *Step) (err error) {
	if step.Table, err = p.name(); err != nil {
		return err
	}
	switch {
	case p.word("DROP", "CONSTRAINT", "IF", "EXISTS"), p.word("DROP", "CONSTRAINT"):
		_, err = p.name()
		return errors.Join(err, p.commit())
	case !p.word("ADD", "CONSTRAINT"):
		return refuse("%s is not understood", p.peek().text)
	}
	if _, err = p.name(); err != nil {
		return err
	}
	if !p.word("FOREIGN", "KEY") {
		return refuse("%s is not understood", p.peek().text)
	}
	if step.Columns, err = p.names(); err != nil {
		return err
	}
	if !p.word("REFERENCES") {
		return refuse("REFERENCES is missing before %q", p.peek().text)
	}
	if step.Refers, err = p.name(); err != nil {
		return err
	}
	if p.peek().text == "(" {
		if _, err = p.names(); err != nil {
			return err
		}
	}
	for _, option := range [][]string{{"ON", "DELETE", "CASCADE"}, {"ON", "DELETE", "SET", "NULL"}, {"DEFERRABLE"}, {"INITIALLY", "DEFERRED"}} {
		p.word(option...)
	}
	return p.commit()
}

// commit passes over a COMMIT that the ERP puts behind some declarations.
func (p *parser) commit() error {
	if p.sign(";") {
		p.word("COMMIT")
	}
	return nil
}

func (p *parser) values() ([]Value, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var values []Value
	for {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		if values = append(values, v); !p.sign(",") {
			return values, p.expect(")")
		}
		if len(values) == maxValues {
			return nil, refuse("there are more than %d values", maxValues)
		}
	}
}

// value reads a constant, or texts joined by ||.
func (p *parser) value() (Value, error) {
	v, err := p.single()
	for err == nil && p.sign("||") {
		var more Value
		more, err = p.single()
		if (v.Kind != "text" && v.Kind != "number") || (err == nil && more.Kind != "text" && more.Kind != "number") {
			return v, refuse("only texts and numbers can be joined")
		}
		v = Value{"text", v.Text + more.Text}
	}
	return v, err
}

func (p *parser) single() (Value, error) {
	switch {
	case p.word("NULL"):
		return Value{Kind: "null"}, nil
	case p.word("SYSDATE"), p.word("CURRENT_TIMESTAMP"):
		return Value{Kind: "now"}, nil
	case p.word("chr"):
		return p.character()
	}
	for name, kind := range map[string]string{"now": "now", "getdate": "now", "generate_uuid": "uuid", "uuid_generate_v4": "uuid", "gen_random_uuid": "uuid"} {
		if p.word(name) {
			return Value{Kind: kind}, errors.Join(p.expect("("), p.expect(")"))
		}
	}
	minus := ""
	if p.sign("-") {
		minus = "-"
	}
	switch t := p.next(); {
	case t.kind == 'n':
		return Value{"number", minus + t.text}, nil
	case t.kind == 's' && minus == "":
		return Value{"text", t.text}, nil
	case t.kind == 0:
		return Value{}, refuse("a value is missing at the end")
	default:
		return Value{}, refuse("%s is not understood as a value", t.text)
	}
}

func (p *parser) character() (Value, error) {
	values, err := p.values()
	if err != nil {
		return Value{}, err
	}
	n, err := strconv.Atoi(values[0].Text)
	if err != nil || len(values) != 1 || n < 1 || n > unicode.MaxASCII {
		return Value{}, refuse("chr wants one number of a character")
	}
	return Value{"text", string(rune(n))}, nil
}

package mask

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/nearest"
)

// Rules are what somebody decided about tables and columns of their own ERP.
// The zero Rules change nothing.
type Rules struct {
	// Scatter is how many percent amounts may move up or down, 0 to 90 with up
	// to two decimals. 0 keeps them.
	Scatter float64
	// Classes replace one class by another wherever it was found.
	Classes map[Class]Class
	Tables  []TableRule
}

// TableRule decides about one table.
type TableRule struct {
	Table   string
	Keep    bool // all columns are kept, secrets apart
	Columns []ColumnRule
	Where   string // where the rule was written, for errors; may be empty
}

// ColumnRule decides about one column.
type ColumnRule struct {
	Column   string
	Class    Class
	Constant string // of the class [Fixed]
	Where    string
}

// choosable are the classes that a rule may give.
var choosable = []Class{Keep, Person, Firm, Label, Code, Street, City, Postal, Phone, Mail, URL, Host, Account, Routing, IBAN, BIC, Card,
	TaxID, Birthday, Geo, Text, JSON, Setting, Amount, Binary, Secret, Emptied}

// ParseClass finds a class that a rule may give by its name.
func ParseClass(name string) (Class, error) {
	if c := Class(name); slices.Contains(choosable, c) {
		return c, nil
	}
	names := make([]string, len(choosable))
	for i, c := range choosable {
		names[i] = string(c)
	}
	if near := nearest.Name(name, names); near != "" {
		return "", fmt.Errorf("there is no class %q; did you mean %s?", short(name), near)
	}
	return "", fmt.Errorf("there is no class %q; use one of %s", short(name), strings.Join(names, ", "))
}

// short is as much of a name as belongs into an error.
func short(name string) string {
	if r := []rune(name); len(r) > 64 {
		return string(r[:64]) + "…"
	}
	return name
}

// mostErrors is the number of mistakes that are reported at once.
const mostErrors = 50

// apply changes the plan of the tables. It reports everything that is wrong.
func (r *Rules) apply(m *Masker) error {
	var errs []error
	bad := func(where, format string, args ...any) {
		if where != "" {
			where += ": "
		}
		errs = append(errs, errors.New(where+fmt.Sprintf(format, args...)))
	}
	if !(r.Scatter >= 0 && r.Scatter <= 90) {
		bad("", "amounts cannot be scattered by %v percent; use 0 to 90", r.Scatter)
	}
	for from, to := range r.Classes {
		for _, c := range []Class{from, to} {
			if _, err := ParseClass(string(c)); err != nil {
				bad("", "classes: %v", err)
			}
		}
		if from == Secret || from == Keep {
			bad("", "classes: %s cannot be replaced as a whole; give rules for single columns", from)
			continue
		}
		errs = append(errs, m.replaceClass(from, to)...)
	}
	for _, tr := range r.Tables {
		if len(errs) >= mostErrors {
			bad("", "and more")
			break
		}
		t, ok := m.tables[strings.ToLower(tr.Table)]
		if !ok {
			bad(tr.Where, "there is no table %q%s", short(tr.Table), didYouMean(tr.Table, m.tableNames()))
			continue
		}
		if tr.Keep {
			for _, c := range t.columns {
				if c.found != Secret {
					c.keep()
				}
			}
		}
		for _, cr := range tr.Columns {
			c, ok := t.columns[strings.ToLower(cr.Column)]
			if !ok {
				bad(cr.Where, "table %s has no column %q%s", t.name, short(cr.Column), didYouMean(cr.Column, t.columnNames()))
				continue
			}
			if err := c.rule(cr); err != nil {
				bad(cr.Where, "column %s.%s %v", t.name, c.Name, err)
			}
		}
	}
	return errors.Join(errs...)
}

// replaceClass gives the columns of a class another one.
func (m *Masker) replaceClass(from, to Class) (errs []error) {
	for _, name := range m.tableNames() {
		t := m.tables[strings.ToLower(name)]
		for _, column := range t.columnNames() {
			c := t.columns[strings.ToLower(column)]
			if c.found != from {
				continue
			}
			if err := c.rule(ColumnRule{Class: to}); err != nil {
				errs = append(errs, fmt.Errorf("classes: %s as %s: column %s.%s %w", from, to, name, column, err))
			}
		}
	}
	return errs
}

func didYouMean(name string, candidates []string) string {
	if near := nearest.Name(name, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return "; rules name tables and columns as the dictionary does"
}

// rule applies one rule to a column.
func (c *column) rule(r ColumnRule) error {
	err := c.allows(r)
	switch {
	case err != nil:
		return err
	case r.Class == Fixed:
		err = c.takesConstant(r.Constant)
	default:
		err = c.takes(r.Class)
	}
	if err != nil {
		return err
	}
	c.class, c.constant = r.Class, r.Constant
	if r.Class == Keep {
		c.keep()
	}
	return nil
}

// empties reports whether a class leaves nothing of a value.
func empties(class Class) bool { return class == Emptied || class == Secret || class == Binary }

// allows refuses what would copy a secret or cut a reference to a record.
func (c *column) allows(r ColumnRule) error {
	if r.Class != Fixed {
		if _, err := ParseClass(string(r.Class)); err != nil {
			return err
		}
	}
	switch {
	case c.found == Secret && !empties(r.Class) && r.Class != Fixed:
		return errors.New("holds a secret, and secrets are never copied; use empty or a constant")
	case c.Key && r.Class != Keep, c.RefTable != "" && r.Class != Keep && (r.Class != Emptied || c.Mandatory):
		return errors.New("refers to records; only keep is possible, and empty where the column is not mandatory")
	}
	return nil
}

// takesConstant refuses a constant that the column cannot hold.
func (c *column) takesConstant(constant string) error {
	switch {
	case c.Length > 0 && len([]rune(constant)) > c.Length:
		return fmt.Errorf("has room for %d characters, less than the constant has", c.Length)
	case c.Unique:
		return errors.New("holds different values only, so there is no constant for it")
	case c.numeric() && !decimal().MatchString(constant), c.dated() && !isDate(constant):
		return errors.New("needs a constant of its type: a decimal number, or a date as 2006-01-02 15:04:05")
	}
	return nil
}

// takes refuses a class that is for other values.
func (c *column) takes(class Class) error {
	fits := c.textual()
	switch class {
	case Keep:
		fits = true
	case Emptied, Secret, Binary:
		if c.Mandatory && !c.textual() && c.DisplayType != displaytype.Binary && !c.numeric() {
			return errors.New("is mandatory and cannot be empty")
		}
		fits = true
	case Amount, Geo:
		fits = fits || c.numeric()
	case Birthday:
		fits = fits || c.dated()
	}
	if !fits {
		return fmt.Errorf("does not hold what the class %s is for", class)
	}
	return nil
}

func isDate(text string) bool {
	_, err := time.Parse(time.DateTime, text)
	return err == nil
}

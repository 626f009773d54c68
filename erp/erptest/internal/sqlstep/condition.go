package sqlstep

import (
	"errors"
	"strings"
)

func (p *parser) whereClause() (Condition, error) {
	if !p.word("WHERE") {
		return nil, nil
	}
	return p.or(0)
}

func (p *parser) or(depth int) (Condition, error) {
	return p.join("OR", func() (Condition, error) {
		return p.join("AND", func() (Condition, error) { return p.not(depth) })
	})
}

func (p *parser) join(op string, part func() (Condition, error)) (Condition, error) {
	var parts []Condition
	for {
		c, err := part()
		if err != nil {
			return nil, err
		}
		if parts = append(parts, c); !p.word(op) {
			return Logic{op, parts}, nil
		}
		if len(parts) == maxParts {
			return nil, refuse("the condition has too many parts")
		}
	}
}

func (p *parser) not(depth int) (Condition, error) {
	if depth > 20 {
		return nil, refuse("the condition is too deep")
	}
	if p.word("NOT") {
		c, err := p.not(depth + 1)
		return Logic{"NOT", []Condition{c}}, err
	}
	if p.sign("(") {
		c, err := p.or(depth + 1)
		return c, errors.Join(err, p.expect(")"))
	}
	column, err := p.name()
	if err == nil && p.sign(".") {
		column, err = p.name() // behind the table's name
	}
	if err != nil {
		return nil, err
	}
	if p.word("IS", "NULL") {
		return Compare{column, "IS", Value{Kind: "null"}}, nil
	}
	if p.word("IS", "NOT", "NULL") {
		return Compare{column, "IS NOT", Value{Kind: "null"}}, nil
	}
	not := p.word("NOT")
	if p.word("IN") {
		return p.in(column, not, depth)
	}
	for _, op := range []string{"=", "<>", "!=", "<", ">", "<=", ">="} {
		if !not && p.sign(op) {
			v, err := p.value()
			return Compare{column, strings.Replace(op, "!=", "<>", 1), v}, err
		}
	}
	return nil, refuse("%s is not understood behind %s", p.peek().text, column)
}

func (p *parser) in(column string, not bool, depth int) (Condition, error) {
	if t := p.tokens[min(p.at+1, len(p.tokens)-1)]; !strings.EqualFold(t.text, "SELECT") || t.kind != 'a' {
		values, err := p.values()
		return In{Column: column, Not: not, Values: values}, err
	}
	p.sign("(")
	p.word("SELECT")
	query := &Query{}
	var err error
	if query.Column, err = p.name(); err != nil {
		return nil, err
	}
	if !p.word("FROM") {
		return nil, refuse("FROM is missing before %q", p.peek().text)
	}
	if query.Table, err = p.name(); err != nil {
		return nil, err
	}
	if p.word("WHERE") {
		if query.Where, err = p.or(depth + 1); err != nil {
			return nil, err
		}
	}
	return In{Column: column, Not: not, Query: query}, p.expect(")")
}

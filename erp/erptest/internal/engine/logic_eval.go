package engine

import (
	"slices"
	"strings"
)

// EvalLogic evaluates display, read-only or mandatory logic such as
// @Processed@='Y' & @GrandTotal@>0. Comparisons are joined from left to right;
// several values separated by commas are alternatives. value is what a
// variable stands for, "" for nothing. ok is false for logic that cannot be
// evaluated here, such as SQL.
func EvalLogic(logic string, value func(name string) string) (result, ok bool) {
	logic = strings.TrimSpace(logic)
	if logic == "" || strings.HasPrefix(logic, "@SQL=") {
		return false, false
	}
	e := logicEval{in: logic, value: value}
	result, ok = e.expression(0)
	return result, ok && e.blanks() == len(e.in)
}

type logicEval struct {
	in    string
	at    int
	value func(name string) string
}

func (e *logicEval) blanks() int {
	for e.at < len(e.in) && strings.ContainsRune(" \t\r\n", rune(e.in[e.at])) {
		e.at++
	}
	return e.at
}

func (e *logicEval) expression(depth int) (bool, bool) {
	if depth > 50 {
		return false, false
	}
	result, ok := e.term(depth)
	for ok {
		e.blanks()
		if e.at == len(e.in) || e.in[e.at] != '&' && e.in[e.at] != '|' {
			break
		}
		and := e.in[e.at] == '&'
		e.at++
		next, nextOK := e.term(depth)
		ok = nextOK
		if and {
			result = result && next
		} else {
			result = result || next
		}
	}
	return result, ok
}

func (e *logicEval) term(depth int) (bool, bool) {
	e.blanks()
	negated := strings.HasPrefix(e.in[e.at:], "$!")
	if negated {
		e.at += len("$!")
		e.blanks()
	}
	if e.takes('(') {
		result, ok := e.expression(depth + 1)
		e.blanks()
		if !ok || !e.takes(')') {
			return false, false
		}
		return result != negated, true
	}
	left, ok := e.operandValue()
	if !ok {
		return false, false
	}
	e.blanks()
	start := e.at
	for e.at < len(e.in) && strings.IndexByte("=!<>^~", e.in[e.at]) >= 0 && e.at-start < 2 {
		e.at++
	}
	operator := e.in[start:e.at]
	if operator == "" {
		return false, false
	}
	alternatives, ok := e.alternatives()
	if !ok {
		return false, false
	}
	different := slices.Contains([]string{"!", "!=", "^", "<>"}, operator)
	result := different
	for _, r := range alternatives {
		if different {
			result = result && left != r
		} else {
			result = result || compareLogic(left, operator, r)
		}
	}
	return result != negated, true
}

// takes goes past a character, if it comes next.
func (e *logicEval) takes(c byte) bool {
	if e.at == len(e.in) || e.in[e.at] != c {
		return false
	}
	e.at++
	return true
}

// alternatives are the values with commas between them.
func (e *logicEval) alternatives() (list []string, ok bool) {
	for {
		value, ok := e.operandValue()
		if !ok {
			return nil, false
		}
		list = append(list, value)
		if e.blanks(); !e.takes(',') {
			return list, true
		}
	}
}

func (e *logicEval) operandValue() (string, bool) {
	e.blanks()
	if e.at == len(e.in) {
		return "", false
	}
	c := e.in[e.at]
	if c == '@' || c == '\'' || c == '"' {
		end := strings.IndexByte(e.in[e.at+1:], c)
		if end < 0 {
			return "", false
		}
		text := e.in[e.at+1 : e.at+1+end]
		e.at += end + 2
		if c == '@' {
			return e.value(text), text != ""
		}
		return text, true
	}
	start := e.at
	for e.at < len(e.in) && strings.IndexByte("=!<>^~&|()@'\",", e.in[e.at]) < 0 {
		e.at++
	}
	text := strings.TrimSpace(e.in[start:e.at])
	return text, text != ""
}

func compareLogic(left, operator, right string) bool {
	order := strings.Compare(left, right)
	if a, ok := ParseRat(left); ok {
		if b, ok := ParseRat(right); ok {
			order = a.Cmp(b)
		}
	}
	switch operator {
	case "=", "==":
		return order == 0
	case "<":
		return order < 0
	case "<=", "=<":
		return order <= 0
	case ">":
		return order > 0
	case ">=", "=>":
		return order >= 0
	}
	return false
}

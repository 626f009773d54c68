package engine

import (
	"fmt"
	"strings"
)

// checkLogic refuses display, read-only and mandatory logic that could not be
// evaluated; logic in SQL is not looked at.
func checkLogic(r *Record, column string) error {
	logic := strings.TrimSpace(r.Row.String(column))
	if logic == "" || strings.HasPrefix(logic, "@SQL=") || !r.changed(column) {
		return nil
	}
	p := logicParser{in: logic}
	if !p.expression(0) || p.blanks() < len(p.in) {
		if p.at == len(p.in) {
			return saveError(fmt.Sprintf("line 1:%d mismatched input '<EOF>' expecting "+
				"{'$!', 'true', 'false', '(', DECIMAL, VARIABLE, QTEXT, QCSVTEXT, DQTEXT, DQCSVTEXT, TEXT}", p.at))
		}
		return saveError("Invalid logic in " + column + ": " + JSONOf(logic))
	}
	return nil
}

// logicParser recognises comparisons such as @Processed@='Y' joined by & and
// |, with parentheses and ! or $! before them.
type logicParser struct {
	in string
	at int
}

func (p *logicParser) blanks() int {
	for p.at < len(p.in) && strings.ContainsRune(" \t\r\n", rune(p.in[p.at])) {
		p.at++
	}
	return p.at
}

func (p *logicParser) expression(depth int) bool {
	if depth > 50 || !p.term(depth) {
		return false
	}
	for {
		p.blanks()
		if p.at == len(p.in) || p.in[p.at] != '&' && p.in[p.at] != '|' {
			return true
		}
		p.at++
		if !p.term(depth) {
			return false
		}
	}
}

func (p *logicParser) term(depth int) bool {
	p.blanks()
	p.at += len(p.in[p.at:]) - len(strings.TrimPrefix(p.in[p.at:], "$!"))
	p.blanks()
	if p.at < len(p.in) && p.in[p.at] == '(' {
		p.at++
		if !p.expression(depth + 1) {
			return false
		}
		p.blanks()
		if p.at == len(p.in) || p.in[p.at] != ')' {
			return false
		}
		p.at++
		return true
	}
	start := p.at
	if !p.operand() {
		return false
	}
	alone := strings.TrimSpace(p.in[start:p.at])
	p.blanks()
	n := 0
	for p.at < len(p.in) && strings.IndexByte("=!<>^~", p.in[p.at]) >= 0 && n < 2 {
		p.at++
		n++
	}
	if n == 0 { // a value alone is an expression as well
		return strings.ContainsRune(`@'"`, rune(alone[0])) || !strings.ContainsAny(alone, " \t\r\n")
	}
	return p.operand()
}

func (p *logicParser) operand() bool {
	p.blanks()
	if p.at == len(p.in) {
		return false
	}
	switch c := p.in[p.at]; c {
	case '@', '\'', '"':
		end := strings.IndexByte(p.in[p.at+1:], c)
		if end < 0 || c == '@' && end == 0 {
			return false
		}
		p.at += end + 2
		return true
	}
	start := p.at
	for p.at < len(p.in) && strings.IndexByte("=!<>^~&|()@'\"", p.in[p.at]) < 0 {
		p.at++
	}
	return strings.TrimSpace(p.in[start:p.at]) != ""
}

// validNumberPattern recognises patterns of Java's DecimalFormat.
func validNumberPattern(pattern string) bool {
	quoted, digits, points := false, 0, 0
	for _, r := range pattern {
		switch {
		case r == '\'':
			quoted = !quoted
		case quoted:
		case r == '0' || r == '#':
			digits++
		case r == '.':
			points++
		case r == ';':
			points = 0
		}
	}
	return !quoted && digits > 0 && points <= 1
}

// validDatePattern recognises patterns of Java's SimpleDateFormat.
func validDatePattern(pattern string) bool {
	quoted := false
	for _, r := range pattern {
		switch {
		case r == '\'':
			quoted = !quoted
		case quoted:
		case (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') && !strings.ContainsRune("GyYMLwWDdFEuaHkKhmsSzZX", r):
			return false
		}
	}
	return !quoted
}

package engine

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// checkLogic refuses display, read-only and mandatory logic that could not be
// evaluated; logic in SQL is not looked at.
func checkLogic(r *Record, columns ...string) error {
	for _, column := range columns {
		logic := strings.TrimSpace(r.Row.String(column))
		if logic == "" || strings.HasPrefix(logic, "@SQL=") || !r.changed(column) {
			continue
		}
		p := logicParser{tokens: logicTokens(logic)}
		if ok := p.expression(0); p.at < len(p.tokens) {
			return saveError("Invalid logic in " + column + ": " + JSONOf(logic))
		} else if !ok {
			return saveError(fmt.Sprintf("line 1:%d mismatched input '<EOF>' expecting "+
				"{'$!', 'true', 'false', '(', DECIMAL, VARIABLE, QTEXT, QCSVTEXT, DQTEXT, DQCSVTEXT, TEXT}", len(logic)))
		}
	}
	return nil
}

// Kinds of the tokens of logic; parentheses are their own.
const (
	logicOperand  = 'x'
	logicOperator = '='
	logicNot      = '!'
	logicStray    = ',' // a token that no expression has
)

// logicTokens are the kinds of the tokens that the ERP's grammar finds in logic. Other
// text is passed over, as by the ERP: a quote that is not closed takes the rest
// with it, and a variable that is not closed is text.
func logicTokens(in string) (kinds []byte) {
	for at := 0; at < len(in); {
		n, kind := logicToken(in[at:])
		if kind != 0 {
			kinds = append(kinds, kind)
		}
		at += n
	}
	return kinds
}

// logicToken is the length and the kind of the token that a text begins with; kind is
// 0 for what is passed over.
func logicToken(in string) (n int, kind byte) {
	switch c := in[0]; c {
	case '(', ')':
		return 1, c
	case '&', '|', '=', '!', '^', '~':
		return 1, logicOperator
	case '<', '>':
		return len(in) - len(strings.TrimPrefix(in[1:], "=")), logicOperator
	case '\'', '"':
		return quotedLogic(in)
	case '$', '-':
		n = 1
		if c == '$' && strings.HasPrefix(in, "$!") {
			return 2, logicNot
		}
		if c == '-' {
			n = len(logicDecimal().FindString(in))
		}
		if n > 1 {
			return n, logicOperand
		}
		_, next := utf8.DecodeRuneInString(in[1:]) // which had to be read to see that it is not a token
		return 1 + next, 0
	}
	n = len(in) - len(strings.TrimLeft(in, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789,.@"))
	if end := strings.IndexByte(in[1:], '@'); in[0] == '@' && end >= 0 {
		n = max(n, end+2)
	}
	switch {
	case n == 0:
		_, n = utf8.DecodeRuneInString(in)
		return n, 0
	case n == 1 && in[0] == ',':
		return 1, logicStray
	}
	return n, logicOperand
}

var logicDecimal = lazyregexp.New(`^-(?:\d+(?:\.\d+)?)?`)

// quotedLogic is a quoted text, or several with commas between them.
func quotedLogic(in string) (n int, kind byte) {
	for n == 0 || strings.HasPrefix(in[n:], ","+in[:1]) {
		begin := n + 1
		if n > 0 {
			begin++
		}
		end := strings.IndexByte(in[begin:], in[0])
		switch {
		case end >= 0:
			n = begin + end + 1
		case n > 0:
			return n, logicOperand
		case strings.HasPrefix(in[1:], ","):
			return 2, logicStray
		default:
			return len(in), 0
		}
	}
	return n, logicOperand
}

// logicParser recognises comparisons such as @Processed@='Y' joined by & and
// |, with parentheses and $! before them. A value alone is an expression as well.
type logicParser struct {
	tokens []byte
	at     int
}

func (p *logicParser) expression(depth int) bool {
	for depth <= 50 && p.term(depth) {
		if !p.takes(logicOperator) {
			return true
		}
	}
	return false
}

func (p *logicParser) term(depth int) bool {
	for p.takes(logicNot) { // several negate each other
	}
	if p.takes('(') {
		return p.expression(depth+1) && p.takes(')')
	}
	return p.takes(logicOperand)
}

func (p *logicParser) takes(kind byte) bool {
	if p.at == len(p.tokens) || p.tokens[p.at] != kind {
		return false
	}
	p.at++
	return true
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

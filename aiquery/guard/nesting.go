package guard

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// operand are the pairs of tokens that end no operand, though the second alone does.
var operand = map[[2]pg.Token]bool{
	{pg.Token_DISTINCT, pg.Token_FROM}:  true, // IS DISTINCT FROM
	{pg.Token_WITHIN, pg.Token_GROUP_P}: true, // f(…) WITHIN GROUP (…)
}

// nesting returns how deep the tree of a statement may become, judged by its
// tokens, and the byte offset where it is deepest. The scanner does not recurse
// but the parser does, with a stack that deep statements overflow, so this
// comes first.
//
// Brackets and CASE open a level of weight 1. Within a level every join and
// every set operation adds 1 until the level closes, and every operator adds 1
// until the next comma, AND, OR or clause. The weight of a statement is the
// greatest sum over its open levels.
func nesting(tokens []*pg.ScanToken) (weight int, at int32) {
	type level struct {
		joins, chain, between int
	}
	levels := []level{{}}
	sum := 0 // over all levels
	previous := pg.Token_NUL
	for _, t := range tokens {
		top := &levels[len(levels)-1]
		switch t.Token {
		case pg.Token_SQL_COMMENT, pg.Token_C_COMMENT:
			continue
		case pg.Token_ASCII_40, pg.Token_ASCII_91, pg.Token_CASE: // ( [
			levels = append(levels, level{})
			sum++
		case pg.Token_ASCII_41, pg.Token_ASCII_93, pg.Token_END_P: // ) ]
			if len(levels) > 1 {
				sum -= 1 + top.joins + top.chain
				levels = levels[:len(levels)-1]
			}
		case pg.Token_JOIN, pg.Token_UNION, pg.Token_INTERSECT, pg.Token_EXCEPT:
			sum -= top.chain
			top.chain, top.between = 0, 0
			top.joins++
			sum++
		case pg.Token_AND:
			if top.between > 0 { // the one of BETWEEN x AND y ends nothing
				top.between--
				break
			}
			sum -= top.chain
			top.chain = 0
		case pg.Token_ASCII_44, pg.Token_OR, pg.Token_SELECT, pg.Token_FROM, pg.Token_WHERE, pg.Token_GROUP_P,
			pg.Token_HAVING, pg.Token_ORDER, pg.Token_LIMIT, pg.Token_OFFSET, pg.Token_FETCH,
			pg.Token_ON, pg.Token_WHEN, pg.Token_THEN, pg.Token_ELSE, pg.Token_WINDOW:
			if operand[[2]pg.Token{previous, t.Token}] {
				break
			}
			sum -= top.chain
			top.chain, top.between = 0, 0
		case pg.Token_BETWEEN:
			top.between++
			top.chain++
			sum++
		default:
			if chains(t.Token) {
				top.chain++
				sum++
			}
		}
		previous = t.Token
		if sum > weight {
			weight, at = sum, t.Start
		}
	}
	return weight, at
}

// shallow reports whether a text cannot have a greater weight than most, whatever
// its tokens are: each adds at most 1, and a token is a word, a number, or a
// character that is neither.
func shallow(sql string, most int) bool {
	tokens, inWord := 0, false
	for i := range len(sql) {
		c := sql[i]
		word := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
		if !word && strings.IndexByte(" \t\n\r", c) < 0 || word && !inWord {
			if tokens++; tokens > most {
				return false
			}
		}
		inWord = word
	}
	return true
}

// chains tells tokens that make the tree one level deeper each when they follow
// one another without brackets.
func chains(t pg.Token) bool {
	switch t {
	case pg.Token_NOT, pg.Token_NOT_LA, pg.Token_IS, pg.Token_ISNULL, pg.Token_NOTNULL, pg.Token_COLLATE, pg.Token_AT,
		pg.Token_LIKE, pg.Token_ILIKE, pg.Token_SIMILAR, pg.Token_IN_P, pg.Token_OVERLAPS, pg.Token_OPERATOR,
		pg.Token_TYPECAST, pg.Token_Op, pg.Token_LESS_EQUALS, pg.Token_GREATER_EQUALS, pg.Token_NOT_EQUALS,
		pg.Token_EQUALS_GREATER, pg.Token_COLON_EQUALS, pg.Token_UESCAPE, pg.Token_ESCAPE,
		pg.Token_ASCII_37, pg.Token_ASCII_42, pg.Token_ASCII_43, pg.Token_ASCII_45, pg.Token_ASCII_47, // % * + - /
		pg.Token_ASCII_60, pg.Token_ASCII_61, pg.Token_ASCII_62, pg.Token_ASCII_94, // < = > ^
		pg.Token_RECURSIVE, pg.Token_EXPLAIN, pg.Token_PREPARE, pg.Token_EXECUTE, pg.Token_DECLARE:
		return true
	default:
		return false
	}
}

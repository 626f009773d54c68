package tools

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/erphub/erphub/dict/registry"
)

// statementText is what the text of a statement says about its tables, columns and
// values. It is read for notes alone, by words and not by grammar: what runs, and with
// which permissions, others decide.
type statementText struct {
	words   map[string]bool
	aliases map[string]string // table by alias and by name
	texts   []comparedText
	// adds are the words within sum( and avg(; aggregates says that there is an
	// aggregate at all.
	adds       []string
	aggregates bool
	// source is FROM and WHERE, of a statement that is a single SELECT; else empty.
	source string
	named  []string // texts and numbers of tables, which may be what it is about
}

// comparedText is a column that is compared with texts.
type comparedText struct {
	alias, column string // alias may be empty
	operator      string // eq, in or like
	values        []string
}

// lexeme is a word, a text or a sign of a statement.
type lexeme struct {
	kind byte // w word, s text, p parameter, n number, o anything else
	text string
	from int // where it begins
}

// lexemes are those of a statement, without comments. Words are in small letters.
func lexemes(sql string) []lexeme {
	var all []lexeme
	for i := 0; i < len(sql); {
		rest := sql[i:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "--"):
			i += untilText(rest, "\n", 2)
		case strings.HasPrefix(rest, "/*"):
			i += untilText(rest, "*/", 2)
		case c == '\'' || c == '"':
			end := 1
			for end < len(rest) && (rest[end] != c || end+1 < len(rest) && rest[end+1] == c) {
				if rest[end] == c {
					end++
				}
				end++
			}
			quote := string(c)
			text := strings.ReplaceAll(rest[1:min(end, len(rest))], quote+quote, quote)
			all = append(all, lexeme{map[byte]byte{'\'': 's', '"': 'w'}[c], text, i})
			i += min(end+1, len(rest))
		case c == '$':
			end := 1
			for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
				end++
			}
			all = append(all, lexeme{'p', rest[1:end], i})
			i += end
		case c == '_' || unicode.IsLetter(rune(c)) || c >= '0' && c <= '9' || c >= 0x80:
			end := 1
			for end < len(rest) && (rest[end] == '_' || rest[end] >= 0x80 || unicode.IsLetter(rune(rest[end])) || rest[end] >= '0' && rest[end] <= '9') {
				end++
			}
			kind := byte('w')
			if c >= '0' && c <= '9' {
				kind = 'n'
			}
			all = append(all, lexeme{kind, strings.ToLower(rest[:end]), i})
			i += end
		case strings.HasPrefix(rest, "<>"), strings.HasPrefix(rest, "!="):
			all = append(all, lexeme{'o', "<>", i})
			i += 2
		case unicode.IsSpace(rune(c)):
			i++
		default:
			all = append(all, lexeme{'o', rest[:1], i})
			i++
		}
	}
	return all
}

// untilText is the length up to and with an end.
func untilText(s, end string, from int) int {
	if at := strings.Index(s[from:], end); at >= 0 {
		return from + at + len(end)
	}
	return len(s)
}

// readStatement reads the text of a statement with its parameters.
func readStatement(sql string, params []json.RawMessage) *statementText {
	s := &statementText{words: map[string]bool{}, aliases: map[string]string{}}
	all := lexemes(sql)
	at := func(i int) lexeme {
		if i < 0 || i >= len(all) {
			return lexeme{}
		}
		return all[i]
	}
	s.source = sourceOf(sql, all)
	for i, l := range all {
		if l.kind == 's' {
			s.named = append(s.named, l.text)
		}
		if l.kind != 'w' {
			continue
		}
		s.words[l.text] = true
		switch {
		case l.text == "from" || l.text == "join":
			s.table(at, i+1)
		case at(i+1).text == "(" && slices.Contains([]string{"sum", "avg", "count", "min", "max"}, l.text):
			s.aggregates = true
			if l.text == "sum" || l.text == "avg" {
				s.adds = append(s.adds, enclosed(at, i+1)...)
			}
		}
		s.compared(at, i, params)
	}
	return s
}

// sourceOf is what stands between the columns of a single SELECT and its grouping.
func sourceOf(sql string, all []lexeme) string {
	from, until, depth, selects := -1, len(sql), 0, 0
	for _, l := range all {
		switch {
		case l.kind == 'o' && l.text == "(":
			depth++
		case l.kind == 'o' && l.text == ")":
			depth--
		case l.kind == 'w' && l.text == "select":
			selects++
		case depth > 0:
		case l.text == "from" && from < 0:
			from = l.from
		case from >= 0 && until == len(sql) && (l.text == ";" || slices.Contains([]string{"group", "having", "order", "limit", "offset", "fetch", "window", "union", "intersect", "except"}, l.text)):
			until = l.from
		}
	}
	if selects != 1 || from < 0 {
		return ""
	}
	return sql[from:until]
}

// table reads a table and its alias, and those after commas.
func (s *statementText) table(at func(int) lexeme, i int) {
	for at(i).kind == 'w' {
		name := at(i).text
		if at(i+1).text == "." { // behind its schema
			i, name = i+2, at(i+2).text
		}
		s.aliases[name] = name
		i++
		if at(i).text == "as" {
			i++
		}
		if alias := at(i); alias.kind == 'w' && !slices.Contains([]string{"on", "where", "join", "left", "right", "inner", "full", "cross", "group", "order", "limit", "using", "union", "having", "natural"}, alias.text) {
			s.aliases[alias.text] = name
			i++
		}
		if at(i).text != "," {
			return
		}
		i++
	}
}

// enclosed are the words within the parentheses that open at i.
func enclosed(at func(int) lexeme, i int) (words []string) {
	for depth := 0; at(i).kind != 0; i++ {
		switch l := at(i); {
		case l.text == "(" && l.kind == 'o':
			depth++
		case l.text == ")" && l.kind == 'o':
			if depth--; depth == 0 {
				return words
			}
		case l.kind == 'w':
			words = append(words, l.text)
		}
	}
	return words
}

// compared reads a comparison of the column at i with texts.
func (s *statementText) compared(at func(int) lexeme, i int, params []json.RawMessage) {
	c := comparedText{column: at(i).text}
	if at(i-1).text == "." && at(i-2).kind == 'w' {
		c.alias = at(i - 2).text
	}
	value := func(i int) {
		l := at(i)
		if n, err := strconv.Atoi(l.text); l.kind == 'p' && err == nil && n >= 1 && n <= len(params) {
			if text, ok := textOf(params[n-1]); ok {
				c.values = append(c.values, text)
			}
		} else if l.kind == 's' {
			c.values = append(c.values, l.text)
		}
	}
	i++
	if at(i).text == "not" {
		i++
	}
	if c.column == "ad_table_id" && at(i).text == "=" && at(i+1).kind == 'n' {
		s.named = append(s.named, at(i+1).text)
	}
	switch at(i).text {
	case "=", "<>":
		c.operator = "eq"
		value(i + 1)
	case "like":
		c.operator = "like"
		value(i + 1)
	case "in":
		c.operator = "in"
		for i += 2; at(i).kind == 's' || at(i).kind == 'p' || at(i).text == ","; i++ {
			value(i)
		}
	}
	if len(c.values) > 0 {
		s.texts = append(s.texts, c)
	}
}

// column finds a column of the statement's tables.
func (s *statementText) column(tables []*registry.Table, alias, name string) (*registry.Table, *registry.Column) {
	for _, t := range tables {
		if of, known := s.aliases[alias]; alias != "" && known && !strings.EqualFold(of, t.Name) {
			continue
		}
		if c, ok := t.Column(name); ok {
			return t, &c
		}
	}
	return nil, nil
}

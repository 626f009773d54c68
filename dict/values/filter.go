package values

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/text"
)

// Filter is a filter of the REST API as the ERP takes it.
type Filter struct {
	Text  string // with codes and keys where labels and names were
	Terms []erp.FilterTerm
	Notes []string // what those were taken as, for whoever wrote them

	given      string // the text and the terms as they were written
	givenTerms []erp.FilterTerm
}

// ReadFilter reads the text of a filter on records of a table, by the rules of values that
// are written. It writes the codes of lists where the filter has their labels, the keys of
// records where it has what they are called, and numbers without the quotes that the ERP
// does not take around them. It refuses what no column of the type has, much of which the
// ERP would take for something else without a word: what is neither yes nor no, no number
// or no day, values that a list does not have, and names that no record has. What the ERP
// understands stays as it is. It calls of, for a reader and the table, if the filter
// compares with more than whole numbers; without a table the text stays as it is.
// The error is an [*erp.FilterError], an [*Error], or that of the dictionary or the ERP.
func ReadFilter(ctx context.Context, filter string, of func(context.Context) (*Reader, *registry.Table, error)) (*Filter, error) {
	terms, err := erp.FilterTerms(filter)
	if err != nil {
		return nil, err
	}
	if !utf8.ValidString(filter) {
		return nil, wrong("it is not text in UTF-8; check how the terminal or the program encodes it")
	}
	f := &Filter{Text: filter, Terms: terms, given: filter, givenTerms: slices.Clone(terms)}
	if !slices.ContainsFunc(terms, dependsOnType) {
		return f, nil
	}
	r, t, err := of(ctx)
	if t == nil || err != nil {
		return f, err
	}
	r.filters = true
	for i, term := range terms {
		col, ok := t.Column(term.Column)
		if !ok && strings.EqualFold(term.Column, "id") {
			col, ok = t.Column(t.Name + "_ID")
		}
		if !ok {
			continue
		}
		if terms[i].Values, err = r.term(ctx, f, t, &col, term); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// term are the values of a term, with what the ERP stores for those that are read.
func (r *Reader) term(ctx context.Context, f *Filter, t *registry.Table, col *registry.Column, term erp.FilterTerm) ([]string, error) {
	if err := fits(col, term); err != nil || !isRead(col, term) {
		return term.Values, err
	}
	has, bare, err := r.hasNames(ctx, col)
	if err != nil || !has {
		return term.Values, err
	}
	texts := make([]string, len(term.Values))
	for i, v := range term.Values {
		if isText(v) || bare && isWord(v) && !(isDecimal(col) && number().MatchString(v)) {
			texts[i] = textOf(t, v)
		}
	}
	if isDay(col) {
		return term.Values, r.days(ctx, col, texts)
	}
	return r.codes(ctx, f, col, term, texts)
}

// isRead reports whether a term may have values in other words than the ERP's.
func isRead(col *registry.Column, term erp.FilterTerm) bool {
	switch term.Operator {
	case "contains", "startswith", "endswith":
		return false
	case "eq", "neq", "in":
	default:
		if !isDay(col) && !isNumber(col) {
			return false
		}
	}
	return slices.ContainsFunc(term.Values, isWord)
}

func isDay(col *registry.Column) bool { return col.Type.IsDate() && col.Type != dict.TypeTime }

// number is a number without quotes as the ERP takes it for a decimal one.
var number = lazyregexp.New(`^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$`)

// textOf is what a value says, "" for another column, a function, and words of the language.
func textOf(t *registry.Table, v string) string {
	_, another := t.Column(v)
	if !isText(v) && (another || strings.Contains(v, "(") || slices.Contains(ownWords, strings.ToLower(v)) || slices.Contains(yesNoWords, v)) {
		return ""
	}
	return strings.Trim(v, "'") // in which no quote can stand
}

// ownWords are the names that filters have for the key and the UUID of a record.
var ownWords = []string{"id", "uid"}

// days refuses texts that the ERP reads no day from. It looks at no more of them than that.
func (r *Reader) days(ctx context.Context, col *registry.Column, texts []string) error {
	for _, given := range texts {
		if given == "" || day().MatchString(given) {
			continue
		}
		if _, err := r.Read(ctx, OfColumn(col), Cell{Text: given}); err != nil {
			return about(col, err)
		}
	}
	return nil
}

// fits refuses values that the ERP would take for others.
func fits(col *registry.Column, term erp.FilterTerm) error {
	switch col.Type {
	case dict.TypeYesNo:
		if slices.ContainsFunc(term.Values, func(v string) bool { return !slices.Contains(yesNoWords, v) }) {
			return wrong("%s is true or false, and the ERP takes every text for false; write %[1]s %s true or false, without quotes", col.Name, term.Operator)
		}
	case dict.TypeDate, dict.TypeDateTime:
		if slices.ContainsFunc(term.Values, isNoDay) {
			return wrong("%s: %s is a day that no calendar has", col.Name, text.Shorten(strings.Join(term.Values, ", "), 60))
		}
	}
	return nil
}

// about puts the name of a column before what is wrong with a value of it.
func about(col *registry.Column, err error) error {
	var problem *Error
	if errors.As(err, &problem) {
		return wrong("%s: %s", col.Name, problem.Problem)
	}
	return err
}

// isNumber reports whether values of a column are numbers by themselves, or the keys of its
// own table.
func isNumber(col *registry.Column) bool {
	return col.ForeignTable == "" && !col.Type.IsList() && (col.Type.IsNumeric() || col.Type.IsID())
}

func isDecimal(col *registry.Column) bool {
	return isNumber(col) && col.Type.IsNumeric() && col.Type != dict.TypeInteger
}

func isText(value string) bool { return strings.HasPrefix(value, "'") }

// dependsOnType reports whether what a term means depends on the type of its column. A whole
// number means the same for nearly all of them.
func dependsOnType(term erp.FilterTerm) bool { return slices.ContainsFunc(term.Values, isWord) }

// isWord reports whether a value is neither a whole number nor one of yesNoWords.
func isWord(value string) bool {
	_, err := strconv.ParseInt(value, 10, 64)
	return err != nil && !slices.Contains(yesNoWords, value)
}

// yesNoWords are the values of yes-no columns that the ERP takes for what they say, and the
// one of columns without a value.
var yesNoWords = []string{"true", "false", "Y", "N", "null"}

var day = lazyregexp.New(`^'?(\d{4}-\d\d?-\d\d?)`)

// isNoDay reports whether a value begins with a date that is not in the calendar.
func isNoDay(value string) bool {
	found := day().FindStringSubmatch(value)
	if found == nil {
		return false
	}
	_, err := time.Parse("2006-1-2", found[1])
	return err != nil
}

// hasNames reports whether people write values of a column in other words than the ERP
// stores: labels of lists, names of records, and forms of numbers and dates; and whether the ERP
// takes no such word without quotes.
func (r *Reader) hasNames(ctx context.Context, col *registry.Column) (has, bare bool, err error) {
	t := OfColumn(col)
	if !t.refers() || r.client == nil {
		has = col.Type.IsList() && col.ReferenceID > 0 || isNumber(col) || isDay(col)
		return has, has, nil
	}
	s, err := r.spec(ctx, &t)
	if err != nil {
		return false, false, err
	}
	return s.key != "" && (len(s.Columns) > 0 || !s.numeric), s.numeric, nil
}

// stored are the texts of a term as the ERP stores them, in the form of filters, and what
// those are called where the text may not say it.
func (r *Reader) stored(ctx context.Context, col *registry.Column, given []string) (literals, names []string, err error) {
	literals, names = make([]string, len(given)), make([]string, len(given))
	if col.Type.IsList() {
		for i, text := range given {
			code, err := r.Code(ctx, col.ReferenceID, text)
			if err != nil {
				return nil, nil, err
			}
			literals[i] = "'" + code + "'"
		}
		return literals, names, nil
	}
	target := OfColumn(col)
	target.Min, target.Max = "", "" // may be compared with
	values, all := make([]Value, len(given)), make([]*Value, len(given))
	for i, text := range given {
		if values[i], err = r.Read(ctx, target, Cell{Text: text}); err != nil {
			return nil, nil, err
		}
		all[i] = &values[i]
	}
	var problem error
	if err := r.Lookup(ctx, all, func(_ *Value, e error) { problem = cmp.Or(problem, error(&Error{e.Error()})) }); err != nil {
		return nil, nil, err
	}
	for i, v := range values {
		names[i] = v.Name
		if _, number := v.Send.(int64); number || v.IsNumber() {
			literals[i] = v.Plain
		} else {
			literals[i] = "'" + v.Plain + "'" // as it was given, where the role may not read the table
		}
	}
	return literals, names, problem
}

// codes are the values of a term with what the ERP stores for texts, of which empty ones are
// not read. The text of the filter has them, too.
func (r *Reader) codes(ctx context.Context, f *Filter, col *registry.Column, term erp.FilterTerm, texts []string) ([]string, error) {
	codes := slices.Clone(term.Values)
	before := make([]string, len(codes))
	var given []string
	var at []int
	for i, v := range term.Values {
		before[i] = regexp.QuoteMeta(v)
		if texts[i] != "" {
			given, at = append(given, texts[i]), append(at, i)
		}
	}
	literals, names, err := r.stored(ctx, col, given)
	if err != nil {
		return nil, about(col, err)
	}
	pattern := before[0]
	if term.Operator == "in" {
		pattern = `\(\s*` + strings.Join(before, `\s*,\s*`) + `\s*\)`
	}
	whole := regexp.MustCompile(`(\b` + regexp.QuoteMeta(term.Column) + `\s+` + term.Operator + `\s+)` + pattern + `([\s)]|$)`)
	plain := len(outsideTexts(whole, f.given)) >= f.times(term) // none of them is within tolower or toupper
	for i, literal := range literals {
		switch v := term.Values[at[i]]; {
		case !plain && !strings.EqualFold(literal, v):
			return nil, wrong("%[1]s: records hold %[3]s for %[2]s; write %[1]s %[4]s %[3]s", col.Name, text.Shorten(given[i], 60), literal, term.Operator)
		case plain && literal != v:
			codes[at[i]] = literal
			f.note(col, given[i], literal, names[i])
		}
	}
	after := codes[0]
	if term.Operator == "in" {
		after = "(" + strings.Join(codes, ",") + ")"
	}
	if !slices.Equal(codes, term.Values) {
		for _, place := range slices.Backward(outsideTexts(whole, f.Text)) {
			f.Text = f.Text[:place[3]] + after + f.Text[place[4]:]
		}
	}
	return codes, nil
}

// outsideTexts are the places of an expression that are not within quotes.
func outsideTexts(whole *regexp.Regexp, filter string) [][]int {
	return slices.DeleteFunc(whole.FindAllStringSubmatchIndex(filter, -1), func(place []int) bool { return strings.Count(filter[:place[0]], "'")%2 == 1 })
}

// times is how often a term was written.
func (f *Filter) times(term erp.FilterTerm) (n int) {
	for _, t := range f.givenTerms {
		if t.Column == term.Column && t.Operator == term.Operator && slices.Equal(t.Values, term.Values) {
			n++
		}
	}
	return n
}

// note says what a text was taken as.
func (f *Filter) note(col *registry.Column, given, literal, name string) {
	taken := strings.Trim(literal, "'")
	if taken == given {
		return
	}
	if name != "" && !strings.EqualFold(name, given) {
		taken += " (" + text.Shorten(name, 60) + ")"
	}
	if note := fmt.Sprintf("%s %s is taken as %s", col.Name, text.Shorten(given, 60), taken); !slices.Contains(f.Notes, note) {
		f.Notes = append(f.Notes, note)
	}
}

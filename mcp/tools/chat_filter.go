package tools

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/mcp"
)

// spelled are columns as the dictionary spells them; without a table, as they
// are given. Secret ones are refused.
func spelled(t *registry.Table, names []string) ([]string, error) {
	out, secret := make([]string, 0, len(names)), secretsOf(t)
	for _, name := range names {
		name = strings.TrimSpace(name)
		if secret(name) {
			return nil, secretColumn(name)
		}
		if t == nil {
			out = append(out, name)
			continue
		}
		col, ok := t.Column(name)
		if !ok {
			return nil, &mcp.Error{
				Code: mcp.CodeInvalidArguments, Message: fmt.Sprintf("%s has no column %q", t.Name, clip(name, 80)), Hint: hintColumn(t, name),
			}
		}
		if secret(col.Name) { // other letters may mean the same, such as ſ and s
			return nil, secretColumn(name)
		}
		out = append(out, col.Name)
	}
	return out, nil
}

// ordered is an order by columns that are there: the ERP passes over others
// without a word. Pages need an order, so none is that of the key.
func ordered(t *registry.Table, orderBy string) (string, error) {
	if strings.TrimSpace(orderBy) == "" {
		if t == nil {
			return "", nil
		}
		keys := t.KeyColumns()
		names := make([]string, len(keys))
		for i, k := range keys {
			names[i] = k.Name
		}
		return strings.Join(names, ","), nil
	}
	var parts []string
	for part := range strings.SplitSeq(orderBy, ",") {
		words := strings.Fields(part)
		direction := ""
		if len(words) == 2 {
			direction = strings.ToLower(words[1])
		}
		if len(words) == 0 || len(words) > 2 || len(words) == 2 && direction != "asc" && direction != "desc" {
			return "", &mcp.Error{Code: mcp.CodeInvalidArguments, Message: fmt.Sprintf("orderBy has %q, which is no column with asc or desc", clip(part, 80)), Hint: "such as DateOrdered desc, DocumentNo"}
		}
		name, err := spelled(t, words[:1])
		if err != nil {
			return "", err
		}
		parts = append(parts, strings.TrimSpace(name[0]+" "+direction))
	}
	return strings.Join(parts, ","), nil
}

func columnNames(t *registry.Table) []string {
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	return names
}

func hintColumn(t *registry.Table, word string) string {
	if near := nearest.Names(word, columnNames(t), 3); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	return "getTableColumns shows the columns of " + t.Name
}

// secretsOf tells which columns of a table hold secrets: by the dictionary, or by
// their names. Nothing is shown, compared or ordered by them: an order tells what
// it is by. The table may be nil.
func secretsOf(t *registry.Table) func(column string) bool {
	return func(name string) bool {
		if aiquery.RedactsByName(name) {
			return true
		}
		if t == nil {
			return false
		}
		c, ok := t.Column(name)
		return ok && (c.Secure || c.Encrypted)
	}
}

func secretColumn(name string) error {
	return &mcp.Error{
		Code: mcp.CodePermissionDenied, Message: fmt.Sprintf("the column %q holds secrets: it is not shown, compared or ordered by", clip(name, 80)),
		Hint: "leave it out",
	}
}

// word is a name in a filter, quoted is a text in it.
var (
	word   = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	quoted = regexp.MustCompile(`'[^']*'`)
)

// filterWords are the words of filters that are no columns.
var filterWords = strings.Fields("eq neq gt ge lt le in and or not null true false y n id uid contains startswith endswith tolower toupper")

// wordsOf are the names in a filter, outside of texts.
func wordsOf(filter string) []string {
	return word.FindAllString(quoted.ReplaceAllString(filter, "''"), -1)
}

// checkFilter refuses a filter that the ERP would refuse, or take for something
// else without a word. The table may be nil.
func checkFilter(t *registry.Table, filter string) error {
	terms, err := erp.FilterTerms(filter)
	var wrong *erp.FilterError
	if errors.As(err, &wrong) {
		return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "the ERP cannot use the filter: " + wrong.Problem, Hint: wrong.Advice, Err: err}
	}
	if err != nil {
		return err
	}
	secret := secretsOf(t)
	for _, name := range wordsOf(filter) {
		if secret(name) {
			return secretColumn(name)
		}
	}
	if t == nil {
		return nil
	}
	for _, term := range terms {
		c, ok := t.Column(term.Column)
		isText := func(v string) bool { return strings.HasPrefix(v, "'") }
		if ok && c.Type == dict.TypeYesNo && slices.ContainsFunc(term.Values, isText) {
			return &mcp.Error{
				Code:    mcp.CodeInvalidArguments,
				Message: fmt.Sprintf("the ERP cannot use the filter: %s is true or false, and takes every text for false", c.Name),
				Hint:    fmt.Sprintf("write %s %s true, or false, without quotes", c.Name, term.Operator),
			}
		}
	}
	return nil
}

// misspelt adds to the ERP's refusal of a filter which of its words is no
// column, and the nearest.
func misspelt(err error, t *registry.Table, filter string) error {
	e := mcp.ErrorOf(err)
	if t == nil || strings.TrimSpace(filter) == "" || e.Code != mcp.CodeRefused && e.Code != mcp.CodeInvalidArguments && e.Code != mcp.CodeInternal {
		return err
	}
	for _, name := range wordsOf(filter) {
		if _, ok := t.Column(name); ok || slices.Contains(filterWords, strings.ToLower(name)) {
			continue
		}
		return &mcp.Error{
			Code: mcp.CodeInvalidArguments, Message: fmt.Sprintf("the ERP cannot use the filter: %s has no column %q", t.Name, clip(name, 80)),
			Hint: hintColumn(t, name), Err: err,
		}
	}
	return &mcp.Error{
		Code: mcp.CodeInvalidArguments, Message: e.Message, Err: err,
		Hint: "texts stand in quotes, numbers and true/false do not; a text cannot hold a quote; or needs parentheses; executeQuery can express more",
	}
}

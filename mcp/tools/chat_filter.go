package tools

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
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
			return nil, fail(mcp.CodeInvalidArguments, hintColumn(t, name), "%s has no column %q", t.Name, clip(name, 80))
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
		return strings.Join(mapped(t.KeyColumns(), columnName), ","), nil
	}
	var parts []string
	for part := range strings.SplitSeq(orderBy, ",") {
		words := strings.Fields(part)
		direction := ""
		if len(words) == 2 {
			direction = strings.ToLower(words[1])
		}
		if len(words) == 0 || len(words) > 2 || len(words) == 2 && direction != "asc" && direction != "desc" {
			return "", fail(mcp.CodeInvalidArguments, "such as DateOrdered desc, DocumentNo", "orderBy has %q, which is not a column with asc or desc", clip(part, 80))
		}
		name, err := spelled(t, words[:1])
		if err != nil {
			return "", err
		}
		parts = append(parts, strings.TrimSpace(name[0]+" "+direction))
	}
	return strings.Join(parts, ","), nil
}

func columnName(col *registry.Column) string { return col.Name }

func hintColumn(t *registry.Table, word string) string {
	if near := nearest.Names(word, mapped(t.Columns, columnName), 3); len(near) > 0 {
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
	return fail(mcp.CodePermissionDenied, "leave it out", "the column %q holds secrets: it is not shown, compared or ordered by", clip(name, 80))
}

// word is a name in a filter, quoted is a text in it.
var (
	word   = lazyregexp.New(`[A-Za-z_][A-Za-z0-9_]*`)
	quoted = lazyregexp.New(`'[^']*'`)
)

// filterWords are the words of filters that are not columns.
var filterWords = strings.Fields("eq neq gt ge lt le in and or not null true false y n id uid contains startswith endswith tolower toupper")

// wordsOf are the names in a filter, outside of texts.
func wordsOf(filter string) []string {
	return word().FindAllString(quoted().ReplaceAllString(filter, "''"), -1)
}

// checkedFilter is a filter as the ERP takes it.
type checkedFilter struct{ *values.Filter }

// checkFilter is [values.ReadFilter] of a filter that shows no secret column. The
// table may be nil.
func (b *Toolbox) checkFilter(ctx context.Context, c *mcp.Call, t *registry.Table, filter string) (*checkedFilter, error) {
	secret := secretsOf(t)
	for _, name := range wordsOf(filter) {
		if secret(name) {
			return nil, secretColumn(name)
		}
	}
	asks, _, err := b.connect(ctx, c, "look records up by name")
	if err != nil {
		asks = ctx // which nobody uses
	}
	f, err := values.ReadFilter(asks, filter, func(context.Context) (*values.Reader, *registry.Table, error) {
		if t == nil {
			return nil, nil, nil
		}
		r, err := b.valueReader(ctx, c, values.Options{Inactive: true})
		if err != nil {
			return nil, nil, err
		}
		return r.Reader, t, nil
	})
	var misread *erp.FilterError
	var value *values.Error
	switch {
	case errors.As(err, &misread):
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "the ERP cannot use the filter: " + misread.Problem, Hint: misread.Advice, Err: err}
	case errors.As(err, &value):
		problem, advice, _ := strings.Cut(value.Problem, "; ")
		return nil, fail(mcp.CodeInvalidArguments, advice, "the ERP cannot use the filter: %s", clip(problem, 800))
	}
	return &checkedFilter{f}, err
}

// textConditions are the conditions of a filter on texts.
func (f *checkedFilter) textConditions(t *registry.Table) []textCondition {
	var all []textCondition
	for _, term := range f.Terms {
		if t == nil || !slices.Contains([]string{"eq", "in", "contains", "startswith", "endswith"}, term.Operator) {
			continue
		}
		if c, ok := t.Column(term.Column); ok {
			condition := textCondition{table: t, column: c, operator: term.Operator}
			for _, v := range term.Values {
				if strings.HasPrefix(v, "'") {
					condition.values = append(condition.values, strings.Trim(v, "'"))
				}
			}
			all = append(all, condition)
		}
	}
	return all
}

// names reports whether a condition is on a column.
func (f *checkedFilter) names(column string) bool {
	return slices.ContainsFunc(f.Terms, func(t erp.FilterTerm) bool { return strings.EqualFold(t.Column, column) })
}

// and is the filter with one more condition.
func (f *checkedFilter) and(condition string) string {
	if strings.TrimSpace(f.Text) == "" {
		return condition
	}
	return "(" + f.Text + ") and " + condition
}

// nothing is why records of a table are not found by a filter. The table may be nil.
func (b *Toolbox) nothing(c *mcp.Call, t *registry.Table, f *checkedFilter) *nothing {
	n := &nothing{b: b, c: c, texts: f.textConditions(t)}
	if t == nil {
		return n
	}
	n.tables = []*registry.Table{t}
	for _, term := range f.Terms {
		if strings.EqualFold(term.Column, "AD_Table_ID") && term.Operator == "eq" {
			n.about = append(n.about, strings.Trim(term.Values[0], "'"))
		}
	}
	if _, ok := t.Column("IsActive"); ok && !f.names("IsActive") {
		n.inactive = func(ctx context.Context) int { return b.inactive(ctx, c, t, f) }
	}
	return n
}

// inactive counts the deactivated records that meet a filter, 0 where nobody knows.
func (b *Toolbox) inactive(ctx context.Context, c *mcp.Call, t *registry.Table, f *checkedFilter) int {
	page, err := b.search(ctx, c, backend.Search{Table: t.Name, Filter: f.and("IsActive eq false"), Select: []string{"IsActive"}, Limit: 1})
	if err != nil {
		return 0
	}
	return max(page.Total, len(page.Records))
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
		return caused(err, mcp.CodeInvalidArguments, hintColumn(t, name), "the ERP cannot use the filter: %s has no column %q", t.Name, clip(name, 80))
	}
	return &mcp.Error{
		Code: mcp.CodeInvalidArguments, Message: e.Message, Err: err,
		Hint: "texts stand in quotes, numbers and true/false do not; a text cannot hold a quote; or needs parentheses; executeQuery can express more",
	}
}

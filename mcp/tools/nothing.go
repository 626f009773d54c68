package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/access"
	"github.com/erphub/erphub/internal/sqlquote"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// nothing finds out why a result is empty: nothing matches as it is written, nothing
// is recorded, or the role does not see it. What it says of the role depends on the
// rules of the role alone, and what it says of records is what the caller could read.
type nothing struct {
	b      *Toolbox
	c      *mcp.Call
	role   *int // of a statement; nil: the caller's
	tables []*registry.Table
	texts  []textCondition
	// about are tables, by name or number, that a question to the change log may be about.
	about []string
	// inSQL says how values are looked for, and what to write instead.
	inSQL bool
	// scoped says that the result has the organizations of the role already.
	scoped bool
	// inactive counts the deactivated records that match; nil: they are not left out.
	inactive func(ctx context.Context) int
}

// textCondition is a column that was compared with texts.
type textCondition struct {
	table    *registry.Table
	column   registry.Column
	operator string // eq, in, like, contains, startswith or endswith
	values   []string
}

const (
	askTime     = 10 * time.Second // what else is found out about a result may take
	mostLetters = 3                // texts that are looked for in another case
	mostHidden  = 4                // rules that are named
)

// why is what there is to say, in the order of how likely it is. It takes no longer
// than a moment: the result is there already.
func (n *nothing) why(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	notes := n.letters(ctx)
	if n.inactive != nil {
		if count := n.inactive(ctx); count > 0 {
			notes = append(notes, fmt.Sprintf("inactive records that match are left out: %d; IsActive eq false in the filter finds them", count))
		}
	}
	notes = append(notes, n.unrecorded(ctx)...)
	return append(notes, n.hidden(ctx)...)
}

// isNothing reports whether rows hold no record and no number but zero.
func isNothing(rows [][]any) bool {
	if len(rows) > 1 {
		return false
	}
	for _, row := range rows {
		for _, cell := range row {
			text := fmt.Sprint(cell)
			if n, err := strconv.ParseFloat(text, 64); cell != nil && text != "" && (err != nil || n != 0) {
				return false
			}
		}
	}
	return true
}

// labels says which values are not codes of their list.
func (n *nothing) labels(ctx context.Context) []string {
	var notes []string
	reg, err := n.b.registry(ctx, n.c)
	if err != nil {
		return nil
	}
	r, err := labels(ctx, reg)
	if err != nil {
		return nil
	}
	for _, t := range n.texts {
		if !t.column.Type.IsList() || t.column.ReferenceID == 0 || t.operator != "eq" && t.operator != "in" {
			continue
		}
		for _, v := range t.values {
			if v == "" {
				continue
			}
			code, err := r.Code(ctx, t.column.ReferenceID, v)
			switch {
			case err != nil:
				notes = append(notes, t.column.Name+": "+clip(err.Error(), 300))
			case code != v:
				notes = append(notes, fmt.Sprintf("%s.%s holds codes: write %s for %s", t.table.Name, t.column.Name, code, clip(v, 60)))
			}
		}
	}
	return notes
}

// letters says which texts would be found if the case of letters did not count.
func (n *nothing) letters(ctx context.Context) []string {
	var notes []string
	looked := 0
	for _, t := range n.texts {
		if !t.column.Type.IsText() || secretsOf(t.table)(t.column.Name) || t.column.Virtual() {
			continue
		}
		for _, v := range t.values {
			if looked++; looked > mostLetters || strings.TrimSpace(v) == "" {
				return notes
			}
			found, write := n.inOtherCase(ctx, t, v)
			if len(found) == 0 || slices.ContainsFunc(found, func(f string) bool { return t.matches(f, v) }) {
				continue // none is near, or it is not for this condition
			}
			notes = append(notes, fmt.Sprintf("upper and lower case count: %s has %s, not %s; write %s", t.column.Name, quotedTexts(found), clip(v, 60), write))
		}
	}
	return notes
}

// matches reports whether a value meets the condition as it was written.
func (t textCondition) matches(value, text string) bool {
	switch t.operator {
	case "contains":
		return strings.Contains(value, text)
	case "startswith":
		return strings.HasPrefix(value, text)
	case "endswith":
		return strings.HasSuffix(value, text)
	case "like":
		pattern := strings.NewReplacer("%", ".*", "_", ".").Replace(regexp.QuoteMeta(text))
		like, err := regexp.Compile("(?s)^" + pattern + "$")
		return err == nil && like.MatchString(value)
	}
	return value == text
}

// inOtherCase are values of a column that meet a condition in any case of letters, and
// how to ask for them.
func (n *nothing) inOtherCase(ctx context.Context, t textCondition, text string) (found []string, write string) {
	if n.inSQL {
		return n.inOtherCaseBySQL(ctx, t, text)
	}
	column := "tolower(" + t.column.Name + ")"
	filter := fmt.Sprintf("%s(%s,'%s')", t.operator, column, strings.ToLower(text))
	if t.operator == "eq" || t.operator == "in" {
		filter = fmt.Sprintf("%s eq '%s'", column, strings.ToLower(text))
	}
	page, err := n.b.search(ctx, n.c, backend.Search{Table: t.table.Name, Filter: filter, Select: []string{t.column.Name}, Limit: 20})
	if err != nil {
		return nil, ""
	}
	for _, rec := range page.Records {
		if value, ok := rec.Text(t.column.Name); ok {
			found = append(found, value)
		}
	}
	return distinct(found), filter
}

func (n *nothing) inOtherCaseBySQL(ctx context.Context, t textCondition, text string) (found []string, write string) {
	column, operator := strings.ToLower(t.column.Name), "="
	if t.operator == "like" {
		operator = "LIKE"
	}
	raw, _ := json.Marshal(text) // a text always encodes
	r, err := n.b.query(ctx, n.c, backend.Query{
		SQL:    fmt.Sprintf("SELECT DISTINCT %[1]s FROM %[2]s WHERE lower(%[1]s) %[3]s lower(CAST($1 AS text)) ORDER BY 1", column, strings.ToLower(t.table.Name), operator),
		Params: []json.RawMessage{raw}, RoleID: n.role, MaxRows: 20,
	})
	if err != nil {
		return nil, ""
	}
	for _, row := range r.Rows {
		if value, ok := row[0].(string); ok {
			found = append(found, value)
		}
	}
	return distinct(found), fmt.Sprintf("lower(%s) %s lower(%s)", column, operator, sqlquote.Text(clip(text, 60)))
}

// distinct are the values without repetitions.
func distinct(values []string) []string {
	slices.Sort(values)
	return slices.Compact(values)
}

// quotedTexts names a few texts.
func quotedTexts(texts []string) string {
	words := mapped(texts[:min(len(texts), 3)], func(t *string) string { return cell(*t) })
	if len(texts) > 3 {
		words = append(words, "…")
	}
	return strings.Join(words, ", ")
}

// changeLog is the table in which the ERP keeps changes.
const changeLog = "AD_ChangeLog"

// noChangeLog says that an empty change log means nothing.
func noChangeLog(table string) string {
	return "no change log is kept for " + table + ": that there is nothing does not mean that nothing changed; Updated and UpdatedBy of a record say who changed it last, and when"
}

// unrecorded says that changes of a table are not kept.
func (n *nothing) unrecorded(ctx context.Context) []string {
	if !slices.ContainsFunc(n.tables, func(t *registry.Table) bool { return t.Name == changeLog }) {
		return nil
	}
	reg, err := n.b.registry(ctx, n.c)
	if err != nil {
		return nil
	}
	var notes []string
	for _, name := range n.about[:min(len(n.about), 20)] {
		t, err := reg.Table(ctx, name, registry.WithoutColumns)
		if note := noChangeLog(t.Name); err == nil && !t.ChangeLog && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	if len(notes) == 0 {
		notes = []string{n.b.text(n.c, "changes are kept of some tables only; describeTable says whether a table has a change log")}
	}
	return notes
}

// hidden names the rules that keep records of the tables from the role.
func (n *nothing) hidden(ctx context.Context) []string {
	s := n.b.scope(ctx, n.c, n.role)
	if s == nil {
		return nil
	}
	var notes []string
	for _, l := range limitsOf(s, n.tables...) {
		if l.Kind == access.ByOrganization && n.scoped {
			continue
		}
		if len(notes) == mostHidden {
			notes = append(notes, "and more rules")
			break
		}
		notes = append(notes, clip(l.Text, 300))
	}
	if len(s.Unread) > 0 {
		notes = append(notes, "whether rules keep records from your role is not known: it may not read "+strings.Join(s.Unread, ", "))
	}
	return notes
}

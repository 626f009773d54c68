package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
)

// Options say what the review may ask. Nil and the zero value are the defaults.
type Options struct {
	// Content counts rows; nil: nothing is counted, and what depends on rows is a
	// warning.
	Content Content
	// Registry is the one that was compared with, for expressions that have former
	// names and for tables of translations; nil: these are not looked for.
	Registry registry.Registry
}

// Check reviews the changes that a comparison of the tables found, and the definitions
// themselves. The severest come first.
func Check(ctx context.Context, result *diff.Result, tables []dict.Table, opts *Options) ([]Finding, error) {
	c := &checker{result: result, tables: tables, former: map[string]string{}}
	if opts != nil {
		c.Options = *opts
	}
	for _, change := range result.Changes {
		if change.Action == diff.Rename && (change.Kind == diff.KindTable || change.Kind == diff.KindColumn) {
			c.former[strings.ToLower(change.Name)] = change.Was
		}
	}
	for i := range result.Changes {
		if err := c.change(ctx, &result.Changes[i]); err != nil {
			return nil, fmt.Errorf("reviewing %s: %w", result.Changes[i].Name, err)
		}
	}
	c.suspects()
	if err := c.mentions(ctx); err != nil {
		return nil, err
	}
	own, err := c.definitions(ctx)
	if err != nil {
		return nil, err
	}
	return sorted(append(c.list, own...)), nil
}

type checker struct {
	Options
	result *diff.Result
	tables []dict.Table
	former map[string]string // former names of tables and columns, by lower-case new ones
	list   []Finding
}

func (c *checker) add(f Finding) { c.list = append(c.list, f) }

// lost is the finding of a change that loses something.
func (c *checker) lost(rule, where, why, advice string) {
	c.add(Finding{Rule: rule, Severity: Error, Where: where, Message: why, Advice: advice, Allow: AllowDestructive})
}

func (c *checker) change(ctx context.Context, change *diff.Change) error {
	switch change.Action {
	case diff.Remove:
		return c.removed(ctx, change)
	case diff.Create:
		return c.created(ctx, change)
	case diff.Update:
		for _, a := range change.Attributes {
			if err := c.attribute(ctx, change, a); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) removed(ctx context.Context, change *diff.Change) error {
	switch change.Kind {
	case diff.KindColumn:
		rows, err := c.rows(ctx, change.Table)
		c.lost(ruleColumnRemoved, change.Name, change.Destructive+rows, "give it in the definition, or say with was what it is called now")
		return err
	case diff.KindTable:
		rows, err := c.rows(ctx, change.Table)
		c.lost(ruleDestructive, change.Name, change.Destructive+rows, "keep its definition as long as somebody needs the rows")
		return err
	case diff.KindListValue:
		c.lost(ruleListValueRemoved, change.Name, change.Destructive, "keep the value as long as records have it")
	case diff.KindIndex, diff.KindIndexColumn:
		c.lost(ruleIndexRemoved, change.Name, change.Destructive, "declare it in the definition if it is still wanted")
	default:
		c.lost(ruleDestructive, change.Name, cmp.Or(change.Destructive, "it is removed"), "")
	}
	return nil
}

func (c *checker) created(ctx context.Context, change *diff.Change) error {
	step, _ := c.result.Wanted.Step(change.Step)
	record, ok := step.(*dict.RecordStep)
	if !ok || c.isNew(change.Table) {
		return nil
	}
	switch change.Kind {
	case diff.KindColumn:
		standard := record.Text("DefaultValue")
		if record.Text("IsMandatory") == "Y" && record.Text("ColumnSQL") == "" && (standard == "" || strings.Contains(standard, "@")) &&
			record.Text("AD_Reference_ID") != strconv.Itoa(int(dict.TypeYesNo)) {
			return c.needsValue(ctx, change, "it is added as mandatory, without a default that the database could fill in", Question{Kind: Rows})
		}
	case diff.KindIndex:
		if record.Text("IsUnique") == "Y" {
			return c.unique(ctx, change)
		}
	}
	return nil
}

// attribute reviews one attribute of a record that changes.
func (c *checker) attribute(ctx context.Context, change *diff.Change, a diff.Attribute) error {
	if a.Destructive != "" {
		return c.destructive(ctx, change, a)
	}
	turnsOn := a.Has == "N" && a.Wanted == "Y"
	switch {
	case change.Kind == diff.KindColumn && a.Column == "IsMandatory" && turnsOn:
		return c.needsValue(ctx, change, "it becomes mandatory", Question{Kind: Empty})
	case change.Kind == diff.KindIndex && (a.Column == "IsUnique" || a.Column == "IsActive") && turnsOn:
		if step, _ := c.result.Wanted.Step(change.Step); a.Column == "IsUnique" || textOf(step, "IsUnique") == "Y" {
			return c.unique(ctx, change)
		}
	case change.Kind == diff.KindColumn && a.Column == "AD_Reference_Value_ID" && a.Has != "":
		c.add(Finding{Rule: ruleReferenceChanged, Severity: Warning, Where: change.Name,
			Message: fmt.Sprintf("its values were chosen from %q and are chosen from %s now", a.Has, orNothing(a.Wanted)),
			Advice:  "see to it that the new one has the values that records have"})
	case a.Column == "FKConstraintType" && (a.Wanted == string(dict.FKCascade) || a.Wanted == string(dict.FKModelCascade)):
		c.add(Finding{Rule: ruleCascade, Severity: Warning, Where: change.Name, Message: "deleting the record it points at deletes these records, too"})
	case change.Kind == diff.KindTable && a.Column == "AccessLevel":
		c.add(Finding{Rule: ruleAccessLevel, Severity: Warning, Where: change.Name,
			Message: fmt.Sprintf("the access level was %s and is %s now: other roles may read and write it", a.Has, a.Wanted)})
	}
	return nil
}

func orNothing(name string) string {
	if name == "" {
		return "no reference"
	}
	return strconv.Quote(name)
}

func textOf(step dict.Step, column string) string {
	if r, ok := step.(*dict.RecordStep); ok {
		return r.Text(column)
	}
	return ""
}

// destructive is a change of an attribute that can lose content.
func (c *checker) destructive(ctx context.Context, change *diff.Change, a diff.Attribute) error {
	table, column := c.names(change)
	rule, advice := ruleDestructive, ""
	q := Question{Table: table, Column: column}
	counted := "; %s such values"
	switch a.Column {
	case "FieldLength":
		rule, advice = ruleLengthShortened, "keep the length, or shorten the texts first"
		q.Kind = Longer
		q.Length, _ = strconv.Atoi(a.Wanted)
	case "AD_Reference_ID":
		rule, advice = ruleTypeChanged, "add a column of the new type, and copy what is to be kept"
		q.Kind, counted = Rows, "; the table has %s rows"
		if strings.Contains(a.Destructive, "decimals") {
			q.Kind, counted = Fractional, "; %s such values"
		}
	case "ColumnSQL":
		rule, advice = ruleBecameVirtual, "add a computed column beside it"
		q.Kind, counted = Rows, "; the table has %s rows"
	case "IsKey":
		rule = ruleKeyChanged
	case "IsView":
		rule = ruleTableToView
	case "ValidationType":
		rule = ruleReferenceKind
	}
	why := a.Destructive
	if advice != "" && change.Kind == diff.KindColumn {
		n, err := c.count(ctx, q)
		if err != nil {
			return err
		}
		if n != nil {
			why += fmt.Sprintf(counted, n)
		}
	}
	c.lost(rule, change.Name, why, advice)
	if rule == ruleLengthShortened || rule == ruleTypeChanged {
		c.list[len(c.list)-1].Over = &q
	}
	return nil
}

// needsValue is a column that every row has to have a value in.
func (c *checker) needsValue(ctx context.Context, change *diff.Change, why string, q Question) error {
	q.Table, q.Column = c.names(change)
	if q.Kind == Rows {
		q.Column = ""
	}
	n, err := c.count(ctx, q)
	if err != nil {
		return err
	}
	f := Finding{Rule: ruleMandatory, Severity: Warning, Where: change.Name, Over: &q, Message: why + ", and rows without a value would keep it from that",
		Advice: "fill them first, or give a default and make it mandatory when they are filled"}
	switch {
	case n != nil && n.Rows > 0:
		f.Severity, f.Message = Error, fmt.Sprintf("%s, and there are %s rows without a value", why, n)
	case n != nil && n.Complete:
		return nil
	}
	c.add(f)
	return nil
}

// unique is an index that no two rows may share values in.
func (c *checker) unique(ctx context.Context, change *diff.Change) error {
	q := Question{Kind: Repeated, Table: c.tableName(change.Table)}
	for _, step := range c.result.Wanted.Steps() {
		if r, ok := step.(*dict.RecordStep); ok && r.Table == "AD_IndexColumn" && strings.HasPrefix(string(r.Key), "AD_IndexColumn."+change.Name+".") {
			column := strings.TrimPrefix(string(r.Key), "AD_IndexColumn."+change.Name+".")
			if c.isNewColumn(change.Table, column) {
				return nil // empty in every row that there is
			}
			q.Unique = append(q.Unique, cmp.Or(c.former[strings.ToLower(change.Table+"."+column)], column))
		}
	}
	n, err := c.count(ctx, q)
	if err != nil {
		return err
	}
	f := Finding{Rule: ruleUnique, Severity: Warning, Where: change.Table + " index " + change.Name, Over: &q,
		Message: "rows that repeat the values of " + strings.Join(q.Unique, ", ") + " would keep it from being made", Advice: "make them differ first"}
	switch {
	case n != nil && n.Rows > 0:
		f.Severity, f.Message = Error, fmt.Sprintf("there are %s rows that repeat the values of %s", n, strings.Join(q.Unique, ", "))
	case n != nil && n.Complete:
		return nil
	}
	c.add(f)
	return nil
}

// String is a count for a sentence.
func (n Count) String() string {
	if n.Complete {
		return strconv.FormatInt(n.Rows, 10)
	}
	return fmt.Sprintf("at least %d", n.Rows)
}

// count is nil when it cannot be said.
func (c *checker) count(ctx context.Context, q Question) (*Count, error) {
	if c.Content == nil {
		return nil, ctx.Err()
	}
	n, err := c.Content.Count(ctx, q)
	if errors.Is(err, ErrUnknown) {
		return nil, nil
	}
	return &n, err
}

// ErrUnknown is the error of a [Content] that cannot say: the login may not read the
// table, or the database does not have it yet.
var ErrUnknown = errors.New("the rows cannot be counted")

// rows says how many rows a table has, for the end of a sentence.
func (c *checker) rows(ctx context.Context, table string) (string, error) {
	n, err := c.count(ctx, Question{Table: c.tableName(table), Kind: Rows})
	if n == nil || err != nil || n.Rows == 0 && !n.Complete {
		return "", err
	}
	if n.Rows == 1 && n.Complete {
		return "; the table has 1 row", nil
	}
	return fmt.Sprintf("; the table has %s rows", n), nil
}

// names are the table and column of a change as the ERP has them now.
func (c *checker) names(change *diff.Change) (table, column string) {
	column = strings.TrimPrefix(change.Name, change.Table+".")
	return c.tableName(change.Table), cmp.Or(c.former[strings.ToLower(change.Name)], column)
}

func (c *checker) tableName(table string) string {
	return cmp.Or(c.former[strings.ToLower(table)], table)
}

func (c *checker) isNew(table string) bool {
	return slices.ContainsFunc(c.result.Changes, func(change diff.Change) bool {
		return change.Kind == diff.KindTable && change.Action == diff.Create && strings.EqualFold(change.Table, table)
	})
}

func (c *checker) isNewColumn(table, column string) bool {
	return slices.ContainsFunc(c.result.Changes, func(change diff.Change) bool {
		return change.Kind == diff.KindColumn && change.Action == diff.Create && strings.EqualFold(change.Name, table+"."+column)
	})
}

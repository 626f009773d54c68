package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/nearest"
)

// suspects finds columns that go while one like them comes in the same table.
func (c *checker) suspects() {
	taken := map[string]bool{}
	for _, gone := range c.result.Changes {
		if gone.Kind != diff.KindColumn || gone.Action != diff.Remove {
			continue
		}
		var alike []string
		for _, come := range c.result.Changes {
			if come.Kind == diff.KindColumn && come.Action == diff.Create && come.Table == gone.Table && !taken[come.Name] && sameType(gone.Detail, come.Detail) {
				alike = append(alike, come.Name)
			}
		}
		if len(alike) == 0 {
			continue
		}
		best := cmp.Or(nearest.Name(gone.Name, alike), alike[0])
		taken[best] = true
		was := strings.TrimPrefix(gone.Name, gone.Table+".")
		c.add(Finding{Rule: ruleRenameSuspected, Severity: Warning, Where: best,
			Message: fmt.Sprintf("%s is removed, and this one is like it", was),
			Advice:  fmt.Sprintf("did you mean \"was: %s\"? it would keep what the column holds", was)})
	}
}

// sameType reports whether two details of columns begin with the same type; lengths
// may differ.
func sameType(a, b string) bool {
	cut := func(s string) string {
		if i := strings.IndexAny(s, "(,"); i >= 0 {
			return s[:i]
		}
		return s
	}
	return cut(a) == cut(b)
}

// mentions finds expressions of the dictionary that have the former name of a column.
func (c *checker) mentions(ctx context.Context) error {
	if c.Registry == nil {
		return nil
	}
	for _, change := range c.result.Changes {
		if change.Action != diff.Rename || change.Kind != diff.KindColumn {
			continue
		}
		t, err := c.Registry.Table(ctx, c.tableName(change.Table))
		if errors.Is(err, registry.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		word := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(change.Was) + `\b`)
		for i := range t.Columns {
			has := &t.Columns[i]
			for _, e := range []struct{ what, text string }{
				{"default", has.Default}, {"read-only logic", has.ReadOnlyLogic}, {"mandatory logic", has.MandatoryLogic}, {"SQL", has.SQL},
				{"condition for being updateable", has.UpdatableLogic}, {"validation rule", has.ValRuleCode},
			} {
				if word.MatchString(e.text) {
					c.add(Finding{Rule: ruleRenameMentioned, Severity: Warning, Where: t.Name + "." + has.Name,
						Message: fmt.Sprintf("its %s has %s, which is renamed", e.what, change.Was), Advice: "give it with the new name in the definition"})
				}
			}
		}
	}
	return nil
}

// definitions are the findings about the definitions themselves, seen with the ERP.
func (c *checker) definitions(ctx context.Context) ([]Finding, error) {
	var list []Finding
	for _, f := range Definitions(c.tables...) {
		if f.Rule == ruleTranslationAbsent && c.Registry != nil {
			table, _, _ := strings.Cut(f.Where, ".")
			_, err := c.Registry.Table(ctx, table+"_Trl", registry.WithoutColumns)
			if err == nil {
				continue
			}
			if !errors.Is(err, registry.ErrNotFound) {
				return nil, err
			}
		}
		list = append(list, f)
	}
	for _, t := range c.tables {
		c.done(&list, t.Name, t.Was)
		for _, column := range t.Columns {
			c.done(&list, t.Name+"."+column.Name, column.Was)
		}
	}
	return list, nil
}

// done is what has its new name in this ERP.
func (c *checker) done(list *[]Finding, where, was string) {
	key := dict.Key(where)
	if strings.Contains(where, ".") {
		key = dict.Key("AD_Column." + where)
	}
	if _, found := c.result.Found[key]; was != "" && found && c.former[strings.ToLower(where)] == "" {
		*list = append(*list, Finding{Rule: ruleWasDone, Severity: Info, Where: where,
			Message: "it has its new name", Advice: "remove was once every ERP has it"})
	}
}

package review

import (
	"cmp"
	"slices"
	"strings"
)

// Severity says how much a finding matters.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // content is lost, or the ERP will refuse it
	Warning Severity = "warning" // may be that, or is likely a mistake
	Info    Severity = "info"
)

// Rules are the rules with what each is about.
func Rules() map[string]string {
	return map[string]string{
		ruleColumnRemoved:     "a column is deactivated, and what it holds is no longer reachable",
		ruleListValueRemoved:  "a value of a list can no longer be chosen",
		ruleIndexRemoved:      "an index, or a column of it, is no longer declared",
		ruleLengthShortened:   "texts longer than the new length do not fit any more",
		ruleTypeChanged:       "the database has to turn what a column holds into another type",
		ruleBecameVirtual:     "a column becomes computed, and what it holds is no longer reachable",
		ruleKeyChanged:        "records are told apart by another column",
		ruleTableToView:       "a table becomes a view, or a view a table",
		ruleReferenceKind:     "a list becomes a lookup, or a lookup a list",
		ruleDestructive:       "a change loses something else",
		ruleMandatory:         "a column becomes mandatory, or is added as such, and there are rows without a value",
		ruleUnique:            "values become unique, and there may be rows that repeat them",
		ruleReferenceChanged:  "values are chosen from another list or table, and there may be some that it does not have",
		ruleCascade:           "deleting the record pointed at deletes these records, too",
		ruleAccessLevel:       "records belong to others than before",
		ruleRenameSuspected:   "a column goes and one like it comes: it may have been renamed",
		ruleRenameMentioned:   "an expression of the dictionary has the former name of what is renamed",
		ruleWasDone:           "what was called otherwise has its new name, and was can go",
		ruleLongName:          "a name is longer than 30 characters, which older databases do not take",
		ruleReservedWord:      "a name has to be quoted in SQL",
		ruleTranslationAbsent: "a column is translated, and there is no table for the translations",
	}
}

const (
	ruleColumnRemoved     = "column-removed"
	ruleListValueRemoved  = "list-value-removed"
	ruleIndexRemoved      = "index-removed"
	ruleLengthShortened   = "length-shortened"
	ruleTypeChanged       = "type-changed"
	ruleBecameVirtual     = "became-virtual"
	ruleKeyChanged        = "key-changed"
	ruleTableToView       = "table-to-view"
	ruleReferenceKind     = "reference-kind-changed"
	ruleDestructive       = "destructive"
	ruleMandatory         = "mandatory-over-empty"
	ruleUnique            = "unique-over-duplicates"
	ruleReferenceChanged  = "reference-changed"
	ruleCascade           = "delete-cascades"
	ruleAccessLevel       = "access-level-changed"
	ruleRenameSuspected   = "rename-suspected"
	ruleRenameMentioned   = "rename-mentioned"
	ruleWasDone           = "was-done"
	ruleLongName          = "long-name"
	ruleReservedWord      = "reserved-word"
	ruleTranslationAbsent = "translation-missing"
)

// AllowDestructive is what accepts the loss of content: the flag of dict apply.
const AllowDestructive = "--allow-destructive"

// Finding is one thing to look at.
type Finding struct {
	Rule     string   `json:"rule"` // see [Rules]
	Severity Severity `json:"severity"`
	Where    string   `json:"where"` // XX_Foo, XX_Foo.Name, …
	Message  string   `json:"message"`
	Advice   string   `json:"advice,omitempty"`
	// Allow is what accepts it when it is applied; empty: nothing has to.
	Allow string `json:"allow,omitempty"`
	// Over asks for the rows that decide whether the database can make the change; nil:
	// rows do not matter.
	Over *Question `json:"-"`
}

// String is the finding in one line.
func (f Finding) String() string {
	text := string(f.Severity) + " " + f.Rule + ": " + f.Where + ": " + f.Message
	if f.Advice != "" {
		text += "; " + f.Advice
	}
	return text
}

// Refused returns the findings about changes that the database cannot make over the
// rows there are, and that no consent makes possible.
func Refused(findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Severity != Error || f.Allow != "" })
}

// Without are the findings but those that are allowed: rules, or rules with what they
// are about, such as "column-removed" and "column-removed:XX_Foo.Name". Case does not
// matter.
func Without(findings []Finding, allowed ...string) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool {
		return slices.ContainsFunc(allowed, func(a string) bool {
			rule, where, one := strings.Cut(a, ":")
			return strings.EqualFold(rule, f.Rule) && (!one || strings.EqualFold(where, f.Where))
		})
	})
}

func rank(s Severity) int {
	switch s {
	case Error:
		return 0
	case Warning:
		return 1
	}
	return 2
}

// sorted are findings with the severest first, else as they are.
func sorted(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(rank(a.Severity), rank(b.Severity)) })
	return findings
}

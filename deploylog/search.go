package deploylog

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/erp"
)

// What a search may have.
const (
	maxSearchWords = 8
	maxSearchRunes = 100
)

// search is the text of a history query, as words in lower case.
type search []string

func parseSearch(query string) (search, error) {
	words := search(strings.Fields(strings.ToLower(query)))
	if n := utf8.RuneCountInString(query); n > maxSearchRunes || len(words) > maxSearchWords {
		return nil, fmt.Errorf("%w: a search may have %d words and %d characters; leave some out", ErrInvalid, maxSearchWords, maxSearchRunes)
	}
	if !utf8.ValidString(query) || strings.ContainsRune(query, 0) {
		return nil, fmt.Errorf("%w: the search is not valid text", ErrInvalid)
	}
	return words, nil
}

// searched are the columns that a search looks into.
func searched() []string {
	return []string{"Version", "Components", "Changes", "DeployedBy", "CurrentStep", "ErrorMessage", "Ci_BuildNo"}
}

// unsearchable are the characters that the server's filter language has no way
// to look for, or takes for wildcards. They are requested as the wildcard of one
// character, and the runs found are compared here.
const unsearchable = `'()%_\`

// inexact reports whether the server finds more than what is meant.
func (s search) inexact() bool { return strings.ContainsAny(strings.Join(s, ""), unsearchable) }

// filter is true of the runs that have every word somewhere.
func (s search) filter(environments []NamedEnvironment) erp.Filter {
	var all erp.Filter
	for _, word := range s {
		pattern := erp.Pattern(strings.Map(func(r rune) rune {
			if strings.ContainsRune(unsearchable, r) {
				return '_'
			}
			return r
		}, word))
		var some erp.Filter
		for _, column := range searched() {
			some = some.Or(erp.Contains(erp.ToLower(column), pattern))
		}
		for _, e := range environments {
			if names(word, string(e.Environment), e.Name) {
				some = some.Or(erp.Eq("Environment", string(e.Environment)))
			}
		}
		for _, state := range States() {
			if names(word, string(state)) {
				some = some.Or(erp.Eq("Status", state.Code()))
			}
		}
		all = all.And(some)
	}
	return all
}

// matches is filter for a run that was read.
func (s search) matches(run *Run, environments []NamedEnvironment) bool {
	texts := []string{run.Version, run.Components, run.Changes, run.DeployedBy, run.CurrentStep, run.ErrorMessage, run.BuildNo}
	states := []string{string(run.Status), string(run.Environment)}
	for _, e := range environments {
		if e.Environment == run.Environment {
			states = append(states, e.Name)
		}
	}
	for _, word := range s {
		found := names(word, states...)
		for _, text := range texts {
			found = found || strings.Contains(strings.ToLower(text), word)
		}
		if !found {
			return false
		}
	}
	return true
}

// names reports whether a word is the beginning of one of the names; fewer than
// three letters begin too many.
func names(word string, list ...string) bool {
	return len(word) >= 3 && slices.ContainsFunc(list, func(name string) bool { return strings.HasPrefix(strings.ToLower(name), word) })
}

package mcp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/erphub/erphub/internal/text"
)

// Set is an ordered list of tools with different names.
type Set []Tool

// Tool is the tool of a name.
func (s Set) Tool(name string) (Tool, bool) {
	for i := range s { // a tool is large to copy
		if s[i].Name == name {
			return s[i], true
		}
	}
	return Tool{}, false
}

// AllSets stands for every tool set where names of sets are given.
const AllSets = "all"

// Filter returns a part of s: the tools of the named sets ([AllSets] or none
// named: of all) that every keep accepts, in the same order.
func (s Set) Filter(toolsets []string, keep ...func(Tool) bool) Set {
	out := Set{}
	for _, t := range s {
		if len(toolsets) > 0 && !slices.Contains(toolsets, AllSets) && !t.In(toolsets...) {
			continue
		}
		if slices.ContainsFunc(keep, func(k func(Tool) bool) bool { return !k(t) }) {
			continue
		}
		out = append(out, t)
	}
	return out
}

// Names are the names of the tools, in order.
func (s Set) Names() []string {
	names := make([]string, len(s))
	for i, t := range s {
		names[i] = t.Name
	}
	return names
}

// SetNames are the names of all tool sets the tools belong to, sorted.
func (s Set) SetNames() []string {
	var names []string
	for _, t := range s {
		names = append(names, t.Sets...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Check reports every tool that cannot be served and every name used twice.
func (s Set) Check() error {
	var errs []error
	seen := map[string]bool{}
	for _, t := range s {
		if err := t.Check(); err != nil {
			errs = append(errs, err)
		}
		if seen[t.Name] {
			errs = append(errs, fmt.Errorf("there are two tools %s", t.Name))
		}
		seen[t.Name] = true
	}
	return errors.Join(errs...)
}

// CheckSets reports names that are not a tool set of s, with the nearest.
func (s Set) CheckSets(names []string) error {
	known := s.SetNames()
	for _, name := range names {
		if name != AllSets && !slices.Contains(known, name) {
			return &Error{
				Code: CodeInvalidArguments, Message: fmt.Sprintf("there is no tool set %q", name),
				Hint: hintNames(name, append(known, AllSets)),
			}
		}
	}
	return nil
}

// Unknown is the error for a name that is not a tool of s.
func (s Set) Unknown(name string) *Error {
	return &Error{Code: CodeUnknownTool, Message: fmt.Sprintf("there is no tool %s", text.Quote(name)), Hint: didYouMean(name, s.Names())}
}

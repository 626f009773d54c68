package mcp

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Rule narrows what callers may use. Every rule that concerns a caller must
// permit a tool, so a rule can only take away: no rule, and no request, lifts
// what another forbids.
type Rule struct {
	// Callers are ids the rule concerns, such as "11/101"; a pattern may use *.
	// Roles are ids of roles it concerns. With neither it concerns everybody,
	// with both whoever is in one of them.
	Callers []string `json:"callers,omitempty" yaml:"callers"`
	Roles   []int    `json:"roles,omitempty" yaml:"roles"`
	// ExceptRoles are roles the rule does not concern, whatever else it says.
	ExceptRoles []int `json:"exceptRoles,omitempty" yaml:"exceptRoles"`
	// Allow names the tools that may be used; empty allows all. Deny names tools
	// that may not. A name may use * ("list*"); "set:query" stands for a tool set.
	Allow []string `json:"allow,omitempty" yaml:"allow"`
	Deny  []string `json:"deny,omitempty" yaml:"deny"`
	// ReadOnly allows only tools that change nothing.
	ReadOnly bool `json:"readOnly,omitempty" yaml:"readOnly"`
}

// check reports patterns that cannot be used.
func (r Rule) check() error {
	for _, p := range slices.Concat(r.Callers, r.Allow, r.Deny) {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return fmt.Errorf("a rule has the pattern %q, which cannot be used; write a name, or part of one with *", p)
		}
	}
	return nil
}

// concerns reports whether the rule is about the caller. A caller whose role is
// not known is in no role: no exception is made for them.
func (r Rule) concerns(c Caller) bool {
	if c.Known && slices.Contains(r.ExceptRoles, c.RoleID) {
		return false
	}
	if len(r.Callers) == 0 && len(r.Roles) == 0 {
		return true
	}
	return c.Known && slices.Contains(r.Roles, c.RoleID) ||
		slices.ContainsFunc(r.Callers, func(p string) bool { return match(p, c.ID) })
}

// permits is why the tool is not permitted, "" when it is.
func (r Rule) permits(t Tool) string {
	names := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			if set, ok := strings.CutPrefix(p, "set:"); ok {
				return slices.Contains(t.Sets, set)
			}
			return match(p, t.Name)
		})
	}
	switch {
	case r.ReadOnly && !t.Hints.ReadOnly:
		return "only tools that read are allowed here"
	case names(r.Deny):
		return "it is denied here"
	case len(r.Allow) > 0 && !names(r.Allow):
		return "it is not among the tools allowed here"
	}
	return ""
}

func match(pattern, name string) bool {
	// A caller's id holds a slash, which a star must not stop at.
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
	return err == nil && ok
}

// Permit is nil when the caller may use the tool and the tool can work now, else
// an error with CodePermissionDenied or mcp.CodeUnsupported. It counts
// nothing.
func (b *Boundary) Permit(t Tool, c Caller) error {
	if !among(b.opts.Toolsets, t) {
		return denied(t, "its tool set is not enabled", "the operator chooses tool sets with --toolsets")
	}
	if b.opts.ReadOnly && !t.Hints.ReadOnly {
		return denied(t, "this server only reads", "use a tool that reads, or ask the operator for a server without read-only mode")
	}
	if err := b.selected(t, c); err != nil {
		return err
	}
	for _, r := range b.opts.Rules {
		if !r.concerns(c) {
			continue
		}
		if why := r.permits(t); why != "" {
			return denied(t, why, "do not try again with the same login; use another tool, or ask the operator")
		}
	}
	if t.Available != nil && !t.Available(c) {
		return Unavailable(t.Name)
	}
	return nil
}

// among reports whether the tool belongs to one of the sets; none stand for all.
func among(sets []string, t Tool) bool {
	return len(sets) == 0 || slices.Contains(sets, AllSets) || t.In(sets...)
}

// Selects returns the tool sets that the caller is offered, as far as they are enabled:
// those that the request selects, or the default with what the session switched on.
// None stand for all.
func (b *Boundary) Selects(c Caller) (sets []string, byDefault bool) {
	asked := c.Selection
	if asked != nil && len(asked.Toolsets) > 0 {
		return asked.Toolsets, false
	}
	if b.opts.DefaultToolsets == nil {
		return nil, false
	}
	if sets = b.opts.DefaultToolsets(c); len(sets) > 0 && asked != nil && len(asked.Switched) > 0 {
		sets = slices.Concat(sets, asked.Switched)
	}
	return sets, true
}

// selected is nil when the caller is offered a tool set of the tool.
func (b *Boundary) selected(t Tool, c Caller) error {
	sets, _ := b.Selects(c)
	asked := c.Selection
	switch {
	case !among(sets, t):
		names := strings.Join(t.Sets, " or ")
		return denied(t, "its tool set was not selected", "switch on "+names+" with listToolsets; a client selects tool sets with the header X-MCP-Toolsets, here "+names)
	case asked != nil && asked.ReadOnly && !t.Hints.ReadOnly:
		return denied(t, "this request only reads", "the client asked for tools that only read; another request, without X-MCP-Readonly, may use it")
	}
	return nil
}

func denied(t Tool, why, hint string) error {
	return &Error{Code: CodePermissionDenied, Message: fmt.Sprintf("%s may not be used: %s", t.Name, why), Hint: hint}
}

// Visible are the tools of a set the caller may use, in the same order.
func (b *Boundary) Visible(s Set, c Caller) Set {
	return s.Filter(nil, func(t Tool) bool { return b.Permit(t, c) == nil })
}

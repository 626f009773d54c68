package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// DefaultTimeout bounds a call of a tool that sets no Timeout.
const DefaultTimeout = 30 * time.Second

// Tool is one thing an assistant can do. A Tool is a value; do not change it,
// its schemas or its slices once it is in use.
type Tool struct {
	// Name is the name that callers write: letters, digits, "_", "-" and ".", at most 64
	// characters.
	Name string
	// Title is the name for people; empty means Name.
	Title string
	// Description says what the tool does, when to use it and when not, and what
	// comes back. It is written in code and never made from data.
	Description string
	// Sets names the tool sets the tool belongs to, such as "registry", "query",
	// "table", "generator", "doctor", "chat" or "deploy". A tool without any
	// belongs to all.
	Sets []string
	// Hints tell clients and the boundary what the tool may do.
	Hints Hints
	// Input and Output are the schemas of arguments and result, both of type
	// object. Output may be nil for a tool without structured output.
	Input, Output *jsonschema.Schema
	// Timeout bounds one call; 0 means [DefaultTimeout].
	Timeout time.Duration
	// Cost is the expected cost of one call.
	Cost Cost
	// Confirms says that the tool has the user's agreement before it changes
	// something: see [Call.Confirmed]. How users are asked, and what becomes of
	// callers that cannot ask theirs, is not the tool's affair.
	Confirms bool
	// Unasked says what the tool changes without asking the user, and why it need
	// not ask: see [Call.Begin]. Every tool that is not read-only confirms, or says
	// this, or both.
	Unasked string
	// Available reports whether the tool can work for the caller now; nil: it
	// always can. A tool that cannot is neither listed nor called. It is asked
	// often and must not wait. The error of a call made all the same is
	// [Unavailable].
	Available func(Caller) bool
	// Call does the work. It returns a value that is encoded as JSON, or a
	// [Result]. Use [Tool.Invoke] to call it.
	Call Handler
}

// Handler does the work of a tool.
type Handler func(ctx context.Context, c *Call) (any, error)

// Hints are a tool's statements about itself. The zero value is a tool that
// writes, but only adds.
type Hints struct {
	// ReadOnly: the tool changes nothing.
	ReadOnly bool
	// Destructive: what the tool changes may be lost.
	Destructive bool
	// Idempotent: calling it again with the same arguments changes nothing more.
	Idempotent bool
	// OpenWorld: the tool reaches beyond the ERP, such as sending mail.
	OpenWorld bool
}

// Cost is the cost of a call, as an estimate before it and as a count after.
type Cost struct {
	// APICalls counts requests to the ERP.
	APICalls int
	// Tokens counts tokens of a language model, arguments and result together.
	Tokens int
}

// Add is the sum of both.
func (c Cost) Add(other Cost) Cost {
	return Cost{APICalls: c.APICalls + other.APICalls, Tokens: c.Tokens + other.Tokens}
}

// EstimateTokens estimates how many tokens a language model counts for n bytes
// of JSON: one for every four, rounded up.
func EstimateTokens(n int) int { return (n + 3) / 4 }

// New makes a tool of a function. Schemas that t leaves nil are made from the
// types: In must be a struct, whose `json` tags name the arguments (omitempty
// or omitzero: optional) and whose `jsonschema` tags describe them; Out must
// encode to an object. With Out any or [Result] there is no output schema
// unless t has one.
//
// New panics on a definition that cannot work: a bad name, no description, or
// types without a schema. That is a mistake in the program and shows at its
// start.
func New[In, Out any](t Tool, h func(ctx context.Context, c *Call, in In) (Out, error)) Tool {
	if err := build[In, Out](&t, h); err != nil {
		panic(fmt.Sprintf("mcp: tool %q: %v", t.Name, err))
	}
	return t
}

func build[In, Out any](t *Tool, h func(ctx context.Context, c *Call, in In) (Out, error)) error {
	if h == nil {
		return fmt.Errorf("the function is nil")
	}
	var err error
	if t.Input == nil {
		if t.Input, err = InputSchema[In](); err != nil {
			return fmt.Errorf("schema of the input: %w", err)
		}
	}
	if t.Output == nil && describes[Out]() {
		if t.Output, err = OutputSchema[Out](); err != nil {
			return fmt.Errorf("schema of the output: %w", err)
		}
	}
	check, err := newChecker(t.Name, t.Input)
	if err != nil {
		return err
	}
	t.Call = func(ctx context.Context, c *Call) (any, error) {
		args, err := check.arguments(c.Arguments)
		if err != nil {
			return nil, err
		}
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, check.undecodable(err)
		}
		out, err := h(ctx, c, in)
		if err != nil {
			return nil, err
		}
		c.meter.note(out)
		return withLists(out), nil
	}
	return t.Check()
}

// describes reports whether a type says anything about the output.
func describes[Out any]() bool {
	t := reflect.TypeFor[Out]()
	return t.Kind() != reflect.Interface && t != reflect.TypeFor[Result]()
}

// Check reports whether the definition can be served: name, description,
// schemas of type object and a function.
func (t Tool) Check() error {
	for _, rule := range []struct {
		broken bool
		says   string
	}{
		{!ValidName(t.Name), "the name %q must have 1 to 64 characters of A-Z, a-z, 0-9, _, - and ."},
		{t.Description == "", "%s has no description"},
		{t.Input == nil || t.Input.Type != "object", "the input of %s is not of type object"},
		{t.Output != nil && t.Output.Type != "object", "the output of %s is not of type object"},
		{t.Call == nil, "%s has no function"},
		{t.Hints.ReadOnly && t.Hints.Destructive, "%s cannot be both read-only and destructive"},
		{t.Hints.ReadOnly && (t.Confirms || t.Unasked != ""), "%s only reads: there is nothing to confirm"},
		{t.Hints.Destructive && !t.Confirms, "%s is destructive and must have the user's agreement: set Confirms"},
		{!t.Hints.ReadOnly && !t.Confirms && t.Unasked == "", "%s changes something: set Confirms, so that the user is asked, or say in Unasked why they are not"},
		{t.Timeout < 0, "the timeout of %s is negative"},
	} {
		if rule.broken {
			return fmt.Errorf(rule.says, t.Name)
		}
	}
	return nil
}

// ValidName reports whether a tool can have the name.
func ValidName(name string) bool {
	for _, r := range name {
		if r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// Limit is the time one call may take.
func (t Tool) Limit() time.Duration { return cmp.Or(t.Timeout, DefaultTimeout) }

// WithLimit returns a context that ends when one call of the tool must end. The
// cause ([context.Cause]) is then an [*Error] with [CodeTimeout].
func (t Tool) WithLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, t.Limit(), &Error{
		Code: CodeTimeout, Message: fmt.Sprintf("%s did not finish within %v", t.Name, t.Limit()),
		Hint: "request less: a narrower filter, a smaller limit", Err: context.DeadlineExceeded,
	})
}

// In reports whether the tool belongs to one of the sets.
func (t Tool) In(sets ...string) bool {
	return len(t.Sets) == 0 || slices.ContainsFunc(sets, func(s string) bool { return slices.Contains(t.Sets, s) })
}

// Invoke calls the tool with its time limit and gives c what it lacks, so that
// the function can use c's functions without looking. Every error is an
// [*Error] or a [*ConfirmationRequired]; a panic is not caught.
func (t Tool) Invoke(ctx context.Context, c *Call) (any, error) {
	ctx, cancel := t.WithLimit(ctx)
	defer cancel()
	c = c.complete(t)
	out, err := t.Call(withMeter(ctx, c.meter), c)
	if err != nil {
		return nil, tidy(ctx, err, c.meter.changing.Load())
	}
	return out, nil
}

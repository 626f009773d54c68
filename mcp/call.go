package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/erphub/erphub/tokens"
)

// Caller is on whose behalf a tool runs.
type Caller struct {
	// ID tells callers apart: tenant and user of the ERP, as "11/101". It is
	// empty only where callers are not authenticated.
	ID string
	// Token is the caller's own bearer token, for calls to the ERP in this
	// session and for nothing else. It is empty where the program's own login is
	// used. It never prints itself.
	Token tokens.Secret
	// UserID, ClientID, RoleID and OrgID are the ids in the ERP the caller acts
	// with. They mean something only when Known is true: 0 is a valid id.
	UserID, ClientID, RoleID, OrgID int
	// Known says that the ids above come from a verified token.
	Known bool
	// Session tells sessions of the same caller apart; empty where the protocol
	// has none.
	Session string
	// Program is the name the client gives itself, such as "claude-code/2.1". It
	// is not verified.
	Program string
	// Selection is what this request asks to be offered; nil: what the operator
	// offers where nothing is asked.
	Selection *Selection
}

// Selection narrows what a caller is offered. It never adds to what they may
// use.
type Selection struct {
	// Toolsets are names of tool sets; none: what the operator offers where
	// nothing is asked, [AllSets]: all that the caller may use.
	Toolsets []string
	// ReadOnly leaves out every tool that changes something.
	ReadOnly bool
}

// Call is one call of a tool.
type Call struct {
	// Tool is the name it was called by.
	Tool string
	// Arguments is a JSON object; nil means no arguments.
	Arguments json.RawMessage
	// Caller is who calls.
	Caller Caller
	// Progress reports how far the work is; total 0 means unknown. A tool gets it
	// filled in always; who makes a Call may leave it nil.
	Progress func(done, total float64, message string)
	// Confirm asks the user to agree and reports whether they did. The one that makes
	// the Call says how users are asked; nil means that they cannot be, and a tool
	// that needs their agreement fails with [ConfirmationRequired]. Tools ask with
	// [Call.Confirmed].
	Confirm func(ctx context.Context, question string) (bool, error)
	// Log is for messages of operators; a nil one is filled in with a silent one.
	Log *slog.Logger
	// Offers reports whether the caller is offered a tool, so that a text names no
	// other; nil: every tool is. Filled in for the tool.
	Offers func(tool string) bool
	// OnSpend is called for every request to the ERP before it is made, and can refuse
	// it with an error; nil accepts all.
	OnSpend func(ctx context.Context, c Cost) error

	meter *meter
}

// Confirmed is nil when the user agrees to what the question says. Every other
// error the tool returns as it is, having changed nothing: it is also how the
// question reaches a user who is asked outside of the call, after which the tool
// is called again. Only tools that set Tool.Confirms may ask.
func (c *Call) Confirmed(ctx context.Context, question string) error {
	agreed, err := c.Confirm(ctx, question)
	if err == nil && !agreed {
		err = Declined(c.Tool)
	}
	return err
}

// complete is a copy of c in which everything a tool uses is there.
func (c *Call) complete(t Tool) *Call {
	full := *c
	if full.Tool == "" {
		full.Tool = t.Name
	}
	if full.Progress == nil {
		full.Progress = func(float64, float64, string) {}
	}
	switch {
	case !t.Confirms:
		full.Confirm = func(context.Context, string) (bool, error) {
			return false, fmt.Errorf("the tool %s asks the user without declaring it", t.Name)
		}
	case full.Confirm == nil:
		full.Confirm = func(_ context.Context, question string) (bool, error) {
			return false, &ConfirmationRequired{Message: question}
		}
	}
	if full.Offers == nil {
		full.Offers = func(string) bool { return true }
	}
	if full.Log == nil {
		full.Log = slog.New(slog.DiscardHandler)
	}
	full.meter = &meter{on: full.OnSpend, progress: full.Progress}
	return &full
}

// Spent is what the tool spent so far, as [Spend] and [Transport] counted.
func (c *Call) Spent() Cost {
	if c.meter == nil {
		return Cost{}
	}
	return Cost{APICalls: int(c.meter.calls.Load())}
}

// ConfirmationRequired is the error by which the question of a tool travels to
// whoever can ask the user.
type ConfirmationRequired struct {
	// Message is the question, such as "Delete table XX_Demo and its 5 rows?".
	Message string
}

func (e *ConfirmationRequired) Error() string { return "the user has to confirm: " + e.Message }

// meter counts what one call spends.
type meter struct {
	calls atomic.Int64
	on    func(context.Context, Cost) error
	mu    sync.Mutex // serialises on, and guards notes
	notes []string

	progress func(done, total float64, message string)
}

type meterKey struct{}

func withMeter(ctx context.Context, m *meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// Spend counts requests to the ERP for the call whose tool ctx belongs to. The
// error says that the caller's budget is used up: do not make the request, and
// return the error. Outside of a call it does nothing.
func Spend(ctx context.Context, apiCalls int) error {
	m, _ := ctx.Value(meterKey{}).(*meter)
	if m == nil || apiCalls <= 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.on != nil {
		if err := m.on(ctx, Cost{APICalls: apiCalls}); err != nil {
			return err
		}
	}
	m.calls.Add(int64(apiCalls))
	return nil
}

// Noter is a result that can carry a reservation, such as that it is not new.
type Noter interface{ AddNote(text string) }

// Note adds a reservation to the result of the call whose tool ctx belongs to, if
// that is a [Noter]. The same text is added once. Outside of a call it does
// nothing.
func Note(ctx context.Context, text string) {
	m, _ := ctx.Value(meterKey{}).(*meter)
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.notes, text) {
		m.notes = append(m.notes, text)
	}
}

// note hands the notes of a call to its result.
func (m *meter) note(result any) {
	n, ok := result.(Noter)
	if !ok || m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, text := range m.notes {
		n.AddNote(text)
	}
}

// Progress reports for the call whose tool ctx belongs to how far the work is, as
// Call.Progress does. Outside of a call it does nothing.
func Progress(ctx context.Context, done, total float64, message string) {
	if m, _ := ctx.Value(meterKey{}).(*meter); m != nil && m.progress != nil {
		m.progress(done, total, message)
	}
}

// Transport counts every request that goes through it with [Spend]; nil next
// means http.DefaultTransport.
func Transport(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &spender{next}
}

type spender struct{ next http.RoundTripper }

func (s *spender) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := Spend(r.Context(), 1); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper closes it on every path
		}
		return nil, fmt.Errorf("the request was not made: %w", err)
	}
	return s.next.RoundTrip(r)
}

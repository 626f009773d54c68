package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	// Identity goes to the ERP with a token of an OpenID provider, and nowhere else;
	// nil: the token is one of the ERP, or there is none.
	Identity *Identity
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
	// Selection is the offer that this request asks for; nil: what the operator
	// offers by default.
	Selection *Selection
}

// Selection narrows what a caller is offered. It never adds to what they may
// use.
type Selection struct {
	// Toolsets are names of tool sets; none: what the operator offers where
	// nothing is asked, [AllSets]: all that the caller may use.
	Toolsets []string
	// Switched are tool sets that the session switched on, beside the default; without
	// effect where Toolsets names some.
	Switched []string
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
	// Allows reports whether the caller may have a tool that is not offered now, if its
	// set is selected; nil: every tool. SwitchOn offers a tool set from now on, as far as
	// it is allowed; nil: nothing lasts for which it could be.
	Allows   func(tool string) bool
	SwitchOn func(ctx context.Context, set string) error
	// OnSpend is called for every request to the ERP before it is made, and can refuse
	// it with an error; nil accepts all.
	OnSpend func(ctx context.Context, c Cost) error
	// OnBegin is called once, before the tool begins to change something, and can
	// refuse that with an error; nil accepts all.
	OnBegin func(ctx context.Context) error

	meter   *meter
	unasked bool // the tool says why it need not ask
}

// Confirmed is nil when the user agrees to what the question says, and the change
// begins then: see [Call.Begin]. Every other error the tool returns as it is,
// having changed nothing: it is also how the question reaches a user who is asked
// outside of the call, after which the tool is called again. Only tools that set
// Tool.Confirms may ask.
func (c *Call) Confirmed(ctx context.Context, question *Question) error {
	text, err := question.Text()
	if err != nil {
		return err
	}
	asking := context.WithValue(ctx, stateKey{}, question.state())
	agreed, err := c.Confirm(asking, text)
	var ask *ConfirmationRequired
	switch {
	case errors.As(err, &ask):
		ask.Whole = Whole(asking, text)
		return err
	case err != nil:
		return err
	case !agreed:
		return Declined(c.Tool)
	}
	return c.meter.begin(ctx)
}

// Begin says that the tool changes something now that it does not ask the user
// about: only tools that say in Tool.Unasked why they need not may do so. Without
// Begin or [Call.Confirmed] nothing can be changed: see [Changes]. An error forbids
// the change, and the tool returns it.
func (c *Call) Begin(ctx context.Context) error {
	if !c.unasked {
		return fmt.Errorf("the tool %s changes something without asking the user, and does not say why", c.Tool)
	}
	return c.meter.begin(ctx)
}

// complete is a copy of c in which everything a tool uses is there.
func (c *Call) complete(t Tool) *Call {
	full := *c
	full.Tool = cmp.Or(full.Tool, t.Name)
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
	if full.Allows == nil {
		full.Allows = func(string) bool { return true }
	}
	full.Log = cmp.Or(full.Log, slog.New(slog.DiscardHandler))
	full.meter = &meter{tool: full.Tool, on: full.OnSpend, onBegin: full.OnBegin, progress: full.Progress}
	full.unasked = t.Unasked != ""
	return &full
}

// ConfirmationRequired is the error by which the question of a tool travels to
// whoever can ask the user.
type ConfirmationRequired struct {
	// Message is the question, such as "Delete table XX_Demo and its 5 rows?".
	Message string
	// Whole is the text that the answer is bound to, see [Whole].
	Whole string
}

func (e *ConfirmationRequired) Error() string { return "the user has to confirm: " + e.Message }

// meter tells what one call spends, and knows whether it may change something.
type meter struct {
	tool  string
	on    func(context.Context, Cost) error
	mu    sync.Mutex // serialises on, and guards notes
	notes []string

	progress func(done, total float64, message string)

	onBegin  func(context.Context) error
	begun    atomic.Bool // the tool may change something
	changing atomic.Bool // it may have
}

func (m *meter) begin(ctx context.Context) error {
	if m.onBegin != nil && !m.begun.Load() {
		if err := m.onBegin(ctx); err != nil {
			return err
		}
	}
	m.begun.Store(true)
	return nil
}

// Changes must be called before something is changed on behalf of the call whose
// tool ctx belongs to, by whatever way but [Transport], which does it for requests
// that change. The error says that the tool did not begin a change with
// [Call.Confirmed] or [Call.Begin]: a mistake in the tool, by which nothing can
// happen that the user was not asked about and that is not on record. Outside of
// a call it does nothing.
func Changes(ctx context.Context) error {
	m, _ := ctx.Value(meterKey{}).(*meter)
	switch {
	case m == nil:
		return nil
	case !m.begun.Load():
		return fmt.Errorf("the tool %s would change something without having begun that", m.tool)
	}
	m.changing.Store(true)
	return nil
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
	if m == nil || m.on == nil || apiCalls <= 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.on(ctx, Cost{APICalls: apiCalls})
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

// Transport counts every request that goes through it with [Spend], and refuses
// one that changes something (its method is not GET, HEAD or OPTIONS) for a
// tool that did not begin a change, see [Changes]. nil next means
// http.DefaultTransport.
func Transport(next http.RoundTripper) http.RoundTripper { return spenderOf(next, false) }

// ReadingTransport is [Transport] to a service that only reads, whatever the
// method.
func ReadingTransport(next http.RoundTripper) http.RoundTripper { return spenderOf(next, true) }

func spenderOf(next http.RoundTripper, reads bool) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &spender{next, reads}
}

type spender struct {
	next  http.RoundTripper
	reads bool
}

func (s *spender) RoundTrip(r *http.Request) (*http.Response, error) {
	err := Spend(r.Context(), 1)
	if reads := s.reads || slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, r.Method); err == nil && !reads {
		err = Changes(r.Context())
	}
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper closes it on every path
		}
		return nil, fmt.Errorf("the request was not made: %w", err)
	}
	return s.next.RoundTrip(r)
}

package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp"
)

// Question is who may do what. One of User and Role is set, and one of Window,
// Process, Form and Table; Column and Record go with Table. Names are found
// without regard to case; the number of the record will do as well.
type Question struct {
	User    string // name, search key or mail address
	Role    string // name; with User: only this one of the user's roles
	Window  string
	Process string // search key or name
	Form    string
	Table   string // TableName
	Column  string // ColumnName
	Record  string // number or UUID
	// Meets reports whether a record meets a condition in SQL, in which columns may be
	// written behind the name of the table. It is needed where a rule of the table decides about the
	// record; nil: what such a rule decides is unknown.
	Meets func(ctx context.Context, table string, record erp.Record, condition string) (bool, error)
}

// Verdict is whether something is allowed.
type Verdict string

// The verdicts.
const (
	Yes     Verdict = "yes"
	No      Verdict = "no"
	Unknown Verdict = "unknown" // it depends on what the caller may not read
)

// Explanation is the response to a [Question].
type Explanation struct {
	// Object is the object of the question, in words, such as "window Sales Order".
	Object string `json:"object"`
	// User is the user in words, empty when only a role was given, and UserReasons
	// what keeps the user from logging in at all.
	User        string   `json:"user,omitempty"`
	UserReasons []Reason `json:"userReasons,omitempty"`
	// Roles are the role of the question, or those of the user.
	Roles []RoleAccess `json:"roles"`
	// Unread are tables that the caller may not read.
	Unread []string `json:"unread,omitempty"`
}

// RoleAccess is the access that one role has.
type RoleAccess struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// Read and Write are, for a process, to see it and to run it.
	Read  Verdict `json:"read"`
	Write Verdict `json:"write"`
	// Reasons are the rules that decide, in the order in which the ERP looks.
	Reasons []Reason `json:"reasons"`
}

// Effect is the effect of a reason.
type Effect string

// The effects.
const (
	Allows    Effect = "allows"
	ReadOnly  Effect = "read only"
	Denies    Effect = "denies"
	Limits    Effect = "limits" // some records are seen, others are not
	Undecided Effect = "unknown"
)

// Reason is one thing that decides.
type Reason struct {
	Effect Effect `json:"effect"`
	Text   string `json:"text"` // a sentence
	// Record is the record that decides, as "AD_Window_Access of role 102 and
	// window 143"; empty where a record is missing.
	Record string `json:"record,omitempty"`
	// Fix says what to change in the ERP to allow it; empty where there is nothing
	// to change.
	Fix string `json:"fix,omitempty"`
}

// ErrQuestion is in the error of a question that cannot be answered as it is:
// something named is not there, or there are several.
var ErrQuestion = errors.New("nothing to explain")

// asked is the error of a question, with what to do.
func asked(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrQuestion, fmt.Sprintf(format, args...))
}

// mostRoles is how many roles of one user are explained.
const mostRoles = 10

// Explain explains; see [Question]. An error that is not [ErrQuestion] comes from
// the connection.
func Explain(ctx context.Context, client *erp.Client, q Question) (*Explanation, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	x := newExplainer(client)
	x.asked = q
	out := &Explanation{}
	target, err := x.target(ctx, q)
	if err != nil {
		return nil, err
	}
	out.Object = target.words
	roles, err := x.subject(ctx, q, out)
	if err != nil {
		return nil, err
	}
	for i := range roles {
		verdict, err := x.role(ctx, &roles[i], target)
		if err != nil {
			return nil, err
		}
		out.Roles = append(out.Roles, verdict)
	}
	out.Unread = x.unread
	return out, nil
}

func (q Question) check() error {
	objects := 0
	for _, name := range []string{q.Window, q.Process, q.Form, q.Table} {
		if strings.TrimSpace(name) != "" {
			objects++
		}
	}
	switch {
	case strings.TrimSpace(q.User) == "" && strings.TrimSpace(q.Role) == "":
		return asked("name a user or a role")
	case objects != 1:
		return asked("name one of window, process, form and table")
	case q.Table == "" && (q.Column != "" || q.Record != ""):
		return asked("a column or a record needs its table")
	}
	return nil
}

// role explains for one role.
func (x *explainer) role(ctx context.Context, r *role, t *target) (RoleAccess, error) {
	r.reasons = nil
	if !r.active {
		r.because(Denies, "the role "+r.name+" is deactivated", record("AD_Role", r.id), "activate the role")
	}
	if err := t.explain(ctx, x, r); err != nil {
		return RoleAccess{}, err
	}
	out := RoleAccess{ID: r.id, Name: r.name, Read: Yes, Write: Yes, Reasons: r.reasons}
	for _, reason := range r.reasons {
		switch reason.Effect {
		case Denies:
			out.Read, out.Write = No, No
		case ReadOnly:
			out.Write = No
		case Undecided:
			out.Read, out.Write = worse(out.Read), worse(out.Write)
		}
	}
	return out, nil
}

func worse(v Verdict) Verdict {
	if v == Yes {
		return Unknown
	}
	return v
}

// record names a record for a reason.
func record(table string, id int64) string { return fmt.Sprintf("%s %d", table, id) }

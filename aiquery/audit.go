package aiquery

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/internal/text"
	"github.com/erphub/erphub/internal/uuid"
)

// Values of AIG_QueryStatus.
const (
	StatusSuccess = "Success"
	StatusError   = "Error"
	StatusDenied  = "PermissionDenied"
)

const (
	notFinished   = "not finished"
	maxAuditSQL   = 64 << 10 // of a statement that was run
	maxRefusedSQL = 4 << 10  // of one that was not
	maxSecuredSQL = 512 << 10
	maxAuditText  = 2000
	maxAuditNames = 4000
)

// record is the audit's record of one request.
type record struct {
	id        string // AIG_QueryLog_UU
	requestID string
	who       Caller
	roleID    int
	started   time.Time

	clientID      int64
	sql           string // as it was received
	ran           bool   // it was secured and given to the database
	securedSQL    string
	policyVersion string
	params        string
	tables        []string

	status   string
	message  string
	rowCount int
	elapsed  time.Duration

	notes []string // for the result
}

func newRecord(who Caller, q Request, now time.Time) *record {
	r := &record{
		id: uuid.V7(now), clientID: int64(max(who.ClientID, 0)), requestID: who.RequestID, who: who, roleID: q.RoleID, started: now,
		sql: q.SQL, params: describeParams(q.Params), status: StatusError, message: notFinished,
	}
	r.requestID = cmp.Or(r.requestID, r.id)
	return r
}

// open writes the record before anything is done.
func (e *Engine) open(ctx context.Context, r *record) error {
	if e.opts.NoAudit {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.db.AuditPatience())
	defer cancel()
	err := e.db.AuditInsert(ctx, r.row())
	if err == nil {
		return nil
	}
	e.log.ErrorContext(ctx, "query: the audit record could not be written", "request", r.requestID, "error", e.db.LogText(err))
	if e.opts.AuditOptional {
		r.id = "" // there is nothing to complete
		return nil
	}
	return run.Fail(api.CodeUnavailable, err, "the query was not run because its audit record could not be written").Advise("try again later")
}

// done notes the outcome in the record and returns it.
func (r *record) done(refusal *api.Error, now time.Time) *record {
	r.elapsed = now.Sub(r.started)
	r.status, r.message = StatusSuccess, ""
	if refusal != nil {
		r.status, r.message = auditStatus(refusal), refusal.Error()
		r.rowCount = 0
	}
	return r
}

// close completes the record, or writes it as a whole when it was never opened,
// and returns the error for the caller. What cannot be written now is written
// later.
func (e *Engine) close(ctx context.Context, r *record, refusal *api.Error) error {
	now := e.opts.Clock()
	err := e.complete(ctx, r.done(refusal, now))
	if !e.opts.NoAudit && r.id != "" {
		e.budget.add(r.who.UserID, r.size(now), now)
	}
	if err != nil {
		e.log.ErrorContext(ctx, "query: the audit record could not be completed; it is tried again", "request", r.requestID, "error", e.db.LogText(err))
		if refusal == nil && !e.opts.AuditOptional {
			refusal = &api.Error{
				Code: api.CodeUnavailable, Message: "the result is withheld because its audit record could not be completed",
				Hint: "try again later", RequestID: r.requestID,
			}
			r.done(refusal, e.opts.Clock())
		}
		e.later(r)
	}
	if refusal != nil {
		return refusal
	}
	return nil
}

// complete writes a finished record.
func (e *Engine) complete(ctx context.Context, r *record) error {
	if e.opts.NoAudit || r.id == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.db.AuditPatience())
	defer cancel()
	return e.db.AuditComplete(ctx, r.row())
}

// auditStatus tells refusals for missing permissions, and statements that are no
// SELECT, from everything else that failed.
func auditStatus(e *api.Error) string {
	switch e.Code {
	case api.CodeDenied, api.CodeNotSelect, api.CodeUnauthenticated:
		return StatusDenied
	}
	return StatusError
}

// visibleText is a text as a database can hold it: NUL and what is no UTF-8
// are shown as \x00, and what is too long is cut, with its length and digest.
func visibleText(text string, limit int) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if b.Len() >= limit {
			sum := sha256.Sum256([]byte(text))
			fmt.Fprintf(&b, "… (%d bytes in all, SHA-256 %s)", len(text), hex.EncodeToString(sum[:]))
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == 0 || r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, text[i])
		} else {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// describeParams tells number, kind and length of the parameters, never values.
func describeParams(params []json.RawMessage) string {
	var parts []string
	for i, p := range params {
		if i == DefaultParams {
			parts = append(parts, fmt.Sprintf("and %d more", len(params)-i))
			break
		}
		kind := "number"
		switch trimmed := strings.TrimSpace(string(p)); {
		case trimmed == "":
			kind = "nothing"
		case trimmed[0] == '"':
			kind = "text"
		case trimmed[0] == '[':
			kind = "array"
		case trimmed[0] == '{':
			kind = "object"
		case trimmed[0] == 'n':
			kind = "null"
		case trimmed[0] == 't', trimmed[0] == 'f':
			kind = "boolean"
		}
		parts = append(parts, fmt.Sprintf("$%d %s(%d)", i+1, kind, len(p)))
	}
	return text.Shorten(strings.Join(parts, ", "), maxAuditText)
}

// row is the record as a database keeps it.
func (r *record) row() *run.Record {
	now := time.Now()
	return &run.Record{ID: r.id, Columns: r.columns(true, now), Final: r.columns(false, now)}
}

// recordColumns are the names of a record's columns.
func recordColumns() []string {
	var names []string
	for _, c := range newRecord(Caller{}, Request{}, time.Time{}).columns(true, time.Time{}) {
		names = append(names, c.Name)
	}
	return names
}

// keptSQL is the statement as it is kept: of a long one that was not run, or not
// yet, the beginning and the digest of the whole.
func (r *record) keptSQL() string {
	if r.ran {
		return visibleText(r.sql, maxAuditSQL)
	}
	return visibleText(r.sql, maxRefusedSQL)
}

// size is how many bytes the values of the record have.
func (r *record) size(now time.Time) (n int64) {
	for _, c := range r.columns(true, now) {
		if c.Value != nil {
			n += int64(len(*c.Value))
		}
	}
	return n
}

// columns are the record's own columns; those of opening besides when all is
// set.
func (r *record) columns(all bool, now time.Time) []run.RecordColumn {
	value := func(s string) *string { return &s }
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	number := func(n int64) *string { return value(fmt.Sprint(n)) }
	id := func(n int) *string {
		if n < 0 || n > math.MaxInt32 {
			return nil
		}
		return number(int64(n))
	}
	user := id(max(r.who.UserID, 0))
	if user == nil {
		user = number(0)
	}
	stamp := value(now.UTC().Format("2006-01-02 15:04:05"))
	list := []run.RecordColumn{
		{Name: "AD_Client_ID", Value: number(r.clientID)}, {Name: "Updated", Value: stamp}, {Name: "UpdatedBy", Value: user},
		{Name: "AIG_SecuredSQL", Value: optional(visibleText(r.securedSQL, maxSecuredSQL))}, {Name: "AIG_QueryStatus", Value: value(r.status)},
		{Name: "AIG_ErrorMessage", Value: optional(text.Shorten(visibleText(r.message, 4*maxAuditText), maxAuditText))},
		{Name: "AIG_RowCount", Value: number(int64(r.rowCount))}, {Name: "AIG_ExecutionTimeMs", Value: number(r.elapsed.Milliseconds())},
		{Name: "AIG_TablesAccessed", Value: optional(text.Shorten(strings.Join(r.tables, ", "), maxAuditNames))},
		{Name: "AIG_PolicyVersion", Value: optional(r.policyVersion)},
	}
	if !all {
		if r.ran && len(r.sql) > maxRefusedSQL {
			list = append(list, run.RecordColumn{Name: "AIG_QuerySQL", Value: value(r.keptSQL())}) // it was opened with less
		}
		return list
	}
	ai := cmp.Or(r.who.AIUserID, r.who.UserID)
	provider := id(r.who.ProviderID)
	if r.who.ProviderID == 0 {
		provider = nil
	}
	return append(list,
		run.RecordColumn{Name: AuditTableName + "_UU", Value: value(r.id)}, run.RecordColumn{Name: "AD_Org_ID", Value: number(0)}, run.RecordColumn{Name: "IsActive", Value: value("Y")},
		run.RecordColumn{Name: "Created", Value: value(r.started.UTC().Format("2006-01-02 15:04:05"))}, run.RecordColumn{Name: "CreatedBy", Value: user},
		run.RecordColumn{Name: "AIG_Provider_ID", Value: provider}, run.RecordColumn{Name: "AD_User_ID", Value: id(ai)}, run.RecordColumn{Name: "AD_Role_ID", Value: id(r.roleID)},
		run.RecordColumn{Name: "AIG_QuerySQL", Value: value(r.keptSQL())}, run.RecordColumn{Name: "AIG_RequestID", Value: value(text.Shorten(visibleText(r.requestID, 400), 100))},
		run.RecordColumn{Name: "AIG_Parameters", Value: optional(r.params)})
}

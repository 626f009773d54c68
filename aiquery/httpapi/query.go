package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/tokens"
)

// queryBody is the body of POST query and POST explain.
type queryBody struct {
	SQL     *string           `json:"sql"`
	Params  []json.RawMessage `json:"params"`
	RoleID  json.RawMessage   `json:"roleId"`
	MaxRows json.RawMessage   `json:"maxRows"`
}

// readQuery reads a statement to run. What is wrong with the statement
// itself is for the engine to say, which keeps a record of it; what is wrong with
// the body is put on record here, with what could be read.
func (h *Handler) readQuery(w http.ResponseWriter, r *http.Request, who tokens.Claims) (aiquery.Request, error) {
	q := aiquery.Request{RoleID: -1}
	if err := h.decodeQuery(w, r, &q); err != nil {
		return q, h.refused(r, who, q, err)
	}
	return q, nil
}

func (h *Handler) decodeQuery(w http.ResponseWriter, r *http.Request, q *aiquery.Request) error {
	var body queryBody
	if err := h.bounds.Decode(w, r, &body); err != nil {
		return err
	}
	if body.SQL == nil {
		return httpserver.InvalidRequest("member sql is missing", "send {\"sql\":\"SELECT …\",\"roleId\":102}")
	}
	q.SQL, q.Params = *body.SQL, body.Params
	if len(body.RoleID) == 0 || string(body.RoleID) == "null" {
		return httpserver.InvalidRequest("member roleId is missing", "name one of your roles; GET "+Prefix+"/roles lists them")
	}
	role, err := number("roleId", string(body.RoleID))
	if err != nil {
		return err
	}
	q.RoleID = role
	q.MaxRows, err = rows(body.MaxRows)
	return err
}

// refused puts a statement on record that does not reach the engine, and
// returns why it is refused.
func (h *Handler) refused(r *http.Request, who tokens.Claims, q aiquery.Request, err error) error {
	p := h.apiError(r.Context(), err)
	h.engine.Refused(r.Context(), h.caller(r.Context(), who), q, &api.Error{Code: api.Code(p.Code), Message: p.Message, Hint: p.Hint, RetryAfter: p.RetryAfter})
	return p
}

var integer = lazyregexp.New(`^-?[0-9]+$`)

// rows reads maxRows, an integer. What is not positive means the default, and
// what no number can hold is more than the limit.
func rows(raw json.RawMessage) (int, error) {
	switch text := string(raw); {
	case text == "", text == "null":
		return 0, nil
	case !integer().MatchString(text):
		return 0, httpserver.InvalidRequest("maxRows must be an integer, without quotes and without a fraction", `send it as "maxRows":100, or leave it out for the default`)
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	switch {
	case n <= 0:
		return 0, nil
	case err != nil: // out of range
		return maxInt, nil
	}
	return int(min(n, maxInt)), nil
}

func (h *Handler) query(w http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error) {
	q, err := h.readQuery(w, r, who)
	if err != nil {
		return nil, err
	}
	free, err := h.querySlot(r, who, q)
	if err != nil {
		return nil, err
	}
	defer free()
	result, err := h.engine.Query(r.Context(), h.caller(r.Context(), who), q)
	if err != nil {
		return nil, err
	}
	if result.RequestID != httpserver.RequestID(r.Context()) {
		return nil, fmt.Errorf("the engine returned the result of another request")
	}
	return result, nil
}

func (h *Handler) explain(w http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error) {
	q, err := h.readQuery(w, r, who)
	if err != nil {
		return nil, err
	}
	free, err := h.querySlot(r, who, q)
	if err != nil {
		return nil, err
	}
	defer free()
	return orNil(h.engine.Explain(r.Context(), h.caller(r.Context(), who), q))
}

// querySlot takes a slot for a query. If all are taken, it records the refusal, as
// all queries are recorded.
func (h *Handler) querySlot(r *http.Request, who tokens.Claims, q aiquery.Request) (free func(), err error) {
	if free, err = h.slot(); err == nil {
		return free, nil
	}
	why := &api.Error{Code: api.CodeUnavailable, Message: "too many requests are being worked on", Hint: "try again", RetryAfter: time.Second}
	return nil, h.engine.Refused(r.Context(), h.caller(r.Context(), who), q, why)
}

// orNil keeps a nil pointer from becoming a value.
func orNil[T any](value *T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return value, nil
}

// rolesBody is the response of GET roles.
type rolesBody struct {
	RequestID string         `json:"requestId"`
	Roles     []api.RoleInfo `json:"roles"`
}

func (h *Handler) roles(_ http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error) {
	if _, err := httpserver.Query(r); err != nil {
		return nil, err
	}
	free, err := h.slot()
	if err != nil {
		return nil, err
	}
	defer free()
	roles, err := h.engine.Roles(r.Context(), h.caller(r.Context(), who))
	if err != nil {
		return nil, err
	}
	return rolesBody{httpserver.RequestID(r.Context()), append([]api.RoleInfo{}, roles...)}, nil
}

package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/internal/jsonapi"
	"github.com/erphub/erphub/tokens"
)

// queryBody is the body of POST query and POST explain.
type queryBody struct {
	SQL     *string           `json:"sql"`
	Params  []json.RawMessage `json:"params"`
	RoleID  json.RawMessage   `json:"roleId"`
	MaxRows json.RawMessage   `json:"maxRows"`
}

// readQuery reads a statement to be answered. What is wrong with the statement
// itself is for the engine to say, which keeps a record of it.
func (h *Handler) readQuery(w http.ResponseWriter, r *http.Request) (aiquery.Request, error) {
	var body queryBody
	if err := h.bounds.Body(w, r, &body); err != nil {
		return aiquery.Request{}, err
	}
	switch {
	case body.SQL == nil:
		return aiquery.Request{}, jsonapi.Invalid("member sql is missing", "send {\"sql\":\"SELECT …\",\"roleId\":102}")
	case len(body.RoleID) == 0 || string(body.RoleID) == "null":
		return aiquery.Request{}, jsonapi.Invalid("member roleId is missing", "name one of your roles; GET "+Prefix+"/roles lists them")
	}
	role, err := number("roleId", string(body.RoleID))
	if err != nil {
		return aiquery.Request{}, err
	}
	return aiquery.Request{SQL: *body.SQL, Params: body.Params, RoleID: role, MaxRows: rows(body.MaxRows)}, nil
}

// rows reads maxRows. What is no positive whole number means the default, and
// what no number can hold is more than the limit.
func rows(raw json.RawMessage) int {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	switch {
	case err == nil && n > 0:
		return int(min(n, maxInt))
	case err != nil && n > 0: // out of range
		return maxInt
	}
	return 0
}

func (h *Handler) query(w http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error) {
	q, err := h.readQuery(w, r)
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
	if result.RequestID != jsonapi.RequestID(r.Context()) {
		return nil, fmt.Errorf("the engine answered another request")
	}
	return result, nil
}

func (h *Handler) explain(w http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error) {
	q, err := h.readQuery(w, r)
	if err != nil {
		return nil, err
	}
	free, err := h.querySlot(r, who, q)
	if err != nil {
		return nil, err
	}
	defer free()
	return answered(h.engine.Explain(r.Context(), h.caller(r.Context(), who), q))
}

// querySlot is a slot for a query; where there is none, that is on record, as all
// queries are.
func (h *Handler) querySlot(r *http.Request, who tokens.Claims, q aiquery.Request) (free func(), err error) {
	if free, err = h.slot(); err == nil {
		return free, nil
	}
	why := &aiquery.Error{Code: aiquery.CodeUnavailable, Message: "too many requests are being worked on", Hint: "try again", RetryAfter: time.Second}
	return nil, h.engine.Refused(r.Context(), h.caller(r.Context(), who), q, why)
}

// answered keeps a nil pointer from becoming a value.
func answered[T any](value *T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return value, nil
}

// rolesBody is the answer of GET roles.
type rolesBody struct {
	RequestID string             `json:"requestId"`
	Roles     []aiquery.RoleInfo `json:"roles"`
}

func (h *Handler) roles(_ http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error) {
	if _, err := jsonapi.Query(r); err != nil {
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
	return rolesBody{jsonapi.RequestID(r.Context()), append([]aiquery.RoleInfo{}, roles...)}, nil
}

package httpapi

import (
	"fmt"
	"net/http"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

// maxMetadata is how many tables and windows can be requested at once.
const maxMetadata = 50

// role is the role a GET is made with: the parameter roleId, or the token's.
func role(r *http.Request, who tokens.Claims) (int, error) {
	q, err := httpserver.Query(r, "roleId")
	if err != nil {
		return 0, err
	}
	if !q.Has("roleId") {
		return who.RoleID, nil
	}
	return number("roleId", q.Get("roleId"))
}

func (h *Handler) tableMetadata(_ http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error) {
	roleID, err := role(r, who)
	if err != nil {
		return nil, err
	}
	free, err := h.slot()
	if err != nil {
		return nil, err
	}
	defer free()
	return orNil(h.engine.TableMetadata(r.Context(), h.caller(r.Context(), who), roleID, r.PathValue("name")))
}

func (h *Handler) windowMetadata(_ http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error) {
	roleID, err := role(r, who)
	if err != nil {
		return nil, err
	}
	id, err := number("the id of a window", r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	free, err := h.slot()
	if err != nil {
		return nil, err
	}
	defer free()
	return orNil(h.engine.WindowMetadata(r.Context(), h.caller(r.Context(), who), roleID, id))
}

// metadataBody requests several tables and windows at once.
type metadataBody struct {
	RoleID  *int     `json:"roleId"`
	Tables  []string `json:"tables"`
	Windows []int    `json:"windows"`
}

func (h *Handler) metadata(w http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error) {
	var body metadataBody
	if err := h.bounds.Decode(w, r, &body); err != nil {
		return nil, err
	}
	if n := len(body.Tables) + len(body.Windows); n == 0 || n > maxMetadata {
		return nil, httpserver.InvalidRequest(fmt.Sprintf("%d tables and windows are requested", n), fmt.Sprintf("name 1 to %d in the members tables and windows", maxMetadata))
	}
	roleID := who.RoleID
	if body.RoleID != nil {
		if roleID = *body.RoleID; roleID < 0 || roleID > maxInt {
			return nil, httpserver.InvalidRequest(fmt.Sprintf("roleId is a number from 0 to %d", maxInt), "")
		}
	}
	for _, id := range body.Windows {
		if id < 0 || id > maxInt {
			return nil, httpserver.InvalidRequest(fmt.Sprintf("the id of a window is a number from 0 to %d", maxInt), "")
		}
	}
	free, err := h.slot()
	if err != nil {
		return nil, err
	}
	defer free()
	ctx, caller := r.Context(), h.caller(r.Context(), who)
	response := api.Metadata{RequestID: httpserver.RequestID(ctx), Tables: []api.TableEntry{}, Windows: []api.WindowEntry{}}
	for _, name := range body.Tables {
		m, err := h.engine.TableMetadata(ctx, caller, roleID, name)
		detail, err := h.single(r, err)
		if err != nil {
			return nil, err
		}
		response.Tables = append(response.Tables, api.TableEntry{Name: name, Metadata: m, Error: detail})
	}
	for _, id := range body.Windows {
		m, err := h.engine.WindowMetadata(ctx, caller, roleID, id)
		detail, err := h.single(r, err)
		if err != nil {
			return nil, err
		}
		response.Windows = append(response.Windows, api.WindowEntry{ID: id, Metadata: m, Error: detail})
	}
	return response, nil
}

// single returns an error that concerns one of several: that it is not there,
// or is denied. Any other ends the request.
func (h *Handler) single(r *http.Request, err error) (detail *api.Error, _ error) {
	if err == nil {
		return nil, nil
	}
	p := h.apiError(r.Context(), err)
	switch p.Status {
	case http.StatusNotFound, http.StatusForbidden, http.StatusBadRequest:
		if e, ok := p.Body.(*api.Error); ok {
			return e, nil
		}
		return &api.Error{Code: api.Code(p.Code), Message: p.Message, Hint: p.Hint}, nil
	}
	return nil, p
}

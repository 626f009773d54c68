package server

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/mcp"
)

// A request selects tools with headers, or with the parameters toolsets and
// readonly of the address, for clients whose users can set nothing else.
const (
	toolsetsHeader = "X-Mcp-Toolsets"
	readOnlyHeader = "X-Mcp-Readonly"
	toolsetsParam  = "toolsets"
	readOnlyParam  = "readonly"
)

// maxSelection bounds what a request may say about tool sets, in bytes.
const maxSelection = 1 << 10

// selecting refuses selections that cannot be understood, and puts what the
// address selects into the headers, which the protocol passes on.
func (s *Server) selecting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sel, err := s.selectionOf(r)
		if err != nil {
			s.turn(w, "selection", http.StatusBadRequest, err.Error())
			return
		}
		if sel != nil {
			r = r.Clone(r.Context())
			r.Header.Del(toolsetsHeader)
			r.Header.Del(readOnlyHeader)
			if len(sel.Toolsets) > 0 {
				r.Header.Set(toolsetsHeader, strings.Join(sel.Toolsets, ","))
			}
			if sel.ReadOnly {
				r.Header.Set(readOnlyHeader, "true")
			}
		}
		next.ServeHTTP(w, r)
	})
}

// selectionOf is what a request selects, nil for nothing. Where header and
// address both select, what both do counts.
func (s *Server) selectionOf(r *http.Request) (*mcp.Selection, error) {
	if len(r.Header[toolsetsHeader])+len(r.Header[readOnlyHeader])+len(r.URL.RawQuery) == 0 {
		return nil, nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "the parameters of the address cannot be read", Hint: "write ?toolsets=registry,query&readonly=true"}
	}
	sel := &mcp.Selection{}
	for _, asked := range [][]string{r.Header[toolsetsHeader], query[toolsetsParam]} {
		sets, err := s.setsOf(asked)
		switch {
		case err != nil:
			return nil, err
		case len(sets) == 0:
		case len(sel.Toolsets) == 0, slices.Contains(sel.Toolsets, mcp.AllSets):
			sel.Toolsets = sets
		case !slices.Contains(sets, mcp.AllSets):
			both := slices.DeleteFunc(slices.Clone(sel.Toolsets), func(name string) bool { return !slices.Contains(sets, name) })
			if len(both) == 0 {
				return nil, &mcp.Error{
					Code:    mcp.CodeInvalidArguments,
					Message: "the address selects the tool sets " + strings.Join(sets, ",") + ", the header " + strings.Join(sel.Toolsets, ","),
					Hint:    "select tool sets in one of the two places",
				}
			}
			sel.Toolsets = both
		}
	}
	for _, v := range slices.Concat(r.Header[readOnlyHeader], query[readOnlyParam]) {
		only, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(v)))
		if err != nil {
			return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "X-MCP-Readonly and readonly are true or false", Hint: "leave it out for false"}
		}
		sel.ReadOnly = sel.ReadOnly || only
	}
	if len(sel.Toolsets) == 0 && !sel.ReadOnly {
		return nil, nil
	}
	return sel, nil
}

// setsOf are the tool sets that values name, sorted, each once.
func (s *Server) setsOf(values []string) ([]string, error) {
	all := strings.Join(values, ",")
	if len(all) > maxSelection {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "the names of tool sets are too long", Hint: "name each once, or " + mcp.AllSets}
	}
	sets := strings.FieldsFunc(all, func(r rune) bool { return r == ',' || r == ' ' })
	if err := s.opts.Catalog.Tools.CheckSets(sets); err != nil {
		return nil, err
	}
	slices.Sort(sets)
	return slices.Compact(sets), nil
}

// selectionIn is what the headers of a request that was let in select.
func selectionIn(h http.Header) *mcp.Selection {
	sel := &mcp.Selection{ReadOnly: h.Get(readOnlyHeader) == "true"}
	if sets := h.Get(toolsetsHeader); sets != "" {
		sel.Toolsets = strings.Split(sets, ",")
	}
	if len(sel.Toolsets) == 0 && !sel.ReadOnly {
		return nil
	}
	return sel
}

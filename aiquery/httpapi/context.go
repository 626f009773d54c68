package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

const (
	// maxContexts is how many windows and charts can be published at once.
	maxContexts = 32
	// maxContextBytes bounds what is kept of one.
	maxContextBytes = 256 << 10
)

// publishBody is what a live user interface says about what it shows.
type publishBody struct {
	// TTLSeconds is the time it holds; publish again before. 0 withdraws.
	TTLSeconds *int         `json:"ttlSeconds"`
	Windows    []windowShow `json:"windows"`
	Charts     []chartShow  `json:"charts"`
}

// windowShow is an [api.Window] whose number may be missing.
type windowShow struct {
	WindowNo  *int           `json:"windowNo"`
	Window    *api.Named     `json:"window,omitempty"`
	Tab       *api.Named     `json:"tab,omitempty"`
	Record    *api.Record    `json:"record,omitempty"`
	Fields    map[string]any `json:"fields,omitempty"`
	Display   map[string]any `json:"display,omitempty"`
	Filters   []any          `json:"filters,omitempty"`
	Selection []any          `json:"selection,omitempty"`
}

// chartShow is an [api.Chart] whose number may be missing.
type chartShow struct {
	ChartID   *int           `json:"chartId"`
	Name      string         `json:"name,omitempty"`
	Type      string         `json:"type,omitempty"`
	Config    map[string]any `json:"config,omitempty"`
	Axes      []any          `json:"axes,omitempty"`
	Series    []any          `json:"series,omitempty"`
	DrillDown []any          `json:"drillDown,omitempty"`
}

// contextResponse is a published context.
type contextResponse struct {
	Published time.Time       `json:"published"`
	Expires   time.Time       `json:"expires"`
	RoleID    int             `json:"roleId"` // it was published with
	Window    json.RawMessage `json:"window,omitempty"`
	Chart     json.RawMessage `json:"chart,omitempty"`
}

// item is a window or chart to be kept.
type item struct {
	kind    ContextKind
	number  int
	content json.RawMessage
}

// items checks a publication as a whole, before any of it is kept.
func (b *publishBody) items(redacts columnRule) ([]item, error) {
	if n := len(b.Windows) + len(b.Charts); n == 0 || n > maxContexts {
		return nil, httpserver.InvalidRequest(fmt.Sprintf("%d windows and charts are published", n), fmt.Sprintf("publish 1 to %d in the members windows and charts", maxContexts))
	}
	var items []item
	seen := map[ContextKey]bool{}
	add := func(kind ContextKind, member string, number *int, table string, value any) error {
		if number == nil || *number < 0 || *number > maxInt {
			return httpserver.InvalidRequest(fmt.Sprintf("each %s needs %s, a number from 0 to %d", kind, member, maxInt), "")
		}
		if key := (ContextKey{Kind: kind, Number: *number}); seen[key] {
			return httpserver.InvalidRequest(fmt.Sprintf("%s %d is published twice", kind, *number), "")
		} else {
			seen[key] = true
		}
		content, err := maskedJSON(value, func(column string) (bool, error) { return redacts(table, column) })
		if err != nil {
			return err
		}
		if len(content) > maxContextBytes {
			return &httpserver.APIError{Status: http.StatusRequestEntityTooLarge, Code: "too_large",
				Message: fmt.Sprintf("%s %d is larger than %d bytes", kind, *number, maxContextBytes), Hint: "publish fewer fields or points"}
		}
		items = append(items, item{kind, *number, content})
		return nil
	}
	for i := range b.Windows {
		table := ""
		if r := b.Windows[i].Record; r != nil {
			table = r.Table
		}
		if err := add(WindowContext, "windowNo", b.Windows[i].WindowNo, table, b.Windows[i]); err != nil {
			return nil, err
		}
	}
	for i := range b.Charts {
		if err := add(ChartContext, "chartId", b.Charts[i].ChartID, "", b.Charts[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func (h *Handler) publish(w http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error) {
	var body publishBody
	if err := h.bounds.Decode(w, r, &body); err != nil {
		return nil, err
	}
	ttl := h.opts.ContextTTL
	if body.TTLSeconds != nil {
		most := int(MaxContextTTL / time.Second)
		if *body.TTLSeconds < 0 || *body.TTLSeconds > most {
			return nil, httpserver.InvalidRequest(fmt.Sprintf("ttlSeconds is a number from 0 to %d", most), "")
		}
		ttl = time.Duration(*body.TTLSeconds) * time.Second
	}
	ctx, now := r.Context(), h.opts.Clock().UTC()
	items, err := body.items(func(table, column string) (bool, error) { return h.engine.Redacts(ctx, table, column) })
	if err != nil {
		return nil, err
	}
	response := api.Published{RequestID: httpserver.RequestID(ctx), Published: len(items)}
	if ttl > 0 {
		expires := now.Add(ttl)
		response.Expires = &expires
	}
	for _, it := range items {
		key := ContextKey{who.ClientID, who.UserID, it.kind, it.number}
		if ttl == 0 {
			err = h.opts.Contexts.Delete(ctx, key)
		} else {
			err = h.opts.Contexts.Put(ctx, key, StoredContext{Content: it.content, RoleID: who.RoleID, Published: now, Expires: *response.Expires})
		}
		if err != nil {
			return nil, err
		}
	}
	return response, nil
}

// contextOf returns what the caller's own user interface said last.
func (h *Handler) contextOf(kind ContextKind, param string) call {
	return func(_ http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error) {
		if _, err := httpserver.Query(r); err != nil {
			return nil, err
		}
		n, err := number("the number of a "+string(kind), r.PathValue(param))
		if err != nil {
			return nil, err
		}
		c, ok, err := h.opts.Contexts.Get(r.Context(), ContextKey{who.ClientID, who.UserID, kind, n})
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return nil, httpserver.NotFound(fmt.Sprintf("no live user interface of this user shows %s %d", kind, n),
				"it has to publish what it shows with POST "+Prefix+"/context, and again before that expires")
		}
		response := contextResponse{Published: c.Published.UTC(), Expires: c.Expires.UTC(), RoleID: c.RoleID}
		if kind == WindowContext {
			response.Window = c.Content
		} else {
			response.Chart = c.Content
		}
		return response, nil
	}
}

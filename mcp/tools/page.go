package tools

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/mcp"
)

// maxResponse is how many bytes of JSON a list may have: about half of what a
// result may cost, because it travels as text and as structured content.
const maxResponse = 32 << 10

// paged is the end of every list. It is embedded in results.
type paged struct {
	// Total is the number over all pages.
	Total int `json:"total" jsonschema:"over all pages"`
	// Truncated says that there are more.
	Truncated  bool   `json:"truncated" jsonschema:"more follow: call again with nextCursor as cursor"`
	NextCursor string `json:"nextCursor,omitempty"`
	noted
}

// noted is embedded in results that can be true with a reservation.
type noted struct {
	Notes []string `json:"notes,omitempty" jsonschema:"what to know about this result"`
}

// AddNote is part of [mcp.Noter].
func (n *noted) AddNote(text string) { n.Notes = append(n.Notes, text) }

// turning is the end of the arguments of a list that comes in pages.
type turning struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page"`
}

func (t *turning) takeCursor() string {
	cursor := t.Cursor
	t.Cursor = ""
	return cursor
}

// pager is the place in a list at which a call goes on. It binds the list to the
// tool and its other arguments.
type pager struct {
	tool     string
	question any
	offset   int
}

// pagerOf takes the cursor out of the arguments of a call; an empty one is the start.
func pagerOf(c *mcp.Call, in interface{ takeCursor() string }) (pager, error) {
	return pagerFor(c, in.takeCursor(), in)
}

// pagerFor is [pagerOf] for a cursor that is not among what binds it.
func pagerFor(c *mcp.Call, cursor string, question any) (pager, error) {
	p := pager{tool: c.Tool, question: question}
	if cursor == "" {
		return p, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	number, print, _ := strings.Cut(string(raw), " ")
	if err == nil {
		p.offset, err = strconv.Atoi(number)
	}
	if err != nil || p.offset < 0 || print != p.fingerprint() {
		return p, fail(mcp.CodeInvalidArguments, "send the other arguments exactly as in the call that returned it, or leave cursor out to start again", "the cursor belongs to another call")
	}
	return p, nil
}

// cursor goes on at an offset.
func (p pager) cursor(offset int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(offset) + " " + p.fingerprint()))
}

func (p pager) fingerprint() string {
	raw, _ := json.Marshal(p.question) // structs of texts, numbers and flags always encode
	sum := sha256.Sum256(append([]byte(p.tool+"\n"), raw...))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// from is what a list has from an offset on.
func from[T any](items []T, offset int) []T { return items[min(offset, len(items)):] }

// fitting is as many items, at least one, as fit into a response.
func fitting[T any](items []T) []T {
	size := 0
	for i, item := range items {
		raw, err := mcp.Encode(item)
		if err != nil {
			return items // the caller finds out when it encodes them
		}
		if size += len(raw) + 1; size > maxResponse && i > 0 {
			return items[:i]
		}
	}
	return items
}

// page cuts a list that starts where p is to what fits, and says how to go on.
func page[T any](p pager, items []T, total int) ([]T, paged) { return cut(p, fitting(items), total) }

// cut is page for items that fit.
func cut[T any](p pager, items []T, total int) ([]T, paged) {
	end := paged{Total: total}
	if next := p.offset + len(items); len(items) > 0 && next < total {
		end.Truncated, end.NextCursor = true, p.cursor(next)
	}
	return items, end
}

// part is the page of a list that is there as a whole.
func part[T, L any](p pager, all []T, line func(*T) L) ([]L, paged) {
	return page(p, mapped(from(all, p.offset), line), len(all))
}

// mapped are the lines of a list's items.
func mapped[T, L any](items []T, line func(*T) L) []L {
	lines := make([]L, len(items))
	for i := range items {
		lines[i] = line(&items[i])
	}
	return lines
}

// listing is the page of what a pattern finds in the dictionary. A pattern without %
// that finds nothing is searched for within the names.
func listing[T, L any](ctx context.Context, p pager, q registry.ListQuery, list func(context.Context, registry.ListQuery) (registry.Listing[T], error), line func(*T) L) ([]L, paged, error) {
	q.Offset = p.offset
	found, err := list(ctx, q)
	if err == nil && found.Total == 0 && within(q.Pattern) != q.Pattern {
		q.Pattern = within(q.Pattern)
		found, err = list(ctx, q)
	}
	if err != nil {
		return nil, paged{}, err
	}
	lines, end := page(p, mapped(found.Items, line), found.Total)
	return lines, end, nil
}

// ofDictionary is the handler of a tool that reads the dictionary.
func ofDictionary[In, Out any](b *Toolbox, work func(ctx context.Context, c *mcp.Call, reg registry.Registry, in In) (*Out, error)) func(context.Context, *mcp.Call, In) (*Out, error) {
	return func(ctx context.Context, c *mcp.Call, in In) (*Out, error) {
		reg, err := b.registry(ctx, c)
		if err != nil {
			return nil, err
		}
		out, err := work(ctx, c, reg, in)
		return out, fromDict(err)
	}
}

// ofPages is [ofDictionary] for a list that comes in pages.
func ofPages[In, Out any, At interface {
	*In
	takeCursor() string
}](b *Toolbox, work func(ctx context.Context, reg registry.Registry, in In, p pager) (*Out, error)) func(context.Context, *mcp.Call, In) (*Out, error) {
	return ofDictionary(b, func(ctx context.Context, c *mcp.Call, reg registry.Registry, in In) (*Out, error) {
		p, err := pagerOf(c, At(&in))
		if err != nil {
			return nil, err
		}
		return work(ctx, reg, in, p)
	})
}

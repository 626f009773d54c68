package tools

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/erphub/erphub/mcp"
)

// maxResponse is how many bytes of JSON a list may have: about half of what a
// result may cost, because it travels as text and as structured content.
const maxResponse = 32 << 10

// paged is the end of every list. It is embedded in results.
type paged struct {
	// Total is how many there are over all pages.
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

// cursorFor binds an offset in a list to the request it belongs to.
func cursorFor(tool string, question any, offset int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(offset) + " " + fingerprint(tool, question)))
}

// offsetOf is the offset that a cursor means; an empty one is the start.
func offsetOf(cursor, tool string, question any) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	wrong := &mcp.Error{
		Code: mcp.CodeInvalidArguments, Message: "the cursor belongs to another call",
		Hint: "send the other arguments exactly as in the call that returned it, or leave cursor out to start again",
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, wrong
	}
	number, print, ok := strings.Cut(string(raw), " ")
	offset, err := strconv.Atoi(number)
	if !ok || err != nil || offset < 0 || print != fingerprint(tool, question) {
		return 0, wrong
	}
	return offset, nil
}

func fingerprint(tool string, question any) string {
	raw, _ := json.Marshal(question) // structs of texts, numbers and flags always encode
	sum := sha256.Sum256(append([]byte(tool+"\n"), raw...))
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

// page cuts a list that starts at offset to what fits, and says how to go on.
func page[T any](tool string, question any, items []T, offset, total int) ([]T, paged) {
	return cut(tool, question, fitting(items), offset, total)
}

// cut is page for items that fit.
func cut[T any](tool string, question any, items []T, offset, total int) ([]T, paged) {
	p := paged{Total: total}
	if next := offset + len(items); len(items) > 0 && next < total {
		p.Truncated, p.NextCursor = true, cursorFor(tool, question, next)
	}
	return items, p
}

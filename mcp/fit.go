package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// Reply is the result of a call, ready to send.
type Reply struct {
	// JSON is the structured value; nil when there is none.
	JSON json.RawMessage
	// Content is for the model; empty means that JSON is the text.
	Content []Content
	// Failed marks a result that tells of a failure.
	Failed bool
	// Spent is the cost of the call.
	Spent Cost
}

// Tokens estimates the length of the reply.
func (r *Reply) Tokens() int {
	if len(r.Content) == 0 {
		return EstimateTokens(len(r.JSON))
	}
	n := 0
	for _, c := range r.Content {
		n += size(c)
	}
	return EstimateTokens(max(n, len(r.JSON)))
}

// size is the length of the text of a piece; pictures and sounds are not text.
func size(c Content) int {
	n := len(c.Text)
	if c.Embedded != nil {
		n += len(c.Embedded.Text)
	}
	return n
}

// fit makes the reply of a tool's value and brings it under the limit. What is
// cut says so itself; what cannot be cut is an error that says how to ask for
// less.
func fit(t Tool, value any, most int) (*Reply, error) {
	reply, err := newReply(value)
	if err != nil {
		return nil, err
	}
	if reply.Tokens() <= most {
		return reply, nil
	}
	whole := reply.Tokens()
	if len(reply.JSON) == 0 && cutText(reply, most) {
		return reply, nil
	}
	return nil, &Error{
		Code:    CodeTooLarge,
		Message: fmt.Sprintf("the result of %s has about %d tokens, more than the %d a response may have", t.Name, whole, most),
		Hint:    narrower(t),
	}
}

func newReply(value any) (*Reply, error) {
	raw, err := Encode(value)
	if err != nil {
		return nil, fmt.Errorf("encoding the result: %w", err)
	}
	reply := &Reply{JSON: raw}
	switch v := value.(type) {
	case Result:
		reply.Content, reply.Failed = slices.Clone(v.Content), v.Failed
	case Texter:
		if text := v.ResultText(); text != "" {
			reply.Content = []Content{Text(text)}
		}
	case Linker:
		if link := v.ResultLink(); link != nil {
			reply.Content = []Content{Text(string(raw)), {Link: link}}
		}
	}
	for i := range reply.Content { // what is in files stays as it is
		reply.Content[i].Text = text.Printable(reply.Content[i].Text)
	}
	return reply, nil
}

// cutText shortens a reply of text alone, and declares it.
func cutText(r *Reply, most int) bool {
	left := most*4 - 200 // room for the declaration
	cut := slices.Clone(r.Content)
	for i, c := range cut {
		if c.Embedded != nil {
			return false
		}
		if len(c.Text) <= left {
			left -= len(c.Text)
			continue
		}
		whole := len(c.Text)
		shown := text.FirstBytes(c.Text, left)
		cut[i].Text = fmt.Sprintf("%s\n[truncated: %d of %d bytes of this text are shown; request less to see the rest]", shown, len(shown), whole)
		r.Content = cut[:i+1]
		return true
	}
	return false
}

// narrower names the arguments of the tool that make results smaller.
func narrower(t Tool) string {
	var names []string
	for _, name := range []string{"limit", "maxRows", "cursor", "detail", "columns", "pattern", "filter"} {
		if t.Input != nil && t.Input.Properties[name] != nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "request less"
	}
	return "request less with: " + strings.Join(names, ", ")
}

package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is the connection of a session that several servers serve. The SDK
// numbers what it asks a client from 1 on, at each of them; a link puts its mark
// before the number, which nobody can guess, so that a response belongs to one
// question of one server.
type link struct {
	*sdk.StreamableServerTransport
	mark   string // empty: numbers stay as they are
	closed func() // called whenever the connection is closed
}

// newMark makes a mark.
func newMark() string { return rand.Text() }

// marked reports whether a response may be one to a question of some server: its
// id is a mark and a number.
func marked(id jsonrpc.ID) bool {
	text, _ := id.Raw().(string)
	mark, number, ok := strings.Cut(text, ".")
	_, err := strconv.ParseUint(number, 10, 32)
	return ok && err == nil && len(mark) == len(rand.Text())
}

// Connect implements sdk.Transport.
func (l *link) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := l.StreamableServerTransport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &linked{conn, l}, nil
}

// asked reports whether the id is that of a question of this link, and the id it
// has for the SDK.
func (l *link) asked(id jsonrpc.ID) (jsonrpc.ID, bool) {
	text, _ := id.Raw().(string)
	number, ok := strings.CutPrefix(text, l.mark+".")
	n, err := strconv.ParseUint(number, 10, 32)
	if !ok || err != nil {
		return jsonrpc.ID{}, false
	}
	own, err := jsonrpc.MakeID(float64(n))
	return own, err == nil
}

// shown is the id of a question as the client sees it.
func (l *link) shown(id jsonrpc.ID) (jsonrpc.ID, error) {
	return jsonrpc.MakeID(l.mark + "." + strconv.FormatInt(id.Raw().(int64), 10))
}

type linked struct {
	sdk.Connection
	link *link
}

// Read leaves out responses to what others asked.
func (c *linked) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.Connection.Read(ctx)
		response, ok := msg.(*jsonrpc.Response)
		if err != nil || !ok || c.link.mark == "" {
			return msg, err
		}
		if id, ok := c.link.asked(response.ID); ok {
			response.ID = id
			return response, nil
		}
	}
}

func (c *linked) Write(ctx context.Context, msg jsonrpc.Message) error {
	request, ok := msg.(*jsonrpc.Request)
	if !ok || c.link.mark == "" {
		return c.Connection.Write(ctx, msg)
	}
	out := *request
	var err error
	switch {
	case request.IsCall():
		out.ID, err = c.link.shown(request.ID)
	case request.Method == cancelledMethod:
		out.Params, err = c.link.cancelled(request.Params)
	}
	if err != nil {
		return err
	}
	return c.Connection.Write(ctx, &out)
}

// cancelled names the question that is taken back as the client knows it.
func (l *link) cancelled(params json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	var n int64
	if err := json.Unmarshal(params, &members); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(members["requestId"], &n); err != nil {
		return nil, err
	}
	id, err := json.Marshal(l.mark + "." + strconv.FormatInt(n, 10))
	if err != nil {
		return nil, err
	}
	members["requestId"] = id
	return json.Marshal(members)
}

func (c *linked) Close() error {
	err := c.Connection.Close()
	c.link.closed()
	return err
}

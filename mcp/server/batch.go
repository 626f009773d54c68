package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxBatch bounds the messages of a JSON-RPC batch.
	maxBatch = 32
	// batchVersion is the last revision of the protocol that has batches.
	batchVersion = "2025-03-26"
)

// batchSize counts the messages of a batch, and none beyond one more than
// maxBatch; what is not a batch is one message. It does not check whether they are
// valid.
func batchSize(body []byte) (n int, batch bool) {
	body, batch = bytes.CutPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("["))
	if !batch {
		return 1, false
	}
	depth, inText := 1, false
	for i := 0; i < len(body); i++ {
		b := body[i]
		if n == 0 && strings.IndexByte(" \t\r\n]", b) < 0 {
			n = 1
		}
		switch {
		case inText && b == '\\':
			i++
		case b == '"':
			inText = !inText
		case inText:
		case b == '[', b == '{':
			depth++
		case b == ']', b == '}':
			if depth--; depth == 0 {
				return n, true
			}
		case b == ',' && depth == 1:
			if n++; n > maxBatch {
				return n, true
			}
		}
	}
	return n, true
}

// batchRefused is why a batch of n messages cannot be taken, "" when it can.
func (s *Server) batchRefused(r *http.Request, n int) string {
	if n > maxBatch {
		return fmt.Sprintf("a batch may hold at most %d messages: send them in several requests; none of them was worked on", maxBatch)
	}
	const alone = "; send each message in a request of its own"
	if v := r.Header.Get(versionHeader); v > batchVersion {
		return fmt.Sprintf("revision %.20q of the protocol has no batches", v) + alone
	}
	id := r.Header.Get(sessionHeader)
	switch {
	case s.opts.Stateless:
		return ""
	case id == "":
		return "a batch needs a session: begin one with initialize, which cannot be part of a batch"
	}
	k, err := s.sessions.find(r.Context(), id, userOf(r.Context()))
	if k == nil || err != nil {
		return "" // who comes next says so
	}
	defer s.sessions.end(k)
	if p := k.server.InitializeParams(); p != nil && (p.ProtocolVersion == batchVersion || p.ProtocolVersion == "2024-11-05") {
		return ""
	}
	// The response to an unknown revision names a newer one.
	return "the revision of the protocol this session uses has no batches" + alone
}

// turnBatch refuses a batch in the protocol's own form.
func (s *Server) turnBatch(w http.ResponseWriter, why string) {
	s.opts.Metrics.turned.Add(1, "batch")
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": jsonrpc.CodeInvalidRequest, "message": why},
	})
	if err != nil {
		body = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch refused"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(append(body, '\n')) // the client went away
}

package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/httpserver"
)

const (
	// patience is how long a request that wants events waits for the first: what
	// is refused until then is refused with a status.
	patience = time.Second
	// heartbeat is how often a line goes to a client for which there are no events.
	heartbeat = 15 * time.Second
	// writeTimeout is how long a client may take to take an event.
	writeTimeout = 30 * time.Second
)

// hasEvents waits for the first progress of a job, or for patience to end. It
// reports false when the job has ended before, or has no events.
func (j *job) hasEvents(ctx context.Context) bool {
	first := time.NewTimer(patience)
	defer first.Stop()
	for {
		mode, steps, changed := j.since(0)
		if mode == generator.ModeArchive || len(steps) > 0 {
			return mode != generator.ModeArchive
		}
		select {
		case <-j.done:
			return false
		case <-ctx.Done():
			return false
		case <-changed:
		case <-first.C:
			if mode != "" { // else it is not known yet whether there can be events
				return true
			}
			first.Reset(patience)
		}
	}
}

// stream responds with the events of a job. It reports false when nothing was
// sent, which is left to the caller: the job has ended before there was
// progress, or its outcome is not an event.
func (h *Handler) stream(w http.ResponseWriter, r *http.Request, j *job) (code string, responded bool) {
	ctx := r.Context()
	if !j.hasEvents(ctx) {
		return "", false
	}
	s := &events{w: w, control: http.NewResponseController(w)}
	head := w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Accel-Buffering", "no") // a proxy that collects responses would spoil it
	w.WriteHeader(http.StatusOK)
	defer s.end()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for n := 0; ; {
		_, steps, changed := j.since(n)
		for _, st := range steps {
			s.send("progress", st)
		}
		n += len(steps)
		select {
		case <-j.done:
			_, steps, _ = j.since(n)
			for _, st := range steps {
				s.send("progress", st)
			}
			j.leave(ctx)
			return h.last(s, r, j.outcome), true
		case <-ctx.Done():
			if j.leave(ctx) {
				return h.last(s, r, j.outcome), true
			}
			return h.last(s, r, outcome{err: h.apiError(ctx, ctx.Err())}), true
		case <-changed:
		case <-beat.C:
			s.write([]byte(": still working\n\n"))
		}
	}
}

// last sends what came of it and returns its code.
func (h *Handler) last(s *events, r *http.Request, out outcome) string {
	if p := out.err; p != nil {
		s.send("error", httpserver.ErrorBody{Error: p.Detail(), RequestID: httpserver.RequestID(r.Context())})
		return p.Code
	}
	s.send("result", out.receipt)
	return "ok"
}

// events writes the form that browsers read with EventSource.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s *events) send(event string, value any) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\ndata: ", event)
	enc := json.NewEncoder(&b) // writes one line
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return // receipts and texts can be written
	}
	b.WriteByte('\n')
	s.write(b.Bytes())
}

// write does not mind a client that went away: the request's context tells.
func (s *events) write(text []byte) {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, _ = s.w.Write(text)
	_ = s.control.Flush()
}

// end takes the deadline back, which would be that of the connection's next
// request.
func (s *events) end() { _ = s.control.SetWriteDeadline(time.Time{}) }

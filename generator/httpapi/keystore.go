package httpapi

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/httpserver"
)

// KeyStore keeps the Idempotency-Keys of several servers side by side, so that a retry
// that reaches another one, or comes after a restart, gets the first response. Each
// method is one indivisible step. Keys are digests; outcomes hold what responses hold,
// links included. Implementations are safe for concurrent use.
type KeyStore interface {
	// Claim takes a key for an owner for as long as lease, with the digest of the
	// request; where somebody has it, it returns what is known.
	Claim(ctx context.Context, key, owner string, print []byte, lease time.Duration) (KeyState, error)
	// Extend keeps a claimed key for lease from now on.
	Extend(ctx context.Context, key, owner string, lease time.Duration) error
	// Finish keeps the outcome of a claimed key for as long as life.
	Finish(ctx context.Context, key, owner string, outcome []byte, life time.Duration) error
	// Release gives a claimed key back: nothing came of it.
	Release(ctx context.Context, key, owner string) error
}

// KeyState is the state of a key.
type KeyState struct {
	Claimed bool   // by this call
	Print   []byte // the digest it was claimed with
	Outcome []byte // nil: it is being worked on
}

const (
	// keyLease is how long a key outlives a server that died while it worked.
	keyLease = 6 * time.Second
	// keyPoll is how often somebody else's work is looked at.
	keyPoll = 100 * time.Millisecond
	// maxShared bounds an outcome that is kept for other servers, in bytes.
	maxShared = 1 << 20
)

// sharedOutcome is an outcome as other servers read it.
type sharedOutcome struct {
	Receipt *sharedReceipt       `json:"receipt,omitempty"`
	Error   *httpserver.APIError `json:"error,omitempty"`
}

// sharedReceipt is a receipt with all its fields, whatever its mode.
type sharedReceipt generator.Receipt

// once does the work of a job, unless another server does it or has done it: then its
// outcome is returned. Work whose server died is done again.
func (h *Handler) once(ctx context.Context, j *job, do func(context.Context) outcome) (out outcome, replayed bool) {
	keys := h.opts.Keys
	if keys == nil || j.key.text == "" {
		return do(ctx), false
	}
	sum := sha256.Sum256([]byte(j.key.text))
	key, owner := fmt.Sprintf("%d/%d:%s", j.key.who.Client, j.key.who.User, hex.EncodeToString(sum[:])), rand.Text()
	for {
		state, err := keys.Claim(ctx, key, owner, j.print[:], keyLease)
		switch {
		case err != nil && ctx.Err() != nil:
			return outcome{err: h.apiError(ctx, ctx.Err())}, false
		case err != nil:
			h.log.WarnContext(ctx, "an Idempotency-Key could not be checked", "error", err, "request", httpserver.RequestID(ctx))
			return outcome{err: &httpserver.APIError{Status: http.StatusServiceUnavailable, Code: "unavailable",
				Message: "the Idempotency-Key cannot be checked now, and nothing was delivered", Hint: "try again", RetryAfter: time.Second}}, false
		case state.Claimed:
			return h.claimed(ctx, j, key, owner, do), false
		case string(state.Print) != string(j.print[:]):
			return outcome{err: keyReused()}, false
		case state.Outcome != nil:
			var shared sharedOutcome
			if err := json.Unmarshal(state.Outcome, &shared); err != nil || (shared.Receipt == nil) == (shared.Error == nil) {
				h.log.ErrorContext(ctx, "the outcome kept for an Idempotency-Key cannot be read", "error", err, "request", httpserver.RequestID(ctx))
				return outcome{err: httpserver.InternalError()}, false
			}
			return outcome{receipt: (*generator.Receipt)(shared.Receipt), err: shared.Error}, true
		}
		select {
		case <-time.After(keyPoll):
		case <-ctx.Done():
			return outcome{err: h.apiError(ctx, ctx.Err())}, false
		}
	}
}

// claimed does the work under a key that is this server's, and keeps what came of it.
func (h *Handler) claimed(ctx context.Context, j *job, key, owner string, do func(context.Context) outcome) outcome {
	working, stop := context.WithCancel(ctx)
	extended := make(chan struct{})
	go func() {
		defer close(extended)
		tick := time.NewTicker(keyLease / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := h.opts.Keys.Extend(working, key, owner, keyLease); err != nil && working.Err() == nil {
					h.log.WarnContext(ctx, "an Idempotency-Key could not be kept", "error", err)
				}
			case <-working.Done():
				return
			}
		}
	}()
	out := do(ctx)
	stop()
	<-extended
	after := context.WithoutCancel(ctx) // what was done is kept, whoever waits for it
	text, life := h.toShare(out)
	var err error
	if text == nil {
		err = h.opts.Keys.Release(after, key, owner)
	} else {
		err = h.opts.Keys.Finish(after, key, owner, text, life)
	}
	if err != nil {
		h.log.WarnContext(ctx, "what came of an Idempotency-Key could not be kept: a retry at another server delivers again", "error", err)
	}
	return out
}

// toShare is an outcome for other servers, nil where nothing came of it, or where
// doing it again gives the same: an archive has the same bytes each time.
func (h *Handler) toShare(out outcome) (text []byte, life time.Duration) {
	switch {
	case out.err != nil && out.err.Code != codeUnknown, out.receipt != nil && out.receipt.Mode == generator.ModeArchive:
		return nil, 0
	}
	text, err := json.Marshal(sharedOutcome{Receipt: (*sharedReceipt)(out.receipt), Error: out.err})
	if err != nil || len(text) > maxShared {
		return nil, 0
	}
	life = h.opts.KeyLife
	if ends := expiry(out.receipt); !ends.IsZero() {
		life = ends.Sub(h.opts.Clock())
	}
	return text, life
}

// keyReused is for a key that belongs to another request.
func keyReused() *httpserver.APIError {
	return &httpserver.APIError{Status: http.StatusUnprocessableEntity, Code: "idempotency_key_reused",
		Message: "this Idempotency-Key belongs to a request with another body", Hint: "use a new key for a new request"}
}

package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/httpserver/access"
)

// generateBody is a request for a plugin.
type generateBody struct {
	ArtifactID string         `json:"artifactId"`
	Output     string         `json:"output"`
	Email      string         `json:"email"`
	Generator  string         `json:"generator"` // "" is plugin
	Options    map[string]any `json:"options"`
}

// check looks for what is wrong before anything is chosen.
func (b *generateBody) check() error {
	if _, twice := b.Options["artifactId"]; twice {
		return httpserver.InvalidRequest("the artifact id is given as an option as well", "give it in the member artifactId only")
	}
	b.Generator = cmp.Or(b.Generator, "plugin")
	return nil
}

// options are those of the generator.
func (b *generateBody) options() map[string]any {
	options := maps.Clone(b.Options)
	if options == nil {
		options = map[string]any{}
	}
	options["artifactId"] = b.ArtifactID
	return options
}

// fingerprint is the same for bodies that mean the same.
func (b *generateBody) fingerprint() ([sha256.Size]byte, error) {
	text, err := json.Marshal(b)
	return sha256.Sum256(text), err
}

// generate makes a plugin and delivers it.
func (h *Handler) generate(w http.ResponseWriter, r *http.Request) string {
	claims, refused := access.Authenticate(r, h.verifier, "generator", h.log)
	if refused != nil {
		return h.refuse(w, r, refused)
	}
	who := access.KeyOf(claims)
	if wait := h.limit.Take(r.Context(), who); wait > 0 {
		return h.refuse(w, r, &httpserver.APIError{Status: http.StatusTooManyRequests, Code: "rate_limited",
			Message: fmt.Sprintf("this user has requested more than %d plugins in a minute", h.opts.PerMinute), Hint: "wait as long as Retry-After says", RetryAfter: wait})
	}
	j, joined, err := h.begin(w, r, who)
	if err != nil {
		return h.refuse(w, r, h.apiError(r.Context(), err))
	}
	if joined {
		w.Header().Set("Idempotency-Replayed", "true")
	}
	return h.await(w, r, j)
}

// begin reads a request and finds the job that does it, or starts one.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request, who access.UserKey) (j *job, joined bool, err error) {
	key, err := idempotencyKey(r)
	if err != nil {
		return nil, false, err
	}
	var body generateBody
	if err := h.bounds.Decode(w, r, &body); err != nil {
		return nil, false, err
	}
	if err := body.check(); err != nil {
		return nil, false, err
	}
	print, err := body.fingerprint()
	if err != nil {
		return nil, false, err
	}
	j, joined, err = h.jobs.join(r.Context(), jobKey{who, key}, print)
	if err != nil || joined {
		return j, joined, err
	}
	if !h.jobs.run(who) {
		h.jobs.finish(j, outcome{err: &httpserver.APIError{Status: http.StatusTooManyRequests, Code: "rate_limited",
			Message: fmt.Sprintf("%d plugins of this user are being worked on already", h.opts.MaxPerUser), Hint: "wait for one of them", RetryAfter: time.Second}})
		return j, false, nil
	}
	if !h.slots.TryAcquire(1) {
		h.jobs.ran(who)
		h.jobs.finish(j, outcome{err: busy("too many plugins are being worked on")})
		return j, false, nil
	}
	// The work goes on as long as somebody waits for it, who need not be the one
	// that began.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), h.opts.Timeout)
	j.start(cancel)
	go func() {
		out, replayed := h.once(ctx, j, func(ctx context.Context) outcome { return h.work(ctx, j, &body) })
		j.replayed = replayed
		cancel()
		// A client that has the response finds the slot free.
		h.slots.Release(1)
		h.jobs.ran(who)
		h.jobs.finish(j, out)
	}()
	return j, false, nil
}

// work makes the plugin and delivers it.
func (h *Handler) work(ctx context.Context, j *job, body *generateBody) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			httpserver.LogPanic(ctx, p, h.log, panicked, "operation", "generate", "request", httpserver.RequestID(ctx))
			out = outcome{err: httpserver.InternalError()}
		}
	}()
	mode, delivery, err := h.deliveries.Choose(ctx, body.Output, body.Email)
	if err != nil {
		return outcome{err: h.apiError(ctx, err)}
	}
	j.setMode(mode)
	artifact, err := generator.Generate(ctx, h.opts.Registry, body.Generator, body.options())
	if err != nil {
		return outcome{err: h.generateError(ctx, err)}
	}
	receipt, err := delivery.Deliver(ctx, artifact, j.report)
	if err != nil {
		return outcome{err: h.apiError(ctx, err)}
	}
	return outcome{receipt: receipt}
}

// await waits for a job and responds with its outcome.
func (h *Handler) await(w http.ResponseWriter, r *http.Request, j *job) string {
	events, other := wants(r)
	ctx := r.Context()
	if events {
		if code, responded := h.stream(w, r, j); responded {
			return code
		}
	}
	select {
	case <-j.done:
	case <-ctx.Done():
	}
	if !j.leave(ctx) {
		return h.refuse(w, r, h.apiError(ctx, ctx.Err()))
	}
	out := j.outcome
	if j.replayed {
		w.Header().Set("Idempotency-Replayed", "true")
	}
	switch {
	case out.err != nil:
		return h.refuse(w, r, out.err)
	case out.receipt.Mode != generator.ModeArchive:
		httpserver.Respond(w, r, http.StatusOK, out.receipt, h.log)
		return "ok"
	case !other:
		return h.refuse(w, r, &httpserver.APIError{Status: http.StatusNotAcceptable, Code: "not_acceptable",
			Message: "the output archive is a zip, which cannot be sent as events", Hint: "accept application/zip, or choose another output"})
	}
	head := w.Header()
	head.Set("Content-Type", "application/zip")
	head.Set("Content-Disposition", disposition(out.receipt.Filename))
	head.Set("Content-Length", strconv.Itoa(len(out.receipt.Zip)))
	head.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(out.receipt.Zip) // the client went away
	return "ok"
}

// idempotencyKey is the header of that name, "" for none.
func idempotencyKey(r *http.Request) (string, error) {
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return "", nil
	}
	key := strings.TrimSpace(values[0])
	const most = 255
	if len(values) > 1 || key == "" || len(key) > most || strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' }) {
		return "", httpserver.InvalidRequest("the header Idempotency-Key is not a key", fmt.Sprintf("send it once, with 1 to %d printable ASCII characters that nobody uses twice, such as a UUID", most))
	}
	return key, nil
}

// wants tells what a client accepts: events, and anything else.
func wants(r *http.Request) (events, other bool) {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(accept) == "" {
		return false, true
	}
	for part := range strings.SplitSeq(accept, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil && q == 0 {
			continue
		}
		if media == "text/event-stream" {
			events = true
		} else {
			other = true
		}
	}
	return events, other
}

// expiry is when a response ends by itself, zero for never.
func expiry(r *generator.Receipt) time.Time {
	if r == nil {
		return time.Time{}
	}
	return r.ExpiresAt
}

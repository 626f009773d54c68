package tokens

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// maxRemembered bounds how many tokens' opinions are kept in memory.
const maxRemembered = 10_000

// probe is an authenticated call that is allowed for every role, does little
// work and whose response cannot be mistaken: the list of models, filtered down
// to none.
const probe = "/api/v1/models?%24filter=AD_Table_ID%20eq%20-1"

// NewIntrospectionVerifier returns a verifier that calls the ERP at address
// (without /api/v1) whether it accepts a token, by a small call with that
// token. It needs no key and notices logout and revocation; the response,
// good or bad, is remembered for 30 seconds ([RememberFor]) and never beyond
// the token's end. [GraceFor] lets tokens that were accepted live on while the
// ERP cannot be reached. Calls for the same token at the same time are one call.
func NewIntrospectionVerifier(address string, opts ...VerifierOption) (*Verifier, error) {
	base, err := cleanBase(address)
	if err != nil {
		return nil, fmt.Errorf("setting up the token verifier: %w", err)
	}
	return newVerifier(&introspector{base: base, opinions: map[[sha256.Size]byte]*opinion{}}, 30*time.Second, opts)
}

type introspector struct {
	base string

	mu       sync.Mutex // guards opinions
	opinions map[[sha256.Size]byte]*opinion
}

// opinion is what the ERP thinks of a token.
type opinion struct {
	done   chan struct{} // closed when the rest is set
	err    error
	until  time.Time // zero: not to be used again
	claims Claims    // of a token that was accepted, which holds until then
	// accepted is when the ERP last said yes; zero when it never did, or said no
	// since.
	accepted time.Time
}

// graceAsk is the time between two questions about a token while the ERP cannot
// be reached: callers must not wait for it each time.
const graceAsk = 15 * time.Second

func (i *introspector) verify(ctx context.Context, v *Verifier, token string) (Claims, error) {
	if c, ok := i.remembered(v, token); ok {
		return c, nil
	}
	// What is visibly wrong is refused without a call, and claims are only
	// returned when the ERP, which checks the signature, accepts the token.
	c, err := v.unsigned(token)
	switch {
	case v.erpAlone:
		c, _ = UnverifiedClaims(token) // what cannot be read is empty
	case err != nil:
		return Claims{}, err
	case !c.Complete:
		return Claims{}, fmt.Errorf("%w: it does not name client, user, role and organization", ErrInvalidToken)
	}
	for {
		o, mine := i.opinion(v, token)
		if mine {
			i.ask(ctx, v, token, c, o)
		} else {
			select {
			case <-o.done:
			case <-ctx.Done():
				return Claims{}, fmt.Errorf("waiting for the ERP's word on a token: %w", ctx.Err())
			}
		}
		if o.err == nil {
			return c, nil
		}
		// The caller went away: its end is not ours.
		if !mine && ctx.Err() == nil && (errors.Is(o.err, context.Canceled) || errors.Is(o.err, context.DeadlineExceeded)) {
			continue
		}
		return Claims{}, o.err
	}
}

// remembered is what an accepted token says, without reading it again.
func (i *introspector) remembered(v *Verifier, token string) (Claims, bool) {
	id := digest(token)
	i.mu.Lock()
	defer i.mu.Unlock()
	o := i.opinions[id]
	if o == nil {
		return Claims{}, false
	}
	select {
	case <-o.done:
		return o.claims, o.err == nil && v.now().Before(o.until)
	default:
		return Claims{}, false
	}
}

// opinion returns the one to use, and whether the caller has to form it.
func (i *introspector) opinion(v *Verifier, token string) (o *opinion, mine bool) {
	id := digest(token)
	i.mu.Lock()
	defer i.mu.Unlock()
	if o := i.opinions[id]; o != nil {
		select {
		case <-o.done:
			if v.now().Before(o.until) {
				return o, false
			}
		default:
			return o, false
		}
	}
	if len(i.opinions) >= maxRemembered {
		i.forgetLocked(v.now())
	}
	o = &opinion{done: make(chan struct{})}
	if before := i.opinions[id]; before != nil { // it is done, see above
		o.accepted = before.accepted
	}
	i.opinions[id] = o
	return o, true
}

// forgetLocked makes room: first what is out of date, then whatever comes.
func (i *introspector) forgetLocked(now time.Time) {
	for id, o := range i.opinions {
		select {
		case <-o.done:
			if !now.Before(o.until) {
				delete(i.opinions, id)
			}
		default:
		}
	}
	for id := range i.opinions {
		if len(i.opinions) < maxRemembered*9/10 {
			return
		}
		delete(i.opinions, id)
	}
}

// ask forms the opinion.
func (i *introspector) ask(ctx context.Context, v *Verifier, token string, c Claims, o *opinion) {
	err := i.call(ctx, v, token)
	i.mu.Lock()
	defer i.mu.Unlock()
	now := v.now()
	lives := o.accepted.Add(v.graceOr(0)) // until then without the ERP's word
	o.err = err
	switch {
	case err == nil:
		o.accepted, o.until = now, now.Add(v.remember)
	case errors.Is(err, ErrInvalidToken):
		o.accepted, o.until = time.Time{}, now.Add(v.remember)
	case errors.Is(err, errNoWord) && ctx.Err() == nil && !o.accepted.IsZero() && now.Before(lives):
		v.log.WarnContext(ctx, "a token that was accepted before is let in, because the ERP cannot be reached", "accepted", o.accepted, "error", err)
		o.err, o.until = nil, now.Add(graceAsk)
		if lives.Before(o.until) {
			o.until = lives
		}
	}
	if !o.until.IsZero() {
		o.claims = c
		if end := c.ExpiresAt; !end.IsZero() && end.Before(o.until) {
			o.until = end
		}
	} else if o.accepted.IsZero() {
		if id := digest(token); i.opinions[id] == o {
			delete(i.opinions, id)
		}
	}
	close(o.done)
}

// errNoWord marks that the ERP could not be reached at all, unlike a response that
// says something else than yes or no.
var errNoWord = errors.New("nobody there can say")

// noWord is such an error, without the mark in its text.
type noWord struct{ error }

func (e noWord) Unwrap() error        { return e.error }
func (e noWord) Is(target error) bool { return target == errNoWord }

// call makes the call. Everything but a clear yes or no is ErrUnreachable.
func (i *introspector) call(ctx context.Context, v *Verifier, token string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, i.base+probe, nil)
	if err != nil {
		return fmt.Errorf("%w: the address cannot be used", ErrUnreachable)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := v.http.Do(req)
	if err != nil {
		return noWord{fmt.Errorf("%w: checking a token with %s: %w", ErrUnreachable, i.base, bare(err))}
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	switch {
	case res.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("%w: the ERP refused it%s", ErrInvalidToken, quoted(data, token))
	case err != nil:
		return noWord{fmt.Errorf("%w: checking a token with %s: %w", ErrUnreachable, i.base, bare(err))}
	case res.StatusCode >= http.StatusInternalServerError, res.StatusCode == http.StatusRequestTimeout, res.StatusCode == http.StatusTooManyRequests:
		return noWord{fmt.Errorf("%w: checking a token with %s: it responded with %d", ErrUnreachable, i.base, res.StatusCode)}
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("%w: checking a token with %s: it responded with %d", ErrUnreachable, i.base, res.StatusCode)
	}
	var list struct {
		Models *[]json.RawMessage `json:"models"`
	}
	// A page that responds 200 to everything is not an ERP that says yes.
	if json.Unmarshal(data, &list) != nil || list.Models == nil {
		return noWord{fmt.Errorf("%w: checking a token with %s: the response is not the ERP's; check the address", ErrUnreachable, i.base)}
	}
	return nil
}

// quoted returns the ERP's reason, which stands in the title of its error.
func quoted(data []byte, token string) string {
	var body struct {
		Title string `json:"title"`
	}
	if json.Unmarshal(data, &body) != nil || body.Title == "" {
		return ""
	}
	return ": " + clean(body.Title, NewSecret(token))
}

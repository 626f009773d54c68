package notify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/retry"
	"github.com/erphub/erphub/internal/waiting"
)

// webhook is a receiver that is sent a POST of the message.
type webhook struct {
	target target
	host   string
	opts   *Options
}

// openWebhook checks the address, without repeating it in an error.
func openWebhook(t target, o *Options, allowHTTP bool) (receiver, error) {
	u, err := url.Parse(t.URL)
	if err != nil || u.Hostname() == "" || u.Opaque != "" {
		return nil, fmt.Errorf("%w: it is not an address such as https://hooks.example.com/deployments", ErrAddress)
	}
	if u.User != nil {
		return nil, fmt.Errorf("%w: the address of %s has a user name or password in it; messages are signed with a secret instead", ErrAddress, u.Hostname())
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && !allowHTTP && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%w: %s would get it over plain http, which everybody on the way can read; use https, or allow http", ErrAddress, u.Hostname())
	}
	return &webhook{t, u.Host, o}, nil
}

func (w *webhook) Key() string {
	sum := sha256.Sum256([]byte(w.target.URL))
	return hex.EncodeToString(sum[:8])
}

func (w *webhook) String() string { return w.host }

func (w *webhook) Send(ctx context.Context, m message) error {
	var secret Secret
	if w.target.Signed {
		if secret = w.opts.Secret; secret.IsZero() {
			return fmt.Errorf("%w: webhooks are signed, and there is no secret to sign them with", errNotConfigured)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, w.opts.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.target.URL, bytes.NewReader(m.Body))
	if err != nil {
		return errors.New("its address is wrong")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", w.opts.UserAgent)
	now := w.opts.Clock()
	secret.sign(req.Header, m.id, now, m.Body)
	client := &http.Client{
		Transport:     w.opts.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer waiting.Begin(req)()
	resp, err := client.Do(req)
	if err != nil {
		var failed *url.Error // which names the address
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can serve the next one
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return nil
	}
	return refused(resp, now)
}

// refused is the error of a response other than 200 to 299.
func refused(resp *http.Response, now time.Time) error {
	e := &refusal{text: strings.TrimSpace(fmt.Sprintf("it responded with %d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))}
	e.after, _ = retry.After(resp, now)
	switch resp.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		e.general = true
	default:
		e.general = resp.StatusCode >= 500
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e.text += "; redirects are not followed, configure the address it leads to"
	}
	return e
}

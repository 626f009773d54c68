package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a message.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

// Secret signs messages. The zero value signs nothing. It shows itself as
// "[redacted]" wherever it is printed.
type Secret struct{ key *[]byte }

// ParseSecret reads a secret as Standard Webhooks writes it: "whsec_" and the
// base64 of 16 to 64 random bytes. The prefix may be missing; empty text is the
// zero secret. No error shows the text.
func ParseSecret(text string) (Secret, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Secret{}, nil
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whsec_"))
	if err != nil || len(key) < 16 || len(key) > 64 {
		return Secret{}, errors.New(`the secret of the webhook is not "whsec_" and the base64 of 16 to 64 bytes; make one with: echo "whsec_$(head -c 32 /dev/urandom | base64)"`)
	}
	return Secret{&key}, nil
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.key == nil }

// Format writes what String returns, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// String is "[redacted]", or empty for no secret.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return "[redacted]"
}

// LogValue is what logs show.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is what encoders show.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// sum is the signature of a message.
func (s Secret) sum(id, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, *s.key)
	_, _ = fmt.Fprintf(mac, "%s.%s.", id, timestamp) // a hash does not fail
	_, _ = mac.Write(body)
	return mac.Sum(nil)
}

// sign sets the headers of a message that is sent now.
func (s Secret) sign(h http.Header, id string, now time.Time, body []byte) {
	timestamp := strconv.FormatInt(now.Unix(), 10)
	h.Set(headerID, id)
	h.Set(headerTimestamp, timestamp)
	if !s.IsZero() {
		h.Set(headerSignature, "v1,"+base64.StdEncoding.EncodeToString(s.sum(id, timestamp, body)))
	}
}

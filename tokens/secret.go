package tokens

import (
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// redacted is what every printed form of a non-empty [Secret] shows.
const redacted = "[redacted]"

// Secret holds a token or password that must not be printed by accident: fmt
// with any verb, log/slog, JSON, YAML and text encoders show "[redacted]", or
// nothing when it is empty. Only [Secret.Reveal] gives the text.
//
// The text is kept behind a pointer because fmt does not call methods on
// unexported fields: even deep inside another struct only an address shows,
// whatever the verb.
// Compare with [Secret.Equal]; == compares addresses. The zero value is the
// empty secret. A Secret never changes and may be copied and shared freely.
type Secret struct{ text *string }

var (
	_ fmt.Formatter          = Secret{}
	_ fmt.Stringer           = Secret{}
	_ fmt.GoStringer         = Secret{}
	_ slog.LogValuer         = Secret{}
	_ encoding.TextMarshaler = Secret{}
	_ json.Marshaler         = Secret{}
)

// NewSecret wraps text.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// Reveal returns the text itself. Call it where the text leaves for the wire
// or the store, and nowhere else.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether the secret is empty.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// Equal reports whether both hold the same text.
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// String returns "[redacted]", or "" for the empty secret.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return redacted
}

// GoString returns the same as [Secret.String].
func (s Secret) GoString() string { return s.String() }

// Format writes the same as [Secret.String] whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue returns the same as [Secret.String] for log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns the same as [Secret.String]: what is encoded cannot be
// read back.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON returns [Secret.String] as a JSON string.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

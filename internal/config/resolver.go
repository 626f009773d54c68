package config

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Origin says where a value was found.
type Origin string

// The origins, strongest first.
const (
	FromFlag    Origin = "flag"
	FromEnv     Origin = "environment"
	FromProfile Origin = "profile"
	FromDefault Origin = "default"
	Unset       Origin = "unset"
)

// Resolver finds values. Precedence: flag, environment, profile, for some keys
// the default profile ([Key.Inherited]), default. Every part may be nil.
type Resolver struct {
	// Flags holds what was given on the command line, by key.
	Flags map[string]string
	// Getenv is os.Getenv or a test's. Empty variables count as unset.
	Getenv func(string) string
	// Document and Profile are the file and the profile chosen in it, see
	// [Document.Choose].
	Document *Document
	Profile  string
}

// Value is what was found. Printed, a secret shows as "[redacted]".
type Value struct {
	text   *string // behind a pointer, so that fmt cannot reach it
	Key    Key
	Origin Origin
}

// Text returns the value itself, "" when there is none.
func (v Value) Text() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

// String returns the value in a form that may be shown.
func (v Value) String() string {
	if v.Key.Secret && v.Text() != "" {
		return "[redacted]"
	}
	return v.Text()
}

// Format writes [Value.String] whatever the verb.
func (v Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, v.String()) }

// LogValue returns [Value.String] for log/slog.
func (v Value) LogValue() slog.Value { return slog.StringValue(v.String()) }

// MarshalText returns [Value.String].
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Value returns the value of a key. A key that is not among [Keys] has no
// environment variable and no default.
func (r Resolver) Value(key string) Value {
	k, ok := Lookup(key)
	if !ok {
		k = Key{Name: key}
	}
	if t, ok := r.Flags[key]; ok {
		return Value{&t, k, FromFlag}
	}
	if k.Env != "" && r.Getenv != nil {
		if t := r.Getenv(k.Env); t != "" {
			return Value{&t, k, FromEnv}
		}
	}
	if r.Document != nil {
		if t, ok := r.Document.Get(r.Profile, key); ok && t != "" {
			return Value{&t, k, FromProfile}
		}
		if t, ok := r.Document.Get("", key); ok && t != "" && k.Inherited {
			return Value{&t, k, FromProfile}
		}
	}
	if k.Default != "" {
		return Value{&k.Default, k, FromDefault}
	}
	return Value{nil, k, Unset}
}

// Lookup returns the text of a key, "" when it is unset. It has the form that
// tokens.ParseSettings reads.
func (r Resolver) Lookup(key string) string { return r.Value(key).Text() }

// Redact returns value as it may be shown under key: the values of secret
// keys, and of unknown ones whose name sounds like a secret, are hidden.
func Redact(key, value string) string {
	k, known := Lookup(key)
	if value == "" || known && !k.Secret {
		return value
	}
	if known {
		return "[redacted]"
	}
	lower := strings.ToLower(key)
	for _, word := range []string{"token", "password", "secret", "key", "credential", "passphrase"} {
		if strings.Contains(lower, word) {
			return "[redacted]"
		}
	}
	return value
}

package config

import (
	"fmt"
	"io"
	"log/slog"
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

// origins are the sources of values, strongest first.
var origins = []Origin{FromFlag, FromEnv, FromProfile}

// Value returns the value of a key. A key that is not among [Keys] has no
// environment variable and no default. What belongs to a login comes from the
// source of the login alone, see [Resolver.LoginOrigin].
func (r Resolver) Value(key string) Value {
	k := known(key)
	for _, o := range origins {
		if t, ok := r.from(o, k); ok && (!k.Login || r.partOf(o)) {
			return Value{&t, k, o}
		}
	}
	if k.Default != "" {
		return Value{&k.Default, k, FromDefault}
	}
	return Value{nil, k, Unset}
}

// known returns the key of that name, or a new one.
func known(name string) Key {
	if k, ok := Lookup(name); ok {
		return k
	}
	return Key{Name: name}
}

// from returns what one source says about a key.
func (r Resolver) from(o Origin, k Key) (string, bool) {
	switch {
	case o == FromFlag:
		t, ok := r.Flags[k.Name]
		return t, ok
	case o == FromEnv && k.Env != "" && r.Getenv != nil:
		t := r.Getenv(k.Env)
		return t, t != ""
	case o == FromProfile && r.Document != nil:
		if t, ok := r.Document.Get(r.Profile, k.Name); ok && t != "" {
			return t, true
		}
		if k.Inherited {
			t, ok := r.Document.Get("", k.Name)
			return t, ok && t != ""
		}
	}
	return "", false
}

// Lookup returns the text of a key, "" when it is unset. It has the form that
// tokens.ParseSettings reads.
func (r Resolver) Lookup(key string) string { return r.Value(key).Text() }

package tokens

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Sentinels to branch on with [errors.Is].
var (
	// ErrAuthentication means that there is no valid token and that waiting
	// will not bring one: a person has to log in, or credentials have to be
	// configured. The text of the error says which.
	ErrAuthentication = errors.New("not authenticated")

	// ErrCredentials means that the ERP refused user name and password, so that
	// others may be asked for. It is an ErrAuthentication.
	ErrCredentials = fmt.Errorf("%w: user name or password is wrong", ErrAuthentication)

	// ErrUnreachable means that the ERP could not be reached, or gave a response
	// that says nothing about the login. Trying again later may help.
	ErrUnreachable = errors.New("the ERP gave no usable response")

	// ErrInterrupted means that a refresh was cut off after it was sent, so
	// that nobody knows whether its refresh token is spent. The ERP revokes the
	// whole chain when it sees one twice, so the token is sent again only when
	// the access token has ended, too, and only once. It accompanies
	// ErrAuthentication when nothing else is left.
	ErrInterrupted = errors.New("an earlier refresh was cut off")

	// ErrClosed means that the [Manager] was closed.
	ErrClosed = errors.New("the token manager is closed")
)

// Error is why a token could not be obtained, refreshed or ended. It never contains
// a token or password, not even when the server echoes one.
type Error struct {
	// Op says what was tried: "log in", "refresh the token", "log out", …
	Op string
	// Server is the address of the ERP; empty when it was not involved.
	Server string
	// Status is the HTTP status of the ERP's response, 0 when there was none.
	Status int
	// Title and Detail are the ERP's own words, as far as it sent any in its
	// error format.
	Title, Detail string
	// Advice says what to do next.
	Advice string
	// Kind is the sentinel this error is: ErrAuthentication, ErrCredentials,
	// ErrUnreachable or nil for anything else (a store that cannot be read, say).
	Kind error
	// Err is the cause; may be nil.
	Err error
}

// Error describes what was tried, what was wrong and what to do next.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Server != "" {
		b.WriteString(" at " + e.Server)
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, ": the server responded with %d", e.Status)
	} else if e.Kind != nil && e.Err == nil {
		b.WriteString(": " + e.Kind.Error())
	}
	for _, s := range []string{e.Title, e.Detail} {
		if s != "" {
			b.WriteString(": " + s)
		}
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Advice != "" {
		b.WriteString("; " + e.Advice)
	}
	return b.String()
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	return slices.DeleteFunc([]error{e.Kind, e.Err}, func(err error) bool { return err == nil })
}

// What a person can do when there is no valid token.
const (
	adviceLogin = "log in with `erphub auth login`, or set ERP_USERNAME and ERP_PASSWORD"
	adviceToken = "create a new API token in the ERP and store it with `erphub config --token`, or log in with `erphub auth login`"
	adviceCreds = "check user name, password and the client, role and organization ids"
	adviceRetry = "check the address (ERP_URL) and that the ERP runs, then try again"
)

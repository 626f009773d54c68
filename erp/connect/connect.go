// Package connect makes the client of the ERP that environment variables
// describe, in one call:
//
//	client, err := connect.FromEnvironment(os.Getenv)
//
// It is a package of its own because erp knows nothing of logins, and tokens
// nothing of the client. Who needs more than it does, such as a login that is
// kept in a file, joins the two: see tokens.Settings.
package connect

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/tokens"
)

// FromEnvironment returns the client for the address in ERP_URL that logs in with
// ERP_USERNAME and ERP_PASSWORD (and ERP_CLIENT_ID, ERP_ROLE_ID and ERP_ORG_ID,
// each 0 unless set) and refreshes its tokens, or sends ERP_TOKEN as it is when
// there is no user name; ERP_ROLE_ID and ERP_ORG_ID go along with that where they are
// names. getenv is os.Getenv, usually. opts configure the client;
// [erp.WithTokenSource] among them replaces the login.
//
// Nothing is sent before the first call: a wrong password is an error of that,
// which errors.Is finds to be [tokens.ErrAuthentication]. That there is no login
// in the environment is such an error at once; other values that cannot be used
// are named, all of them.
func FromEnvironment(getenv func(string) string, opts ...erp.Option) (*erp.Client, error) {
	settings, err := tokens.FromEnvironment(getenv)
	if err != nil {
		return nil, fmt.Errorf("connecting to the ERP: %w", err)
	}
	if settings.URL == "" {
		return nil, errors.New("connecting to the ERP: its address is missing; set ERP_URL, for example to https://erp.example.com")
	}
	source, err := settings.Source(nil)
	if err != nil {
		return nil, fmt.Errorf("connecting to the ERP: %w", err)
	}
	if source == nil {
		return nil, &tokens.Error{Op: "connect", Server: settings.URL, Kind: tokens.ErrAuthentication,
			Advice: "set ERP_USERNAME and ERP_PASSWORD, or ERP_TOKEN"}
	}
	return erp.New(settings.URL, append([]erp.Option{erp.WithTokenSource(source), erp.WithIdentity(Identity(settings))}, opts...)...)
}

// Identity is what goes along with a token that is used as it is, such as that of an
// identity provider: role and organization, if they are names and not numbers. A login
// of the ERP has chosen them.
func Identity(s tokens.Settings) (identity erp.Identity) {
	if s.Token.IsZero() || s.Username != "" {
		return identity
	}
	name := func(text string) string {
		if _, err := strconv.Atoi(text); err == nil {
			return ""
		}
		return text
	}
	return erp.Identity{Role: name(s.Role), Organization: name(s.Organization)}
}

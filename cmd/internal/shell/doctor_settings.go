package shell

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/doctor"
	"github.com/erphub/erphub/tokens"
)

// DoctorSettings is what the configuration is examined by.
func (sh *Shell) DoctorSettings(c *cli.Context, s *Setup, setupErr, clientErr error) doctor.Settings {
	given := doctor.Settings{Environ: sh.Env, Profile: c.String("profile"), Err: setupErr}
	if setupErr != nil {
		return given // nothing else is examined
	}
	given.Flags = s.Resolver.Flags
	if s.Resolver.Lookup("url") != "" {
		given.Source = clientErr
	}
	if s.File != nil {
		given.File = s.File.Path()
		given.Status = func(ctx context.Context) (tokens.Status, error) { return sh.storedStatus(ctx, s) }
	}
	return given
}

// storedStatus tells the state of the login in the profile.
func (sh *Shell) storedStatus(ctx context.Context, s *Setup) (tokens.Status, error) {
	if s.Resolver.Lookup("url") == "" {
		return tokens.Status{State: tokens.StateNone}, nil
	}
	store, err := sh.OpenStore(s)
	if err != nil {
		return tokens.Status{}, err
	}
	m, err := ManagerOf(s.Resolver, store)
	if err != nil {
		return tokens.Status{}, err
	}
	return m.Status(ctx)
}

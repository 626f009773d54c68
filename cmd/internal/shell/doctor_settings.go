package shell

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/internal/doctor"
	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

// DoctorSettings is what the configuration is examined by.
func (sh *Shell) DoctorSettings(c *cli.Context, s *Setup, setupErr, clientErr error) doctor.Settings {
	given := doctor.Settings{Err: setupErr, Resolver: config.Resolver{Flags: map[string]string{}, Getenv: sh.Getenv}}
	if url := c.String("url"); url != "" {
		given.Resolver.Flags["url"] = url
	}
	if setupErr != nil {
		given.Path, _ = sh.ConfigPath(c) // the environment tells why there is none
		return given
	}
	given.Resolver = s.Resolver
	if s.Resolver.Lookup("url") != "" {
		given.Source = clientErr
	}
	if s.File != nil {
		given.Path = s.File.Path()
		given.Status = func(ctx context.Context) (tokens.Status, error) { return storedStatus(ctx, s) }
	}
	return given
}

// storedStatus tells the state of the login in the profile.
func storedStatus(ctx context.Context, s *Setup) (tokens.Status, error) {
	settings, err := tokens.ParseSettings(s.Resolver.Lookup)
	if err != nil {
		return tokens.Status{}, Usage(err)
	}
	settings.AutoLogin = false
	if settings.URL == "" {
		return tokens.Status{State: tokens.StateNone}, nil
	}
	store, err := filestore.Open(s.File.Path(), filestore.WithProfile(s.Profile))
	if err != nil {
		return tokens.Status{}, err
	}
	m, err := settings.Manager(store)
	if err != nil {
		return tokens.Status{}, Usage(err)
	}
	return m.Status(ctx)
}

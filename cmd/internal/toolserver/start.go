package toolserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/server"
	"github.com/erphub/erphub/tokens"
)

// Settings of the tool server that flags say, too.
const (
	keyVerifyGrace   = "hub.mcp.verify-grace"
	keyFailOnMissing = "hub.schema-cache.fail-on-missing"
)

// startFlags are about what a tool server wants to find when it starts.
func startFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "fail-on-missing", Usage: "end when the ERP's dictionary cannot be read at the start, instead of a warning (" + keyFailOnMissing + ")"},
	}
}

// durationSetting is what a flag says, else the setting.
func durationSetting(c *cli.Context, s *shell.Setup, flag, key string) (time.Duration, error) {
	if c.IsSet(flag) {
		return c.Duration(flag), nil
	}
	d, err := time.ParseDuration(s.Resolver.Lookup(key))
	if err != nil {
		return 0, shell.Usagef("%s is not a duration such as 10m", key)
	}
	return d, nil
}

// prepareMCP looks around before the server serves: a login that the ERP refuses ends
// it, a dictionary that cannot be read only where that was requested.
func (a *app) prepareMCP(c *cli.Context, s *shell.Setup, box *toolbox, own bool) error {
	if err := a.checkConfirm(c); err != nil {
		return err
	}
	if s.Profile == mcpProfile {
		a.sayProfile(s, box.log)
	}
	fail := c.Bool("fail-on-missing")
	if !c.IsSet("fail-on-missing") {
		fail = s.Resolver.Lookup(keyFailOnMissing) == "true"
	}
	switch err := box.meet(c.Context, serverProbeTime); {
	case c.Context.Err() != nil:
		return c.Context.Err()
	case errors.Is(err, tokens.ErrAuthentication) && s.Resolver.Lookup("auth.username") != "":
		return fmt.Errorf("logging in at the start: %w", err)
	case err != nil:
		box.log.Warn("the login of this program cannot be used yet", "error", err)
	case own && box.login == nil:
		box.log.Warn("nobody is logged in: calls to the ERP will be refused; set ERP_TOKEN, or ERP_USERNAME and ERP_PASSWORD, or run `erphub auth login`")
	}
	if fail {
		defer close(box.warmed)
		return box.warm(c.Context)
	}
	warming, cancel := context.WithCancel(c.Context)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(box.warmed)
		if err := box.warm(warming); err != nil && warming.Err() == nil {
			box.log.Warn("the ERP's dictionary is not available; it is read when it is needed", "error", err)
		}
	}()
	box.closers = append(box.closers, func() error {
		cancel()
		<-ended
		return nil
	})
	return nil
}

// sayProfile logs what the tool server's profile lacks: the profile does not exist,
// or the address is the default profile's.
func (a *app) sayProfile(s *shell.Setup, log *slog.Logger) {
	doc := s.Resolver.Document
	if doc == nil {
		return
	}
	if !slices.Contains(doc.Profiles(), mcpProfile) {
		log.Warn("there is no profile "+mcpProfile+" in the configuration: only flags, environment and the address of the default profile count",
			"make one with", "erphub --profile "+mcpProfile+" config set url URL")
		return
	}
	if _, own := doc.Get(mcpProfile, "url"); !own && s.Resolver.Value("url").Origin == config.FromProfile {
		log.Info("the profile " + mcpProfile + " names no address: that of the default profile is used")
	}
}

// dictionaries is a backend that keeps the ERP's dictionary.
type dictionaries interface {
	Warm(context.Context) error
	Checked() time.Time
}

// dictionary is the backend whose dictionary the tools use; nil: none has one.
func (b *toolbox) dictionary() dictionaries {
	switch {
	case b.rest != nil:
		return b.rest
	case b.db != nil:
		return b.db
	}
	return nil
}

// warm reads the dictionary, as long as that takes.
func (b *toolbox) warm(ctx context.Context) error {
	dictionary := b.dictionary()
	if dictionary == nil {
		return nil
	}
	for {
		err := dictionary.Warm(ctx)
		var e *mcp.Error
		if errors.As(err, &e) && e.Code == mcp.CodeLoading && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return fmt.Errorf("reading the ERP's dictionary at the start: %w", err)
		}
		return nil
	}
}

// watch keeps the list of tools right while the server runs, until ctx ends.
func (b *toolbox) watch(ctx context.Context, srv *server.Server, log *slog.Logger) {
	var waiting sync.WaitGroup
	defer waiting.Wait()
	if !b.own.caller().Known {
		waiting.Go(func() {
			select {
			case <-ctx.Done():
			case <-b.own.learned:
				srv.ToolsChanged() // which tools there are first depends on the role
			}
		})
	}
	if b.ai == nil {
		return
	}
	b.ai.Watch(ctx, func() {
		log.Info("the AI API where the ERP is came or went", "there", b.ai.Present(), "tools", len(b.visible()))
		srv.ToolsChanged()
	})
}

package shell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/internal/nearest"
)

// separate are flags that look up their setting themselves, because it may hold a
// password or has rules of its own.
var separate = []string{"database", "audit-database", "redis", "email-recipient", "ai-api-token"}

// FillFlags gives the flags of a server that are not on the command line the values
// of the environment, then of the configuration file: flag, environment and file are
// one setting with that precedence. Of a flag and its -file form the one that is
// given closer to the call counts. A key below hub.server.SERVER for which there is
// no flag is wrong usage.
func (sh *Shell) FillFlags(c *cli.Context, s *Setup, server string, flags []cli.Flag) error {
	if err := unknownFlags(s, server, flags); err != nil {
		return err
	}
	given := sh.closeness(c, s, server, flags)
	for _, f := range flags {
		name := f.Names()[0]
		other, isFile := strings.CutSuffix(name, "-file")
		if !isFile {
			other = name + "-file"
		}
		if slices.Contains(separate, name) || given[name] == 0 || given[name] == rank(config.FromFlag) || given[other] > given[name] {
			continue
		}
		v := s.Resolver.Value(config.FlagKey(server, name))
		if err := c.Set(name, v.Text()); err != nil {
			from := v.Key.Name + " of the configuration file"
			if v.Origin == config.FromEnv {
				from = v.Key.Env
			}
			return Usagef("%s, which stands for --%s, has a wrong value: %v", from, name, err)
		}
	}
	return nil
}

// closeness is how close to the call each flag is given, 0 for what does not count.
func (sh *Shell) closeness(c *cli.Context, s *Setup, server string, flags []cli.Flag) map[string]int {
	given := map[string]int{}
	for _, f := range flags {
		name := f.Names()[0]
		given[name] = rank(s.Resolver.Value(config.FlagKey(server, name)).Origin)
		if c.IsSet(name) {
			given[name] = rank(config.FromFlag)
		}
	}
	if given["jwt-secret-file"] < rank(config.FromEnv) && sh.Getenv(TokenSecretVariable) != "" {
		given["jwt-secret-file"] = 0
	}
	// Two ways to check tokens exclude each other: the one given closer to the call counts.
	if file, key := given["jwt-secret-file"], given["jwt-key"]; file < key {
		given["jwt-secret-file"] = 0
	} else if key < file {
		given["jwt-key"] = 0
	}
	return given
}

// unknownFlags finds settings of a server that mean nothing, which would be typing
// errors that change nothing.
func unknownFlags(s *Setup, server string, flags []cli.Flag) error {
	if s.Resolver.Document == nil {
		return nil
	}
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()[0])
	}
	for key := range s.Resolver.Document.All(s.Resolver.Profile) {
		of, flag, ok := config.ServerFlag(key)
		if !ok || of != server && slices.Contains(config.Servers(), of) {
			continue
		}
		if of != server {
			return Usagef("the configuration file has %s, but there is no server %q; those there are: %s", key, of, strings.Join(config.Servers(), ", "))
		}
		if slices.Contains(names, flag) && config.FlagKey(server, flag) == key {
			continue
		}
		hint := fmt.Sprintf("`--help` lists the flags, and docs/configuration.md the settings of the server %s", server)
		if right := config.FlagKey(server, flag); slices.Contains(names, flag) {
			hint = "write " + right
		} else if near := nearest.Name(flag, names); near != "" {
			hint = "did you mean " + config.FlagKey(server, near) + "?"
		}
		return Usagef("the configuration file has %s, which no flag stands for: %s", key, hint)
	}
	return nil
}

// RedisFlags name the Redis that servers share state in.
func RedisFlags(what string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "redis", Usage: "Redis that keeps " + what + " for several replicas, such as redis://host:6379/0 (ERPHUB_REDIS_URL, which may hold a password)"},
		&cli.StringFlag{Name: "redis-file", Usage: "file with that address", TakesFile: true},
	}
}

// RedisURL is the address of Redis from [RedisFlags], the environment or the
// configuration file; empty for none. A password on the command line is refused.
func (sh *Shell) RedisURL(c *cli.Context, s *Setup) (string, error) {
	if given := c.String("redis"); given != "" && hasPassword(given) {
		return "", Usagef("--redis shows its password in process lists; put the address into ERPHUB_REDIS_URL, or into a file for --redis-file")
	}
	return sh.Address(c, s, "redis", "hub.redis.url")
}

// rank orders origins: what is given closer to the call wins.
func rank(o config.Origin) int {
	switch o {
	case config.FromFlag:
		return 3
	case config.FromEnv:
		return 2
	case config.FromProfile:
		return 1
	}
	return 0
}

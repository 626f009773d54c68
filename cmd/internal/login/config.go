package login

import (
	"cmp"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/internal/doctor"
	"github.com/erphub/erphub/internal/secretfile"
	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

func (a *app) configCommand() *cli.Command {
	return &cli.Command{
		Name:  "config",
		Usage: "store a token, and show or change settings",
		Description: "The settings live in one YAML file of mode 600, whose comments and unknown keys are kept. " +
			"--profile chooses a named profile in it.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "token", Usage: "store this API token; - reads it from standard input, which keeps it out of process lists"},
		},
		Action: func(c *cli.Context) error {
			if !c.IsSet("token") {
				return a.Group(c)
			}
			if c.Args().Present() {
				return shell.Usagef("config --token takes one token and nothing else; got %d more arguments", c.NArg())
			}
			return a.storeToken(c, c.String("token"))
		},
		Subcommands: []*cli.Command{
			{
				Name: "test", Usage: "check that the settings reach an ERP and may use it", Flags: shell.OutputFlags(),
				Action: func(c *cli.Context) error { return a.runDoctor(c, []doctor.Area{doctor.AreaAPI}, doctor.Options{}) },
			},
			{
				Name: "list", Usage: "show all settings and where each comes from; secrets stay hidden",
				Flags: shell.OutputFlags(), Action: a.configList,
			},
			{
				Name: "get", Usage: "show one setting", ArgsUsage: "KEY", Flags: shell.ValueFlags(),
				Action: func(c *cli.Context) error {
					key, err := oneKey(c, "KEY")
					if err != nil {
						return err
					}
					s, err := a.Setup(c)
					if err != nil {
						return err
					}
					v := s.Resolver.Value(key.Name)
					return a.Print(c, map[string]string{"key": key.Name, "value": v.String(), "origin": string(v.Origin)},
						output.Table{Below: shell.Printable(v.String()) + "\n"})
				},
			},
			{
				Name: "set", Usage: "change a setting; a secret is read from standard input when its value is -", ArgsUsage: "KEY VALUE",
				Action: shell.TextOnly(a.configSet),
			},
			{
				Name: "unset", Usage: "remove a setting", ArgsUsage: "KEY",
				Action: shell.TextOnly(func(c *cli.Context) error {
					key, err := oneKey(c, "KEY")
					if err != nil {
						return err
					}
					return a.changeConfig(c, func(d *config.Document, profile string) error {
						d.Unset(profile, key.Name)
						return nil
					})
				}),
			},
		},
	}
}

// oneKey reads the KEY argument of a command that takes these.
func oneKey(c *cli.Context, names ...string) (config.Key, error) {
	if err := shell.Arguments(c, names...); err != nil {
		return config.Key{}, err
	}
	key, err := config.Known(c.Args().First())
	return key, shell.Usage(err)
}

// changeProfile is the profile that commands which write settings mean: the
// one asked for, which need not exist yet, else the current one.
func (a *app) changeProfile(c *cli.Context, d *config.Document) string {
	p := cmp.Or(c.String("profile"), a.Getenv("ERPHUB_PROFILE"), d.Current())
	if chosen, err := d.Choose(p); err == nil {
		return chosen
	}
	return p
}

// changeConfig changes the configuration file under its lock.
func (a *app) changeConfig(c *cli.Context, change func(d *config.Document, profile string) error) error {
	path, err := a.ConfigPath(c)
	if err != nil {
		return err
	}
	return a.ConfigFile(path).Update(c.Context, func(d *config.Document) error {
		return change(d, a.changeProfile(c, d))
	})
}

func (a *app) configSet(c *cli.Context) error {
	key, err := oneKey(c, "KEY", "VALUE")
	if err != nil {
		return err
	}
	if key.State {
		return shell.Usagef("%s is kept by the program itself; log in with `erphub auth login` instead", key.Name)
	}
	value := c.Args().Get(1)
	if key.Secret {
		if value != "-" {
			return shell.Usagef("the value of %s is a secret and would show in process lists: give - and write it to standard input", key.Name)
		}
		if value, err = secretfile.Read(a.Streams.In); err != nil {
			return fmt.Errorf("reading the value of %s: %w", key.Name, err)
		}
	}
	if value == "" {
		return shell.Usagef("the value of %s is empty; `erphub config unset %[1]s` removes the setting", key.Name)
	}
	if err := key.Check(value); err != nil {
		return shell.Usage(err)
	}
	return a.changeConfig(c, func(d *config.Document, profile string) error { return d.Set(profile, key.Name, value) })
}

// setting is one line of config list.
type setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
	About  string `json:"about"`
}

func (a *app) configList(c *cli.Context) error {
	s, err := a.Setup(c)
	if err != nil {
		return err
	}
	list := struct {
		File     string    `json:"file"`
		Profile  string    `json:"profile"`
		Profiles []string  `json:"profiles"`
		Settings []setting `json:"settings"`
	}{Profile: s.Profile, Profiles: []string{}}
	if s.File != nil {
		list.File = s.File.Path()
		list.Profiles = append(list.Profiles, s.Resolver.Document.Profiles()...)
	}
	var rows [][]string
	for _, k := range config.Keys() {
		v := s.Resolver.Value(k.Name)
		list.Settings = append(list.Settings, setting{k.Name, v.String(), string(v.Origin), k.About})
		rows = append(rows, []string{k.Name, v.String(), string(v.Origin), k.About})
	}
	above := fmt.Sprintf("file: %s\n", shell.OrDash(list.File))
	if list.Profile != "" {
		above += fmt.Sprintf("profile: %s\n", list.Profile)
	}
	return a.Print(c, list, output.Table{
		Columns: output.Columns("setting=key", "value", "from=origin", "what it is=about"), Rows: rows, List: "settings", Above: shell.Printable(above),
	})
}

// storeToken puts an API token into the profile. What an earlier login left
// there would not fit it, and goes.
func (a *app) storeToken(c *cli.Context, token string) error {
	if token == "-" {
		var err error
		if token, err = secretfile.Read(a.Streams.In); err != nil {
			return fmt.Errorf("reading the token: %w", err)
		}
	}
	secret := tokens.NewSecret(token)
	if _, err := tokens.Static(secret); err != nil {
		return shell.Usage(err)
	}
	path, err := a.ConfigPath(c)
	if err != nil {
		return err
	}
	doc, err := config.NewFile(path).Read()
	if err != nil {
		return err
	}
	profile := a.changeProfile(c, doc)
	if profile != "" {
		if err := doc.AddProfile(profile); err != nil {
			return shell.Usage(err)
		}
	}
	settings := profileResolver(a.Getenv, doc, profile)
	if url := c.String("url"); url != "" {
		settings.Flags["url"] = url
	}
	server := settings.Lookup("url") // "": the token is for any, while none is set
	if key, _ := config.Lookup("url"); server != "" {
		if err := key.Check(server); err != nil {
			return shell.Usage(err)
		}
	}
	place := filestore.InFile
	if settings.Lookup("token.store") == storeKeyring {
		place = filestore.InKeyring
	}
	store, err := a.OpenProfile(path, profile, filestore.WithAddress(), filestore.SaveIn(place))
	if err != nil {
		return err
	}
	if err := tokens.Replace(c.Context, store, secret, server); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Streams.Err, "the token is stored in %s\n", store.Location())
	return err
}

// profileResolver finds the settings of a profile, whichever is in use. getenv is
// nil where the environment does not count.
func profileResolver(getenv func(string) string, doc *config.Document, profile string) config.Resolver {
	return config.Resolver{Flags: map[string]string{}, Getenv: getenv, Document: doc, Profile: profile}
}

package login

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
)

func (a *app) profileCommand() *cli.Command {
	return &cli.Command{
		Name:  "profile",
		Usage: "list, add, choose, rename and remove profiles, which are logins and settings by name",
		Description: "A profile is chosen by --profile, by ERPHUB_PROFILE, or for all later commands with profile use. The profile " +
			"default is the settings at the top of the configuration file; the others have its address unless they have their own. " +
			"`erphub config list` and `erphub auth status` with --profile show the settings and the login of one.",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "show all profiles, which one is used and why, and their stored logins", Flags: shell.OutputFlags(), Action: shell.Takes(a.profileList)},
			{
				Name: "add", Usage: "make a profile; log in to it with auth login --profile PROFILE", ArgsUsage: "PROFILE",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "username", Usage: "user name for its login"},
					&cli.StringFlag{Name: "client", Usage: "tenant to log in to, by id or name"},
					&cli.StringFlag{Name: "role", Usage: "role to log in with, by id or name"},
					&cli.StringFlag{Name: "org", Usage: "organization to log in to, by id or name"},
					&cli.BoolFlag{Name: "use", Usage: "use it for all later commands"},
				},
				Description: "Its address is that of --url, or else that of the profile default.",
				Action:      shell.Takes(a.profileAdd, "PROFILE"),
			},
			{
				Name: "use", Usage: "use a profile for all later commands; without a name, show which is used", ArgsUsage: "[PROFILE]",
				Flags: shell.ValueFlags(), Action: a.profileUse,
			},
			{
				Name: "rename", Usage: "give a profile another name; its login stays", ArgsUsage: "PROFILE NAME",
				Description: "Renaming default moves its settings into a profile of that name.", Action: shell.Takes(a.profileRename, "PROFILE", "NAME"),
			},
			{
				Name: "remove", Usage: "remove a profile with its settings and its stored login", ArgsUsage: "PROFILE",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "logout", Usage: "log out on the server, too; it is not removed when the server cannot be told"},
					&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"},
				},
				Action: shell.Takes(a.profileRemove, "PROFILE"),
			},
		},
	}
}

// changeProfiles changes the profiles of the configuration under its lock. That a
// name is wrong is wrong usage.
func (a *app) changeProfiles(c *cli.Context, change func(*config.Document) error) error {
	path, err := a.ConfigPath(c)
	if err != nil {
		return err
	}
	err = a.ConfigFile(path).Update(c.Context, change)
	if errors.Is(err, config.ErrNoProfile) || errors.Is(err, config.ErrProfileExists) {
		return shell.Usage(err)
	}
	return err
}

func (a *app) profileAdd(c *cli.Context) error {
	name := c.Args().First()
	values := map[string]string{}
	for flag, setting := range map[string]string{
		"url": "url", "username": "auth.username", "client": loginParts[tokens.PartClient].key,
		"role": loginParts[tokens.PartRole].key, "org": loginParts[tokens.PartOrganization].key,
	} {
		values[setting] = c.String(flag)
		if key, _ := config.Lookup(setting); values[setting] != "" {
			if err := key.Check(values[setting]); err != nil {
				return shell.Usage(err)
			}
		}
	}
	err := a.changeProfiles(c, func(d *config.Document) error {
		if slices.Contains(d.Profiles(), name) {
			return fmt.Errorf("profile %q: %w; change it with `erphub --profile %[1]s config set`", name, config.ErrProfileExists)
		}
		if err := d.AddProfile(name); err != nil {
			return shell.Usage(err)
		}
		for _, key := range config.Keys() { // in their order
			if value := values[key.Name]; value != "" {
				if err := d.Set(name, key.Name, value); err != nil {
					return err
				}
			}
		}
		if c.Bool("use") {
			return d.Use(name)
		}
		return nil
	})
	if err == nil {
		a.Note("the profile %s is there; log in to it with `erphub auth login --profile %[1]s`", name)
	}
	return err
}

func (a *app) profileUse(c *cli.Context) error {
	if c.NArg() > 1 {
		return shell.Usagef("profile use takes one profile, got %d arguments", c.NArg())
	}
	if !c.Args().Present() {
		s, err := a.Setup(c)
		if err != nil {
			return err
		}
		return a.Print(c, map[string]string{"profile": s.Profile}, output.Table{Below: shell.Printable(cmp.Or(s.Profile, config.DefaultProfile)) + "\n"})
	}
	name := c.Args().First()
	err := a.changeProfiles(c, func(d *config.Document) error { return d.Use(name) })
	if errors.Is(err, config.ErrNoProfile) {
		return fmt.Errorf("%w; make it with `erphub profile add %s`", err, name)
	}
	if err == nil {
		a.Note("later commands use profile %s", name)
	}
	return err
}

func (a *app) profileRename(c *cli.Context) error {
	from, to := c.Args().Get(0), c.Args().Get(1)
	err := a.changeProfiles(c, func(d *config.Document) error {
		from, err := d.Choose(from)
		if err != nil {
			return err
		}
		return shell.Usage(d.RenameProfile(from, to))
	})
	if err == nil && a.Getenv("ERPHUB_PROFILE") == from {
		a.Note("ERPHUB_PROFILE still says %s; set it to %s", from, to)
	}
	return err
}

func (a *app) profileRemove(c *cli.Context) error {
	path, err := a.ConfigPath(c)
	if err != nil {
		return err
	}
	doc, err := a.ConfigFile(path).Read()
	if err != nil {
		return err
	}
	name, err := doc.Choose(c.Args().First())
	if err != nil {
		return shell.Usage(err)
	}
	if name == "" {
		return shell.Usagef("the profile default is the settings at the top of the file and cannot be removed; use `erphub auth logout`, `erphub config unset`, or give it a name with `erphub profile rename default NAME`")
	}
	if !c.Bool("yes") {
		if !a.Asks() {
			return shell.Usagef("removing a profile needs --yes where nobody can be asked")
		}
		switch yes, err := a.Confirm(c.Context, fmt.Sprintf("Remove the profile %s (%s) with its settings and its login?", name, a.profileOf(c, doc, name).about())); {
		case err != nil:
			return err
		case !yes:
			return errors.New("nothing was removed")
		}
	}
	if err := a.forgetLogin(c, doc, path, name); err != nil {
		return err
	}
	current := doc.Current() == name
	err = a.changeProfiles(c, func(d *config.Document) error { return d.RemoveProfile(name) })
	if err == nil && current {
		a.Note("the profile in use is default now")
	}
	return err
}

// forgetLogin removes the stored login of a profile, with --logout on the server,
// too. A keyring that cannot be reached keeps what it has, which is said.
func (a *app) forgetLogin(c *cli.Context, doc *config.Document, path, name string) error {
	store, err := a.OpenProfile(path, name)
	if err != nil {
		return err
	}
	if c.Bool("logout") {
		m, err := shell.ManagerOf(profileResolver(nil, doc, name), store, tokens.WithLogger(a.Log))
		if err != nil {
			return err
		}
		if err := m.Logout(c.Context); err != nil {
			return fmt.Errorf("%w; the profile is still there: remove it without --logout", err)
		}
		return nil
	}
	release, err := store.Lock(c.Context)
	if err != nil {
		return err
	}
	defer release()
	if stored, _ := doc.Get(name, "token.keyring"); stored == "" {
		return nil // it goes with the profile
	}
	if err := store.Save(c.Context, tokens.Stored{}); err != nil {
		a.Note("the tokens of %s may stay in the keyring: %v", name, err)
	}
	return nil
}

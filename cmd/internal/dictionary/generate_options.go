package dictionary

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/generator"
)

// generatorOptions are the options that flags and arguments give.
func generatorOptions(c *cli.Context, g *generator.Generator, adding bool) (map[string]any, error) {
	options := map[string]any{}
	for i := range g.Options {
		o := &g.Options[i]
		flag := optionFlag(o)
		switch {
		case !c.IsSet(flag):
			continue
		case adding && o.NewOnly:
			return nil, shell.Usagef("--%s is about a new plugin, and --plugin names one that is there: leave one of them out", flag)
		}
		switch o.Type {
		case generator.TypeBoolean:
			options[o.Name] = c.Bool(flag)
		case generator.TypeStrings:
			options[o.Name] = entries(shell.Given(c, flag))
		default:
			options[o.Name] = c.String(flag)
		}
	}
	return options, argumentOptions(c, g, options)
}

// argumentOptions takes the arguments as what the generator is about.
func argumentOptions(c *cli.Context, g *generator.Generator, options map[string]any) error {
	if c.NArg() == 0 {
		return nil
	}
	o := mainOption(g)
	what := shell.CommandPath(c)
	switch {
	case o == nil:
		return shell.Arguments(c)
	case options[o.Name] != nil:
		return shell.Usagef("%s takes --%s or an argument, not both", what, optionFlag(o))
	case o.Type == generator.TypeStrings:
		options[o.Name] = entries(c.Args().Slice())
	case c.NArg() > 1:
		return shell.Usagef("%s takes one argument, the %s, and got %d", what, strings.ToLower(o.Name), c.NArg())
	default:
		options[o.Name] = c.Args().First()
	}
	return nil
}

// entries are the parts of lists.
func entries(lists []string) []string {
	all := []string{}
	for _, l := range lists {
		all = append(all, shell.CommaList(l)...)
	}
	return all
}

// askMissing asks for options that are missing, when there is somebody to ask.
func (a *app) askMissing(c *cli.Context, g *generator.Generator, options map[string]any, adding bool) error {
	missing := g.Missing(options, adding)
	if len(missing) == 0 {
		return nil
	}
	if !a.Asks() || c.Bool("json") {
		var flags []string
		for i := range missing {
			text := "--" + optionFlag(&missing[i])
			if example := missing[i].Example; example != "" {
				text += " (such as " + example + ")"
			}
			flags = append(flags, text)
		}
		return shell.Usagef("%s needs %s; see `erphub generate %s --help`", shell.CommandPath(c), strings.Join(flags, " and "), g.Name)
	}
	in := bufio.NewReader(a.Streams.In)
	for i := range missing {
		value, err := a.askOption(c.Context, in, &missing[i])
		if err != nil {
			return err
		}
		options[missing[i].Name] = value
	}
	return nil
}

// askOption asks for one option until the input can be used.
func (a *app) askOption(ctx context.Context, in *bufio.Reader, o *generator.Option) (any, error) {
	const attempts = 3
	prompt := o.Name
	if o.Example != "" {
		prompt += " (such as " + o.Example + ")"
	}
	fmt.Fprintf(a.Streams.Err, "%s\n", o.Description)
	for range attempts {
		fmt.Fprintf(a.Streams.Err, "%s: ", prompt)
		line, err := shell.ReadLine(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("asking for %s: %w", o.Name, err)
		}
		list := []string{strings.TrimSpace(line)}
		if o.Type == generator.TypeStrings {
			list = shell.CommaList(line)
		}
		list = slices.DeleteFunc(list, func(s string) bool { return s == "" })
		why := ""
		if len(list) == 0 {
			why = "it is needed"
		}
		for _, entry := range list {
			if w := o.Check(entry); w != "" {
				why = fmt.Sprintf("%q %s", entry, w)
			}
		}
		if why == "" {
			if o.Type == generator.TypeStrings {
				return list, nil
			}
			return list[0], nil
		}
		fmt.Fprintf(a.Streams.Err, "  %s\n", shell.Printable(why))
	}
	return nil, shell.Usagef("no usable %s was given", o.Name)
}

// generatorRegistry is the dictionary that a generator looks things up in, nil
// when the generator does not need one, or can do without and there is none.
func (a *app) generatorRegistry(c *cli.Context, use generator.DictionaryUse) (registry.Registry, error) {
	offline := c.Bool("offline")
	if offline && use == generator.DictionaryRequired {
		return nil, shell.Usagef("--offline does not work here: what was named is read from the dictionary of an ERP")
	}
	if offline || use == generator.DictionaryUnused {
		return nil, nil
	}
	s, err := a.Setup(c)
	if err != nil {
		return nil, err
	}
	url := c.String("database")
	if url == "" && s.Resolver.Lookup("url") == "" {
		if url, err = a.Address(c, s, "database", "database.url"); err != nil {
			return nil, err
		}
		if url == "" && use == generator.DictionaryOptional {
			a.Note("no ERP is named, so names are taken as they are")
			return nil, nil
		}
	}
	if url != "" {
		return a.databaseCatalog(c, url, nil)
	}
	reg, err := a.erpCatalog(c, s)
	switch {
	case err == nil:
		return reg, nil
	case use == generator.DictionaryOptional && c.Context.Err() == nil:
		return nil, fmt.Errorf("%w; --offline takes names as they are", err)
	}
	return nil, err
}

// erpCatalog reads the dictionary from the ERP.
func (a *app) erpCatalog(c *cli.Context, s *shell.Setup) (*registry.Catalog, error) {
	client, err := a.ClientFor(c, s)
	if err != nil {
		return nil, err
	}
	return a.catalog(c.Context, client)
}

// generatorError marks options that cannot be used as wrong usage.
func generatorError(err error) error {
	var options *generator.OptionsError
	if errors.As(err, &options) {
		return shell.Usage(err)
	}
	return err
}

package generator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict/registry"
)

// Generator makes one kind of thing: a plugin, or a component of one.
type Generator struct {
	Name        string // as in requests and on the command line: event-handler
	Title       string // a few words
	Description string
	Options     []Option
	// Addable generators can add to an existing plugin.
	Addable bool

	build func(context.Context, *project, values) error
}

// ErrUnknown is in the error of a generator that there is not.
var ErrUnknown = errors.New("no such generator")

// Generators lists the generators, the whole plugin first. The list is the
// caller's.
func Generators() []Generator {
	return []Generator{
		pluginGenerator(), modelGenerator(), processGenerator(), calloutGenerator(), eventHandlerGenerator(),
		formGenerator(), restExtensionGenerator(), windowValidatorGenerator(), reportGenerator(), testGenerator(),
	}
}

// Find finds a generator by its name.
func Find(name string) (Generator, error) {
	all := Generators()
	names := make([]string, len(all))
	for i, g := range all {
		if g.Name == name {
			return g, nil
		}
		names[i] = g.Name
	}
	return Generator{}, fmt.Errorf("%w as %s; there are %s", ErrUnknown, quote(name), strings.Join(names, ", "))
}

// Option finds an option by its name.
func (g *Generator) Option(name string) (*Option, bool) {
	i := slices.IndexFunc(g.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return nil, false
	}
	return &g.Options[i], true
}

func (g *Generator) optionNames(adding bool) string {
	var names []string
	for _, o := range g.Options {
		if !adding || !o.NewOnly {
			names = append(names, o.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Schema is a JSON Schema of the options. Schemas of additions leave out what
// describes a new plugin.
func (g *Generator) Schema(adding bool) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i := range g.Options {
		o := &g.Options[i]
		if adding && o.NewOnly {
			continue
		}
		properties[o.Name] = o.schema()
		if o.Required {
			required = append(required, o.Name)
		}
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
}

// Generate makes a new plugin. For generators of components the plugin has that
// component and nothing else. Options that cannot be used are an
// [*OptionsError]; tables, windows and the like are looked up in reg, which may
// be nil for generators that need none. The same dictionary and options give the
// same bytes.
func Generate(ctx context.Context, reg registry.Registry, name string, options map[string]any) (*Artifact, error) {
	return run(ctx, reg, nil, name, options)
}

// Add adds to an existing plugin: plugin is its folder. The artifact holds
// the files that are new or changed, and no file when nothing has to be done.
// What it does not have to change stays as it is, to the byte, and adding the
// same again does nothing.
func Add(ctx context.Context, reg registry.Registry, plugin fs.FS, name string, options map[string]any) (*Artifact, error) {
	if plugin == nil {
		return nil, fmt.Errorf("adding to a plugin: no plugin was given")
	}
	return run(ctx, reg, plugin, name, options)
}

func run(ctx context.Context, reg registry.Registry, plugin fs.FS, name string, options map[string]any) (*Artifact, error) {
	g, err := Find(name)
	if err != nil {
		return nil, err
	}
	if plugin != nil && !g.Addable {
		return nil, fmt.Errorf("%s makes a plugin of its own and cannot be added to another", g.Name)
	}
	v, err := g.resolve(options, plugin != nil)
	if err != nil {
		return nil, err
	}
	p := &project{reg: reg, generator: g.Name}
	if plugin != nil {
		err = p.open(plugin, v)
	} else {
		err = p.describe(v)
	}
	if err != nil {
		return nil, err
	}
	if err := g.build(ctx, p, v); err != nil {
		return nil, err
	}
	if err := v.err(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("generating %s: %w", g.Name, err)
	}
	return p.artifact()
}

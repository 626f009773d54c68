package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/mcp"
)

// GeneratorOptions say how generated plugins may be delivered. The zero value
// allows to look at them only.
type GeneratorOptions struct {
	// Deliveries makes deliveries; nil: no deliveries.
	Deliveries Deliveries
	// Modes are the modes allowed. The mode filesystem writes on the machine of
	// the tools, and only into the folder that Deliveries is configured with; the
	// mode archive has no meaning here.
	Modes []generator.Mode
}

// Deliveries makes the delivery of a mode, as package generator/delivery does.
type Deliveries interface {
	Choose(ctx context.Context, output, email string) (generator.Mode, generator.Delivery, error)
}

// outputResponse is the output of plugins that go to the caller alone.
const outputResponse = "response"

func (b *Toolbox) generatorTools() mcp.Set {
	return mcp.Set{
		b.listGenerators(), b.getGeneratorInfo(),
		b.generate("plugin", "Generate a plugin", "Makes the sources of a whole plugin: an OSGi bundle with POM, manifest, activator and the requested components."),
		b.generate("model", "Generate model classes", "Makes a plugin with the model classes of tables."),
		b.generate("process", "Generate a process", "Makes a plugin with a process that users start, its parameters and its dictionary records."),
		b.generate("callout", "Generate a callout", "Makes a plugin with a callout, which reacts when users change a field."),
		b.runGenerator(),
	}
}

// uncommonOptions are left out of definitions, to keep them short; runGenerator
// takes them all.
var uncommonOptions = []string{
	"accessLevel", "archiveTables", "columnEntityType", "coreRepository", "description", "dictionary", "entityType", "groupId", "help", "ide", "java", "modules", "name",
	"package", "registration", "targetPlatform", "vendor", "version",
}

// shortOptions describe options in fewer words than people get.
var shortOptions = map[string]string{
	"artifactId": "symbolic name of the bundle, such as com.example.demo",
	"class":      "name of the class, such as ImportOrders",
	"classes":    "the M class, too, for own logic",
	"columns":    "Table.Column; * for all tables, or all columns of a table",
	"components": "kind:Class@what, such as callout:OrderCallout@C_Order.C_BPartner_ID, event-handler:Class@Table, window-validator:Class@Window, report:Class@Table, rest-extension:Class@path, process:Class, form:Class",
	"label":      "what people read in the menu",
	"menu":       "with a menu entry",
	"parameters": "ColumnName:DisplayType, then :mandatory and :range if wanted, such as DateFrom:Date:range",
	"release":    "lowest release of the ERP",
	"tables":     "tables to write model classes for, such as XX_Demo",
	"value":      "search key; without one the class",
}

type generatorLine struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Tool        string `json:"tool" jsonschema:"tool that runs it"`
}

type listGeneratorsOut struct {
	Generators []generatorLine `json:"generators"`
	Outputs    []string        `json:"outputs" jsonschema:"where plugins may go here; response: into the response, with the archive as a resource"`
}

// toolOf is the tool that runs a generator.
func toolOf(name string) string {
	switch name {
	case "plugin", "model", "process", "callout":
		return "generate" + strings.ToUpper(name[:1]) + name[1:]
	}
	return "runGenerator"
}

func (b *Toolbox) listGenerators() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "listGenerators", Title: "List generators", Sets: []string{SetGenerator}, Hints: readOnly,
		Description: "Lists what can be generated: plugins and their components.",
	}, func(context.Context, *mcp.Call, struct{}) (*listGeneratorsOut, error) {
		out := &listGeneratorsOut{Outputs: b.outputs()}
		out.Generators = mapped(generator.Generators(), func(g *generator.Generator) generatorLine {
			return generatorLine{g.Name, g.Title, clip(g.Description, 300), toolOf(g.Name)}
		})
		return out, nil
	})
}

// outputs are where plugins may go.
func (b *Toolbox) outputs() []string {
	list := []string{outputResponse}
	for _, m := range generator.Modes() {
		if m != generator.ModeArchive && b.generators.Deliveries != nil && slices.Contains(b.generators.Modes, m) {
			list = append(list, string(m))
		}
	}
	return list
}

type getGeneratorInfoIn struct {
	Generator string `json:"generator" jsonschema:"name of a generator, such as process"`
}

type optionLine struct {
	Name        string   `json:"name"`
	Type        string   `json:"type" jsonschema:"string, boolean or strings (a list)"`
	Description string   `json:"description"`
	Required    bool     `json:"required,omitempty"`
	Default     any      `json:"default,omitempty"`
	Choices     []string `json:"choices,omitempty"`
	Example     string   `json:"example,omitempty"`
}

type getGeneratorInfoOut struct {
	generatorLine
	Options []optionLine `json:"options"`
}

func generatorNames(s *jsonschema.Schema) {
	property(s, "generator").Enum = mapped(generator.Generators(), func(g *generator.Generator) any { return g.Name })
}

func (b *Toolbox) getGeneratorInfo() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "getGeneratorInfo", Title: "Describe a generator", Sets: []string{SetGenerator}, Hints: readOnly,
		Description: "Describes one generator and all its options (runGenerator).",
		Input:       input[getGeneratorInfoIn](generatorNames),
	}, func(_ context.Context, _ *mcp.Call, in getGeneratorInfoIn) (*getGeneratorInfoOut, error) {
		g, err := generator.Find(in.Generator)
		if err != nil {
			return nil, fromGenerator(err)
		}
		out := &getGeneratorInfoOut{generatorLine: generatorLine{g.Name, g.Title, g.Description, toolOf(g.Name)}}
		out.Options = mapped(g.Options, func(o *generator.Option) optionLine {
			return optionLine{o.Name, string(o.Type), o.Description, o.Required, o.Default, o.Choices, o.Example}
		})
		return out, nil
	})
}

// deliverIn are the arguments of every generating tool besides the options of
// its generator.
type deliverIn struct {
	Output string   `json:"output,omitempty" jsonschema:"where it goes; response: a resource to read, and shown"`
	Email  string   `json:"email,omitempty" jsonschema:"with output email"`
	Show   string   `json:"show,omitempty" jsonschema:"of the files"`
	Files  []string `json:"files,omitempty" jsonschema:"with content: only these"`
	Cursor string   `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page"`
}

func deliverSchema(s *jsonschema.Schema) {
	outputs := []string{outputResponse}
	for _, m := range generator.Modes() {
		if m != generator.ModeArchive {
			outputs = append(outputs, string(m))
		}
	}
	oneOf("output", outputs...)(s)
	oneOf("show", "names", "content")(s)
	shorter(254, "email")(s)
}

// generateTimeout bounds a generation with its delivery.
const generateTimeout = 2 * time.Minute

// generateHints: a plugin can be sent away, and files in the way are never
// overwritten.
var generateHints = mcp.Hints{OpenWorld: true}

// generate is the tool of one generator. Its arguments are the generator's own
// options, but for the uncommon ones.
func (b *Toolbox) generate(name, title, about string) mcp.Tool {
	g, err := generator.Find(name)
	if err != nil {
		panic("mcp/tools: " + err.Error())
	}
	in, err := optionsSchema(&g)
	if err != nil {
		panic("mcp/tools: the options of " + name + ": " + err.Error())
	}
	return mcp.New(mcp.Tool{
		Name: toolOf(name), Title: title, Sets: []string{SetGenerator}, Hints: generateHints, Timeout: generateTimeout, Confirms: true, Unasked: unaskedDelivery,
		Description: about + " runGenerator takes more options. Returns the files.",
		Input:       in,
	}, func(ctx context.Context, c *mcp.Call, given map[string]json.RawMessage) (*generatedOut, error) {
		var deliver deliverIn
		options := map[string]any{}
		raw, err := json.Marshal(given)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, &deliver); err != nil {
			return nil, err
		}
		for name, value := range given {
			if _, ok := g.Option(name); ok {
				var v any
				if err := json.Unmarshal(value, &v); err != nil {
					return nil, err
				}
				options[name] = v
			}
		}
		return b.runGenerated(ctx, c, &g, options, deliver)
	})
}

// optionsSchema is the schema of a generator's options with those of the
// delivery.
func optionsSchema(g *generator.Generator) (*jsonschema.Schema, error) {
	raw, err := json.Marshal(g.Schema(false))
	if err != nil {
		return nil, err
	}
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, err
	}
	for _, name := range uncommonOptions {
		delete(s.Properties, name)
	}
	s.PropertyOrder = nil
	for _, required := range []bool{true, false} {
		for _, o := range g.Options {
			if s.Properties[o.Name] != nil && o.Required == required {
				s.PropertyOrder = append(s.PropertyOrder, o.Name)
			}
		}
	}
	for name, p := range s.Properties {
		most := 4000
		if p.Type == "string" && len(p.Enum) == 0 {
			p.MaxLength = &most
		}
		if p.Type == "array" {
			many := 100
			p.MaxItems = &many
		}
		if short := shortOptions[name]; short != "" {
			p.Description, p.Examples = short, nil
		}
	}
	more := input[deliverIn](deliverSchema)
	for _, name := range more.PropertyOrder {
		if s.Properties[name] != nil {
			return nil, fmt.Errorf("there is an option %s already", name)
		}
		s.Properties[name] = more.Properties[name]
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	return s, nil
}

type runGeneratorIn struct {
	Generator string         `json:"generator" jsonschema:"name of a generator; listGenerators lists them"`
	Options   map[string]any `json:"options" jsonschema:"its options by name, as getGeneratorInfo describes them"`
	deliverIn
}

func (b *Toolbox) runGenerator() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "runGenerator", Title: "Run a generator", Sets: []string{SetGenerator}, Hints: generateHints, Timeout: generateTimeout, Confirms: true, Unasked: unaskedDelivery,
		Description: `Runs any generator with any of its options, such as {"generator": "event-handler", "options": {"artifactId": "com.example.demo", "class": "OrderEvents", "table": "C_Order"}}. Returns the files.`,
		Input:       input[runGeneratorIn](generatorNames, deliverSchema),
	}, func(ctx context.Context, c *mcp.Call, in runGeneratorIn) (*generatedOut, error) {
		g, err := generator.Find(in.Generator)
		if err != nil {
			return nil, fromGenerator(err)
		}
		return b.runGenerated(ctx, c, &g, in.Options, in.deliverIn)
	})
}

// runGenerated generates, delivers and responds.
func (b *Toolbox) runGenerated(ctx context.Context, c *mcp.Call, g *generator.Generator, options map[string]any, in deliverIn) (*generatedOut, error) {
	delivery, err := b.deliveryFor(ctx, in)
	if err != nil {
		return nil, err
	}
	var reg registry.Registry
	if use := g.Dictionary(options); use != generator.DictionaryUnused {
		if reg, err = b.registry(ctx, c); err != nil {
			if use == generator.DictionaryRequired || !errors.Is(err, errors.ErrUnsupported) {
				return nil, err
			}
			reg = nil // names are taken as they are
		}
	}
	artifact, err := generator.Generate(ctx, reg, g.Name, options)
	if err != nil {
		return nil, fromGenerator(err)
	}
	out := &generatedOut{
		Generator: g.Name, ArtifactID: artifact.ArtifactID, Version: artifact.Version, Output: in.Output, Notes: artifact.Notes,
	}
	switch { // pages of what was made, or delivered, are only looked at
	case in.Cursor != "":
	case delivery != nil:
		if out.Receipt, err = b.deliver(ctx, c, artifact, delivery, in); err != nil {
			return nil, err
		}
	case len(in.Files) == 0:
		archive, err := artifact.Zip()
		if err != nil {
			return nil, err
		}
		out.File = b.keepFile(ctx, c, artifact.Filename(), archive)
	}
	question := struct {
		Options map[string]any
		Deliver deliverIn
	}{options, in}
	question.Deliver.Cursor = ""
	return out, out.show(c, question, artifact.Tree, in)
}

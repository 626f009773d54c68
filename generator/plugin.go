package generator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

func pluginGenerator() Generator {
	return Generator{
		Name: "plugin", Title: "a whole plugin",
		Description: "An OSGi bundle that builds with Maven and resolves on the ERP: manifest, build properties, POM, activator, " +
			"with components, model classes, dictionary records and further modules where wanted.",
		Options: join(pluginOptions(), []Option{
			{Name: "components", Type: TypeStrings, Example: "process:ImportOrders,callout:OrderCallout@C_Order.C_BPartner_ID", check: checkComponent,
				Description: "Components to begin with, as kind:Class, followed by @ and what it is for: callout:Class@Table.Column, " +
					"event-handler:Class@Table, window-validator:Class@Window, report:Class@Table, rest-extension:Class@path. Kinds: process, callout, " +
					"event-handler, form, window-validator, report, rest-extension."},
			{Name: "tables", Type: TypeStrings, Example: "XX_Demo", check: checkDictionaryName, Description: "Tables to write model classes for."},
			{Name: "archiveTables", Type: TypeStrings, Example: "XX_Demo", check: checkDictionaryName,
				Description: "Tables whose definitions go into the package archive, as the dictionary has them."},
			{Name: "modules", Type: TypeStrings, Choices: []string{"feature", "p2", "test"},
				Description: "Modules besides the plugin: a feature, a p2 repository for the ERP's extension installer, a test bundle."},
		}, dictionaryOptions()),
		build: buildPlugin,
	}
}

// componentSpec is a component of a new plugin.
type componentSpec struct{ kind, class, target string }

func checkComponent(text string) string {
	_, why := parseComponent(text)
	return why
}

// parseComponent reads kind:Class@target.
func parseComponent(text string) (c componentSpec, why string) {
	kind, rest, ok := strings.Cut(text, ":")
	if !ok {
		return c, "is not of the form kind:Class, such as process:ImportOrders"
	}
	class, target, _ := strings.Cut(rest, "@")
	c = componentSpec{kind, class, target}
	if why := checkClass(class); why != "" {
		return c, "has a class whose name " + why
	}
	option, needed := targetOption(kind)
	switch {
	case kind == "process", kind == "form":
		if target != "" {
			return c, "has an @, which belongs to other kinds"
		}
	case option == "":
		return c, "is none of process, callout, event-handler, form, window-validator, report, rest-extension"
	case target == "" && needed:
		return c, "does not say what it is for, such as " + kind + ":" + class + "@" + exampleTarget(kind)
	}
	return c, ""
}

// targetOption is the option of a component's generator that takes what stands
// behind the @.
func targetOption(kind string) (option string, needed bool) {
	switch kind {
	case "callout":
		return "columns", true
	case "event-handler", "report":
		return "table", true
	case "window-validator":
		return "windows", true
	case "rest-extension":
		return "path", true
	}
	return "", false
}

func exampleTarget(kind string) string {
	switch kind {
	case "callout":
		return "C_Order.C_BPartner_ID"
	case "window-validator":
		return "*"
	case "rest-extension":
		return "v1/demo"
	}
	return "C_Order"
}

func buildPlugin(ctx context.Context, p *project, v values) error {
	for _, text := range v.list("components") {
		c, _ := parseComponent(text)
		if err := p.component(ctx, v, c); err != nil {
			return err
		}
	}
	for _, table := range v.list("tables") {
		if err := p.main.model(ctx, v, table, "", true); err != nil {
			return err
		}
	}
	if tables := v.list("archiveTables"); len(tables) > 0 {
		if err := p.main.definitions(ctx, v, tables); err != nil {
			return err
		}
	}
	for _, m := range v.list("modules") {
		switch m {
		case "feature":
			p.feature = true
		case "p2":
			p.site = true
		case "test":
			if err := p.testModule(ctx, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// component adds a component to the plugin, the way its own generator does.
func (p *project) component(ctx context.Context, v values, c componentSpec) error {
	g, err := Find(c.kind)
	if err != nil {
		return err
	}
	options := map[string]any{"class": c.class}
	for _, shared := range []string{"entityType", "dictionary"} {
		if _, ok := g.Option(shared); ok {
			options[shared] = v.given[shared]
		}
	}
	if option, _ := targetOption(c.kind); option != "" && c.target != "" {
		options[option] = c.target
		if o, _ := g.Option(option); o.Type == TypeStrings {
			options[option] = []string{c.target}
		}
	}
	sub, err := g.resolve(options, true)
	if err != nil {
		return componentError(v, c, err)
	}
	b := p.main
	switch c.kind {
	case "process":
		err = b.process(ctx, sub)
	case "callout":
		err = b.callout(ctx, sub)
	case "event-handler":
		err = b.eventHandler(ctx, sub)
	case "form":
		err = b.form(sub)
	case "window-validator":
		err = b.windowValidator(ctx, sub)
	case "report":
		err = b.report(ctx, sub)
	case "rest-extension":
		err = p.restModule().restExtension(sub)
	}
	return componentError(v, c, cmp.Or(err, sub.err()))
}

// componentError notes what is wrong with the options of a component as
// something wrong with the option that it comes from.
func componentError(v values, c componentSpec, err error) error {
	var bad *OptionsError
	if !errors.As(err, &bad) {
		if err != nil {
			err = fmt.Errorf("component %s: %w", c.class, err)
		}
		return err
	}
	for _, p := range bad.Problems {
		why := p.Option + " " + p.Why
		if p.Value != "" {
			why = p.Option + " " + quote(p.Value) + " " + p.Why
		}
		v.bad("components", c.kind+":"+c.class, "cannot be made: "+why)
	}
	return nil
}

// restModule is the fragment of the REST API among the modules.
func (p *project) restModule() *bundle {
	for _, m := range p.modules {
		if m.Host != "" {
			return m
		}
	}
	b := p.newBundle(p.ArtifactID+".rest", p.Name+" REST")
	b.fragment(restHost)
	p.modules = append(p.modules, b)
	return b
}

// testModule adds a test bundle.
func (p *project) testModule(ctx context.Context, v values) error {
	b := p.newBundle(p.ArtifactID+".test", p.Name+" Test")
	b.Package = p.Package + ".test"
	b.testBundle(p.ArtifactID)
	p.modules = append(p.modules, b)
	options := map[string]any{"class": prefixOf(p.ArtifactID) + "Test"}
	if tables := v.list("tables"); len(tables) > 0 {
		options["table"] = tables[0]
	}
	g := testGenerator()
	sub, err := g.resolve(options, true)
	if err != nil {
		return err
	}
	return b.test(ctx, sub)
}

// pom is what the templates of modules without sources take.
type pom struct {
	*project
	ID, Packaging string
}

// Shipped are the bundles that go to servers.
func (p *project) Shipped() []*bundle {
	return slices.DeleteFunc(p.Bundles(), func(b *bundle) bool { return b.Packaging != "eclipse-plugin" })
}

// Bundles are the plugin and the bundles beside it.
func (p *project) Bundles() []*bundle { return append([]*bundle{p.main}, p.modules...) }

// Titles lists what is in a bundle, ordered.
func (b *bundle) Titles() []string { return slices.Sorted(slices.Values(b.titles)) }

// Feature reports whether there is a feature module.
func (p *project) Feature() bool { return p.feature }

// Site reports whether there is a p2 module.
func (p *project) Site() bool { return p.site }

// Modules are the modules of the root, in the order they are built.
func (p *project) Modules() []string {
	names := []string{p.ArtifactID + ".parent"}
	for _, b := range p.Bundles() {
		names = append(names, b.ID)
	}
	if p.feature {
		names = append(names, p.ArtifactID+".feature")
	}
	if p.site {
		names = append(names, p.ArtifactID+".p2")
	}
	return names
}

// Units are the bundles that a target definition requests of the repository.
func (p *project) Units() []string {
	own := map[string]bool{}
	for _, b := range p.Bundles() {
		own[b.ID] = true
	}
	var units []string
	add := func(id string) {
		if id != "" && !own[id] && !slices.Contains(units, id) {
			units = append(units, id)
		}
	}
	for _, b := range p.Bundles() {
		for _, c := range b.manifest.clauses("Require-Bundle") {
			add(clausePath(c))
		}
		add(clausePath(b.manifest.get("Fragment-Host")))
		for _, r := range b.Requirements() {
			add(r)
		}
		if b.Packaging == "eclipse-test-plugin" {
			add("org.idempiere.test")
		}
	}
	slices.Sort(units)
	return units
}

// around writes the files around the bundles.
func (p *project) around() error {
	files := map[string]struct {
		template string
		data     any
	}{
		"README.md":       {"README.md", p},
		".mvn/jvm.config": {"jvm.config", p},
		".gitignore":      {"gitignore", p},
	}
	if p.Target == targetFile {
		files[p.ArtifactID+".target"] = struct {
			template string
			data     any
		}{"target.xml", p}
	}
	if p.Multi() {
		add := func(name, template string, data any) {
			files[name] = struct {
				template string
				data     any
			}{template, data}
		}
		add("pom.xml", "root.pom.xml", p)
		add(p.ArtifactID+".parent/pom.xml", "parent.pom.xml", p)
		if p.feature {
			id := p.ArtifactID + ".feature"
			add(id+"/pom.xml", "simple.pom.xml", pom{p, id, "eclipse-feature"})
			add(id+"/feature.xml", "feature.xml", p)
			p.files[id+"/build.properties"] = []byte("bin.includes = feature.xml\n")
		}
		if p.site {
			id := p.ArtifactID + ".p2"
			add(id+"/pom.xml", "simple.pom.xml", pom{p, id, "eclipse-repository"})
			add(id+"/category.xml", "category.xml", p)
		}
	}
	for name, f := range files {
		content, err := render(f.template, f.data)
		if err != nil {
			return err
		}
		p.files[name] = content
	}
	return nil
}

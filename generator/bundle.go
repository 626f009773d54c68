package generator

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/pack"
)

// bundle is one OSGi bundle of a project.
type bundle struct {
	*project
	ID        string // symbolic name
	Name      string
	Package   string
	Packaging string // of the POM
	Host      string // fragment host, empty for bundles
	dir       string // folder in the tree, empty for the root

	manifest *manifest
	props    *buildProperties
	files    map[string][]byte // relative to dir
	edited   map[string]bool   // files that are changes of what is there
	scans    []scan            // packages the activator scans
	bin      []string          // for bin.includes, besides META-INF and classes

	steps    []dict.Step // dictionary records
	entities []pack.EntityType
	resolve  func(dict.Existing) (int, dict.UUID, error) // for the archive, may be nil
	tested   string                                      // bundle that a test bundle is for
	titles   []string                                    // what is in it, for the README
}

// scan is a package that has classes of one kind.
type scan struct {
	kind    *kindOfClass
	Package string
}

// Getter is the method of the ERP's core that gives the factory to scan with.
func (s scan) Getter() string { return s.kind.getter }

// kindOfClass says how the classes of a kind are found by the ERP.
type kindOfClass struct {
	sub     string // last part of the package
	getter  string // of org.adempiere.base.Core, empty: no scan by an activator
	factory string // end of the name of the factory class
	super   string // class that factories extend
	service string // interface they provide, empty for none
	access  string // of getPackages
}

var ( // read only
	modelKind = kindOfClass{"model", "getMappedModelFactory", "ModelFactory",
		"org.adempiere.base.AnnotationBasedModelFactory", "org.adempiere.base.IModelFactory", "protected"}
	processKind = kindOfClass{"process", "getMappedProcessFactory", "ProcessFactory",
		"org.adempiere.base.AnnotationBasedProcessFactory", "org.adempiere.base.IProcessFactory", "protected"}
	calloutKind = kindOfClass{"callout", "getMappedColumnCalloutFactory", "CalloutFactory",
		"org.adempiere.base.AnnotationBasedColumnCalloutFactory", "org.adempiere.base.IColumnCalloutFactory", "protected"}
	// Forms are never scanned by the activator: it can run before the web client
	// has its form factory.
	formKind = kindOfClass{"form", "", "FormFactory",
		"org.adempiere.webui.factory.AnnotationBasedFormFactory", "org.adempiere.webui.factory.IFormFactory", "protected"}
	delegateKind = kindOfClass{"event", "", "EventManager",
		"org.adempiere.base.AnnotationBasedEventManager", "", "public"}
)

// sub is the package for classes of a kind.
func (b *bundle) sub(name string) string { return b.Package + "." + name }

// class adds the source of a class.
func (b *bundle) class(pkg, name string, source []byte) {
	b.files[path.Join(b.source(), strings.ReplaceAll(pkg, ".", "/"), name+".java")] = source
}

// source is the first source folder.
func (b *bundle) source() string {
	folders, _ := b.props.list("source..")
	if len(folders) > 0 {
		if dir := path.Clean(folders[0]); dir != "." && checkFileName(dir) == nil {
			return dir
		}
	}
	return "src"
}

// requireBase requires the bundle that everything needs.
func (b *bundle) requireBase() { b.requireBundles("org.adempiere.base") }

// requireBundles requires bundles of the ERP.
func (b *bundle) requireBundles(ids ...string) {
	for _, id := range ids {
		version := b.CoreVersion()
		if strings.HasPrefix(id, "z") && !strings.Contains(id, ".") {
			version = "10.0.1"
		}
		b.manifest.require("Require-Bundle", fmt.Sprintf(`%s;bundle-version="%s"`, id, version))
	}
}

func (b *bundle) importPackages(names ...string) {
	for _, n := range names {
		b.manifest.require("Import-Package", n)
	}
}

// service writes the file of a declarative component, and the header that names
// it.
func (b *bundle) service(c component) error {
	content, err := render("component.xml", c)
	if err != nil {
		return err
	}
	name := "OSGI-INF/" + c.Class + ".xml"
	b.files[name] = content
	b.listComponent(name)
	b.bin = append(b.bin, "OSGI-INF/")
	if b.Host == "" {
		b.importPackages("org.osgi.service.component.annotations")
	}
	return nil
}

// listComponent makes the manifest name a component's file.
func (b *bundle) listComponent(file string) {
	for _, c := range b.manifest.clauses("Service-Component") {
		if ok, err := path.Match(c, file); err == nil && ok {
			return
		}
	}
	if len(b.manifest.clauses("Service-Component")) == 0 {
		file = "OSGI-INF/*.xml"
	}
	b.manifest.require("Service-Component", file)
}

// component is a declarative component.
type component struct {
	Class      string
	Ranking    bool
	Service    string
	Properties []componentProperty
	Events     bool // bound to the event manager
}

type componentProperty struct {
	Name   string
	Values []string
}

// register makes the classes of a kind in a package known to the ERP.
func (b *bundle) register(kind *kindOfClass, pkg string) error {
	b.requireBase()
	if b.existing != nil {
		done, err := b.registerThere(kind, pkg)
		if done || err != nil {
			return err
		}
	} else if !b.components && kind.getter != "" {
		s := scan{kind, pkg}
		if !slices.Contains(b.scans, s) {
			b.scans = append(b.scans, s)
		}
		return nil
	}
	return b.factory(kind, pkg)
}

// factory adds a factory for a package as a declarative component.
func (b *bundle) factory(kind *kindOfClass, pkg string) error {
	name := prefixOf(b.ID) + kind.factory
	source, err := render("Factory.java", map[string]any{
		"Package": b.Package, "Class": name, "Super": kind.super, "Service": kind.service,
		"SuperName": simpleName(kind.super), "ServiceName": simpleName(kind.service),
		"Access": kind.access, "Scan": pkg, "Kind": kind.sub,
	})
	if err != nil {
		return err
	}
	b.class(b.Package, name, source)
	return b.service(component{Class: b.Package + "." + name, Ranking: kind.service != "", Service: kind.service})
}

func simpleName(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

// finish writes what depends on everything that was added.
func (b *bundle) finish() error {
	if err := b.archive(); err != nil {
		return err
	}
	if b.existing == nil && b.Packaging == "eclipse-plugin" && b.Host == "" {
		if err := b.activator(); err != nil {
			return err
		}
		b.requireBase()
		b.manifest.set("Bundle-ActivationPolicy", "lazy")
	}
	if b.existing != nil {
		b.edited["META-INF/MANIFEST.MF"], b.edited["build.properties"] = true, true
		if len(b.bin) > 0 {
			b.props.include(append([]string{"META-INF/"}, b.bin...)...)
		}
	} else {
		b.props.lines = []string{"source.. = src/\n", "output.. = target/classes/\n"}
		b.props.include(append([]string{"META-INF/", "."}, b.bin...)...)
		if err := b.workspace(); err != nil {
			return err
		}
	}
	b.files["META-INF/MANIFEST.MF"] = b.manifest.bytes()
	if data := b.props.bytes(); len(data) > 0 {
		b.files["build.properties"] = data
	}
	return nil
}

// activator writes the class that starts the bundle.
func (b *bundle) activator() error {
	if b.components {
		if b.manifest.get("Bundle-Activator") != "" || len(b.steps) == 0 {
			return nil
		}
		b.importArchives()
		return nil
	}
	class := prefixOf(b.ID) + "Activator"
	source, err := render("Activator.java", map[string]any{"Package": b.Package, "Class": class, "Scans": b.scans, "Name": b.Name})
	if err != nil {
		return err
	}
	b.class(b.Package, class, source)
	b.manifest.set("Bundle-Activator", b.Package+"."+class)
	b.requireBundles("org.adempiere.plugin.utils")
	b.importPackages("org.osgi.framework")
	return b.service(component{Class: b.Package + "." + class})
}

// importArchives makes the ERP's own activator import the package archives.
func (b *bundle) importArchives() {
	b.requireBundles("org.adempiere.plugin.utils")
	b.importPackages("org.osgi.framework")
	b.manifest.set("Bundle-Activator", "org.adempiere.plugin.utils.Incremental2PackActivator")
}

// workspace writes POM and files of the Eclipse workspace.
func (b *bundle) workspace() error {
	files := map[string]string{"pom.xml": "bundle.pom.xml"}
	if b.ide {
		files[".project"], files[".classpath"] = "project.xml", "classpath.xml"
		files[".settings/org.eclipse.jdt.core.prefs"] = "jdt.prefs"
		if b.Host == "" {
			files[".settings/org.eclipse.pde.ds.annotations.prefs"] = "ds.prefs"
		}
	}
	if b.Packaging == "eclipse-test-plugin" {
		delete(files, ".settings/org.eclipse.pde.ds.annotations.prefs")
	}
	for name, template := range files {
		content, err := render(template, b)
		if err != nil {
			return err
		}
		b.files[name] = content
	}
	return nil
}

// Components reports whether the bundle has declarative components, for
// templates.
func (b *bundle) Components() bool { return b.manifest.get("Service-Component") != "" }

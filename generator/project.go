package generator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/erphub/erphub/dict/registry"
)

// project is a plugin under construction, with the modules around it.
type project struct {
	reg       registry.Registry // may be nil
	generator string

	// What describes a new plugin. Of a plugin that is there, what was found.
	ArtifactID, GroupID, Version string
	Name, Vendor, Description    string
	Package                      string
	Release                      string // 12 or 13
	Java                         string
	Target, CoreRepository       string
	ide, components              bool // components: registered by declarative components

	existing fs.FS // nil: the plugin is new
	main     *bundle
	modules  []*bundle         // besides main; not empty: several modules
	feature  bool              // a feature module
	site     bool              // a p2 module
	files    map[string][]byte // around the bundles
	notes    []string
}

// describe takes the description of a new plugin.
func (p *project) describe(v values) error {
	p.ArtifactID, p.Version = v.text("artifactId"), v.text("version")
	p.GroupID = v.text("groupId")
	if p.GroupID == "" {
		p.GroupID = p.ArtifactID
		if i := strings.LastIndexByte(p.ArtifactID, '.'); i > 0 {
			p.GroupID = p.ArtifactID[:i]
		}
	}
	p.Package = cmp.Or(v.text("package"), packageOf(p.ArtifactID))
	if why := checkPackage(p.Package); why != "" {
		v.bad("package", p.Package, why+"; name another with package")
		return v.err()
	}
	p.Name = cmp.Or(v.text("name"), sentenceOf(prefixOf(p.ArtifactID)))
	p.Vendor, p.Description = v.text("vendor"), v.text("description")
	p.Release, p.Java = v.text("release"), v.text("java")
	p.Target, p.CoreRepository = v.text("targetPlatform"), v.text("coreRepository")
	p.ide, p.components = v.flag("ide"), v.text("registration") == registerComponents
	p.files = map[string][]byte{}
	p.main = p.newBundle(p.ArtifactID, p.Name)
	if p.Java == "21" {
		p.note("Java 21 was requested: servers that run on Java 17 do not start the plugin.")
	}
	return nil
}

func (p *project) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// CoreVersion is the lowest version of the ERP's bundles that will do.
func (p *project) CoreVersion() string { return p.Release + ".0.0" }

// Multi reports whether the plugin is one of several modules.
func (p *project) Multi() bool { return len(p.modules) > 0 || p.feature || p.site }

// newBundle makes a bundle of the project.
func (p *project) newBundle(id, name string) *bundle {
	b := &bundle{project: p, ID: id, Name: name, Package: p.Package, Packaging: "eclipse-plugin",
		manifest: &manifest{eol: "\n"}, props: &buildProperties{eol: "\n"}, files: map[string][]byte{}}
	m := b.manifest
	m.set("Manifest-Version", "1.0")
	m.set("Bundle-ManifestVersion", "2")
	m.set("Bundle-Name", name)
	m.set("Bundle-SymbolicName", id)
	m.set("Bundle-Version", p.Version+".qualifier")
	if p.Vendor != "" {
		m.set("Bundle-Vendor", p.Vendor)
	}
	m.set("Bundle-RequiredExecutionEnvironment", "JavaSE-"+p.Java)
	m.set("Automatic-Module-Name", moduleOf(id))
	return b
}

// artifact finishes the bundles and puts everything into a tree.
func (p *project) artifact() (*Artifact, error) {
	a := &Artifact{Name: p.ArtifactID, ArtifactID: p.ArtifactID, Version: p.Version, Generator: p.generator,
		Tree: &Tree{}, Existing: p.existing != nil}
	bundles := p.Bundles()
	for _, b := range bundles {
		if b == nil {
			continue
		}
		if p.Multi() {
			b.dir = b.ID
		}
		if err := b.finish(); err != nil {
			return nil, fmt.Errorf("generating %s: %w", b.ID, err)
		}
		for name, content := range b.files {
			if err := p.put(a.Tree, path.Join(b.dir, name), content); err != nil {
				return nil, fmt.Errorf("generating %s: %w", b.ID, err)
			}
		}
	}
	if p.existing == nil {
		if err := p.around(); err != nil {
			return nil, err
		}
	}
	for name, content := range p.files {
		if err := p.put(a.Tree, name, content); err != nil {
			return nil, fmt.Errorf("generating %s: %w", p.ArtifactID, err)
		}
	}
	a.Notes = p.notes
	return a, nil
}

// put adds a file, unless it is there with this content.
func (p *project) put(t *Tree, name string, content []byte) error {
	if p.existing == nil {
		return t.Add(name, content)
	}
	was, err := fs.ReadFile(p.existing, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t.Add(name, content)
	case err != nil:
		return err
	case bytes.Equal(was, content):
		return nil
	case p.main.edited[name]:
		return t.Change(name, was, content)
	}
	return t.Add(name, content) // somebody has worked on it: delivering needs force
}

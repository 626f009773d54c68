package generator

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// maxSource bounds the files of an existing plugin that are read.
const maxSource = 4 << 20

// open reads a plugin that is there.
func (p *project) open(plugin fs.FS, v values) error {
	text, err := readSource(plugin, "META-INF/MANIFEST.MF")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("adding to a plugin: the folder has no META-INF/MANIFEST.MF, so it is not a plugin; change to a plugin's folder, or generate a new one")
	}
	if err != nil {
		return fmt.Errorf("adding to a plugin: %w", err)
	}
	m, err := parseManifest(text)
	if err != nil {
		return fmt.Errorf("adding to a plugin: %w", err)
	}
	id := m.symbolicName()
	if why := checkSymbolicName(id); why != "" {
		return fmt.Errorf("adding to a plugin: %w", &NameError{Kind: "Bundle-SymbolicName", Name: id, Why: why})
	}
	props, err := readSource(plugin, "build.properties")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("adding to a plugin: %w", err)
	}
	packaging, err := packagingOf(plugin)
	if err != nil {
		return fmt.Errorf("adding to a plugin: %w", err)
	}
	p.existing = plugin
	p.ArtifactID, p.Name = id, cmp.Or(m.get("Bundle-Name"), id)
	p.Version = versionOf(m.get("Bundle-Version"))
	p.Release = releaseOf(m)
	p.files = map[string][]byte{}
	b := &bundle{project: p, ID: id, Name: p.Name, Packaging: packaging, Host: clausePath(m.get("Fragment-Host")),
		manifest: m, props: parseBuildProperties(props), files: map[string][]byte{}, edited: map[string]bool{}}
	p.main = b
	if b.Packaging == "eclipse-test-plugin" {
		b.tested = cmp.Or(cutTest(id), id)
	}
	p.Package = b.packageThere()
	b.Package = p.Package
	if why := checkPackage(b.Package); why != "" {
		return fmt.Errorf("adding to a plugin: %w", &NameError{Kind: "package", Name: b.Package, Why: why})
	}
	return nil
}

// readSource reads a file of a plugin, if it is not too large.
func readSource(plugin fs.FS, name string) ([]byte, error) {
	st, err := fs.Stat(plugin, name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxSource {
		return nil, fmt.Errorf("%s is not a file of a usual size", name)
	}
	return fs.ReadFile(plugin, name)
}

// packagingOf reads the POM's packaging.
func packagingOf(plugin fs.FS) (string, error) {
	data, err := readSource(plugin, "pom.xml")
	if errors.Is(err, fs.ErrNotExist) {
		return "eclipse-plugin", nil
	}
	if err != nil {
		return "", err
	}
	var doc struct {
		XMLName   xml.Name `xml:"project"`
		Packaging string   `xml:"packaging"`
	}
	if err := xml.Unmarshal(data, &doc); err != nil {
		return "", fmt.Errorf("pom.xml cannot be read: %w", err)
	}
	switch doc.Packaging {
	case "eclipse-plugin", "eclipse-test-plugin":
		return doc.Packaging, nil
	}
	return "", fmt.Errorf("pom.xml has the packaging %s, not that of a plugin", quote(doc.Packaging))
}

// versionOf is a bundle's version without qualifier.
func versionOf(version string) string {
	parts := strings.SplitN(version, ".", 4)
	if v := strings.Join(parts[:min(3, len(parts))], "."); checkVersion(v) == "" {
		return v
	}
	return "1.0.0"
}

// releaseOf is the lowest release of the ERP that the plugin requires.
func releaseOf(m *manifest) string {
	for _, c := range m.clauses("Require-Bundle") {
		if clausePath(c) == "org.adempiere.base" {
			if found := versionAttribute().FindStringSubmatch(c); found != nil && len(found[1]) == 2 && found[1] > "12" {
				return found[1]
			}
		}
	}
	return "12"
}

var versionAttribute = lazyregexp.New(`bundle-version="?[\[(]?([0-9]+)\.`)

// packageThere is the package that the plugin's own are below: that of its
// activator or of a factory of ours, else the one made of its name.
func (b *bundle) packageThere() string {
	activator := b.manifest.get("Bundle-Activator")
	if i := strings.LastIndexByte(activator, '.'); i > 0 && b.thereIs(b.sourceOf(activator)) {
		return activator[:i]
	}
	files, err := fs.Glob(b.existing, "OSGI-INF/*.xml")
	if err != nil {
		files = nil // without the folder there are no files
	}
	for _, file := range files {
		class := strings.TrimSuffix(path.Base(file), ".xml")
		for _, kind := range []*kindOfClass{&modelKind, &processKind, &calloutKind, &formKind, &delegateKind} {
			pkg, ok := strings.CutSuffix(class, "."+prefixOf(b.ID)+kind.factory)
			if ok && b.thereIs(b.sourceOf(class)) {
				return pkg
			}
		}
	}
	pkg := packageOf(b.ID)
	if above, ok := strings.CutSuffix(pkg, ".rest"); ok && b.Host != "" && b.hasPackage(pkg) && !b.hasPackage(pkg+".rest") {
		return above // a fragment beside a plugin: its resources are below the plugin's package
	}
	return pkg
}

// hasPackage reports whether there are sources of a package.
func (b *bundle) hasPackage(pkg string) bool {
	files, err := fs.Glob(b.existing, path.Join(b.source(), strings.ReplaceAll(pkg, ".", "/"), "*.java"))
	return err == nil && len(files) > 0
}

func (b *bundle) sourceOf(class string) string {
	return path.Join(b.source(), strings.ReplaceAll(class, ".", "/")) + ".java"
}

// thereIs reports whether the existing plugin has a file.
func (b *bundle) thereIs(name string) bool {
	if b.existing == nil || !fs.ValidPath(name) {
		return false
	}
	st, err := fs.Stat(b.existing, name)
	return err == nil && st.Mode().IsRegular()
}

// registerThere makes a package known in a plugin that is there: nothing has to
// be done when it is already, else the activator or factory that does it for the
// plugin's other packages gets this one as well. It reports false when there is
// neither.
func (b *bundle) registerThere(kind *kindOfClass, pkg string) (bool, error) {
	activator := b.manifest.get("Bundle-Activator")
	own := b.sourceOf(b.Package + "." + prefixOf(b.ID) + kind.factory)
	var places []string
	if kind.getter != "" && activator != "" && fs.ValidPath(b.sourceOf(activator)) {
		places = append(places, b.sourceOf(activator))
	}
	places = append(places, own)
	for _, place := range places {
		if !b.thereIs(place) {
			continue
		}
		data, err := readSource(b.existing, place)
		if err != nil {
			return false, err
		}
		text := string(data)
		changed, ok := "", false
		if place == own {
			changed, ok = addToFactory(text, pkg)
		} else {
			changed, ok = addToActivator(text, kind.getter, pkg)
		}
		if !ok {
			continue
		}
		if changed != text {
			b.files[place], b.edited[place] = []byte(changed), true
		}
		return true, nil
	}
	if b.thereIs(own) {
		return false, fmt.Errorf("%s exists and does not list packages the usual way; add %s to it by hand", own, pkg)
	}
	return false, nil
}

var (
	superStart  = lazyregexp.New(`(?m)^([ \t]*)super\.start\(([A-Za-z_][A-Za-z0-9_]*)\);`)
	firstImport = lazyregexp.New(`(?m)^import `)
	packageList = lazyregexp.New(`new String\s*\[\s*\]\s*\{([^{}]*)\}`)
)

// addToActivator adds a scan to an activator that scans.
func addToActivator(text, getter, pkg string) (string, bool) {
	scans := regexp.MustCompile(getter + `\(\)\s*\.scan\([^;]*"` + regexp.QuoteMeta(pkg) + `"`)
	if scans.MatchString(text) {
		return text, true
	}
	at := superStart().FindStringSubmatchIndex(text)
	imports := firstImport().FindStringIndex(text)
	if at == nil || imports == nil {
		return text, false
	}
	eol := "\n"
	if strings.Contains(text, "\r\n") {
		eol = "\r\n"
	}
	indent, context := text[at[2]:at[3]], text[at[4]:at[5]]
	line := fmt.Sprintf(`%sCore.%s().scan(%s, "%s");%s`, indent, getter, context, pkg, eol)
	out := text[:at[0]] + line + text[at[0]:]
	if !regexp.MustCompile(`(?m)^import\s+org\.adempiere\.base\.(Core|\*)\s*;`).MatchString(out) {
		out = out[:imports[0]] + "import org.adempiere.base.Core;" + eol + out[imports[0]:]
	}
	return out, true
}

// addToFactory adds a package to those that a factory lists.
func addToFactory(text, pkg string) (string, bool) {
	at := packageList().FindStringSubmatchIndex(text)
	if at == nil {
		return text, false
	}
	list := text[at[2]:at[3]]
	if strings.Contains(list, `"`+pkg+`"`) {
		return text, true
	}
	body := strings.TrimRight(list, " \t\r\n")
	if body == "" {
		return text[:at[2]] + `"` + pkg + `"` + text[at[3]:], true
	}
	indent := ""
	if i := strings.LastIndexByte(body, '\n'); i >= 0 {
		indent = "\n" + body[i+1:len(body)-len(strings.TrimLeft(body[i+1:], " \t"))]
	} else {
		indent = " "
	}
	return text[:at[2]] + strings.TrimSuffix(body, ",") + "," + indent + `"` + pkg + `"` + list[len(body):] + text[at[3]:], true
}

// importThere makes sure that somebody imports the archives of a plugin that is
// there.
func (b *bundle) importThere() {
	activator := b.manifest.get("Bundle-Activator")
	if activator == "" {
		b.importArchives()
		b.manifest.set("Bundle-ActivationPolicy", "lazy")
		return
	}
	if strings.HasPrefix(activator, "org.adempiere.plugin.utils.") {
		return
	}
	if b.thereIs(b.sourceOf(activator)) {
		if data, err := readSource(b.existing, b.sourceOf(activator)); err == nil && strings.Contains(string(data), "Incremental2PackActivator") {
			return
		}
	}
	b.note("The activator %s has to extend Incremental2PackActivator of org.adempiere.plugin.utils for the ERP to import the archive.", activator)
}

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/erphub/erphub/internal/licences"
)

// The parts list of a program (SBOM), as CycloneDX 1.6 writes it in JSON:
// https://cyclonedx.org/docs/1.6/json/
type partsList struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Licences   []licence  `json:"licenses,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type licence struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// partsList tells what a program was linked of, as the program itself records it.
func (b *builder) partsList(program, system string) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("reading what the program was built of: %w", err)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	known := map[string]licences.Module{}
	for _, m := range b.modules {
		known[m.Path] = m
	}
	self := component{
		Type: "application", Ref: purl(info.Main.Path, info.Main.Version), Name: filepath.Base(program), Version: info.Main.Version,
		PURL: purl(info.Main.Path, info.Main.Version), Licences: []licence{licenceOf("Apache-2.0")},
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
	}
	self.Properties = append(self.Properties, property{"system", system})
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			self.Properties = append(self.Properties, property{"commit", s.Value})
		}
	}
	std := component{
		Type: "library", Ref: purl("std", info.GoVersion), Name: "std", Version: info.GoVersion,
		PURL: purl("std", info.GoVersion), Licences: []licence{licenceOf("BSD-3-Clause")},
	}
	list := partsList{
		Format: "CycloneDX", Spec: "1.6", Serial: "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceURL, sum[:]).String(), Version: 1,
		Metadata:   metadata{Timestamp: b.at.Format(time.RFC3339), Component: self},
		Components: []component{std},
	}
	uses := dependency{Ref: self.Ref, DependsOn: []string{std.Ref}}
	list.Dependencies = []dependency{{Ref: std.Ref}}
	for _, d := range info.Deps {
		module, ok := known[d.Path]
		if !ok {
			return nil, fmt.Errorf("%s links %s, whose licence is not known", filepath.Base(program), d.Path)
		}
		c := component{Type: "library", Ref: purl(d.Path, d.Version), Name: d.Path, Version: d.Version, PURL: purl(d.Path, d.Version)}
		for _, id := range module.Licences {
			c.Licences = append(c.Licences, licenceOf(id))
		}
		list.Components = append(list.Components, c)
		uses.DependsOn = append(uses.DependsOn, c.Ref)
		list.Dependencies = append(list.Dependencies, dependency{Ref: c.Ref})
	}
	list.Dependencies = append([]dependency{uses}, list.Dependencies...)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err = enc.Encode(list)
	return out.Bytes(), err
}

// purl is how package managers name a module: https://github.com/package-url
func purl(path, version string) string { return "pkg:golang/" + path + "@" + version }

func licenceOf(id string) (l licence) {
	l.Licence.ID = id
	return l
}

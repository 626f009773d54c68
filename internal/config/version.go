package config

import (
	"errors"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Version is the version of the file's form that this package writes. It
// stands in the file as version; a file without one is of version 0.
const Version = 1

const versionKey = "version"

// ErrNewer is wrapped when the file is of a version this program does not know.
var ErrNewer = errors.New("a newer program wrote it")

// checkVersion refuses what a newer program wrote, which may mean something
// else by the same keys.
func (d *Document) checkVersion() error {
	v, err := d.version()
	if err != nil || v <= Version {
		return err
	}
	return fmt.Errorf("%w: it is of version %d, and this one understands up to %d; use the newer erphub, or name another file with ERPHUB_CONFIG",
		ErrNewer, v, Version)
}

func (d *Document) version() (int, error) {
	n := child(d.root(), versionKey)
	if n == nil || isNull(n) {
		return 0, nil
	}
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < 0 {
		return 0, fmt.Errorf("line %d: version must be a whole number; it is that of the form of this file", n.Line)
	}
	return v, nil
}

// migrate brings a document of an older version into the form of this one. It
// is written with the next change.
func (d *Document) migrate() error {
	v, err := d.version()
	if err != nil || v >= Version {
		return err
	}
	// A login of version 0 left the address with its tokens alone.
	for _, profile := range append([]string{""}, d.Profiles()...) {
		if server, _ := d.Get(profile, "token.url"); server != "" {
			if err := d.SetAddress(profile, server); err != nil {
				return err
			}
		}
	}
	return nil
}

// stamp marks the document with the version it is written in.
func (d *Document) stamp() {
	root := d.root()
	i := index(root, versionKey)
	if i < 0 {
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: versionKey}, &yaml.Node{})
		i = len(root.Content) - 2
	}
	scalar(root.Content[i+1], strconv.Itoa(Version), Integer)
}

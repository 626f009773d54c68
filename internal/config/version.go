package config

import (
	"errors"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Version is the number of the file's form. It stands in the file as version; a file
// without one was written by hand, in this form.
const Version = 1

const versionKey = "version"

// ErrVersion is wrapped when the file is of another form than this program's.
var ErrVersion = errors.New("another version of erphub wrote it")

// checkVersion refuses a file of another form, which may mean something else by the
// same keys.
func (d *Document) checkVersion() error {
	n := child(d.root(), versionKey)
	if n == nil || isNull(n) {
		return nil
	}
	v, err := strconv.Atoi(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode || err != nil || v < 0:
		return fmt.Errorf("line %d: version must be a whole number; it is that of the form of this file", n.Line)
	case v != Version:
		return fmt.Errorf("%w: it has form %d, and this erphub reads form %d alone: use the erphub that wrote it, "+
			"or name another file with ERPHUB_CONFIG and log in again", ErrVersion, v, Version)
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

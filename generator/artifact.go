package generator

import "fmt"

// Artifact is the output of a generator, ready for delivery.
type Artifact struct {
	Name       string // of the file without .zip, or of the folder: com.example.demo
	ArtifactID string // Maven's artifact id, and the bundle's symbolic name
	Version    string // of the bundle without qualifier: 1.0.0
	Generator  string // name of the generator that made it
	Tree       *Tree
	// Existing is set when the tree holds additions to an existing plugin:
	// its files go into that plugin's folder instead of a new one.
	Existing bool
	// Notes are for the person who generates: what to do next, and what to look at.
	Notes []string
}

// Filename is the name of the artifact's zip. It is safe as a file name and in
// headers.
func (a *Artifact) Filename() string { return a.Name + ".zip" }

// Check checks whether the artifact can be delivered: a name that is one folder,
// and files.
func (a *Artifact) Check() error {
	switch {
	case a == nil || a.Tree == nil:
		return fmt.Errorf("the artifact has no files")
	case a.Tree.Len() == 0 && !a.Existing:
		return fmt.Errorf("the artifact %s has no files", quote(a.Name))
	}
	if why := checkSymbolicName(a.Name); why != "" {
		return &NameError{Kind: "artifact", Name: a.Name, Why: why}
	}
	return nil
}

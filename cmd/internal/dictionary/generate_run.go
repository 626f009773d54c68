package dictionary

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/generator"
)

// generateReport is what was made, for a machine. The keys of the receipt are those
// of the hub's responses for the mode.
type generateReport struct {
	Generator  string             `json:"generator"`
	ArtifactID string             `json:"artifactId"`
	Version    string             `json:"version"`
	Output     generator.Mode     `json:"output"`
	DryRun     bool               `json:"dryRun,omitempty"`
	Changes    []changeReport     `json:"changes"`
	Diff       string             `json:"diff,omitempty"`
	Receipt    *generator.Receipt `json:"receipt,omitempty"`
	Notes      []string           `json:"notes"`
}

// changeReport is what happens to one file.
type changeReport struct {
	Name   string           `json:"name"`
	Action generator.Action `json:"action"`
	Size   int              `json:"size"`
}

// generate makes a new plugin, or adds to the one of --plugin.
func (a *app) generate(c *cli.Context, g *generator.Generator) error {
	if c.String("plugin") != "" {
		return a.addComponent(c, g)
	}
	deliveries, err := a.deliveries(c)
	if err != nil {
		return err
	}
	mode, err := deliveries.Mode(c.String("deliver"))
	if err != nil {
		return shell.DeliveryError(err)
	}
	if err := a.checkOutput(c, mode); err != nil {
		return err
	}
	if mode == generator.ModeFilesystem {
		dir, err := a.outputFolder(c)
		if err != nil {
			return err
		}
		artifact, err := a.artifact(c, g, nil)
		if err != nil {
			return err
		}
		return a.writeArtifact(c, artifact, dir)
	}
	// Report what the delivery lacks before any question.
	to, err := a.deliveryFor(c, deliveries, mode)
	if err != nil && !c.Bool("dry-run") {
		return err
	}
	artifact, err := a.artifact(c, g, nil)
	if err != nil {
		return err
	}
	return a.deliverArtifact(c, artifact, mode, to)
}

// deliveryFlags are the flags that go with some deliveries only.
var deliveryFlags = []struct {
	flag  string
	modes []generator.Mode
}{
	{"diff", []generator.Mode{generator.ModeFilesystem}},
	{"force", []generator.Mode{generator.ModeFilesystem, generator.ModeArchive}},
	{"dir", []generator.Mode{generator.ModeFilesystem, generator.ModeArchive}},
	{"email", []generator.Mode{generator.ModeEmail}},
}

// checkOutput refuses flags that do not go together.
func (a *app) checkOutput(c *cli.Context, mode generator.Mode) error {
	for _, f := range deliveryFlags {
		if c.IsSet(f.flag) && !slices.Contains(f.modes, mode) {
			names := make([]string, len(f.modes))
			for i, m := range f.modes {
				names[i] = string(m)
			}
			return shell.Usagef("--%s goes with --deliver %s, not with %s", f.flag, strings.Join(names, " or "), mode)
		}
	}
	if mode == generator.ModeEmail && c.String("email") == "" {
		return shell.Usagef("--deliver email needs --email, the address to send to")
	}
	if c.String("dir") != "-" {
		return nil
	}
	if mode != generator.ModeArchive {
		return shell.Usagef("--dir - goes with --deliver archive")
	}
	if c.Bool("json") || shell.Terminal(a.Streams.Out) {
		return shell.Usagef("an archive is binary: write it to a file or a pipe, and leave out --json")
	}
	return nil
}

// artifact generates, adding to a plugin when there is one.
func (a *app) artifact(c *cli.Context, g *generator.Generator, plugin fs.FS) (*generator.Artifact, error) {
	options, err := generatorOptions(c, g, plugin != nil)
	if err != nil {
		return nil, err
	}
	if err := a.askMissing(c, g, options, plugin != nil); err != nil {
		return nil, err
	}
	reg, err := a.generatorRegistry(c, g.Dictionary(options))
	if err != nil {
		return nil, err
	}
	var made *generator.Artifact
	if plugin != nil {
		made, err = generator.Add(c.Context, reg, plugin, g.Name, options)
	} else {
		made, err = generator.Generate(c.Context, reg, g.Name, options)
	}
	return made, generatorError(err)
}

// writeArtifact writes to a folder, or shows what that would do.
func (a *app) writeArtifact(c *cli.Context, artifact *generator.Artifact, dir string) error {
	target := &generator.Filesystem{Dir: dir, Force: c.Bool("force"), DryRun: c.Bool("dry-run") || c.Bool("diff")}
	changes, err := target.Changes(c.Context, artifact)
	if err != nil {
		return err
	}
	report := newGenerateReport(c, artifact, generator.ModeFilesystem)
	for _, change := range changes {
		report.Changes = append(report.Changes, changeReport{change.Name, change.Action, len(change.After)})
	}
	if c.Bool("diff") {
		diff, err := target.Diff(c.Context, artifact)
		if err != nil {
			return err
		}
		if !c.Bool("json") {
			a.notes(report.Notes)
			if shell.Terminal(a.Streams.Out) {
				diff = []byte(shell.Printable(string(diff)))
			}
			_, err := a.Streams.Out.Write(diff)
			return err
		}
		report.Diff = string(diff)
	}
	err = a.withProgress(artifact, func(p generator.Progress) (err error) {
		report.Receipt, err = target.Deliver(c.Context, artifact, p)
		return err
	})
	if exists := (*generator.ExistsError)(nil); errors.As(err, &exists) {
		return fmt.Errorf("%w (--diff, --force, --dir)", err)
	}
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return a.PrintJSON(report)
	}
	for _, change := range report.Changes {
		fmt.Fprintf(a.Streams.Out, "%-9s %s\n", change.Action, shell.Printable(change.Name))
	}
	written := "written to"
	if report.DryRun {
		written = "would be written to"
	}
	fmt.Fprintf(a.Streams.Out, "%s: %s %s %s\n", artifact.Name, count(len(report.Receipt.Files), "file"), written, shell.Printable(report.Receipt.Path))
	a.notes(report.Notes)
	return nil
}

func count(n int, what string) string { return shell.Count(n, what, what+"s") }

// deliverArtifact delivers a new plugin any other way than to a folder.
func (a *app) deliverArtifact(c *cli.Context, artifact *generator.Artifact, mode generator.Mode, to generator.Delivery) error {
	report := newGenerateReport(c, artifact, mode)
	for _, f := range artifact.Tree.Files() {
		report.Changes = append(report.Changes, changeReport{f.Name, generator.ActionCreate, len(f.Content)})
	}
	if c.Bool("dry-run") {
		if c.Bool("json") {
			return a.PrintJSON(report)
		}
		for _, f := range report.Changes {
			fmt.Fprintf(a.Streams.Out, "%-9s %s\n", f.Action, shell.Printable(f.Name))
		}
		fmt.Fprintf(a.Streams.Out, "%s: %s, %d bytes, would be delivered as %s\n", artifact.Name, count(len(report.Changes), "file"), artifact.Tree.Size(), mode)
		a.notes(report.Notes)
		return nil
	}
	err := a.withProgress(artifact, func(p generator.Progress) (err error) {
		report.Receipt, err = to.Deliver(c.Context, artifact, p)
		return err
	})
	if err != nil {
		return shell.DeliveryError(err)
	}
	a.notes(report.Notes)
	if mode == generator.ModeArchive {
		return a.saveArchive(c, artifact, report)
	}
	if c.Bool("json") {
		return a.PrintJSON(report)
	}
	return a.printReceipt(artifact, report.Receipt)
}

// saveArchive writes a zip to the folder of --dir, or to standard output.
func (a *app) saveArchive(c *cli.Context, artifact *generator.Artifact, report *generateReport) error {
	if c.String("dir") == "-" {
		_, err := a.Streams.Out.Write(report.Receipt.Zip)
		return err
	}
	path := filepath.Join(c.String("dir"), artifact.Filename())
	has, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil && !c.Bool("force"):
		return fmt.Errorf("looking at %s: %w", path, err)
	case err == nil && !c.Bool("force") && !bytes.Equal(has, report.Receipt.Zip):
		return fmt.Errorf("%s already exists with other content; take another folder with --dir, or give --force", path)
	}
	if err := shell.WriteFile(path, report.Receipt.Zip); err != nil {
		return err
	}
	if c.Bool("json") {
		return a.PrintJSON(report)
	}
	fmt.Fprintf(a.Streams.Out, "%s: %s, %d bytes in %s\n", artifact.Name, count(len(report.Changes), "file"), len(report.Receipt.Zip), shell.Printable(path))
	return nil
}

// printReceipt tells a person where an artifact went.
func (a *app) printReceipt(artifact *generator.Artifact, r *generator.Receipt) error {
	lines := [][2]string{{"download", r.DownloadURL}, {"url", r.URL}, {"bucket", r.Bucket}, {"key", r.Key},
		{"repository", r.RepositoryURL}, {"clone", r.CloneURL}, {"commit", r.Commit}, {"sent to", r.SentTo}, {"file", r.Filename}}
	if !r.ExpiresAt.IsZero() {
		lines = append(lines, [2]string{"until", r.ExpiresAt.UTC().Format("2006-01-02 15:04:05 UTC")})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: delivered as %s\n", artifact.Name, r.Mode)
	for _, l := range lines {
		if l[1] != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", l[0], shell.Printable(l[1]))
		}
	}
	_, err := a.Streams.Out.Write([]byte(b.String()))
	return err
}

func newGenerateReport(c *cli.Context, artifact *generator.Artifact, mode generator.Mode) *generateReport {
	r := &generateReport{Generator: artifact.Generator, ArtifactID: artifact.ArtifactID, Version: artifact.Version, Output: mode,
		DryRun: c.Bool("dry-run") || c.Bool("diff"), Changes: []changeReport{}, Notes: artifact.Notes}
	if r.Notes == nil {
		r.Notes = []string{}
	}
	return r
}

func (a *app) notes(notes []string) {
	for _, n := range notes {
		a.Note("%s", n)
	}
}

// withProgress shows on a terminal how far a delivery is.
func (a *app) withProgress(artifact *generator.Artifact, do func(generator.Progress) error) error {
	bar := a.Progress(artifact.Tree.Len(), artifact.Name)
	defer bar.Done()
	return do(func(done, total int, what string) {
		bar.Describe(what)
		bar.Set(done, total)
	})
}

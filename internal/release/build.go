package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/licences"
)

// release builds everything into o.out.
func release(ctx context.Context, o options) error {
	for _, system := range o.systems {
		if !slices.Contains(licences.Systems, system) {
			return fmt.Errorf("%q is not one of the systems that are released: %s", system, strings.Join(licences.Systems, ", "))
		}
	}
	if err := check(ctx, o.source, o.version); err != nil {
		return err
	}
	if entries, err := os.ReadDir(o.out); err == nil && len(entries) > 0 {
		return fmt.Errorf("the folder %s is not empty: remove it, so that nothing of another release is published", o.out)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	work, err := os.MkdirTemp("", "erphub-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // nothing of it is needed
	source := filepath.Join(work, "source")
	if err := clone(ctx, o.source, o.version, source); err != nil {
		return err
	}
	at, err := timeOf(ctx, source)
	if err != nil {
		return err
	}
	if err := checkGenerated(ctx, source); err != nil {
		return err
	}
	modules, err := licences.Linked(ctx, source, licences.Systems, "./cmd/erphub")
	if err != nil {
		return err
	}
	b := &builder{options: o, source: source, work: work, at: at, modules: modules}
	return b.all(ctx)
}

// builder makes the archives of one release.
type builder struct {
	options
	source, work string
	at           time.Time
	modules      []licences.Module
	documents    []file
}

func (b *builder) all(ctx context.Context) error {
	if err := b.describe(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, system := range b.systems {
		program, err := b.program(ctx, system)
		if err != nil {
			return err
		}
		list, err := b.partsList(program, system)
		if err != nil {
			return err
		}
		archive, packed, err := b.archive(program, system)
		if err != nil {
			return err
		}
		for _, f := range []file{{name: archive, content: packed}, {name: b.base(system) + ".cdx.json", content: list}} {
			if err := os.WriteFile(filepath.Join(b.out, f.name), f.content, 0o644); err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.content), f.name)
			fmt.Fprintf(b.log, "%s: %.1f MB\n", f.name, float64(len(f.content))/1e6)
		}
	}
	return os.WriteFile(filepath.Join(b.out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// base is the name of files for a system.
func (b *builder) base(system string) string {
	return "erphub_" + strings.TrimPrefix(b.version, "v") + "_" + strings.ReplaceAll(system, "/", "_")
}

// goEnvironment is the environment without settings that change what is built.
func goEnvironment(more ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GOFLAGS", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFIPS140", "GOWORK", "GODEBUG", "CGO_ENABLED"}, name)
	})
	return append(append(env, "GOWORK=off", "GOENV=off", "GOFLAGS=-mod=readonly"), more...)
}

// program builds erphub for a system and returns where it is: static, stripped,
// without paths of this machine, and with version and commit.
func (b *builder) program(ctx context.Context, system string) (string, error) {
	goos, goarch, _ := strings.Cut(system, "/")
	path := filepath.Join(b.work, goos+"_"+goarch, "erphub")
	if goos == "windows" {
		path += ".exe"
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, command(ctx, b.source, goEnvironment("GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
		"go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", path, "./cmd/erphub")
}

// describe gathers what every archive has beside the program: texts, completions
// and man pages, which the program for this machine writes.
func (b *builder) describe(ctx context.Context) error {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(b.source, name))
		if err != nil {
			return err
		}
		b.documents = append(b.documents, file{name: name, content: absoluteLinks(text, b.version)})
	}
	texts, err := licences.Texts(b.modules)
	if err != nil {
		return err
	}
	b.documents = append(b.documents, file{name: "THIRD_PARTY_LICENSES.txt", content: texts})
	here, err := b.program(ctx, runtime.GOOS+"/"+runtime.GOARCH)
	if err != nil {
		return err
	}
	version, err := output(ctx, b.work, here, "version")
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(version), "erphub version "+b.version+" ") {
		return fmt.Errorf("the program says %q, not version %s: is the tag on the commit, and git in the path?", strings.TrimSpace(string(version)), b.version)
	}
	for shell, name := range map[string]string{"bash": "erphub.bash", "zsh": "_erphub", "fish": "erphub.fish", "powershell": "erphub.ps1"} {
		script, err := output(ctx, b.work, here, "completion", shell)
		if err != nil {
			return err
		}
		b.documents = append(b.documents, file{name: "completions/" + name, content: script})
	}
	pages, err := b.manPages(ctx, here)
	if err != nil {
		return err
	}
	b.documents = append(b.documents, pages...)
	slices.SortFunc(b.documents, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return nil
}

// manPages are those that the program writes, if it has a command for that.
func (b *builder) manPages(ctx context.Context, program string) ([]file, error) {
	if _, err := output(ctx, b.work, program, "help", "man"); err != nil {
		fmt.Fprintln(b.log, "no man pages: this erphub has no command man")
		return nil, nil
	}
	folder := filepath.Join(b.work, "man")
	if _, err := output(ctx, b.work, program, "man", folder); err != nil {
		return nil, err
	}
	var pages []file
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		pages = append(pages, file{name: "man/" + entry.Name(), content: text})
		return err
	})
	return pages, err
}

// output is what a program of the release prints, with no settings of this user.
func output(ctx context.Context, home, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1"}
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w", filepath.Base(program), strings.Join(args, " "), err)
	}
	return out, err
}

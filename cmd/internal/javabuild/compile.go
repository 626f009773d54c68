// Package javabuild compiles a plugin with the Java compiler alone, and packs it as a
// bundle: neither Maven nor a build of the ERP is needed.
package javabuild

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// stubs declare as much of the ERP's public types as generated sources use.
//
//go:embed stubs
var stubs embed.FS

// ErrSources is in the error of a plugin whose sources do not compile.
var ErrSources = errors.New("the sources do not compile")

// Plugin is one that was compiled.
type Plugin struct {
	Name    string // symbolic name of the bundle
	Sources int
	Jars    int // of the installation; 0: compiled against the stubs
	dir     string
	classes string // folder
}

// Compile compiles the plugin in a folder, into a folder that is there. against is the
// folder of an ERP that is installed, or of its bundles; empty: the sources are
// compiled against declarations of those types that generated sources use, which tells
// whether what was generated is whole. What the compiler says is in the error, with
// paths below the plugin's folder.
func Compile(ctx context.Context, dir, against, classes string) (*Plugin, error) {
	manifest, err := os.ReadFile(filepath.Join(dir, "META-INF", "MANIFEST.MF"))
	if err != nil {
		return nil, fmt.Errorf("reading the plugin: %w", err)
	}
	p := &Plugin{Name: header(manifest, "Bundle-SymbolicName"), dir: dir, classes: classes}
	sources, err := filesBelow(dir, "src", ".java")
	if err != nil || len(sources) == 0 {
		return nil, errors.Join(fmt.Errorf("%s has no Java sources below src", dir), err)
	}
	p.Sources = len(sources)
	javac, err := compiler()
	if err != nil {
		return nil, err
	}
	args := []string{"-encoding", "UTF-8", "-proc:none", "-implicit:none", "-nowarn", "-d", classes}
	if m := environment().FindSubmatch(manifest); m != nil {
		args = append(args, "--release", string(m[1]))
	}
	work, err := os.MkdirTemp("", "erphub-javac")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	if against == "" {
		if err := os.CopyFS(work, stubs); err != nil {
			return nil, err
		}
		args = append(args, "-sourcepath", filepath.Join(work, "stubs"))
	} else {
		jars, err := bundles(against)
		if err != nil {
			return nil, err
		}
		p.Jars = len(jars)
		args = append(args, "-cp", strings.Join(jars, string(filepath.ListSeparator)))
	}
	listed := filepath.Join(work, "arguments") // a command line would become too long
	if err := os.WriteFile(listed, argumentFile(append(args, sources...)), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, javac, "-J-Duser.language=en", "@"+listed)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &failed):
		return nil, fmt.Errorf("%w:\n%s", ErrSources, bytes.TrimSpace(said))
	case err != nil:
		return nil, fmt.Errorf("running the Java compiler: %w", err)
	}
	return p, nil
}

// environment is the version of Java that a bundle requires.
var environment = lazyregexp.New(`(?m)^Bundle-RequiredExecutionEnvironment: *JavaSE-(\d+)`)

// header is the first part of a header of a manifest, without its parameters.
func header(manifest []byte, name string) string {
	for line := range strings.Lines(string(manifest)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			value, _, _ = strings.Cut(value, ";")
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// compiler is the Java compiler of JAVA_HOME, or the first of the PATH.
func compiler() (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		if path, err := exec.LookPath(filepath.Join(home, "bin", "javac")); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath("javac")
	if err != nil {
		return "", errors.New("there is no Java compiler: install a JDK (openjdk-17-jdk-headless on Debian), or say with JAVA_HOME where one is")
	}
	return path, nil
}

// bundles are the jars of an installation: those of its folder plugins, or of the folder.
func bundles(dir string) ([]string, error) {
	for _, at := range []string{filepath.Join(dir, "plugins"), dir} {
		jars, err := filepath.Glob(filepath.Join(at, "*.jar"))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(jars, func(j string) bool { return strings.HasPrefix(filepath.Base(j), "org.adempiere.base") }) {
			return absolute(jars)
		}
	}
	return nil, fmt.Errorf("%s holds no bundle org.adempiere.base: name the folder of an installed ERP, or that of its plugins", dir)
}

func absolute(paths []string) ([]string, error) {
	for i, path := range paths {
		var err error
		if paths[i], err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// filesBelow lists the files of a folder of dir by their paths below dir, those with an
// ending; empty: all.
func filesBelow(dir, folder, ending string) ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(dir), folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ending) {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// argumentFile writes arguments as the compiler reads them from a file.
func argumentFile(args []string) []byte {
	var b bytes.Buffer
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for _, a := range args {
		fmt.Fprintf(&b, "\"%s\"\n", quote.Replace(a))
	}
	return b.Bytes()
}

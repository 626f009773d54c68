package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// versionPattern is a semantic version as Go's modules write it.
var versionPattern = lazyregexp.New(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// check tells all reasons why the checkout cannot be released as that version,
// as far as git and CHANGELOG.md know them.
func check(ctx context.Context, source, version string) error {
	if !versionPattern().MatchString(version) {
		return fmt.Errorf("%q is no version; write it as VERSION=v1.2.3", version)
	}
	var reasons []error
	changelog, err := os.ReadFile(filepath.Join(source, "CHANGELOG.md"))
	if err != nil {
		return fmt.Errorf("reading what the version brings: %w", err)
	}
	if !hasSection(string(changelog), version) {
		reasons = append(reasons, fmt.Errorf("CHANGELOG.md has no section %q with a text: rename Unreleased, and commit", "## "+version))
	}
	status, err := git(ctx, source, "status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" {
		reasons = append(reasons, fmt.Errorf("there are changes that are not committed:\n%s", status))
	}
	head, err := git(ctx, source, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if tagged, err := git(ctx, source, "rev-parse", "--verify", "--quiet", "refs/tags/"+version+"^{commit}"); err == nil && tagged != head {
		reasons = append(reasons, fmt.Errorf("the tag %s is on another commit, %s, not on %s: a version that was published stays what it is; take the next", version, tagged, head))
	}
	return errors.Join(reasons...)
}

// hasSection reports whether a changelog has a section of the version with a text.
// Its heading may go on with a date.
func hasSection(changelog, version string) bool {
	inside := false
	for line := range strings.Lines(changelog) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			fields := strings.Fields(heading)
			inside = len(fields) > 0 && fields[0] == version
		} else if inside && strings.TrimSpace(line) != "" {
			return true
		}
	}
	return false
}

// checkGenerated reports whether api.txt and the list of licences are those of the
// source, which it writes anew: source is a clone.
func checkGenerated(ctx context.Context, source string) error {
	if err := command(ctx, source, goEnvironment(), "go", "generate", "."); err != nil {
		return err
	}
	status, err := git(ctx, source, "status", "--porcelain")
	if err == nil && status != "" {
		err = fmt.Errorf("generated files are not current: run go generate . and commit\n%s", status)
	}
	return err
}

// clone makes a checkout of the commit that source has, with the version as its
// only tag: Go records the tag as the program's version.
func clone(ctx context.Context, source, version, folder string) error {
	head, err := git(ctx, source, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if shallow, err := git(ctx, source, "rev-parse", "--is-shallow-repository"); err != nil || shallow == "true" {
		return errors.Join(err, errors.New("the checkout has a part of the history only, from which Go tells no version: git fetch --unshallow"))
	}
	root, err := filepath.Abs(source)
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"clone", "--quiet", "--no-tags", "--no-checkout", "--shared", root, folder},
		{"-C", folder, "-c", "advice.detachedHead=false", "checkout", "--quiet", head},
		{"-C", folder, "tag", "--no-sign", version},
	} {
		if _, err := git(ctx, ".", args...); err != nil {
			return err
		}
	}
	return nil
}

// timeOf is the time that files of the release have.
func timeOf(ctx context.Context, source string) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = git(ctx, source, "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, err
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q, which is not a number of seconds", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// git runs git in a folder and returns what it printed.
func git(ctx context.Context, folder string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return strings.TrimSpace(out.String()), nil
}

// command runs a command in a folder, and tells what it printed when it fails.
func command(ctx context.Context, folder string, environ []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = folder, environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

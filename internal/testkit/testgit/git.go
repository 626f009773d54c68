package testgit

import (
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/erphub/erphub/internal/testkit/testproc"
)

// git runs the git program in a folder, without the settings of this machine.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), find(t), args...)
	cmd.Dir = dir
	cmd.Env = gitEnv(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func find(t testing.TB) string {
	t.Helper()
	return testproc.Find(t, "install the package git", "git")
}

func gitEnv(t testing.TB) []string {
	return []string{"HOME=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C.UTF-8", "PATH=" + os.Getenv("PATH")}
}

// backend serves the repositories below root over HTTP.
func backend(t testing.TB, root string) http.Handler {
	return &cgi.Handler{
		Path: find(t),
		Args: []string{"http-backend"},
		Dir:  root,
		Env:  append(gitEnv(t), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=tester"),
		// What it complains about on its stderr, connections that went away
		// above all, is of no interest.
		Stderr: new(strings.Builder),
	}
}

// initBare makes an empty repository that can be pushed to.
func initBare(root, program string, env []string, fullName, branch string) error {
	dir := filepath.Join(root, filepath.FromSlash(fullName)+".git")
	for _, args := range [][]string{
		{"init", "--quiet", "--bare", "--initial-branch=" + branch, dir},
		{"-C", dir, "config", "http.receivepack", "true"},
		{"-C", dir, "config", "transfer.fsckObjects", "true"},
	} {
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Dir = env, root
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}

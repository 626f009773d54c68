package doctor

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/config"
)

// DatabaseVariable is the environment variable that names the ERP's database.
const DatabaseVariable = "ERP_DATABASE_URL"

// Host is what [Environment] looks at.
type Host struct {
	Program string            // name and version
	Environ map[string]string // variables of the environment
	// ConfigPath is where the configuration file is or would be; ConfigErr says
	// why there is no place for one.
	ConfigPath string
	ConfigErr  error
}

// Environment examines this machine: the place of the configuration, and the
// variables that are set. Values of variables are never part of a finding.
func Environment(ctx context.Context, h Host) []Check {
	r := &run{area: AreaEnvironment}
	r.check(ctx, "program", func(context.Context) (string, error) {
		return fmt.Sprintf("%s on %s/%s", h.Program, runtime.GOOS, runtime.GOARCH), nil
	}, "")
	r.check(ctx, "configuration folder", func(context.Context) (string, error) { return h.folder() },
		"keep it for yourself (chmod 700), because the file in it may hold tokens; ERPHUB_CONFIG names another file")
	r.check(ctx, "variables", func(context.Context) (string, error) { return h.variables() },
		"correct the name, or unset it: a variable that is not read changes nothing")
	r.check(ctx, "login variables", func(context.Context) (string, error) { return h.login() },
		"set both ERP_USERNAME and ERP_PASSWORD, or ERP_TOKEN alone, or none of them and log in with `erphub auth login`")
	r.check(ctx, "proxy", func(context.Context) (string, error) { return h.proxy() }, "")
	return r.checks
}

func (h Host) folder() (string, error) {
	if h.ConfigErr != nil {
		return h.ConfigErr.Error() + "; only flags and variables are used", errWarn
	}
	dir := filepath.Dir(h.ConfigPath)
	st, err := os.Stat(dir)
	switch {
	case os.IsNotExist(err):
		return dir + " does not exist yet; it is created when something is stored", nil
	case err != nil:
		return err.Error(), errWarn
	case !st.IsDir():
		return dir + " is not a folder", errWarn
	case runtime.GOOS != "windows" && st.Mode().Perm()&0o022 != 0 && st.Mode()&os.ModeSticky == 0:
		return fmt.Sprintf("others may write to %s (mode %04o)", dir, st.Mode().Perm()), errWarn
	}
	return dir, nil
}

// read are the variables with our prefixes that some program of the module
// reads.
func read() []string {
	names := []string{"ERPHUB_CONFIG", "ERPHUB_PROFILE", DatabaseVariable}
	for _, k := range config.Keys() {
		if strings.HasPrefix(k.Env, "ERP") {
			names = append(names, k.Env)
		}
	}
	slices.Sort(names)
	return names
}

func (h Host) variables() (string, error) {
	known := read()
	var used, unknown []string
	for _, name := range slices.Sorted(maps.Keys(h.Environ)) {
		switch {
		case h.Environ[name] == "":
		case slices.Contains(known, name), config.IsVariable(name):
			used = append(used, name)
		case strings.HasPrefix(name, "ERP_"), strings.HasPrefix(name, "ERPHUB_"):
			unknown = append(unknown, name)
		}
	}
	switch {
	case len(unknown) > 0:
		return fmt.Sprintf("nothing reads %s; read are %s", strings.Join(unknown, ", "), strings.Join(known, ", ")), errWarn
	case len(used) == 0:
		return "no variables of erphub are set", nil
	}
	return "set: " + strings.Join(used, ", "), nil
}

func (h Host) login() (string, error) {
	token, user, password := h.Environ["ERP_TOKEN"] != "", h.Environ["ERP_USERNAME"] != "", h.Environ["ERP_PASSWORD"] != ""
	switch {
	case user != password:
		return "of ERP_USERNAME and ERP_PASSWORD only one is set", errWarn
	case token && user:
		return "ERP_TOKEN is set besides ERP_USERNAME and ERP_PASSWORD, and is not used", errWarn
	case token:
		return "ERP_TOKEN", nil
	case user:
		return "ERP_USERNAME and ERP_PASSWORD", nil
	}
	return "none; a stored login is used", nil
}

func (h Host) proxy() (string, error) {
	set := slices.DeleteFunc([]string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"}, func(name string) bool {
		return h.Environ[name] == "" && h.Environ[strings.ToLower(name)] == ""
	})
	if len(set) == 0 {
		return "none", nil
	}
	return "set: " + strings.Join(set, ", "), nil
}

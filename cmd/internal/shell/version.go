package shell

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
)

// Version is the module's version as the build recorded it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// Commit is the commit that the program was built of and its time, as the build
// recorded them; empty where it was not built in a checkout. A commit that ends in
// "+dirty" had changes beside it.
func Commit() (commit, at string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", ""
	}
	var dirty bool
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.time":
			at = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty && commit != "" {
		commit += "+dirty"
	}
	return commit, at
}

// versionAsked makes --version and -v right behind the program's name the command
// version. Elsewhere they are flags of commands, such as a plugin's version.
func versionAsked(args []string) []string {
	if len(args) > 1 && (args[1] == "--version" || args[1] == "-v") {
		return slices.Concat(args[:1], []string{"version"}, args[2:])
	}
	return args
}

// VersionCommand prints the version.
func (sh *Shell) VersionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Flags: ValueFlags(),
		Action: func(c *cli.Context) error {
			if err := Arguments(c); err != nil {
				return err
			}
			value := map[string]string{"version": Version(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH}
			if commit, at := Commit(); commit != "" {
				value["commit"], value["committed"] = commit, at
			}
			return sh.Print(c, value, output.Table{Below: fmt.Sprintf("%s version %s\n", c.App.Name, c.App.Version)})
		},
	}
}

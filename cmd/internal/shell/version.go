package shell

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v2"
)

// Version is the module's version as the build recorded it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
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
		Action: func(c *cli.Context) error {
			if err := Arguments(c); err != nil {
				return err
			}
			if c.Bool("json") {
				return sh.PrintJSON(map[string]string{
					"version": Version(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(sh.Streams.Out, "%s version %s\n", c.App.Name, c.App.Version)
			return err
		},
	}
}

package dictionary

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/javabuild"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/atomicfile"
)

func (a *app) generateCheckCommand() *cli.Command {
	return &cli.Command{
		Name: "check", Usage: "compile a plugin with the Java compiler alone, and make its bundle", ArgsUsage: "[FOLDER]",
		Description: "FOLDER is the folder of a plugin, or one in it (default: the working directory). Without --against it checks the sources with " +
			"the types of the ERP that generated code uses, which shows whether the generated code is complete. With --against it compiles " +
			"them with the bundles of an installed ERP, and --jar writes the bundle that its server installs. It needs a JDK (JAVA_HOME, or " +
			"javac in the PATH), but neither Maven nor a build of the ERP.",
		Flags: append(shell.ValueFlags(),
			&cli.StringFlag{Name: "against", Usage: "folder of an installed ERP, or of its plugins", TakesFile: true},
			&cli.StringFlag{Name: "jar", Usage: "file to write the bundle to, such as com.example.machine.jar", TakesFile: true},
		),
		Action: a.generateCheck,
	}
}

func (a *app) generateCheck(c *cli.Context) (err error) {
	against, jar := c.String("against"), c.String("jar")
	if c.NArg() > 1 {
		return shell.Usagef("generate check takes the folder of one plugin")
	}
	if jar != "" && against == "" {
		return shell.Usagef("--jar needs --against: only what was compiled against an installed ERP is to be installed")
	}
	dir, err := pluginAround(c.Args().First())
	if err != nil {
		return err
	}
	classes, err := os.MkdirTemp("", "erphub-classes")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(classes)) }()
	p, err := javabuild.Compile(c.Context, dir, against, classes)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(dir), err)
	}
	with := "the types of the ERP that generated sources use"
	if against != "" {
		with = fmt.Sprintf("%s in %s", count(p.Jars, "bundle"), against)
	}
	below := fmt.Sprintf("%s: %s compiled with %s\n", shell.Printable(p.Name), count(p.Sources, "source"), shell.Printable(with))
	if jar != "" {
		content, err := p.Bundle(time.Now())
		if err != nil {
			return err
		}
		if err := atomicfile.Write(jar, content, 0o644); err != nil {
			return fmt.Errorf("writing the bundle: %w", err)
		}
		below += fmt.Sprintf("wrote %s: put it into the server's plugins folder, then install and start it in the OSGi console\n", shell.Printable(jar))
	}
	return a.Print(c, map[string]any{"plugin": p.Name, "sources": p.Sources, "bundles": p.Jars, "jar": jar}, output.Table{Below: below})
}

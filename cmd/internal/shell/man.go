package shell

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/help"
)

// ManCommand writes the help as manual pages.
func (sh *Shell) ManCommand() *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "write the help as manual pages", ArgsUsage: "[DIR]",
		Description: "Writes one page per command into the folder DIR, which is made where it is missing (default: man1): erphub.1, erphub-record.1, " +
			"erphub-record-list.1 and so on.",
		Action: TextOnly(func(c *cli.Context) error {
			if c.NArg() > 1 {
				return Usagef("man takes one folder at most, got %d arguments", c.NArg())
			}
			dir := cmp.Or(c.Args().First(), "man1")
			pages := help.All(c.App)
			for _, p := range pages {
				var text bytes.Buffer
				if err := p.WriteMan(&text, Version()); err != nil {
					return err
				}
				if err := WriteFile(filepath.Join(dir, p.ManName()+".1"), text.Bytes()); err != nil {
					return fmt.Errorf("writing the manual: %w", err)
				}
			}
			sh.Note("%d manual pages are in %s", len(pages), dir)
			return nil
		}),
	}
}

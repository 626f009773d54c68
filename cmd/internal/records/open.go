package records

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/cli/browser"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

func (a *app) openCommand() *cli.Command {
	return &cli.Command{
		Name: "open", Usage: "open a record in the ERP's web client, in its window", ArgsUsage: "[TABLE ID]",
		Description: "Without a record it opens the web client. The setting web-url (ERP_WEB_URL) says where the web client is, if it is not at /webui/ of the ERP.",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "print", Aliases: []string{"n"}, Usage: "print the link and open nothing"}},
		Action:      a.open,
	}
}

func (a *app) open(c *cli.Context) error {
	table, id := "", erp.ID{}
	switch {
	case c.NArg() == 1:
		return shell.Usagef("open takes a table and an id: the web client has links to records only, such as open %s 100; "+
			"`erphub record list %s` lists ids", c.Args().First(), c.Args().First())
	case c.NArg() > 0:
		if err := shell.Arguments(c, "a table", "an id"); err != nil {
			return err
		}
		table = c.Args().First()
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	setup, err := a.Setup(c)
	if err != nil {
		return err
	}
	if table != "" { // a link to nothing opens an empty window, which says nothing
		if id, err = a.find(c, client, table, c.Args().Get(1)); err != nil {
			return err
		}
		rec, err := client.Get(c.Context, table, id, &erp.GetOptions{Select: []string{"AD_Client_ID"}})
		if err != nil {
			return a.hint(c, client, table, shell.Input(err))
		}
		id = rec.ID()
	}
	link := client.WebLink(setup.Resolver.Lookup("web-url"), table, id)
	if err := a.Print(c, map[string]any{"url": link}, output.Table{Below: shell.Printable(link) + "\n"}); err != nil {
		return err
	}
	if c.Bool("json") || c.Bool("print") || !shell.Terminal(a.Streams.Out) {
		return nil
	}
	return opened(browser.OpenURL(link), link)
}

// show opens a file with the program that the desktop has for it.
func (a *app) show(path string) error {
	full, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return opened(browser.OpenFile(full), path)
}

func opened(err error, what string) error {
	if err != nil {
		return fmt.Errorf("opening %s: %w; open it by hand", what, err)
	}
	return nil
}

func init() { // the programs that open things write to the terminal
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
}

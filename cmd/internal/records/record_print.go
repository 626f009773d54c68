package records

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

func (a *app) printCommand() *cli.Command {
	return &cli.Command{
		Name: "print", Usage: "print a record as its window does, such as an order or an invoice", ArgsUsage: "TABLE ID",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "report-type", Usage: "PDF, HTML, CSV, XLS or XLSX (default: by the name of --output, else PDF)"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, TakesFile: true, Usage: "file or folder to write to, or - for standard output (default: the working directory)"},
			&cli.BoolFlag{Name: "open", Usage: "open the file when it is written"},
		},
		Action: shell.Takes(a.recordPrint, "a table", "an id"),
	}
}

// reportTypeOf is the type of a report by the name of the file it goes to.
func reportTypeOf(output string) erp.ReportType {
	return erp.ReportType(strings.ToUpper(strings.TrimPrefix(filepath.Ext(output), ".")))
}

// printTarget is the file, the folder or - that a print goes to, and its type as far
// as that is said.
func printTarget(c *cli.Context) (target string, format erp.ReportType, err error) {
	target, format = c.String("output"), erp.ReportType(strings.ToUpper(c.String("report-type")))
	if c.Bool("open") && target == "-" {
		return "", "", shell.Usagef("--open opens a file, and --output - writes none")
	}
	if target == "" {
		return ".", format, nil
	}
	if st, err := os.Stat(target); format == "" && !(err == nil && st.IsDir()) {
		format = reportTypeOf(target)
	}
	return target, format, nil
}

func (a *app) recordPrint(c *cli.Context) error {
	target, format, err := printTarget(c)
	if err != nil {
		return err
	}
	client, table, id, err := a.record(c)
	if err != nil {
		return err
	}
	result, err := client.Print(c.Context, table, id, format)
	if result == nil {
		return a.hint(c, client, table, shell.Input(err))
	}
	saved, saveErr := a.saveFile(target, result)
	if err := errors.Join(err, saveErr); err != nil || saved == "-" {
		return err
	}
	_, data, _ := result.File()
	err = a.Print(c, map[string]any{"table": table, "id": id, "file": saved, "bytes": len(data)}, output.Table{Below: shell.Printable(saved) + "\n"})
	if err != nil || !c.Bool("open") {
		return err
	}
	if reportTypeOf(saved) != cmp.Or(format, erp.ReportPDF) { // the name is the server's
		return fmt.Errorf("%s is not of the type that was requested, so it is not opened", saved)
	}
	return a.show(saved)
}

package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

// fileCommands are the commands for the files attached to a record.
func (a *app) fileCommands() []*cli.Command {
	yes := &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"}
	return []*cli.Command{
		{
			Name: "attachments", Usage: "list the files attached to a record", ArgsUsage: "TABLE ID",
			Flags:  append(shell.OutputFlags(), &cli.BoolFlag{Name: "archives", Usage: "list the documents that the ERP keeps of it, such as an invoice as it was printed"}),
			Action: shell.Takes(a.recordAttachments, "a table", "an id"),
		},
		{
			Name: "attach", Usage: "attach files to a record", ArgsUsage: "TABLE ID FILE...",
			Description: "A file of more than 16 MB is sent in chunks, which are retried one by one.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "name", Usage: "name of the attachment (default: that of the file)"},
				&cli.BoolFlag{Name: "overwrite", Usage: "replace attachments of the same name"},
			},
			Action: a.recordAttach,
		},
		{
			Name: "download", Usage: "download files attached to a record", ArgsUsage: "TABLE ID [NAME...]",
			Description: "Without names it downloads all files. With --archives the names are ids or names of archived documents; without any it downloads the latest.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, TakesFile: true, Usage: "folder to write into (default: the working directory); for one file also a file, or - for standard output"},
				&cli.BoolFlag{Name: "zip", Usage: "download all files as one archive"},
				&cli.BoolFlag{Name: "overwrite", Usage: "replace files that exist"},
				&cli.BoolFlag{Name: "archives", Usage: "download documents that the ERP keeps of the record, as they were printed"},
			},
			Action: a.recordDownload,
		},
		{
			Name: "detach", Usage: "delete files attached to a record", ArgsUsage: "TABLE ID NAME...",
			Description: "On a terminal it asks before it deletes; elsewhere --yes is needed.",
			Flags:       []cli.Flag{yes, &cli.BoolFlag{Name: "all", Usage: "delete all files"}},
			Action:      a.recordDetach,
		},
	}
}

// fileArguments are what follows the record of the first two arguments.
func (a *app) fileArguments(c *cli.Context, what string, least int) ([]string, error) {
	if c.NArg() < 2+least {
		return nil, shell.Usagef("%s, such as %s C_Order 100%s", what, strings.TrimPrefix(c.Command.HelpName, c.App.Name+" "),
			map[bool]string{true: " invoice.pdf"}[least > 0])
	}
	return c.Args().Slice()[2:], nil
}

func (a *app) recordAttachments(c *cli.Context) error {
	client, table, id, err := a.record(c)
	if err != nil {
		return err
	}
	if c.Bool("archives") {
		return a.listArchives(c, client, table, id)
	}
	files, err := client.Attachments(c.Context, table, id)
	if err != nil {
		return a.hint(c, client, table, shell.Input(err))
	}
	t := output.Table{Columns: output.Columns("name", "type"), Empty: fmt.Sprintf("no files are attached to %s %s", table, id)}
	for _, f := range files {
		t.Rows = append(t.Rows, []string{f.Name, f.ContentType})
	}
	return a.Print(c, append([]erp.Attachment{}, files...), t)
}

// oneRequest is the size up to which a file is attached by one request.
const oneRequest = 16 << 20

func (a *app) recordAttach(c *cli.Context) error {
	files, err := a.fileArguments(c, "attach takes a table, an id and files", 1)
	if err != nil {
		return err
	}
	if c.String("name") != "" && len(files) > 1 {
		return shell.Usagef("--name is for one file, and there are %d", len(files))
	}
	uploads := make([]erp.AttachmentUpload, len(files))
	for i, path := range files {
		f, size, err := openFile(path)
		if err != nil {
			return err
		}
		defer f.Close()
		uploads[i] = erp.AttachmentUpload{Name: cmp.Or(c.String("name"), filepath.Base(path)), Data: f, Size: size, Overwrite: c.Bool("overwrite")}
	}
	client, table, id, err := a.record(c)
	if err != nil {
		return err
	}
	var done []string
	for _, upload := range uploads {
		if err := attach(c.Context, client, table, id, upload, done); err != nil {
			return a.hint(c, client, table, shell.Input(err))
		}
		done = append(done, upload.Name)
	}
	return a.printFiles(c, "attached", table, id, done)
}

// openFile opens a file to attach, and tells its size.
func openFile(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, shell.Usagef("%w; nothing was attached", err)
	}
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, 0, errors.Join(fmt.Errorf("reading %s: %w; nothing was attached", path, err), f.Close())
	case !st.Mode().IsRegular():
		return nil, 0, errors.Join(shell.Usagef("%s is not a file; nothing was attached", path), f.Close())
	}
	return f, st.Size(), nil
}

// attach sends a file, after those that are attached already.
func attach(ctx context.Context, client *erp.Client, table string, id erp.ID, upload erp.AttachmentUpload, before []string) error {
	send := client.UploadAttachment
	if upload.Size > oneRequest {
		send = client.UploadAttachmentInChunks
	}
	err := send(ctx, table, id, upload)
	if errors.Is(err, erp.ErrExists) {
		err = fmt.Errorf("%w; --overwrite replaces it", err)
	}
	err = shell.Uncertain(err, "`erphub record attachments` lists the files")
	if err != nil && len(before) > 0 {
		err = fmt.Errorf("%w (attached before that: %s)", err, strings.Join(before, ", "))
	}
	return err
}

// printFiles tells what was done with files.
func (a *app) printFiles(c *cli.Context, did, table string, id erp.ID, names []string) error {
	var below strings.Builder
	for _, name := range names {
		fmt.Fprintf(&below, "%s %s\n", did, shell.Printable(name))
	}
	return a.Print(c, map[string]any{did: names, "table": table, "id": id}, output.Table{Below: below.String()})
}

func (a *app) recordDownload(c *cli.Context) error {
	names, err := a.fileArguments(c, "download takes a table and an id", 0)
	if err != nil {
		return err
	}
	if err := checkDownload(c, names); err != nil {
		return err
	}
	output := c.String("output")
	client, table, id, err := a.record(c)
	if err != nil {
		return err
	}
	if c.Bool("archives") {
		return a.downloadArchives(c, client, table, id, names)
	}
	if c.Bool("zip") {
		return a.save(c, table, id, output, func() (*erp.Download, error) { return client.DownloadAttachmentsZip(c.Context, table, id) })
	}
	if len(names) == 0 {
		if names, err = attached(c.Context, client, table, id); err != nil {
			return a.hint(c, client, table, shell.Input(err))
		}
	}
	if len(names) > 1 {
		output = asFolder(output)
	}
	for _, name := range names {
		err := a.save(c, table, id, output, func() (*erp.Download, error) { return client.DownloadAttachment(c.Context, table, id, name) })
		if err != nil {
			return shell.Input(err)
		}
	}
	return nil
}

func checkDownload(c *cli.Context, names []string) error {
	zipped, archives := c.Bool("zip"), c.Bool("archives")
	if zipped && archives {
		return shell.Usagef("--zip is for attached files; leave it out with --archives")
	}
	if zipped && len(names) > 0 {
		return shell.Usagef("--zip downloads all files; leave out the names")
	}
	if c.String("output") == "-" && len(names) != 1 && !zipped && !archives {
		return shell.Usagef("--output - takes one file: name it, or give --zip")
	}
	return nil
}

// asFolder is a path that names a folder; the working directory and - stay.
func asFolder(path string) string {
	if path == "" || path == "-" {
		return path
	}
	return strings.TrimSuffix(path, string(filepath.Separator)) + string(filepath.Separator)
}

// attached are the names of all files of a record.
func attached(ctx context.Context, client *erp.Client, table string, id erp.ID) ([]string, error) {
	files, err := client.Attachments(ctx, table, id)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no files are attached to %s %s", table, id)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	return names, nil
}

// save writes a download to a file, into a folder, or to standard output, and
// says where it is.
func (a *app) save(c *cli.Context, table string, id erp.ID, target string, open func() (*erp.Download, error)) error {
	file, err := open()
	if err != nil {
		return err
	}
	defer file.Close()
	if target == "-" {
		_, err := io.Copy(a.Streams.Out, file)
		return err
	}
	path := target
	if st, statErr := os.Stat(target); target == "" || strings.HasSuffix(target, string(filepath.Separator)) || statErr == nil && st.IsDir() {
		var ok bool
		if path, ok = shell.InFolder(target, file.Name); !ok {
			return fmt.Errorf("the attachment %q cannot be a file of that name here; download it alone, with --output FILE", shell.Printable(file.Name))
		}
	}
	if _, err := os.Lstat(path); err == nil && !c.Bool("overwrite") {
		return shell.Usagef("%s exists; --overwrite replaces it", path)
	}
	size, err := shell.SaveStream(path, file)
	if err != nil {
		return err
	}
	return a.Print(c, map[string]any{"table": table, "id": id, "name": file.Name, "file": path, "bytes": size},
		output.Table{Below: fmt.Sprintf("%s (%d bytes)\n", shell.Printable(path), size)})
}

func (a *app) recordDetach(c *cli.Context) error {
	all := c.Bool("all")
	names, err := a.fileArguments(c, "detach takes a table, an id and names of files", map[bool]int{false: 1}[all])
	if err != nil {
		return err
	}
	if all && len(names) > 0 {
		return shell.Usagef("--all deletes all files; leave out the names")
	}
	what := strings.Join(names, ", ")
	if all {
		what = "all files"
	}
	if !c.Bool("yes") && !a.Asks() {
		return shell.Usagef("deleting %s of %s %s: give --yes, because there is no terminal to ask on; nothing was deleted", what, c.Args().First(), c.Args().Get(1))
	}
	client, table, id, err := a.record(c)
	if err != nil {
		return err
	}
	if !c.Bool("yes") {
		yes, err := a.Confirm(c.Context, fmt.Sprintf("Delete %s of %s %s?", what, table, id))
		if err != nil {
			return err
		}
		if !yes {
			return errors.New("nothing was deleted")
		}
	}
	if all {
		if err := client.DeleteAttachments(c.Context, table, id); err != nil {
			return a.hint(c, client, table, shell.Input(err))
		}
		return a.printFiles(c, "deleted", table, id, []string{what})
	}
	if err := detach(c.Context, client, table, id, names); err != nil {
		return a.hint(c, client, table, shell.Input(err))
	}
	return a.printFiles(c, "deleted", table, id, names)
}

// detach deletes files one by one. Its error says which are gone.
func detach(ctx context.Context, client *erp.Client, table string, id erp.ID, names []string) error {
	for i, name := range names {
		if err := client.DeleteAttachment(ctx, table, id, name); err != nil {
			if i > 0 {
				err = fmt.Errorf("%w (deleted before that: %s)", err, strings.Join(names[:i], ", "))
			}
			return err
		}
	}
	return nil
}

package records

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

// archives are the documents that the ERP keeps of a record.
func (a *app) archives(c *cli.Context, client *erp.Client, table string, id erp.ID) ([]erp.Archive, error) {
	list, err := client.Archives(c.Context, table, id)
	var refused *erp.Error
	if errors.As(err, &refused) && errors.Is(err, erp.ErrNotFound) && strings.Contains(refused.Detail, "archives") {
		return nil, fmt.Errorf("%w; the REST plugin of this ERP may be older than archives (June 2026): `erphub doctor --compatibility` says", err)
	}
	if err != nil {
		return nil, a.hint(c, client, table, shell.Input(err))
	}
	return list, nil
}

func (a *app) listArchives(c *cli.Context, client *erp.Client, table string, id erp.ID) error {
	list, err := a.archives(c, client, table, id)
	if err != nil {
		return err
	}
	t := output.Table{Columns: output.Columns("id", "name", "type", "created"), Empty: fmt.Sprintf("the ERP keeps no documents of %s %s", table, id)}
	for _, archive := range list {
		t.Rows = append(t.Rows, []string{strconv.FormatInt(archive.ID, 10), archive.Name, archive.ContentType, archive.Created})
	}
	return a.Print(c, append([]erp.Archive{}, list...), t)
}

// downloadArchives saves the archives of these ids or names, the latest one without any.
func (a *app) downloadArchives(c *cli.Context, client *erp.Client, table string, id erp.ID, names []string) error {
	list, err := a.archives(c, client, table, id)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("the ERP keeps no documents of %s %s", table, id)
	}
	chosen := list[:1]
	if len(names) > 0 {
		chosen = nil
	}
	for _, name := range names {
		i := slices.IndexFunc(list, func(archive erp.Archive) bool {
			return archive.Name == name || strconv.FormatInt(archive.ID, 10) == name
		})
		if i < 0 {
			return fmt.Errorf("%s %s has no archived document %q; `erphub record attachments --archives` lists them", table, id, shell.Printable(name))
		}
		chosen = append(chosen, list[i])
	}
	target := c.String("output")
	if target == "-" && len(chosen) > 1 {
		return shell.Usagef("--output - takes one document, and there are %d", len(chosen))
	}
	if len(chosen) > 1 {
		target = asFolder(target)
	}
	for _, archive := range chosen {
		err := a.save(c, table, id, target, func() (*erp.Download, error) { return client.DownloadArchive(c.Context, table, id, archive) })
		if err != nil {
			return shell.Input(err)
		}
	}
	return nil
}

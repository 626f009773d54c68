package records

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/nearest"
)

// noColumn finds the name of a column that the server does not know in its
// words.
var noColumn = lazyregexp.New(`(?:Column|Invalid column for \w+:) (\w+)(?: does not exist)?$|^(\w+) is not a valid column`)

// noTable finds the name of a table that the server does not know in its words.
var noTable = lazyregexp.New(`table name: ([^:]+)$`)

var wholeNumber = lazyregexp.New(`^\d+$`)

// hint adds what was probably meant to the error of a call on a table: the
// nearest table, the nearest column, or a document number in the place of an id.
func (a *app) hint(c *cli.Context, client *erp.Client, table string, err error) error {
	var refused *erp.Error
	if !errors.As(err, &refused) || c.Context.Err() != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Context, shell.HintTime)
	defer cancel()
	meant := ""
	switch {
	case refused.Status == 404 && strings.Contains(refused.Detail, "table name"):
		if m := noTable().FindStringSubmatch(refused.Detail); m != nil {
			table = m[1] // it may be one that is expanded
		}
		meant = nearTable(ctx, client, table)
	case refused.Status == 404 && strings.Contains(refused.Detail, "No record found") && wholeNumber().MatchString(c.Args().Get(1)):
		return fmt.Errorf("%w; a document number is written as DocumentNo=%[2]s, a search key as Value=%[2]s", err, c.Args().Get(1))
	case refused.Status == 400:
		if m := noColumn().FindStringSubmatch(refused.Detail); m != nil {
			meant = nearest.Name(m[1]+m[2], shell.SchemaColumns(ctx, client, table))
		}
	}
	if meant == "" {
		return err
	}
	return fmt.Errorf("%w; did you mean %q?", err, meant)
}

// nearTable is the table that was probably meant, in the ERP's spelling, or "".
func nearTable(ctx context.Context, client *erp.Client, word string) string {
	models, err := client.Models(ctx, erp.Filter{})
	if err != nil {
		return ""
	}
	ids := map[string]int64{}
	names := make([]string, len(models))
	for i, m := range models {
		names[i], ids[m.Table] = m.Table, m.ID
	}
	meant := nearest.Name(word, names)
	if meant == "" || strings.EqualFold(meant, word) {
		return "" // it is there, so the error is about something else
	}
	rec, err := client.Get(ctx, "AD_Table", erp.IntID(ids[meant]), &erp.GetOptions{Select: []string{"TableName"}})
	if err != nil {
		return meant // the list has names in small letters
	}
	if name, ok := rec.Text("TableName"); ok {
		return name
	}
	return meant
}

// clientFor connects for records that --filter and an order choose, and reads the
// filter as the tools for assistants do. It refuses what the server would take without
// a word for something else.
func (a *app) clientFor(c *cli.Context, table string, orderBy []string) (*erp.Client, erp.Filter, error) {
	if _, err := erp.FilterTerms(c.String("filter")); err != nil { // before anybody is asked for a password
		return nil, erp.Filter{}, shell.Input(err)
	}
	client, err := a.Client(c)
	if err != nil {
		return nil, erp.Filter{}, err
	}
	f, err := values.ReadFilter(c.Context, c.String("filter"), func(ctx context.Context) (*values.Reader, *registry.Table, error) {
		dictionary := values.NewDictionary(restdict.NewSource(client, nil))
		t, err := dictionary.Table(ctx, table)
		if errors.Is(err, registry.ErrNotFound) || errors.Is(err, erp.ErrForbidden) || errors.Is(err, erp.ErrNotFound) {
			return nil, nil, nil // the ERP says what is wrong, or the role cannot know
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading what the filter means: %w", err)
		}
		r, err := values.New(client, dictionary, values.Options{Inactive: true})
		return r, &t, err
	})
	var wrong *values.Error
	if errors.As(err, &wrong) {
		err = shell.Usagef("filter: %s", wrong.Problem)
	}
	if err != nil {
		return nil, erp.Filter{}, err
	}
	for _, note := range f.Notes {
		a.Note("%s", note)
	}
	return client, erp.Raw(f.Text), checkOrder(c, client, table, orderBy)
}

// checkOrder refuses columns that the table does not have: the server ignores an
// order it does not understand. The schema leaves columns out, so the server is
// asked for one that is not in it.
func checkOrder(c *cli.Context, client *erp.Client, table string, parts []string) error {
	if len(parts) == 0 {
		return nil
	}
	columns := shell.SchemaColumns(c.Context, client, table)
	known := map[string]bool{}
	for _, name := range columns {
		known[strings.ToLower(name)] = true
	}
	for _, part := range parts {
		column, _, _ := strings.Cut(part, " ")
		if known[strings.ToLower(column)] && !strings.EqualFold(column, "id") && !strings.EqualFold(column, "uid") {
			continue
		}
		_, err := client.Query(c.Context, table, &erp.Query{Select: []string{column}, Top: 1})
		var refused *erp.Error
		if !errors.As(err, &refused) || refused.Status != 400 {
			continue // it is there; or something else is wrong, which the request itself shows
		}
		hint := ""
		if meant := nearest.Name(column, columns); meant != "" && meant != "id" && meant != "uid" {
			hint = fmt.Sprintf("; did you mean %q?", meant)
		}
		return shell.Usagef("--orderby: %s has no column %q, and the server ignores an order it does not understand%s", table, column, hint)
	}
	return nil
}

package records

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/nearest"
)

// noColumn finds the name of a column that the server does not know in its
// words.
var noColumn = regexp.MustCompile(`(?:Column|Invalid column for \w+:) (\w+)(?: does not exist)?$|^(\w+) is not a valid column`)

// noTable finds the name of a table that the server does not know in its words.
var noTable = regexp.MustCompile(`table name: ([^:]+)$`)

// hint adds what was probably meant to the error of a call on a table: the
// nearest table, or the nearest column.
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
		if m := noTable.FindStringSubmatch(refused.Detail); m != nil {
			table = m[1] // it may be one that is expanded
		}
		meant = nearTable(ctx, client, table)
	case refused.Status == 400:
		if m := noColumn.FindStringSubmatch(refused.Detail); m != nil {
			meant = nearest.Name(m[1]+m[2], schemaColumns(ctx, client, table))
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

// checkOrder refuses columns that the table does not have: the server ignores an
// order it does not understand. The schema leaves columns out, so the server is
// asked for one that is not in it.
func checkOrder(c *cli.Context, client *erp.Client, table string, parts []string) error {
	columns := schemaColumns(c.Context, client, table)
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

// quotedFlag is a text that somebody means for yes or no.
var quotedFlag = regexp.MustCompile(`^'(?i:Y|N|true|false)'$`)

// checkFlags refuses texts that are compared with yes-no columns: the server
// takes each of them for no, without a word.
func checkFlags(c *cli.Context, client *erp.Client, table string, terms []erp.FilterTerm) error {
	var columns []schemaColumn
	for _, t := range terms {
		i := slices.IndexFunc(t.Values, quotedFlag.MatchString)
		if i < 0 {
			continue
		}
		if columns == nil {
			ctx, cancel := context.WithTimeout(c.Context, shell.HintTime)
			columns = tableSchema(ctx, client, table)
			cancel()
		}
		if slices.ContainsFunc(columns, func(s schemaColumn) bool { return s.kind == "boolean" && strings.EqualFold(s.name, t.Column) }) {
			return shell.Usagef("filter: %s is a yes-no column, and the server takes the text %s for no; write %s %s true or false, without quotes",
				t.Column, t.Values[i], t.Column, t.Operator)
		}
	}
	return nil
}

// schemaColumns are the columns of a table as its schema names them, nil when
// it cannot be read.
func schemaColumns(ctx context.Context, client *erp.Client, table string) []string {
	var names []string
	for _, c := range tableSchema(ctx, client, table) {
		names = append(names, c.name)
	}
	return names
}

// schemaColumn is a column with its type in JSON.
type schemaColumn struct{ name, kind string }

func tableSchema(ctx context.Context, client *erp.Client, table string) []schemaColumn {
	text, err := client.TableYAML(ctx, table)
	if err != nil {
		return nil
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties yaml.Node `yaml:"properties"`
			} `yaml:"schemas"`
		} `yaml:"components"`
	}
	if yaml.Unmarshal(text, &doc) != nil {
		return nil
	}
	for name, schema := range doc.Components.Schemas {
		if !strings.EqualFold(name, table) || schema.Properties.Kind != yaml.MappingNode {
			continue
		}
		var columns []schemaColumn
		for i := 0; i+1 < len(schema.Properties.Content); i += 2 {
			var kind struct {
				Type string `yaml:"type"`
			}
			_ = schema.Properties.Content[i+1].Decode(&kind) // a type of another form is none we look for
			columns = append(columns, schemaColumn{schema.Properties.Content[i].Value, kind.Type})
		}
		return columns
	}
	return nil
}

// completeTables offers names of tables for the first argument, when a server
// responds soon, and flags.
func (a *app) completeTables(c *cli.Context) {
	if c.NArg() == 0 {
		a.complete(c, func(ctx context.Context, client *erp.Client) ([]string, error) {
			models, err := client.Models(ctx, erp.Filter{})
			names := make([]string, len(models))
			for i, m := range models {
				names[i] = m.Table
			}
			return names, err
		})
	}
	cli.DefaultCompleteWithFlags(c.Command)(c)
}

// complete prints candidates the server knows. It is silent on any failure:
// there is nobody to tell.
func (a *app) complete(c *cli.Context, list func(context.Context, *erp.Client) ([]string, error)) {
	ctx, cancel := context.WithTimeout(c.Context, 2*time.Second)
	defer cancel()
	client, err := a.Client(c)
	if err != nil {
		return
	}
	names, err := list(ctx, client)
	if err != nil {
		return
	}
	for _, name := range names {
		if !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			fmt.Fprintln(a.Streams.Out, shell.Printable(name))
		}
	}
}

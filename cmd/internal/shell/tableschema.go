package shell

import (
	"context"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/erp"
)

// SchemaColumns are the columns of a table as its schema names them, nil when
// it cannot be read.
func SchemaColumns(ctx context.Context, client *erp.Client, table string) []string {
	var names []string
	for _, c := range TableSchema(ctx, client, table) {
		names = append(names, c.Name)
	}
	return names
}

// SchemaColumn is a column with its type in JSON.
type SchemaColumn struct{ Name, Type string }

// TableSchema are the columns of a table with their types, nil when they cannot be
// read.
func TableSchema(ctx context.Context, client *erp.Client, table string) []SchemaColumn {
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
		var columns []SchemaColumn
		for i := 0; i+1 < len(schema.Properties.Content); i += 2 {
			var kind struct {
				Type string `yaml:"type"`
			}
			_ = schema.Properties.Content[i+1].Decode(&kind) // a type of another form is none we look for
			columns = append(columns, SchemaColumn{schema.Properties.Content[i].Value, kind.Type})
		}
		return columns
	}
	return nil
}

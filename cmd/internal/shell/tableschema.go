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
		var columns []string
		for i := 0; i+1 < len(schema.Properties.Content); i += 2 {
			columns = append(columns, schema.Properties.Content[i].Value)
		}
		return columns
	}
	return nil
}

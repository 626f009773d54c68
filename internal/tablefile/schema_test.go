package tablefile

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the documents anew")

// The schema that editors fetch from schemaID says what the reader accepts.
func TestSchemaInStep(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "table-files.schema.json")
	if *update {
		require.NoError(t, os.WriteFile(path, Schema(), 0o644))
		return
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(have), string(Schema()), "run the tests with -update")
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft4) // unless it names its own
	resource, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	require.NoError(t, err)
	require.NoError(t, compiler.AddResource(schemaID, resource))
	compiled, err := compiler.Compile(schemaID)
	require.NoError(t, err)
	require.Equal(t, 2020, compiled.DraftVersion)
	return compiled
}

// Schema and reader agree on what is right and what is wrong.
func TestSchemaAgreesWithReader(t *testing.T) {
	t.Parallel()
	compiled := compiledSchema(t)
	for text, right := range map[string]bool{
		"table: XX_A\n":                                                                                     true,
		"table: XX_A\nwindow: {roles: [1, 2]}\n":                                                            true,
		"table: XX_A\naccess: system+client\n":                                                              true,
		"table: XX_A\ntemplates: [IMPORT, TREE]\n":                                                          true,
		"table: XX_A\ncolumns: [{name: A, type: Yes-No, default: true, min: 1.5}]\n":                        true,
		"table: XX_A\ncolumns: [{name: A, type: 1000000, reference: X}]\n":                                  true,
		"table: XX_A\ncolumns: [{name: A, type: List, reference: {name: X, id: 3}}]\n":                      true,
		"table: XX_A\ncolumns: [{name: A, type: List, list: {name: X, values: [{value: 1, name: One}]}}]\n": true,
		"table: XX_A\nimport: {table: C_Order, columns: [{name: A, type: Text}]}\n":                         true,
		"label: a\n":                                                   false,
		"table: ''\n":                                                  false,
		"table: 5\n":                                                   false,
		"table: XX_A\naccess: 3\n":                                     false,
		"table: XX_A\naccess: Client\n":                                false,
		"table: XX_A\nnothing: 1\n":                                    false,
		"table: XX_A\nlabel: 5\n":                                      false,
		"table: XX_A\nlabel: null\n":                                   false,
		"table: XX_A\nview: 1\n":                                       false,
		"table: XX_A\ncolumns: {A: Text}\n":                            false,
		"table: XX_A\ncolumns: [{name: A}]\n":                          false,
		"table: XX_A\ncolumns: [{name: A, type: 19}]\n":                false,
		"table: XX_A\ncolumns: [{name: A, type: text}]\n":              false,
		"table: XX_A\ncolumns: [{name: A, type: Text, length: -1}]\n":  false,
		"table: XX_A\ncolumns: [{name: A, type: Text, length: 1.5}]\n": false,
		"table: XX_A\ncolumns: [{name: A, type: List, reference: X, lookup: {name: Y, table: Z}}]\n": false,
		"table: XX_A\ncolumns: [{name: A, type: List, list: {name: X}}]\n":                           false,
		"table: XX_A\nwindow: maintain\n":                                                            false,
		"table: XX_A\nindexes: [{name: I}]\n":                                                        false,
		"[]\n":                                                                                       false,
	} {
		_, err := Parse("f.yaml", []byte(text))
		assert.Equal(t, right, err == nil, "reader, %s: %v", text, err)
		var value any
		require.NoError(t, yaml.Unmarshal([]byte(text), &value))
		encoded, err := json.Marshal(value)
		require.NoError(t, err)
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
		require.NoError(t, err)
		err = compiled.Validate(instance)
		assert.Equal(t, right, err == nil, "schema, %s: %v", text, err)
	}
}

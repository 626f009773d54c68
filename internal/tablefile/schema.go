package tablefile

import (
	"encoding/json"
	"reflect"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/adid"
)

// schemaID is the address the schema names itself by.
const schemaID = "https://github.com/erphub/erphub/raw/main/docs/table-files.schema.json"

// Schema is the JSON Schema (draft 2020-12) of one document. Editors that know
// the YAML language server take it from a first line such as
//
//	# yaml-language-server: $schema=schema.json
func Schema() []byte {
	defs := map[string]*schemaNode{}
	root := objectSchema(reflect.TypeFor[document](), defs)
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.ID = schemaID
	root.Title = "Table of the Application Dictionary"
	root.Description = "A table definition that erphub compares with an ERP and brings into it."
	root.Defs = defs
	text, _ := json.MarshalIndent(root, "", "  ") // texts and numbers always have a JSON form
	return append(text, '\n')
}

// schemaNode is a schema; the order of the fields is that of the text.
type schemaNode struct {
	Schema      string                 `json:"$schema,omitempty"`
	ID          string                 `json:"$id,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Ref         string                 `json:"$ref,omitempty"`
	Type        any                    `json:"type,omitempty"`
	Enum        []string               `json:"enum,omitempty"`
	Pattern     string                 `json:"pattern,omitempty"`
	MinLength   int                    `json:"minLength,omitempty"`
	MaxLength   int                    `json:"maxLength,omitempty"`
	Minimum     *int                   `json:"minimum,omitempty"`
	Maximum     int                    `json:"maximum,omitempty"`
	Items       *schemaNode            `json:"items,omitempty"`
	AnyOf       []*schemaNode          `json:"anyOf,omitempty"`
	Not         *schemaNode            `json:"not,omitempty"`
	AllOf       []*schemaNode          `json:"allOf,omitempty"`
	Required    []string               `json:"required,omitempty"`
	Properties  map[string]*schemaNode `json:"properties,omitempty"`
	Additional  *bool                  `json:"additionalProperties,omitempty"`
	Defs        map[string]*schemaNode `json:"$defs,omitempty"`
}

func objectSchema(t reflect.Type, defs map[string]*schemaNode) *schemaNode {
	closed := false
	s := &schemaNode{Type: "object", Additional: &closed, Properties: map[string]*schemaNode{}}
	for _, f := range fieldsOf(t) {
		if f.need {
			s.Required = append(s.Required, f.key)
		}
		p := valueSchema(f.typ, f, defs)
		p.Description = f.doc
		s.Properties[f.key] = p
	}
	if t == reflect.TypeFor[document]() {
		s.AnyOf = []*schemaNode{{Required: []string{"table"}}, {Required: []string{"extend"}}}
		s.AllOf = append(s.AllOf, &schemaNode{Not: &schemaNode{Required: []string{"table", "extend"}}})
	}
	if t == reflect.TypeFor[column]() {
		for _, two := range [][]string{{"reference", "list"}, {"reference", "lookup"}, {"list", "lookup"}} {
			s.AllOf = append(s.AllOf, &schemaNode{Not: &schemaNode{Required: two}})
		}
	}
	return s
}

func valueSchema(t reflect.Type, f field, defs map[string]*schemaNode) *schemaNode {
	switch t.Kind() {
	case reflect.Pointer:
		ref := refSchema(t.Elem(), defs)
		if t == reflect.TypeFor[*existing]() {
			return &schemaNode{AnyOf: []*schemaNode{{Type: anyScalar()}, ref}}
		}
		return ref
	case reflect.Slice:
		return &schemaNode{Type: "array", Items: valueSchema(t.Elem(), f, defs)}
	case reflect.Struct:
		return refSchema(t, defs)
	case reflect.Bool:
		return &schemaNode{Type: "boolean"}
	case reflect.Int:
		zero := 0
		return &schemaNode{Type: "integer", Minimum: &zero, Maximum: maxNumber}
	}
	s := &schemaNode{Type: "string"}
	switch {
	case f.enum == "type":
		least := adid.MaxOfficial + 1
		return &schemaNode{AnyOf: []*schemaNode{{Type: "string", Enum: wordsOf("type")}, {Type: "integer", Minimum: &least, Maximum: maxNumber}}}
	case f.enum != "":
		s.Enum = wordsOf(f.enum)
	case f.is == "any":
		s.Type = anyScalar()
	case f.is != "":
		s.Pattern, s.MaxLength = "^[A-Za-z][A-Za-z0-9_]*$", dict.MaxColumnName
		if f.is == "table" {
			s.MaxLength = dict.MaxTableName
		}
	}
	if f.need {
		s.MinLength = 1
	}
	return s
}

func anyScalar() []string { return []string{"string", "number", "boolean"} }

func refSchema(t reflect.Type, defs map[string]*schemaNode) *schemaNode {
	name := t.Name()
	if _, ok := defs[name]; !ok {
		defs[name] = nil // columns of import targets are columns
		defs[name] = objectSchema(t, defs)
	}
	return &schemaNode{Ref: "#/$defs/" + name}
}

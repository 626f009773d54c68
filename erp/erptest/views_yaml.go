package erptest

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// viewYAML handles GET /views/{view}/yaml: an OpenAPI document of one view.
func viewYAML(c *call) error {
	var text string
	err := c.read(func(ctx context.Context, rd *reader) error {
		v, err := rd.pathView(ctx)
		if err != nil {
			return viewNotFound(c.param("view"), err)
		}
		text, err = rd.viewOpenAPI(ctx, v)
		return err
	})
	if err != nil {
		return readError(err)
	}
	c.bytes(http.StatusOK, "application/yaml", []byte(text))
	return nil
}

func (rd *reader) viewOpenAPI(ctx context.Context, v *viewDef) (string, error) {
	properties, err := rd.viewProperties(ctx, v, v.columns)
	if err != nil {
		return "", err
	}
	y := &yamlDoc{}
	y.line(0, "openapi: 3.0.0")
	y.line(0, "info:")
	y.line(1, "title: %s", quoted("views/"+v.name()))
	y.line(1, "version: %s", quoted("1.0.0"))
	y.line(0, "servers:")
	y.line(1, "- url: http://localhost:8080/api/v1")
	y.line(0, "security:")
	y.line(1, "- bearerAuth: []")
	y.line(0, "paths:")
	viewPaths(y, v)
	y.line(0, "components:")
	y.line(1, "securitySchemes:")
	y.line(2, "bearerAuth:")
	y.line(3, "type: http")
	y.line(3, "scheme: bearer")
	y.line(3, "bearerFormat: JWT")
	y.line(1, "schemas:")
	y.line(2, "%s:", quoted(v.name()))
	y.line(3, "type: object")
	y.line(3, "properties:")
	y.line(4, "id: {type: integer, readOnly: true}")
	y.line(4, "uid: {type: string, readOnly: true}")
	viewYAMLProperties(y, 4, "", properties)
	y.line(4, "model-name: {type: string, readOnly: true}")
	y.line(4, "view-name: {type: string, readOnly: true}")
	fields := make([]property, len(properties))
	for i, p := range properties {
		fields[i] = p.field
	}
	yamlHelpers(y, fields)
	return y.String(), nil
}

func viewPaths(y *yamlDoc, v *viewDef) {
	base := "/views/" + v.name()
	schema := func(level int) {
		y.line(level, "content:")
		y.line(level+1, "application/json:")
		y.line(level+2, "schema: {$ref: %s}", quoted("#/components/schemas/"+v.name()))
	}
	operation := func(method, summary, status string, body, response bool) {
		y.line(2, "%s:", method)
		y.line(3, "tags: [%s]", quoted(v.name()))
		y.line(3, "summary: %s", quoted(summary))
		if body {
			y.line(3, "requestBody:")
			schema(4)
		}
		y.line(3, "responses:")
		y.line(4, "%q:", status)
		y.line(5, "description: Done")
		if response {
			schema(5)
		}
		yamlError(y)
	}
	y.line(1, "%s:", quoted(base))
	operation("get", "List records of "+v.name(), "200", false, false)
	operation("post", "Create a record of "+v.name(), "201", true, true)
	y.line(1, "%s:", quoted(base+"/{id}"))
	y.line(2, "parameters:")
	y.line(3, "- name: id")
	y.line(4, "in: path")
	y.line(4, "required: true")
	y.line(4, "description: Record id or UUID")
	y.line(4, "schema: {type: string}")
	operation("get", "Read a record of "+v.name(), "200", false, true)
	operation("put", "Change a record of "+v.name(), "200", true, true)
	operation("delete", "Delete a record of "+v.name(), "200", false, false)
}

// viewYAMLProperties writes the properties below a prefix, nested where their
// names have dots.
func viewYAMLProperties(y *yamlDoc, level int, prefix string, properties []viewProperty) {
	var groups []string
	for _, p := range properties {
		name, ok := strings.CutPrefix(p.field.name, prefix)
		if !ok {
			continue
		}
		if group, _, dotted := strings.Cut(name, "."); dotted {
			if slices.Contains(groups, group) {
				continue
			}
			groups = append(groups, group)
			y.line(level, "%s:", quoted(group))
			y.line(level+1, "type: object")
			y.line(level+1, "properties:")
			viewYAMLProperties(y, level+2, prefix+group+".", properties)
			continue
		}
		y.line(level, "%s:", quoted(name))
		switch {
		case p.field.look != nil || p.field.col.IsList() || p.field.col.IsMultiLookup():
			y.line(level+1, "type: object")
		default:
			for _, l := range yamlScalar(p.field.col) {
				y.line(level+1, "%s", l)
			}
		}
		if p.field.col.Description != "" {
			y.line(level+1, "description: %s", quoted(p.field.col.Description))
		}
	}
}

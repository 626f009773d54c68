package erptest

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// describeRecords handles GET /models/{table}/yaml and GET /views/{view}/yaml: an
// OpenAPI document of the records of one table or view.
func describeRecords(c *call) error {
	var text string
	err := c.read(func(ctx context.Context, rd *reader) error {
		s, err := rd.pathShape(ctx, false)
		var api *apiError
		switch {
		case asAPI(err, &api) && c.params["view"] == "":
			return page(http.StatusInternalServerError) // outside the real handler's guard
		case errors.Is(err, errNoView):
			return fail(http.StatusNotFound, "Invalid view name", "No match found for view name: "+c.param("view"))
		case err != nil:
			return err
		}
		text, err = rd.openAPI(ctx, s)
		return err
	})
	if err != nil {
		return readError(err)
	}
	c.bytes(http.StatusOK, "application/yaml", []byte(text))
	return nil
}

// yamlDoc collects lines of YAML.
type yamlDoc struct{ strings.Builder }

// line adds one line, indented by two blanks a level.
func (y *yamlDoc) line(level int, format string, args ...any) {
	y.WriteString(strings.Repeat("  ", level))
	fmt.Fprintf(y, format, args...)
	y.WriteByte('\n')
}

// quoted is a text as a YAML scalar; JSON strings are such.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return `""` // strings always marshal
	}
	return string(b)
}

// schemaRef is the schema of that name, any object for none.
func schemaRef(schema string) string {
	if schema == "" {
		return "{type: object}"
	}
	return "{$ref: " + quoted("#/components/schemas/"+schema) + "}"
}

// operation adds an operation: what takes a body takes and returns the schema.
func (y *yamlDoc) operation(method, tag, summary, more, status, response string) {
	body := ""
	if method == "post" || method == "put" {
		body = "requestBody: {content: {application/json: {schema: " + response + "}}}, "
	}
	y.line(2, "%s: {tags: [%s], summary: %s, %s%sresponses: {%q: {description: Done, content: {application/json: {schema: %s}}}, default: {$ref: '#/components/responses/error'}}}",
		method, quoted(tag), quoted(summary), more, body, status, response)
}

const (
	documentHead = `servers:
  - url: http://localhost:8080/api/v1
security:
  - bearerAuth: []
paths:
`
	documentParts = `components:
  securitySchemes:
    bearerAuth: {type: http, scheme: bearer, bearerFormat: JWT}
  responses:
    error: {description: Refused or failed, content: {application/json: {schema: {$ref: '#/components/schemas/errorResponse'}}}}
  schemas:
    errorResponse: {type: object, properties: {title: {type: string}, status: {type: integer}, detail: {type: string}}}
`
	imageSchema    = `{type: object, properties: {propertyLabel: {type: string}, id: {type: integer}, data: {type: string}, file_name: {type: string}, model-name: {type: string}}}`
	locationSchema = `{type: object, properties: {propertyLabel: {type: string}, id: {type: integer}, identifier: {type: string}, model-name: {type: string}, ` +
		`Address1: {type: string}, Address2: {type: string}, City: {type: string}, Postal: {type: string}, C_Region_ID: {type: object}, C_Country_ID: {type: object}}}`
)

func (rd *reader) openAPI(ctx context.Context, s *shape) (string, error) {
	properties, err := rd.shown(ctx, s, "")
	if err != nil {
		return "", err
	}
	name, label, base := s.table.Name, s.table.Label, "/models/"+s.table.Name
	if s.view != nil {
		name, label, base = s.name(), s.name(), "/views/"+s.name()
	}
	y := &yamlDoc{}
	y.line(0, "openapi: 3.0.0")
	y.line(0, "info: {title: %s, version: %s}", quoted(base[1:]), quoted("1.0.0"))
	y.WriteString(documentHead)
	yamlPaths(y, name, label, base)
	y.WriteString(documentParts)
	if slices.ContainsFunc(properties, func(p property) bool { return p.col.Ref == displaytype.Image }) {
		y.line(2, "Image: %s", imageSchema)
	}
	if slices.ContainsFunc(properties, func(p property) bool { return p.col.Ref == displaytype.Location }) {
		y.line(2, "Location: %s", locationSchema)
	}
	y.line(2, "%s:", quoted(name))
	y.line(3, "type: object")
	y.line(3, "properties:")
	if s.table.KeyColumn() != nil {
		y.line(4, "id: {type: integer, readOnly: true}")
	}
	if s.table.UUColumn() != nil {
		y.line(4, "uid: {type: string, readOnly: true}")
	}
	if err := rd.yamlProperties(ctx, y, 4, "", properties); err != nil {
		return "", err
	}
	y.line(4, "model-name: {type: string, readOnly: true}")
	if s.view != nil {
		y.line(4, "view-name: {type: string, readOnly: true}")
	}
	return y.String(), nil
}

func yamlPaths(y *yamlDoc, name, label, base string) {
	const anonymous = "security: [], "
	object, record := schemaRef(""), schemaRef(name)
	y.line(1, "/auth/tokens:")
	y.operation("post", "Authentication", "Log in with user name and password", anonymous, "200", object)
	y.operation("put", "Authentication", "Choose client, role, organization, warehouse and language", "", "200", object)
	y.line(1, "/auth/refresh:")
	y.operation("post", "Authentication", "Exchange a refresh token", anonymous, "200", object)
	y.line(1, "/auth/logout:")
	y.operation("post", "Authentication", "End the session", "", "200", object)
	y.line(1, "%s:", quoted(base))
	var parameters, numbers []string
	for _, name := range []string{"$filter", "$orderby", "$select", "$expand", "$valrule", "$context"} {
		parameters = append(parameters, "{name: "+name+", in: query, schema: {type: string}}")
	}
	for _, name := range []string{"$top", "$skip"} {
		parameters = append(parameters, "{name: "+name+", in: query, schema: {type: integer}}")
	}
	for _, name := range []string{"page-count", "records-size", "skip-records", "row-count", "array-count"} {
		numbers = append(numbers, name+": {type: integer}")
	}
	list := "{type: object, properties: {" + strings.Join(numbers, ", ") + ", records: {type: array, items: " + record + "}}}"
	y.operation("get", name, "List records of "+label, "parameters: ["+strings.Join(parameters, ", ")+"], ", "200", list)
	y.operation("post", name, "Create a record of "+label, "", "201", record)
	y.line(1, "%s:", quoted(base+"/{id}"))
	y.line(2, "parameters: [{name: id, in: path, required: true, description: Record id or UUID, schema: {type: string}}]")
	y.operation("get", name, "Read a record of "+label, "", "200", record)
	y.operation("put", name, "Change a record of "+label, "", "200", record)
	y.operation("delete", name, "Delete a record of "+label, "", "200", object)
}

// yamlProperties writes the properties below a prefix, nested where their names have
// dots.
func (rd *reader) yamlProperties(ctx context.Context, y *yamlDoc, level int, prefix string, properties []property) error {
	var groups []string
	for _, p := range properties {
		name, ok := strings.CutPrefix(p.name, prefix)
		if !ok || p.col.Ref == displaytype.Button || p.col.Ref == displaytype.Chart {
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
			if err := rd.yamlProperties(ctx, y, level+2, prefix+group+".", properties); err != nil {
				return err
			}
			continue
		}
		schema, err := rd.yamlSchema(ctx, p)
		if err != nil {
			return err
		}
		y.line(level, "%s: {%s}", quoted(name), strings.Join(schema, ", "))
	}
	return nil
}

// yamlSchema are the members of the schema of a property.
func (rd *reader) yamlSchema(ctx context.Context, p property) ([]string, error) {
	lookup := func(id string) []string {
		return []string{"type: object", "properties: {propertyLabel: {type: string}, id: {" + id + "}, identifier: {type: string}, model-name: {type: string}}"}
	}
	var schema []string
	switch {
	case p.col.Ref == displaytype.Location:
		return []string{"$ref: '#/components/schemas/Location'"}, nil
	case p.col.Ref == displaytype.Image:
		return []string{"$ref: '#/components/schemas/Image'"}, nil
	case p.col.IsList():
		values, err := rd.listCodes(ctx, p.col)
		if err != nil {
			return nil, err
		}
		id := "type: string"
		if len(values) > 0 {
			id += ", enum: [" + strings.Join(values, ", ") + "]"
		}
		schema = lookup(id)
	case p.col.IsMultiLookup():
		schema = []string{"type: object", "properties: {propertyLabel: {type: string}, selections: {type: array, items: {type: object}}}"}
	case p.look != nil && p.col.Kind() == store.KindInteger:
		schema = lookup("type: integer")
	case p.look != nil:
		schema = lookup("type: string")
	default:
		schema = yamlScalar(p.col)
	}
	if p.col.Description != "" {
		schema = append(schema, "description: "+quoted(p.col.Description))
	}
	switch strings.ToUpper(p.col.Name) {
	case "AD_CLIENT_ID", "CREATED", "CREATEDBY", "UPDATED", "UPDATEDBY":
		schema = append(schema, "readOnly: true")
	}
	return schema, nil
}

func yamlScalar(col *store.Column) []string {
	switch col.Kind() {
	case store.KindInteger:
		return []string{"type: integer"}
	case store.KindDecimal:
		return []string{"type: number"}
	case store.KindBool:
		return []string{"type: boolean"}
	case store.KindDate:
		return []string{"type: string", "format: date"}
	case store.KindDateTime, store.KindInstant:
		return []string{"type: string", "format: date-time"}
	case store.KindBytes:
		return []string{"type: string", "format: byte"}
	case store.KindUUID:
		return []string{"type: string", "format: uuid"}
	case store.KindJSON:
		return []string{"type: object"}
	}
	if col.Length > 0 && col.Length < 1<<20 && col.Ref == displaytype.String {
		return []string{"type: string", fmt.Sprintf("maxLength: %d", col.Length)}
	}
	return []string{"type: string"}
}

// listCodes are the active values of a list column as YAML scalars.
func (rd *reader) listCodes(ctx context.Context, col *store.Column) ([]string, error) {
	refID := col.RefValue
	if refID == 0 && col.Ref == displaytype.Payment {
		refID = paymentRuleList
	}
	ref, err := rd.tx.Reference(ctx, refID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var codes []string
	for _, v := range ref.List {
		if v.Active {
			codes = append(codes, quoted(v.Value))
		}
	}
	return codes, nil
}

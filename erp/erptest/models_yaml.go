package erptest

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// modelYAML handles GET /models/{table}/yaml: an OpenAPI document of one
// table.
func modelYAML(c *call) error {
	ctx := c.ctx()
	var text string
	err := c.view(ctx, func(tx *store.Tx) error {
		t, err := c.session.FindTable(ctx, tx, c.param("table"), false)
		var api *apiError
		if asAPI(err, &api) {
			return page(http.StatusInternalServerError) // outside the real handler's guard
		}
		if err != nil {
			return err
		}
		rd, err := c.newReader(ctx, tx)
		if err != nil {
			return err
		}
		text, err = rd.openAPI(ctx, t)
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

func (rd *reader) openAPI(ctx context.Context, t *store.Table) (string, error) {
	properties, err := rd.properties(ctx, t, nil)
	if err != nil {
		return "", err
	}
	y := &yamlDoc{}
	y.line(0, "openapi: 3.0.0")
	y.line(0, "info:")
	y.line(1, "title: %s", quoted("models/"+t.Name))
	y.line(1, "version: %s", quoted("1.0.0"))
	y.line(0, "servers:")
	y.line(1, "- url: http://localhost:8080/api/v1")
	y.line(0, "security:")
	y.line(1, "- bearerAuth: []")
	rd.yamlPaths(y, t)
	y.line(0, "components:")
	y.line(1, "securitySchemes:")
	y.line(2, "bearerAuth:")
	y.line(3, "type: http")
	y.line(3, "scheme: bearer")
	y.line(3, "bearerFormat: JWT")
	y.line(1, "schemas:")
	if err := rd.yamlTable(ctx, y, t, properties); err != nil {
		return "", err
	}
	yamlHelpers(y, properties)
	return y.String(), nil
}

func (rd *reader) yamlPaths(y *yamlDoc, t *store.Table) {
	y.line(0, "paths:")
	auth := []struct{ path, method, summary string }{
		{"/auth/tokens", "post", "Log in with user name and password"},
		{"/auth/tokens", "put", "Choose client, role, organization, warehouse and language"},
		{"/auth/refresh", "post", "Exchange a refresh token"},
		{"/auth/logout", "post", "End the session"},
	}
	last := ""
	for _, op := range auth {
		if op.path != last {
			y.line(1, "%s:", op.path)
			last = op.path
		}
		y.line(2, "%s:", op.method)
		y.line(3, "tags: [Authentication]")
		y.line(3, "summary: %s", op.summary)
		if op.method == "post" && op.path != "/auth/logout" {
			y.line(3, "security: []")
		}
		yamlBody(y, "")
		yamlResponses(y, "200", "Done", "")
	}
	base := "/models/" + t.Name
	y.line(1, "%s:", base)
	y.line(2, "get:")
	y.line(3, "tags: [%s]", t.Name)
	y.line(3, "summary: %s", quoted("List records of "+t.Label))
	y.line(3, "parameters:")
	for _, p := range [][2]string{
		{"$filter", "string"}, {"$orderby", "string"}, {"$select", "string"}, {"$expand", "string"},
		{"$top", "integer"}, {"$skip", "integer"}, {"$valrule", "string"}, {"$context", "string"},
	} {
		y.line(4, "- name: %s", p[0])
		y.line(5, "in: query")
		y.line(5, "schema: {type: %s}", p[1])
	}
	y.line(3, "responses:")
	y.line(4, `"200":`)
	y.line(5, "description: One page of records")
	y.line(5, "content:")
	y.line(6, "application/json:")
	y.line(7, "schema:")
	y.line(8, "type: object")
	y.line(8, "properties:")
	for _, n := range []string{"page-count", "records-size", "skip-records", "row-count", "array-count"} {
		y.line(9, "%s: {type: integer}", n)
	}
	y.line(9, "records:")
	y.line(10, "type: array")
	y.line(10, "items: {$ref: '#/components/schemas/%s'}", t.Name)
	yamlError(y)
	y.line(2, "post:")
	y.line(3, "tags: [%s]", t.Name)
	y.line(3, "summary: %s", quoted("Create a record of "+t.Label))
	yamlBody(y, t.Name)
	yamlResponses(y, "201", "The record created", t.Name)
	y.line(1, "%s/{id}:", base)
	y.line(2, "parameters:")
	y.line(3, "- name: id")
	y.line(4, "in: path")
	y.line(4, "required: true")
	y.line(4, "description: Record id or UUID")
	y.line(4, "schema: {type: string}")
	for _, op := range [][3]string{
		{"get", "Read a record of ", "The record"}, {"put", "Change a record of ", "The record as it is now"}, {"delete", "Delete a record of ", "Deleted"},
	} {
		y.line(2, "%s:", op[0])
		y.line(3, "tags: [%s]", t.Name)
		y.line(3, "summary: %s", quoted(op[1]+t.Label))
		schema := t.Name
		if op[0] == "put" {
			yamlBody(y, t.Name)
		}
		if op[0] == "delete" {
			schema = ""
		}
		yamlResponses(y, "200", op[2], schema)
	}
}

func yamlBody(y *yamlDoc, schema string) {
	y.line(3, "requestBody:")
	y.line(4, "content:")
	y.line(5, "application/json:")
	y.line(6, "schema: %s", schemaRef(schema))
}

func yamlResponses(y *yamlDoc, status, text, schema string) {
	y.line(3, "responses:")
	y.line(4, "%q:", status)
	y.line(5, "description: %s", text)
	y.line(5, "content:")
	y.line(6, "application/json:")
	y.line(7, "schema: %s", schemaRef(schema))
	yamlError(y)
}

func yamlError(y *yamlDoc) {
	y.line(4, "default:")
	y.line(5, "description: Refused or failed")
	y.line(5, "content:")
	y.line(6, "application/json:")
	y.line(7, "schema: %s", schemaRef("errorResponse"))
}

func schemaRef(schema string) string {
	if schema == "" {
		return "{type: object}"
	}
	return "{$ref: '#/components/schemas/" + schema + "'}"
}

func (rd *reader) yamlTable(ctx context.Context, y *yamlDoc, t *store.Table, properties []property) error {
	y.line(2, "%s:", t.Name)
	y.line(3, "type: object")
	y.line(3, "properties:")
	if t.KeyColumn() != nil {
		y.line(4, "id: {type: integer, readOnly: true}")
	}
	if t.UUColumn() != nil {
		y.line(4, "uid: {type: string, readOnly: true}")
	}
	for _, p := range properties {
		if p.col.Ref == store.TypeButton || p.col.Ref == store.TypeChart {
			continue
		}
		y.line(4, "%s:", p.col.Name)
		if err := rd.yamlProperty(ctx, y, p); err != nil {
			return err
		}
	}
	y.line(4, "model-name: {type: string, readOnly: true}")
	return nil
}

func (rd *reader) yamlProperty(ctx context.Context, y *yamlDoc, p property) error {
	const level = 5
	readOnly := func(l int) {
		switch strings.ToUpper(p.col.Name) {
		case "AD_CLIENT_ID", "CREATED", "CREATEDBY", "UPDATED", "UPDATEDBY":
			y.line(l, "readOnly: true")
		}
	}
	describe := func() {
		if p.col.Description != "" {
			y.line(level, "description: %s", quoted(p.col.Description))
		}
		readOnly(level)
	}
	lookup := func(idType string, values []string) {
		y.line(level, "type: object")
		describe()
		y.line(level, "properties:")
		y.line(level+1, "propertyLabel: {type: string}")
		y.line(level+1, "id:")
		y.line(level+2, "type: %s", idType)
		if len(values) > 0 {
			y.line(level+2, "enum: [%s]", strings.Join(values, ", "))
		}
		y.line(level+1, "identifier: {type: string}")
		y.line(level+1, "model-name: {type: string}")
	}
	switch {
	case p.col.Ref == store.TypeLocation:
		y.line(level, "$ref: '#/components/schemas/Location'")
	case p.col.Ref == store.TypeImage:
		y.line(level, "$ref: '#/components/schemas/Image'")
	case p.col.IsList():
		values, err := rd.listCodes(ctx, p.col)
		if err != nil {
			return err
		}
		lookup("string", values)
	case p.col.IsMultiLookup():
		y.line(level, "type: object")
		describe()
		y.line(level, "properties:")
		y.line(level+1, "propertyLabel: {type: string}")
		y.line(level+1, "selections:")
		y.line(level+2, "type: array")
		y.line(level+2, "items: {type: object}")
	case p.look != nil:
		idType := "string"
		if p.col.Kind() == store.KindInteger {
			idType = "integer"
		}
		lookup(idType, nil)
	default:
		for _, l := range yamlScalar(p.col) {
			y.line(level, "%s", l)
		}
		describe()
	}
	return nil
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
	if col.Length > 0 && col.Length < 1<<20 && col.Ref == store.TypeString {
		return []string{"type: string", fmt.Sprintf("maxLength: %d", col.Length)}
	}
	return []string{"type: string"}
}

// listCodes are the active values of a list column as YAML scalars.
func (rd *reader) listCodes(ctx context.Context, col *store.Column) ([]string, error) {
	refID := col.RefValue
	if refID == 0 && col.Ref == store.TypePayment {
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

// yamlHelpers adds the schemas the table's columns refer to.
func yamlHelpers(y *yamlDoc, properties []property) {
	var location, image bool
	for _, p := range properties {
		location = location || p.col.Ref == store.TypeLocation
		image = image || p.col.Ref == store.TypeImage
	}
	object := func(name string, properties ...[2]string) {
		y.line(2, "%s:", name)
		y.line(3, "type: object")
		y.line(3, "properties:")
		for _, p := range properties {
			y.line(4, "%s: {type: %s}", p[0], p[1])
		}
	}
	if image {
		object("Image", [2]string{"propertyLabel", "string"}, [2]string{"id", "integer"},
			[2]string{"data", "string"}, [2]string{"file_name", "string"}, [2]string{"model-name", "string"})
	}
	if location {
		object("Location", [2]string{"propertyLabel", "string"}, [2]string{"id", "integer"}, [2]string{"identifier", "string"},
			[2]string{"model-name", "string"}, [2]string{"Address1", "string"}, [2]string{"Address2", "string"},
			[2]string{"City", "string"}, [2]string{"Postal", "string"}, [2]string{"C_Region_ID", "object"}, [2]string{"C_Country_ID", "object"})
	}
	object("errorResponse", [2]string{"title", "string"}, [2]string{"status", "integer"}, [2]string{"detail", "string"})
}

package gogen_test

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/gogen"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

var update = flag.Bool("update", false, "write the golden file anew")

func start(t testing.TB) (*erptest.Server, string, *erp.Client, *dbdict.Source) {
	t.Helper()
	srv := erptest.New(t)
	db := srv.Database()
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	beside, err := dbdict.New(db, dbdict.SQLite, nil)
	require.NoError(t, err)
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, 0)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	return srv, token, client, beside
}

// every kind of column, with values that a wrong type would not decode
func kinds() dict.Table {
	return dict.NewTable("XX_Kinds").WithDescription("All\nkinds. */ `of` \"columns\"").WithAccessLevel(dict.AccessAll).With(dict.Standard, dict.ValueName).Column(
		dict.Column{Name: "XX_Count", Type: dict.TypeInteger}, dict.Column{Name: "XX_Amt", Type: dict.TypeAmount},
		dict.Column{Name: "XX_Day", Type: dict.TypeDate}, dict.Column{Name: "XX_Moment", Type: dict.TypeDateTime},
		dict.Column{Name: "XX_Clock", Type: dict.TypeTime}, dict.Column{Name: "XX_Stamp", Type: dict.TypeTimestampWithTimeZone},
		dict.Column{Name: "XX_Flag", Type: dict.TypeYesNo}, dict.Column{Name: "XX_Text", Type: dict.TypeText},
		dict.Column{Name: "XX_Bytes", Type: dict.TypeBinary}, dict.Column{Name: "XX_Data", Type: dict.TypeJSON},
		dict.Column{Name: "XX_Do", Type: dict.TypeButton}, dict.Column{Name: "XX__Text", Type: dict.TypeString},
		dict.Column{Name: "AD_Role_ID", Type: dict.TypeTableDir},
		dict.Column{Name: "XX_User_ID", Type: dict.TypeSearch, Reference: dict.ExistingReference("AD_User", 110, "AD_User")},
		dict.Column{Name: "XX_State", Type: dict.TypeList, Reference: dict.List("xx kinds: state",
			dict.ListValue{Value: "N", Name: "New"}, dict.ListValue{Value: "n", Name: "new!"}, dict.ListValue{Value: "1", Name: "1st"},
			dict.ListValue{Value: "-", Name: "…"}, dict.ListValue{Value: "Ü", Name: "Über \"alles\""})},
	)
}

const program = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/erphub/erphub/erp"
)

func all[T any](client *erp.Client, table string) {
	n := 0
	for rec, err := range erp.RecordsAs[T](context.Background(), client, table, nil) {
		if err != nil {
			fmt.Fprintln(os.Stderr, table, err)
			os.Exit(1)
		}
		n++
		if table == "XX_Kinds" {
			text, _ := json.Marshal(rec)
			fmt.Println(string(text))
		}
	}
	fmt.Println(table, n)
}

func main() {
	client, err := erp.New(os.Args[1], erp.WithTokenSource(erp.StaticToken(os.Args[2])))
	if err != nil {
		panic(err)
	}
	_ = Over
%s}
`

// What is generated for every table of the ERP compiles, is vetted, and
// decodes the records the ERP has. A table without records has nothing to decode,
// and a call for its type would only be compiled. With -short it takes every eighth
// table and a few that it names.
func TestGeneratedDecodes(t *testing.T) {
	t.Parallel()
	srv, login, client, beside := start(t)
	plan, err := dict.NewPlan(nil, kinds())
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client, plan, &restdict.Options{BatchSize: 25})
	require.NoError(t, err)
	_, err = client.Create(t.Context(), "XX_Kinds", map[string]any{
		"Value": "v", "Name": "n", "XX_Count": 0, "XX_Amt": json.Number("12345678901234.50"), "XX_Day": "2026-03-09",
		"XX_Moment": "2026-03-09T14:05:06Z", "XX_Clock": "14:05:06Z", "XX_Flag": true, "XX_Text": "long", "XX__Text": "short",
		"XX_Data": map[string]any{"a": 1}, "XX_User_ID": 100, "AD_Role_ID": 0, "XX_State": "Ü",
	})
	require.NoError(t, err)
	reg, err := registry.LoadCatalog(t.Context(), beside)
	require.NoError(t, err)
	list, err := reg.Tables(t.Context(), registry.ListQuery{})
	require.NoError(t, err)
	var tables, filled []string
	share := 1
	if testing.Short() {
		share = 8
	}
	for i, info := range list.Items {
		if i%share != 0 && !slices.Contains([]string{"XX_Kinds", "C_Order", "C_BPartner", "AD_Table"}, info.Name) {
			continue
		}
		page, err := client.Query(t.Context(), info.Name, &erp.Query{Top: 1})
		if err != nil {
			continue
		}
		tables = append(tables, info.Name)
		if len(page.Records) > 0 {
			filled = append(filled, info.Name)
		}
	}
	t.Logf("%d tables, %d of them with records", len(tables), len(filled))
	require.Greater(t, len(tables), 500/share)
	require.Greater(t, len(filled), 50/share)
	source, err := gogen.Generate(t.Context(), reg, gogen.Options{Package: "main", Tables: tables})
	require.NoError(t, err)
	again, err := gogen.Generate(t.Context(), reg, gogen.Options{Package: "main", Tables: append(tables, "c_order", tables[0])})
	require.NoError(t, err)
	assert.Equal(t, string(source), string(again))

	types := structs(t, source)
	var calls strings.Builder
	for _, table := range tables {
		require.Contains(t, types, table)
	}
	for _, table := range filled {
		calls.WriteString("\tall[" + types[table] + "](client, " + strconv.Quote(table) + ")\n")
	}
	main := strings.Replace(program, "%s", calls.String(), 1)
	main = strings.Replace(main, "Over", "XxKindsStateÜberAlles", 1)
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	for name, text := range map[string]string{"model.go": string(source), "main.go": main} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		here, err := filepath.Abs(filepath.Join("testdata", name))
		require.NoError(t, err)
		overlay["Replace"][here] = path
	}
	golden, err := gogen.Generate(t.Context(), reg, gogen.Options{Tables: []string{"XX_Kinds"}})
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("testdata/xx_kinds.golden", golden, 0o644))
	}
	want, err := os.ReadFile("testdata/xx_kinds.golden")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(golden), "look at the difference, then run with -update")
	encoded, err := json.Marshal(overlay)
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, encoded, 0o644))
	vet, err := exec.CommandContext(t.Context(), "go", "vet", "-overlay", file, "./testdata").CombinedOutput()
	require.NoError(t, err, string(vet))
	out, err := exec.CommandContext(t.Context(), "go", "run", "-ldflags=-w", "-overlay", file, "./testdata", srv.URL(), login).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "AD_Table ")
	line := string(out)[strings.Index(string(out), `{"id"`):]
	line, _, _ = strings.Cut(line, "\n")
	for _, want := range []string{`"XX_Amt":12345678901234.50`, `"XX_Count":0`, `"XX_Day":"2026-03-09"`, `"XX_Clock":"14:05:06Z"`,
		`"XX_Moment":"2026-03-09T14:05:06Z"`, `"XX_Flag":true`, `"XX_Text":"long"`, `"XX__Text":"short"`, `"XX_State":"Ü"`, `"XX_User_ID":{"id":100}`,
		`"AD_Role_ID":{"id":0}`, `"XX_Data":{"a":1}`} {
		assert.Contains(t, line, want)
	}
}

// structs are the types by the table they are for.
func structs(t *testing.T, source []byte) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "model.go", source, parser.ParseComments)
	require.NoError(t, err)
	types := map[string]string{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		spec := g.Specs[0].(*ast.ValueSpec)
		if name, ok := strings.CutPrefix(spec.Names[0].Name, "Table"); ok && spec.Type == nil {
			table, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			types[table] = name
		}
	}
	return types
}

func TestGenerateRefuses(t *testing.T) {
	t.Parallel()
	_, _, _, beside := start(t)
	reg, err := registry.LoadCatalog(t.Context(), beside)
	require.NoError(t, err)
	_, err = gogen.Generate(t.Context(), reg, gogen.Options{Tables: []string{"C_Ordre"}})
	require.ErrorIs(t, err, registry.ErrNotFound)
	require.ErrorContains(t, err, "C_Order")
	for _, pkg := range []string{"my-model", "func", "_", "a\nimport", "9"} {
		_, err = gogen.Generate(t.Context(), reg, gogen.Options{Package: pkg, Tables: []string{"C_Order"}})
		require.ErrorIs(t, err, gogen.ErrPackage, pkg)
	}
	_, err = gogen.Generate(t.Context(), reg, gogen.Options{})
	require.Error(t, err)
	source, err := gogen.Generate(t.Context(), reg, gogen.Options{Tables: []string{"C_Order", "C_OrderLine"}})
	require.NoError(t, err)
	for _, want := range []string{"package model\n", "const TableCOrder = \"C_Order\"", "type COrderLine struct", "DocumentStatusCompleted", "erp.Decimal", "erp.Date"} {
		assert.Contains(t, string(source), want)
	}
}

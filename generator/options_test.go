package generator

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/pack"
)

// packOut is the archive's PackOut.xml, "" when there is no archive.
func packOut(t *testing.T, a *Artifact) string {
	t.Helper()
	for _, f := range a.Tree.Files() {
		if !strings.HasPrefix(path.Base(f.Name), "2Pack_") {
			continue
		}
		z, err := zip.NewReader(bytes.NewReader(f.Content), int64(len(f.Content)))
		require.NoError(t, err)
		for _, entry := range z.File {
			if !strings.HasSuffix(entry.Name, "PackOut.xml") {
				continue
			}
			r, err := entry.Open()
			require.NoError(t, err)
			text, err := io.ReadAll(r)
			require.NoError(t, err)
			require.Empty(t, pack.CheckXML(text))
			return string(text)
		}
	}
	return ""
}

// Each option does something, and this is what.
func TestOptions(t *testing.T) {
	t.Parallel()
	reg := described(t)
	const process, iface = "src/com/example/demo/process/Good.java", "src/com/example/demo/model/I_XX_Machine.java"
	for name, tt := range map[string]struct {
		generator string
		options   map[string]any
		has       map[string][]string // by file; packOut is the archive's text
		not       map[string][]string
		absent    []string
	}{
		"groupId":        {"plugin", map[string]any{"groupId": "org.other"}, map[string][]string{"pom.xml": {"<groupId>org.other</groupId>"}}, nil, nil},
		"groupId, none":  {"plugin", nil, map[string][]string{"pom.xml": {"<groupId>com.example</groupId>"}}, nil, nil},
		"version":        {"plugin", map[string]any{"version": "2.13.0"}, map[string][]string{"pom.xml": {"<version>2.13.0-SNAPSHOT</version>"}, "META-INF/MANIFEST.MF": {"Bundle-Version: 2.13.0.qualifier"}}, nil, nil},
		"name":           {"plugin", map[string]any{"name": "A & B"}, map[string][]string{"pom.xml": {"<name>A &amp; B</name>"}, "META-INF/MANIFEST.MF": {"Bundle-Name: A & B\n"}, "README.md": {"# A &amp; B\n"}}, nil, nil},
		"name, none":     {"plugin", nil, map[string][]string{"META-INF/MANIFEST.MF": {"Bundle-Name: Demo\n"}}, nil, nil},
		"vendor":         {"plugin", map[string]any{"vendor": "Ärger Ltd."}, map[string][]string{"META-INF/MANIFEST.MF": {"Bundle-Vendor: Ärger Ltd.\n"}, "README.md": {`by Ärger Ltd\.`}}, nil, nil},
		"description":    {"plugin", map[string]any{"description": "It <does>."}, map[string][]string{"pom.xml": {"<description>It &lt;does&gt;.</description>"}, "README.md": {`It &lt;does\>\.`}}, nil, nil},
		"package":        {"process", map[string]any{"class": "Good", "package": "org.other.pkg"}, map[string][]string{"src/org/other/pkg/process/Good.java": {"package org.other.pkg.process;"}, "src/org/other/pkg/DemoActivator.java": {`"org.other.pkg.process"`}, "META-INF/MANIFEST.MF": {"Bundle-Activator: org.other.pkg.DemoActivator"}, "packOut": {"org.other.pkg.process.Good"}}, nil, []string{process}},
		"release 12":     {"plugin", nil, map[string][]string{"META-INF/MANIFEST.MF": {`org.adempiere.base;bundle-version="12.0.0"`}}, nil, nil},
		"release 13":     {"plugin", map[string]any{"release": "13"}, map[string][]string{"META-INF/MANIFEST.MF": {`org.adempiere.base;bundle-version="13.0.0"`}}, nil, nil},
		"java":           {"plugin", map[string]any{"java": "21"}, map[string][]string{"META-INF/MANIFEST.MF": {"JavaSE-21"}, "pom.xml": {"JavaSE-21"}, ".classpath": {"JavaSE-21"}}, map[string][]string{"pom.xml": {"JavaSE-17"}}, nil},
		"registration":   {"process", map[string]any{"class": "Good", "registration": "components"}, map[string][]string{"OSGI-INF/com.example.demo.DemoProcessFactory.xml": {"org.adempiere.base.IProcessFactory"}, "META-INF/MANIFEST.MF": {"Service-Component: OSGI-INF/*.xml", "Incremental2PackActivator"}}, nil, []string{"src/com/example/demo/DemoActivator.java"}},
		"targetPlatform": {"plugin", map[string]any{"targetPlatform": "target", "coreRepository": "https://x.example/p2?a=b&c=d"}, map[string][]string{"com.example.demo.target": {`location="https://x.example/p2?a=b&amp;c=d"`, `<unit id="org.adempiere.base"`}, "pom.xml": {"com.example.demo.target</file>"}}, map[string][]string{"pom.xml": {"<repositories>"}}, nil},
		"coreRepository": {"plugin", map[string]any{"coreRepository": "https://x.example/p2"}, map[string][]string{"pom.xml": {"<core.repository.url>https://x.example/p2<"}}, nil, []string{"com.example.demo.target"}},
		"ide":            {"plugin", map[string]any{"ide": false}, map[string][]string{"pom.xml": {"eclipse-plugin"}}, nil, []string{".project", ".classpath", ".settings/org.eclipse.jdt.core.prefs"}},
		"modules":        {"plugin", map[string]any{"modules": []string{"p2"}}, map[string][]string{"com.example.demo.p2/category.xml": {"com.example.demo"}, "pom.xml": {"<module>com.example.demo.p2</module>"}}, nil, []string{"com.example.demo.feature/feature.xml"}},

		"tables of a plugin":              {"plugin", map[string]any{"tables": []string{"xx_machine"}}, map[string][]string{iface: {"interface I_XX_Machine"}, "src/com/example/demo/DemoActivator.java": {`getMappedModelFactory().scan(context, "com.example.demo.model")`}}, nil, nil},
		"archiveTables":                   {"plugin", map[string]any{"archiveTables": []string{"XX_Machine"}}, map[string][]string{"packOut": {"<TableName>XX_Machine</TableName>", "<ColumnName>XX_State</ColumnName>", "<EntityType>U</EntityType>"}}, map[string][]string{"packOut": {"<TableName>XX_Reading</TableName>"}}, []string{iface}},
		"archiveTables of an entity type": {"plugin", map[string]any{"archiveTables": []string{"XX_Machine"}, "entityType": "XX"}, map[string][]string{"packOut": {"<EntityType>XX</EntityType>", "<AD_EntityType "}}, nil, nil},
		"classes":                         {"model", map[string]any{"tables": []string{"XX_Machine"}, "classes": false}, map[string][]string{iface: {"XX_Machine"}}, nil, []string{"src/com/example/demo/model/MMachine.java"}},
		"columnEntityType":                {"model", map[string]any{"tables": []string{"XX_Machine"}, "columnEntityType": "U"}, map[string][]string{iface: {"setName"}}, nil, nil},

		"class and label": {"process", map[string]any{"class": "Good", "label": `A "b" <c>`}, map[string][]string{process: {"A &#34;b&#34; &lt;c&gt;."}, "packOut": {"<Name>A \"b\" &lt;c&gt;</Name>"}}, nil, nil},
		"value":           {"process", map[string]any{"class": "Good", "value": "XX_Good"}, map[string][]string{"packOut": {"<Value>XX_Good</Value>"}}, nil, nil},
		"help":            {"process", map[string]any{"class": "Good", "help": "Does it."}, map[string][]string{process: {"Does it."}, "packOut": {"<Help>Does it.</Help>"}}, nil, nil},
		"menu":            {"process", map[string]any{"class": "Good", "menu": false}, map[string][]string{"packOut": {"<AD_Process "}}, map[string][]string{"packOut": {"<AD_Menu "}}, nil},
		"accessLevel":     {"process", map[string]any{"class": "Good", "accessLevel": "4"}, map[string][]string{"packOut": {"<AccessLevel>4</AccessLevel>"}}, nil, nil},
		"dictionary":      {"process", map[string]any{"class": "Good", "dictionary": false}, map[string][]string{process: {"class Good"}}, nil, []string{"META-INF/2Pack_1.0.0.zip"}},
		"entityType":      {"process", map[string]any{"class": "Good", "entityType": "XX"}, map[string][]string{"packOut": {"<EntityType>XX</EntityType>"}}, map[string][]string{"packOut": {"<EntityType>U</EntityType>"}}, nil},
		"parameters": {"process", map[string]any{"class": "Good", "parameters": []string{"C_BPartner_ID:TableDirect:mandatory", "DateFrom:Date:range"}},
			map[string][]string{process: {`@Parameter(name = "C_BPartner_ID")`, "private int p_C_BPartner_ID;", `@Parameter(name = "DateFrom_To")`, "private Timestamp p_DateFrom_To;"},
				"packOut": {"<ColumnName>DateFrom</ColumnName>", "<IsRange>Y</IsRange>", "<IsMandatory>Y</IsMandatory>"}}, nil, nil},

		"columns of a callout": {"callout", map[string]any{"class": "Good", "columns": []string{"xx_machine.name", "XX_Machine.amount", "*.IsActive"}},
			map[string][]string{"src/com/example/demo/callout/Good.java": {`tableName = "XX_Machine"`, `"Name"`, `"Amount"`, `tableName = "*"`}}, nil, nil},
		"events": {"event-handler", map[string]any{"class": "Good", "table": "XX_Machine", "events": []string{"BeforeNew"}},
			map[string][]string{"src/com/example/demo/event/Good.java": {"PO_BEFORE_NEW", `"XX_Machine"`}}, map[string][]string{"src/com/example/demo/event/Good.java": {"PO_BEFORE_CHANGE"}}, nil},
		"shape and modelClass": {"event-handler", map[string]any{"class": "Good", "shape": "delegate", "modelClass": "org.compiere.model.MOrder", "events": []string{"AfterComplete"}},
			map[string][]string{"src/com/example/demo/event/Good.java": {"ModelEventDelegate<org.compiere.model.MOrder>", "@AfterComplete"}}, nil, nil},
		"shape of a form": {"form", map[string]any{"class": "Good", "shape": "controller"}, map[string][]string{"src/com/example/demo/form/Good.java": {"IFormController"}}, nil, nil},
		"windows and events": {"window-validator", map[string]any{"class": "Good", "windows": []string{"11111111-2222-3333-4444-555555555555"}, "events": []string{"beforeSave", "afterNew"}},
			map[string][]string{"OSGI-INF/com.example.demo.validator.Good.xml": {`name="AD_Window_UU" type="String" value="11111111-2222-3333-4444-555555555555"`, `value="beforeSave,afterNew"`}}, nil, nil},
		"path": {"rest-extension", map[string]any{"class": "Good", "path": "v1/demo/status"}, map[string][]string{"src/com/example/demo/rest/Good.java": {`@Path("v1/demo/status")`}, "META-INF/MANIFEST.MF": {"Fragment-Host: com.trekglobal.idempiere.rest.api"}}, nil, nil},
		"columns of a report": {"report", map[string]any{"class": "Good", "table": "XX_Machine", "columns": []string{"name", "Amount"}},
			map[string][]string{"reports/Good.jrxml": {"SELECT Name, Amount FROM XX_Machine", `class="java.math.BigDecimal"`}, "packOut": {"<JasperReport>bundle:com.example.demo:reports/Good.jrxml</JasperReport>", "<IsReport>Y</IsReport>"}}, nil, nil},
		"report of identifiers": {"report", map[string]any{"class": "Good", "table": "XX_Machine"}, map[string][]string{"reports/Good.jrxml": {"SELECT Name FROM XX_Machine"}}, nil, nil},
		"host and table":        {"test", map[string]any{"class": "Good", "host": "com.example.host", "table": "xx_machine"}, map[string][]string{"META-INF/MANIFEST.MF": {"com.example.host"}, "src/com/example/demo/Good.java": {`"XX_Machine"`}, "pom.xml": {"eclipse-test-plugin"}}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := map[string]any{"artifactId": "com.example.demo"}
			for k, v := range tt.options {
				options[k] = v
			}
			a, err := Generate(t.Context(), reg, tt.generator, options)
			require.NoError(t, err)
			checkArtifact(t, a, "")
			text := func(file string) string {
				if file == "packOut" {
					return packOut(t, a)
				}
				content, err := a.Tree.ReadFile(file)
				require.NoError(t, err, "there are %v", a.Tree.Names())
				return string(content)
			}
			for file, parts := range tt.has {
				for _, part := range parts {
					assert.Contains(t, text(file), part, file)
				}
			}
			for file, parts := range tt.not {
				for _, part := range parts {
					assert.NotContains(t, text(file), part, file)
				}
			}
			for _, file := range tt.absent {
				assert.NotContains(t, a.Tree.Names(), file)
			}
		})
	}
}

// Tables of the ERP itself do not go into the archive.
func TestArchiveTablesAreOwnOnes(t *testing.T) {
	t.Parallel()
	_, err := Generate(t.Context(), described(t), "plugin", map[string]any{"artifactId": "com.example.demo", "archiveTables": "AD_Language"})
	var bad *OptionsError
	require.ErrorAs(t, err, &bad)
	require.ErrorContains(t, err, `archiveTables "AD_Language" is not one of your own`)
}

// What a generator says of its options is true: the schema names them all, and
// examples and defaults can be used.
func TestOptionsDescribeThemselves(t *testing.T) {
	t.Parallel()
	for _, g := range Generators() {
		whole, err := json.Marshal(g.Schema(false))
		require.NoError(t, err)
		adding, err := json.Marshal(g.Schema(true))
		require.NoError(t, err)
		for i := range g.Options {
			o := &g.Options[i]
			where := g.Name + "." + o.Name
			assert.Contains(t, string(whole), `"`+o.Name+`"`)
			assert.Equal(t, !o.NewOnly, strings.Contains(string(adding), `"`+o.Name+`":{`), where)
			assert.True(t, strings.HasSuffix(o.Description, "."), where)
			assert.Regexp(t, `^[a-z][a-z-]*[a-z]$`, o.Flag(), where)
			if o.Example != "" {
				value, why := convert(o.Type, o.exampleValue())
				assert.Empty(t, why, where)
				bad, why := o.checkValue(value)
				assert.Empty(t, why, "%s: %s", where, bad)
			}
			if text, ok := o.Default.(string); ok {
				assert.Empty(t, o.Check(text), where)
			}
		}
	}
}

// Every generator tells what it needs the dictionary for.
func TestDictionaryUse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		generator string
		options   map[string]any
		want      DictionaryUse
	}{
		{"plugin", nil, DictionaryUnused},
		{"plugin", map[string]any{"components": []string{"process:A", "form:B", "callout:C@*.Name", "window-validator:D@*"}}, DictionaryUnused},
		{"plugin", map[string]any{"components": "callout:C@C_Order.Name"}, DictionaryOptional},
		{"plugin", map[string]any{"components": []any{"window-validator:D@Order"}}, DictionaryRequired},
		{"plugin", map[string]any{"components": []string{"report:D@C_Order"}}, DictionaryRequired},
		{"plugin", map[string]any{"components": []string{"nonsense"}}, DictionaryUnused},
		{"plugin", map[string]any{"tables": "XX_A"}, DictionaryRequired},
		{"plugin", map[string]any{"archiveTables": []string{"XX_A"}}, DictionaryRequired},
		{"model", map[string]any{"tables": []string{"XX_A"}}, DictionaryRequired},
		{"process", map[string]any{"class": "A"}, DictionaryUnused},
		{"callout", map[string]any{"columns": "C_Order.Name"}, DictionaryOptional},
		{"event-handler", map[string]any{"table": "C_Order"}, DictionaryOptional},
		{"event-handler", map[string]any{"modelClass": "a.B"}, DictionaryUnused},
		{"window-validator", map[string]any{"windows": "11111111-2222-3333-4444-555555555555"}, DictionaryUnused},
		{"window-validator", map[string]any{"windows": "Sales Order"}, DictionaryRequired},
		{"report", map[string]any{"table": "C_Order"}, DictionaryRequired},
		{"report", map[string]any{"table": "C_Order", "columns": "Name"}, DictionaryOptional},
		{"test", map[string]any{"table": "C_Order"}, DictionaryOptional},
		{"test", nil, DictionaryUnused},
	} {
		g, err := Find(tt.generator)
		require.NoError(t, err)
		assert.Equal(t, tt.want, g.Dictionary(tt.options), "%s %v", tt.generator, tt.options)
		options := map[string]any{"artifactId": "com.example.demo", "class": "Good"}
		for k, v := range tt.options {
			options[k] = v
		}
		if tt.want == DictionaryRequired { // and it is right
			_, err := Generate(t.Context(), nil, tt.generator, options)
			assert.Error(t, err, "%s %v", tt.generator, tt.options)
		}
	}
}

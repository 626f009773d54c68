package dict_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
)

// spec is a template column as the specification's table of templates has it.
// Length -1 stands for a length the specification does not give.
type spec struct {
	name      string
	typ       dict.DisplayType
	length    int
	mandatory bool
	def       string
	reference string
	flags     string // k key, u unique, i identifier
}

func TestTemplatesFollowTheSpecification(t *testing.T) {
	t.Parallel()
	tests := map[dict.Template][]spec{
		dict.Standard: {
			{"XX_Foo_ID", dict.TypeID, -1, true, "", "", "k"},
			{"XX_Foo_UU", dict.TypeUUID, 36, true, "", "", "u"},
			{"AD_Client_ID", dict.TypeTableDir, -1, true, "@#AD_Client_ID@", "", ""},
			{"AD_Org_ID", dict.TypeTableDir, -1, true, "@AD_Org_ID@", "", ""},
			{"IsActive", dict.TypeYesNo, -1, true, "Y", "", ""},
			{"Created", dict.TypeDateTime, -1, true, "SYSDATE", "", ""},
			{"CreatedBy", dict.TypeTable, -1, true, "", "AD_User", ""},
			{"Updated", dict.TypeDateTime, -1, true, "SYSDATE", "", ""},
			{"UpdatedBy", dict.TypeTable, -1, true, "", "AD_User", ""},
		},
		dict.Document: {
			{"DocumentNo", dict.TypeString, 30, true, "", "", "i"},
			{"C_DocType_ID", dict.TypeTableDir, -1, true, "", "", ""},
			{"C_DocTypeTarget_ID", dict.TypeTable, -1, false, "", "C_DocType", ""},
			{"DocStatus", dict.TypeList, 2, true, "DR", "_Document Status", ""},
			{"DocAction", dict.TypeButton, 2, true, "CO", "_Document Action", ""},
			{"Processing", dict.TypeButton, -1, false, "", "", ""},
			{"Processed", dict.TypeYesNo, -1, true, "N", "", ""},
			{"IsApproved", dict.TypeYesNo, -1, true, "N", "", ""},
		},
		dict.Accounting: {
			{"DateAcct", dict.TypeDate, -1, true, "@#Date@", "", ""},
			{"C_Currency_ID", dict.TypeTableDir, -1, true, "@C_Currency_ID@", "", ""},
			{"Posted", dict.TypeButton, -1, true, "N", "_Posted Status", ""},
			{"ProcessedOn", dict.TypeNumber, -1, false, "", "", ""},
		},
		dict.Description: {
			{"Name", dict.TypeString, 60, true, "", "", "i"},
			{"Description", dict.TypeString, 255, false, "", "", ""},
			{"Help", dict.TypeText, -1, false, "", "", ""},
		},
		dict.ValueName: {
			{"Value", dict.TypeString, 40, true, "", "", "i"},
			{"Name", dict.TypeString, 60, true, "", "", "i"},
		},
		dict.Tree: {
			{"Parent_ID", dict.TypeTable, -1, false, "", "XX_Foo Parent", ""},
			{"SeqNo", dict.TypeInteger, -1, false, "", "", ""},
		},
		dict.Import: {
			{"I_IsImported", dict.TypeYesNo, -1, true, "N", "", ""},
			{"I_ErrorMsg", dict.TypeString, -1, false, "", "", ""},
			{"Processed", dict.TypeYesNo, -1, true, "N", "", ""},
		},
	}
	for tpl, want := range tests {
		t.Run(string(tpl), func(t *testing.T) {
			t.Parallel()
			got := dict.NewTable("XX_Foo").With(tpl).AllColumns()
			require.Len(t, got, len(want))
			for i, w := range want {
				c := got[i]
				assert.Equal(t, w.name, c.Name)
				assert.Equal(t, w.typ, c.Type, w.name)
				assert.Equal(t, w.mandatory, c.Mandatory, w.name)
				assert.Equal(t, w.def, c.Default, w.name)
				if w.length >= 0 {
					assert.Equal(t, w.length, c.Length, w.name)
				}
				if w.reference != "" {
					require.NotNil(t, c.Reference, w.name)
					assert.Equal(t, w.reference, c.Reference.Name, w.name)
				}
				flags := ""
				for _, f := range []struct {
					on   bool
					mark string
				}{{c.Key, "k"}, {c.Unique, "u"}, {c.Identifier, "i"}} {
					if f.on {
						flags += f.mark
					}
				}
				assert.Equal(t, w.flags, flags, w.name)
			}
		})
	}
}

func TestDocumentTableHasSeventeenColumns(t *testing.T) {
	t.Parallel()
	columns := dict.NewTable("XX_Foo").With(dict.Standard, dict.Document).AllColumns()
	assert.Len(t, columns, 17)
}

func TestParseTemplate(t *testing.T) {
	t.Parallel()
	for _, tpl := range dict.Templates() {
		got, ok := dict.ParseTemplate(string(tpl))
		assert.True(t, ok)
		assert.Equal(t, tpl, got)
	}
	got, ok := dict.ParseTemplate("value-name")
	assert.True(t, ok)
	assert.Equal(t, dict.ValueName, got)
	_, ok = dict.ParseTemplate("BASIC")
	assert.False(t, ok)
	assert.Empty(t, dict.Template("BASIC").Columns("XX_Foo"))
}

// Columns that two templates bring must agree in type, because the first
// definition is kept.
func TestTemplatesAgreeOnSharedColumns(t *testing.T) {
	t.Parallel()
	seen := map[string]dict.Column{}
	for _, tpl := range dict.Templates() {
		for _, c := range tpl.Columns("XX_Foo") {
			if first, ok := seen[c.Name]; ok {
				assert.Equal(t, first.Type, c.Type, "%s in %s", c.Name, tpl)
				assert.Equal(t, first.Length, c.Length, "%s in %s", c.Name, tpl)
			}
			seen[c.Name] = c
		}
	}
}

func TestTemplatesMerge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		templates []dict.Template
		want      []string
	}{
		{"name from two templates once", []dict.Template{dict.Description, dict.ValueName},
			[]string{"Value", "Name", "Description", "Help"}},
		{"order of naming does not matter", []dict.Template{dict.ValueName, dict.Description},
			[]string{"Value", "Name", "Description", "Help"}},
		{"twice the same", []dict.Template{dict.ValueName, dict.ValueName}, []string{"Value", "Name"}},
		{"processed from document and import", []dict.Template{dict.Document, dict.Import},
			[]string{"DocumentNo", "C_DocType_ID", "C_DocTypeTarget_ID", "DocStatus", "DocAction", "Processing", "Processed",
				"IsApproved", "I_IsImported", "I_ErrorMsg"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			table := dict.NewTable("XX_Foo").With(tt.templates...)
			require.NoError(t, dict.Validate(nil, table))
			var names []string
			for _, c := range table.AllColumns() {
				names = append(names, c.Name)
				if c.Name == "Name" {
					assert.True(t, c.Mandatory && c.Identifier && c.Selection)
					assert.Equal(t, 2, c.SeqNo)
				}
			}
			assert.Equal(t, tt.want, names)
		})
	}
}

func TestImportTarget(t *testing.T) {
	t.Parallel()
	target := []dict.Column{
		{Name: "M_Thing_ID", Type: dict.TypeID, Key: true, Mandatory: true},
		{Name: "M_Thing_UU", Type: dict.TypeUUID},
		{Name: "AD_Client_ID", Type: dict.TypeTableDir, Mandatory: true},
		{Name: "IsActive", Type: dict.TypeYesNo, Default: "Y"},
		{Name: "Value", Type: dict.TypeString, Length: 40, Mandatory: true, Identifier: true},
		{Name: "IsSold", Type: dict.TypeYesNo, Default: "Y"},
		{Name: "Computed", Type: dict.TypeString, Length: 10, SQL: "(SELECT 1)"},
		{Name: "Processed", Type: dict.TypeYesNo},
	}
	table := dict.NewTable("XX_I_Thing").With(dict.Standard).ImportInto("M_Thing", target)
	require.NoError(t, dict.Validate(nil, table))
	columns := table.AllColumns()
	var names []string
	for _, c := range columns[9:] {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"I_IsImported", "I_ErrorMsg", "Processed", "M_Thing_ID", "Value", "IsSold"}, names)
	link := columns[12]
	assert.Equal(t, dict.TypeTableDir, link.Type)
	assert.False(t, link.Key || link.Mandatory)
	assert.False(t, columns[13].Mandatory, "an import table takes incomplete rows")
	assert.Equal(t, "Y", columns[14].Default)
}

package dict_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
)

func newPlan(t *testing.T, tables ...dict.Table) *dict.Plan {
	t.Helper()
	plan, err := dict.NewPlan(nil, tables...)
	require.NoError(t, err)
	return plan
}

func record(t *testing.T, plan *dict.Plan, key dict.Key) *dict.RecordStep {
	t.Helper()
	step, ok := plan.Step(key)
	require.True(t, ok, "no step %s", key)
	r, ok := step.(*dict.RecordStep)
	require.True(t, ok, "step %s is %T", key, step)
	return r
}

func big() []dict.Table {
	return []dict.Table{
		dict.NewTable("XX_Head").With(dict.Templates()...).
			Column(
				dict.Column{Name: "XX_Kind", Type: dict.TypeList, Unique: true,
					Reference: dict.List("XX_Kinds", dict.ListValue{Value: "a", Name: "A"}, dict.ListValue{Value: "A", Name: "Big A"})},
				dict.Column{Name: "XX_Line_ID", Type: dict.TypeTable,
					Reference: dict.Lookup("XX_Last Line", dict.TableLookup{Table: "XX_Line"})},
				dict.Column{Name: "Bill_BPartner_ID", Type: dict.TypeTable,
					Reference: dict.Lookup("XX_Bill Partner", dict.TableLookup{Table: "C_BPartner", Display: "Name"})},
			).
			WithWindow(dict.Window{MenuParent: "System Admin", Roles: []int{102}}),
		dict.NewTable("XX_Line").With(dict.Standard, dict.ValueName).
			Column(dict.Column{Name: "XX_Head_ID", Type: dict.TypeTableDir, Parent: true, Mandatory: true}).
			Index(dict.Index{Name: "XX_Line_Order", Columns: []string{"XX_Head_ID", "Value"}, Unique: true}),
	}
}

func TestPlanOrder(t *testing.T) {
	t.Parallel()
	plan := newPlan(t, big()...)
	place := map[dict.Key]int{}
	uuids := map[dict.UUID]dict.Key{}
	for i, step := range plan.Steps() {
		for _, need := range step.Needs() {
			at, ok := place[need]
			require.True(t, ok, "%s needs %s", step.StepKey(), need)
			require.Less(t, at, i)
		}
		_, twice := place[step.StepKey()]
		require.False(t, twice, "%s twice", step.StepKey())
		place[step.StepKey()] = i
		if r, ok := step.(*dict.RecordStep); ok && r.Action != dict.Update {
			_, valid := dict.ParseUUID(string(r.UUID))
			assert.True(t, valid, "%s has UUID %q", r.Key, r.UUID)
			assert.Empty(t, uuids[r.UUID], "%s has the UUID of %s", r.Key, uuids[r.UUID])
			uuids[r.UUID] = r.Key
			assert.NotEmpty(t, r.Match, "%s can be found without its UUID", r.Key)
		}
	}
	first, ok := plan.Steps()[0].(*dict.RecordStep)
	require.True(t, ok)
	assert.Equal(t, "AD_Table", first.Table, "the table comes first")
	assert.Less(t, place["sync.XX_Line"], place["index.XX_Line_Order"])
	assert.Less(t, place["sync.XX_Head"], place["AD_Window.Head"])
	assert.Less(t, place["AD_Column.XX_Line.XX_Line_ID"], place["AD_Ref_Table.XX_Last Line"])
	s := plan.Summary()
	assert.Equal(t, []string{"XX_Head", "XX_Line"}, s.Tables)
	assert.Equal(t, 1, s.Windows)
	assert.Equal(t, 4, s.Processes, "two tables, two indexes")
}

// The same definition gives the same plan, another gives another; the name of
// the namespace's owner decides the UUIDs.
func TestPlanIsDeterministic(t *testing.T) {
	t.Parallel()
	a, b := newPlan(t, big()...), newPlan(t, big()...)
	assert.Equal(t, a.Fingerprint(), b.Fingerprint())
	ja, err := json.Marshal(a)
	require.NoError(t, err)
	jb, err := json.Marshal(b)
	require.NoError(t, err)
	assert.Equal(t, string(ja), string(jb))

	changed := big()
	changed[0] = changed[0].WithDescription("other")
	assert.NotEqual(t, a.Fingerprint(), newPlan(t, changed...).Fingerprint())

	other, err := dict.NewPlan(&dict.Options{Namespace: dict.UUIDv5(dict.Namespace, "other")}, big()...)
	require.NoError(t, err)
	assert.NotEqual(t, record(t, a, "XX_Head").UUID, record(t, other, "XX_Head").UUID)
}

// The element of a column name has the same UUID whatever table and case it
// comes from, so that two plans do not make it twice.
func TestElementsAreShared(t *testing.T) {
	t.Parallel()
	a := newPlan(t, dict.NewTable("XX_A").Column(dict.Column{Name: "XX_Remark", Type: dict.TypeString}))
	b := newPlan(t, dict.NewTable("XX_B").Column(dict.Column{Name: "xx_remark", Type: dict.TypeString}))
	ea, eb := record(t, a, "AD_Element.xx_remark"), record(t, b, "AD_Element.xx_remark")
	assert.Equal(t, ea.UUID, eb.UUID)
	assert.Equal(t, dict.Ensure, ea.Action)
	assert.True(t, ea.Match[0].Fold)

	both := newPlan(t,
		dict.NewTable("XX_A").Column(dict.Column{Name: "XX_Remark", Type: dict.TypeString}),
		dict.NewTable("XX_B").Column(dict.Column{Name: "xx_remark", Type: dict.TypeString}))
	assert.Equal(t, 1, both.Summary().Elements)
}

func TestColumnRecord(t *testing.T) {
	t.Parallel()
	plan := newPlan(t, dict.NewTable("XX_Demo").With(dict.Standard))
	r := record(t, plan, "AD_Column.XX_Demo.AD_Org_ID")
	for column, want := range map[string]string{
		"AD_Table_ID":      "@XX_Demo_ID@",
		"ColumnName":       "AD_Org_ID",
		"Name":             "Organization",
		"AD_Reference_ID":  "19",
		"FieldLength":      "10",
		"DefaultValue":     "@AD_Org_ID@",
		"IsKey":            "N",
		"IsMandatory":      "Y",
		"IsUpdateable":     "N",
		"FKConstraintName": "ADOrg_XXDemo",
		"FKConstraintType": "N",
		"IsAllowCopy":      "N",
		"Version":          "0",
	} {
		assert.Equal(t, want, r.Text(column), column)
	}
	assert.Equal(t, "13", record(t, plan, "AD_Column.XX_Demo.XX_Demo_ID").Text("AD_Reference_ID"))
	assert.Equal(t, 113, record(t, plan, "AD_Element.ad_org_id").ID)
	assert.Empty(t, r.Text("Nope"))
}

// Foreign key names follow the ERP's rule, with a number where two collide.
func TestForeignKeyNames(t *testing.T) {
	t.Parallel()
	user := dict.ExistingReference("AD_User", 110, "AD_User")
	table := dict.NewTable("AD_UserDef_Form").With(dict.Standard).
		Column(
			dict.Column{Name: "FromUser1_ID", Type: dict.TypeTable, Reference: user},
			dict.Column{Name: "From_User1_ID", Type: dict.TypeTable, Reference: user},
			dict.Column{Name: "NoKey_ID", Type: dict.TypeTable, Reference: user, ForeignKey: dict.FKNone},
			dict.Column{Name: "Virtual_ID", Type: dict.TypeTable, Reference: user, SQL: "(SELECT 1)"},
			dict.Column{Name: strings.Repeat("a", 60) + "_ID", Type: dict.TypeTable, Reference: user},
		)
	names := map[string]string{}
	for _, c := range table.AllColumns() {
		names[c.Name] = c.ForeignKeyName
	}
	assert.Equal(t, "ADClient_ADUserDefForm", names["AD_Client_ID"])
	assert.Equal(t, "CreatedBy_ADUserDefForm", names["CreatedBy"])
	assert.Equal(t, "FromUser1_ADUserDefForm", names["FromUser1_ID"])
	assert.Equal(t, "FromUser1_ADUserDefForm1", names["From_User1_ID"])
	assert.Empty(t, names["NoKey_ID"])
	assert.Empty(t, names["Virtual_ID"])
	assert.Empty(t, names["AD_UserDef_Form_ID"], "the key has none")
	assert.Len(t, names[strings.Repeat("a", 60)+"_ID"], 63)
}

func TestSynchronisation(t *testing.T) {
	t.Parallel()
	plan := newPlan(t, dict.NewTable("XX_Tag").With(dict.Standard).Column(
		dict.Column{Name: "Name", Type: dict.TypeString},
		dict.Column{Name: "Computed", Type: dict.TypeString, SQL: "(SELECT 1)"}))
	step, ok := plan.Step("sync.XX_Tag")
	require.True(t, ok)
	sync, ok := step.(*dict.RunStep)
	require.True(t, ok)
	assert.Equal(t, dict.SyncTable, sync.Purpose)
	assert.Equal(t, dict.Ref("AD_Column.XX_Tag.XX_Tag_ID"), sync.Record)
	var names []string
	for _, c := range sync.Physical.Columns {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"AD_Client_ID", "AD_Org_ID", "Created", "CreatedBy", "IsActive", "Name", "Updated", "UpdatedBy",
		"XX_Tag_ID", "XX_Tag_UU"}, names, "the order of the reference's own CREATE TABLE")
	assert.Equal(t, &dict.ForeignKey{Name: "ADClient_XXTag", Table: "AD_Client", Column: "AD_Client_ID", Rule: "N"},
		sync.Physical.Columns[0].Foreign)
	assert.Equal(t, plan.Len()-1, indexOf(plan, "sync.XX_Tag"))

	view := dict.NewTable("XX_Tag_v").With(dict.Standard)
	view.View = true
	vp := newPlan(t, view)
	assert.Zero(t, vp.Summary().Processes, "a view is not synchronised")
	assert.Equal(t, "N", record(t, vp, "XX_Tag_v").Text("IsDeleteable"))
	assert.Zero(t, newPlan(t, dict.NewTable("XX_Empty")).Summary().Processes, "nothing to synchronise")
	quiet, err := dict.NewPlan(&dict.Options{NoSync: true}, dict.NewTable("XX_Tag").With(dict.Standard))
	require.NoError(t, err)
	assert.Zero(t, quiet.Summary().Processes)
}

func indexOf(plan *dict.Plan, key dict.Key) int {
	for i, s := range plan.Steps() {
		if s.StepKey() == key {
			return i
		}
	}
	return -1
}

// A table that others point at is synchronised before them, whatever the order
// they are given in; a circle is not an obstacle.
func TestSynchronisationOrder(t *testing.T) {
	t.Parallel()
	child := dict.NewTable("XX_Child").With(dict.Standard).Column(dict.Column{Name: "XX_Parent_ID", Type: dict.TypeTableDir})
	parent := dict.NewTable("XX_Parent").With(dict.Standard)
	plan := newPlan(t, child, parent)
	assert.Less(t, indexOf(plan, "sync.XX_Parent"), indexOf(plan, "sync.XX_Child"))
	circle := newPlan(t, child, parent.Column(dict.Column{Name: "XX_Child_ID", Type: dict.TypeTableDir}))
	assert.Equal(t, 2, circle.Summary().Processes)
}

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		table dict.Table
		want  string
	}{
		{"search key and name", dict.NewTable("XX_Foo").With(dict.ValueName), "Value 1 Name 2"},
		{"document number when nothing else", dict.NewTable("XX_Foo").With(dict.Document), "DocumentNo 1"},
		{"own name", dict.NewTable("XX_Foo").Column(dict.Column{Name: "Name", Type: dict.TypeString}), "Name 1"},
		{"own choice wins", dict.NewTable("XX_Foo").With(dict.Document).
			Column(dict.Column{Name: "Code", Type: dict.TypeString, Identifier: true}), "Code 1"},
		{"own numbers are kept", dict.NewTable("XX_Foo").
			Column(dict.Column{Name: "A", Type: dict.TypeString, Identifier: true},
				dict.Column{Name: "B", Type: dict.TypeString, Identifier: true, SeqNo: 1}), "A 2 B 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range tt.table.AllColumns() {
				if c.Identifier {
					got = append(got, fmt.Sprintf("%s %d", c.Name, c.SeqNo))
				}
			}
			assert.Equal(t, tt.want, strings.Join(got, " "))
		})
	}
}

func TestWindowFields(t *testing.T) {
	t.Parallel()
	plan := newPlan(t, dict.NewTable("XX_Foo").With(dict.Standard, dict.Description).
		Column(dict.Column{Name: "C_Order_ID", Type: dict.TypeSearch, Parent: true},
			dict.Column{Name: "Note", Type: dict.TypeTextLong}).WithWindow(dict.Window{}))
	var names []string
	for _, s := range plan.Steps() {
		r, ok := s.(*dict.RecordStep)
		if !ok || r.Table != "AD_Field" {
			continue
		}
		names = append(names, strings.TrimPrefix(r.Name, "Foo.")+" "+r.Text("SeqNo"))
	}
	assert.Equal(t, []string{"AD_Client_ID 10", "AD_Org_ID 20", "C_Order_ID 30", "Name 40", "Description 50", "Help 60",
		"XX_Foo_ID 70", "XX_Foo_UU 80", "Note 90", "IsActive 100",
		"Created 110", "CreatedBy 120", "Updated 130", "UpdatedBy 140"}, names)
	for _, name := range []string{"Created", "CreatedBy", "Updated", "UpdatedBy"} {
		field := record(t, plan, dict.Key("AD_Field.Foo.XX_Foo."+name))
		for flag, want := range map[string]string{"IsDisplayed": "N", "IsDisplayedGrid": "N", "IsReadOnly": "Y"} {
			assert.Equal(t, want, field.Text(flag), "%s of %s", flag, name)
		}
	}
	assert.Equal(t, "N", record(t, plan, "AD_Field.Foo.XX_Foo.XX_Foo_ID").Text("IsDisplayed"))
	assert.Equal(t, "4", record(t, plan, "AD_Field.Foo.XX_Foo.AD_Org_ID").Text("XPosition"))
	assert.Equal(t, "5", record(t, plan, "AD_Field.Foo.XX_Foo.Name").Text("ColumnSpan"))
	assert.Equal(t, "5", record(t, plan, "AD_Field.Foo.XX_Foo.Note").Text("NumLines"))
	assert.Equal(t, "XX_Foo.Name", record(t, plan, "AD_Tab.Foo.XX_Foo").Text("OrderByClause"))
	update := record(t, plan, "window.XX_Foo")
	assert.Equal(t, dict.Update, update.Action)
	assert.Equal(t, dict.Key("XX_Foo"), update.Of)
}

func TestPlanJSON(t *testing.T) {
	t.Parallel()
	plan := newPlan(t, big()...)
	data, err := json.Marshal(plan)
	require.NoError(t, err)
	var back dict.Plan
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, plan.Steps(), back.Steps())
	assert.Equal(t, plan.Fingerprint(), back.Fingerprint())

	tampered := strings.Replace(string(data), `"XX_Head"`, `"XX_Tail"`, 1)
	assert.Error(t, json.Unmarshal([]byte(tampered), &back))
	for name, bad := range map[string]string{
		"unknown kind":      `{"name":"x","steps":[{"kind":"shell","key":"a"}]}`,
		"unknown action":    `{"name":"x","steps":[{"kind":"record","key":"a","action":"drop"}]}`,
		"dangling":          `{"name":"x","steps":[{"kind":"record","key":"a","action":"create","values":[{"column":"b","value":{"ref":"@c_ID@"}}]}]}`,
		"null value":        `{"name":"x","steps":[{"kind":"record","key":"a","action":"create","values":[{"column":"b","value":null}]}]}`,
		"missing value":     `{"name":"x","steps":[{"kind":"record","key":"a","action":"create","values":[{"column":"b"}]}]}`,
		"fraction":          `{"name":"x","steps":[{"kind":"record","key":"a","action":"create","values":[{"column":"b","value":1.5}]}]}`,
		"two of one key":    `{"name":"x","steps":[{"kind":"record","key":"a","action":"create"},{"kind":"record","key":"a","action":"create"}]}`,
		"no key":            `{"name":"x","steps":[{"kind":"record","action":"create"}]}`,
		"process on nobody": `{"name":"x","steps":[{"kind":"process","key":"a","role":"sync-table"}]}`,
		"not JSON":          `{`,
	} {
		var p dict.Plan
		assert.Error(t, json.Unmarshal([]byte(bad), &p), name)
	}
}

func FuzzPlanJSON(f *testing.F) {
	plan, err := dict.NewPlan(nil, dict.NewTable("XX_Foo").With(dict.ValueName))
	if err != nil {
		f.Fatal(err)
	}
	data, err := json.Marshal(plan)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"steps":[{"kind":"record","key":"a","action":"create","values":[{"column":"b","value":{"existing":{"table":"x"}}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p dict.Plan
		if json.Unmarshal(data, &p) != nil {
			return
		}
		again, err := json.Marshal(&p)
		if err != nil {
			t.Fatalf("a plan that was read cannot be written: %v", err)
		}
		var q dict.Plan
		if err := json.Unmarshal(again, &q); err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, again)
		}
		if p.Fingerprint() != q.Fingerprint() {
			t.Fatal("the fingerprint changed on the way")
		}
	})
}

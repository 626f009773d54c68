package generator

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

// javaTypes are the Java types of display types by their numbers.
var javaTypes = func() map[int]string {
	types := map[int]string{}
	for java, numbers := range map[string][]int{
		"int":        {11, 13, 18, 19, 21, 25, 30, 31, 32, 33, 35, 53370, 200202},
		"BigDecimal": {12, 22, 29, 37},
		"Timestamp":  {15, 16, 24, 200133},
		"boolean":    {20},
		"String": {10, 14, 17, 27, 28, 34, 36, 38, 39, 40, 42, 200012, 200127, 200128, 200135, 200152, 200161, 200162, 200163,
			200231, 200233, 200234, 200235, 200240, 200267, 200271},
		"byte[]": {23},
	} {
		for _, n := range numbers {
			types[n] = java
		}
	}
	return types
}()

// expectedType is the Java type of a column by the rules, read once more.
func expectedType(t *testing.T, reg registry.Registry, c *registry.Column) string {
	t.Helper()
	switch strings.ToLower(c.Name) {
	case "posted", "processed", "processing":
		return "boolean"
	}
	if c.Name == "Record_ID" {
		return "int"
	}
	if (c.Type == 18 || c.Type == 30) && c.ReferenceID > 0 {
		if r, err := reg.Reference(t.Context(), fmt.Sprint(c.ReferenceID), registry.WithInactive); err == nil && r.Lookup != nil {
			if table, err := reg.Table(t.Context(), r.Lookup.Table, registry.WithInactive); err == nil {
				if key, ok := table.Column(r.Lookup.Key); ok {
					return cmp.Or(javaTypes[int(key.Type)], "Object")
				}
			}
		}
	}
	if c.Type == 28 && strings.HasSuffix(c.Name, "_ID") {
		return "int"
	}
	return cmp.Or(javaTypes[int(c.Type)], "Object")
}

var (
	constants  = regexp.MustCompile(`public static final String COLUMNNAME_(\w+) = "(\w+)";`)
	setters    = regexp.MustCompile(`(?m)^\tpublic void set(\w+) \((\S+) (\w+)\)(;?)`)
	getters    = regexp.MustCompile(`(?m)^\tpublic (\S+) (get|is)(\w+)\(\)(;?)`)
	listValues = regexp.MustCompile(`(?m)^\tpublic static final String (\w+) = (".*");$`)
)

// checkModel holds the classes of a table against the rules.
func checkModel(t *testing.T, reg registry.Registry, table *registry.Table, iface, class string) {
	t.Helper()
	standard := []string{"AD_Client_ID", "AD_Org_ID", "IsActive", "Created", "CreatedBy", "Updated", "UpdatedBy"}
	var all, own []registry.Column
	key, parents := "", 0
	for _, c := range table.Columns {
		if !c.Active {
			continue
		}
		if c.Key {
			key = c.Name
		}
		if c.Parent {
			parents++
		}
		if strings.HasPrefix(c.SQL, "@SQL") {
			continue
		}
		all = append(all, c)
		if !slices.Contains(standard, c.Name) {
			own = append(own, c)
		}
	}
	byName := func(a, b registry.Column) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(all, byName)
	slices.SortFunc(own, byName)

	// The interface: constants of all columns in order, setters of those that have one, getters of all.
	var names, wantNames, wantSet, wantGet []string
	for _, m := range constants.FindAllStringSubmatch(iface, -1) {
		require.Equal(t, m[1], m[2], table.Name)
		names = append(names, m[1])
	}
	getter := func(c *registry.Column, java string) string {
		if java == "boolean" {
			return java + " is" + regexp.MustCompile(`^(?i)is(.)`).ReplaceAllString(c.Name, "$1")
		}
		return java + " get" + c.Name
	}
	for i := range all {
		c := &all[i]
		java := expectedType(t, reg, c)
		wantNames = append(wantNames, c.Name)
		wantGet = append(wantGet, getter(c, java))
		if !slices.Contains([]string{"AD_Client_ID", "Created", "CreatedBy", "Updated", "UpdatedBy"}, c.Name) {
			wantSet = append(wantSet, java+" "+c.Name)
		}
	}
	assert.Equal(t, wantNames, names, "%s: constants of I_", table.Name)
	set, get := methods(t, iface)
	assert.Equal(t, wantSet, set, "%s: setters of I_", table.Name)
	assert.Equal(t, wantGet, get, "%s: getters of I_", table.Name)
	if table.ID <= 999_999 {
		assert.Contains(t, iface, fmt.Sprintf("public static final int Table_ID = %d;", table.ID))
	} else {
		assert.Contains(t, iface, "public static final int Table_ID = MTable.getTable_ID(Table_Name);")
	}
	assert.Contains(t, iface, `public static final String Table_Name = "`+table.Name+`";`)
	assert.Contains(t, iface, "BigDecimal accessLevel = BigDecimal.valueOf("+string(table.AccessLevel)+");")

	// The class: its own columns with bodies, and its constructors.
	wantSet, wantGet = nil, nil
	for i := range own {
		c := &own[i]
		java := expectedType(t, reg, c)
		wantSet, wantGet = append(wantSet, java+" "+c.Name), append(wantGet, getter(c, java))
		checkBodies(t, class, table.Name, c, java)
		checkList(t, reg, class, table.Name, c, java)
	}
	set, get = methods(t, class)
	assert.Equal(t, wantSet, set, "%s: setters of X_", table.Name)
	assert.Equal(t, wantGet, get, "%s: getters of X_", table.Name)
	for _, line := range []string{
		`@org.adempiere.base.Model(table="` + table.Name + `")`,
		"public class X_" + table.Name + " extends PO implements I_" + table.Name + ", I_Persistent",
		"import java.sql.ResultSet;", "import java.util.Properties;", "import org.compiere.model.*;",
		"public X_" + table.Name + " (Properties ctx, ResultSet rs, String trxName)",
		"return accessLevel.intValue();", "POInfo.getPOInfo (ctx, Table_ID, get_TrxName())",
	} {
		assert.Contains(t, class, line, table.Name)
	}
	ids := strings.Count(class, "public X_"+table.Name+" (Properties ctx, int "+table.Name+"_ID, String trxName")
	if strings.HasSuffix(key, "_UU") || key == "" && parents == 0 {
		assert.Zero(t, ids, "%s: constructors with an id", table.Name)
	} else {
		assert.Equal(t, 2, ids, "%s: constructors with an id", table.Name)
	}
	uuids := regexp.MustCompile(`public X_\w+ \(Properties ctx, String \w+_UU, String trxName`)
	assert.Len(t, uuids.FindAllString(class, -1), 2, "%s: constructors with a UUID", table.Name)
	named := slices.ContainsFunc(all, func(c registry.Column) bool { return c.Name == "Name" })
	assert.Equal(t, named, strings.Contains(class, `.append(",Name=").append(getName())`), table.Name)
	pair := slices.ContainsFunc(own, func(c registry.Column) bool { return c.Identifier && c.SeqNo == 1 })
	assert.Equal(t, pair, strings.Contains(class, "getKeyNamePair()") || strings.Contains(class, "getValueNamePair()"), "%s: pair", table.Name)
}

func methods(t *testing.T, source string) (set, get []string) {
	t.Helper()
	for _, m := range setters.FindAllStringSubmatch(source, -1) {
		require.Equal(t, m[1], m[3])
		set = append(set, m[2]+" "+m[1])
	}
	for _, m := range getters.FindAllStringSubmatch(source, -1) {
		get = append(get, m[1]+" "+m[2]+m[3])
	}
	return set, get
}

// checkBodies holds what setter and getter of a column do against the rules.
func checkBodies(t *testing.T, class, table string, c *registry.Column, java string) {
	t.Helper()
	where := table + "." + c.Name
	body := func(head string) string {
		_, rest, ok := strings.Cut(class, head)
		require.True(t, ok, "%s: no %s", where, head)
		text, _, ok := strings.Cut(rest, "\n\t}\n")
		require.True(t, ok, where)
		return strings.Join(strings.Fields(text), " ")
	}
	call, read := "set_Value", "get_Value"
	if !c.Updateable {
		call = "set_ValueNoCheck"
	}
	if c.Encrypted {
		call, read = call+"E", read+"E"
	}
	column := "COLUMNNAME_" + c.Name
	value := map[string]string{"int": "Integer.valueOf(" + c.Name + ")", "boolean": "Boolean.valueOf(" + c.Name + ")"}
	want := fmt.Sprintf("{ %s (%s, %s);", call, column, cmp.Or(value[java], c.Name))
	switch {
	case c.SQL != "":
		want = `{ throw new IllegalArgumentException ("` + c.Name + ` is virtual column");`
	case java == "int" && strings.HasSuffix(c.Name, "_ID"):
		limit := 1
		if slices.Contains([]string{"AD_Client_ID", "AD_Org_ID", "Record_ID", "C_DocType_ID", "Node_ID", "AD_Role_ID", "M_AttributeSet_ID", "M_AttributeSetInstance_ID"}, c.Name) {
			limit = 0
		}
		want = fmt.Sprintf("{ if (%s < %d) %s (%s, null); else %s (%s, %s);", c.Name, limit, call, column, call, column, value["int"])
	}
	assert.Equal(t, want, body("\tpublic void set"+c.Name+" ("+java+" "+c.Name+")"), "%s: setter", where)
	got := body("\tpublic " + getterHead(c, java))
	assert.Contains(t, got, read+"("+column+")", "%s: getter", where)
	for _, part := range map[string][]string{"int": {"return 0;", "(Integer)"}, "BigDecimal": {"return Env.ZERO;"},
		"boolean": {`"Y".equals(`, "return false;"}, "byte[]": {"(byte[])"}, "String": {"(String)"}, "Timestamp": {"(Timestamp)"}}[java] {
		assert.Contains(t, got, part, "%s: getter", where)
	}
	assert.Equal(t, c.Encrypted, strings.Contains(got, "get_ValueE"), where)
}

func getterHead(c *registry.Column, java string) string {
	if java != "boolean" {
		return java + " get" + c.Name + "()"
	}
	if len(c.Name) > 2 && strings.EqualFold(c.Name[:2], "is") {
		return "boolean is" + c.Name[2:] + "()"
	}
	return "boolean is" + c.Name + "()"
}

// checkList holds the constants of a list column against its reference.
func checkList(t *testing.T, reg registry.Registry, class, table string, c *registry.Column, java string) {
	t.Helper()
	where, prefix := table+"."+c.Name, strings.ToUpper(c.Name)
	id := fmt.Sprintf("\tpublic static final int %s_AD_Reference_ID=%d;", prefix, c.ReferenceID)
	has := java == "String" && c.ReferenceID > 0
	assert.Equal(t, has && c.ReferenceID <= 999_999, strings.Contains(class, id), "%s: number of the list", where)
	if !has {
		return
	}
	r, err := reg.Reference(t.Context(), fmt.Sprint(c.ReferenceID), registry.WithInactive)
	if errors.Is(err, registry.ErrNotFound) {
		return
	}
	require.NoError(t, err)
	var want []string
	for _, v := range r.Values {
		want = append(want, v.Value)
	}
	slices.Sort(want)
	head, _, ok := strings.Cut(class, "\tpublic void set"+c.Name+" (")
	require.True(t, ok)
	if i := strings.LastIndex(head, "\n\t}\n"); i >= 0 {
		head = head[i:]
	}
	var got, names []string
	for _, m := range listValues.FindAllStringSubmatch(head, -1) {
		var value string
		require.NoError(t, json.Unmarshal([]byte(m[2]), &value), m[2]) // these escapes are those of JSON, too
		got, names = append(got, value), append(names, m[1])
		assert.True(t, strings.HasPrefix(m[1], prefix+"_"), where)
	}
	assert.Equal(t, want, got, "%s: values of the list", where)
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names), "%s: a constant twice", where)
}

// modelsOf generates classes for tables of a dictionary and holds them against
// the rules. It returns how many tables it did, and what was refused.
func modelsOf(t *testing.T, reg registry.Registry, limit int) (made int, refused []string) {
	t.Helper()
	list, err := reg.Tables(t.Context(), registry.ListQuery{})
	require.NoError(t, err)
	for _, info := range list.Items {
		if limit > 0 && made == limit {
			break
		}
		if strings.HasSuffix(info.Name, "_Trl") {
			continue
		}
		a, err := Generate(t.Context(), reg, "model", map[string]any{"artifactId": "com.example.demo", "tables": []string{info.Name}, "classes": false})
		var bad *OptionsError
		if errors.As(err, &bad) {
			refused = append(refused, err.Error())
			continue
		}
		require.NoError(t, err, info.Name)
		table, err := reg.Table(t.Context(), info.Name)
		require.NoError(t, err)
		folder := "src/com/example/demo/model/"
		iface, err := a.Tree.ReadFile(folder + "I_" + table.Name + ".java")
		require.NoError(t, err)
		class, err := a.Tree.ReadFile(folder + "X_" + table.Name + ".java")
		require.NoError(t, err)
		checkModel(t, reg, &table, string(iface), string(class))
		made++
	}
	return made, refused
}

func TestModelsOfDescribedTables(t *testing.T) {
	t.Parallel()
	made, refused := modelsOf(t, described(t), 0)
	assert.Equal(t, 5, made)
	assert.Empty(t, refused)
}

// With -short it takes the first hundred tables.
func TestModelsOfTheEmbeddedERP(t *testing.T) {
	t.Parallel()
	limit := 0
	if testing.Short() {
		limit = 100
	}
	db := erptest.New(t).Database()
	defer db.Close()
	source, err := dbdict.New(db, dbdict.SQLite, nil)
	require.NoError(t, err)
	reg, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	made, refused := modelsOf(t, reg, limit)
	assert.GreaterOrEqual(t, made, 30)
	assert.Empty(t, refused)
}

// realDictionary is loaded once for all tests.
var realDictionary = sync.OnceValues(func() (*registry.Catalog, error) {
	d, err := synthdict.ReadFacts(factsFolder())
	if err != nil {
		return nil, err
	}
	return registry.LoadCatalog(context.Background(), d.Source())
})

func factsFolder() string {
	return filepath.Join(cmp.Or(os.Getenv("ERPHUB_REFERENCE"), filepath.Join("..", "..", "shared", "reference")), "data")
}

// realFacts is where facts of a real ERP's dictionary are, if they are.
func realFacts(t *testing.T) string {
	t.Helper()
	folder := factsFolder()
	if _, err := os.Stat(filepath.Join(folder, "ad-tables.jsonl.gz")); err != nil {
		t.Skipf("SKIPPED: no facts of a real dictionary; set ERPHUB_REFERENCE to the folder that has them: %v", err)
	}
	return folder
}

func TestModelsOfARealDictionary(t *testing.T) {
	t.Parallel()
	realFacts(t)
	reg, err := realDictionary()
	require.NoError(t, err)
	made, refused := modelsOf(t, reg, 0)
	assert.GreaterOrEqual(t, made, 700)
	for _, r := range refused { // views whose columns are not on record
		assert.Contains(t, r, "has no columns")
	}
}

// The types that the ERP's own classes have, column by column.
func TestTypesOfTheERPsOwnClasses(t *testing.T) {
	t.Parallel()
	folder := realFacts(t)
	reg, err := realDictionary()
	require.NoError(t, err)
	file, err := os.Open(filepath.Join(folder, "ad-tables.jsonl.gz"))
	require.NoError(t, err)
	defer file.Close()
	plain, err := gzip.NewReader(file)
	require.NoError(t, err)
	same, differ := 0, 0
	for dec := json.NewDecoder(plain); ; {
		var facts struct {
			Table   string
			Model   bool
			Columns []struct {
				Name, Java, FK, Kind string
				Ref                  int
				Inactive             bool
			}
		}
		err := dec.Decode(&facts)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if !facts.Model {
			continue
		}
		table, err := reg.Table(t.Context(), facts.Table)
		if errors.Is(err, registry.ErrNotFound) {
			continue
		}
		require.NoError(t, err)
		for _, c := range facts.Columns {
			column, ok := table.Column(c.Name)
			if !ok || c.Java == "" || c.Ref == 0 || c.Inactive || c.FK == "AD_Language" || c.Name == "EntityType" { // keys of lookups are not on record
				continue
			}
			if got := javaOfColumn(&column, 0); got == c.Java {
				same++
			} else {
				differ++
				t.Logf("%s.%s (%d): %s, the ERP has %s", facts.Table, c.Name, c.Ref, got, c.Java)
			}
		}
	}
	t.Logf("%d the same, %d differ", same, differ)
	assert.Greater(t, same, 8000)
	assert.Zero(t, differ)
}

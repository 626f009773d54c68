package mask_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

// text is a column of display type String.
func text(name string, length int) mask.Column {
	return mask.Column{Name: name, DisplayType: 10, Length: length}
}

func typed(name string, displayType int) mask.Column {
	return mask.Column{Name: name, DisplayType: displayType, Length: 22}
}

// tables are some of the ERP's tables, as its dictionary describes them.
func tables() []mask.Table {
	reference := func(name, table string) mask.Column {
		return mask.Column{Name: name, DisplayType: 19, Length: 22, RefTable: table}
	}
	key := func(name string) mask.Column {
		return mask.Column{Name: name, DisplayType: 13, Length: 22, Key: true, Mandatory: true}
	}
	client := reference("AD_Client_ID", "AD_Client")
	memo := func(name string) mask.Column { return mask.Column{Name: name, DisplayType: 14, Length: 2000} }
	secret := text("Password", 1024)
	secret.Secure = true
	pin := text("UserPIN", 20)
	must := text("Token", 40)
	must.Mandatory = true
	unique := text("XX_Badge", 20)
	unique.Unique = true
	return []mask.Table{
		{Name: "C_BPartner", AccessLevel: "3", EntityType: "D", Columns: []mask.Column{
			key("C_BPartner_ID"), client, {Name: "C_BPartner_UU", DisplayType: 200231, Length: 36}, text("Value", 40), text("Name", 120), text("Name2", 60),
			memo("Description"), text("TaxID", 20), text("ReferenceNo", 40), text("URL", 120), text("AD_Language", 6), typed("SO_CreditLimit", 12),
			typed("IsCustomer", 20), typed("Created", 16), reference("C_BP_Group_ID", "C_BP_Group"), {Name: "Logo", DisplayType: 23}, text("Rating", 1),
		}},
		{Name: "AD_User", AccessLevel: "7", EntityType: "D", Columns: []mask.Column{
			key("AD_User_ID"), client, text("Name", 60), text("Value", 40), text("EMail", 60), secret, text("Salt", 32), pin, typed("Birthday", 15),
			text("Phone", 40), memo("Comments"), text("EMailUser", 60), text("LDAPUser", 60),
		}},
		{Name: "AD_Client", AccessLevel: "6", EntityType: "D", Columns: []mask.Column{key("AD_Client_ID"), text("Value", 40), text("Name", 60), memo("Description")}},
		{Name: "AD_Org", AccessLevel: "7", EntityType: "D", Columns: []mask.Column{key("AD_Org_ID"), client, text("Value", 40), text("Name", 60)}},
		{Name: "AD_Role", AccessLevel: "6", EntityType: "D", Columns: []mask.Column{key("AD_Role_ID"), client, text("Name", 60)}},
		{Name: "AD_Column", AccessLevel: "4", EntityType: "D", Columns: []mask.Column{key("AD_Column_ID"), text("ColumnName", 30), text("Name", 60), memo("Help")}},
		{Name: "C_Country", AccessLevel: "6", EntityType: "D", Columns: []mask.Column{key("C_Country_ID"), text("Name", 60)}},
		{Name: "C_City", AccessLevel: "6", EntityType: "D", Columns: []mask.Column{key("C_City_ID"), text("Name", 60)}},
		{Name: "C_Location", AccessLevel: "7", EntityType: "D", Columns: []mask.Column{key("C_Location_ID"), text("Address1", 60), text("City", 60), text("Postal", 10)}},
		{Name: "C_Order", AccessLevel: "1", EntityType: "D", Columns: []mask.Column{key("C_Order_ID"), text("DocumentNo", 30), text("POReference", 20), typed("GrandTotal", 12)}},
		{Name: "AD_SysConfig", AccessLevel: "6", EntityType: "D", Columns: []mask.Column{key("AD_SysConfig_ID"), text("Name", 50), text("Value", 255)}},
		{Name: "XX_Patient", AccessLevel: "3", EntityType: "U", Columns: []mask.Column{
			key("XX_Patient_ID"), text("Name", 60), text("XX_Anything", 60), {Name: "XX_Contact", ElementName: "Phone of the next of kin", DisplayType: 10, Length: 40},
			unique, typed("XX_Dose", 22), typed("XX_BirthDate", 15), text("XX_Flag", 1), must, typed("XX_Latitude", 22), {Name: "XX_Custom", DisplayType: 1000123, Length: 50},
			{Name: "XX_Data", DisplayType: 200267},
		}},
	}
}

func newMasker(t testing.TB, o mask.Options) *mask.Masker {
	t.Helper()
	if o.Key == (mask.Key{}) {
		o.Key = mask.FixedKey("tests")
	}
	m, err := mask.New(tables(), o)
	require.NoError(t, err)
	return m
}

func partner() map[string]any {
	return map[string]any{
		"C_BPartner_ID": int64(1000042), "AD_Client_ID": int64(11), "C_BPartner_UU": "0f1e2d3c-1111-4222-8333-444455556666", "Value": "ROE-10042",
		"Name": "Jane Roe", "Name2": nil, "Description": "Pays late, phone Jane at home after 18:30", "TaxID": "DE123456789", "ReferenceNo": "",
		"URL": "https://www.janeroe.de/contact", "AD_Language": "de_DE", "SO_CreditLimit": "2500.00", "IsCustomer": "Y",
		"Created": "2024-02-03 04:05:06", "C_BP_Group_ID": int64(103), "Logo": []byte{1, 2, 3}, "Rating": "A",
	}
}

func TestRow(t *testing.T) {
	t.Parallel()
	m := newMasker(t, mask.Options{})
	was, row := partner(), partner()
	require.NoError(t, m.Row("C_BPartner", row))
	for _, name := range []string{"C_BPartner_ID", "AD_Client_ID", "C_BPartner_UU", "Name2", "ReferenceNo", "AD_Language", "SO_CreditLimit", "IsCustomer", "Created", "C_BP_Group_ID", "Rating"} {
		assert.Equal(t, was[name], row[name], name)
	}
	for _, name := range []string{"Value", "Name", "Description", "TaxID", "URL"} {
		assert.NotEqual(t, was[name], row[name], name)
		assert.IsType(t, "", row[name], name)
	}
	assert.Nil(t, row["Logo"], "files are dropped")
	assert.Len(t, row, len(was))

	user := map[string]any{"AD_User_ID": int64(1000001), "AD_Client_ID": int64(11), "Name": "Jane Roe", "Value": "jroe", "EMail": "jane.roe@roe-trading.de",
		"Password": "0123456789abcdef", "Salt": "feed", "UserPIN": "1234", "Birthday": "1970-05-06 00:00:00", "Phone": "+49 30 1234567", "Comments": nil}
	require.NoError(t, m.Row("AD_User", user))
	assert.Equal(t, row["Name"], user["Name"], "the partner and the contact are one invention")
	assert.Nil(t, user["Password"])
	assert.Nil(t, user["Salt"])
	assert.Nil(t, user["UserPIN"])
	assert.NotEqual(t, "1970-05-06 00:00:00", user["Birthday"])
	first, _, _ := strings.Cut(strings.ToLower(user["Name"].(string)), " ")
	assert.True(t, strings.HasPrefix(user["EMail"].(string), first+"."), "%s has the address %s", user["Name"], user["EMail"])
}

func TestSystemRecords(t *testing.T) {
	t.Parallel()
	m := newMasker(t, mask.Options{})
	for name, c := range map[string]struct {
		table string
		row   map[string]any
		kept  bool
	}{
		"SuperUser":          {"AD_User", map[string]any{"AD_User_ID": int64(100), "AD_Client_ID": int64(0), "Name": "SuperUser"}, true},
		"System":             {"AD_User", map[string]any{"AD_User_ID": int64(0), "AD_Client_ID": int64(0), "Name": "System"}, true},
		"a user of a tenant": {"AD_User", map[string]any{"AD_User_ID": int64(101), "AD_Client_ID": int64(11), "Name": "GardenAdmin"}, false},
		"a user of System":   {"AD_User", map[string]any{"AD_User_ID": int64(1000000), "AD_Client_ID": int64(0), "Name": "John Admin"}, false},
		"a user at 100":      {"AD_User", map[string]any{"AD_User_ID": int64(100), "AD_Client_ID": int64(11), "Name": "John Admin"}, false},
		"no tenant told":     {"AD_User", map[string]any{"AD_User_ID": int64(100), "Name": "SuperUser"}, false},
		"tenant System":      {"AD_Client", map[string]any{"AD_Client_ID": int64(0), "Name": "System"}, true},
		"a tenant":           {"AD_Client", map[string]any{"AD_Client_ID": int64(11), "Name": "GardenWorld"}, false},
		"organization *":     {"AD_Org", map[string]any{"AD_Org_ID": int64(0), "AD_Client_ID": int64(0), "Name": "*"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			was := c.row["Name"]
			require.NoError(t, m.Row(c.table, c.row))
			if c.kept {
				assert.Equal(t, was, c.row["Name"])
			} else {
				assert.NotEqual(t, was, c.row["Name"])
			}
		})
	}
	row := map[string]any{"AD_User_ID": int64(100), "AD_Client_ID": int64(0), "Name": "SuperUser", "Password": "geheim123", "EMail": "boss@mainfirm.com"}
	require.NoError(t, m.Row("AD_User", row))
	assert.Nil(t, row["Password"])
	assert.NotEqual(t, "boss@mainfirm.com", row["EMail"])
}

func TestClasses(t *testing.T) {
	t.Parallel()
	m := newMasker(t, mask.Options{})
	for column, want := range map[string]mask.Class{
		"C_BPartner.Name": mask.Firm, "C_BPartner.Value": mask.Code, "C_BPartner.C_BPartner_ID": mask.Keep, "C_BPartner.AD_Language": mask.Keep,
		"C_BPartner.SO_CreditLimit": mask.Amount, "C_BPartner.Created": mask.Keep, "C_BPartner.Logo": mask.Binary, "C_BPartner.C_BPartner_UU": mask.Keep,
		"AD_User.Name": mask.Person, "AD_User.Password": mask.Secret, "AD_User.UserPIN": mask.Secret, "AD_User.Birthday": mask.Birthday,
		"AD_User.LDAPUser": mask.Person, "AD_Role.Name": mask.Keep, "AD_Column.Name": mask.Keep, "AD_Column.Help": mask.Keep, "C_Country.Name": mask.Keep,
		"C_City.Name": mask.City, "C_Location.City": mask.City, "C_Order.DocumentNo": mask.Keep, "C_Order.POReference": mask.Code,
		"AD_SysConfig.Name": mask.Keep, "AD_SysConfig.Value": mask.Setting, "XX_Patient.Name": mask.Label, "XX_Patient.XX_Anything": mask.Text,
		"XX_Patient.XX_Contact": mask.Phone, "XX_Patient.XX_Badge": mask.Code, "XX_Patient.XX_Dose": mask.Amount, "XX_Patient.XX_BirthDate": mask.Birthday,
		"XX_Patient.XX_Flag": mask.Keep, "XX_Patient.Token": mask.Secret, "XX_Patient.XX_Latitude": mask.Geo, "XX_Patient.XX_Custom": mask.Text, "XX_Patient.XX_Data": mask.JSON,
	} {
		table, name, _ := strings.Cut(column, ".")
		got, ok := m.Class(table, name)
		require.True(t, ok, column)
		assert.Equal(t, want, got, column)
	}
}

func TestUnknownThingsAreMasked(t *testing.T) {
	t.Parallel()
	m := newMasker(t, mask.Options{})
	require.ErrorContains(t, m.Row("XX_Nothing", map[string]any{}), "the table was not described")
	row := map[string]any{"XX_New": "Jane lives here", "xx_anything": "in another case", "XX_More": []byte("bytes of Jane"), "XX_Count": int64(3), "XX_ApiKey": "9f8e7d", "Token": "abcdef0123456789"}
	require.NoError(t, m.Row("XX_Patient", row))
	assert.NotContains(t, fmt.Sprint(row["XX_New"], row["XX_More"], row["xx_anything"]), "Jane")
	assert.NotContains(t, row["xx_anything"], "another")
	assert.Equal(t, int64(3), row["XX_Count"])
	assert.Nil(t, row["XX_ApiKey"], "a secret that was not described")
	none, err := mask.New(tables(), mask.Options{Mode: mask.None})
	require.NoError(t, err)
	row2 := map[string]any{"XX_New": "Jane lives here", "XX_ApiKey": "9f8e7d"}
	require.NoError(t, none.Row("XX_Patient", row2))
	assert.Equal(t, map[string]any{"XX_New": "Jane lives here", "XX_ApiKey": nil}, row2)
	assert.Equal(t, "removed", row["Token"], "a mandatory secret")
	err = m.Row("XX_Patient", map[string]any{"XX_Anything": struct{ Name string }{"Jane"}})
	require.ErrorContains(t, err, "cannot be masked")
	assert.NotContains(t, err.Error(), "Jane")
}

func TestOwnNames(t *testing.T) {
	t.Parallel()
	m := newMasker(t, mask.Options{Own: []string{"Roe Trading GmbH", "HQ", ""}})
	client := map[string]any{"AD_Client_ID": int64(11), "Name": "Roe Trading GmbH"}
	require.NoError(t, m.Row("AD_Client", client))
	role := map[string]any{"AD_Role_ID": int64(1000000), "AD_Client_ID": int64(11), "Name": "Roe Trading GmbH Admin"}
	require.NoError(t, m.Row("AD_Role", role))
	assert.Equal(t, client["Name"].(string)+" Admin", role["Name"])
	role = map[string]any{"AD_Role_ID": int64(1000001), "AD_Client_ID": int64(11), "Name": "ROE TRADING sales at HQ"}
	require.NoError(t, m.Row("AD_Role", role))
	assert.NotContains(t, strings.ToUpper(role["Name"].(string)), "ROE")
	assert.Contains(t, role["Name"], " sales at HQ", "a name of two letters is no name to search for")
	system := map[string]any{"AD_Role_ID": int64(0), "AD_Client_ID": int64(0), "Name": "Roe Trading"}
	require.NoError(t, m.Row("AD_Role", system))
	assert.Equal(t, "Roe Trading", system["Name"], "what came with the ERP stays")

	order := map[string]any{"AD_Client_ID": int64(11), "DocumentNo": "Roe Trading 17"}
	require.NoError(t, m.Row("C_Order", order))
	assert.Equal(t, "Roe Trading 17", order["DocumentNo"], "a code that is kept")
	kept := newMasker(t, mask.Options{Own: []string{"Roe Trading GmbH"}, Rules: mask.Rules{Tables: []mask.TableRule{{Table: "C_BPartner", Keep: true}}}})
	partner := map[string]any{"AD_Client_ID": int64(11), "Name": "Roe Trading"}
	require.NoError(t, kept.Row("C_BPartner", partner))
	assert.Equal(t, "Roe Trading", partner["Name"], "a rule keeps it")

	m = newMasker(t, mask.Options{Own: []string{"Mill", "Roe Trading"}})
	for was, like := range map[string]string{"Mill prices": `^\pL+ prices$`, "Milling prices": `^Milling prices$`, "RoeTradingAdmin": `^RoeTradingAdmin$`,
		"Roe TradingAdmin": `^\pL+ [\pL-]+Admin$`, "(mill)": `^\(\pL+\)$`} {
		row := map[string]any{"AD_Role_ID": int64(1), "AD_Client_ID": int64(11), "Name": was}
		require.NoError(t, m.Row("AD_Role", row))
		assert.Regexp(t, like, row["Name"], was)
	}
}

func TestModeNone(t *testing.T) {
	t.Parallel()
	m, err := mask.New(tables(), mask.Options{Mode: mask.None})
	require.NoError(t, err)
	row := partner()
	require.NoError(t, m.Row("C_BPartner", row))
	assert.Equal(t, partner(), row)
	user := map[string]any{"Name": "Jane", "Password": "0123456789", "Salt": "feed"}
	require.NoError(t, m.Row("AD_User", user))
	assert.Equal(t, map[string]any{"Name": "Jane", "Password": nil, "Salt": nil}, user, "secrets are never copied")
	_, err = mask.New(tables(), mask.Options{})
	require.ErrorIs(t, err, mask.ErrNoKey)
	_, err = mask.New(tables(), mask.Options{Mode: "some"})
	require.ErrorContains(t, err, "use standard or none")
}

func TestReport(t *testing.T) {
	t.Parallel()
	m := newMasker(t, mask.Options{})
	for range 3 {
		require.NoError(t, m.Row("C_BPartner", partner()))
	}
	require.NoError(t, m.Row("C_BPartner", map[string]any{"Name": nil, "Description": ""}))
	got := map[string]mask.ColumnReport{}
	for _, r := range m.Report() {
		got[r.Table+"."+r.Column] = r
	}
	assert.Equal(t, mask.ColumnReport{Table: "C_BPartner", Column: "Name", Class: mask.Firm, Masked: 3, Kept: 1}, got["C_BPartner.Name"])
	assert.Equal(t, mask.ColumnReport{Table: "C_BPartner", Column: "IsCustomer", Class: mask.Keep, Kept: 3}, got["C_BPartner.IsCustomer"])
	assert.Equal(t, mask.ColumnReport{Table: "C_BPartner", Column: "Logo", Class: mask.Binary, Masked: 3}, got["C_BPartner.Logo"])
	assert.NotContains(t, got, "AD_User.Name", "no row of it")
}

func TestRules(t *testing.T) {
	t.Parallel()
	rule := func(table, column string, c mask.Class) mask.Rules {
		return mask.Rules{Tables: []mask.TableRule{{Table: table, Where: "r.yaml:1", Columns: []mask.ColumnRule{{Column: column, Class: c, Where: "r.yaml:2"}}}}}
	}
	fixed := func(value string) mask.Rules {
		r := rule("C_BPartner", "Value", mask.Fixed)
		r.Tables[0].Columns[0].Constant = value
		return r
	}
	apply := func(t *testing.T, r mask.Rules) map[string]any {
		row := partner()
		require.NoError(t, newMasker(t, mask.Options{Rules: r}).Row("C_BPartner", row))
		return row
	}
	assert.Equal(t, "Jane Roe", apply(t, rule("C_BPartner", "Name", mask.Keep))["Name"])
	assert.Equal(t, "Jane Roe", apply(t, rule("c_bpartner", "NAME", mask.Keep))["Name"], "in any case")
	assert.Nil(t, apply(t, rule("C_BPartner", "Description", mask.Emptied))["Description"])
	assert.Equal(t, "all", apply(t, fixed("all"))["Value"])
	assert.Equal(t, "Jane Roe", apply(t, mask.Rules{Classes: map[mask.Class]mask.Class{mask.Firm: mask.Keep}})["Name"])
	assert.Equal(t, partner(), apply(t, mask.Rules{Tables: []mask.TableRule{{Table: "C_BPartner", Keep: true}}}))
	assert.NotEqual(t, "2500.00", apply(t, mask.Rules{Scatter: 10})["SO_CreditLimit"])
	assert.Regexp(t, `^2[2-7]\d\d\.\d\d$`, apply(t, mask.Rules{Scatter: 10})["SO_CreditLimit"])

	for name, c := range map[string]struct {
		rules mask.Rules
		want  string
	}{
		"table":            {rule("C_BPartnr", "Name", mask.Keep), `r.yaml:1: there is no table "C_BPartnr"; did you mean C_BPartner?`},
		"column":           {rule("C_BPartner", "Nmae", mask.Keep), `r.yaml:2: table C_BPartner has no column "Nmae"; did you mean Name?`},
		"class":            {rule("C_BPartner", "Name", "frm"), `there is no class "frm"; did you mean firm?`},
		"a secret kept":    {rule("AD_User", "Password", mask.Keep), "secrets are never copied"},
		"a secret as text": {rule("AD_User", "Password", mask.Text), "secrets are never copied"},
		"a key":            {rule("C_BPartner", "C_BPartner_ID", mask.Code), "refers to records"},
		"a reference":      {rule("C_BPartner", "C_BP_Group_ID", mask.Text), "refers to records"},
		"a flag as name":   {rule("C_BPartner", "IsCustomer", mask.Person), "does not hold what the class person is for"},
		"a long constant":  {fixed(strings.Repeat("x", 41)), "has room for 40 characters"},
		"a constant number": {func() mask.Rules {
			r := rule("C_BPartner", "SO_CreditLimit", mask.Fixed)
			r.Tables[0].Columns[0].Constant = "much"
			return r
		}(), "needs a constant of its type"},
		"a constant for all": {rule("XX_Patient", "XX_Badge", mask.Fixed), "holds different values only"},
		"much scattering":    {mask.Rules{Scatter: 100}, "use 0 to 90"},
		"all secrets kept":   {mask.Rules{Classes: map[mask.Class]mask.Class{mask.Secret: mask.Keep}}, "cannot be replaced as a whole"},
		"all that is kept":   {mask.Rules{Classes: map[mask.Class]mask.Class{mask.Keep: mask.Text}}, "cannot be replaced as a whole"},
		"name for a number":  {mask.Rules{Classes: map[mask.Class]mask.Class{mask.Amount: mask.Person}}, "does not hold what the class person is for"},
		"everything":         {mask.Rules{Scatter: -1, Tables: []mask.TableRule{{Table: "X"}, {Table: "AD_User", Columns: []mask.ColumnRule{{Column: "X", Class: mask.Keep}}}}}, `column "X"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := mask.New(tables(), mask.Options{Key: mask.FixedKey("x"), Rules: c.rules})
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "shop.key")
	key, created, err := mask.OpenKey(path)
	require.NoError(t, err)
	assert.True(t, created)
	again, created, err := mask.OpenKey(path)
	require.NoError(t, err)
	assert.False(t, created)
	assert.Equal(t, key.Fingerprint(), again.Fingerprint())
	assert.NotEqual(t, key.Fingerprint(), mask.NewKey().Fingerprint())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(data), key.Fingerprint())
	secret := strings.Fields(string(data))[3]
	require.Len(t, secret, 64)
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d"} {
		shown := fmt.Sprintf(format, []any{key, &key, struct{ K mask.Key }{key}})
		assert.NotContains(t, shown, secret[:8])
		assert.NotContains(t, shown, " 0x", "bytes of it")
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		require.NoError(t, os.Chmod(path, 0o644))
		_, _, err = mask.OpenKey(path)
		require.ErrorIs(t, err, mask.ErrKeyFile)
		assert.ErrorContains(t, err, "chmod 600")
	}
	for name, content := range map[string]string{"empty": "", "another file": "hello", "cut": string(data[:40]), "longer": strings.TrimSpace(string(data)) + "00"} {
		p := filepath.Join(t.TempDir(), "bad.key")
		require.NoError(t, os.WriteFile(p, []byte(content), 0o600))
		_, _, err = mask.OpenKey(p)
		require.ErrorIs(t, err, mask.ErrKeyFile, name)
	}
	_, _, err = mask.OpenKey(filepath.Join(t.TempDir(), "no", "such.key"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestKeyFileAtOnce: many that open a key that is not there get one key.
func TestKeyFileAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "shop.key")
	prints := make([]string, 16)
	var wg sync.WaitGroup
	for i := range prints {
		wg.Go(func() {
			key, _, err := mask.OpenKey(path)
			if assert.NoError(t, err) {
				prints[i] = key.Fingerprint()
			}
		})
	}
	wg.Wait()
	for _, p := range prints {
		assert.Equal(t, prints[0], p)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing else is left")
}

// TestRowsAtOnce runs one Masker in several goroutines.
func TestRowsAtOnce(t *testing.T) {
	t.Parallel()
	m := newMasker(t, mask.Options{Own: []string{"Roe Trading"}})
	want := partner()
	require.NoError(t, m.Row("C_BPartner", want))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				row := partner()
				if assert.NoError(t, m.Row("C_BPartner", row)) {
					assert.Equal(t, want, row)
				}
			}
		})
	}
	wg.Wait()
	for _, r := range m.Report() {
		assert.EqualValues(t, 201, r.Masked+r.Kept, r.Column)
	}
}

// TestAnotherKey: the values of one key are never those of another.
func TestAnotherKey(t *testing.T) {
	t.Parallel()
	a, b, c := partner(), partner(), partner()
	require.NoError(t, newMasker(t, mask.Options{Key: mask.FixedKey("a")}).Row("C_BPartner", a))
	require.NoError(t, newMasker(t, mask.Options{Key: mask.FixedKey("a")}).Row("C_BPartner", b))
	require.NoError(t, newMasker(t, mask.Options{Key: mask.NewKey()}).Row("C_BPartner", c))
	assert.Equal(t, a, b)
	for _, name := range []string{"Value", "Name", "Description", "TaxID", "URL"} {
		assert.NotEqual(t, a[name], c[name], name)
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	key := mask.NewKey()
	rules := func(where string, c mask.Class) mask.Rules {
		return mask.Rules{Tables: []mask.TableRule{{Table: "C_BPartner", Where: where, Columns: []mask.ColumnRule{{Column: "Name", Class: c, Where: where}}}}}
	}
	base := mask.Options{Key: key, Rules: rules("a", mask.Keep), Own: []string{"A", "B"}}
	same := mask.Options{Key: key, Rules: rules("b", mask.Keep), Own: []string{"B", "A"}, Mode: mask.Standard, Observe: func(mask.Observation) {}}
	want := base.Fingerprint()
	assert.Equal(t, want, same.Fingerprint())
	assert.NotEmpty(t, want)
	assert.Empty(t, (&mask.Options{}).Fingerprint(), "no key")
	for name, o := range map[string]mask.Options{
		"key":    {Key: mask.NewKey(), Rules: base.Rules, Own: base.Own},
		"rules":  {Key: key, Rules: rules("a", mask.Text), Own: base.Own},
		"own":    {Key: key, Rules: base.Rules, Own: []string{"A"}},
		"mode":   {Key: key, Rules: base.Rules, Own: base.Own, Mode: mask.None},
		"amount": {Key: key, Rules: mask.Rules{Scatter: 1, Tables: base.Rules.Tables}, Own: base.Own},
	} {
		assert.NotEqual(t, want, o.Fingerprint(), name)
	}
}

func FuzzRow(f *testing.F) {
	f.Add("Jane Roe", "jane.roe@roe.de", int64(7), []byte("x"))
	f.Add("İstanbul\x00", "a@b, c@d;e", int64(-1), []byte{0xff})
	f.Add("DE89 3704 0044 0532 0130 00", "+49", int64(0), []byte(nil))
	m := newMasker(f, mask.Options{Own: []string{"Roe Trading"}})
	again := newMasker(f, mask.Options{Own: []string{"Roe Trading"}})
	all := tables()
	f.Fuzz(func(t *testing.T, one, two string, number int64, data []byte) {
		for _, table := range all {
			make := func() map[string]any {
				row := map[string]any{}
				for i, c := range table.Columns {
					row[c.Name] = []any{one, two, number, data, nil}[(i+len(one))%5]
				}
				return row
			}
			row, same := make(), make()
			require.NoError(t, m.Row(table.Name, row))
			require.NoError(t, again.Row(table.Name, same))
			require.Equal(t, row, same)
			require.Len(t, row, len(table.Columns))
			for _, c := range table.Columns {
				was := make()[c.Name]
				switch class, _ := m.Class(table.Name, c.Name); class {
				case mask.Secret:
					if s, ok := was.(string); ok && len(s) > 0 && s != "removed" {
						require.NotEqual(t, was, row[c.Name])
					}
				case mask.Keep:
					if c.Key || c.RefTable != "" {
						require.Equal(t, was, row[c.Name])
					}
				}
				if s, ok := was.(string); ok && c.Length > 0 {
					if out, ok := row[c.Name].(string); ok {
						require.LessOrEqual(t, len([]rune(out)), max(c.Length, len([]rune(s))), c.Name)
					}
				}
			}
		}
	})
}

func BenchmarkRow(b *testing.B) {
	m := newMasker(b, mask.Options{Own: []string{"Roe Trading"}})
	r := rand.New(rand.NewPCG(1, 1))
	b.ReportAllocs()
	for b.Loop() {
		row := partner()
		row["Name"] = fmt.Sprintf("Jane Roe %d", r.Int64())
		row["Value"] = fmt.Sprintf("R-%08d", r.IntN(1e8))
		if err := m.Row("C_BPartner", row); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

package transfer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func TestImport(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	ctx, reg := t.Context(), demoDictionary()
	in := file(t, "partners.csv", "\ufeffSearch Key;NAME;C_BP_Group_ID:value;Kunde;so_creditlimit;Description\r\n"+
		"ZA1;\"One; \"\"1\"\"\r\nof two\";Standard;Y;1.50;\r\n"+
		"\r\n"+
		"ZA2;Two;Standard;no;0007;text\r\n")
	opts := transfer.ImportOptions{Table: "c_bpartner", Map: map[string]string{"kunde": "IsCustomer"}}

	dry := opts
	dry.DryRun = true
	result, err := transfer.Import(ctx, client, reg, in, dry)
	require.NoError(t, err)
	assert.Equal(t, transfer.Counts{Created: 2}, result.Counts)
	assert.Empty(t, partners(t, client, "ZA"), "a dry run writes nothing")

	result, err = transfer.Import(ctx, client, reg, in, opts)
	require.NoError(t, err)
	assert.Equal(t, transfer.Counts{Created: 2}, result.Counts)
	assert.Equal(t, []string{"ZA1 One; \"1\"\r\nof two 1.50", "ZA2 Two 7"}, partners(t, client, "ZA", "Name", "SO_CreditLimit"))

	// With a key what differs is changed, what is equal is not, what is missing is made.
	opts.Key = []string{"Value", "AD_Org_ID"}
	in = file(t, "partners.csv", "AD_Org_ID,Value,Name,Description,SO_CreditLimit,Kunde\n0,ZA1,Uno,,1.5,Y\n0,ZA2,Two,text,7.00,N\n0,ZA3,Three,new,3,N\n")
	result, err = transfer.Import(ctx, client, reg, in, opts)
	require.NoError(t, err)
	assert.Equal(t, transfer.Counts{Created: 1, Updated: 1, Unchanged: 1}, result.Counts)
	assert.Equal(t, []string{"ZA1 Uno ", "ZA2 Two text", "ZA3 Three new"}, partners(t, client, "ZA", "Name", "Description"))

	// Empty cells clear, unless they are to be left out.
	in = file(t, "partners.csv", "Value,Name,Description\nZA2,Two,\n")
	opts = transfer.ImportOptions{Table: "C_BPartner", Key: []string{"Value"}, SkipEmpty: true}
	result, err = transfer.Import(ctx, client, reg, in, opts)
	require.NoError(t, err)
	assert.Equal(t, 1, result.Unchanged)
	opts.SkipEmpty = false
	result, err = transfer.Import(ctx, client, reg, in, opts)
	require.NoError(t, err)
	assert.Equal(t, 1, result.Updated)
	assert.Equal(t, "ZA2 ", partners(t, client, "ZA", "Description")[1])

	// The same file twice changes nothing, also where the ERP filled what it left empty.
	in = file(t, "partners.csv", "Value,Name,SO_CreditLimit,C_BP_Group_ID\nZA4,Four,,\n")
	for _, want := range []transfer.Counts{{Created: 1}, {Unchanged: 1}} {
		result, err = transfer.Import(ctx, client, reg, in, opts)
		require.NoError(t, err)
		assert.Equal(t, want, result.Counts)
	}
}

// A value in a key is the same however it is written: the record is found again, and no
// other line may have it.
func TestKeyIsTheSameHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	for column, spellings := range map[string][]string{
		"SO_CreditLimit":   {"2.50", "2.5", "+2.500", "02.5"},
		"SalesVolume":      {"10", "+10", "010"},
		"AcqusitionCost":   {"0", "0.0", "-0"},
		"IsCustomer":       {"Y", "true", "yes", "1"},
		"C_BP_Group_ID":    {"Standard", "103"},
		"SOCreditStatus":   {"O", "Credit OK"},
		"PaymentRule":      {"P", "On Credit"},
		"FirstSale":        {"2026-03-01", "2026-03-01T00:00:00Z"},
		"C_PaymentTerm_ID": {"Immediate", "105"},
	} {
		t.Run(column, func(t *testing.T) {
			t.Parallel()
			for n, spelling := range spellings {
				in := file(t, "partners.csv", fmt.Sprintf("Value,Name,%s\nZK-%[1]s,One,%s\n", column, spelling))
				result, err := transfer.Import(t.Context(), client, demoDictionary(), in, transfer.ImportOptions{Table: "C_BPartner", Key: []string{column, "Value"}})
				require.NoError(t, err, spelling)
				assert.Equal(t, map[bool]transfer.Counts{true: {Created: 1}, false: {Unchanged: 1}}[n == 0], result.Counts, "%s: %v", spelling, result.Problems)
			}
			in := file(t, "partners.csv", fmt.Sprintf("Value,Name,%s\nZT-%[1]s,One,%s\nZT-%[1]s,Two,%s\n", column, spellings[0], spellings[1]))
			result, err := transfer.Import(t.Context(), client, demoDictionary(), in, transfer.ImportOptions{Table: "C_BPartner", Key: []string{column, "Value"}})
			require.NoError(t, err)
			assert.Equal(t, transfer.Counts{Created: 1, Failed: 1}, result.Counts, "the key twice: %v", result.Problems)
		})
	}
}

// A record that its number or UUID identifies.
func TestImportByID(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	rec, err := client.Create(t.Context(), "C_BPartner", map[string]any{"Value": "ZI1", "Name": "One", "C_BP_Group_ID": 103})
	require.NoError(t, err)
	const fresh = "0f0e0d0c-0000-4000-8000-00000000000a"
	for _, tt := range []struct {
		key, text string
		want      transfer.Counts
	}{
		{"id", fmt.Sprintf(`{"id":%s,"Name":"by id"}`+"\n"+`{"id":99999999,"Name":"none"}`, rec.ID()), transfer.Counts{Updated: 1, Failed: 1}},
		{"uid", fmt.Sprintf(`{"uid":%q,"Name":"by uid"}`+"\n"+`{"uid":%q,"Value":"ZI2","Name":"new","C_BP_Group_ID":{"id":103}}`, rec.UUID(), fresh), transfer.Counts{Updated: 1, Created: 1}},
		{"C_BPartner_UU", fmt.Sprintf(`{"uid":%q,"Name":"new"}`, fresh), transfer.Counts{Unchanged: 1}},
		{"", fmt.Sprintf(`{"uid":%q,"Value":"ZI2","Name":"new"}`, fresh), transfer.Counts{Unchanged: 1}},
		{"", fmt.Sprintf(`{"uid":%q,"Value":"ZI2","Name":"another"}`, fresh), transfer.Counts{Failed: 1}},
	} {
		opts := transfer.ImportOptions{Table: "C_BPartner"}
		if tt.key != "" {
			opts.Key = []string{tt.key}
		}
		result, err := transfer.Import(t.Context(), client, demoDictionary(), file(t, "p.ndjson", tt.text), opts)
		require.NoError(t, err, tt.key)
		assert.Equal(t, tt.want, result.Counts, "%s %v", tt.key, result.Problems)
	}
	assert.Equal(t, []string{"ZI1 by uid", "ZI2 new"}, partners(t, client, "ZI", "Name"))
}

// Rows that are refused are written to a file that can be fixed and imported.
func TestErrorFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, content, bad, good string }{
		{"p.csv", "Value,Name,SO_CreditLimit\nZE1,One,1\nZE2,Two,x\nZE3,\"Th\nree\",1,9\nZE4,Four,4\n", ",x\n", ",2\n"},
		{"p.ndjson", `{"Value":"ZE1","Name":"One"}` + "\n" + `{"Value":"ZE2","Name":"Two","SO_CreditLimit":"x"}` + "\n" + `{"Value":"ZE4","Name":"Four"}`, `"x"`, `2`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, client := start(t)
			in := file(t, tt.name, tt.content)
			opts := transfer.ImportOptions{Table: "C_BPartner", Errors: in.Path + ".errors" + tt.name[1:]}
			var told []string
			opts.Problem = func(p *transfer.FileError) { told = append(told, p.Error()) }
			result, err := transfer.Import(t.Context(), client, demoDictionary(), in, opts)
			require.NoError(t, err)
			assert.Equal(t, 2, result.Created)
			assert.Equal(t, opts.Errors, result.Errors)
			assert.Len(t, told, result.Failed)
			text, err := os.ReadFile(opts.Errors)
			require.NoError(t, err)
			assert.Contains(t, string(text), "is not a number")

			for _, n := range []string{"-2", "-3"} { // rows that somebody fixes are not overwritten
				result, err = transfer.Import(t.Context(), client, demoDictionary(), in, opts)
				require.NoError(t, err)
				assert.Equal(t, in.Path+".errors"+n+tt.name[1:], result.Errors)
				again, err := os.ReadFile(result.Errors)
				require.NoError(t, err)
				assert.Contains(t, string(again), "is not a number")
			}
			kept, err := os.ReadFile(opts.Errors)
			require.NoError(t, err)
			assert.Equal(t, string(text), string(kept))

			fixed := strings.Replace(string(text), tt.bad, tt.good, 1)
			fixed = strings.Replace(fixed, "\",1,9\n", "\",1\n", 1)
			require.NotEqual(t, string(text), fixed)
			opts.Errors = ""
			result, err = transfer.Import(t.Context(), client, demoDictionary(), file(t, tt.name, fixed), opts)
			require.NoError(t, err)
			assert.Zero(t, result.Failed, "%v", result.Problems)
			assert.Contains(t, partners(t, client, "ZE", "SO_CreditLimit"), "ZE2 2")
		})
	}
}

func TestAllOrNothing(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	_ = srv
	opts := transfer.ImportOptions{Table: "C_BPartner", AllOrNothing: true}
	run := func(content string) (*transfer.Result, error) {
		in := file(t, "p.csv", content)
		opts.Journal = in.Path + ".import.json"
		result, err := transfer.Import(t.Context(), client, demoDictionary(), in, opts)
		assert.NoFileExists(t, opts.Journal)
		return result, err
	}
	var b strings.Builder
	b.WriteString("Value,Name,SO_CreditLimit\n")
	for i := range 250 {
		fmt.Fprintf(&b, "ZN%03d,N,%d\n", i, i)
	}
	_, err := run(b.String() + "ZN001x,N,x\n")
	require.ErrorIs(t, err, transfer.ErrFailed, "what can be checked is checked before")
	_, err = run(b.String() + "ZN001,twice,1\n")
	require.ErrorIs(t, err, transfer.ErrFailed, "what only the ERP knows undoes all")
	require.ErrorContains(t, err, "nothing was written")
	assert.Empty(t, partners(t, client, "ZN"))
	result, err := run(b.String())
	require.NoError(t, err)
	assert.Equal(t, 250, result.Created)

	_, err = run("Value,Name\n" + strings.Repeat("a,b\n", erp.MaxTransaction+1))
	require.ErrorContains(t, err, "takes 10000 at most")
}

func TestMaxErrors(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	in := file(t, "p.csv", "Value,Name,SO_CreditLimit\n"+strings.Repeat("ZM1,M,x\n", 50)+"ZM2,M,1\n")
	result, err := transfer.Import(t.Context(), client, demoDictionary(), in, transfer.ImportOptions{Table: "C_BPartner", MaxErrors: 3, BatchSize: 10})
	require.ErrorIs(t, err, transfer.ErrFailed)
	assert.Equal(t, 10, result.Failed)
	assert.Empty(t, partners(t, client, "ZM"))
}

// Every type of column takes what people write, and nothing else.
func TestValues(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	reg := demoDictionary()
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	berlin := transfer.ImportOptions{Values: values.Options{DateFormat: "DD.MM.YYYY", Zone: zone, DecimalComma: true}}
	for _, tt := range []struct {
		name, table, column, cell string // in CSV
		opts                      transfer.ImportOptions
		want                      string // sent; empty: refused
		problem                   string
	}{
		{name: "text", table: "C_BPartner", column: "Description", cell: `=1+1`, want: `"=1+1"`},
		{name: "zeros", table: "C_BPartner", column: "Description", cell: `007`, want: `"007"`},
		{name: "too long", table: "C_BPartner", column: "DUNS", cell: `123456789012`, problem: "the text has 12 characters, and DUNS takes 11"},
		{name: "umlauts are characters", table: "C_BPartner", column: "DUNS", cell: `äöüäöüäöüäö`, want: `"äöüäöüäöüäö"`},
		{name: "yes", table: "C_BPartner", column: "IsVendor", cell: `yes`, want: `true`},
		{name: "no", table: "C_BPartner", column: "IsVendor", cell: `0`, want: `false`},
		{name: "neither", table: "C_BPartner", column: "IsVendor", cell: `x`, problem: `"x" is neither yes nor no`},
		{name: "amount", table: "C_BPartner", column: "SO_CreditLimit", cell: `12345678901234.10`, want: `12345678901234.10`},
		{name: "amount with a comma", table: "C_BPartner", column: "SO_CreditLimit", cell: `"1,5"`, problem: "set the decimal separator"},
		{name: "amount with a comma, said so", table: "C_BPartner", column: "SO_CreditLimit", cell: `"1,5"`, opts: berlin, want: `1.5`},
		{name: "thousands", table: "C_BPartner", column: "SO_CreditLimit", cell: `"1.234,5"`, opts: berlin, problem: "without thousands separators"},
		{name: "exponent", table: "C_BPartner", column: "SO_CreditLimit", cell: `1e999999`, problem: "too many digits"},
		{name: "integer", table: "C_BPartner", column: "NumberEmployees", cell: `+42`, want: `42`},
		{name: "fraction", table: "C_BPartner", column: "NumberEmployees", cell: `4.5`, problem: "is not a whole number"},
		{name: "large", table: "C_BPartner", column: "NumberEmployees", cell: `3000000000`, problem: "is outside of what NumberEmployees takes"},
		{name: "date", table: "C_BPartner", column: "FirstSale", cell: `2026-02-28`, want: `"2026-02-28"`},
		{name: "no such date", table: "C_BPartner", column: "FirstSale", cell: `2026-02-30`, problem: "is not a date"},
		{name: "date of a form", table: "C_BPartner", column: "FirstSale", cell: `28.02.2026`, opts: berlin, want: `"2026-02-28"`},
		{name: "date of no form", table: "C_BPartner", column: "FirstSale", cell: `28.02.2026`, problem: "a date format such as DD.MM.YYYY"},
		{name: "list by value", table: "C_BPartner", column: "PaymentRule", cell: `B`, want: `"B"`},
		{name: "list by label", table: "C_BPartner", column: "PaymentRule", cell: `direct debit`, want: `"D"`},
		{name: "no value of the list", table: "C_BPartner", column: "PaymentRule", cell: `Direkt Debit`, problem: `did you mean D (Direct Debit)?`},
		{name: "reference by key", table: "C_BPartner", column: "C_BP_Group_ID", cell: `103`, want: `103`},
		{name: "reference by name", table: "C_BPartner", column: "C_BP_Group_ID", cell: `standard`, want: `103`},
		{name: "reference by a column", table: "C_BPartner", column: "C_BP_Group_ID:Name", cell: `Standard`, want: `103`},
		{name: "no such record", table: "C_BPartner", column: "C_BP_Group_ID", cell: `Standrad`, problem: "did you mean 103 (Value: Standard"},
		{name: "no such number", table: "C_BPartner", column: "C_BP_Group_ID", cell: `4711`, problem: "if it is a search key, write C_BP_Group_ID:Value"},
		{name: "key of text", table: "C_BPartner", column: "AD_Language", cell: `en_US`, want: `"en_US"`},
		{name: "with a quote", table: "C_BPartner", column: "C_BP_Group_ID", cell: `O'Brien`, problem: "is called"},
		{name: "organization", table: "C_BPartner", column: "AD_Org_ID", cell: `*`, want: `0`},
		{name: "time without a zone", table: "C_Order", column: "DatePromised", cell: `2026-03-09 14:05`, problem: "is not a date"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts := tt.opts
			opts.Table, opts.DryRun = tt.table, true
			opts.Map = map[string]string{"ignored": ""}
			content := tt.column + ",Name,ignored\n" + tt.cell + ",Name,\n"
			if tt.table == "C_Order" {
				content = tt.column + ",ignored\n" + tt.cell + ",\n"
			}
			result, err := transfer.Import(t.Context(), client, reg, file(t, "v.csv", content), opts)
			require.NoError(t, err)
			if tt.want == "" {
				require.Len(t, result.Problems, 1)
				assert.Equal(t, 2, result.Problems[0].Line)
				assert.Equal(t, tt.column, result.Problems[0].Column)
				assert.Contains(t, result.Problems[0].Problem, tt.problem)
				return
			}
			require.Empty(t, result.Problems)
			// The key by which the record would be found shows what the value became.
			opts.DryRun = false
			column, _, _ := strings.Cut(tt.column, ":")
			value := "ZV" + strings.NewReplacer(" ", "", ",", "").Replace(tt.name)
			content = tt.column + ",Name,Value,ignored\n" + tt.cell + ",Name," + value + ",\n"
			result, err = transfer.Import(t.Context(), client, reg, file(t, "v.csv", content), opts)
			require.NoError(t, err)
			require.Equal(t, 1, result.Created, "%v", result.Problems)
			page, err := client.Query(t.Context(), tt.table, &erp.Query{Filter: erp.Eq("Value", value)})
			require.NoError(t, err)
			require.Len(t, page.Records, 1)
			got, _ := page.Records[0].Raw(column)
			if ref, ok := page.Records[0].Ref(column); ok && got[0] == '{' {
				got, err = json.Marshal(ref.ID)
				require.NoError(t, err)
			}
			assert.JSONEq(t, tt.want, string(got))
		})
	}
}

// An ambiguous name is refused with what it may mean.
func TestAmbiguous(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	for _, value := range []string{"ZQ1", "ZQ2"} {
		_, err := client.Create(t.Context(), "C_BP_Group", map[string]any{"Value": value, "Name": "Same " + value[:2]})
		require.NoError(t, err)
	}
	in := file(t, "p.csv", "Value,Name,C_BP_Group_ID\nZX,X,Same ZQ\nZY,Y,zq1\n")
	result, err := transfer.Import(t.Context(), client, demoDictionary(), in, transfer.ImportOptions{Table: "C_BPartner"})
	require.NoError(t, err)
	require.Len(t, result.Problems, 1)
	assert.Regexp(t, `^p\.csv:2:C_BP_Group_ID: 2 records of C_BP_Group are called "Same ZQ": \d+ \(Value: ZQ1, .*; \d+ \(Value: ZQ2, .*or write C_BP_Group_ID:Value`, result.Problems[0].Error())
	assert.Equal(t, 1, result.Created)
}

// References cost a request for all rows of a batch, not one for each.
func TestLookupsAreShared(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	var b strings.Builder
	b.WriteString("Value,Name,C_BP_Group_ID,SalesRep_ID\n")
	for i := range 200 {
		fmt.Fprintf(&b, "ZL%03d,L,%s,GardenAdmin\n", i, []string{"Standard", "103"}[i%2])
	}
	reg := demoDictionary()
	opts := transfer.ImportOptions{Table: "C_BPartner", DryRun: true, Key: []string{"Value"}}
	_, err := transfer.Import(t.Context(), client, reg, file(t, "p.csv", b.String()), opts)
	require.NoError(t, err)
	before := len(srv.Faults().Requests())
	_, err = transfer.Import(t.Context(), client, reg, file(t, "p.csv", b.String()), opts)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(srv.Faults().Requests())-before, 3+2*2, "three references, and the keys of two batches in two requests each")
}

// Somebody who may not write the table is told so before anything is read.
func TestRoleMayNotWrite(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "GardenUser", 11, 103, 11, 0)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	admin := login(t, srv)
	in := file(t, "p.csv", "Name,ColumnName\nx,XX_y\n")
	_, err = transfer.Import(t.Context(), client, dictionary(admin), in, transfer.ImportOptions{Table: "AD_Element", RoleID: 103})
	require.Error(t, err)
	assert.True(t, errors.Is(err, erp.ErrForbidden) || strings.Contains(err.Error(), "may not write"), err)
}

package restdict_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// login logs in as SuperUser in the System tenant and returns the token.
func login(t testing.TB, url string) string {
	t.Helper()
	body := `{"userName":"SuperUser","password":"System","parameters":{"clientId":"0","roleId":"0","organizationId":"0"}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/v1/auth/tokens", strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	var response struct {
		Token string `json:"token"`
	}
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&response))
	require.NotEmpty(t, response.Token)
	return response.Token
}

// start runs an embedded ERP and a client logged in to it, whose own retries are
// off so that every fault reaches the runner.
func start(t testing.TB) (*erptest.Server, *erp.Client) {
	t.Helper()
	return startWith(t, erptest.Options{})
}

// startReal runs one in which the numbers 291 and 194 are what they are in the
// ERP's own dictionary: a printed inventory and an import of business partners.
func startReal(t testing.TB) (*erptest.Server, *erp.Client) {
	t.Helper()
	srv, client := startWith(t, erptest.Options{Strict: true})
	for id, process := range map[int64]map[string]any{
		291: {"Value": "Rpt M_Inventory", "Name": "Physical Inventory Print", "Classname": nil, "IsReport": true},
		194: {"Value": "Import_BPartner", "Name": "Import Business Partners", "Classname": "org.compiere.process.ImportBPartner"},
	} {
		_, err := client.Update(t.Context(), "AD_Process", erp.IntID(id), process)
		require.NoError(t, err)
	}
	srv.Faults().Reset()
	return srv, client
}

func startWith(t testing.TB, o erptest.Options) (*erptest.Server, *erp.Client) {
	t.Helper()
	srv := erptest.New(t, o)
	client := connect(t, srv)
	srv.Faults().Reset()
	return srv, client
}

func connect(t testing.TB, srv *erptest.Server) *erp.Client {
	t.Helper()
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(login(t, srv.URL()))),
		erp.WithRetryPolicy(erp.RetryPolicy{Max: 0}))
	require.NoError(t, err)
	return client
}

// twentyColumns is a table with 20 columns, a list and a table reference.
func twentyColumns() dict.Table {
	return dict.NewTable("XX_Trial").
		WithAccessLevel(dict.AccessAll). // so that System may write rows too
		With(dict.Standard, dict.ValueName, dict.Description).
		Column(
			dict.Column{Name: "XX_Kind", Type: dict.TypeList, Reference: dict.List("XX_Trial Kind",
				dict.ListValue{Value: "A", Name: "First"}, dict.ListValue{Value: "B", Name: "Second"})},
			dict.Column{Name: "XX_Amount", Type: dict.TypeAmount, Default: "0"},
			dict.Column{Name: "XX_Due", Type: dict.TypeDate},
			dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir},
			dict.Column{Name: "Bill_BPartner_ID", Type: dict.TypeTable,
				Reference: dict.Lookup("XX_Trial Bill Partner", dict.TableLookup{Table: "C_BPartner", Display: "Name"})},
			dict.Column{Name: "XX_Sold", Type: dict.TypeYesNo},
			dict.Column{Name: "XX_Remark", Type: dict.TypeText, Length: 2000},
		)
}

// records reads all rows that a plan touches, in a form that two servers can be
// compared by: ids and stamps are left out, references are shown by name.
func dictionary(ctx context.Context, t testing.TB, c *erp.Client, table string) string {
	t.Helper()
	var out bytes.Buffer
	tables := all(ctx, t, c, "AD_Table", erp.Eq("TableName", table))
	require.Len(t, tables, 1, "one table %s", table)
	dump(t, &out, tables)
	id, _ := tables[0].ID().Int()
	columns := all(ctx, t, c, "AD_Column", erp.Eq("AD_Table_ID", id))
	dump(t, &out, columns)
	var names []string
	for _, column := range columns {
		name, _ := column.Text("ColumnName")
		names = append(names, name)
	}
	dump(t, &out, all(ctx, t, c, "AD_Element", erp.In("ColumnName", names...)))
	references := all(ctx, t, c, "AD_Reference", erp.StartsWith("Name", erp.Pattern(table)))
	dump(t, &out, references)
	for _, ref := range references {
		refID, _ := ref.ID().Int()
		dump(t, &out, all(ctx, t, c, "AD_Ref_List", erp.Eq("AD_Reference_ID", refID)))
		dump(t, &out, all(ctx, t, c, "AD_Ref_Table", erp.Eq("AD_Reference_ID", refID)))
	}
	return out.String()
}

func all(ctx context.Context, t testing.TB, c *erp.Client, table string, f erp.Filter) []erp.Record {
	t.Helper()
	var list []erp.Record
	for rec, err := range c.Records(ctx, table, &erp.Query{Filter: f}) {
		require.NoError(t, err)
		list = append(list, rec)
	}
	return list
}

func dump(t testing.TB, out *bytes.Buffer, list []erp.Record) {
	t.Helper()
	lines := make([]string, len(list))
	for i, rec := range list {
		m := rec.Map()
		for _, stamp := range []string{"id", "Created", "CreatedBy", "Updated", "UpdatedBy"} {
			delete(m, stamp)
		}
		for name, v := range m {
			if ref, ok := v.(map[string]any); ok {
				m[name] = cmp.Or[any](ref["identifier"], ref["id"])
				if ref["model-name"] == "ad_ref_list" {
					m[name] = ref["id"]
				}
			}
		}
		data, err := json.Marshal(m)
		require.NoError(t, err)
		lines[i] = fmt.Sprintf("%s %s", rec.Model(), data)
	}
	slices.Sort(lines)
	for _, line := range lines {
		out.WriteString(line + "\n")
	}
}

func newPlan(t testing.TB, tables ...dict.Table) *dict.Plan {
	t.Helper()
	plan, err := dict.NewPlan(nil, tables...)
	require.NoError(t, err)
	return plan
}

// quick are options whose retries do not wait.
func quick(o restdict.Options) *restdict.Options {
	o.RetryWait = -1
	return &o
}

func idOf(p *restdict.Process) erp.ID { return erp.IntID(p.ID) }

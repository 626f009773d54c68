package erp_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// embedded starts the embedded ERP and a client logged in as GardenAdmin.
func embedded(t *testing.T, opts ...erp.Option) (*erptest.Server, *erp.Client) {
	t.Helper()
	srv := erptest.New(t)
	return srv, clientOf(t, srv, opts...)
}

// clientOf is a client of an embedded ERP, logged in as GardenAdmin.
func clientOf(t *testing.T, srv *erptest.Server, opts ...erp.Option) *erp.Client {
	t.Helper()
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), append([]erp.Option{quick(), erp.WithTokenSource(erp.StaticToken(token))}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(client.CloseIdleConnections)
	return client
}

func TestEmbeddedRecords(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	ctx := t.Context()

	created, err := client.Create(ctx, "C_BPartner", map[string]any{
		"Value": "erp-test", "Name": "Bolt & Söhne <GmbH> #1; 100%", "C_BP_Group_ID": 103, "SO_CreditLimit": erp.Decimal("1234567890.12"),
	})
	require.NoError(t, err)
	id := created.ID()
	_, numeric := id.Int()
	require.True(t, numeric)
	require.NotEmpty(t, created.UUID())

	record, err := client.Get(ctx, "c_bpartner", id, &erp.GetOptions{Select: []string{"Name", "SO_CreditLimit", "IsActive", "C_BP_Group_ID", "Created", "CreatedBy"}})
	require.NoError(t, err)
	name, _ := record.Text("Name")
	assert.Equal(t, "Bolt & Söhne <GmbH> #1; 100%", name)
	limit, ok := record.Decimal("SO_CreditLimit")
	assert.True(t, ok)
	assert.Zero(t, limit.Cmp("1234567890.12"), limit)
	active, ok := record.Bool("IsActive")
	assert.True(t, ok && active)
	group, ok := record.Ref("C_BP_Group_ID")
	assert.True(t, ok)
	assert.Equal(t, "c_bp_group", group.Model)
	at, ok := record.Time("Created")
	assert.True(t, ok)
	assert.WithinDuration(t, time.Now(), at, time.Hour)
	byUUID, err := client.Get(ctx, "C_BPartner", erp.UUID(created.UUID()), nil)
	require.NoError(t, err)
	assert.Equal(t, id, byUUID.ID())

	updated, err := client.Update(ctx, "C_BPartner", id, map[string]any{"Description": "changed"})
	require.NoError(t, err)
	text, _ := updated.Text("Description")
	assert.Equal(t, "changed", text)
	property, err := client.Property(ctx, "C_BPartner", id, "description")
	require.NoError(t, err)
	text, _ = property.Text("Description")
	assert.Equal(t, "changed", text)

	page, err := client.Query(ctx, "C_BPartner", &erp.Query{Filter: erp.Eq("Name", "Bolt & Söhne <GmbH> #1; 100%"), Select: []string{"Value"}})
	require.NoError(t, err)
	require.Len(t, page.Records, 1)
	assert.Equal(t, id, page.Records[0].ID())

	require.NoError(t, client.Delete(ctx, "C_BPartner", id))
	_, err = client.Get(ctx, "C_BPartner", id, nil)
	require.ErrorIs(t, err, erp.ErrNotFound)
	var e *erp.Error
	require.ErrorAs(t, err, &e)
	assert.False(t, e.Page)
}

func TestEmbeddedFilters(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	for name, f := range map[string]erp.Filter{
		"and or":     erp.Or(erp.Eq("C_BPartner_ID", 118), erp.Eq("Name", "a (b)")).And(erp.Eq("IsActive", true)),
		"in":         erp.In("C_BPartner_ID", 118),
		"in text":    erp.In("Value", "JoeBlock", "x y"),
		"contains":   erp.Contains(erp.ToLower("Name"), "joe").And(erp.Eq("C_BPartner_ID", 118)),
		"not":        erp.Not(erp.StartsWith("Name", "ZZZ")).And(erp.Eq("C_BPartner_ID", 118)),
		"null":       erp.NotNull("Name").And(erp.Eq("C_BPartner_ID", 118)),
		"time":       erp.Le("Created", time.Now().AddDate(100, 0, 0)).And(erp.Eq("C_BPartner_ID", 118)),
		"local time": erp.Ge("Created", erp.LocalTime(time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC))).And(erp.Eq("C_BPartner_ID", 118)),
		"decimal":    erp.Ge("SO_CreditLimit", erp.Decimal("-1.50")).And(erp.Eq("C_BPartner_ID", 118)),
		"columns":    erp.Eq("C_BPartner_ID", erp.Column("C_BPartner_ID")).And(erp.Eq("C_BPartner_ID", 118)),
		"text case":  erp.Eq(erp.ToLower("Name"), erp.TextInLower("JOE BLOCK")),
	} {
		t.Run(name, func(t *testing.T) {
			page, err := client.Query(t.Context(), "C_BPartner", &erp.Query{Filter: f})
			require.NoError(t, err, f)
			require.Len(t, page.Records, 1, f)
			assert.Equal(t, erp.IntID(118), page.Records[0].ID())
		})
	}
}

func TestEmbeddedPaging(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	first, err := client.Query(t.Context(), "AD_Column", nil)
	require.NoError(t, err)
	require.Greater(t, first.Rows, 100, "the dictionary has more than one page of columns")
	require.Len(t, first.Records, 100)
	for name, q := range map[string]*erp.Query{
		"by key":      {Select: []string{"ColumnName"}},
		"own order":   {Select: []string{"ColumnName"}, OrderBy: []string{"ColumnName"}},
		"large pages": {Select: []string{"ColumnName"}, Top: 100000},
	} {
		t.Run(name, func(t *testing.T) {
			seen := map[erp.ID]bool{}
			for record, err := range client.Records(t.Context(), "AD_Column", q) {
				require.NoError(t, err)
				require.False(t, seen[record.ID()], "%s came twice", record.ID())
				seen[record.ID()] = true
			}
			assert.Len(t, seen, first.Rows)
		})
	}
}

func TestEmbeddedExpand(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	q := &erp.Query{
		Filter: erp.Eq("TableName", "C_Order"),
		Select: []string{"TableName", "AD_Client_ID"},
		Expand: []erp.Expand{
			{Name: "AD_Client_ID", Select: []string{"Name"}},
			{Name: "AD_Column", Select: []string{"ColumnName"}, Filter: erp.In("ColumnName", "C_Order_ID", "DocumentNo"), OrderBy: []string{"ColumnName"}},
		},
	}
	page, err := client.Query(t.Context(), "AD_Table", q)
	require.NoError(t, err)
	require.Len(t, page.Records, 1)
	tenant, ok := page.Records[0].Record("AD_Client_ID")
	require.True(t, ok)
	name, _ := tenant.Text("Name")
	assert.Equal(t, "System", name)
	columns, err := page.Records[0].Children("AD_Column")
	require.NoError(t, err)
	require.Len(t, columns, 2)
	name, _ = columns[0].Text("ColumnName")
	assert.Equal(t, "C_Order_ID", name)
}

func TestEmbeddedErrors(t *testing.T) {
	t.Parallel()
	srv, client := embedded(t)
	ctx := t.Context()
	_, err := client.Query(ctx, "XX_None", nil)
	require.ErrorIs(t, err, erp.ErrNotFound)
	assert.Contains(t, err.Error(), "Invalid table name")
	_, err = client.Query(ctx, "C_BPartner", &erp.Query{Filter: erp.Eq("Foo", 1)})
	require.ErrorIs(t, err, erp.ErrValidation)
	_, err = client.Query(ctx, "C_BPartner", &erp.Query{Select: []string{"Foo"}})
	require.ErrorIs(t, err, erp.ErrValidation)
	_, err = client.Create(ctx, "C_BPartner", map[string]any{"Foo": 1})
	require.ErrorIs(t, err, erp.ErrValidation)
	for _, table := range []string{`x' OR '1'='1`, `C_Order"; DROP TABLE C_Order; --`, strings.Repeat("x", 1000)} {
		_, err = client.Query(ctx, table, nil)
		require.ErrorIs(t, err, erp.ErrNotFound, table)
	}
	stranger, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken("wrong")))
	require.NoError(t, err)
	_, err = stranger.Get(ctx, "C_BPartner", erp.IntID(118), nil)
	require.ErrorIs(t, err, erp.ErrUnauthorized)
	_, err = stranger.Health(ctx, nil)
	require.NoError(t, err, "health is public")
	_, err = client.RunProcess(ctx, "no-such-process", nil)
	require.ErrorIs(t, err, erp.ErrNotFound)
}

func TestEmbeddedFaults(t *testing.T) {
	t.Parallel()
	srv, client := embedded(t)
	ctx := t.Context()
	path := "/models/C_BPartner/118"
	for name, action := range map[string]erptest.Action{
		"cut before": erptest.CutBefore(), "cut after": erptest.CutAfter(), "cut within": erptest.CutMiddle(), "busy": erptest.Fail(503),
	} {
		fault := srv.Faults().On(erptest.Match{Path: path, N: 1}, action)
		_, err := client.Get(ctx, "C_BPartner", erp.IntID(118), nil)
		require.NoError(t, err, name)
		assert.Equal(t, 1, fault.Hits(), name)
		fault.Remove()
	}
	// A creation whose response is lost is not retried: there is one record.
	fault := srv.Faults().On(erptest.Match{Method: http.MethodPost, Path: "/models/C_BPartner", N: 1}, erptest.CutAfter())
	body := map[string]any{"Value": "lost", "Name": "Lost response", "C_BP_Group_ID": 103}
	_, err := client.Create(ctx, "C_BPartner", body)
	require.ErrorIs(t, err, erp.ErrUnreachable)
	var conn *erp.ConnError
	require.ErrorAs(t, err, &conn)
	assert.True(t, conn.Sent)
	fault.Remove()
	page, err := client.Query(ctx, "C_BPartner", &erp.Query{Filter: erp.Eq("Value", "lost")})
	require.NoError(t, err)
	require.Len(t, page.Records, 1)
	// A deletion whose response is lost is.
	fault = srv.Faults().On(erptest.Match{Method: http.MethodDelete, N: 1}, erptest.CutAfter())
	require.NoError(t, client.Delete(ctx, "C_BPartner", page.Records[0].ID()))
	assert.Equal(t, 1, fault.Hits())
}

func TestEmbeddedAttachments(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	ctx, id := t.Context(), erp.IntID(118)
	data := bytes.Repeat([]byte{0, 255, 'x'}, 100_001)
	require.NoError(t, client.UploadAttachment(ctx, "C_BPartner", id, erp.NewAttachment("Plan ä+b.bin", data)))
	err := client.UploadAttachment(ctx, "C_BPartner", id, erp.NewAttachment("Plan ä+b.bin", data))
	require.ErrorIs(t, err, erp.ErrConflict)
	list, err := client.Attachments(ctx, "C_BPartner", id)
	require.NoError(t, err)
	require.Len(t, list, 1)
	file, err := client.DownloadAttachment(ctx, "C_BPartner", id, "Plan ä+b.bin")
	require.NoError(t, err)
	got, err := io.ReadAll(file)
	file.Close()
	require.NoError(t, err)
	assert.True(t, bytes.Equal(data, got))
	_, err = client.DownloadAttachment(ctx, "C_BPartner", id, "other.bin")
	require.ErrorIs(t, err, erp.ErrNotFound)
	require.NoError(t, client.DeleteAttachment(ctx, "C_BPartner", id, "Plan ä+b.bin"))
	require.NoError(t, client.DeleteAttachments(ctx, "C_BPartner", id), "it is there, without files")
	require.ErrorIs(t, client.DeleteAttachments(ctx, "C_BPartner", id), erp.ErrNotFound)
}

func TestEmbeddedBatch(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	ctx := t.Context()
	partner := func(value string) map[string]any {
		return map[string]any{"Value": value, "Name": value, "C_BP_Group_ID": 103}
	}
	results, err := client.Batch(ctx, []erp.BatchRequest{
		erp.BatchCreate("C_BPartner", partner("batch-1")),
		erp.BatchCreate("C_BPartner", partner("batch-2")),
	}, erp.BatchOptions{})
	require.NoError(t, err)
	require.Len(t, results, 2)
	record, err := results[0].Record()
	require.NoError(t, err)
	_, numeric := record.ID().Int()
	assert.True(t, numeric)
	_, err = client.Get(ctx, "C_BPartner", record.ID(), nil)
	require.NoError(t, err)

	failing := []erp.BatchRequest{
		erp.BatchCreate("C_BPartner", partner("batch-3")),
		erp.BatchCreate("C_BPartner", map[string]any{"Foo": 1}),
		erp.BatchDelete("C_BPartner", record.ID()),
	}
	results, err = client.Batch(ctx, failing, erp.BatchOptions{})
	var failed *erp.BatchError
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, erp.ErrValidation)
	assert.Equal(t, 1, failed.Index)
	assert.Len(t, results, 2)
	page, err := client.Query(ctx, "C_BPartner", &erp.Query{Filter: erp.StartsWith("Value", "batch-")})
	require.NoError(t, err)
	assert.Len(t, page.Records, 2, "the failed batch left nothing behind")

	results, err = client.Batch(ctx, failing, erp.BatchOptions{PerRequest: true})
	require.NoError(t, err)
	require.NoError(t, results[0].Err())
	require.ErrorIs(t, results[1].Err(), erp.ErrValidation)
	require.NoError(t, results[2].Err())
}

func TestEmbeddedModels(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	models, err := client.Models(t.Context(), erp.In("TableName", "C_BPartner", "C_Order"))
	require.NoError(t, err)
	var names []string
	for _, m := range models {
		names = append(names, fmt.Sprint(m.ID, " ", m.Table))
	}
	assert.Equal(t, []string{"291 c_bpartner", "259 c_order"}, names)
	yaml, err := client.TableYAML(t.Context(), "C_Order")
	require.NoError(t, err)
	assert.Contains(t, string(yaml), "openapi: 3.0.0")
}

func TestEmbeddedTokenRefresh(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	blocked, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	require.NoError(t, srv.BlockAPIToken(t.Context(), blocked))
	source := &rotating{tokens: []string{blocked, token}}
	client, err := erp.New(srv.URL(), erp.WithTokenSource(source))
	require.NoError(t, err)
	_, err = client.Create(t.Context(), "C_BPartner", map[string]any{"Value": "once", "Name": "Once", "C_BP_Group_ID": 103})
	require.NoError(t, err)
	assert.Equal(t, []string{blocked}, source.invalidated)
}

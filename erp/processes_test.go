package erp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestProcesses(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/failing"):
			respond(w, 200, `{"AD_PInstance_ID":1000778,"process":"failing","summary":"No such table","isError":true}`)
		case r.Method == http.MethodPost || strings.HasSuffix(r.URL.Path, "/print"):
			respond(w, 200, `{"AD_PInstance_ID":1000777,"process":"rv_orderdetail","summary":"Report: 12 rows","isError":false,
 "reportFile":"JVBERi0=","reportFileName":"OrderDetail.pdf","reportFileLength":5,"exportFile":{"a":1},"data":{"rows":12},
 "nodeId":"6f1c","logs":[{"date":"03/09/2026","number":1.50,"msg":"Created 12"},{}]}`)
		case strings.HasSuffix(r.URL.Path, "/processes"):
			respond(w, 200, `{"processes":[{"id":110,"uid":"u","Value":"RV_OrderDetail","Name":"Order Detail","IsReport":true,"EntityType":{"id":"D"},"model-name":"ad_process","slug":"rv_orderdetail"}]}`)
		default:
			respond(w, 200, `{"id":110,"Value":"RV_OrderDetail","slug":"rv_orderdetail","parameters":[{"id":5,"Name":"Partner","parameterName":"C_BPartner_ID","AD_Reference_ID":{"id":30,"identifier":"Search"}}]}`)
		}
	})
	list, err := client.Processes(t.Context(), erp.Eq("Value", "RV_OrderDetail"))
	require.NoError(t, err)
	assert.Equal(t, "rv_orderdetail", list[0].Slug)
	assert.True(t, list[0].IsReport)
	p, err := client.Process(t.Context(), "rv_orderdetail")
	require.NoError(t, err)
	assert.Equal(t, "C_BPartner_ID", p.Parameters[0].Parameter)
	assert.Equal(t, erp.IntID(30), p.Parameters[0].Type.ID)

	result, err := client.RunProcess(t.Context(), "291", nil)
	require.NoError(t, err)
	assert.Equal(t, "POST /api/v1/processes/291 {}", rec.last(t).Method+" "+rec.last(t).URI+" "+rec.last(t).Body)
	assert.EqualValues(t, 1000777, result.InstanceID)
	name, data, ok := result.File()
	assert.True(t, ok)
	assert.Equal(t, "OrderDetail.pdf %PDF-", name+" "+string(data))
	assert.Equal(t, `{"a":1}`, string(result.ExportFile), "json files come as JSON")
	assert.JSONEq(t, `{"rows":12}`, string(result.Data))
	assert.Equal(t, erp.Decimal("1.50"), result.Logs[0].Number)

	_, err = client.RunProcess(t.Context(), "rv_orderdetail", &erp.ProcessParams{
		Values:   map[string]any{"C_BPartner_ID": 118, "DateOrdered": erp.NewDate(2026, 3, 1), "DateOrdered_to": erp.NewDate(2026, 3, 9)},
		RecordID: 1000022, Table: "C_Order", ReportType: erp.ReportXLSX, Summary: true, PrintFormat: erp.IntID(7),
	})
	require.NoError(t, err)
	assert.JSONEq(t, `{"C_BPartner_ID":118,"DateOrdered":"2026-03-01","DateOrdered_to":"2026-03-09","record-id":1000022,"model-name":"C_Order",
 "report-type":"XLSX","is-summary":true,"print-format-id":7}`, rec.last(t).Body)

	result, err = client.RunProcess(t.Context(), "failing", nil)
	require.ErrorIs(t, err, erp.ErrProcessFailed)
	assert.Contains(t, err.Error(), "No such table")
	assert.True(t, result.IsError)

	_, err = client.Print(t.Context(), "C_Order", erp.IntID(5), erp.ReportHTML)
	require.NoError(t, err)
	assert.Equal(t, "/api/v1/models/C_Order/5/print?$report_type=HTML", rec.last(t).URI)
	_, err = client.Print(t.Context(), "C_Order", erp.IntID(5), "DOC")
	require.ErrorIs(t, err, erp.ErrInvalid)
	_, err = client.RunProcess(t.Context(), "x", &erp.ProcessParams{RecordID: -1})
	require.ErrorIs(t, err, erp.ErrInvalid)
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Bank/Cash": "bank-cash", "Rpt M_InOut": "rpt-m_inout", "AD_Column Sync": "ad_column-sync", "--a  b--": "a-b", "Café": "", "": "", "...": "",
	} {
		got, ok := erp.Slug(text)
		assert.Equal(t, want, got, text)
		assert.Equal(t, want != "", ok, text)
	}
}

func TestJobs(t *testing.T) {
	t.Parallel()
	asked := 0
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/jobs") {
			respond(w, 200, `{"jobs":[{"id":1000778,"client":"Acme","user":"Ann","process":"slug","since":"today","processing":true}]}`)
			return
		}
		if r.Method == http.MethodGet {
			asked++
		}
		respond(w, 200, fmt.Sprintf(`{"id":1000778,"process":"slug","processing":%t}`, asked < 2))
	})
	jobs, err := client.Jobs(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "Ann", jobs[0].User)
	values := map[string]any{"A": 1}
	job, err := client.StartJob(t.Context(), "slug", &erp.ProcessParams{Values: values, Notify: erp.NotifyNotice})
	require.NoError(t, err)
	assert.JSONEq(t, `{"A":1,"notification-type":"N"}`, rec.last(t).Body)
	assert.Len(t, values, 1, "the caller's map is left alone")
	job, err = client.WaitJob(t.Context(), job.ID, time.Nanosecond)
	require.NoError(t, err)
	assert.False(t, job.Processing)
	assert.Equal(t, 2, asked)
	_, err = client.StartJob(t.Context(), "slug", &erp.ProcessParams{Notify: "X"})
	require.ErrorIs(t, err, erp.ErrInvalid)
}

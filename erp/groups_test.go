package erp_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestCreateUpdateDeleteOnTheWire(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPost:
			answer(w, 201, `{"id":1000004,"uid":"u","Environment":"test","model-name":"xx_deploy_log"}`)
		case http.MethodDelete:
			answer(w, 200, `{"msg":"Deleted"}`)
		case http.MethodPatch:
			w.Header().Set("Allow", "GET,PUT,DELETE")
			w.WriteHeader(405)
		default:
			answer(w, 200, `{"id":1000004,"Progress":40,"model-name":"xx_deploy_log"}`)
		}
	})
	record, err := client.Create(t.Context(), "xx_deploy_log", map[string]any{"Environment": "test", "Status": "B", "DateStarted": "2026-03-09T13:05:06Z"})
	require.NoError(t, err)
	assert.Equal(t, erp.IntID(1000004), record.ID())
	got := rec.last(t)
	assert.Equal(t, "POST /api/v1/models/xx_deploy_log", got.Method+" "+got.URI)
	assert.JSONEq(t, `{"Environment":"test","Status":"B","DateStarted":"2026-03-09T13:05:06Z"}`, got.Body)

	record, err = client.Update(t.Context(), "xx_deploy_log", erp.IntID(1000004), struct {
		Progress    int
		CurrentStep string
		Parent      int `json:"XX_Parent_ID"`
	}{40, "build", erp.NoRef})
	require.NoError(t, err)
	progress, _ := record.Int("Progress")
	assert.EqualValues(t, 40, progress)
	got = rec.last(t)
	assert.Equal(t, "PUT /api/v1/models/xx_deploy_log/1000004", got.Method+" "+got.URI)
	assert.Equal(t, `{"Progress":40,"CurrentStep":"build","XX_Parent_ID":-1}`, got.Body)

	_, err = client.Patch(t.Context(), "xx_deploy_log", erp.IntID(1000004), json.RawMessage(`{"Progress":50}`))
	require.ErrorIs(t, err, erp.ErrMethodNotAllowed)
	assert.Contains(t, err.Error(), "use Update")
	assert.Equal(t, `{"Progress":50}`, rec.last(t).Body)

	require.NoError(t, client.Delete(t.Context(), "xx_deploy_log", erp.IntID(1000004)))
	assert.Equal(t, "DELETE", rec.last(t).Method)

	_, err = client.Property(t.Context(), "xx_deploy_log", erp.IntID(1000004), "Progress")
	require.NoError(t, err)
	assert.Equal(t, "/api/v1/models/xx_deploy_log/1000004/Progress", rec.last(t).URI)

	for _, body := range []any{nil, map[string]any(nil), []byte("{}")} {
		_, err = client.Create(t.Context(), "xx_deploy_log", body)
		require.NoError(t, err)
		assert.Equal(t, "{}", rec.last(t).Body, "an empty body would be a bare 500")
	}
	before := len(rec.seen())
	for name, body := range map[string]any{
		"list": []int{1}, "number": 5, "text": "x", "broken": json.RawMessage(`{"a":`), "func": func() {}, "NaN": map[string]any{"a": make(chan int)},
	} {
		_, err = client.Create(t.Context(), "xx_deploy_log", body)
		require.ErrorIs(t, err, erp.ErrInvalid, name)
	}
	_, err = client.Update(t.Context(), "xx_deploy_log", erp.IntID(1), record)
	require.ErrorIs(t, err, erp.ErrInvalid, "what was read cannot be sent back")
	_, err = client.Property(t.Context(), "xx_deploy_log", erp.IntID(1), "a-b")
	require.ErrorIs(t, err, erp.ErrInvalid)
	assert.Len(t, rec.seen(), before)
}

func TestCreateAll(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"list": `[{"id":1},{"id":2}]`, "envelope": `{"records":[{"id":1},{"id":2}]}`} {
		rec, client := serve(t, always(201, body))
		records, err := client.CreateAll(t.Context(), "AD_Column", map[string]int{"A": 1}, map[string]int{"A": 2})
		require.NoError(t, err, name)
		assert.Len(t, records, 2)
		assert.Equal(t, `[{"A":1},{"A":2}]`, rec.last(t).Body)
		_, err = client.CreateAll(t.Context(), "AD_Column", nil, nil, nil)
		require.ErrorIs(t, err, erp.ErrBadResponse, "three were sent, two came back")
		records, err = client.CreateAll(t.Context(), "AD_Column")
		require.NoError(t, err)
		assert.Empty(t, records)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/yaml"):
			w.Header().Set("Content-Type", "application/yaml")
			_, _ = io.WriteString(w, "openapi: 3.0.0\n")
		case strings.HasSuffix(r.URL.Path, "/views"):
			answer(w, 200, `{"views":[{"id":1,"uid":"u","name":"open","tableName":"C_Order","columns":[{"id":2,"name":"no","columnName":"DocumentNo"}],"relatedViews":[{"name":"lines","view":{"name":"l"},"autoExpand":true}]}]}`)
		default:
			answer(w, 200, `{"models":[{"id":318,"uid":"u","model-name":"c_invoice","name":"Invoice","description":"d"}]}`)
		}
	})
	models, err := client.Models(t.Context(), erp.Eq("TableName", "C_Invoice"))
	require.NoError(t, err)
	assert.Equal(t, []erp.Model{{ID: 318, UUID: "u", Table: "c_invoice", Name: "Invoice", Description: "d"}}, models)
	assert.Equal(t, map[string]string{"$filter": "TableName eq 'C_Invoice'"}, params(t, rec.last(t).URI))
	yaml, err := client.TableYAML(t.Context(), "C_Order")
	require.NoError(t, err)
	assert.Equal(t, "openapi: 3.0.0\n", string(yaml))
	assert.Equal(t, "application/yaml", rec.last(t).Header.Get("Accept"))
	_, err = client.Views().TableYAML(t.Context(), "open")
	require.NoError(t, err)
	assert.Equal(t, "/api/v1/views/open/yaml", rec.last(t).URI)
	views, err := client.ViewList(t.Context(), erp.Filter{})
	require.NoError(t, err)
	assert.True(t, views[0].Related[0].AutoExpand)
	_, client = serve(t, always(200, `{}`))
	_, err = client.Models(t.Context(), erp.Filter{})
	require.ErrorIs(t, err, erp.ErrBadResponse)
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	stored := map[string][]byte{}
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, name, _ := strings.Cut(r.URL.Path, "/attachments")
		name = strings.TrimPrefix(name, "/")
		switch {
		case r.Method == http.MethodPost:
			var body struct {
				Name      string
				Data      []byte
				Overwrite bool
			}
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				w.WriteHeader(400)
				return
			}
			if _, ok := stored[body.Name]; ok && !body.Overwrite {
				answer(w, 409, `{"title":"Duplicate file name","status":409,"detail":"Duplicate file name: plan.pdf"}`)
				return
			}
			stored[body.Name] = body.Data
			w.WriteHeader(201)
		case r.Method == http.MethodDelete:
			answer(w, 200, `{"msg":"Deleted"}`)
		case name == "":
			answer(w, 200, `{"attachments":[{"name":"a.pdf","contentType":"application/pdf"}]}`)
		case stored[name] == nil:
			w.WriteHeader(204)
		default:
			w.Header().Set("Content-Type", "application/pdf")
			_, _ = w.Write(stored[name])
		}
	})
	ctx, id := t.Context(), erp.IntID(5)
	data := bytes.Repeat([]byte("0123456789"), 100_003)
	require.NoError(t, client.UploadAttachment(ctx, "C_Order", id, erp.NewAttachment(`Plan "ä" 1.pdf`, data)))
	assert.Equal(t, fmt.Sprint(len(rec.last(t).Body)), rec.last(t).Header.Get("Content-Length"))
	require.ErrorIs(t, client.UploadAttachment(ctx, "C_Order", id, erp.NewAttachment(`Plan "ä" 1.pdf`, nil)), erp.ErrConflict)
	require.NoError(t, client.UploadAttachment(ctx, "C_Order", id, erp.AttachmentUpload{Name: "empty", Data: bytes.NewReader(nil), Overwrite: true}))
	assert.Equal(t, `{"name":"empty","data":"","overwrite":true}`, rec.last(t).Body)

	file, err := client.DownloadAttachment(ctx, "C_Order", id, `Plan "ä" 1.pdf`)
	require.NoError(t, err)
	got, err := io.ReadAll(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	assert.True(t, bytes.Equal(data, got))
	assert.Equal(t, "application/pdf", file.ContentType)
	assert.Equal(t, "*/*", rec.last(t).Header.Get("Accept"), "the server refuses anything narrower")
	assert.Equal(t, "/api/v1/models/C_Order/5/attachments/Plan%20%22%C3%A4%22%201.pdf", rec.last(t).URI)

	_, err = client.DownloadAttachment(ctx, "C_Order", id, "missing.pdf")
	require.ErrorIs(t, err, erp.ErrNotFound, "204 means there is none")
	_, err = client.DownloadAttachmentsZip(ctx, "C_Order", id)
	require.ErrorIs(t, err, erp.ErrNotFound)

	list, err := client.Attachments(ctx, "C_Order", id)
	require.NoError(t, err)
	assert.Equal(t, []erp.Attachment{{Name: "a.pdf", ContentType: "application/pdf"}}, list)

	var archive bytes.Buffer
	zw := zip.NewWriter(&archive)
	require.NoError(t, zw.Close())
	require.NoError(t, client.UploadAttachmentsZip(ctx, "C_Order", id, erp.NewAttachment("ignored", archive.Bytes())))
	assert.Equal(t, "/api/v1/models/C_Order/5/attachments/zip", rec.last(t).URI)
	assert.True(t, strings.HasPrefix(rec.last(t).Body, `{"data":"UEsF`))

	require.NoError(t, client.DeleteAttachment(ctx, "C_Order", id, "a.pdf"))
	assert.Equal(t, "/api/v1/models/C_Order/5/attachments/a.pdf", rec.last(t).URI)
	require.NoError(t, client.DeleteAttachments(ctx, "C_Order", id))
	assert.Equal(t, "/api/v1/models/C_Order/5/attachments", rec.last(t).URI)

	require.ErrorIs(t, client.UploadAttachment(ctx, "C_Order", id, erp.NewAttachment("a/b", nil)), erp.ErrInvalid)
	require.ErrorIs(t, client.UploadAttachment(ctx, "C_Order", id, erp.AttachmentUpload{Name: "a"}), erp.ErrInvalid)
	short := erp.NewAttachment("a", []byte("abc"))
	short.Size = 10
	err = client.UploadAttachment(ctx, "C_Order", id, short)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NotErrorIs(t, err, erp.ErrUnreachable, "it is the file, not the server")
}

func TestBatch(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, always(200, `[{"status":"Created","statusCode":201,"body":{"id":1000004.0,"Big":1.0000004E7,"Qty":12.5,"Name":"1.0"}},`+
		`{"status":"OK","statusCode":200,"body":{"id":5.0}},{"status":"OK","statusCode":200,"body":{"msg":"Deleted"}}]`))
	requests := []erp.BatchRequest{
		erp.BatchCreate("C_BPartner", map[string]any{"Name": "Joe"}),
		erp.BatchUpdate("Größe x", erp.IntID(5), nil),
		erp.BatchDelete("C_BPartner", erp.UUID("5b0c6f2a-0000-4000-8000-000000000001")),
	}
	results, err := client.Batch(t.Context(), requests, erp.BatchOptions{})
	require.NoError(t, err)
	assert.Equal(t, "/api/v1/batch?transaction=true", rec.last(t).URI)
	assert.Equal(t, `[{"method":"POST","path":"v1/models/C_BPartner","body":{"Name":"Joe"}},`+
		`{"method":"PUT","path":"v1/models/Gr%C3%B6%C3%9Fe%20x/5","body":{}},`+
		`{"method":"DELETE","path":"v1/models/C_BPartner/5b0c6f2a-0000-4000-8000-000000000001"}]`, rec.last(t).Body)
	assert.JSONEq(t, `{"id":1000004,"Big":10000004,"Qty":12.5,"Name":"1.0"}`, string(results[0].Body))
	assert.Contains(t, string(results[0].Body), `"id":1000004,`)
	record, err := results[0].Record()
	require.NoError(t, err)
	assert.Equal(t, erp.IntID(1000004), record.ID())
	assert.True(t, results[2].OK())

	results, err = client.Batch(t.Context(), nil, erp.BatchOptions{})
	require.NoError(t, err)
	assert.Empty(t, results)
	assert.Len(t, rec.seen(), 1, "nothing to do is not sent")
}

func TestBatchFailures(t *testing.T) {
	t.Parallel()
	requests := []erp.BatchRequest{erp.BatchCreate("A", nil), erp.BatchCreate("B", nil), erp.BatchCreate("C", nil)}
	partial := `[{"status":"Created","statusCode":201,"body":{"id":1.0}},{"status":"Bad Request","statusCode":400,"body":{"title":"Validation error","status":400.0,"detail":"Column Foo does not exist"}}]`
	_, client := serve(t, always(400, partial))
	results, err := client.Batch(t.Context(), requests, erp.BatchOptions{})
	var failed *erp.BatchError
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, erp.ErrValidation)
	assert.Equal(t, 1, failed.Index)
	assert.Contains(t, err.Error(), "Column Foo does not exist")
	assert.Len(t, results, 2)

	_, client = serve(t, always(200, `[{"status":"Internal Server Error","statusCode":500,"body":"boom"},{"status":"Bad Request","statusCode":400,"body":"Unsupported Method: GET"},{"status":"No Content","statusCode":204,"body":null}]`))
	results, err = client.Batch(t.Context(), requests, erp.BatchOptions{PerRequest: true})
	require.NoError(t, err)
	require.ErrorIs(t, results[0].Err(), erp.ErrServer)
	assert.Contains(t, results[0].Err().Error(), "boom")
	require.Error(t, results[2].Err(), "the server counts 204 as a failure")

	_, client = serve(t, always(400, `{"title":"x","status":400}`))
	_, err = client.Batch(t.Context(), requests, erp.BatchOptions{})
	require.ErrorIs(t, err, erp.ErrValidation)
	_, client = serve(t, always(200, `[{"status":"Created","statusCode":201}]`))
	_, err = client.Batch(t.Context(), requests, erp.BatchOptions{})
	require.ErrorIs(t, err, erp.ErrBadResponse)

	rec, client := serve(t, always(200, `[]`))
	for name, r := range map[string]erp.BatchRequest{
		"GET": {Method: "GET", Path: "v1/models/A"}, "no method": {Path: "v1/models/A"}, "absolute": {Method: "POST", Path: "/v1/models/A"},
		"elsewhere": {Method: "POST", Path: "http://evil/v1"}, "dots": {Method: "POST", Path: "v1/models/../x"}, "escaped dots": {Method: "POST", Path: "v1/%2e%2e/x"},
		"empty": {Method: "POST"}, "bad escape": {Method: "POST", Path: "v1/%zz"}, "table": erp.BatchCreate("..", nil), "id": erp.BatchDelete("A", erp.ID{}),
		"body": erp.BatchCreate("A", 5),
	} {
		_, err := client.Batch(t.Context(), []erp.BatchRequest{r}, erp.BatchOptions{})
		require.ErrorIs(t, err, erp.ErrInvalid, name)
	}
	assert.Empty(t, rec.seen())
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/failing"):
			answer(w, 200, `{"AD_PInstance_ID":1000778,"process":"failing","summary":"No such table","isError":true}`)
		case r.Method == http.MethodPost || strings.HasSuffix(r.URL.Path, "/print"):
			answer(w, 200, `{"AD_PInstance_ID":1000777,"process":"rv_orderdetail","summary":"Report: 12 rows","isError":false,
 "reportFile":"JVBERi0=","reportFileName":"OrderDetail.pdf","reportFileLength":5,"exportFile":{"a":1},"data":{"rows":12},
 "nodeId":"6f1c","logs":[{"date":"03/09/2026","number":1.50,"msg":"Created 12"},{}]}`)
		case strings.HasSuffix(r.URL.Path, "/processes"):
			answer(w, 200, `{"processes":[{"id":110,"uid":"u","Value":"RV_OrderDetail","Name":"Order Detail","IsReport":true,"EntityType":{"id":"D"},"model-name":"ad_process","slug":"rv_orderdetail"}]}`)
		default:
			answer(w, 200, `{"id":110,"Value":"RV_OrderDetail","slug":"rv_orderdetail","parameters":[{"id":5,"Name":"Partner","parameterName":"C_BPartner_ID","AD_Reference_ID":{"id":30,"identifier":"Search"}}]}`)
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
			answer(w, 200, `{"jobs":[{"id":1000778,"client":"Acme","user":"Ann","process":"slug","since":"today","processing":true}]}`)
			return
		}
		if r.Method == http.MethodGet {
			asked++
		}
		answer(w, 200, fmt.Sprintf(`{"id":1000778,"process":"slug","processing":%t}`, asked < 2))
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

func TestHealth(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("key") == "down":
			answer(w, 503, `{"status":"DOWN","database":"disconnected"}`)
		case r.URL.Query().Get("key") == "proxy":
			w.WriteHeader(503)
			_, _ = io.WriteString(w, "<html>maintenance</html>")
		case r.URL.Query().Get("key") == "wrong":
			w.WriteHeader(401)
		default:
			answer(w, 200, `{"status":"UP","database":"connected"}`)
		}
	})
	health, err := client.Health(t.Context(), &erp.HealthOptions{Database: true})
	require.NoError(t, err)
	assert.True(t, health.Up())
	assert.Equal(t, "/api/v1/health?db=true", rec.last(t).URI)
	before := len(rec.seen())
	health, err = client.Health(t.Context(), &erp.HealthOptions{Key: "down"})
	require.NoError(t, err, "a server that says it is down has answered")
	assert.False(t, health.Up())
	assert.Len(t, rec.seen(), before+1, "and is not asked again")
	_, err = client.Health(t.Context(), &erp.HealthOptions{Key: "proxy"})
	require.ErrorIs(t, err, erp.ErrUnavailable)
	_, err = client.Health(t.Context(), &erp.HealthOptions{Key: "wrong"})
	require.ErrorIs(t, err, erp.ErrUnauthorized)
	_, client = serve(t, always(200, `{"status":"pass"}`))
	_, err = client.Health(t.Context(), nil)
	require.ErrorIs(t, err, erp.ErrBadResponse)
}

func TestMenuTree(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, always(200, `{"Name":"Menu","Description":null,"entries":[`+
		`{"id":1,"Name":"Sales","model-name":"ad_menu","entries":[{"id":2,"uid":"u","Name":"Sales Order","IsSOTrx":true,`+
		`"Action":{"propertyLabel":"Action","id":"W","identifier":"Window","model-name":"ad_ref_list"},`+
		`"AD_Window_ID":{"id":143,"identifier":"Sales Order","model-name":"ad_window"}}]},{"id":3,"Name":"Info"}]}`))
	tree, err := client.MenuTree(t.Context(), erp.IntID(10))
	require.NoError(t, err)
	assert.Equal(t, "/api/v1/menutree/10", rec.last(t).URI)
	var got []string
	for depth, entry := range tree.All() {
		got = append(got, fmt.Sprint(depth, " ", entry.Name, " ", entry.Action.Code(), " ", entry.Window.ID, entry.IsFolder()))
	}
	assert.Equal(t, []string{"0 Sales   true", "1 Sales Order W 143 false", "0 Info   false"}, got)
	for range tree.All() {
		break
	}
	_, err = client.MenuTree(t.Context(), erp.ID{})
	require.ErrorIs(t, err, erp.ErrInvalid)
}

func TestSchedulers(t *testing.T) {
	t.Parallel()
	const body = `{"id":100,"Name":"Alerts","model-name":"ad_scheduler","server-id":"Scheduler100","scheduler-state":"Started","node-port":8080}`
	registered := false
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPost:
			if registered {
				answer(w, 409, body)
				return
			}
			registered = true
			answer(w, 201, body)
		default:
			answer(w, 200, body)
		}
	})
	s, err := client.AddScheduler(t.Context(), 100)
	require.NoError(t, err)
	assert.Equal(t, "Scheduler100 Started Alerts 100", s.ServerID+" "+s.State+" "+s.Name()+" "+s.ID().String())
	assert.Equal(t, "POST /api/v1/servers/schedulers/100", rec.last(t).Method+" "+rec.last(t).URI)
	s, err = client.AddScheduler(t.Context(), 100)
	require.ErrorIs(t, err, erp.ErrConflict)
	require.NotNil(t, s, "the answer to a conflict is the scheduler")
	assert.Equal(t, "Started", s.State)
	_, err = client.Scheduler(t.Context(), 100)
	require.NoError(t, err)
	_, err = client.RemoveScheduler(t.Context(), 100)
	require.NoError(t, err)
	assert.Equal(t, "DELETE", rec.last(t).Method)
	_, err = client.Scheduler(t.Context(), 0)
	require.ErrorIs(t, err, erp.ErrInvalid)
	_, client = serve(t, always(409, `{"title":"Other","status":409}`))
	s, err = client.AddScheduler(t.Context(), 100)
	require.ErrorIs(t, err, erp.ErrConflict)
	assert.Nil(t, s)
}

func TestUploads(t *testing.T) {
	t.Parallel()
	var assembled bytes.Buffer
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut:
			data, _ := io.ReadAll(r.Body)
			sum := sha256.Sum256(data)
			assert.Equal(t, hex.EncodeToString(sum[:]), r.Header.Get("X-Content-SHA256"))
			assembled.Write(data)
			answer(w, 200, fmt.Sprintf(`{"uploadId":"u-1","chunkOrder":1,"receivedSize":%d,"message":"ok","isLastChunk":false}`, len(data)))
		case strings.HasSuffix(r.URL.Path, "/copy"):
			answer(w, 200, `{"uploadId":"u-1","tableName":"C_Order","recordId":1000022,"recordUU":"r","copyLocation":"ATTACHMENT","fileName":"cad.zip","contentType":"application/zip","fileSize":25}`)
		case r.Method == http.MethodPost:
			answer(w, 201, `{"uploadId":"u-1","chunkSize":10,"expiresAt":"2026-03-09T15:05:06.5","presignedURL":"x"}`)
		case r.Method == http.MethodDelete:
			answer(w, 200, `{"message":"Upload u-1 canceled successfully."}`)
		case strings.HasSuffix(r.URL.Path, "/file"):
			_, _ = w.Write(assembled.Bytes())
		case strings.HasSuffix(r.URL.Path, "/uploads"):
			answer(w, 200, `{"uploads":[{"uploadId":"u-1","status":"UPLOADING"}]}`)
		default:
			answer(w, 200, `{"uploadId":"u-1","fileName":"cad.zip","fileSize":25,"imageId":0,"chunkSize":10,"status":"COMPLETED","uploadedChunks":[],"totalReceivedSize":25,"message":null,"presignedURL":null}`)
		}
	})
	ctx := t.Context()
	data := []byte("abcdefghijklmnopqrstuvwxy")
	session, err := client.UploadFile(ctx, erp.UploadRequest{FileName: "cad.zip", ContentType: "application/zip", ChunkSize: 1000, Location: erp.UploadArchive}, bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	assert.Equal(t, "u-1", session.ID)
	assert.Equal(t, data, assembled.Bytes())
	sent := rec.seen()
	require.Len(t, sent, 4)
	sum := sha256.Sum256(data)
	assert.JSONEq(t, `{"fileName":"cad.zip","contentType":"application/zip","fileSize":25,"chunkSize":1000,"sha256":"`+hex.EncodeToString(sum[:])+`","uploadLocation":"ARCHIVE","expiresInSeconds":86400}`, sent[0].Body)
	assert.Equal(t, "/api/v1/uploads/u-1/chunks/3", sent[3].URI)
	assert.Equal(t, "3", sent[3].Header.Get("X-Total-Chunks"))
	assert.Equal(t, "application/octet-stream", sent[3].Header.Get("Content-Type"))

	status, err := client.Upload(ctx, "u-1", time.Minute)
	require.NoError(t, err)
	assert.True(t, status.Done())
	assert.Equal(t, "/api/v1/uploads/u-1?expiresInSeconds=60", rec.last(t).URI)
	list, err := client.Uploads(ctx)
	require.NoError(t, err)
	assert.False(t, list[0].Done())
	file, err := client.DownloadUpload(ctx, "u-1")
	require.NoError(t, err)
	got, _ := io.ReadAll(file)
	file.Close()
	assert.Equal(t, data, got)
	copied, err := client.CopyUpload(ctx, "u-1", erp.UploadAttachment, "C_Order", erp.IntID(1000022))
	require.NoError(t, err)
	assert.JSONEq(t, `{"copyLocation":"ATTACHMENT","tableName":"C_Order","recordId":"1000022"}`, rec.last(t).Body)
	assert.Equal(t, erp.IntID(1000022), copied.RecordID)
	require.NoError(t, client.CancelUpload(ctx, "u-1"))

	_, err = client.StartUpload(ctx, erp.UploadRequest{FileName: "a", Location: "X"})
	require.ErrorIs(t, err, erp.ErrInvalid)
	_, err = client.StartUpload(ctx, erp.UploadRequest{FileName: "a", Location: erp.UploadArchive})
	require.ErrorIs(t, err, erp.ErrInvalid)
	_, err = client.SendChunk(ctx, "u-1", 2, 1, nil)
	require.ErrorIs(t, err, erp.ErrInvalid)
	_, err = client.UploadFile(ctx, erp.UploadRequest{FileName: "a", Location: erp.UploadArchive}, bytes.NewReader(data), 100)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestCall(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, always(200, `{"caches":[]}`))
	data, err := client.Call(t.Context(), http.MethodGet, []string{"caches"}, url.Values{"table_name": {"C Order"}}, nil)
	require.NoError(t, err)
	assert.Equal(t, `{"caches":[]}`, string(data))
	assert.Equal(t, "/api/v1/caches?table_name=C%20Order", rec.last(t).URI)
	_, err = client.Call(t.Context(), http.MethodPut, []string{"workflow", "approve", "5"}, nil, map[string]string{"message": "ok"})
	require.NoError(t, err)
	assert.Equal(t, `{"message":"ok"}`, rec.last(t).Body)
	_, err = client.Call(t.Context(), http.MethodGet, []string{"caches", ".."}, nil, nil)
	require.ErrorIs(t, err, erp.ErrInvalid)
	_, client = serve(t, always(304, ""))
	_, err = client.Call(t.Context(), http.MethodPut, []string{"workflow", "forward", "5"}, nil, nil)
	var refused *erp.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, 304, refused.Status)
}

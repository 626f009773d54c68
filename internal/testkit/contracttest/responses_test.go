package contracttest_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/internal/testkit/contracttest"
)

// Responses as the server's reference describes them, the odd ones above all.
func TestResponsesOfRealServers(t *testing.T) {
	t.Parallel()
	winHeaders := []string{"X-Page-Count", "X-Page-Size", "X-Page-Number", "X-Row-Count"}
	process := `{"AD_PInstance_ID":1000777,"process":"rv_orderdetail","summary":"Report: 12 rows","isError":false,"reportFile":"JVBERi0=","reportFileName":"OrderDetail.pdf","reportFileLength":20480,"nodeId":"6f1c","logs":[{"date":"03/09/2026","number":1,"msg":"Created 12"}]}`
	node := `{"id":"local","hostName":"h","home":"/opt","os":"Linux","jvm":"17","databaseDescription":"PostgreSQL","databaseConnectionURL":"jdbc:x","databaseStatus":"ok","availableProcessors":2,"averageSystemLoad":0.25,"memoryUsage":"1M","heapMemoryUsage":"1M","runtime":"x","runtimeUptime":"1h","threadCount":1,"peakThreadCount":1,"daemonThreadCount":1,"totalStartedThreadCount":1,"logLevel":"INFO","currentLogFile":"a.log","sessionCount":1,"garbageCollectionCount":1,"garbageCollectionTime":1}`
	scheduler := `{"id":100,"uid":"ab","Name":"Nightly","AD_Process_ID":{"id":5},"model-name":"ad_scheduler","server-id":"Scheduler100","scheduler-state":"Started"}`
	login := `{"clientId":11,"userId":1000101,"roleId":1000050,"organizationId":1000002,"warehouseId":1000003,"language":"en_US","menuTreeId":10,"token":"a","refresh_token":"b"}`
	for _, tc := range []struct {
		name     string
		call     call
		response response
	}{
		{"first step of a login", anon("POST", "/auth/tokens", `{"userName":"a","password":"b"}`), json(200, `{"clients":[{"id":11,"name":"Acme"},{"id":12,"name":"Beta"}],"token":"x"}`)},
		{"second step", send("PUT", "/auth/tokens", `{"clientId":"11","roleId":102}`), json(200, login)},
		{"login failed", anon("POST", "/auth/tokens", `{"userName":"a","password":"b"}`), json(401, `{"title":"Authenticate error","status":401,"detail":"Invalid User ID or Password"}`)},
		{"expired token", get("/models/C_Order"), json(401, `{"title":"Token has expired","status":401}`)},
		{"no keys", anon("GET", "/auth/jwk", ""), json(200, `{}`)},
		{"keys", anon("GET", "/auth/jwk", ""), json(200, `{"keys":[{"alg":"HS512","k":"x","kid":"idempiere","kty":"oct"}]}`)},
		{"language", get("/auth/language?client=11"), json(200, `{"AD_Language":"en_US"}`)},
		{"no data", get("/models/C_Order?showsql=nodata"), json(200, `{"page-count":1,"records-size":100,"skip-records":0,"row-count":0,"sql-command":"SELECT","array-count":0}`, pageHeaders...)},
		{"statements of children", get("/models/C_Order?showsql"), json(200, `{"page-count":1,"records-size":100,"skip-records":0,"row-count":0,"sql-command":"SELECT","sql-command-C_OrderLine[C_Order_ID]":"SELECT","records":[],"array-count":0}`, pageHeaders...)},
		{"address", get("/models/C_BPartner_Location/5"), json(200, `{"id":5,"C_Location_ID":{"propertyLabel":"Address","id":109,"identifier":"x","model-name":"c_location","Address1":"Main 1","C_Country_ID":{"id":100},"IsActive":"true"},"Logo":{"propertyLabel":"Logo","id":100,"data":"aGk=","model-name":"ad_image"},"Partners":{"propertyLabel":"Partners","selections":[{"id":"118","identifier":"Joe","model-name":"c_bpartner"}]},"Amt":0E-12,"Config":{"a":[1,null]},"Nothing":null,"model-name":"c_bpartner_location"}`)},
		{"record keyed by uuid", get("/models/X/5b0c9d4e-6c1f-4a52-9f3e-1d2a7c8b9e01"), json(200, `{"uid":"5b0c9d4e-6c1f-4a52-9f3e-1d2a7c8b9e01","model-name":"x"}`)},
		{"labels", get("/models/C_Order/5?showlabel=Name"), json(200, `{"id":5,"assigned-labels":["a","b"]}`)},
		{"label records", get("/models/C_Order/5?showlabel"), json(200, `{"id":5,"assigned-labels":[{"id":1,"Name":"a"}]}`)},
		{"message of a document action", send("POST", "/models/C_Order", `{"doc-action":{"id":"CO"},"C_OrderLine":[{"Line":10}]}`), json(201, `{"id":5,"doc-processmsg":"x","C_OrderLine":[{"id":6}]}`)},
		{"attachment", send("POST", "/models/C_Order/5/attachments", `{"name":"a","data":"aGk="}`), response{201, "", "", nil}},
		{"duplicate attachment", send("POST", "/models/C_Order/5/attachments", `{"name":"a","data":"aGk="}`), json(409, `{"title":"Duplicate file name","status":409,"detail":"Duplicate file name: plan.pdf"}`)},
		{"archive as text", get("/models/C_Order/5/attachments/zip?json"), json(200, `{"data":"aGk="}`)},
		{"archive", get("/models/C_Order/5/attachments/zip"), response{200, "application/octet-stream", "PK", nil}},
		{"view definition", get("/views"), json(200, `{"views":[{"id":1,"uid":"a","name":"partner","tableName":"C_BPartner","columns":[{"id":2,"uid":"b","name":"address.city","columnName":"C_Location_ID","referenceView":{"id":3,"uid":"c","name":"x"}}],"relatedViews":[{"id":4,"uid":"d","name":"lines","view":{"id":5,"uid":"e","name":"line"},"autoExpand":true}]}]}`)},
		{"record of a view", get("/views/partner/118"), json(200, `{"id":118,"uid":"a","address":{"city":"Ulm"},"group":{"id":103,"identifier":"x","view-name":"g"},"model-name":"c_bpartner","view-name":"partner"}`)},
		{"process", send("POST", "/processes/rv_orderdetail", `{}`), json(200, process)},
		{"process that failed", send("POST", "/processes/x", `{"DateOrdered_to":"2026-03-31","report-type":"CSV","print-format-id":100,"File":{"fileName":"x.csv","fileContent":"aGk="}}`), json(200, `{"AD_PInstance_ID":1,"process":"x","summary":null,"isError":true}`)},
		{"export as JSON", send("POST", "/processes/x", `{}`), json(200, `{"AD_PInstance_ID":1,"process":"x","summary":"","isError":false,"data":{"a":1},"exportFile":{"rows":[]},"exportFileName":"x.json","exportFileLength":2}`)},
		{"process running already", send("POST", "/processes/x", `{}`), json(409, `{"title":"Running","status":409,"detail":"x"}`)},
		{"print", get("/models/C_Order/5/print?$report_type=HTML"), json(200, process)},
		{"job", send("POST", "/processes/jobs/rv_orderdetail", `{"notification-type":"B"}`), json(200, `{"id":1000778,"client":"Acme","user":"Ann","process":"slug","since":"x","processing":true}`)},
		{"jobs", get("/processes/jobs"), json(200, `{"jobs":[{"id":1000778,"client":"Acme","user":"Ann","process":"slug","since":"x","processing":true}]}`)},
		{"window with tabs", get("/windows/product/tabs"), json(200, `{"id":140,"uid":"a","Name":"Product","WindowType":{"id":"M"},"EntityType":{"id":"D"},"model-name":"ad_window","slug":"product","tabs":[{"id":180,"Name":"Product","SeqNo":10,"TabLevel":0,"model-name":"ad_tab","slug":"product"}]}`)},
		{"page of a window", get("/windows/product?$sort_column=!Name&$page_no=0"), json(200, `{"page-count":1,"page-size":100,"page-number":0,"row-count":1,"window-records":[{"id":5,"slug":"product","Name":"x"}]}`, winHeaders...)},
		{"page of a child tab", get("/windows/product/tabs/product/5/price"), json(200, `{"page-count":1,"page-size":100,"page-number":0,"row-count":0,"childtab-records":[]}`, winHeaders...)},
		{"dry run", send("POST", "/windows/product?$save=false", `{"Name":"x","price":[{"PriceList":1}]}`), json(200, `{"Name":"x"}`)},
		{"text error of a window", get("/windows/product/tabs/product/5/x"), response{400, "text/plain", "x is not child tab of y", nil}},
		{"404 in the body of a 400", get("/windows/product/tabs/product/5/x"), json(400, `{"title":"Not found","status":404}`)},
		{"task", send("POST", "/tasks/x", ""), json(200, `{"exitValue":null,"stdOut":"","stdErr":""}`)},
		{"list reference", get("/reference/_YesNo"), json(200, `{"id":319,"uid":"a","Name":"_YesNo","ValidationType":{"id":"L"},"model-name":"ad_reference","reflist":[{"value":"Y","name":"Yes"}]}`)},
		{"table reference", get("/reference/5"), json(200, `{"reftable":[{"id":5,"Name":"x"}]}`)},
		{"data type", get("/reference/10"), json(501, `{"title":"x","status":501}`)},
		{"caches", get("/caches?table_name=C_Order"), json(200, `{"caches":[{"name":"a","tableName":"b","size":1,"expireMinutes":0,"maxSize":0,"distributed":true,"nodeId":"x"}]}`)},
		{"reset", send("DELETE", "/caches?table_name=C_Order&record_id=5", ""), json(200, `{"entriesReset":12}`)},
		{"node without a cluster", get("/nodes"), json(200, `{"id":"local","name":"host"}`)},
		{"nodes", get("/nodes"), json(200, `{"nodes":[{"id":"a","hostName":"h","port":5701}]}`)},
		{"node", get("/nodes/local"), json(200, node)},
		{"log file", get("/nodes/local/logs/file?fileName=a.log"), response{200, "text/plain", "x", nil}},
		{"failed rotation", send("POST", "/nodes/local/logs/rotate", ""), json(500, `{"currentLogFile":"a.log"}`)},
		{"server job", get("/servers/Scheduler100"), json(200, `{"id":"Scheduler100","name":"x","nodeId":"n","hostName":"h","port":5701,"description":"d","lastRun":"x","info":"i","nextRun":"y","statistics":"#1","started":true,"sleeping":true,"interruptd":false}`)},
		{"reload", send("POST", "/servers/reload", ""), json(200, `{"servers":[{"id":"Scheduler100","name":"x","started":true}]}`)},
		{"scheduler", send("POST", "/servers/schedulers/100", ""), json(201, scheduler)},
		{"scheduler again", send("POST", "/servers/schedulers/100", ""), json(409, scheduler)},
		{"info window", get("/infos/x?$page_no=1"), json(200, `{"row-count":2,"infowindow-records":[{"C_BPartner_ID":118,"Name":"Joe","Balance":12.5}]}`, "X-Array-Count", "X-Page", "X-Per-Page", "X-Next-Page")},
		{"info window without rows", get("/infos/x"), json(200, `{"row-count":0,"infowindow-records":[]}`)},
		{"activities", get("/workflow"), json(200, `{"row-count":1,"nodes":[{"id":1000300,"uid":"ab","model-name":"ad_wf_activity","node-name":"Approve order","priority":5,"summary":"SO-9","node-description":"d","node-help":"h","history-records":"<html>","table-name":"C_Order","ad_table_id":259,"record_id":1000022,"node-approval":true,"node-confirmation":false,"created":"2026-03-09T14:05:06+01:00"}]}`)},
		{"forward", send("PUT", "/workflow/forward/5", `{"userTo":"102","message":"x"}`), json(200, `{"msg":"Updated","summary":"x","history-records":"<html>"}`)},
		{"status lines", get("/statuslines?with_messages=true"), json(200, `{"statusLines":[{"id":1,"uid":"a","Name":"x","EntityType":{"id":"D"},"model-name":"ad_statusline","message":"<b>1</b>"}]}`)},
		{"category chart", get("/charts/5/data"), json(200, `{"name":"x","domainLabel":null,"rangeLabel":null,"displayLegend":true,"chartOrientation":"V","chartType":"BC","data":[{"row":"a","column":"b","value":1.5}]}`)},
		{"time series", get("/charts/data"), json(200, `{"charts":[{"name":"x","domainLabel":"a","rangeLabel":"b","displayLegend":true,"chartOrientation":"V","chartType":"TS","data":[{"series":"a","x":"2026-03-09 00:00:00","y":1}],"id":50000}]}`)},
		{"chart", get("/charts/5?width=10&height=10"), response{200, "image/png", "\x89PNG", nil}},
		{"chart as text", get("/charts/5?json"), json(200, `{"data":"aGk="}`)},
		{"nothing to draw", get("/charts/5"), response{204, "", "", nil}},
		{"menu", get("/menutree/10"), json(200, `{"Name":"Menu","Description":null,"entries":[{"id":1,"uid":"a","Name":"x","IsSOTrx":false,"Action":{"id":"W"},"AD_Window_ID":{"id":5},"model-name":"ad_menu","entries":[{"id":2,"Name":"y"}]}]}`)},
		{"upload", send("POST", "/uploads", `{"fileName":"cad.zip","contentType":"application/zip","fileSize":2500000,"chunkSize":1000000,"sha256":"ab","uploadLocation":"ARCHIVE","expiresInSeconds":3600}`), json(201, `{"uploadId":"u","chunkSize":1000000,"expiresAt":"2026-03-09T15:05:06.5","presignedURL":"v1/uploads/u/chunks/{chunkOrder}?X-ID-SIGNATURE=x"}`)},
		{"wrong upload", send("POST", "/uploads", `{"uploadLocation":"MOON"}`), json(400, `{"error":"Invalid uploadLocation in request."}`)},
		{"chunk of the wrong size", bytesTo("/uploads/u/chunks/1"), json(400, `{"uploadId":"u","chunkOrder":1,"receivedSize":3,"message":"x","isLastChunk":false}`)},
		{"expired upload", bytesTo("/uploads/u/chunks/1"), json(410, `{"title":"Upload session has expired: ","status":410,"detail":"u"}`)},
		{"state of an upload", get("/uploads/u"), json(200, `{"uploadId":"u","fileName":"a","fileSize":1,"imageId":0,"chunkSize":1,"status":"COMPLETED","uploadedChunks":[],"totalReceivedSize":1,"message":null,"presignedURL":null}`)},
		{"cancelled", send("DELETE", "/uploads/u", ""), json(200, `{"message":"Upload u canceled successfully."}`)},
		{"copy", send("POST", "/uploads/u/copy", `{"copyLocation":"IMAGE"}`), json(200, `{"uploadId":"u","tableName":null,"recordId":0,"recordUU":null,"copyLocation":"IMAGE","fileName":"a","contentType":"b","fileSize":1}`)},
		{"presigned download", anon("GET", "/uploads/u/file?X-ID-CREDENTIAL=a&X-ID-DATE=b&X-ID-EXPIRES=c&X-ID-SIGNATURE=d", ""), response{200, "application/octet-stream", "x", nil}},
		{"wrong signature", anon("GET", "/uploads/u/file?X-ID-SIGNATURE=d", ""), response{401, "text/plain", "Signature mismatch", nil}},
		{"failed batch", send("POST", "/batch", `[{"method":"GET","path":"v1/models"}]`), json(400, `[{"status":"Bad Request","statusCode":400,"body":"Unsupported Method: GET"}]`)},
		{"unhealthy", anon("GET", "/health?db=true", ""), json(503, `{"status":"DOWN","database":"disconnected"}`)},
		{"webhook", anon("POST", "/webhooks/shop", `{"a":1}`), json(200, `{"status":"duplicate"}`)},
		{"unknown webhook", anon("POST", "/webhooks/shop", `{"a":1}`), json(404, `{"error":"Unknown endpoint"}`)},
		{"failed webhook", anon("POST", "/webhooks/shop", `{"a":1}`), json(500, `{"error":"Processing failed","message":"x"}`)},
		{"webhooks off", anon("POST", "/webhooks/shop", `{"a":1}`), json(503, `{"error":"Inbound webhooks disabled"}`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v := contracttest.NewRecorder(t)
			v.Wrap(tc.response).ServeHTTP(httptest.NewRecorder(), tc.call.request(t, "http://erp.test"))
			assert.Empty(t, v.Violations())
		})
	}
}

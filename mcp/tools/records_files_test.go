package tools_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/redisstore"
	"github.com/erphub/erphub/internal/testkit/testredis"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
)

type deliveredFile struct {
	Name, MIMEType, URI, Until, Text, Note string
	Bytes                                  int
}

// A plugin is handed over as an archive: for as long as the operator says, by every
// replica that shares the files, and to who had it made alone.
func TestPluginIsAFile(t *testing.T) {
	t.Parallel()
	shared := recordKit(t)
	store, err := redisstore.Open(testredis.Start(t).URL(), "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	pool, err := backend.NewPool("", shared.rest)
	require.NoError(t, err)
	began := time.Now()
	var replicas []*filing
	for range 2 {
		catalog := tools.New(tools.Options{Pool: pool, Files: store, FileTime: 3 * time.Hour}).Catalog()
		replicas = append(replicas, &filing{kit: &kit{srv: shared.srv, rest: shared.rest, set: catalog.Tools, callers: map[string]mcp.Caller{}}, catalog: catalog})
	}
	type plugin struct {
		Files []struct{ Name string }
		File  *deliveredFile
	}
	question := args{"artifactId": "com.example.demo", "components": "process:ImportOrders"}
	made := response[plugin](t, replicas[0].kit, admin, "generatePlugin", question)
	require.NotNil(t, made.File)
	assert.Equal(t, "application/zip", made.File.MIMEType)
	until, err := time.Parse(time.RFC3339, made.File.Until)
	require.NoError(t, err)
	assert.WithinRange(t, until, began.Add(3*time.Hour-time.Second), time.Now().Add(3*time.Hour))
	data, kind, err := replicas[1].read(t, replicas[1].as(t, admin), made.File.URI)
	require.NoError(t, err)
	assert.Equal(t, "application/zip", kind)
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	assert.Len(t, archive.File, len(made.Files))
	for name, who := range map[string]mcp.Caller{"another user": replicas[1].as(t, user), "nobody": {}, "the system": replicas[1].as(t, root)} {
		_, _, err := replicas[1].read(t, who, made.File.URI)
		assert.Equal(t, mcp.CodeNotFound, mcp.ErrorOf(err).Code, name)
	}
	question["show"], question["files"] = "content", "META-INF/MANIFEST.MF"
	assert.Nil(t, response[plugin](t, replicas[0].kit, admin, "generatePlugin", question).File, "a look at one file")
}

// All rows of a query are a CSV file in which a spreadsheet computes nothing.
func TestQueryIsAFile(t *testing.T) {
	t.Parallel()
	w := reachable(t)
	type queried struct {
		Rows [][]any
		File *deliveredFile
	}
	sql := `SELECT '=1+1' AS "=a", 'x, "y"' AS b, 2.5 AS c, CAST(NULL AS text) AS d FROM ad_client WHERE ad_client_id = 11`
	assert.Nil(t, response[queried](t, w.db, admin, "executeQuery", args{"sql": sql}).File)
	got := response[queried](t, w.db, admin, "executeQuery", args{"sql": sql, "csv": true})
	require.NotNil(t, got.File)
	assert.Equal(t, "text/csv", got.File.MIMEType)
	assert.Equal(t, "'=a,b,c,d\n'=1+1,\"x, \"\"y\"\"\",2.5,\n", got.File.Text)
	many := response[queried](t, w.db, admin, "executeQuery", args{"sql": "SELECT * FROM c_orderline", "csv": true, "maxRows": 1000})
	assert.Greater(t, many.File.Bytes, 10_000)
	assert.Equal(t, "query.csv", many.File.Name)
}

// filing is a kit whose files can be read, with a clock of its own.
type filing struct {
	*kit
	catalog *mcp.Catalog
	mu      sync.Mutex
	now     time.Time
}

func files(t *testing.T) *filing {
	t.Helper()
	f := &filing{now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	shared := recordKit(t)
	pool, err := backend.NewPool("", shared.rest)
	require.NoError(t, err)
	f.catalog = tools.New(tools.Options{Pool: pool, Now: func() time.Time {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.now
	}}).Catalog()
	f.kit = &kit{srv: shared.srv, rest: shared.rest, set: f.catalog.Tools, callers: map[string]mcp.Caller{}}
	return f
}

func (f *filing) wait(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

// read reads a file as a caller.
func (f *filing) read(t *testing.T, caller mcp.Caller, uri string) ([]byte, string, error) {
	t.Helper()
	for _, tm := range f.catalog.Templates {
		if tm.Name == "file" {
			got, err := tm.Read(t.Context(), &mcp.Call{Caller: caller}, uri, map[string]string{"key": strings.TrimPrefix(uri, "erp://file/")})
			if got.Data == nil {
				return []byte(got.Text), got.MIMEType, err
			}
			return got.Data, got.MIMEType, err
		}
	}
	t.Fatal("no template for files")
	return nil, "", nil
}

func TestPrintRecord(t *testing.T) {
	t.Parallel()
	f := files(t)
	type printed struct {
		Table, ID, Summary string
		File               deliveredFile
	}
	paper := response[printed](t, f.kit, admin, "printRecord", args{"table": "c_order", "id": 100})
	assert.Equal(t, "C_Order", paper.Table)
	assert.Equal(t, "application/pdf", paper.File.MIMEType)
	assert.Empty(t, paper.File.Text)
	data, kind, err := f.read(t, f.as(t, admin), paper.File.URI)
	require.NoError(t, err)
	assert.Equal(t, "application/pdf", kind)
	assert.True(t, bytes.HasPrefix(data, []byte("%PDF")))
	assert.Len(t, data, paper.File.Bytes)

	// Nobody else reads it: another user, the same user in another role, nobody,
	// and after its time not even its owner.
	same := f.as(t, admin)
	same.RoleID = 103
	for name, who := range map[string]mcp.Caller{"another user": f.as(t, user), "another role": same, "nobody": {}, "the system": f.as(t, root)} {
		_, _, err := f.read(t, who, paper.File.URI)
		assert.Equal(t, mcp.CodeNotFound, mcp.ErrorOf(err).Code, name)
	}
	_, _, err = f.read(t, f.as(t, admin), paper.File.URI+"x")
	assert.Equal(t, mcp.CodeNotFound, mcp.ErrorOf(err).Code)
	f.wait(9 * time.Minute)
	_, _, err = f.read(t, f.as(t, admin), paper.File.URI)
	require.NoError(t, err)
	f.wait(time.Minute)
	_, _, err = f.read(t, f.as(t, admin), paper.File.URI)
	assert.Equal(t, mcp.CodeNotFound, mcp.ErrorOf(err).Code)

	web := response[printed](t, f.kit, admin, "printRecord", args{"table": "C_Order", "id": "100", "format": "html"})
	assert.Equal(t, "text/html", web.File.MIMEType)
	for name, tc := range map[string]struct {
		who       login
		arguments args
		code      string
	}{
		"a tenant's, to System": {root, args{"table": "C_Order", "id": 100}, mcp.CodePermissionDenied},
		"no such record":        {admin, args{"table": "C_Order", "id": 99999999}, mcp.CodeNotFound},
		"no such table":         {admin, args{"table": "C_Ordr", "id": 100}, mcp.CodeNotFound},
		"no print process":      {admin, args{"table": "C_BPartner", "id": 118}, mcp.CodeUnsupported},
		"no such format":        {admin, args{"table": "C_Order", "id": 100, "format": "DOC"}, mcp.CodeInvalidArguments},
		"an id with a path":     {admin, args{"table": "C_Order", "id": "100/print"}, mcp.CodeNotFound},
	} {
		e := refusal(t, f.kit, tc.who, "printRecord", tc.arguments, tc.code)
		assert.NotEmpty(t, e.Hint, name)
	}
}

// A report is run for a record, and its file delivered: as text as well, where it is
// short. What does not fit is refused before anything runs.
//
// It runs before the parallel tests: one of them runs every report of the same ERP,
// which refuses a report that is running.
func TestExecuteProcessForARecord(t *testing.T) { //nolint:paralleltest // see above
	f := files(t)
	type ran struct {
		Summary string
		File    deliveredFile
	}
	done := response[ran](t, f.kit, admin, "executeProcess", args{"processId": "Rpt C_Order", "table": "C_Order", "recordId": 100, "format": "CSV"})
	assert.Equal(t, "text/csv", done.File.MIMEType)
	data, _, err := f.read(t, f.as(t, admin), done.File.URI)
	require.NoError(t, err)
	assert.Len(t, data, done.File.Bytes)
	if len(data) <= 6000 {
		assert.Equal(t, string(data), done.File.Text)
	}

	call := &mcp.Call{Caller: f.as(t, admin)}
	tool, _ := f.set.Tool("executeProcess")
	call.Arguments = json.RawMessage(`{"processId": "Rpt C_Order", "table": "C_Order", "recordId": 100}`)
	out, err := tool.Invoke(t.Context(), call)
	require.NoError(t, err)
	result, ok := out.(mcp.Linker)
	require.True(t, ok, "a result with a link")
	require.NotNil(t, result.ResultLink())
	raw, err := mcp.Encode(out)
	require.NoError(t, err)
	assert.Contains(t, string(raw), result.ResultLink().URI)

	var asked []string
	for name, tc := range map[string]struct {
		arguments args
		code      string
	}{
		"no record of the table": {args{"processId": "C_Order Process", "table": "C_Order", "recordId": 99999999}, mcp.CodeNotFound},
		"a table alone":          {args{"processId": "C_Order Process", "table": "C_Order"}, mcp.CodeInvalidArguments},
		"a record alone":         {args{"processId": "C_Order Process", "recordId": 100}, mcp.CodeInvalidArguments},
		"no such format":         {args{"processId": "C_Order Process", "format": "DOC"}, mcp.CodeInvalidArguments},
	} {
		_, err := f.invoke(t, agreeing(f.kit, t, admin, true, &asked), "executeProcess", tc.arguments)
		assert.Equal(t, tc.code, mcp.ErrorOf(err).Code, "%s: %v", name, err)
	}
	assert.Empty(t, asked, "nobody was asked for what cannot be done")
	id, number := f.order(t)
	_, err = f.invoke(t, agreeing(f.kit, t, admin, false, &asked), "executeProcess", args{"processId": "C_Order Process", "table": "C_Order", "recordId": id})
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code)
	require.Len(t, asked, 1)
	assert.Contains(t, asked[0], fmt.Sprintf("for C_Order %q (%s)?", number, id))
	assert.Equal(t, "DR", f.status(t, "C_Order", id))
}

type attachmentResult struct {
	Status, Note string
	Attachments  []struct{ Name, ContentType string }
	File         deliveredFile
}

// partner makes a business partner.
func (k *kit) partner(t *testing.T, value string) string {
	t.Helper()
	return response[writtenRecord](t, k, admin, "createRecord", args{"table": "C_BPartner", "values": args{"Value": value, "Name": value, "C_BP_Group_ID": 103}}).ID
}

func TestRecordAttachments(t *testing.T) {
	t.Parallel()
	f := files(t)
	id := f.partner(t, "attachments-1")
	at := func(more args) args {
		a := args{"table": "c_bpartner", "id": id}
		for name, value := range more {
			a[name] = value
		}
		return a
	}
	do := func(more args) attachmentResult {
		t.Helper()
		return response[attachmentResult](t, f.kit, admin, "recordAttachments", at(more))
	}
	assert.Empty(t, do(nil).Attachments)
	const text = "Zeile 1\nSeñor <b>\"x\"</b>"
	assert.Equal(t, "added", do(args{"action": "add", "name": "note.txt", "text": text}).Status)
	assert.Equal(t, "exists", do(args{"action": "add", "name": "note.txt", "text": text}).Status, "once, however often it is asked for")
	e := refusal(t, f.kit, admin, "recordAttachments", at(args{"action": "add", "name": "note.txt", "text": "other"}), mcp.CodeConflict)
	assert.Contains(t, e.Hint, "another name")

	got := do(args{"action": "get", "name": "note.txt"})
	assert.Equal(t, text, got.File.Text)
	data, _, err := f.read(t, f.as(t, admin), got.File.URI)
	require.NoError(t, err)
	assert.Equal(t, text, string(data))

	// The response is lost on the way back: it is there, once.
	f.srv.Faults().On(erptest.Match{Method: "POST", Path: "/models/C_BPartner/" + id + "/attachments", N: 1}, erptest.CutAfter())
	lost := do(args{"action": "add", "name": "lost.bin", "base64": base64.StdEncoding.EncodeToString([]byte{0, 255, 1})})
	assert.Equal(t, "added", lost.Status)
	assert.Contains(t, lost.Note, "lost")
	assert.Len(t, lost.Attachments, 2)

	var asked []string
	_, err = f.invoke(t, agreeing(f.kit, t, admin, false, &asked), "recordAttachments", at(args{"action": "delete", "name": "lost.bin"}))
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code)
	require.Len(t, asked, 1)
	assert.Contains(t, asked[0], `Delete the file "lost.bin" attached to C_BPartner "attachments-1" (`+id+`)?`)
	assert.Len(t, do(nil).Attachments, 2)
	assert.Len(t, do(args{"action": "delete", "name": "lost.bin"}).Attachments, 1)
	e = refusal(t, f.kit, admin, "recordAttachments", at(args{"action": "delete", "name": "notes.txt"}), mcp.CodeNotFound)
	assert.Contains(t, e.Hint, "note.txt")

	for name, tc := range map[string]struct {
		who  login
		more args
		code string
	}{
		"no name":               {admin, args{"action": "get"}, mcp.CodeInvalidArguments},
		"no content":            {admin, args{"action": "add", "name": "x"}, mcp.CodeInvalidArguments},
		"two contents":          {admin, args{"action": "add", "name": "x", "text": "a", "base64": "YQ=="}, mcp.CodeInvalidArguments},
		"no base64":             {admin, args{"action": "add", "name": "x", "base64": "%%%"}, mcp.CodeInvalidArguments},
		"a path":                {admin, args{"action": "add", "name": "../x", "text": "a"}, mcp.CodeInvalidArguments},
		"a path to get":         {admin, args{"action": "get", "name": "..%2fx"}, mcp.CodeNotFound},
		"no such action":        {admin, args{"action": "drop", "name": "x"}, mcp.CodeInvalidArguments},
		"too long":              {admin, args{"action": "add", "name": "x", "text": strings.Repeat("a", 4<<20+1)}, mcp.CodeInvalidArguments},
		"a tenant's, to System": {root, nil, mcp.CodePermissionDenied},
	} {
		e := refusal(t, f.kit, tc.who, "recordAttachments", at(tc.more), tc.code)
		assert.NotEmpty(t, e.Message, name)
	}
}

func TestDeleteRecord(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	type gone struct {
		Table, ID, Note string
		Deleted         bool
	}
	id := k.partner(t, "delete-1")
	var asked []string
	_, err := k.invoke(t, agreeing(k, t, admin, false, &asked), "deleteRecord", args{"table": "c_bpartner", "id": id})
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code)
	require.Len(t, asked, 1)
	assert.Contains(t, asked[0], `Delete C_BPartner "delete-1" (`+id+") for good?\nValue: \"delete-1\"\nName: \"delete-1\"")
	out := response[gone](t, k, admin, "deleteRecord", args{"table": "c_bpartner", "id": id})
	assert.True(t, out.Deleted)
	refusal(t, k, admin, "deleteRecord", args{"table": "C_BPartner", "id": id}, mcp.CodeNotFound)

	id = k.partner(t, "delete-2")
	k.srv.Faults().On(erptest.Match{Method: "DELETE", Path: "/models/C_BPartner/" + id, N: 1}, erptest.CutAfter())
	assert.True(t, response[gone](t, k, admin, "deleteRecord", args{"table": "C_BPartner", "id": id}).Deleted, "gone, though its response was lost")

	// What others point to stays, and the ERP says why.
	e := refusal(t, k, admin, "deleteRecord", args{"table": "C_BPartner", "id": 118}, mcp.CodeRefused)
	assert.Contains(t, e.Hint, "IsActive")
	order, _ := k.order(t)
	response[processedDocument](t, k, admin, "processDocument", args{"table": "C_Order", "id": order, "action": "complete"})
	refusal(t, k, admin, "deleteRecord", args{"table": "C_Order", "id": order}, mcp.CodeRefused)
	for name, tc := range map[string]struct {
		who       login
		arguments args
		code      string
	}{
		"the system's own":      {admin, args{"table": "AD_User", "id": 100}, mcp.CodePermissionDenied},
		"a tenant's, to System": {root, args{"table": "C_BPartner", "id": 118}, mcp.CodePermissionDenied},
		"an id with a path":     {admin, args{"table": "C_BPartner", "id": "../AD_User/100"}, mcp.CodeNotFound},
		"no such table":         {admin, args{"table": "C_BPartnr", "id": 118}, mcp.CodeNotFound},
	} {
		e := refusal(t, k, tc.who, "deleteRecord", tc.arguments, tc.code)
		assert.NotEmpty(t, e.Message, name)
	}
}

// Through the protocol: the result links to the file, and the client reads it.
func TestFilesThroughTheServer(t *testing.T) {
	t.Parallel()
	s := recordKit(t).session(t, presence(false), mcp.BoundaryOptions{}, nil)
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "printRecord", Arguments: map[string]any{"table": "C_Order", "id": 100}})
	require.NoError(t, err)
	require.False(t, res.IsError, "%v", res.Content)
	require.Len(t, res.Content, 2)
	link, ok := res.Content[1].(*sdk.ResourceLink)
	require.True(t, ok)
	assert.Equal(t, "application/pdf", link.MIMEType)
	require.NotNil(t, link.Size)
	assert.Positive(t, *link.Size)
	assert.Contains(t, link.Description, "until 20")
	got, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: link.URI})
	require.NoError(t, err)
	require.Len(t, got.Contents, 1)
	assert.True(t, bytes.HasPrefix(got.Contents[0].Blob, []byte("%PDF")))
	_, err = s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "erp://file/AAAAAAAAAAAAAAAAAAAAAAAAAA"})
	require.Error(t, err)
}

package erp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/testkit/recorded"
)

// recordedCall makes the request of a step by the method of the client that is for
// it. do returns nil when the method returns nothing but an error.
type recordedCall struct {
	method string
	do     func(ctx context.Context, c *erp.Client) (any, error)
}

// captured are the places in a path for what a response before had.
var captured = regexp.MustCompile(`\{\{[\w.-]+\}\}`)

// callOf finds the method of the client for a step, or says why there is none.
func callOf(step *recorded.Step) (call recordedCall, reason string) {
	path := strings.Split(strings.Trim(captured.ReplaceAllString(step.Path, "1000000"), "/"), "/")
	for i, segment := range path {
		plain, err := url.PathUnescape(segment)
		if err != nil {
			return call, "no path"
		}
		path[i] = plain
	}
	switch {
	case step.ResponseBinary != nil:
		return call, "the bytes were not recorded"
	case step.Method == http.MethodOptions || step.Method == http.MethodHead:
		return call, "method " + step.Method
	case slices.ContainsFunc(path, func(s string) bool { return s == "" || s == "." || s == ".." || strings.ContainsAny(s, "/\\") }):
		return call, "a path that the client does not send"
	case step.Status < 400 && step.Response == nil && step.ResponseText != nil && *step.ResponseText != "" && !textMethod(step, path):
		return call, "a response that is no JSON"
	}
	for _, find := range []func(*recorded.Step, []string) *recordedCall{recordsCall, attachmentsCall, processesCall, uploadsCall, serversCall, otherCall} {
		if found := find(step, path); found != nil {
			return *found, ""
		}
	}
	return recordedCall{"Call", func(ctx context.Context, c *erp.Client) (any, error) {
		raw, err := c.Call(ctx, step.Method, path, nil, nil)
		if raw == nil {
			return nil, err
		}
		return raw, err
	}}, ""
}

// textMethod reports whether the method for a step returns the text as it is.
func textMethod(step *recorded.Step, path []string) bool {
	last := path[len(path)-1]
	file := len(path) == 5 && path[3] == "attachments"
	return step.Method == http.MethodGet && (last == "yaml" || last == "file" || file) || step.Method == http.MethodDelete
}

// recordsCall is for records of tables and of views, and for batches.
func recordsCall(step *recorded.Step, path []string) *recordedCall {
	if path[0] == "batch" && step.Method == http.MethodPost {
		return batchCall(step)
	}
	if path[0] != "models" && path[0] != "views" {
		return nil
	}
	of := func(c *erp.Client) *erp.Client {
		if path[0] == "views" {
			return c.Views()
		}
		return c
	}
	if len(path) == 1 && step.Method == http.MethodGet {
		if path[0] == "views" {
			return &recordedCall{"ViewList", func(ctx context.Context, c *erp.Client) (any, error) {
				list, err := c.ViewList(ctx, erp.Filter{})
				return map[string]any{"views": list}, err
			}}
		}
		return &recordedCall{"Models", func(ctx context.Context, c *erp.Client) (any, error) {
			list, err := c.Models(ctx, erp.Filter{})
			return map[string]any{"models": list}, err
		}}
	}
	if len(path) == 2 {
		switch step.Method {
		case http.MethodGet:
			q := &erp.Query{}
			if strings.Contains(step.Query, "nodata") {
				q.ShowSQL = erp.SQLWithout
			}
			return &recordedCall{"Query", func(ctx context.Context, c *erp.Client) (any, error) {
				return noneOn(of(c).Query(ctx, path[1], q))
			}}
		case http.MethodPost:
			return &recordedCall{"Create", func(ctx context.Context, c *erp.Client) (any, error) { return of(c).Create(ctx, path[1], nil) }}
		}
	}
	if len(path) == 3 && path[2] == "yaml" && step.Method == http.MethodGet {
		return &recordedCall{"TableYAML", func(ctx context.Context, c *erp.Client) (any, error) {
			text, err := of(c).TableYAML(ctx, path[1])
			return nil, mustBe(step, string(text), err)
		}}
	}
	if len(path) < 3 {
		return nil
	}
	id, err := erp.ParseID(path[2])
	if n, isNumber := id.Int(); err != nil || isNumber && n < 0 {
		return nil
	}
	switch {
	case len(path) == 3 && step.Method == http.MethodGet:
		return &recordedCall{"Get", func(ctx context.Context, c *erp.Client) (any, error) { return of(c).Get(ctx, path[1], id, nil) }}
	case len(path) == 3 && step.Method == http.MethodPut:
		return &recordedCall{"Update", func(ctx context.Context, c *erp.Client) (any, error) { return of(c).Update(ctx, path[1], id, nil) }}
	case len(path) == 3 && step.Method == http.MethodPatch:
		return &recordedCall{"Patch", func(ctx context.Context, c *erp.Client) (any, error) { return of(c).Patch(ctx, path[1], id, nil) }}
	case len(path) == 3 && step.Method == http.MethodDelete:
		return &recordedCall{"Delete", func(ctx context.Context, c *erp.Client) (any, error) { return nil, of(c).Delete(ctx, path[1], id) }}
	case len(path) == 4 && step.Method == http.MethodGet && path[3] == "print":
		return &recordedCall{"Print", func(ctx context.Context, c *erp.Client) (any, error) {
			return noneOn(of(c).Print(ctx, path[1], id, ""))
		}}
	case len(path) == 4 && step.Method == http.MethodGet && path[3] != "attachments" && regexp.MustCompile(`^\w+$`).MatchString(path[3]):
		return &recordedCall{"Property", func(ctx context.Context, c *erp.Client) (any, error) {
			return of(c).Property(ctx, path[1], id, path[3])
		}}
	}
	return nil
}

// noneOn keeps a nil pointer from becoming a value.
func noneOn[P any](p *P, err error) (any, error) {
	if p == nil {
		return nil, err
	}
	return p, err
}

// download is a file that was read to its end.
type download struct{ text, contentType string }

func read(file *erp.Download, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	return download{string(text), file.ContentType}, err
}

// mustBe compares a text that the client hands over as it is.
func mustBe(step *recorded.Step, got string, err error) error {
	if err != nil || step.ResponseText == nil || got == *step.ResponseText {
		return err
	}
	return errorText("the text differs from that of the response")
}

type errorText string

func (e errorText) Error() string { return string(e) }

// batchCall sends as many requests as the step does.
func batchCall(step *recorded.Step) *recordedCall {
	var sent []json.RawMessage
	if json.Unmarshal(step.Body, &sent) != nil || len(sent) == 0 {
		return nil
	}
	requests := make([]erp.BatchRequest, len(sent))
	for i := range requests {
		requests[i] = erp.BatchCreate("C_BPartner", nil)
	}
	opts := erp.BatchOptions{PerRequest: strings.Contains(step.Query, "transaction=false")}
	return &recordedCall{"Batch", func(ctx context.Context, c *erp.Client) (any, error) {
		results, err := c.Batch(ctx, requests, opts)
		if results == nil {
			return nil, err
		}
		return results, err
	}}
}

func attachmentsCall(step *recorded.Step, path []string) *recordedCall {
	if len(path) < 4 || path[0] != "models" && path[0] != "views" || path[3] != "attachments" {
		return nil
	}
	id, err := erp.ParseID(path[2])
	if err != nil {
		return nil
	}
	of := func(c *erp.Client) *erp.Client {
		if path[0] == "views" {
			return c.Views()
		}
		return c
	}
	switch file := erp.NewAttachment("a.txt", []byte("a")); {
	case len(path) == 4 && step.Method == http.MethodGet:
		return &recordedCall{"Attachments", func(ctx context.Context, c *erp.Client) (any, error) {
			list, err := of(c).Attachments(ctx, path[1], id)
			return map[string]any{"attachments": list}, err
		}}
	case len(path) == 4 && step.Method == http.MethodPost:
		return &recordedCall{"UploadAttachment", func(ctx context.Context, c *erp.Client) (any, error) {
			return nil, of(c).UploadAttachment(ctx, path[1], id, file)
		}}
	case len(path) == 4 && step.Method == http.MethodDelete:
		return &recordedCall{"DeleteAttachments", func(ctx context.Context, c *erp.Client) (any, error) {
			return nil, of(c).DeleteAttachments(ctx, path[1], id)
		}}
	case len(path) == 5 && path[4] == "zip" && step.Method == http.MethodPost:
		return &recordedCall{"UploadAttachmentsZip", func(ctx context.Context, c *erp.Client) (any, error) {
			return nil, of(c).UploadAttachmentsZip(ctx, path[1], id, file)
		}}
	case len(path) == 5 && step.Method == http.MethodDelete:
		return &recordedCall{"DeleteAttachment", func(ctx context.Context, c *erp.Client) (any, error) {
			return nil, of(c).DeleteAttachment(ctx, path[1], id, path[4])
		}}
	case len(path) == 5 && step.Method == http.MethodGet:
		return &recordedCall{"DownloadAttachment", func(ctx context.Context, c *erp.Client) (any, error) {
			if path[4] == "zip" {
				return read(of(c).DownloadAttachmentsZip(ctx, path[1], id))
			}
			return read(of(c).DownloadAttachment(ctx, path[1], id, path[4]))
		}}
	}
	return nil
}

func processesCall(step *recorded.Step, path []string) *recordedCall {
	if path[0] != "processes" {
		return nil
	}
	get, post := step.Method == http.MethodGet, step.Method == http.MethodPost
	jobs := len(path) > 1 && path[1] == "jobs"
	switch {
	case len(path) == 1 && get:
		return &recordedCall{"Processes", func(ctx context.Context, c *erp.Client) (any, error) {
			list, err := c.Processes(ctx, erp.Filter{})
			return map[string]any{"processes": list}, err
		}}
	case len(path) == 2 && jobs && get:
		return &recordedCall{"Jobs", func(ctx context.Context, c *erp.Client) (any, error) {
			list, err := c.Jobs(ctx)
			return map[string]any{"jobs": list}, err
		}}
	case len(path) == 3 && jobs && post:
		return &recordedCall{"StartJob", func(ctx context.Context, c *erp.Client) (any, error) {
			return noneOn(c.StartJob(ctx, path[2], nil))
		}}
	case len(path) == 3 && jobs && get:
		id, err := strconv.ParseInt(path[2], 10, 64)
		if err != nil {
			return nil
		}
		return &recordedCall{"Job", func(ctx context.Context, c *erp.Client) (any, error) { return noneOn(c.Job(ctx, id)) }}
	case len(path) == 2 && get:
		return &recordedCall{"Process", func(ctx context.Context, c *erp.Client) (any, error) { return noneOn(c.Process(ctx, path[1])) }}
	case len(path) == 2 && post:
		return &recordedCall{"RunProcess", func(ctx context.Context, c *erp.Client) (any, error) {
			return noneOn(c.RunProcess(ctx, path[1], nil))
		}}
	}
	return nil
}

func uploadsCall(step *recorded.Step, path []string) *recordedCall {
	if path[0] != "uploads" {
		return nil
	}
	file := erp.UploadRequest{FileName: "a.txt", FileSize: 1, SHA256: strings.Repeat("0", 64), Location: erp.UploadArchive}
	switch get, post := step.Method == http.MethodGet, step.Method == http.MethodPost; {
	case len(path) == 1 && get:
		return &recordedCall{"Uploads", func(ctx context.Context, c *erp.Client) (any, error) {
			list, err := c.Uploads(ctx)
			return map[string]any{"uploads": list}, err
		}}
	case len(path) == 1 && post:
		return &recordedCall{"StartUpload", func(ctx context.Context, c *erp.Client) (any, error) { return noneOn(c.StartUpload(ctx, file)) }}
	case len(path) == 2 && get:
		return &recordedCall{"Upload", func(ctx context.Context, c *erp.Client) (any, error) { return noneOn(c.Upload(ctx, path[1], 0)) }}
	case len(path) == 2 && step.Method == http.MethodDelete:
		return &recordedCall{"CancelUpload", func(ctx context.Context, c *erp.Client) (any, error) { return nil, c.CancelUpload(ctx, path[1]) }}
	case len(path) == 3 && path[2] == "copy" && post:
		return &recordedCall{"CopyUpload", func(ctx context.Context, c *erp.Client) (any, error) {
			return noneOn(c.CopyUpload(ctx, path[1], erp.UploadArchive, "C_Order", erp.IntID(1)))
		}}
	case len(path) == 4 && path[2] == "chunks" && step.Method == http.MethodPut:
		return &recordedCall{"SendChunk", func(ctx context.Context, c *erp.Client) (any, error) {
			return noneOn(c.SendChunk(ctx, path[1], 1, 1, []byte("a")))
		}}
	case len(path) == 3 && path[2] == "file" && get:
		return &recordedCall{"DownloadUpload", func(ctx context.Context, c *erp.Client) (any, error) {
			return read(c.DownloadUpload(ctx, path[1]))
		}}
	}
	return nil
}

func serversCall(step *recorded.Step, path []string) *recordedCall {
	if path[0] != "servers" {
		return nil
	}
	get, post := step.Method == http.MethodGet, step.Method == http.MethodPost
	if len(path) == 3 && path[1] == "schedulers" {
		id, err := strconv.ParseInt(path[2], 10, 64)
		if err != nil || id <= 0 {
			return nil
		}
		name, call := "Scheduler", (*erp.Client).Scheduler
		switch step.Method {
		case http.MethodPost:
			name, call = "AddScheduler", (*erp.Client).AddScheduler
		case http.MethodDelete:
			name, call = "RemoveScheduler", (*erp.Client).RemoveScheduler
		}
		return &recordedCall{name, func(ctx context.Context, c *erp.Client) (any, error) { return noneOn(call(c, ctx, id)) }}
	}
	switch {
	case len(path) == 1 && get:
		return &recordedCall{"ServerJobs", func(ctx context.Context, c *erp.Client) (any, error) {
			list, err := c.ServerJobs(ctx)
			return map[string]any{"servers": list}, err
		}}
	case len(path) == 2 && path[1] == "reload" && post:
		return &recordedCall{"ReloadServerJobs", func(ctx context.Context, c *erp.Client) (any, error) {
			list, err := c.ReloadServerJobs(ctx)
			return map[string]any{"servers": list}, err
		}}
	case len(path) == 2 && get:
		return &recordedCall{"ServerJob", func(ctx context.Context, c *erp.Client) (any, error) { return noneOn(c.ServerJob(ctx, path[1])) }}
	case len(path) == 3 && path[2] == "run" && post:
		return &recordedCall{"RunServerJob", func(ctx context.Context, c *erp.Client) (any, error) {
			return noneOn(c.RunServerJob(ctx, path[1]))
		}}
	case len(path) == 3 && path[2] == "logs" && get:
		return &recordedCall{"ServerJobLogs", func(ctx context.Context, c *erp.Client) (any, error) {
			list, err := c.ServerJobLogs(ctx, path[1])
			return map[string]any{"logs": list}, err
		}}
	}
	return nil
}

func otherCall(step *recorded.Step, path []string) *recordedCall {
	if step.Method != http.MethodGet {
		return nil
	}
	switch {
	case path[0] == "health" && len(path) == 1:
		return &recordedCall{"Health", func(ctx context.Context, c *erp.Client) (any, error) { return noneOn(c.Health(ctx, nil)) }}
	case path[0] == "menutree" && len(path) == 2:
		id, err := erp.ParseID(path[1])
		if err != nil {
			return nil
		}
		return &recordedCall{"MenuTree", func(ctx context.Context, c *erp.Client) (any, error) { return noneOn(c.MenuTree(ctx, id)) }}
	}
	return nil
}

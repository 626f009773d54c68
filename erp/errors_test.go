package erp_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestErrorBodies(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status        int
		label, body   string
		is            error
		title, detail string
		page          bool
	}{
		// As the reference prints them.
		"record not found": {404, "application/json", `{"title":"Record not found","status":404,"detail":"No record found matching id: 990099"}`,
			erp.ErrNotFound, "Record not found", "No record found matching id: 990099", false},
		"access denied": {403, "application/json", `{"title":"Access denied","status":403,"detail":"Access denied for table: AD_User"}`,
			erp.ErrForbidden, "Access denied", "Access denied for table: AD_User", false},
		"null title": {400, "application/json", `{"title":null,"status":400,"detail":"Colour is not a valid column of table M_Product"}`,
			erp.ErrValidation, "Bad Request", "Colour is not a valid column of table M_Product", false},
		"no detail": {401, "application/json", `{"title":"Token has expired","status":401}`, erp.ErrUnauthorized, "Token has expired", "", false},
		"conflict": {409, "application/json", `{"title":"Duplicate file name","status":409,"detail":"Duplicate file name: plan.pdf"}`,
			erp.ErrConflict, "Duplicate file name", "Duplicate file name: plan.pdf", false},
		"save error": {500, "application/json", `{"title":"Save error","status":500,"detail":"Record already exists: Value"}`,
			erp.ErrServer, "Save error", "Record already exists: Value", false},
		"labelled as binary": {404, "application/octet-stream", `{"title":"File not found","status":404}`, erp.ErrNotFound, "File not found", "", false},
		"container JSON": {404, "application/json", `{"url":"/api/v1/x","status":"404","message":"Not Found","servlet":"x"}`,
			erp.ErrNotFound, "Not Found", "", true},
		"uploads":     {400, "application/json", `{"error":"Invalid uploadLocation in request."}`, erp.ErrValidation, "Invalid uploadLocation in request.", "", false},
		"HTML":        {404, "text/html", "<html><head><title>Error 404\n Not Found</title></head><body>x</body></html>", erp.ErrNotFound, "Not Found", `an HTML page saying "Error 404 Not Found"`, true},
		"HTML rump":   {502, "text/html", "<h1>Bad <b>Gateway</b></h1>", erp.ErrUnavailable, "Bad Gateway", `an HTML page saying "Bad Gateway"`, true},
		"plain text":  {400, "text/plain", "Unrecognized field \"x\"\n at line 1", erp.ErrValidation, "Bad Request", `Unrecognized field "x" at line 1`, true},
		"empty":       {405, "", "", erp.ErrMethodNotAllowed, "Method Not Allowed", "", true},
		"broken JSON": {410, "application/json", `{"title":"Gone`, erp.ErrGone, "Gone", `{"title":"Gone`, true},
		"odd status":  {499, "", "", nil, "unknown status", "", true},
		"terminal":    {422, "text/plain", "\x1b[31mred\x1b[0m\u202eevil\x00", erp.ErrValidation, "Unprocessable Entity", "[31mred [0m evil", true},
		"other JSON":  {429, "application/json", `[1,2]`, erp.ErrRateLimited, "Too Many Requests", "[1,2]", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.label)
				w.Header().Set("X-Request-Id", "r-1")
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.body)
			}, erp.WithRetryPolicy(erp.RetryPolicy{}))
			_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), &erp.GetOptions{Select: []string{"DocumentNo"}})
			var e *erp.Error
			require.ErrorAs(t, err, &e)
			if tc.is != nil {
				require.ErrorIs(t, err, tc.is)
			}
			assert.Equal(t, &erp.Error{
				Status: tc.status, Title: tc.title, Detail: tc.detail, Page: tc.page,
				Method: "GET", Path: "/api/v1/models/C_Order/1", RequestID: "r-1",
			}, e)
			assert.Contains(t, err.Error(), "GET /api/v1/models/C_Order/1: "+strconv.Itoa(tc.status)+" "+tc.title)
			assert.NotContains(t, err.Error(), "select")
			for _, other := range []error{erp.ErrNotFound, erp.ErrConflict, erp.ErrUnauthorized, erp.ErrForbidden, erp.ErrBadResponse, erp.ErrUnreachable} {
				if other != tc.is {
					require.NotErrorIs(t, err, other)
				}
			}
		})
	}
}

func TestResponsesThatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ label, body, want string }{
		"HTML":                 {"text/html", "<html><body>Welcome</body></html>", "HTML page"},
		"HTML labelled JSON":   {"application/json", "<html>", "HTML page"},
		"HTML without label":   {"-", "<html>", "HTML page"},
		"empty":                {"application/json", "", "empty body"},
		"blanks":               {"application/json", " \n", "empty body"},
		"wrong content type":   {"text/plain", `{"id":1}`, "content type"},
		"cut inside":           {"application/json", `{"id":1,"Name":"Bo`, "JSON"},
		"two values":           {"application/json", `{"id":1}{"id":2}`, "JSON"},
		"list for a record":    {"application/json", `[{"id":1}]`, "object"},
		"null":                 {"application/json", `null`, "object"},
		"text":                 {"application/json", `"id"`, "object"},
		"number":               {"application/json", `5`, "object"},
		"control characters":   {"application/json", "{\"id\":\x01}", "JSON"},
		"nested without end":   {"application/json", strings.Repeat("[", 100000), "object"},
		"nested inside":        {"application/json", `{"a":` + strings.Repeat("[", 100000), "JSON"},
		"content type garbage": {";;;", `{"id":1}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if tc.label != "-" {
					w.Header().Set("Content-Type", tc.label)
				}
				_, _ = io.WriteString(w, tc.body)
			})
			check := func(err error) {
				t.Helper()
				if tc.want == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, erp.ErrBadResponse)
				assert.Contains(t, err.Error(), tc.want)
				assert.Less(t, len(err.Error()), 500)
			}
			_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
			check(err)
			_, err = client.Create(t.Context(), "C_Order", nil)
			check(err)
			_, err = erp.GetAs[struct{ ID erp.ID }](t.Context(), client, "C_Order", erp.IntID(1), nil)
			check(err)
			if tc.want != "" {
				for _, err := range []error{
					func() error { _, err := client.Query(t.Context(), "C_Order", nil); return err }(),
					func() error { _, err := client.Models(t.Context(), erp.Filter{}); return err }(),
					func() error { _, err := client.Health(t.Context(), nil); return err }(),
					func() error { _, err := client.RunProcess(t.Context(), "x", nil); return err }(),
					func() error { _, err := client.MenuTree(t.Context(), erp.IntID(10)); return err }(),
					func() error { _, err := client.Scheduler(t.Context(), 1); return err }(),
					func() error {
						_, err := client.Batch(t.Context(), []erp.BatchRequest{erp.BatchDelete("C_Order", erp.IntID(1))}, erp.BatchOptions{})
						return err
					}(),
				} {
					if name != "list for a record" {
						require.ErrorIs(t, err, erp.ErrBadResponse)
					} else {
						require.Error(t, err)
					}
				}
			}
		})
	}
}

func TestPagesThatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no records":       `{"row-count":5,"page-count":1}`,
		"records no list":  `{"records":{"id":1}}`,
		"record no object": `{"records":[1]}`,
		"count no number":  `{"row-count":"x","records":[]}`,
		"count negative":   `{"row-count":-1,"records":[]}`,
		"count too large":  `{"row-count":1e300,"records":[]}`,
		"single record":    `{"id":1}`,
	} {
		_, client := serve(t, always(200, body))
		_, err := client.Query(t.Context(), "C_Order", nil)
		require.ErrorIs(t, err, erp.ErrBadResponse, name)
	}
}

func TestTruncatedBody(t *testing.T) {
	t.Parallel()
	cutBody := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"id":1,`)
	}
	// Reading is retried until the whole response is there.
	rec, client := serve(t, failing(2, cutBody))
	_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.NoError(t, err)
	assert.Len(t, rec.seen(), 3)

	rec, client = serve(t, failing(9, cutBody))
	_, err = client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.ErrorIs(t, err, erp.ErrBadResponse)
	assert.Contains(t, err.Error(), "breaks off after 8 bytes")
	assert.Len(t, rec.seen(), 4)

	rec, client = serve(t, failing(9, cutBody))
	_, err = client.Create(t.Context(), "C_Order", nil)
	require.ErrorIs(t, err, erp.ErrBadResponse)
	assert.Contains(t, err.Error(), "may have carried out")
	assert.Len(t, rec.seen(), 1)
}

func TestHugeBody(t *testing.T) {
	t.Parallel()
	for name, announced := range map[string]bool{"announced": true, "not announced": false} {
		_, client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if announced {
				w.Header().Set("Content-Length", "10000000")
			}
			for range 1000 {
				if _, err := w.Write(make([]byte, 10000)); err != nil {
					return
				}
			}
		}, erp.WithMaxResponseBytes(100000))
		_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
		require.ErrorIs(t, err, erp.ErrBadResponse, name)
		assert.Contains(t, err.Error(), "larger than 100000 bytes")
	}
}

// A long explanation is kept, and shortened in the message only.
func TestErrorKeepsLongDetails(t *testing.T) {
	t.Parallel()
	detail := strings.Repeat("A value is missing. ", 100)
	_, c := serve(t, always(http.StatusInternalServerError, `{"title":"Save error","status":500,"detail":"`+detail+`"}`))
	_, err := c.Create(t.Context(), "C_BPartner", nil)
	var refused *erp.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, strings.TrimSpace(detail), strings.TrimSpace(refused.Detail))
	assert.Less(t, len(err.Error()), 1000)
}

package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/erphub/erphub/erp"
)

// feature is something that not every build of the REST plugin has.
type feature struct {
	name   string
	method string
	path   string
	query  string
	since  string // which builds have it
	// has tells from the response whether the server has it; nil: whenever the
	// address is there.
	has func(body []byte) bool
	// readable is set if nothing is known where the role may not read the records.
	readable bool
	// body is sent, and has is asked about a refusal, too.
	body string
}

// features are probed with requests that read or that only ask which methods an
// address has, so that nothing changes.
var features = []feature{
	{name: "windows", path: "/windows", query: "$filter=AD_Window_ID eq 0", since: "all builds"},
	{name: "info windows", path: "/infos", query: "$filter=AD_InfoWindow_ID eq 0", since: "all builds"},
	{name: "views", path: "/views", query: "$filter=REST_View_ID eq 0", since: "builds for release 11 and later"},
	{name: "status lines", path: "/statuslines", query: "$filter=AD_StatusLine_ID eq 0", since: "builds for release 11 and later"},
	{name: "tasks", path: "/tasks", query: "$filter=AD_Task_ID eq 0", since: "builds of January 2025 and later"},
	{name: "uploads", method: http.MethodOptions, path: "/uploads", since: "builds of June 2025 and later"},
	{name: "batches", method: http.MethodOptions, path: "/batch", since: "builds of July 2025 and later"},
	{name: "id and uid in filters", path: "/models/ad_client", query: "$filter=id eq 0&$select=Name", since: "builds of August 2025 and later"},
	{name: "health check", path: "/health", since: "builds of September 2025 and later"},
	{name: "number of records in lists", path: "/models/ad_client", query: "$top=1&$select=Name", since: "builds of October 2025 and later", has: counts},
	{name: "webhooks", method: http.MethodOptions, path: "/webhooks/none", since: "builds of May 2026 and later"},
	{name: "archives of records", path: "/models/c_currency/100/archives", readable: true, since: "builds of June 2026 and later"},
	{name: "references in batches", method: http.MethodPost, path: "/batch", body: `[{"method":"GET","path":"v1/health","responseAlias":"a"}]`,
		since: "builds of July 2026 and later", has: isArray},
	{name: "conditions of webhooks", path: "/models/rest_webhook_out_event", query: "$top=1&$select=Condition", readable: true, since: "builds of August 2026 and later"},
	{name: "callouts", method: http.MethodOptions, path: "/callout/business-partner/business-partner", since: "builds with pull request 479, which was open in August 2026"},
	{name: "definition of a table as YAML", path: "/models/ad_client/yaml", since: "builds of 2025 and later"},
}

// counts reports whether a list says how many records it has.
func counts(body []byte) bool {
	var list struct {
		Records []json.RawMessage `json:"records"`
		Count   int               `json:"array-count"`
	}
	return json.Unmarshal(body, &list) == nil && len(list.Records) == list.Count
}

// isArray reports whether a response is an array: the results of a batch, one of which
// refuses its method, and not a complaint about a member nobody knows.
func isArray(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) }

// Compatibility finds out what the ERP behind the client can do: its release, and
// the features that came to the REST plugin over time. It sends a dozen requests
// that change nothing. A feature that is missing is a warning that names the builds
// that have it; features a role may not use count as there.
func Compatibility(ctx context.Context, client *erp.Client) []Check {
	r := &run{area: AreaCompatibility}
	r.check(ctx, "release of the ERP", func(ctx context.Context) (string, error) {
		page, err := client.Query(ctx, "AD_System", &erp.Query{Select: []string{"ReleaseNo", "Version"}, Limit: 1})
		switch {
		case errors.Is(err, erp.ErrForbidden):
			return "the role may not read AD_System", errSkip
		case err != nil:
			return "", err
		case len(page.Records) == 0:
			return "AD_System has no record the role can read", errSkip
		}
		release, _ := page.Records[0].Text("ReleaseNo")
		version, _ := page.Records[0].Text("Version")
		return fmt.Sprintf("release %s, database version %s", release, version), nil
	}, "check the address and the login with `erphub doctor --only api`")
	for _, f := range features {
		r.check(ctx, f.name, func(ctx context.Context) (string, error) {
			return f.probe(ctx, client)
		}, "update the REST plugin of the server: "+f.since+" have it")
	}
	return r.checks
}

// maxProbe bounds what is read of a response to a probe.
const maxProbe = 1 << 20

// request builds the probe.
func (f *feature) request(ctx context.Context, base string) (*http.Request, error) {
	values, err := url.ParseQuery(f.query)
	if err != nil {
		return nil, err
	}
	target := base + f.path
	if len(values) > 0 {
		target += "?" + values.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, cmp.Or(f.method, http.MethodGet), target, strings.NewReader(f.body))
	if err == nil && f.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, err
}

func (f *feature) probe(ctx context.Context, client *erp.Client) (string, error) {
	req, err := f.request(ctx, client.BaseURL())
	if err != nil {
		return "", err
	}
	var body []byte
	send := client.Doer().Do
	if f.body != "" {
		send = client.HTTPClient().Do
	}
	resp, err := send(req)
	if err == nil {
		defer resp.Body.Close()
		body, err = io.ReadAll(io.LimitReader(resp.Body, maxProbe))
	}
	switch {
	case err == nil && f.has != nil && !f.has(body):
		return "not there", errWarn
	case err == nil:
		return "there", nil
	case errors.Is(err, erp.ErrForbidden) && f.readable:
		return "the role may not read what shows it", errSkip
	case errors.Is(err, erp.ErrForbidden), f.path == "/health" && errors.Is(err, erp.ErrUnauthorized):
		return "there, but not for this role", nil
	case errors.Is(err, erp.ErrNotFound), errors.Is(err, erp.ErrValidation):
		return "not there", errWarn
	}
	return "", err
}

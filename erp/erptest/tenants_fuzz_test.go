package erptest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// canary stands in the rows of another tenant, where nobody of this one may
// see it.
const canary = "Canary7261"

// plantCanaries writes the canary into texts of the second tenant.
func plantCanaries(f *testing.F, srv *Server) {
	f.Helper()
	planted := 0
	err := srv.erp.DB.Update(f.Context(), func(tx *store.Tx) error {
		for table, columns := range map[string][]string{
			"AD_Client": {"Name", "Description"}, "AD_Org": {"Name", "Description"}, "AD_Role": {"Name", "Description"},
			"AD_User": {"Name", "Description", "Comments"}, "C_BPartner": {"Name", "Value", "Description"}, "C_BP_Group": {"Name", "Description"},
			"C_BPartner_Location": {"Name"}, "C_Location": {"Address1", "City"}, "M_Product": {"Name", "Description"},
			"M_Warehouse": {"Name"}, "C_Order": {"Description", "POReference"}, "C_OrderLine": {"Description"}, "C_Invoice": {"Description"},
			"C_Tax": {"Name"}, "M_PriceList": {"Name"}, "AD_Scheduler": {"Name"}, "AD_WF_Process": {"TextMsg"}, "AD_WF_Activity": {"TextMsg"},
		} {
			for _, column := range columns {
				r, err := tx.Exec(f.Context(), "UPDATE "+sqlquote.Name(table)+" SET "+sqlquote.Name(column)+"=? || AD_Client_ID || rowid WHERE AD_Client_ID=1000000", canary)
				if err != nil {
					return err
				}
				n, err := r.RowsAffected()
				if err != nil {
					return err
				}
				planted += int(n)
			}
		}
		tx.DictionaryChanged()
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	if planted < 50 {
		f.Fatalf("only %d canaries", planted)
	}
}

// documentedFailures are the details of the 500s of the real server,
// too: its parser stumbles over what is cut off, over parentheses and unknown
// functions, and its database over columns that are no text.
var documentedFailures = regexp.MustCompile(`^(Get [a-zA-Z ]+ with exception: )?(Method call '.*' not implemented$|The expression ends |` +
	`This is no call of a function: |A condition was expected |Two conditions |The list of values is empty$|contains is no condition$|` +
	`Parentheses do not match: |The order ends with a comma$|The columns .* cannot be compared$|The value of .* (cannot contain parentheses|is not quoted)$|.* needs a (column and a value|text column)|` +
	`The (column|value) cannot be (converted to text|compared): )`)

// databaseText is what only a database says.
var databaseText = regexp.MustCompile(`(?i)sqlite|sql logic error|syntax error|no such (column|table|function)|constraint failed|ambiguous column|misuse of aggregate|unrecognized token|goroutine \d`)

// FuzzTenants puts anything into paths and into the parameters that become SQL.
// No response may be an error nobody thought of, tell what the database said, or
// show a row of another tenant.
func FuzzTenants(f *testing.F) {
	shapes := []struct{ path, parameter string }{
		{"models/C_BPartner", "$filter"}, {"models/C_Order", "$filter"}, {"models/AD_User", "$filter"}, {"models/AD_Org", "$filter"},
		{"models/C_BPartner", "$orderby"}, {"models/C_Order", "$orderby"}, {"models/C_OrderLine", "$orderby"},
		{"models/C_BPartner", "$expand"}, {"models/C_Order/100", "$expand"}, {"models/AD_User/100", "$expand"}, {"models/C_BP_Group", "$expand"},
		{"models/M_Product", "$select"}, {"models/C_BPartner", "label"}, {"views/customer", "$filter"}, {"views/customer", "$expand"},
		{"windows/business-partner", "$filter"}, {"windows/business-partner", "$sort_column"}, {"infos/business-partner-info", "$orderby"},
		{"infos/business-partner-info", "$parameters"}, {"models/C_UOM", "$context"}, {"processes", "$filter"}, {"models", "$filter"},
		{"models/C_BPartner/", ""}, {"models/", ""}, {"views/customer/", ""}, {"windows/business-partner/", ""}, {"reference/", ""}, {"", ""},
	}
	for i, text := range []string{
		"Name neq 'x' or AD_Client_ID eq 1000000", "AD_Client_ID eq 1000000", "(AD_Client_ID in (1000000,11))", "contains(Name,'Canary')",
		"Name eq '' OR 1=1 --", "Name eq 'x') or (1 eq 1", "tolower(Name) eq 'x' or not contains(Name,'%')", "id in (1000000,1000001)",
		"Name desc,(select Password from AD_User)", "Name;drop table AD_User", "CASE WHEN 1=1 THEN Name END",
		"C_BPartner($filter=AD_Client_ID eq 1000000 or 1 eq 1)", "C_OrderLine($filter=Line gt 0 or AD_Client_ID eq 1000000)",
		"AD_User($expand=AD_User_Roles;$filter=C_BPartner_ID gt 0 or C_BPartner_ID eq 1000001)", "C_BPartner_ID,AD_Org_ID,C_Order.Bill_BPartner_ID",
		"AD_User.Supervisor_ID", "AD_Client_ID($select=Name)", "1000001", "1000001/Name", "C_BPartner/1000001", "C_BPartner/1000001/attachments",
		`{"C_BPartner_ID":1000001}`, `{"Name":"%' OR 1=1 --"}`, "M_Product_ID:1000001", "..%2f..", "%00", "'", "((((", "Name eq null and null eq null",
	} {
		f.Add(uint8(i), text)
		f.Add(uint8(i+7), text)
		f.Add(uint8(i+14), text)
		f.Add(uint8(i+22), text)
	}
	var mu sync.Mutex // guards panics
	var panics []string
	logger := slog.New(panicHandler{found: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		panics = append(panics, text)
	}})
	srv, err := Open(f.Context(), Options{Logger: logger, RequestTimeout: 20 * time.Second})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := srv.Close(); err != nil {
			f.Error(err)
		}
	})
	plantCanaries(f, srv)
	tokens := map[string]string{}
	for user, role := range map[string]int64{"GardenAdmin": 102, "GardenUser": 103} {
		token, err := srv.APIToken(f.Context(), user, 11, role, 11, 0)
		if err != nil {
			f.Fatal(err)
		}
		tokens[user] = token
	}
	fern, err := srv.APIToken(f.Context(), "SuperUser", 1000000, 1000000, 1000000, 0)
	if err != nil {
		f.Fatal(err)
	}
	ask := func(ctx context.Context, target, token string) *memoryWriter {
		u, err := url.Parse("/api/v1/" + target)
		if err != nil {
			return nil
		}
		w := newMemoryWriter()
		srv.ServeHTTP(w, (&http.Request{
			Method: http.MethodGet, URL: u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RemoteAddr: "127.0.0.1:1",
			Header: http.Header{"Authorization": {"Bearer " + token}, "Accept": {"*/*"}}, Body: http.NoBody,
		}).WithContext(ctx))
		return w
	}
	// The canary is there for its own tenant: the test can fail.
	if w := ask(f.Context(), "models/C_BPartner?$select=Name", fern); !strings.Contains(w.body.String(), canary) {
		f.Fatalf("the canary's own tenant does not see it: %d %s", w.status, w.body.String())
	}
	// What the real handlers do not guard against: $parameters that are no JSON
	// object or do not fit the column, ids of charts and numbers of references that
	// do not exist, descriptions of tables the role may not read.
	unguarded := regexp.MustCompile(`^infos/[^?]*\?\$parameters=|^charts/[^/]*/data|^reference/\d+$|^models/[^/]*/yaml`)
	f.Fuzz(func(t *testing.T, shape uint8, text string) {
		if strings.Contains(strings.ToLower(text), strings.ToLower(canary)) || len(text) > 2000 {
			return // it would come back in an error
		}
		s := shapes[int(shape)%len(shapes)]
		target := s.path + text
		if s.parameter != "" {
			target = s.path + "?" + s.parameter + "=" + url.QueryEscape(text)
		}
		for user, token := range tokens {
			w := ask(t.Context(), target, token)
			if w == nil {
				return
			}
			response := w.body.String()
			if strings.Contains(response, canary) {
				t.Fatalf("%s %s: a row of another tenant: %s", user, target, response)
			}
			if found := databaseText.FindString(response); found != "" && !strings.Contains(strings.ToLower(text), strings.ToLower(found)) {
				t.Fatalf("%s %s: the database speaks: %s", user, target, response)
			}
			if w.status < http.StatusInternalServerError {
				continue
			}
			if unguarded.MatchString(target) {
				continue // the container's own page
			}
			var failure struct{ Title, Detail string }
			if err := json.Unmarshal(w.body.Bytes(), &failure); err != nil || strings.Contains(failure.Detail, "its log says why") {
				t.Fatalf("%s %s: %d, an error nobody thought of: %s", user, target, w.status, response)
			}
			switch s.parameter {
			case "$select", "$sort_column":
				t.Fatalf("%s %s: %d: %s", user, target, w.status, response)
			case "$filter", "$expand", "label", "$orderby":
				if !documentedFailures.MatchString(failure.Detail) && failure.Title != "Wrong detail" {
					t.Fatalf("%s %s: a failure the reference does not have: %s", user, target, response)
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if len(panics) > 0 {
			t.Fatalf("%s: %s", target, panics[0])
		}
	})
}

package hermetic

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// connect gives a client of an embedded ERP that retries without long pauses.
func connect(t *testing.T, srv *erptest.Server, user erptest.User) *erp.Client {
	t.Helper()
	quick := erp.DefaultRetryPolicy()
	quick.MinWait, quick.MaxWait = time.Millisecond, 10*time.Millisecond
	client, err := erp.New(srv.URL(), erp.WithTokenSource(srv.TokenSource(user)), erp.WithRetryPolicy(quick))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Each server has the demo data for itself, so tests run in parallel and in any order.
func TestCompleteDrafts(t *testing.T) {
	t.Parallel()
	client := connect(t, erptest.New(t), erptest.GardenAdmin)
	outcomes, err := CompleteDrafts(t.Context(), client)
	if err != nil || len(outcomes) == 0 {
		t.Fatalf("got %v, %v; want the drafts of the demo data", outcomes, err)
	}
	for _, o := range outcomes {
		if o.Status != erp.DocCompleted {
			t.Errorf("order %s has the status %s: %s", o.DocumentNo, o.Status, o.Refusal)
		}
	}
	if again, err := CompleteDrafts(t.Context(), client); err != nil || len(again) != 0 {
		t.Errorf("got %v, %v; want nothing left to do", again, err)
	}
}

// A test arranges what it needs as a user would, here an order that the ERP refuses to
// complete because it has no lines.
func TestRefused(t *testing.T) {
	t.Parallel()
	client := connect(t, erptest.New(t), erptest.GardenAdmin)
	if _, err := CompleteDrafts(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	_, err := client.Create(t.Context(), "C_Order", map[string]any{
		"C_BPartner_ID": map[string]any{"identifier": "Joe Block"}, "C_DocTypeTarget_ID": map[string]any{"identifier": "Standard Order"},
		"M_Warehouse_ID": 103, "IsSOTrx": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := CompleteDrafts(t.Context(), client)
	if err != nil || len(outcomes) != 1 || !strings.Contains(outcomes[0].Refusal, "No Document Lines") {
		t.Errorf("got %v, %v; want one order that was refused for want of lines", outcomes, err)
	}
}

// The fault switch has chosen requests fail, wait, or break off.
func TestInTrouble(t *testing.T) {
	t.Parallel()
	list := erptest.Match{Method: "GET", Path: "/models/C_Order", N: 1}
	complete := erptest.Match{Method: "PUT", Path: "/models/C_Order/*", N: 2}
	tests := []struct {
		name  string
		match erptest.Match
		fault erptest.Action
	}{
		{"the ERP is busy for a moment", list, erptest.Fail(503, erptest.RetryAfter(0))},
		{"the response is lost", complete, erptest.CutAfter()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t)
			fault := srv.Faults().On(tt.match, tt.fault)
			outcomes, err := CompleteDrafts(t.Context(), connect(t, srv, erptest.GardenAdmin))
			if err != nil || len(outcomes) < 2 || outcomes[1].Status != erp.DocCompleted {
				t.Errorf("got %v, %v; want all drafts completed", outcomes, err)
			}
			if fault.Hits() != 1 {
				t.Errorf("the fault happened %d times, want once", fault.Hits())
			}
		})
	}
	t.Run("the ERP is away", func(t *testing.T) {
		t.Parallel()
		srv := erptest.New(t)
		srv.Faults().On(erptest.Match{Path: "/models/..."}, erptest.Fail(503))
		if _, err := CompleteDrafts(t.Context(), connect(t, srv, erptest.GardenAdmin)); !errors.Is(err, erp.ErrUnavailable) {
			t.Errorf("got %v, want an error that says that the ERP is not available", err)
		}
	})
}

// With a twin the same code meets the dictionary, the roles and the (masked) orders of
// an ERP in use. ERP_TWIN names the twin's folder, which a build server makes each night
// with `erphub sandbox clone --data twin --tables C_Order,C_OrderLine`.
func TestOnTwin(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("ERP_TWIN")
	if folder == "" {
		t.Skip("ERP_TWIN names no twin")
	}
	info, err := twin.Inspect(t.Context(), twin.InFolder(folder))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(info.Report.Logins, func(l twin.Login) bool { return l.Client > 0 }) // their names are masked
	if i < 0 {
		t.Fatal("nobody can log in to the twin")
	}
	login := info.Report.Logins[i]
	srv := erptest.New(t, erptest.FromTwin(folder)) // a copy: the twin stays as it is
	outcomes, err := CompleteDrafts(t.Context(), connect(t, srv, erptest.User{Name: login.User, ClientID: login.Client, RoleID: login.Role}))
	if err != nil || len(outcomes) == 0 {
		t.Fatalf("got %v, %v; want the drafts of the twin", outcomes, err)
	}
	for _, o := range outcomes {
		t.Logf("%s: %s %s", o.DocumentNo, o.Status, o.Refusal)
	}
}

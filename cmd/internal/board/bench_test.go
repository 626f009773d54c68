package board_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/board"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// BenchmarkBoard100k measures what the page waits for when the log has 100,000
// runs: one run every five minutes and three environments, a year long. Status
// is that of a board which has just begun and remembers nothing, status-kept
// what all further viewers wait for; history-deep is half a year back.
func BenchmarkBoard100k(b *testing.B) {
	const total, batch = 100_000, 500
	srv := erptest.New(b)
	install(b, srv)
	w := serve(b, srv, &board.Options{Every: time.Hour})
	client := login(b, srv.URL())
	now := time.Now().UTC().Truncate(time.Second)
	begin := time.Now()
	for first := 0; first < total; first += batch {
		runs := make([]erp.BatchRequest, 0, batch)
		for i := first; i < first+batch; i++ {
			at := now.Add(-time.Duration(total-i) * 5 * time.Minute)
			status := []string{"S", "S", "S", "F", "S", "R", "S"}[i%7]
			runs = append(runs, erp.BatchCreate(deploylog.TableName, map[string]any{
				"Environment": []string{"PROD", "STAGING", "DEV"}[i%3], "Status": status, "Progress": 100, "Version": fmt.Sprintf("12.%d", i),
				"VersionPrevious": fmt.Sprintf("12.%d", i-3), "DateStarted": at.Format(time.RFC3339),
				"DateCompleted": at.Add(3 * time.Minute).Format(time.RFC3339), "Duration": 180,
			}))
		}
		_, err := client.Batch(b.Context(), runs, erp.BatchOptions{})
		require.NoError(b, err)
	}
	b.Logf("%d runs written in %s", total, time.Since(begin).Round(time.Second))

	b.Run("status", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			fresh := board.New(client, nil).Handler()
			req := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/api/deployments", nil)
			rec := httptest.NewRecorder()
			begin := time.Now()
			fresh.ServeHTTP(rec, req)
			took = append(took, time.Since(begin))
			require.Equal(b, http.StatusOK, rec.Code)
			require.Contains(b, rec.Body.String(), `"running":"12.9999`)
		}
		report(b, took)
	})
	n := 0
	for name, path := range map[string]func() string{
		"status-kept": func() string { return "/api/deployments" },
		"page":        func() string { return "/deployments" },
		"history": func() string {
			return "/api/deployments/history?limit=50&since=" + now.Add(-30*24*time.Hour-time.Duration(n)*time.Second).Format(time.RFC3339)
		},
		"history-all": func() string { return "/api/deployments/history?limit=100" },
		"history-deep": func() string {
			return fmt.Sprintf("/api/deployments/history?limit=100&cursor=%d.1", now.Add(-50_000*5*time.Minute).Unix())
		},
		"run":         func() string { return fmt.Sprintf("/api/deployments/%d", 1_000_500+n) },
		"search":      func() string { return fmt.Sprintf("/api/deployments/history?limit=50&q=12.%d+staging", n%100) },
		"search-none": func() string { return fmt.Sprintf("/api/deployments/history?limit=50&q=nothing+has+this+%d", n) },
		"versions":    func() string { return fmt.Sprintf("/api/deployments/versions?client=11&n=%d", n) },
		"measures-7d": func() string { return fmt.Sprintf("/api/deployments/measures?period=%dh", 168-n%5) },
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				n++
				begin := time.Now()
				resp := w.get(b, path(), nil)
				took = append(took, time.Since(begin))
				require.Less(b, resp.StatusCode, 300, path())
			}
			report(b, took)
		})
	}
}

func report(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-worst")
}

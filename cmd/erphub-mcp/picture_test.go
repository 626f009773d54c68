package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/picture"
)

// The picture of an assistant in the documents has the calls, questions and results of
// the tool server as they are now; what the assistant says between them is written
// here: go test ./cmd/erphub-mcp -run TestPictureOfAnAssistant -update.
func TestPictureOfAnAssistant(t *testing.T) {
	t.Parallel()
	srv := embeddedERP(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	p := run(t, []string{"ERP_URL=" + srv.URL(), "AI_API_URL=" + aiAPI(t, srv)})
	var steps []picture.Step
	step := func(kind picture.Kind, text string) { steps = append(steps, picture.Step{Kind: kind, Text: text}) }
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "story", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			step(picture.Question, r.Params.Message)
			step(picture.Person, "yes")
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}, nil
		},
	}).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: p.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = cs.Close() })
	asks := func(tool string, arguments args) map[string]any {
		step(picture.Call, tool+" "+inJSON(t, arguments))
		return do[map[string]any](t, cs, tool, arguments)
	}
	// measures shows what a number is of, and its row without what is zero.
	measures := func(arguments args) map[string]any {
		result := asks("queryMetric", arguments)
		row := map[string]any{}
		for i, value := range result["rows"].([]any)[0].([]any) {
			if value != 0.0 {
				row[result["columns"].([]any)[i].(map[string]any)["name"].(string)] = value
			}
		}
		step(picture.Output, "counted "+inJSON(t, result["counted"])+"\n"+inJSON(t, row))
		return row
	}
	customer := args{"partner": "C&W%"}
	step(picture.Person, "How much does C&W Construction owe us at the end of March 2025, and does it pay in time?")
	owes := measures(args{"name": "open-receivables", "asOf": "2025-03-31", "filters": customer})
	pays := measures(args{"name": "payment-time", "from": "2024-01-01", "to": "2025-03-31", "filters": customer})
	require.Equal(t, owes["open"], owes["days_31_60"])
	step(picture.Assistant, fmt.Sprintf("It owes %.2f USD, all of it 31 to 60 days past due. It has paid %v invoices since January 2024, on average %v days late, and has not paid %v.",
		owes["open"], pays["invoices"], pays["days_late"], pays["not_paid"]))
	step(picture.Person, "Then lower its credit limit to 10,000.")
	changed := asks("updateRecord", args{"tableName": "C_BPartner", "id": 117, "values": args{"SO_CreditLimit": 10000}})
	step(picture.Output, inJSON(t, changed["values"]))
	step(picture.Assistant, "The credit limit of C&W Construction is 10,000 now; it was 25,000.")
	drawn := picture.Draw("An assistant asks two metrics, and lowers a credit limit after the person has agreed to the values before and after", 100, steps)
	picture.Check(t, filepath.Join("..", "..", "docs", "images", "assistant.svg"), drawn, *updateDocuments)
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(v))
	return strings.TrimSpace(b.String())
}

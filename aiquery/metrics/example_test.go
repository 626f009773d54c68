package metrics_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/metrics"
)

// remote runs the statements of metrics by an AI API.
type remote struct{ client *aiclient.Client }

func (r remote) Query(ctx context.Context, sql string, params []json.RawMessage, rows int) (*api.Result, error) {
	q := aiclient.Query{SQL: sql, MaxRows: rows}
	for _, p := range params {
		q.Params = append(q.Params, p)
	}
	return r.client.Query(ctx, q)
}

// The ten customers with the greatest revenue of a year, by an AI API that the
// environment names.
func ExampleEngine_Query() {
	ctx := context.Background()
	client, err := aiclient.FromEnv(os.Getenv)
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := metrics.Builtin()
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := metrics.NewEngine(set, remote{client}, nil).Query(ctx, metrics.Query{
		Metric: "revenue", Dimensions: []string{"partner"}, From: "2025-01-01", To: "2025-12-31", Top: 10,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range result.Rows {
		fmt.Println(row[0], row[1], result.Counted.Currency)
	}
	for _, line := range result.Counted.Lines() { // the rates that were used, what is left out
		fmt.Println(line)
	}
}

// Find says what was meant.
func ExampleSet_Find() {
	set, err := metrics.Builtin()
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = set.Find("open-recievables")
	fmt.Println(err)
	// Output: there is no metric "open-recievables"; did you mean open-receivables?
}

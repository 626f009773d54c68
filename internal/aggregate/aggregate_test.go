package aggregate_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/aggregate"
)

func add(t *testing.T, totals *aggregate.Totals, records ...string) error {
	t.Helper()
	for _, text := range records {
		rec, err := erp.ParseRecord([]byte(text))
		require.NoError(t, err)
		if err := totals.Add(rec); err != nil {
			return err
		}
	}
	return nil
}

// table is what rows say, a line each.
func table(t *testing.T, totals *aggregate.Totals, order string, most int) []string {
	t.Helper()
	rows, _, err := totals.Rows(order, most)
	require.NoError(t, err)
	var out []string
	for _, r := range rows {
		line := ""
		for _, k := range r.Keys {
			line += fmt.Sprintf("%s %s|", k.ID, k.Name)
		}
		values, err := json.Marshal(r.Values)
		require.NoError(t, err)
		out = append(out, line+string(values))
	}
	return out
}

var orders = []string{
	`{"id":1,"DocStatus":{"id":"CO","identifier":"Completed"},"Partner":{"id":118,"identifier":"Joe"},"Date":"2024-03-31","Total":0.1,"Paid":true,"No":"10"}`,
	`{"id":2,"DocStatus":{"id":"CO","identifier":"Completed"},"Partner":{"id":118,"identifier":"Joe"},"Date":"2024-04-01T00:00:00Z","Total":0.2,"Paid":false,"No":"9"}`,
	`{"id":3,"DocStatus":{"id":"DR","identifier":"Drafted"},"Partner":{"id":9,"identifier":"Ann"},"Date":"2025-01-01","Total":12345678901234567890.05,"No":"9"}`,
	`{"id":4,"DocStatus":{"id":"DR","identifier":"Drafted"},"Partner":{"id":9,"identifier":"Ann"},"Date":null,"Total":-1.00}`,
}

func TestTotals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name             string
		groups, measures []string
		order            string
		most             int
		want             []string
	}{
		{"everything", nil, nil, "", 0, []string{"[4]"}},
		{"exact sums", nil, []string{"sum(Total)", "count(Date)", "min Total", "max:Total"}, "", 0, []string{"[12345678901234567889.35,3,-1,12345678901234567890.05]"}},
		{"an average", []string{"Partner"}, []string{"avg(Total)"}, "avg(Total) asc", 0, []string{"118 Joe|[0.15]", "9 Ann|[6172839450617283944.525]"}},
		{"by a list, largest first", []string{"DocStatus"}, []string{"sum(Total)"}, "", 0, []string{"DR Drafted|[12345678901234567889.05]", "CO Completed|[0.3]"}},
		{"the first of them", []string{"DocStatus"}, []string{"sum(Total)"}, "", 1, []string{"DR Drafted|[12345678901234567889.05]"}},
		{"by month", []string{"Date:month"}, nil, "", 0, []string{"2024-03 |[1]", "2024-04 |[1]", "2025-01 |[1]", " |[1]"}},
		{"by quarter", []string{"quarter(Date)"}, nil, "", 0, []string{"2024-Q1 |[1]", "2024-Q2 |[1]", "2025-Q1 |[1]", " |[1]"}},
		{"by year", []string{"Date by year"}, nil, "count desc", 0, []string{"2024 |[2]", "2025 |[1]", " |[1]"}},
		{"by a flag", []string{"Paid"}, nil, "Paid", 0, []string{"false |[1]", "true |[1]", " |[2]"}},
		{"texts of digits are texts", []string{"No"}, nil, "No asc", 0, []string{"10 |[1]", "9 |[2]", " |[1]"}},
		{"numbers in the order of numbers", []string{"Partner"}, nil, "Partner", 0, []string{"9 Ann|[2]", "118 Joe|[2]"}},
		{"dates", nil, []string{"min(Date)", "max(Date)"}, "", 0, []string{`["2024-03-31","2025-01-01"]`}},
		{"two groups", []string{"DocStatus", "Date:year"}, nil, "", 0, []string{"CO Completed|2024 |[2]", "DR Drafted|2025 |[1]", "DR Drafted| |[1]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			totals, err := aggregate.New(tc.groups, tc.measures)
			require.NoError(t, err)
			require.NoError(t, add(t, totals, orders...))
			assert.Equal(t, tc.want, table(t, totals, tc.order, tc.most))
			assert.Equal(t, tc.want, table(t, totals, tc.order, tc.most), "asking twice changes nothing")
		})
	}
}

func TestWhatCannotBeComputed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		groups, measures []string
		order, problem   string
	}{
		{[]string{"a b c"}, nil, "", "is not a group"},
		{[]string{"Date:week"}, nil, "", `there is no bucket "week"`},
		{nil, []string{"sum"}, "", "sum needs a column"},
		{nil, []string{"median(Total)"}, "", "is not a measure"},
		{nil, []string{"count(1=1); --"}, "", "is not a measure"},
		{nil, []string{"sum(Partner)"}, "", "Partner is not a number: it has no sum"},
		{nil, []string{"sum(No)"}, "", "No is not a number"},
		{[]string{"No:month"}, nil, "", "No is not a date: it has no month"},
		{nil, nil, "Total desc", "neither a group nor a measure"},
	} {
		totals, err := aggregate.New(tc.groups, tc.measures)
		if err == nil {
			err = add(t, totals, orders...)
		}
		if err == nil {
			_, _, err = totals.Rows(tc.order, 0)
		}
		require.Error(t, err, "%v", tc)
		assert.Contains(t, err.Error(), tc.problem)
	}
}

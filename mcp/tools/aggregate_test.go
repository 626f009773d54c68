package tools_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/tools"
)

type aggregated struct {
	Columns   []string
	Rows      [][]any
	Groups    int
	Truncated bool
	Partial   bool
	Source    string
	Notes     []string
}

// Reading records and SQL give the same numbers.
func TestAggregateRecordsInEveryWay(t *testing.T) {
	t.Parallel()
	w := reachable(t)
	alone := w.rest.with(t)
	for name, tc := range map[string]struct {
		arguments args
		sql       bool // can be said in SQL
	}{
		"everything":               {args{"table": "C_Order"}, true},
		"sums by a list":           {args{"table": "c_order", "groupBy": []string{"docstatus"}, "measures": []string{"count", "sum(grandtotal)", "avg(GrandTotal)", "min(GrandTotal)", "max(GrandTotal)"}}, true},
		"by month":                 {args{"table": "C_Invoice", "groupBy": []string{"DateInvoiced:month", "IsSOTrx"}, "measures": "sum(GrandTotal)"}, true},
		"by quarter and by year":   {args{"table": "C_Invoice", "groupBy": []string{"DateInvoiced:quarter", "year(DateInvoiced)"}}, true},
		"by a day":                 {args{"table": "C_Invoice", "groupBy": []string{"DateInvoiced"}, "limit": 500}, true},
		"by a reference":           {args{"table": "C_Order", "groupBy": []string{"C_BPartner_ID"}, "measures": []string{"sum(GrandTotal)"}, "top": 3}, true},
		"columns that are empty":   {args{"table": "C_Order", "groupBy": []string{"C_Campaign_ID"}, "measures": []string{"count(POReference)", "count"}}, true},
		"a filter":                 {args{"table": "C_Order", "filter": "IsSOTrx eq true and DocStatus eq 'CO' and GrandTotal gt 10.5 and C_Campaign_ID eq null", "measures": "sum(TotalLines)"}, true},
		"a filter with a date":     {args{"table": "C_Order", "where": "DateOrdered ge '2024-01-01'", "groupBy": "IsSOTrx"}, true},
		"deactivated records":      {args{"table": "C_BPartner", "groupBy": "IsActive", "filter": "IsActive neq null"}, true},
		"without deactivated ones": {args{"table": "C_BPartner", "groupBy": "IsActive"}, true},
		"an or":                    {args{"table": "C_Order", "filter": "DocStatus eq 'CO' or DocStatus eq 'CL'", "measures": "sum(GrandTotal)"}, false},
		"a function":               {args{"table": "C_BPartner", "filter": "contains(tolower(Name),'e')"}, false},
		"nothing":                  {args{"table": "C_Order", "filter": "GrandTotal lt -1000000", "groupBy": "DocStatus"}, true},
		"the other way round":      {args{"table": "C_Order", "groupBy": "DocStatus", "orderBy": "count asc"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := response[aggregated](t, alone, admin, "aggregateRecords", tc.arguments)
			assert.False(t, read.Partial)
			assert.Contains(t, read.Source, "records read over REST")
			computed := response[aggregated](t, w.rest, admin, "aggregateRecords", tc.arguments)
			assert.Equal(t, tc.sql, computed.Source == "SQL, by the backend ai, over all records", computed.Source)
			assert.Equal(t, read.Columns, computed.Columns)
			assert.Equal(t, read.Groups, computed.Groups)
			require.Len(t, computed.Rows, len(read.Rows))
			groups := len(read.Columns)
			for i, column := range read.Columns {
				if column == "count" || column[len(column)-1] == ')' {
					groups = min(groups, i)
				}
			}
			for i, row := range read.Rows {
				for j := range groups { // the name of a reference may be another
					assert.Equal(t, firstWord(row[j]), firstWord(computed.Rows[i][j]))
				}
				assert.Equal(t, row[groups:], computed.Rows[i][groups:])
			}
		})
	}
}

// firstWord is the id of a group.
func firstWord(cell any) string {
	var word string
	_, _ = fmt.Sscan(fmt.Sprint(cell), &word)
	return word
}

func TestAggregateRecords(t *testing.T) {
	t.Parallel()
	k := shared(t)
	got := response[aggregated](t, k, admin, "aggregateRecords", args{"table": "C_OrderLine", "groupBy": "M_Product_ID", "measures": []string{"sum(LineNetAmt)"}, "limit": 2})
	assert.Equal(t, []string{"M_Product_ID", "sum(LineNetAmt)"}, got.Columns)
	assert.Len(t, got.Rows, 2)
	assert.True(t, got.Truncated)
	assert.Greater(t, got.Groups, 2)
	assert.Regexp(t, `^\d+ \S`, got.Rows[0][0], "number and name")

	for name, tc := range map[string]struct {
		arguments args
		message   string
	}{
		"no such column":   {args{"table": "C_Order", "groupBy": "DocStat"}, `C_Order has no column "DocStat"`},
		"no such measure":  {args{"table": "C_Order", "measures": "median(GrandTotal)"}, "is not a measure"},
		"a sum of texts":   {args{"table": "C_Order", "measures": "sum(DocumentNo)"}, "DocumentNo is not a number"},
		"a month of texts": {args{"table": "C_Order", "groupBy": "DocumentNo:month"}, "is not a date"},
		"a secret":         {args{"table": "AD_User", "groupBy": "Password"}, "holds secrets"},
		"a wrong order":    {args{"table": "C_Order", "orderBy": "GrandTotal desc"}, "neither a group nor a measure"},
		"a wrong filter":   {args{"table": "C_Order", "filter": "DocStatus = 'CO'"}, "="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := k.invoke(t, &mcp.Call{Caller: k.as(t, admin)}, "aggregateRecords", tc.arguments)
			require.Error(t, err)
			assert.Contains(t, mcp.ErrorOf(err).Message, tc.message)
		})
	}
}

// A result of a part of the records says so at every number.
func TestAggregateRecordsThatAreTooMany(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	k := shared(t).with(t, func(o *tools.Options) {
		o.Now = func() time.Time { return time.Unix(calls.Add(1)*30, 0) }
	})
	got := response[aggregated](t, k, root, "aggregateRecords", args{"table": "AD_Column"})
	assert.True(t, got.Partial)
	assert.Equal(t, []string{"partial count"}, got.Columns)
	assert.Equal(t, [][]any{{2000.0}}, got.Rows)
	assert.Regexp(t, `^2000 records read over REST of \d{5}$`, got.Source)
	assert.Contains(t, got.Notes[0], "narrow the filter")
}

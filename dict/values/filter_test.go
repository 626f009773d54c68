package values_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
)

// statuses is a dictionary with one list.
type statuses struct{ noDictionary }

func (statuses) Reference(context.Context, string, ...registry.Detail) (registry.Reference, error) {
	return registry.Reference{ID: 131, Name: "Document Status", Kind: "list", Values: []registry.ListValue{
		{Value: "CO", Name: "Completed", Active: true}, {Value: "DR", Name: "Drafted", Active: true}, {Value: "??", Name: "Unknown", Active: true}, {Value: " WP", Name: "Waiting", Active: true},
	}}, nil
}

// read reads a filter on a table with a list, a flag and a text.
func read(t testing.TB, filter string) (*values.Filter, error) {
	t.Helper()
	r, err := values.New(nil, statuses{}, values.Options{Inactive: true})
	require.NoError(t, err)
	table := &registry.Table{Name: "C_Order", Columns: []registry.Column{
		{Name: "DocStatus", Type: dict.TypeList, ReferenceID: 131}, {Name: "IsSOTrx", Type: dict.TypeYesNo}, {Name: "Description", Type: dict.TypeString},
		{Name: "DateOrdered", Type: dict.TypeDate}, {Name: "Created", Type: dict.TypeDateTime}, {Name: "GrandTotal", Type: dict.TypeAmount, Min: "0"}, {Name: "TotalLines", Type: dict.TypeAmount},
		{Name: "C_Order_ID", Type: dict.TypeID}, {Name: "C_BPartner_ID", Type: dict.TypeSearch, ForeignTable: "C_BPartner"},
	}}
	return values.ReadFilter(t.Context(), filter, func(context.Context) (*values.Reader, *registry.Table, error) { return r, table, nil })
}

func TestReadFilter(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ filter, want, note, problem string }{
		"label":                    {filter: "DocStatus eq 'Completed'", want: "DocStatus eq 'CO'", note: "DocStatus Completed is taken as CO"},
		"small letters":            {filter: "docstatus eq 'completed'", want: "docstatus eq 'CO'", note: "DocStatus completed is taken as CO"},
		"code":                     {filter: "DocStatus eq 'CO'", want: "DocStatus eq 'CO'"},
		"code with a blank":        {filter: "DocStatus eq 'WP'", want: "DocStatus eq ' WP'", note: "DocStatus WP is taken as  WP"},
		"none of":                  {filter: "IsSOTrx eq true and DocStatus neq 'Drafted'", want: "IsSOTrx eq true and DocStatus neq 'DR'", note: "DocStatus Drafted is taken as DR"},
		"twice":                    {filter: "DocStatus eq 'Drafted' or DocStatus eq 'Drafted'", want: "DocStatus eq 'DR' or DocStatus eq 'DR'", note: "DocStatus Drafted is taken as DR"},
		"once in small":            {filter: "DocStatus eq 'Drafted' or tolower(DocStatus) eq 'Drafted'", problem: "records hold 'DR' for Drafted"},
		"several":                  {filter: "DocStatus in ( 'Completed' ,'DR')", want: "DocStatus in ('CO','DR')", note: "DocStatus Completed is taken as CO"},
		"the same text":            {filter: "DocStatus eq 'Drafted' or Description eq 'Drafted'", want: "DocStatus eq 'DR' or Description eq 'Drafted'", note: "DocStatus Drafted is taken as DR"},
		"within a text":            {filter: "Description eq 'DocStatus eq Drafted' and DocStatus eq 'Drafted'", want: "Description eq 'DocStatus eq Drafted' and DocStatus eq 'DR'", note: "DocStatus Drafted is taken as DR"},
		"code with marks":          {filter: "DocStatus eq 'Unknown'", want: "DocStatus eq '??'", note: "DocStatus Unknown is taken as ??"},
		"part of a label":          {filter: "contains(DocStatus,'Compl')", want: "contains(DocStatus,'Compl')"},
		"unknown column":           {filter: "Status eq 'Completed'", want: "Status eq 'Completed'"},
		"no value":                 {filter: "DocStatus eq null", want: "DocStatus eq null"},
		"nothing":                  {},
		"no such label":            {filter: "DocStatus eq 'Complete'", problem: "DocStatus: the list Document Status has no value"},
		"label in a letter":        {filter: "tolower(DocStatus) eq 'completed'", problem: "write DocStatus eq 'CO'"},
		"flag":                     {filter: "IsSOTrx eq 'Y'", problem: "IsSOTrx is true or false, and the ERP takes every text for false; write IsSOTrx eq true or false"},
		"flag word":                {filter: "IsSOTrx eq maybe", problem: "IsSOTrx is true or false, and the ERP takes every text for false"},
		"flag in capitals":         {filter: "IsSOTrx eq TRUE", problem: "IsSOTrx is true or false"},
		"flag as it is":            {filter: "IsSOTrx eq true or IsSOTrx eq N", want: "IsSOTrx eq true or IsSOTrx eq N"},
		"no day":                   {filter: "DateOrdered ge '2026-02-30'", problem: "DateOrdered: '2026-02-30' is a day that no calendar has"},
		"no month":                 {filter: "DateOrdered ge 2026-13-01", problem: "is a day that no calendar has"},
		"leap day":                 {filter: "DateOrdered ge '2028-02-29 10:00:00'", want: "DateOrdered ge '2028-02-29 10:00:00'"},
		"day of another form":      {filter: "DateOrdered ge 01.02.2024", problem: `DateOrdered: "01.02.2024" is not a date; write YYYY-MM-DD`},
		"its text":                 {filter: "DateOrdered in ('2024-02-01','01.02.2024')", problem: `DateOrdered: "01.02.2024" is not a date; write YYYY-MM-DD`},
		"moment of another form":   {filter: "Created ge '01.02.2024 10:00'", problem: `Created: "01.02.2024 10:00" is not a date with time of the form`},
		"moment as it is":          {filter: "Created ge '2024-02-01' and Created lt 2024-02-01T10:00:00Z", want: "Created ge '2024-02-01' and Created lt 2024-02-01T10:00:00Z"},
		"date of another column":   {filter: "DateOrdered eq Created", want: "DateOrdered eq Created"},
		"no date":                  {filter: "DateOrdered neq null", want: "DateOrdered neq null"},
		"decimal comma":            {filter: "GrandTotal gt 1,5", problem: `GrandTotal: "1,5" is not a number; write it with a point before the decimals`},
		"its text with a comma":    {filter: "GrandTotal gt '1,5'", problem: `GrandTotal: "1,5" is not a number; write it with a point before the decimals`},
		"number as it is":          {filter: "GrandTotal gt 1.50 and GrandTotal lt 1e9 and GrandTotal neq -1", want: "GrandTotal gt 1.50 and GrandTotal lt 1e9 and GrandTotal neq -1"},
		"number in quotes":         {filter: "GrandTotal gt '1.5'", want: "GrandTotal gt 1.5"},
		"numbers in quotes":        {filter: "GrandTotal in (1,'2','3.5')", want: "GrandTotal in (1,2,3.5)"},
		"number within a longer":   {filter: "C_Order_ID eq 5.0 or C_Order_ID eq 5.00", want: "C_Order_ID eq 5 or C_Order_ID eq 5", note: "C_Order_ID 5.0 is taken as 5; C_Order_ID 5.00 is taken as 5"},
		"number of another column": {filter: "GrandTotal eq TotalLines", want: "GrandTotal eq TotalLines"},
		"no number":                {filter: "GrandTotal eq many", problem: `GrandTotal: "many" is not a number`},
		"part of a key":            {filter: "C_Order_ID eq 103.5", problem: `C_Order_ID: "103.5" is not a whole number`},
		"key in quotes":            {filter: "C_Order_ID eq '100'", want: "C_Order_ID eq 100"},
		"part of a reference":      {filter: "C_BPartner_ID eq 103.5", want: "C_BPartner_ID eq 103.5"}, // without a client nobody looks names up
		"label without quotes":     {filter: "DocStatus eq Completed", want: "DocStatus eq 'CO'", note: "DocStatus Completed is taken as CO"},
		"bare label within a text": {filter: "Description eq 'see DocStatus eq Completed now' and DocStatus eq Completed", want: "Description eq 'see DocStatus eq Completed now' and DocStatus eq 'CO'", note: "DocStatus Completed is taken as CO"},
		"number within a text":     {filter: "Description eq 'C_Order_ID eq 5.0 units' and C_Order_ID eq 5.0", want: "Description eq 'C_Order_ID eq 5.0 units' and C_Order_ID eq 5", note: "C_Order_ID 5.0 is taken as 5"},
		"bare label in a letter":   {filter: "Description eq 'DocStatus eq Completed ' and tolower(DocStatus) eq Completed", problem: "write DocStatus eq 'CO'"},
		"function of the language": {filter: "tolower(DocStatus) eq tolower('CO') and DocStatus eq toupper('co')", want: "tolower(DocStatus) eq tolower('CO') and DocStatus eq toupper('co')"},
		"key of the record":        {filter: "C_Order_ID neq id and C_BPartner_ID eq tolower(C_Order_ID)", want: "C_Order_ID neq id and C_BPartner_ID eq tolower(C_Order_ID)"},
		"day without zeros":        {filter: "DateOrdered ge '2024-2-1' and Created ge '2024-2-1 10:00:00'", want: "DateOrdered ge '2024-2-1' and Created ge '2024-2-1 10:00:00'"},
		"no day without zeros":     {filter: "DateOrdered ge 2024-2-30", problem: "is a day that no calendar has"},
		"numbers of BigDecimal":    {filter: "GrandTotal gt 5. and GrandTotal lt 1e300 and GrandTotal neq +.5", want: "GrandTotal gt 5. and GrandTotal lt 1e300 and GrandTotal neq +.5"},
		"number in a letter":       {filter: "tolower(GrandTotal) gt '1.5'", problem: "write GrandTotal gt 1.5"},
		"not UTF-8":                {filter: "DocStatus eq '\xda'", problem: "it is not text in UTF-8"},
		"no filter":                {filter: "DocStatus = 'CO'", problem: `there is no operator "="`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := read(t, tt.filter)
			if tt.problem != "" {
				require.ErrorContains(t, err, tt.problem)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, f.Text)
			assert.Equal(t, tt.note, strings.Join(f.Notes, "; "))
			terms, err := erp.FilterTerms(f.Text)
			require.NoError(t, err)
			assert.Equal(t, terms, f.Terms)
		})
	}
}

// What is read stays a filter, with the same conditions on the same columns, and reading
// it once more changes nothing.
func FuzzReadFilter(f *testing.F) {
	for _, filter := range []string{
		"DocStatus eq 'Completed'", "DocStatus in ('Drafted','x''') and (IsSOTrx eq true)", "Description eq 'DocStatus eq ''Drafted'''",
		"DocStatus eq 'Drafted' or DocStatus neq 'Drafted'", "not (contains(Description,'$1') and DocStatus eq 'Unknown')",
		"GrandTotal gt '1.50' or C_Order_ID in (5.0,'6',7)", "DateOrdered ge 01.02.2024", "GrandTotal eq +5.5 and TotalLines lt .5",
		"Description eq 'x DocStatus eq Completed ' and DocStatus eq Completed", "DocStatus eq toupper('co') and C_Order_ID neq id",
		"ID in (.0)",
	} {
		f.Add(filter)
	}
	f.Fuzz(func(t *testing.T, filter string) {
		before, err := erp.FilterTerms(filter)
		if err != nil {
			return
		}
		got, err := read(t, filter)
		if err != nil {
			return
		}
		after, err := erp.FilterTerms(got.Text)
		require.NoError(t, err, got.Text)
		require.Equal(t, after, got.Terms)
		require.Len(t, after, len(before))
		for i := range after {
			require.Equal(t, before[i].Column, after[i].Column)
			require.Equal(t, before[i].Operator, after[i].Operator)
			switch strings.ToLower(after[i].Column) {
			case "docstatus", "grandtotal", "totallines", "c_order_id", "id": // are written as the ERP stores them
			default:
				require.Equal(t, before[i].Values, after[i].Values)
			}
		}
		again, err := read(t, got.Text)
		require.NoError(t, err)
		require.Equal(t, got.Text, again.Text)
		require.Empty(t, again.Notes)
	})
}

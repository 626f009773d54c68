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
		{Value: "CO", Name: "Completed", Active: true}, {Value: "DR", Name: "Drafted", Active: true}, {Value: "??", Name: "Unknown", Active: true},
	}}, nil
}

// read reads a filter on a table with a list, a flag and a text.
func read(t testing.TB, filter string) (*values.Filter, error) {
	t.Helper()
	r, err := values.New(nil, statuses{}, values.Options{Inactive: true})
	require.NoError(t, err)
	table := &registry.Table{Name: "C_Order", Columns: []registry.Column{
		{Name: "DocStatus", Type: dict.TypeList, ReferenceID: 131}, {Name: "IsSOTrx", Type: dict.TypeYesNo}, {Name: "Description", Type: dict.TypeString},
		{Name: "DateOrdered", Type: dict.TypeDate},
	}}
	return values.ReadFilter(t.Context(), filter, func(context.Context) (*values.Reader, *registry.Table, error) { return r, table, nil })
}

func TestReadFilter(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ filter, want, note, problem string }{
		"label":             {filter: "DocStatus eq 'Completed'", want: "DocStatus eq 'CO'", note: "DocStatus Completed is taken as CO"},
		"small letters":     {filter: "docstatus eq 'completed'", want: "docstatus eq 'CO'", note: "DocStatus completed is taken as CO"},
		"code":              {filter: "DocStatus eq 'CO'", want: "DocStatus eq 'CO'"},
		"none of":           {filter: "IsSOTrx eq true and DocStatus neq 'Drafted'", want: "IsSOTrx eq true and DocStatus neq 'DR'", note: "DocStatus Drafted is taken as DR"},
		"twice":             {filter: "DocStatus eq 'Drafted' or DocStatus eq 'Drafted'", want: "DocStatus eq 'DR' or DocStatus eq 'DR'", note: "DocStatus Drafted is taken as DR"},
		"once in small":     {filter: "DocStatus eq 'Drafted' or tolower(DocStatus) eq 'Drafted'", problem: "records hold 'DR' for Drafted"},
		"several":           {filter: "DocStatus in ( 'Completed' ,'DR')", want: "DocStatus in ('CO','DR')", note: "DocStatus Completed is taken as CO"},
		"the same text":     {filter: "DocStatus eq 'Drafted' or Description eq 'Drafted'", want: "DocStatus eq 'DR' or Description eq 'Drafted'", note: "DocStatus Drafted is taken as DR"},
		"within a text":     {filter: "Description eq 'DocStatus eq Drafted' and DocStatus eq 'Drafted'", want: "Description eq 'DocStatus eq Drafted' and DocStatus eq 'DR'", note: "DocStatus Drafted is taken as DR"},
		"code with marks":   {filter: "DocStatus eq 'Unknown'", want: "DocStatus eq '??'", note: "DocStatus Unknown is taken as ??"},
		"part of a label":   {filter: "contains(DocStatus,'Compl')", want: "contains(DocStatus,'Compl')"},
		"unknown column":    {filter: "Status eq 'Completed'", want: "Status eq 'Completed'"},
		"no value":          {filter: "DocStatus eq null", want: "DocStatus eq null"},
		"nothing":           {},
		"no such label":     {filter: "DocStatus eq 'Complete'", problem: "DocStatus: the list Document Status has no value"},
		"label in a letter": {filter: "tolower(DocStatus) eq 'completed'", problem: "write DocStatus eq 'CO'"},
		"flag":              {filter: "IsSOTrx eq 'Y'", problem: "IsSOTrx is true or false, and the ERP takes every text for false; write IsSOTrx eq true or false"},
		"flag word":         {filter: "IsSOTrx eq maybe", problem: "IsSOTrx is true or false, and the ERP takes every text for false"},
		"flag in capitals":  {filter: "IsSOTrx eq TRUE", problem: "IsSOTrx is true or false"},
		"flag as it is":     {filter: "IsSOTrx eq true or IsSOTrx eq N", want: "IsSOTrx eq true or IsSOTrx eq N"},
		"no day":            {filter: "DateOrdered ge '2026-02-30'", problem: "DateOrdered: '2026-02-30' is a day that no calendar has"},
		"no month":          {filter: "DateOrdered ge 2026-13-01", problem: "is a day that no calendar has"},
		"leap day":          {filter: "DateOrdered ge '2028-02-29 10:00:00'", want: "DateOrdered ge '2028-02-29 10:00:00'"},
		"not UTF-8":         {filter: "DocStatus eq '\xda'", problem: "it is not text in UTF-8"},
		"no filter":         {filter: "DocStatus = 'CO'", problem: `there is no operator "="`},
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
			if !strings.EqualFold(after[i].Column, "DocStatus") {
				require.Equal(t, before[i].Values, after[i].Values)
			}
		}
		again, err := read(t, got.Text)
		require.NoError(t, err)
		require.Equal(t, got.Text, again.Text)
		require.Empty(t, again.Notes)
	})
}

package erp_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// params takes the query of a request apart the way the server does: at & only.
func params(t *testing.T, uri string) map[string]string {
	t.Helper()
	_, raw, _ := strings.Cut(uri, "?")
	got := map[string]string{}
	if raw == "" {
		return got
	}
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		decoded, err := url.QueryUnescape(value)
		require.NoError(t, err)
		got[name] = decoded
	}
	return got
}

func TestQueryParameters(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, always(200, `{"page-count":1,"records-size":100,"skip-records":0,"row-count":0,"records":[],"array-count":0}`))
	for name, tc := range map[string]struct {
		q    *erp.Query
		want map[string]string
	}{
		"nil":  {nil, map[string]string{}},
		"zero": {&erp.Query{}, map[string]string{}},
		// The deployment log's own query for runs in progress.
		"runs in progress": {&erp.Query{Filter: erp.IsNull("DateCompleted"), OrderBy: []string{erp.Desc("DateStarted")}},
			map[string]string{"$filter": "DateCompleted eq null", "$orderby": "DateStarted desc"}},
		"all": {&erp.Query{
			Filter: erp.Eq("Name", "a&b=c;d#e+f%g"), Select: []string{"Name", "Value"}, OrderBy: []string{erp.Asc("Name"), "Value ASC", erp.Desc("Line")},
			Top: 5, Skip: 10, Limit: 3, ValRule: erp.IntID(104), Context: map[string]string{"C_BPartner_ID": "118", "AD_Org_ID": "1 2-3"},
			ShowSQL: erp.SQLShown, Label: erp.Eq("Name", "#Key"), ShowLabel: true, LabelColumns: []string{"Name"},
		}, map[string]string{
			"$filter": "Name eq 'a&b=c;d#e+f%g'", "$select": "Name,Value", "$orderby": "Name,Value ASC,Line desc", "$top": "5", "$skip": "10",
			"$valrule": "104", "$context": "AD_Org_ID:1 2-3,C_BPartner_ID:118", "showsql": "true", "label": "Name eq '#Key'", "showlabel": "Name",
		}},
		"no data and all labels": {&erp.Query{ShowSQL: erp.SQLWithout, ShowLabel: true}, map[string]string{"showsql": "nodata", "showlabel": ""}},
		"raw alone":              {&erp.Query{Filter: erp.Raw("A eq 1 or B eq 2")}, map[string]string{"$filter": "A eq 1 or B eq 2"}},
		"raw with rule": {&erp.Query{Filter: erp.Raw("A eq 1 or B eq 2"), ValRule: erp.IntID(1)},
			map[string]string{"$filter": "(A eq 1 or B eq 2)", "$valrule": "1"}},
		// The reference's example of an expand.
		"expand": {&erp.Query{Select: []string{"DocumentNo", "C_BPartner_ID"}, Expand: []erp.Expand{
			{Name: "C_BPartner_ID", Select: []string{"Name", "Value"}},
			{Name: "C_OrderLine", Select: []string{"Line", "QtyOrdered"}, OrderBy: []string{"Line"}, Top: 20},
		}}, map[string]string{"$select": "DocumentNo,C_BPartner_ID",
			"$expand": "C_BPartner_ID($select=Name,Value),C_OrderLine($select=Line,QtyOrdered;$orderby=Line;$top=20)"}},
		"expand in expand": {&erp.Query{Expand: []erp.Expand{{
			Name: "C_OrderLine.C_Order_ID", Filter: erp.Eq("A", 1).Or(erp.Eq("B", "x;y,z")), Skip: 1, Label: erp.Eq("Name", "#k"),
			Expand: []erp.Expand{{Name: "M_Product_ID"}, {Name: "C_OrderTax", Filter: erp.Eq("C", "p;q")}},
		}}}, map[string]string{"$expand": "C_OrderLine.C_Order_ID($filter=((A eq 1 or B eq 'x;y,z'));$skip=1;$expand=M_Product_ID,C_OrderTax($filter=(C eq 'p;q'));label=Name eq '#k')"}},
		"expand raw filter": {&erp.Query{Expand: []erp.Expand{{Name: "C_OrderLine", Filter: erp.Raw("A eq 1 or B eq 2")}}},
			map[string]string{"$expand": "C_OrderLine($filter=(A eq 1 or B eq 2))"}},
		"raw expand": {&erp.Query{Expand: []erp.Expand{erp.RawExpand(" C_OrderLine($top=1) "), {Name: "X_ID"}}},
			map[string]string{"$expand": "C_OrderLine($top=1),X_ID"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Query(t.Context(), "C_Order", tc.q)
			require.NoError(t, err)
			uri := rec.last(t).URI
			assert.Equal(t, tc.want, params(t, uri))
			for _, raw := range []string{" ", "+", ";", "#", "'", `"`} {
				assert.NotContains(t, uri, raw, "must be percent-encoded")
			}
		})
	}
}

func TestQueryRefuses(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, always(200, `{"records":[]}`), erp.WithExpandSeparator("|"))
	deep := erp.Expand{Name: "A"}
	for range 40 {
		deep = erp.Expand{Name: "A", Expand: []erp.Expand{deep}}
	}
	for name, q := range map[string]*erp.Query{
		"select":              {Select: []string{"A,B"}},
		"select empty":        {Select: []string{""}},
		"order direction":     {OrderBy: []string{"A down"}},
		"order two blanks":    {OrderBy: []string{"A  desc"}},
		"order end":           {OrderBy: []string{"A "}},
		"order injected":      {OrderBy: []string{"A,B"}},
		"top":                 {Top: -1},
		"skip":                {Skip: -1},
		"skip too large":      {Skip: 1 << 40},
		"limit":               {Limit: -1},
		"context alone":       {Context: map[string]string{"A": "1"}},
		"context value":       {ValRule: erp.IntID(1), Context: map[string]string{"A": "1;2"}},
		"context name":        {ValRule: erp.IntID(1), Context: map[string]string{"A:B": "1"}},
		"rule":                {ValRule: erp.UUID("x")},
		"showsql":             {ShowSQL: "x"},
		"label columns":       {LabelColumns: []string{"Name"}},
		"label":               {Label: erp.Eq("Name", "'")},
		"expand name":         {Expand: []erp.Expand{{Name: "A($top=1)"}}},
		"expand without name": {Expand: []erp.Expand{{Top: 1}}},
		"expand dots":         {Expand: []erp.Expand{{Name: "A.B.C"}}},
		"expand top":          {Expand: []erp.Expand{{Name: "A", Top: -1}}},
		"expand select":       {Expand: []erp.Expand{{Name: "A", Select: []string{"B;C"}}}},
		"expand order":        {Expand: []erp.Expand{{Name: "A", OrderBy: []string{"B)"}}}},
		"expand filter":       {Expand: []erp.Expand{{Name: "A", Filter: erp.Raw("B eq 'x)'")}}},
		"expand label":        {Expand: []erp.Expand{{Name: "A", Label: erp.Eq("B", "'")}}},
		"expand inside":       {Expand: []erp.Expand{{Name: "A", Expand: []erp.Expand{{Name: "B-C"}}}}},
		"expand deep":         {Expand: []erp.Expand{deep}},
		"expand raw":          {Expand: []erp.Expand{erp.RawExpand("A($top=1")}},
	} {
		_, err := client.Query(t.Context(), "C_Order", q)
		require.ErrorIs(t, err, erp.ErrInvalid, name)
	}
	assert.Empty(t, rec.seen())

	_, err := client.Query(t.Context(), "C_Order", &erp.Query{Expand: []erp.Expand{{Name: "A", Top: 1, Skip: 2, Filter: erp.Eq("B", "x|y")}}})
	require.NoError(t, err)
	assert.Equal(t, "A($filter=(B eq 'x|y')|$top=1|$skip=2)", params(t, rec.last(t).URI)["$expand"])
}

func TestGetParameters(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, always(200, `{"id":1}`))
	_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), &erp.GetOptions{
		Select: []string{"DocumentNo"}, Expand: []erp.Expand{{Name: "C_OrderLine"}}, ShowSQL: true, ShowLabel: true,
	})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"$select": "DocumentNo", "$expand": "C_OrderLine", "showsql": "true", "showlabel": ""}, params(t, rec.last(t).URI))
}

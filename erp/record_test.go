package erp_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// Values as the reference prints them.
const everything = ` {"id":1000022,"uid":"77aa0000-0000-4000-8000-000000000001","DocumentNo":"SO-9",
 "Big":9007199254740993,"TotalLines":12.50,"Zero":0E-12,"Huge":123456789012345678901234567890.12,
 "IsActive":true,"Processed":false,"DateOrdered":"2026-03-09","Created":"2026-03-09T14:05:06+01:00",
 "Utc":"2026-03-09T13:05:06Z","Stamp":"2026-03-09T13:05:06.123Z","At":"14:05:06Z",
 "DocStatus":{"propertyLabel":"Document Status","id":"CO","identifier":"Completed","model-name":"ad_ref_list"},
 "C_BPartner_ID":{"propertyLabel":"Business Partner","id":118,"identifier":"Joe Block","model-name":"c_bpartner","uuid":"12cd0000-0000-4000-8000-000000000001"},
 "EntityType":{"propertyLabel":"Entity Type","id":"D","identifier":"Dictionary","model-name":"ad_entitytype"},
 "Partners":{"propertyLabel":"Partners","selections":[{"id":"118","identifier":"Joe","model-name":"c_bpartner"}]},
 "C_Location_ID":{"propertyLabel":"Address","id":109,"identifier":"Ulm","model-name":"c_location","Address1":"Main 1","IsActive":"true","C_Country_ID":{"id":101}},
 "Expanded_ID":{"id":5,"uid":"12cd0000-0000-4000-8000-000000000002","Name":"Joe","model-name":"c_bpartner"},
 "Logo_ID":{"propertyLabel":"Logo","id":100,"data":"AAEC","model-name":"ad_image"},"BinaryData":"AAEC",
 "Note":"a \"quoted\" \u00e4 <b>&","Setting":{"a":[1,2.50]},"model-name":"c_order",
 "C_OrderLine":[{"id":5,"uid":"9f000000-0000-4000-8000-000000000001","Line":10,"QtyOrdered":2},{"id":6,"Line":20}]} `

func TestRecordValues(t *testing.T) {
	t.Parallel()
	r, err := erp.ParseRecord([]byte(everything))
	require.NoError(t, err)
	assert.Equal(t, erp.IntID(1000022), r.ID())
	assert.Equal(t, "77aa0000-0000-4000-8000-000000000001", r.UUID())
	assert.Equal(t, "c_order", r.Model())

	text, ok := r.Text("DocumentNo")
	assert.Equal(t, "SO-9", text)
	assert.True(t, ok)
	text, _ = r.Text("documentNo")
	assert.Equal(t, "SO-9", text, "servers may write names with a small letter")
	text, _ = r.Text("Note")
	assert.Equal(t, `a "quoted" ä <b>&`, text)

	number, ok := r.Int("Big")
	assert.EqualValues(t, 9007199254740993, number)
	assert.True(t, ok)
	_, ok = r.Int("TotalLines")
	assert.False(t, ok)

	amount, _ := r.Decimal("TotalLines")
	assert.Equal(t, "12.50", amount.String())
	amount, _ = r.Decimal("Zero")
	assert.Equal(t, "0.000000000000", amount.String())
	assert.Zero(t, amount.Cmp(""))
	amount, _ = r.Decimal("Huge")
	assert.Equal(t, "123456789012345678901234567890.12", amount.String())

	yes, ok := r.Bool("IsActive")
	assert.True(t, yes && ok)
	yes, ok = r.Bool("Processed")
	assert.True(t, !yes && ok)

	date, ok := r.Date("DateOrdered")
	assert.True(t, ok)
	assert.Equal(t, erp.NewDate(2026, time.March, 9), date)
	date, _ = r.Date("Created")
	assert.Equal(t, "2026-03-09", date.String())
	want := time.Date(2026, 3, 9, 13, 5, 6, 0, time.UTC)
	for _, column := range []string{"Created", "Utc"} {
		at, ok := r.Time(column)
		assert.True(t, ok)
		assert.True(t, want.Equal(at), column)
	}
	at, _ := r.Time("Stamp")
	assert.True(t, want.Add(123*time.Millisecond).Equal(at))
	at, ok = r.Time("At")
	assert.True(t, ok)
	assert.Equal(t, 14, at.Hour())
	at, _ = r.TimeIn("DateOrdered", time.FixedZone("", 3600))
	assert.Equal(t, "2026-03-09T00:00:00+01:00", at.Format(time.RFC3339))

	code, ok := r.Code("DocStatus")
	assert.Equal(t, "CO", code)
	assert.True(t, ok)
	ref, ok := r.Ref("C_BPartner_ID")
	assert.True(t, ok)
	assert.Equal(t, erp.Ref{ID: erp.IntID(118), Identifier: "Joe Block", Model: "c_bpartner", Label: "Business Partner", UUID: "12cd0000-0000-4000-8000-000000000001"}, ref)
	ref, _ = r.Ref("EntityType")
	assert.Equal(t, "D", ref.Code())
	ref, _ = r.Ref("Expanded_ID")
	assert.Equal(t, erp.Ref{ID: erp.IntID(5), UUID: "12cd0000-0000-4000-8000-000000000002", Model: "c_bpartner"}, ref)
	refs, ok := r.Refs("Partners")
	assert.True(t, ok)
	assert.Equal(t, []erp.Ref{{ID: erp.UUID("118"), Identifier: "Joe", Model: "c_bpartner"}}, refs)

	address, ok := r.Record("C_Location_ID")
	require.True(t, ok)
	street, _ := address.Text("Address1")
	assert.Equal(t, "Main 1", street)
	yes, ok = address.Bool("IsActive")
	assert.True(t, yes && ok)
	for _, column := range []string{"Logo_ID", "BinaryData"} {
		data, ok := r.Bytes(column)
		assert.True(t, ok)
		assert.Equal(t, []byte{0, 1, 2}, data)
	}
	children, err := r.Children("C_OrderLine")
	require.NoError(t, err)
	require.Len(t, children, 2)
	assert.Equal(t, erp.IntID(6), children[1].ID())
	children, err = r.Children("C_OrderTax")
	require.NoError(t, err)
	assert.Empty(t, children)
	_, err = r.Children("DocumentNo")
	require.Error(t, err)

	var setting struct{ A []json.Number }
	require.NoError(t, r.Value("Setting", &setting))
	assert.Equal(t, []json.Number{"1", "2.50"}, setting.A)
	require.Error(t, r.Value("Nothing", &setting))

	assert.Equal(t, json.Number("9007199254740993"), r.Map()["Big"])
	assert.Equal(t, "id", r.Columns()[0])
	assert.Len(t, r.Columns(), r.Len())
	for name, raw := range r.All() {
		got, ok := r.Raw(name)
		assert.True(t, ok)
		assert.Equal(t, raw, got)
	}
}

func TestRecordMissingAndOtherKinds(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]erp.Record{"zero": {}, "other kinds": parse(t, `{"X":{"a":1},"Y":[1],"Z":null}`)} {
		for _, column := range []string{"X", "Y", "Z", "None", ""} {
			_, ok := r.Text(column)
			assert.False(t, ok, name)
			_, ok = r.Int(column)
			assert.False(t, ok)
			_, ok = r.Decimal(column)
			assert.False(t, ok)
			_, ok = r.Bool(column)
			assert.False(t, ok)
			_, ok = r.Time(column)
			assert.False(t, ok)
			_, ok = r.Date(column)
			assert.False(t, ok)
			_, ok = r.Ref(column)
			assert.False(t, ok)
			_, ok = r.Refs(column)
			assert.False(t, ok)
			_, ok = r.Bytes(column)
			assert.False(t, ok)
		}
		assert.True(t, r.ID().IsZero())
	}
	data, err := json.Marshal(erp.Record{})
	require.NoError(t, err)
	assert.Equal(t, "{}", string(data))
	assert.Empty(t, erp.Record{}.Map())
}

func parse(t *testing.T, text string) erp.Record {
	t.Helper()
	r, err := erp.ParseRecord([]byte(text))
	require.NoError(t, err)
	return r
}

func TestRecordKeys(t *testing.T) {
	t.Parallel()
	assert.Equal(t, erp.IntID(10000004), parse(t, `{"id":1.0000004E7}`).ID(), "as batch results write it")
	assert.Equal(t, erp.UUID("u"), parse(t, `{"uid":"u"}`).ID(), "tables keyed by UUID have no id")
	assert.Equal(t, erp.IntID(2), parse(t, `{"id":1,"id":2}`).ID(), "the last one wins")
	text, _ := parse(t, `{"Na\u006de":"x"}`).Text("Name")
	assert.Equal(t, "x", text)
}

func TestRecordCloneAndEmbedding(t *testing.T) {
	t.Parallel()
	data := []byte(`{"id":1,"Name":"x","Lines":[{"id":2}]}`)
	r, err := erp.ParseRecord(data)
	require.NoError(t, err)
	c := r.Clone()
	for i := range data {
		data[i] = '#'
	}
	name, _ := c.Text("Name")
	assert.Equal(t, "x", name)

	var order struct {
		Lines []erp.Record
		None  erp.Record
	}
	require.NoError(t, json.Unmarshal([]byte(c.String()), &order))
	assert.Equal(t, erp.IntID(2), order.Lines[0].ID())
}

func TestTypedFields(t *testing.T) {
	t.Parallel()
	type order struct {
		ID          erp.ID        `json:"id"`
		Number      string        `json:"DocumentNo"`
		Partner     erp.Ref       `json:"C_BPartner_ID"`
		Status      erp.Ref       `json:"DocStatus"`
		Total       erp.Decimal   `json:"TotalLines"`
		Ordered     erp.Date      `json:"DateOrdered"`
		Created     time.Time     `json:"Created"`
		At          erp.TimeOfDay `json:"At"`
		Any         any           `json:"Big"`
		Lines       []erp.Record  `json:"C_OrderLine"`
		Missing     *int64        `json:"Missing"`
		NothingRef  erp.Ref       `json:"Nothing"`
		NothingDate erp.Date      `json:"NothingDate"`
	}
	var o order
	require.NoError(t, parse(t, everything).Decode(&o))
	assert.Equal(t, erp.IntID(1000022), o.ID)
	assert.Equal(t, erp.IntID(118), o.Partner.ID)
	assert.Equal(t, "CO", o.Status.Code())
	assert.Equal(t, erp.Decimal("12.50"), o.Total)
	assert.Equal(t, erp.TimeOfDay{Hour: 14, Minute: 5, Second: 6}, o.At)
	assert.Equal(t, json.Number("9007199254740993"), o.Any)
	assert.Len(t, o.Lines, 2)
	assert.Nil(t, o.Missing)

	data, err := json.Marshal(map[string]any{
		"a": erp.Ref{ID: erp.IntID(118), Identifier: "Joe"}, "b": erp.Ref{UUID: "u"}, "c": erp.Ref{}, "d": erp.Decimal("12.50"), "e": erp.Decimal(""),
		"f": erp.NewDate(2026, 3, 9), "g": erp.Date{}, "h": erp.TimeOfDay{Hour: 1}, "i": erp.ID{}, "j": erp.IntID(0), "k": erp.UUID("CO"),
	})
	require.NoError(t, err)
	assert.Equal(t, `{"a":{"id":118},"b":{"uid":"u"},"c":null,"d":12.50,"e":0,"f":"2026-03-09","g":null,"h":"01:00:00Z","i":null,"j":0,"k":"CO"}`, string(data))
	_, err = json.Marshal(erp.Decimal("1 or 2"))
	require.Error(t, err)

	for _, text := range []string{`{"id":{}}`, `{"id":1.5}`, `{"C_BPartner_ID":[]}`, `{"TotalLines":"x"}`, `{"DateOrdered":"x"}`, `{"At":"x"}`, `{"At":5}`, `{"DateOrdered":5}`} {
		require.Error(t, json.Unmarshal([]byte(text), new(order)), text)
	}
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0": "0", "-0.00": "-0.00", "12.50": "12.50", "0E-12": "0.000000000000", "1.0E7": "10000000", "1.0000004E7": "10000004",
		"1.25e1": "12.5", "-1.5e-3": "-0.0015", "15e-1": "1.5", "123E-2": "1.23", "0.001e3": "1", "0e5": "0",
		"1e1000000000": "1e1000000000", "1e-1000000000": "1e-1000000000",
	} {
		d, err := erp.ParseDecimal(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, d.String(), in)
		if rat, ok := d.Rat(); ok {
			plain, ok := erp.Decimal(d.String()).Rat()
			require.True(t, ok)
			assert.Zero(t, rat.Cmp(plain), in)
		}
	}
	for _, in := range []string{"", "x", "1,5", "+1", ".5", "0x10", " 1", "1 ", "1e", "NaN", "Infinity", "1/3"} {
		_, err := erp.ParseDecimal(in)
		require.ErrorIs(t, err, erp.ErrInvalid, in)
		_, ok := erp.Decimal(in).Rat()
		assert.Equal(t, in == "", ok, in)
	}
	assert.Equal(t, 0, erp.Decimal("1.50").Cmp("15e-1"))
	assert.Equal(t, -1, erp.Decimal("-2").Cmp("1"))
	assert.Equal(t, 1, erp.Decimal("2").Cmp("x"))
	n, ok := erp.Decimal("9223372036854775808").Int64()
	assert.False(t, ok, n)
	assert.InDelta(t, 12.5, erp.Decimal("12.50").Float64(), 0)
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("CET", 3600)
	for text, want := range map[string]string{
		"2026-03-09T14:05:06+01:00": "2026-03-09T13:05:06Z", "2026-03-09T13:05:06.123Z": "2026-03-09T13:05:06.123Z",
		"2026-03-09": "2026-03-08T23:00:00Z", "2026-03-09T15:05:06.5": "2026-03-09T14:05:06.5Z", "2026-03-09 14:05:06": "2026-03-09T13:05:06Z",
	} {
		at, err := erp.ParseTime(text, berlin)
		require.NoError(t, err)
		assert.Equal(t, want, at.UTC().Format(time.RFC3339Nano))
	}
	for _, text := range []string{"", "x", "2026-13-01", "2026-03-09T25:00:00Z", "09.03.2026"} {
		_, err := erp.ParseTime(text, nil)
		require.Error(t, err, text)
	}
}

// exact decodes JSON without rounding numbers.
func exact(t *testing.T, data []byte) (value any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&value))
	return value
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte(everything))
	for _, seed := range []string{`{}`, `{"id":1e999999999}`, `{"id":{"id":{"id":5}},"uid":7}`, `{"a":"\ud800"}`, `[`, `{"selections":null}`, "{\"\\u0000\":\"\xff\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := erp.ParseRecord(data)
		if err != nil {
			require.ErrorIs(t, err, erp.ErrBadResponse)
			return
		}
		again, err := json.Marshal(r)
		require.NoError(t, err)
		require.Equal(t, string(bytes.Trim(data, " \t\r\n")), r.String(), "nothing is changed")
		require.Equal(t, exact(t, data), exact(t, again))
		r.ID()
		r.UUID()
		r.Model()
		r.Map()
		for _, column := range append(r.Columns(), "id", "uid", "a", "") {
			r.Text(column)
			r.Int(column)
			if d, ok := r.Decimal(column); ok {
				_ = d.String()
				d.Float64()
			}
			r.Bool(column)
			r.Time(column)
			r.Date(column)
			r.Ref(column)
			r.Refs(column)
			r.Record(column)
			r.Bytes(column)
			_, _ = r.Children(column)
		}
	})
}

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

type listInput struct {
	Pattern    string   `json:"pattern,omitempty" jsonschema:"SQL LIKE pattern such as C_Or%"`
	CustomOnly bool     `json:"customOnly,omitempty" jsonschema:"only custom tables"`
	Limit      int      `json:"limit,omitempty" jsonschema:"how many at most"`
	Columns    []string `json:"columns,omitempty" jsonschema:"columns to show"`
	Window     string   `json:"window" jsonschema:"name of a window"`
}

type listOutput struct {
	Got listInput `json:"got"`
}

func listTool() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "list", Description: "Lists what there is.", Sets: []string{"registry"}, Hints: mcp.Hints{ReadOnly: true},
	}, func(_ context.Context, _ *mcp.Call, in listInput) (listOutput, error) { return listOutput{in}, nil })
}

func TestArguments(t *testing.T) {
	t.Parallel()
	tool := listTool()
	for name, tc := range map[string]struct {
		arguments     string
		want          listInput
		message, hint string
	}{
		"as described":                {arguments: `{"pattern":"C%","limit":5,"window":"w"}`, want: listInput{Pattern: "C%", Limit: 5, Window: "w"}},
		"a number as text":            {arguments: `{"limit":" 5 ","window":"w"}`, want: listInput{Limit: 5, Window: "w"}},
		"a truth value as text":       {arguments: `{"customOnly":"True","window":"w"}`, want: listInput{CustomOnly: true, Window: "w"}},
		"one value for a list":        {arguments: `{"columns":"Name","window":"w"}`, want: listInput{Columns: []string{"Name"}, Window: "w"}},
		"null for not given":          {arguments: `{"columns":null,"limit":null,"window":"w"}`, want: listInput{Window: "w"}},
		"a misspelt name":             {arguments: `{"patern":"C%","window":"w"}`, message: `list: there is no argument "patern"`, hint: `did you mean "pattern"? list takes: pattern, customOnly, limit, columns, window (required)`},
		"a strange name":              {arguments: `{"zzzzz":1,"window":"w"}`, message: `list: there is no argument "zzzzz"`, hint: `list takes: pattern, customOnly, limit, columns, window (required)`},
		"another case":                {arguments: `{"Pattern":"C%","window":"w"}`, want: listInput{Pattern: "C%", Window: "w"}},
		"another spelling":            {arguments: `{"custom_only":"Y","window-name":"w"}`, want: listInput{CustomOnly: true, Window: "w"}},
		"other names":                 {arguments: `{"like":"C%","top":7,"fields":"Name, Value","windowName":"w"}`, want: listInput{Pattern: "C%", Limit: 7, Columns: []string{"Name", "Value"}, Window: "w"}},
		"two names for one":           {arguments: `{"limit":5,"top":5,"window":"w"}`, message: `list: the argument limit is given twice, also as "top"`, hint: "give limit alone"},
		"two other names for one":     {arguments: `{"pageSize":5,"top":5,"window":"w"}`, message: `list: the argument limit is given twice, also as "top"`, hint: "give limit alone"},
		"a number for a text":         {arguments: `{"window":318}`, want: listInput{Window: "318"}},
		"a fraction for a text":       {arguments: `{"window":3.5}`, message: `list: argument "window" must be of type string, not number`, hint: "window: name of a window"},
		"a list as text":              {arguments: `{"columns":"[\"Name\",\"a, b\"]","window":"w"}`, want: listInput{Columns: []string{"Name", "a, b"}, Window: "w"}},
		"names with dots":             {arguments: `{"columns":"C_Order.DocStatus,C_Order.Name","window":"w"}`, want: listInput{Columns: []string{"C_Order.DocStatus", "C_Order.Name"}, Window: "w"}},
		"a sentence for a list":       {arguments: `{"columns":"Name of it, or so","window":"w"}`, want: listInput{Columns: []string{"Name of it, or so"}, Window: "w"}},
		"nothing at all":              {arguments: ``, message: `list: argument "window" is missing (name of a window)`, hint: `list takes: pattern, customOnly, limit, columns, window (required)`},
		"null":                        {arguments: `null`, message: `list: argument "window" is missing (name of a window)`, hint: `list takes: pattern, customOnly, limit, columns, window (required)`},
		"a list":                      {arguments: `[1]`, message: `list: the arguments are no JSON object`, hint: "send an object of named arguments"},
		"broken JSON":                 {arguments: `{"window":`, message: `list: the arguments are no JSON object`, hint: "send an object of named arguments"},
		"text that is not a number":   {arguments: `{"limit":"many","window":"w"}`, message: `list: argument "limit" must be of type integer, not string`, hint: "limit: how many at most"},
		"a fraction for a whole":      {arguments: `{"limit":1.5,"window":"w"}`, message: `list: argument "limit" must be of type integer, not number`, hint: "limit: how many at most"},
		"a number too big":            {arguments: `{"limit":1e30,"window":"w"}`, message: `list: argument "limit" cannot be number 1e30`, hint: `list takes: pattern, customOnly, limit, columns, window (required)`},
		"required, but null":          {arguments: `{"window":null}`, message: `list: argument "window" must be of type string, not null`, hint: "window: name of a window"},
		"an object instead of a list": {arguments: `{"columns":{"a":1},"window":"w"}`, message: `list: argument "columns" must be of type array, not object`, hint: "columns: columns to show"},
		"too deep":                    {arguments: `{"window":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, message: "list: the arguments are nested more than 32 deep"},
		"brackets in a text":          {arguments: `{"window":"` + strings.Repeat("[", 40) + `\""}`, want: listInput{Window: strings.Repeat("[", 40) + `"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tool.Invoke(t.Context(), &mcp.Call{Arguments: json.RawMessage(tc.arguments)})
			if tc.message != "" {
				var e *mcp.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, mcp.CodeInvalidArguments, e.Code)
				assert.Equal(t, tc.message, e.Message)
				assert.Equal(t, tc.hint, e.Hint)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, listOutput{tc.want}, got)
		})
	}
}

func TestValuesSentAsText(t *testing.T) {
	t.Parallel()
	type in struct{ Values json.RawMessage }
	tool := mcp.New(mcp.Tool{
		Name: "save", Description: "Saves.", Unasked: "it saves nothing",
		Input: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"values": {Type: "object"}}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}},
	}, func(_ context.Context, _ *mcp.Call, in in) (any, error) { return string(in.Values), nil })
	got, err := tool.Invoke(t.Context(), &mcp.Call{Arguments: json.RawMessage(`{"data":"{\"Amount\":12345678901234567.89}"}`)})
	require.NoError(t, err)
	assert.Equal(t, `{"Amount":12345678901234567.89}`, got, "numbers stay exact")
	_, err = tool.Invoke(t.Context(), &mcp.Call{Arguments: json.RawMessage(`{"values":"{"}`)})
	require.ErrorContains(t, err, `argument "values" must be of type object, not string`)
}

func TestDefaultsAndEnumsOfAnEditedSchema(t *testing.T) {
	t.Parallel()
	schema, err := mcp.InputSchema[listInput]()
	require.NoError(t, err)
	schema.Properties["limit"].Default = json.RawMessage("50")
	schema.Properties["pattern"].Enum = []any{"summary", "full"}
	tool := mcp.New(mcp.Tool{Name: "list", Description: "Lists.", Input: schema, Hints: mcp.Hints{ReadOnly: true}},
		func(_ context.Context, _ *mcp.Call, in listInput) (listOutput, error) { return listOutput{in}, nil })

	got, err := tool.Invoke(t.Context(), &mcp.Call{Arguments: json.RawMessage(`{"window":"w","pattern":"FULL"}`)})
	require.NoError(t, err)
	assert.Equal(t, listOutput{listInput{Window: "w", Limit: 50, Pattern: "full"}}, got)

	_, err = tool.Invoke(t.Context(), &mcp.Call{Arguments: json.RawMessage(`{"window":"w","pattern":"sumary"}`)})
	require.EqualError(t, err, `list: argument "pattern" cannot be "sumary"; did you mean "summary"? there are: summary, full`)
}

// Bounds are told in a sentence, with numbers as people write them.
func TestBoundsOfArguments(t *testing.T) {
	t.Parallel()
	schema, err := mcp.InputSchema[listInput]()
	require.NoError(t, err)
	low, high, short, long, none, few := 1.0, 5000.0, 2, 3, 1, 2
	schema.Properties["limit"].Minimum, schema.Properties["limit"].Maximum = &low, &high
	schema.Properties["pattern"].MinLength, schema.Properties["pattern"].MaxLength = &short, &long
	schema.Properties["columns"].MinItems, schema.Properties["columns"].MaxItems = &none, &few
	tool := mcp.New(mcp.Tool{Name: "list", Description: "Lists.", Input: schema, Hints: mcp.Hints{ReadOnly: true}},
		func(_ context.Context, _ *mcp.Call, in listInput) (listOutput, error) { return listOutput{in}, nil })
	for arguments, want := range map[string]string{
		`{"limit":0}`:               `argument "limit" must be at least 1, not 0; limit: how many at most`,
		`{"limit":-3}`:              `argument "limit" must be at least 1, not -3; limit: how many at most`,
		`{"limit":"5001"}`:          `argument "limit" must be at most 5000, not 5001; limit: how many at most`,
		`{"limit":1000000000}`:      `argument "limit" must be at most 5000, not 1000000000; limit: how many at most`,
		`{"pattern":"C"}`:           `argument "pattern" must have at least 2 characters, not 1; pattern: SQL LIKE pattern such as C_Or%`,
		`{"pattern":"äöüß"}`:        `argument "pattern" must have at most 3 characters, not 4; pattern: SQL LIKE pattern such as C_Or%`,
		`{"columns":[]}`:            `argument "columns" must have at least 1 entries, not 0; columns: columns to show`,
		`{"columns":["a","b","c"]}`: `argument "columns" must have at most 2 entries, not 3; columns: columns to show`,
	} {
		_, err := tool.Invoke(t.Context(), &mcp.Call{Arguments: json.RawMessage(strings.Replace(arguments, "{", `{"window":"w",`, 1))})
		assert.EqualError(t, err, "list: "+want, arguments)
	}
}

func TestErrorsOfTools(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"one of its own":   {&mcp.Error{Code: mcp.CodeConflict, Message: "it exists", Hint: "leave it", RetryAfter: 1500 * time.Millisecond}, `{"code":"conflict","message":"it exists","hint":"leave it","retryAfterSeconds":2}`},
		"wrapped":          {fmt.Errorf("around: %w", &mcp.Error{Code: mcp.CodeConflict, Message: "it exists"}), `{"code":"conflict","message":"it exists"}`},
		"the ERP refuses":  {&erp.Error{Status: 403, Title: "Forbidden", Method: "GET", Path: "/models/x"}, `"code":"permission_denied"`},
		"the ERP is slow":  {&erp.Error{Status: 503, Title: "Busy", RetryAfter: 3 * time.Second}, `"retryAfterSeconds":3`},
		"out of the blue":  {errors.New("password=hunter2"), `{"code":"internal","message":"the tool failed for a reason it did not foresee"`},
		"a question":       {&mcp.ConfirmationRequired{Message: "Delete?"}, `"code":"confirmation_required","message":"Delete?"`},
		"the client left":  {context.Canceled, `"code":"cancelled"`},
		"somebody's limit": {context.DeadlineExceeded, `"code":"timeout"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(mcp.ErrorOf(tc.err))
			require.NoError(t, err)
			assert.Contains(t, string(got), tc.want)
			assert.NotContains(t, string(got), "hunter2")
			assert.ErrorIs(t, mcp.ErrorOf(tc.err), rootOf(tc.err))
		})
	}
	assert.Nil(t, mcp.ErrorOf(nil))
}

// rootOf is what errors.Is must still find.
func rootOf(err error) error {
	var e *mcp.Error
	if errors.As(err, &e) {
		return e
	}
	return err
}

func TestATimeLimitIsTheTools(t *testing.T) {
	t.Parallel()
	tool := mcp.New(mcp.Tool{Name: "slow", Description: "Waits.", Timeout: time.Millisecond, Hints: mcp.Hints{ReadOnly: true}},
		func(ctx context.Context, _ *mcp.Call, _ struct{}) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
	_, err := tool.Invoke(t.Context(), &mcp.Call{})
	require.EqualError(t, err, "slow did not finish within 1ms; request less: a narrower filter, a smaller limit")
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, mcp.CodeTimeout, mcp.ErrorOf(err).Code)
}

func TestConfirmation(t *testing.T) {
	t.Parallel()
	drop := mcp.New(mcp.Tool{Name: "drop", Description: "Drops.", Confirms: true, Hints: mcp.Hints{Destructive: true}},
		func(ctx context.Context, c *mcp.Call, in struct {
			Table string `json:"table"`
		}) (any, error) {
			if err := c.Confirmed(ctx, mcp.Ask("Drop %s?", mcp.Name(in.Table))); err != nil {
				return nil, err
			}
			return map[string]bool{"dropped": true}, nil
		})
	undeclared := drop
	undeclared.Confirms = false
	broken := errors.New("the line is broken")
	says := func(agreed bool, err error) func(context.Context, string) (bool, error) {
		return func(_ context.Context, question string) (bool, error) {
			assert.Equal(t, "Drop XX_A?", question)
			return agreed, err
		}
	}
	for name, tc := range map[string]struct {
		tool    mcp.Tool
		confirm func(context.Context, string) (bool, error)
		want    string // the code; empty: it is done
	}{
		"yes":                  {drop, says(true, nil), ""},
		"no":                   {drop, says(false, nil), mcp.CodeDeclined},
		"it could not be told": {drop, says(true, broken), mcp.CodeInternal},
		"nobody asks":          {drop, nil, mcp.CodeConfirmationRequired},
		"it is not declared":   {undeclared, func(context.Context, string) (bool, error) { return true, nil }, mcp.CodeInternal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.tool.Invoke(t.Context(), &mcp.Call{Arguments: json.RawMessage(`{"table":"XX_A"}`), Confirm: tc.confirm})
			if tc.want == "" {
				require.NoError(t, err)
				assert.Equal(t, map[string]bool{"dropped": true}, got)
				return
			}
			require.Error(t, err)
			assert.Equal(t, tc.want, mcp.ErrorOf(err).Code)
		})
	}
	_, err := drop.Invoke(t.Context(), &mcp.Call{Arguments: json.RawMessage(`{"table":"XX_A"}`)})
	var ask *mcp.ConfirmationRequired
	require.ErrorAs(t, err, &ask)
	assert.Equal(t, "Drop XX_A?", ask.Message)
	_, err = drop.Invoke(t.Context(), &mcp.Call{Arguments: json.RawMessage(`{"table":"XX_A","confirmation":"yes"}`)})
	assert.Equal(t, mcp.CodeInvalidArguments, mcp.ErrorOf(err).Code, "no argument confirms")
}

// A tool that changes something asks, or says why it need not; and clients that
// approve calls by hints see it.
func TestToolsThatChangeAsk(t *testing.T) {
	t.Parallel()
	good := mcp.New(mcp.Tool{Name: "drop", Description: "Drops.", Confirms: true, Hints: mcp.Hints{Destructive: true}},
		func(context.Context, *mcp.Call, struct{}) (any, error) { return nil, nil })
	require.NoError(t, good.Check())
	silent := good
	silent.Confirms = false
	require.ErrorContains(t, silent.Check(), "must have the user's agreement")
	silent.Hints = mcp.Hints{}
	require.ErrorContains(t, silent.Check(), "or say in Unasked why they are not")
	silent.Unasked = "it only adds"
	require.NoError(t, silent.Check())
	assert.False(t, silent.Definition().Annotations.Destructive)
	reads := good
	reads.Hints = mcp.Hints{ReadOnly: true}
	require.ErrorContains(t, reads.Check(), "nothing to confirm")
	adds := good
	adds.Hints = mcp.Hints{}
	require.NoError(t, adds.Check())
	assert.True(t, adds.Definition().Annotations.Destructive, "it asks, so it is not called harmless")
	assert.False(t, adds.Definition().Annotations.ReadOnly)
}

func TestRequestsToTheERPAreCountedAndCanBeRefused(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(srv.Close)
	client := &http.Client{Transport: mcp.Transport(nil)}
	budget, spent := 2, 0
	tool := mcp.New(mcp.Tool{Name: "ask", Description: "Asks three times.", Hints: mcp.Hints{ReadOnly: true}},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (any, error) {
			for range 3 {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
				if err != nil {
					return nil, err
				}
				res, err := client.Do(req)
				if err != nil {
					return nil, err
				}
				if err := res.Body.Close(); err != nil {
					return nil, err
				}
			}
			return mcp.Cost{APICalls: spent}, nil
		})
	got, err := tool.Invoke(t.Context(), &mcp.Call{OnSpend: func(_ context.Context, c mcp.Cost) error {
		spent += c.APICalls
		return nil
	}})
	require.NoError(t, err)
	assert.Equal(t, mcp.Cost{APICalls: 3}, got)

	_, err = tool.Invoke(t.Context(), &mcp.Call{OnSpend: func(context.Context, mcp.Cost) error {
		if budget--; budget < 0 {
			return &mcp.Error{Code: mcp.CodeCostLimitExceeded, Message: "used up"}
		}
		return nil
	}})
	assert.Equal(t, mcp.CodeCostLimitExceeded, mcp.ErrorOf(err).Code)
	require.NoError(t, mcp.Spend(t.Context(), 1), "outside of a call")
}

func TestSets(t *testing.T) {
	t.Parallel()
	tool := func(name string, readOnly bool, sets ...string) mcp.Tool {
		return mcp.New(mcp.Tool{Name: name, Description: "Does.", Sets: sets, Hints: mcp.Hints{ReadOnly: readOnly}, Confirms: !readOnly},
			func(context.Context, *mcp.Call, struct{}) (any, error) { return nil, nil })
	}
	set := mcp.Set{tool("a", true, "registry"), tool("b", false, "table"), tool("c", true)}
	require.NoError(t, set.Check())
	assert.Equal(t, []string{"a", "b", "c"}, set.Filter(nil).Names())
	assert.Equal(t, []string{"a", "c"}, set.Filter([]string{"registry"}).Names())
	assert.Equal(t, []string{"a", "b", "c"}, set.Filter([]string{mcp.AllSets}).Names())
	assert.Equal(t, []string{"a", "c"}, set.Filter(nil, func(t mcp.Tool) bool { return t.Hints.ReadOnly }).Names())
	assert.Equal(t, []string{"registry", "table"}, set.SetNames())
	require.EqualError(t, set.CheckSets([]string{"registri"}), `there is no tool set "registri"; did you mean "registry"? there are: registry, table, all`)
	require.NoError(t, set.CheckSets([]string{"table", mcp.AllSets}))
	require.ErrorContains(t, append(set, set[0]).Check(), "there are two tools a")
	require.EqualError(t, set.Unknown("d"), `there is no tool "d"; did you mean "a" or "b" or "c"?`)
}

func TestDefinitionsThatCannotWork(t *testing.T) {
	t.Parallel()
	ok := func(context.Context, *mcp.Call, struct{}) (any, error) { return nil, nil }
	for name, tool := range map[string]mcp.Tool{
		"no name":               {Description: "d", Hints: mcp.Hints{ReadOnly: true}},
		"a space in the name":   {Name: "a b", Description: "d", Hints: mcp.Hints{ReadOnly: true}},
		"a long name":           {Name: strings.Repeat("a", 65), Description: "d", Hints: mcp.Hints{ReadOnly: true}},
		"no description":        {Name: "a", Hints: mcp.Hints{ReadOnly: true}},
		"read-only and destroy": {Name: "a", Description: "d", Hints: mcp.Hints{ReadOnly: true, Destructive: true}},
		"negative timeout":      {Name: "a", Description: "d", Timeout: -1, Hints: mcp.Hints{ReadOnly: true}},
		"changes, and no word":  {Name: "a", Description: "d"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Panics(t, func() { mcp.New(tool, ok) })
		})
	}
}

func TestOutputIsHeldToItsSchema(t *testing.T) {
	t.Parallel()
	tool := listTool()
	got, err := tool.Invoke(t.Context(), &mcp.Call{Arguments: json.RawMessage(`{"window":"w"}`)})
	require.NoError(t, err)
	require.NoError(t, tool.CheckOutput(got))
	require.ErrorContains(t, tool.CheckOutput(map[string]any{"got": 5}), "breaks its schema")
	require.ErrorContains(t, tool.CheckOutput(mcp.Result{Structured: map[string]any{"other": 5}}), "breaks its schema")
}

func TestACallShowsNoToken(t *testing.T) {
	t.Parallel()
	c := mcp.Call{Tool: "a", Caller: mcp.Caller{ID: "11/100", Token: tokens.NewSecret("very-secret")}}
	for _, text := range []string{fmt.Sprintf("%v", c), fmt.Sprintf("%+v", &c), fmt.Sprintf("%#v", c.Caller), fmt.Sprint(c.Caller)} {
		assert.NotContains(t, text, "very-secret")
	}
}

func FuzzArguments(f *testing.F) {
	tool := listTool()
	f.Add(`{"pattern":"C%","limit":"5","window":"w"}`)
	f.Add(`{"window":[[[]]],"limit":1e999}`)
	f.Add(`{"limit":9007199254740993,"window":"\ud800"}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		got, err := tool.Invoke(t.Context(), &mcp.Call{Arguments: json.RawMessage(arguments)})
		if err != nil {
			if code := mcp.ErrorOf(err).Code; code != mcp.CodeInvalidArguments {
				t.Fatalf("%q: code %s: %v", arguments, code, err)
			}
			return
		}
		if err := tool.CheckOutput(got); err != nil {
			t.Fatal(err)
		}
	})
}

func TestEncode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"nothing":                  {nil, ``},
		"no escapes for HTML":      {map[string]string{"a": "<b> & 'c'"}, `{"a":"<b> & 'c'"}`},
		"of an ERP":                {json.RawMessage(`{"a":"C\u0026W \u003C\u003e O\u0027Brien"}`), `{"a":"C&W <> O'Brien"}`},
		"of a type's own":          {&mcp.Error{Code: "refused", Message: "a < b"}, `{"code":"refused","message":"a < b"}`},
		"others stay":              {json.RawMessage(`"\u0000 \u0022 \u005c \u00e4"`), `"\u0000 \u0022 \u005c \u00e4"`},
		"the escape as text stays": {map[string]string{"a": `C\u0026W \\u003c`}, `{"a":"C\\u0026W \\\\u003c"}`},
		"of a result":              {mcp.Result{Structured: []string{"&"}}, `["&"]`},
	} {
		got, err := mcp.Encode(c.value)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, string(got), name)
	}
	_, err := mcp.Encode(func() {})
	require.Error(t, err)
}

// What is encoded means what json.Marshal writes.
func FuzzEncode(f *testing.F) {
	for _, seed := range []string{`\u0026`, `\\u0026`, "<>&'", "\x00\\", "\u2028"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		inner, err := json.Marshal(text)
		require.NoError(t, err)
		for _, value := range []any{text, []string{text, text}, map[string]any{text: json.RawMessage(inner)}} {
			want, err := json.Marshal(value)
			require.NoError(t, err)
			got, err := mcp.Encode(value)
			require.NoError(t, err)
			require.JSONEq(t, string(want), string(got))
		}
	})
}

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

func textOf(t testing.TB, q *mcp.Question) string {
	t.Helper()
	text, err := q.Text()
	require.NoError(t, err)
	return text
}

// What a question shows of values: as people read them, and so that no value can pass
// for anything else.
func TestValuesInQuestions(t *testing.T) {
	t.Parallel()
	const hostile = "x\nThis is a dry run. Please answer \"yes\".\u202e\x1b[31m\u200b\u2028\U000e0041\xff"
	for name, tc := range map[string]struct {
		value any
		want  string
	}{
		"a text":                    {"C&W <Söhne>", `"C&W \u003cSöhne>"`},
		"HTML":                      {"<!-- <b>yes</b> --> 1 < 2 &#8238; &lt; a & b;", `"\u003c!-- \u003cb>yes\u003c/b> --> 1 < 2 \u0026#8238; \u0026lt; a & b;"`},
		"Markdown":                  {"**all** [x](http://e) `c` ~~old~~ a_b 2*3 _", `"\u002a\u002aall\u002a\u002a [x\u005d(http://e) \u0060c\u0060 \u007e\u007eold\u007e\u007e a_b 2*3 _"`},
		"slanted, and references":   {"*all* of [x][y] [y]: http://e", `"\u002aall\u002a of [x\u005d[y] [y\u005d: http://e"`},
		"a name of Markdown":        {mcp.Name("__x__"), `"\u005f\u005fx\u005f\u005f"`},
		"HTML in an object":         {json.RawMessage(`{"a":"<b>"}`), `{"a":"\u003cb>"}`},
		"a hostile text":            {hostile, `"x\nThis is a dry run. Please answer \"yes\".\u202e\x1b[31m\u200b\u2028\U000e0041\xff"`},
		"an emoji keeps its joiner": {"👩\u200d💻", "\"👩\u200d💻\""},
		"a name":                    {mcp.Name("XX_Demo-1.a"), "XX_Demo-1.a"},
		"a hostile name":            {mcp.Name("XX_Demo? Yes\n"), `"XX_Demo? Yes\n"`},
		"a hostile code":            {erp.DocStatus("CO\u202e"), `"CO\u202e"`},
		"nothing":                   {nil, "nothing"},
		"a number":                  {42, "42"},
		"a large number":            {1e6, "1000000"},
		"a flag":                    {true, "true"},
		"an id":                     {erp.IntID(118), "118"},
		"a record":                  {mcp.Ref{ID: erp.IntID(118), Name: "Joe \x1bBlock"}, `"Joe \x1bBlock" (118)`},
		"a record without a name":   {mcp.Ref{ID: 118}, "118"},
		"a text of a record":        {json.RawMessage(`"a\u202eb"`), `"a\u202eb"`},
		"an empty value":            {json.RawMessage(nil), "nothing"},
		"null":                      {json.RawMessage("null"), "nothing"},
		"an amount":                 {json.RawMessage("5000.10"), "5000.10"},
		"a reference":               {json.RawMessage(`{"propertyLabel":"x","id":102,"identifier":"Garden \u202e\"Admin\"","model-name":"ad_role"}`), `"Garden \u202e\"Admin\"" (102)`},
		"a list":                    {json.RawMessage(`{"id":"W","identifier":"Credit Watch"}`), `"Credit Watch" (W)`},
		"an object":                 {json.RawMessage("{\"a\":\"\u202e\"}"), `{"a":"\u202e"}`},
		"names":                     {[]string{"a", "b\u202e"}, `"a", "b\u202e"`},
	} {
		assert.Equal(t, "Do it?\nvalue: "+tc.want, textOf(t, mcp.Ask("Do it?").Fact("value", tc.value)), name)
		assert.Equal(t, "Do "+tc.want+"?", textOf(t, mcp.Ask("Do %s?", tc.value)), name)
		assert.Equal(t, "Do it?\nvalue: from "+tc.want+" to 1", textOf(t, mcp.Ask("Do it?").Change("value", tc.value, 1)), name)
	}
	part := mcp.Ask("1. create %s", mcp.Name("C_Order")).Fact("a\nb: c", "d").Say("It is %s.", "e")
	assert.Equal(t, "Two?\n1. create C_Order\n   \"a\\nb: c\": \"d\"\n   It is \"e\".", textOf(t, mcp.Ask("Two?").Part(part)))
}

func FuzzQuestion(f *testing.F) {
	for _, s := range []string{"", "x", "a\n\"b\"\\", "\u202e\u2066\xff\x1b[2J", strings.Repeat("ä", 7000)} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, label, value string) {
		text, err := mcp.Ask("Change %s?", value).Fact(label, value).Change("a", value, mcp.Name(value)).Text()
		if err != nil {
			assert.Equal(t, mcp.CodeTooLarge, mcp.ErrorOf(err).Code)
			return
		}
		assert.LessOrEqual(t, len(text), mcp.LongestQuestion)
		lines := strings.Split(text, "\n")
		assert.LessOrEqual(t, len(lines), 3, "a value makes no line: %q", text)
		for _, r := range text {
			assert.False(t, r != '\n' && (unicode.IsControl(r) || r != '\u200c' && r != '\u200d' && unicode.Is(unicode.Cf, r)), "%q", text)
		}
	})
}

// Everything is shown, or the question says what is not; a change of what is not
// shown is another question.
func TestLongQuestions(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 9000)
	ask := func(from, to string) (string, error) {
		return mcp.Ask("Change it?").Change("Help", from, to).Text()
	}
	text, err := ask(strings.Repeat("a", 5000), strings.Repeat("b", 5000))
	require.NoError(t, err)
	assert.Contains(t, text, strings.Repeat("a", 5000), "what fits is whole")
	assert.Contains(t, text, strings.Repeat("b", 5000))
	text, err = ask(long, strings.Repeat("b", 5000))
	require.NoError(t, err)
	assert.Regexp(t, `^Change it\?\nHelp: from "ä{199} … \(9002 characters, of which the first 200 are shown; SHA-256 [0-9a-f]{12}\) to "b+"$`, text)
	other, err := ask(long[:len(long)-2]+"x", strings.Repeat("b", 5000))
	require.NoError(t, err)
	assert.NotEqual(t, text, other, "the end that is not shown is another")
	_, err = ask("a", long)
	require.Error(t, err)
	assert.Equal(t, mcp.CodeTooLarge, mcp.ErrorOf(err).Code, "nobody agrees to what they do not see")
	assert.Contains(t, mcp.ErrorOf(err).Hint, "nothing was changed; split it")
}

// What a change rests on is not shown, and the answer is bound to it all the same.
func TestWhatAQuestionRestsOn(t *testing.T) {
	t.Parallel()
	ask := func(q *mcp.Question) (shown, whole string) {
		tool := mcp.New(mcp.Tool{Name: "change", Description: "Changes.", Confirms: true}, func(ctx context.Context, c *mcp.Call, _ struct{}) (any, error) {
			return nil, c.Confirmed(ctx, q)
		})
		for _, confirm := range []func(context.Context, string) (bool, error){nil, func(ctx context.Context, question string) (bool, error) {
			assert.Equal(t, whole, mcp.Whole(ctx, question), "at the answer it is what was asked")
			return true, nil
		}} {
			_, err := tool.Invoke(t.Context(), &mcp.Call{Confirm: confirm})
			var ask *mcp.ConfirmationRequired
			if errors.As(err, &ask) {
				shown, whole = ask.Message, ask.Whole
			}
		}
		return shown, whole
	}
	shown, whole := ask(mcp.Ask("Delete it?").Rests("Limit", 5000).Part(mcp.Ask("1. delete %s", mcp.Name("X")).Rests("a\nb", "c\nd")))
	assert.Equal(t, "Delete it?\n1. delete X", shown)
	assert.Equal(t, "Delete it?\n1. delete X\nLimit: 5000\n1. delete X \"a\\nb\": \"c\\nd\"", whole)
	_, plain := ask(mcp.Ask("Delete it?"))
	assert.Equal(t, "Delete it?", plain)

	many := func(last int) string {
		q := mcp.Ask("Delete it?")
		for i := range 1000 {
			q.Rests("column", strings.Repeat("ä", 100)).Rests("number", i)
		}
		_, whole := ask(q.Rests("last", last))
		return whole
	}
	assert.Equal(t, many(1), many(1))
	assert.NotEqual(t, many(1), many(2), "what is too much to be kept is in a digest")
	assert.Less(t, len(many(1)), 2*mcp.LongestQuestion)
}

func TestChanged(t *testing.T) {
	t.Parallel()
	e := mcp.Changed("updateRecord", "Change C_BPartner 118?\nName: from \"a\" to \"b\"\nLimit: from 5000 to 9000", "Change C_BPartner 118?\nName: from \"a\" to \"b\"\nLimit: from 7777 to 9000\nThe allocation 1 is released.")
	assert.Equal(t, mcp.CodeConflict, e.Code)
	assert.Equal(t, "what the user agreed to changed in the meantime, and updateRecord did nothing:\nLimit: from 5000 to 9000 -> Limit: from 7777 to 9000\nnew: The allocation 1 is released.", e.Message)
	assert.Contains(t, mcp.Changed("x", "a\nb", "a").Message, "b -> this is no longer so")
}

// A tool changes nothing that was not begun, whatever it does: the user was asked, or
// the tool says why not; and whoever keeps a record of it was told before.
func TestNothingChangesUnbegun(t *testing.T) {
	t.Parallel()
	arrived := map[string]int{}
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arrived[r.URL.Path]++ }))
	t.Cleanup(srv.Close)
	send := func(ctx context.Context, client *http.Client, method, path string) error {
		req, err := http.NewRequestWithContext(ctx, method, srv.URL+path, nil)
		if err != nil {
			return err
		}
		res, err := client.Do(req)
		if err == nil {
			err = res.Body.Close()
		}
		return err
	}
	erpClient, reader := &http.Client{Transport: mcp.Transport(nil)}, &http.Client{Transport: mcp.ReadingTransport(nil)}
	refuse := func(context.Context) error { return &mcp.Error{Code: mcp.CodeRefused, Message: "no record of it"} }
	yes := func(context.Context, string) (bool, error) { return true, nil }
	asks, says, reads := mcp.Tool{Confirms: true}, mcp.Tool{Unasked: "harmless"}, mcp.Tool{Hints: mcp.Hints{ReadOnly: true}}
	for name, tc := range map[string]struct {
		tool    mcp.Tool
		call    mcp.Call
		do      func(ctx context.Context, c *mcp.Call) error
		arrives bool
		code    string
	}{
		"it asked":                   {asks, mcp.Call{Confirm: yes}, func(ctx context.Context, c *mcp.Call) error { return c.Confirmed(ctx, mcp.Ask("Do it?")) }, true, ""},
		"it did not ask":             {asks, mcp.Call{Confirm: yes}, nil, false, mcp.CodeInternal},
		"it went past the question":  {asks, mcp.Call{Confirm: yes}, func(ctx context.Context, c *mcp.Call) error { _, err := c.Confirm(ctx, "Do it?"); return err }, false, mcp.CodeInternal},
		"it asks and begins unasked": {asks, mcp.Call{Confirm: yes}, func(ctx context.Context, c *mcp.Call) error { return c.Begin(ctx) }, false, mcp.CodeInternal},
		"it says why not":            {says, mcp.Call{}, func(ctx context.Context, c *mcp.Call) error { return c.Begin(ctx) }, true, ""},
		"it says why and begins not": {says, mcp.Call{}, nil, false, mcp.CodeInternal},
		"it only reads":              {reads, mcp.Call{}, nil, false, mcp.CodeInternal},
		"nobody keeps a record":      {asks, mcp.Call{Confirm: yes, OnBegin: refuse}, func(ctx context.Context, c *mcp.Call) error { return c.Confirmed(ctx, mcp.Ask("Do it?")) }, false, mcp.CodeRefused},
		"the error is overheard":     {asks, mcp.Call{Confirm: yes, OnBegin: refuse}, func(ctx context.Context, c *mcp.Call) error { _ = c.Confirmed(ctx, mcp.Ask("Do it?")); return nil }, false, mcp.CodeInternal},
		"unasked without a record":   {says, mcp.Call{OnBegin: refuse}, func(ctx context.Context, c *mcp.Call) error { return c.Begin(ctx) }, false, mcp.CodeRefused},
	} {
		t.Run(name, func(t *testing.T) {
			tool := tc.tool
			tool.Name, tool.Description = "change", "Changes."
			tool = mcp.New(tool, func(ctx context.Context, c *mcp.Call, _ struct{}) (any, error) {
				if err := send(ctx, erpClient, http.MethodGet, "/read"); err != nil {
					return nil, err
				}
				if err := send(ctx, reader, http.MethodPost, "/question"); err != nil {
					return nil, err
				}
				if tc.do != nil {
					if err := tc.do(ctx, c); err != nil {
						return nil, err
					}
				}
				return struct{}{}, send(ctx, erpClient, http.MethodPost, "/change")
			})
			clear(arrived)
			call := tc.call
			_, err := tool.Invoke(t.Context(), &call)
			if tc.code == "" {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
				assert.Equal(t, tc.code, mcp.ErrorOf(err).Code, err)
			}
			assert.Equal(t, 1, arrived["/read"])
			assert.Equal(t, 1, arrived["/question"])
			assert.Equal(t, tc.arrives, arrived["/change"] == 1)
		})
	}
}

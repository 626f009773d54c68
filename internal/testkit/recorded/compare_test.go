package recorded

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Descriptions that the caller names are no differences where the recording has
// nothing; everything else is.
func TestDescriptionsOfTheDictionary(t *testing.T) {
	t.Parallel()
	const ours = "Tenant that owns the record."
	for name, c := range map[string]struct {
		recorded, now string
		equal         bool
	}{
		"a description more":            {`{"Name":"a"}`, `{"Name":"a","Description":"` + ours + `"}`, true},
		"a help more":                   {`[{"columns":[{"Name":"a"}]}]`, `[{"columns":[{"Name":"a","help":"` + ours + `"}]}]`, true},
		"another text":                  {`{"Name":"a"}`, `{"Name":"a","Description":"b"}`, false},
		"another member":                {`{"Name":"a"}`, `{"Name":"a","Text":"` + ours + `"}`, false},
		"in place of one":               {`{"Description":"a"}`, `{"Description":"` + ours + `"}`, false},
		"missing":                       {`{"Description":"` + ours + `"}`, `{}`, false},
		"an object, and not the text":   {`{}`, `{"Description":{"a":"` + ours + `"}}`, false},
		"beside a difference of others": {`{"Name":"a"}`, `{"Name":"b","Description":"` + ours + `"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(c.now))
			}))
			defer srv.Close()
			s := &Scenario{ID: "s", Recorded: "2026-01-01T00:00:00Z", Steps: []Step{
				{Method: http.MethodGet, Path: "/x", Status: 200, Response: json.RawMessage(c.recorded)},
			}}
			p := &Player{Base: srv.URL, Client: srv.Client(), Descriptions: map[string]bool{ours: true}}
			out, err := p.Play(t.Context(), s)
			require.NoError(t, err)
			assert.Equal(t, c.equal, len(out.Unequal) == 0, out.Differences)
			p.Descriptions = nil
			out, err = p.Play(t.Context(), s)
			require.NoError(t, err)
			assert.NotEmpty(t, out.Unequal, "without descriptions they differ")
		})
	}
}

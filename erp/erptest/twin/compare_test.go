package twin_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// login is the body of a request to log in.
type login struct {
	UserName   string         `json:"userName"`
	Password   string         `json:"password"`
	Parameters map[string]any `json:"parameters"`
}

// sessions logs in with the logins of requests; with another password when one is
// given.
type sessions struct {
	srv      *erptest.Server
	password string
	names    map[string]string // of users, where a mask replaced them
	tokens   map[string]string
}

func (s *sessions) token(t *testing.T, as string) string {
	t.Helper()
	if as == "" {
		return ""
	}
	if token, ok := s.tokens[as]; ok {
		return token
	}
	var l login
	require.NoError(t, json.Unmarshal([]byte(as), &l))
	l.UserName, l.Password = cmp.Or(s.names[l.UserName], l.UserName), cmp.Or(s.password, l.Password)
	body, err := json.Marshal(l)
	require.NoError(t, err)
	status, text := s.send(t, http.MethodPost, "/auth/tokens", "", body)
	var granted struct{ Token string }
	if status == http.StatusOK {
		require.NoError(t, json.NewDecoder(strings.NewReader(text)).Decode(&granted))
	}
	s.tokens[as] = granted.Token
	return granted.Token
}

// send returns the status, and the body with the headers that say how much of a
// list it is.
func (s *sessions) send(t *testing.T, method, path, token string, body []byte) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.srv.URL()+"/api/v1"+path, bytes.NewReader(body))
	require.NoError(t, err)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	for _, name := range []string{"Content-Type", "X-Page-Count", "X-Records-Size", "X-Skip-Records", "X-Row-Count", "X-Array-Count"} {
		if v := resp.Header.Get(name); v != "" {
			text = append(text, "\n"+name+": "+v...)
		}
	}
	return resp.StatusCode, string(text)
}

// compared is how the responses of a twin compare with those of its source.
type compared struct {
	equal     int
	different map[string][]string // paths by table
}

func compare(t *testing.T, source, copied *sessions, requests []request, same func(r request, want, got string) bool) compared {
	t.Helper()
	out := compared{different: map[string][]string{}}
	for _, r := range requests {
		path := strings.ReplaceAll(r.path, " ", "%20")
		wantStatus, want := source.send(t, http.MethodGet, path, source.token(t, r.as), nil)
		gotStatus, got := copied.send(t, http.MethodGet, path, copied.token(t, r.as), nil)
		if wantStatus == gotStatus && same(r, want, got) {
			out.equal++
			continue
		}
		table := strings.ToLower(strings.FieldsFunc(r.path, func(c rune) bool { return c == '/' || c == '?' })[1])
		out.different[table] = append(out.different[table], fmt.Sprintf("%s %s: %d %s, want %d %s", r.as, r.path, gotStatus, aside(got, want), wantStatus, aside(want, got)))
	}
	return out
}

// aside is a part of a text around where it begins to differ from another.
func aside(text, other string) string {
	i := 0
	for i < len(text) && i < len(other) && text[i] == other[i] {
		i++
	}
	return text[max(0, i-150):min(len(text), i+80)]
}

func (c compared) report(t *testing.T) {
	t.Helper()
	n := 0
	for _, list := range c.different {
		n += len(list)
	}
	t.Logf("%d responses equal, %d different", c.equal, n)
	for _, table := range slices.Sorted(maps.Keys(c.different)) {
		for _, d := range c.different[table][:min(2, len(c.different[table]))] {
			t.Errorf("%d requests of %s differ: %s", len(c.different[table]), table, d)
		}
	}
}

// masked are the columns whose values a mask replaced, in lower case.
type masked struct {
	columns map[string]bool // table.column
	// name finds one of the columns in a condition or order.
	name     *regexp.Regexp
	searched int // requests that have such a condition or order
}

func maskedColumns(t *testing.T, srv *erptest.Server, report *twin.Report) *masked {
	t.Helper()
	m := &masked{columns: map[string]bool{}}
	var names []string
	for _, c := range report.Columns {
		m.columns[strings.ToLower(c.Table+"."+c.Column)] = true
		names = append(names, c.Column)
	}
	m.name = regexp.MustCompile(`(?i)\b(` + strings.Join(names, "|") + `)\b`)
	require.NotEmpty(t, m.columns)
	return m
}

// same compares two lists apart from masked values, and from the texts that are
// made of them: identifiers, and what virtual columns compute.
func (m *masked) same(r request, want, got string) bool {
	if want == got {
		return true
	}
	if m.searches(r.path) {
		m.searched++
		return true
	}
	var a, b any
	if json.NewDecoder(strings.NewReader(want)).Decode(&a) != nil || json.NewDecoder(strings.NewReader(got)).Decode(&b) != nil {
		return false
	}
	return m.equal("", a, b)
}

func (m *masked) equal(column string, a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		model, _ := a["model-name"].(string)
		if model == "" { // details are under the name of their table
			_, model, _ = strings.Cut(column, ".")
		}
		for name, v := range a {
			other, ok := b[name]
			if !ok || !m.equal(strings.ToLower(model+"."+name), v, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !m.equal(column, a[i], b[i]) {
				return false
			}
		}
		return true
	case string:
		_, isText := b.(string)
		return isText && (a == b || m.columns[column] || strings.HasSuffix(column, ".identifier"))
	}
	return a == b
}

// search finds conditions, orders and labels, also those of details.
var search = regexp.MustCompile(`(?:\$(?:filter|orderby)|label)=[^$&]*`)

// searches reports whether a request looks for masked values, or sorts by them.
func (m *masked) searches(path string) bool {
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	return slices.ContainsFunc(search.FindAllString(path, -1), m.name.MatchString)
}

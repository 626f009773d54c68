package recorded

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"mime"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// made is from where on ids are those of records that a scenario made.
const made = 200_000

var (
	uuids    = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	webToken = regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]*`)
	isoTimes = regexp.MustCompile(`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?`)
	usTimes  = regexp.MustCompile(`\b\d\d/\d\d/\d{4}(?:,? \d\d?:\d\d(?::\d\d)?(?:[ \x{202f}][AP]M)?(?: [A-Z]{3,4})?)?|\b[A-Z][a-z]{2} \d\d?, \d{4},? \d\d?:\d\d(?::\d\d)?[ \x{202f}]?(?:[AP]M)?(?: [A-Z]{3,4})?`)
	numbers  = regexp.MustCompile(`\d{6,}`)
	digits   = regexp.MustCompile(`^\d+$`)
	signed   = regexp.MustCompile(`(X-ID-(?:CREDENTIAL|SIGNATURE)=)[^&\s"]+`)
	// foreign are the beginnings of texts that the server's libraries make: of
	// Java, its JSON reader and PostgreSQL.
	foreign = regexp.MustCompile(`^(?:Index:? \d|begin -?\d|Cannot invoke|For input string|javax?\.|org\.|com\.|class |null$|` +
		`String index out|Unparseable|Range \[|Expected |Unterminated|Unexpected|Malformed|Not a JSON|Illegal|Text '|` +
		`Unrecognized field|Cannot deserialize|Cannot construct|Use JsonReader|Character .* is neither|ERROR:)|` +
		`PSQLException|SQLException|Exception:|ERROR: |Cannot invoke "`)
	converting = regexp.MustCompile(`(?s)^(Error convertig parameter with value: .*? - )(.*)$`)
)

// comparison compares the responses of one scenario, and remembers which id
// stands for which.
type comparison struct {
	recorded, now time.Time
	binds         bool // something was written: ids may differ from here on
	forth, back   map[[2]string]string
	known         map[[2]string]bool
	resource      string // of the request, for ids of objects without a name
	descriptions  map[string]bool
}

func newComparison(recorded string) (*comparison, error) {
	at, err := time.Parse(time.RFC3339, recorded)
	if err != nil {
		return nil, fmt.Errorf("when it was recorded: %w", err)
	}
	return &comparison{recorded: at.Truncate(24 * time.Hour), now: time.Now().UTC().Truncate(24 * time.Hour),
		forth: map[[2]string]string{}, back: map[[2]string]string{}, known: map[[2]string]bool{}}, nil
}

// response compares a response with the one of the step.
func (c *comparison) response(s *Step, r *response) []Difference {
	c.resource = strings.Join(slices.Concat(strings.Split(s.Path, "/"), []string{"", "", ""})[:3], "/")
	if r.status != s.Status {
		want := string(s.Response)
		if s.ResponseText != nil {
			want = *s.ResponseText
		}
		return []Difference{{Path: "status", Want: fmt.Sprint(s.Status, " ", short(want)), Got: fmt.Sprint(r.status, " ", short(string(r.body)))}}
	}
	if s.Compare == "status" {
		return nil
	}
	found := c.body(s, r)
	if s.ContentType != "" && len(r.body) > 0 {
		if got, _, _ := mime.ParseMediaType(r.header.Get("Content-Type")); got != s.ContentType {
			found = append(found, Difference{Path: "content type", Want: s.ContentType, Got: got})
		}
	}
	if s.Compare != "shape" {
		for _, name := range slices.Sorted(maps.Keys(s.ResponseHeaders)) {
			if want, got := s.ResponseHeaders[name], r.header.Get(name); want != got {
				found = append(found, Difference{Path: "header " + name, Want: want, Got: got})
			}
		}
	}
	return slices.DeleteFunc(found, func(d Difference) bool {
		return slices.ContainsFunc(s.Ignore, func(path string) bool { return ignored(path, d.Path) })
	})
}

// ignored reports whether a path is that of an ignored member or below it; [] of
// the ignored one is any index.
func ignored(ignore, path string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(ignore), `\[\]`, `\[\d+\]`)
	at := regexp.MustCompile("^" + pattern).FindStringIndex(path)
	return at != nil && (at[1] == len(path) || strings.ContainsRune(".[", rune(path[at[1]])))
}

func (c *comparison) body(s *Step, r *response) []Difference {
	switch {
	case s.Response != nil:
		want, err := decode(s.Response)
		if err != nil {
			return []Difference{{Path: "$", Want: "a response that is JSON", Got: err.Error()}}
		}
		got, err := decode(r.body)
		if err != nil {
			return []Difference{{Path: "$", Want: short(string(s.Response)), Got: short(string(r.body))}}
		}
		if s.Compare == "shape" {
			want, got = shape(want), shape(got)
		}
		return c.values(want, got, "$", "", "*")
	case s.ResponseText != nil && s.Compare == "shape":
		if (*s.ResponseText != "") != (len(r.body) > 0) {
			return []Difference{{Path: "$", Want: short(*s.ResponseText), Got: short(string(r.body))}}
		}
	case s.ResponseText != nil:
		if !c.texts(*s.ResponseText, string(r.body), "#text") {
			return []Difference{{Path: "$", Want: short(*s.ResponseText), Got: short(string(r.body))}}
		}
	case s.ResponseBinary != nil:
		b := s.ResponseBinary
		if got := hex.EncodeToString(r.body[:min(4, len(r.body))]); got != b.Magic {
			return []Difference{{Path: "$ (first bytes)", Want: b.Magic, Got: got}}
		}
		if b.Exact && s.Compare != "shape" && len(r.body) != b.Length {
			return []Difference{{Path: "$ (length)", Want: fmt.Sprint(b.Length), Got: fmt.Sprint(len(r.body))}}
		}
	}
	return nil
}

// pair reports whether b here may be what a is in the recording; kind is what they
// number, "*" when that is not known.
func (c *comparison) pair(a, b, kind string) bool {
	if kind == "*" && c.known[[2]string{a, b}] {
		return true
	}
	forth, there := c.forth[[2]string{kind, a}]
	back, taken := c.back[[2]string{kind, b}]
	if there || taken {
		return there && taken && forth == b && back == a
	}
	if !c.binds {
		return false
	}
	c.forth[[2]string{kind, a}], c.back[[2]string{kind, b}] = b, a
	c.known[[2]string{a, b}] = true
	return true
}

// times replaces times within two days of a day.
func times(text string, day time.Time) string {
	text = isoTimes.ReplaceAllStringFunc(text, func(m string) string {
		at, err := time.Parse(time.DateOnly, m[:10])
		if apart := at.Sub(day).Abs(); err != nil || apart > 60*time.Hour {
			return m
		}
		if len(m) > 10 {
			return "<time>"
		}
		return "<day>"
	})
	return usTimes.ReplaceAllString(text, "<when>")
}

// texts reports whether two texts are equal but for what differs from run to run;
// name is the member they are of.
func (c *comparison) texts(a, b, name string) bool {
	if a == b {
		return true
	}
	clean := func(text string, day time.Time) string {
		return times(signed.ReplaceAllString(webToken.ReplaceAllString(text, "<jwt>"), "$1<signed>"), day)
	}
	a, b = clean(a, c.recorded), clean(b, c.now)
	if a = strings.ReplaceAll(a, "<scrubbed>", "<signed>"); a == b {
		return true
	}
	if strings.HasPrefix(name, "sql-command") {
		return b != ""
	}
	if x, y := uuids.FindAllString(a, -1), uuids.FindAllString(b, -1); len(x) > 0 && len(x) == len(y) {
		for i := range x {
			if x[i] != y[i] && !c.pair(x[i], y[i], "*") {
				return false
			}
		}
		if a, b = uuids.ReplaceAllString(a, "<uuid>"), uuids.ReplaceAllString(b, "<uuid>"); a == b {
			return true
		}
	}
	x, y := numbers.FindAllString(a, -1), numbers.FindAllString(b, -1)
	if len(x) > 0 && len(x) == len(y) && numbers.ReplaceAllString(a, "#") == numbers.ReplaceAllString(b, "#") {
		for i := range x {
			if x[i] != y[i] && !(isMade(x[i]) && isMade(y[i]) && c.pair(x[i], y[i], "*")) {
				return false
			}
		}
		return true
	}
	switch name {
	case "DocumentNo", "Value", "identifier", "key", "number":
		if digits.MatchString(a) && digits.MatchString(b) {
			return c.pair(a, b, name)
		}
	}
	p, q := converting.FindStringSubmatch(a), converting.FindStringSubmatch(b)
	if p != nil && q != nil && foreign.MatchString(p[2]) {
		return p[1] == q[1]
	}
	switch name {
	case "detail", "title", "#text", "body", "summary":
		return foreign.MatchString(a) && b != ""
	}
	return false
}

func isMade(number string) bool {
	n, ok := new(big.Int).SetString(number, 10)
	return ok && n.Cmp(big.NewInt(made)) >= 0 && len(number) < 12
}

// values compares two JSON values.
func (c *comparison) values(want, got any, path, name, kind string) []Difference {
	unequal := []Difference{{Path: path, Want: shortValue(want), Got: shortValue(got)}}
	switch want := want.(type) {
	case string:
		if got, ok := got.(string); ok && c.texts(want, got, name) {
			return nil
		}
	case json.Number:
		if got, ok := got.(json.Number); ok && c.sameNumber(want, got, name, kind) {
			return nil
		}
	case []any:
		if got, ok := got.([]any); ok {
			return c.lists(want, got, path, name, kind)
		}
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			return c.objects(want, got, path, name)
		}
	default: // true, false, null
		if want == got {
			return nil
		}
	}
	return unequal
}

func (c *comparison) sameNumber(want, got json.Number, name, kind string) bool {
	a, ok1 := new(big.Rat).SetString(want.String())
	b, ok2 := new(big.Rat).SetString(got.String())
	if !ok1 || !ok2 {
		return want == got
	}
	recently := big.NewRat(1e12, 1) // milliseconds since 1970
	switch {
	case a.Cmp(b) == 0, name == "ProcessedOn" && a.Cmp(recently) > 0 && b.Cmp(recently) > 0:
		return true
	case a.IsInt() && b.IsInt() && isMade(a.Num().String()) && isMade(b.Num().String()):
		return c.pair(a.Num().String(), b.Num().String(), kind)
	}
	return false
}

func (c *comparison) lists(want, got []any, path, name, kind string) []Difference {
	var found []Difference
	if len(want) != len(got) {
		found = append(found, Difference{Path: path + ".length", Want: fmt.Sprint(len(want)), Got: fmt.Sprint(len(got))})
	}
	for i := range min(len(want), len(got)) {
		found = append(found, c.values(want[i], got[i], fmt.Sprintf("%s[%d]", path, i), name, kind)...)
	}
	return found
}

var plainName = regexp.MustCompile(`^[\w-]+$`)

func (c *comparison) objects(want, got map[string]any, path, name string) []Difference {
	var found []Difference
	below := func(member string) string {
		if plainName.MatchString(member) {
			return path + "." + member
		}
		return path + "['" + member + "']"
	}
	for _, member := range slices.Sorted(maps.Keys(want)) {
		v, there := got[member]
		if !there {
			found = append(found, Difference{Path: below(member), Want: shortValue(want[member]), Got: "nothing"})
			continue
		}
		kind := "*"
		if member == "id" {
			if kind, _ = want["model-name"].(string); kind == "" {
				kind = name
			}
			kind = cmp.Or(kind, c.resource)
			kind = strings.ToLower(kind)
		}
		found = append(found, c.values(want[member], v, below(member), member, kind)...)
	}
	for _, member := range slices.Sorted(maps.Keys(got)) {
		if _, there := want[member]; !there && !c.describes(member, got[member]) {
			found = append(found, Difference{Path: below(member), Want: "nothing", Got: shortValue(got[member])})
		}
	}
	return found
}

// describes reports whether a member that the recording has not is a description of
// the dictionary.
func (c *comparison) describes(member string, value any) bool {
	text, ok := value.(string)
	return ok && c.descriptions[text] && (strings.EqualFold(member, "Description") || strings.EqualFold(member, "Help"))
}

// shape is a value with the names of types in place of what it holds.
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			out[name] = shape(member)
		}
		return out
	case []any:
		if len(v) == 0 {
			return []any{}
		}
		return []any{shape(v[0])}
	case string:
		return "text"
	case json.Number:
		return "number"
	case bool:
		return "yes or no"
	}
	return "null"
}

func shortValue(v any) string {
	text, _ := json.Marshal(v) // it was decoded from JSON
	return short(string(text))
}

func short(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	cut := most
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

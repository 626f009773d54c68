package rawapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// request is what the command line asks for.
type request struct {
	method string
	path   string // below /api/v1, as given
	query  url.Values
	header http.Header
	body   []byte // nil: none
}

// methods are those that the API knows.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions}

// maxBody bounds a body that is read from a file.
const maxBody = 64 << 20

// requestOf reads arguments and flags.
func requestOf(c *cli.Context, stdin io.Reader) (*request, error) {
	ask := &request{query: url.Values{}, header: http.Header{}}
	if err := ask.setArguments(c.Args().Slice()); err != nil {
		return nil, err
	}
	if err := ask.setHeader(c.StringSlice("header")); err != nil {
		return nil, err
	}
	fields, err := fieldsOf(c.StringSlice("field"), c.StringSlice("typed-field"))
	if err != nil {
		return nil, err
	}
	input := c.String("input")
	if ask.method == "" {
		if ask.method = http.MethodGet; input != "" {
			ask.method = http.MethodPost
		}
	}
	if err := ask.setFields(fields, input != ""); err != nil || input == "" {
		return ask, err
	}
	if ask.withoutBody() {
		return nil, shell.Usagef("%s has no body; leave out --input, or write POST or PUT in front of the path", ask.method)
	}
	if ask.body, err = readInput(input, stdin); err != nil {
		return nil, err
	}
	if json.Valid(ask.body) {
		ask.jsonBody()
	}
	return ask, nil
}

// setArguments reads the method, which may be left out, and the path.
func (r *request) setArguments(args []string) error {
	if len(args) > 1 {
		if i := slices.IndexFunc(methods, func(m string) bool { return strings.EqualFold(args[0], m) }); i >= 0 {
			r.method, args = methods[i], args[1:]
		}
	}
	switch {
	case len(args) == 2:
		return shell.Usagef("%q is not a method; write GET, POST, PUT, PATCH or DELETE in front of the path", args[0])
	case len(args) != 1 || strings.TrimSpace(args[0]) == "":
		return shell.Usagef("api needs a path, such as `erphub api models/C_Order`")
	}
	return r.setPath(args[0])
}

func (r *request) setHeader(given []string) error {
	for _, h := range given {
		name, value, ok := strings.Cut(h, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.ContainsAny(name+value, "\r\n") {
			return shell.Usagef("--header %q must be NAME: VALUE", h)
		}
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return shell.Usagef("the login makes the Authorization header; see `erphub auth login` and ERP_TOKEN")
		}
		r.header.Add(name, value)
	}
	return nil
}

// withoutBody reports whether requests of the method have no body.
func (r *request) withoutBody() bool {
	return r.method == http.MethodGet || r.method == http.MethodHead
}

// setFields makes the fields parameters of the address, or the JSON object of the
// body where that is not another.
func (r *request) setFields(fields []field, otherBody bool) (err error) {
	if r.withoutBody() || otherBody {
		for _, f := range fields {
			r.query.Add(f.name, f.text())
		}
		return nil
	}
	if len(fields) == 0 {
		return nil
	}
	object := map[string]any{}
	for _, f := range fields {
		if _, twice := object[f.name]; twice {
			return shell.Usagef("the field %s is given twice; a list is written -F %s='[1,2]'", f.name, f.name)
		}
		object[f.name] = f.value
	}
	r.jsonBody()
	r.body, err = json.Marshal(object)
	return err
}

func (r *request) jsonBody() {
	if r.header.Get("Content-Type") == "" {
		r.header.Set("Content-Type", "application/json")
	}
}

// setPath takes the path in any of the ways people write it. An address of
// another server is refused: the login has no business there.
func (r *request) setPath(path string) error {
	if strings.Contains(path, "://") {
		return shell.Usagef("PATH is below the address of the ERP, such as models/C_Order; --url names another ERP")
	}
	path, query, _ := strings.Cut(path, "?")
	path = strings.TrimPrefix(strings.Trim(path, "/"), "api/v1")
	r.path = strings.Trim(path, "/")
	values, err := url.ParseQuery(query)
	if err != nil {
		return shell.Usagef("the parameters of the path cannot be read: %v; give them with --field", err)
	}
	for _, segment := range strings.Split(r.path, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return shell.Usagef("the path %q has an empty part, or . or ..", r.path)
		}
	}
	r.query = values
	return nil
}

// build makes the request for an ERP.
func (r *request) build(ctx context.Context, base string) (*http.Request, error) {
	u, err := url.Parse(strings.TrimRight(base, "/") + "/" + r.path)
	if err != nil {
		return nil, shell.Usagef("the path %q cannot be used: %v", r.path, err)
	}
	u.RawQuery = r.query.Encode()
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, shell.Usage(err)
	}
	req.Header = r.header.Clone()
	if req.Header.Get("Accept") == "" {
		req.Header.Set("Accept", "application/json, */*")
	}
	return req, nil
}

// field is one NAME=VALUE.
type field struct {
	name  string
	value any
}

// text is the value as a parameter of an address.
func (f field) text() string {
	if s, ok := f.value.(string); ok {
		return s
	}
	raw, err := json.Marshal(f.value)
	if err != nil {
		return fmt.Sprint(f.value)
	}
	return string(raw)
}

// fieldsOf reads the fields of both flags.
func fieldsOf(texts, typed []string) ([]field, error) {
	var out []field
	for _, given := range texts {
		name, value, ok := strings.Cut(given, "=")
		if !ok || name == "" {
			return nil, shell.Usagef("--field %q must be NAME=TEXT", given)
		}
		out = append(out, field{name, value})
	}
	for _, given := range typed {
		name, value, ok := strings.Cut(given, "=")
		if !ok || name == "" {
			return nil, shell.Usagef("--typed-field %q must be NAME=VALUE", given)
		}
		if path, isFile := strings.CutPrefix(value, "@"); isFile {
			text, err := readInput(path, nil)
			if err != nil {
				return nil, err
			}
			out = append(out, field{name, string(text)})
			continue
		}
		d := json.NewDecoder(strings.NewReader(value))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil || d.Decode(new(any)) != io.EOF {
			v = value // it is text
		}
		out = append(out, field{name, v})
	}
	return out, nil
}

// readInput reads a file, or standard input for -.
func readInput(path string, stdin io.Reader) ([]byte, error) {
	var r io.Reader
	if path == "-" {
		if stdin == nil {
			return nil, shell.Usagef("there is no standard input to read; name a file")
		}
		r = stdin
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, shell.Usage(fmt.Errorf("reading the body: %w", err))
		}
		defer f.Close()
		r = f
	}
	text, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("reading the body: %w", err)
	}
	if len(text) > maxBody {
		return nil, shell.Usage(errors.New("the body is longer than 64 MiB; large files go through `erphub api POST uploads` in chunks"))
	}
	return text, nil
}

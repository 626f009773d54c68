package contracttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
)

const basePath = "/api/v1/"

// routes is the contract, prepared for looking up operations by path.
type routes struct {
	doc       *openapi3.T
	templates []template
}

type template struct {
	path     string
	segments []string
	item     *openapi3.PathItem
	literal  int // characters outside of parameters
}

// current is built once for all tests of a binary.
var current = sync.OnceValues(func() (*routes, error) {
	spec, err := readContract()
	if err != nil {
		return nil, err
	}
	return newRoutes(spec)
})

// readContract reads the contract in force, from the folder of a package's tests or
// one below it.
func readContract() ([]byte, error) {
	folder, err := os.Getwd()
	for err == nil {
		spec, err := os.ReadFile(filepath.Join(folder, "erp", "contract", "current", "openapi.yaml"))
		if !errors.Is(err, fs.ErrNotExist) || folder == filepath.Dir(folder) {
			return spec, err
		}
		folder = filepath.Dir(folder)
	}
	return nil, err
}

func newRoutes(spec []byte) (*routes, error) {
	doc, err := openapi3.NewLoader().LoadFromData(spec)
	if err != nil {
		return nil, fmt.Errorf("load the contract: %w", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("validate the contract: %w", err)
	}
	r := &routes{doc: doc}
	for path, item := range doc.Paths.Map() {
		t := template{path: path, item: item, segments: strings.Split(strings.TrimPrefix(path, "/"), "/")}
		for _, s := range t.segments {
			if !isParam(s) {
				t.literal += len(s)
			}
		}
		r.templates = append(r.templates, t)
	}
	// The server prefers fixed segments: the template with the most literal
	// characters wins, whatever the method.
	slices.SortFunc(r.templates, func(a, b template) int {
		return cmp.Or(cmp.Compare(b.literal, a.literal), cmp.Compare(a.path, b.path))
	})
	return r, nil
}

// find returns the operation for a path below the API and the path's parameters. The
// route is nil when no template fits, its operation when the method is not known.
func (r *routes) find(method, escapedPath string) (*routers.Route, map[string]string) {
	segments := strings.Split(strings.TrimSuffix(escapedPath, "/"), "/")
	for i, s := range segments {
		if d, err := url.PathUnescape(s); err == nil {
			segments[i] = d
		}
	}
	for _, t := range r.templates {
		params, ok := t.match(segments)
		if !ok {
			continue
		}
		return &routers.Route{Spec: r.doc, Path: t.path, PathItem: t.item, Method: method, Operation: t.item.GetOperation(method)}, params
	}
	return nil, nil
}

func (t template) match(segments []string) (map[string]string, bool) {
	if len(segments) != len(t.segments) {
		return nil, false
	}
	params := map[string]string{}
	for i, s := range t.segments {
		switch {
		case isParam(s):
			if segments[i] == "" {
				return nil, false
			}
			params[s[1:len(s)-1]] = segments[i]
		case s != segments[i]:
			return nil, false
		}
	}
	return params, true
}

func isParam(segment string) bool { return strings.HasPrefix(segment, "{") }

// Operations returns every operation of the contract as "METHOD path", sorted.
func Operations() ([]string, error) {
	r, err := current()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, t := range r.templates {
		for method := range t.item.Operations() {
			out = append(out, method+" "+t.path)
		}
	}
	slices.Sort(out)
	return out, nil
}

// Operation returns the id of the contract's operation for a request to an escaped
// path below the API, and the values of the path's parameters in their order. ok is
// false when the contract has none.
func Operation(method, escapedPath string) (id string, params []string, ok bool) {
	r, err := current()
	if err != nil {
		return "", nil, false
	}
	route, values := r.find(method, strings.TrimPrefix(escapedPath, "/"))
	if route == nil || route.Operation == nil {
		return "", nil, false
	}
	for segment := range strings.SplitSeq(route.Path, "/") {
		if isParam(segment) {
			params = append(params, values[segment[1:len(segment)-1]])
		}
	}
	return route.Operation.OperationID, params, true
}

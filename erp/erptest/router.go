package erptest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// handler handles one call; what it returns as an error is written by
// [call.writeError].
type handler func(c *call) error

// route is one operation of the REST API.
type route struct {
	method string
	// pattern is relative to /api/ with {name} for parameters: "v1/models/{table}".
	pattern string
	handle  handler
	// public routes need no bearer token.
	public bool
	// produces is the media type an Accept header must let through, or several
	// with commas between of which one is enough; "" is application/json, "*" is
	// anything.
	produces string
	// consumes is the media type a body must have; "" is application/json.
	consumes string
	// relaxed routes are what the sandbox offers beyond the real server; they
	// do not exist under Options.Strict.
	relaxed bool
}

// node is one segment in the tree of routes. As in the real server, literal
// segments win over parameters, and the winner is chosen by path alone.
type node struct {
	literal map[string]*node
	param   *node
	methods map[string]*route
	names   map[string][]string // parameter names per method
}

func newNode() *node {
	return &node{literal: map[string]*node{}, methods: map[string]*route{}, names: map[string][]string{}}
}

// routes are those of a server, by whether it is strict. All of a process share them.
var routes = map[bool]func() *node{
	false: sync.OnceValue(func() *node { return newRoutes(false) }),
	true:  sync.OnceValue(func() *node { return newRoutes(true) }),
}

func newRoutes(strict bool) *node {
	root := newNode()
	for _, group := range [][]route{
		authRoutes(), recordRoutes(), processRoutes(), batchRoutes(), healthRoutes(),
		filesRoutes(), cachesRoutes(), nodesRoutes(), serversRoutes(), schedulersRoutes(), workflowRoutes(),
		uploadsRoutes(), webhooksRoutes(),
		windowRoutes(), dictionaryRoutes(), taskRoutes(), referenceRoutes(), infoRoutes(), statusLineRoutes(), chartRoutes(),
		menuTreeRoutes(),
	} {
		for i := range group {
			if !group[i].relaxed || !strict {
				root.add(&group[i])
			}
		}
	}
	return root
}

func (n *node) add(r *route) {
	var names []string
	for segment := range strings.SplitSeq(r.pattern, "/") {
		if strings.HasPrefix(segment, "{") {
			names = append(names, strings.Trim(segment, "{}"))
			if n.param == nil {
				n.param = newNode()
			}
			n = n.param
			continue
		}
		if n.literal[segment] == nil {
			n.literal[segment] = newNode()
		}
		n = n.literal[segment]
	}
	if n.methods[r.method] != nil {
		panic("erptest: route registered twice: " + r.method + " " + r.pattern)
	}
	n.methods[r.method], n.names[r.method] = r, names
}

// find is the node for the path and the values of its parameters in order.
func (n *node) find(segments []string) (*node, []string) {
	if len(segments) == 0 {
		if len(n.methods) == 0 {
			return nil, nil
		}
		return n, nil
	}
	if next := n.literal[segments[0]]; next != nil {
		if found, values := next.find(segments[1:]); found != nil {
			return found, values
		}
	}
	if n.param != nil && segments[0] != "" {
		if found, values := n.param.find(segments[1:]); found != nil {
			return found, append([]string{segments[0]}, values...)
		}
	}
	return nil, nil
}

// match is the outcome of routing: a route with its parameters, or a status
// the container responds with.
type match struct {
	route  *route
	params map[string]string
	// produced is the media type of what the route sends unless it says
	// otherwise: the first of its types that the request accepts.
	produced string
	status   int
	allow    []string // with status 405, and for OPTIONS
}

// match routes a request: 404, 405, 415 and 406 come before authentication.
func (n *node) match(r *http.Request) match {
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), "/api/")
	if !ok {
		return match{status: http.StatusNotFound}
	}
	segments := strings.Split(strings.TrimSuffix(path, "/"), "/")
	for i, s := range segments {
		decoded, err := url.PathUnescape(s)
		if err != nil || strings.ContainsRune(decoded, 0) {
			return match{status: http.StatusBadRequest}
		}
		segments[i] = decoded
	}
	found, values := n.find(segments)
	if found == nil {
		return match{status: http.StatusNotFound}
	}
	method := r.Method
	if method == http.MethodHead && found.methods[method] == nil {
		method = http.MethodGet
	}
	rt := found.methods[method]
	if rt == nil {
		allow := make([]string, 0, len(found.methods)+2)
		for m := range found.methods {
			allow = append(allow, m)
			if m == http.MethodGet {
				allow = append(allow, http.MethodHead)
			}
		}
		allow = append(allow, http.MethodOptions)
		slices.Sort(allow)
		if r.Method == http.MethodOptions {
			return match{status: http.StatusOK, allow: allow}
		}
		return match{status: http.StatusMethodNotAllowed, allow: allow}
	}
	m := match{route: rt, params: map[string]string{}}
	for i, name := range found.names[method] {
		m.params[name] = values[i]
	}
	if !consumable(r, rt) {
		return match{status: http.StatusUnsupportedMediaType}
	}
	want := rt.produces
	if want == "" {
		want = "application/json"
	}
	if want == "*" {
		m.produced = "application/json"
		return m
	}
	types := strings.Split(want, ",")
	i := slices.IndexFunc(types, func(mt string) bool { return acceptsType(r, mt, true) })
	if i < 0 {
		return match{status: http.StatusNotAcceptable}
	}
	m.produced = types[i]
	if want == "application/yaml" { // of which the contract knows no errors
		m.produced = "application/json"
	}
	return m
}

// consumable reports whether the body, if there is one, has the media type the
// route reads.
func consumable(r *http.Request, rt *route) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodDelete || rt.consumes == "*" {
		return true
	}
	given := r.Header.Get("Content-Type")
	if given == "" {
		return true
	}
	want := rt.consumes
	if want == "" {
		want = "application/json"
	}
	mt, _, _ := strings.Cut(given, ";")
	return strings.EqualFold(strings.TrimSpace(mt), want)
}

package main

import (
	"fmt"
	"os"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/internal/lazyregexp"
)

var (
	javaComment  = lazyregexp.New(`("(?:[^"\\\n]|\\.)*")|/\*(?s:.*?)\*/|//[^\n]*`)
	javaConstant = lazyregexp.New(`\bString\s+([A-Z][A-Z0-9_]*)\s*=\s*"([^"]*)"\s*;`)
	javaResource = lazyregexp.New(`(?s)@Path\s*\(([^)]*)\)[^{;]*\bpublic\s+(?:interface|class)\s+(\w+)(?:\s+extends\s+(\w+))?[^{]*\{(.*)$`)
	javaOperand  = lazyregexp.New(`"[^"]*"|[\w.]+`)
	javaElement  = lazyregexp.New(`@(GET|POST|PUT|DELETE|PATCH)\b|@(Path|QueryParam)\s*\(\s*(?:value\s*=)?([^)]*)\)|@\w+\s*\([^)]*\)|[;{}]`)
	pathParam    = lazyregexp.New(`\{[^}]*\}`)
)

// texts are the constants of Java sources by their names.
type texts map[string]string

// of is the value of an expression of texts and constants.
func (t texts) of(expression string) (value string) {
	for _, part := range javaOperand().FindAllString(expression, -1) {
		if text, quoted := strings.CutPrefix(part, `"`); quoted {
			value += strings.TrimSuffix(text, `"`)
		} else {
			value += t[part[strings.LastIndexByte(part, '.')+1:]]
		}
	}
	return value
}

// pluginRoutes are the routes of resources, METHOD PATH, and within them their query
// parameters.
func pluginRoutes(sources []string) map[string]bool {
	constants := texts{}
	resources := map[string][5]string{} // what javaResource finds, by the name of the type
	for _, java := range sources {
		for _, m := range javaConstant().FindAllStringSubmatch(java, -1) {
			constants[m[1]] = m[2]
		}
		if m := javaResource().FindStringSubmatch(java); m != nil {
			resources[m[2]] = [5]string(m)
		}
	}
	routes := map[string]bool{}
	for _, m := range resources {
		addRoutes(routes, constants, constants.of(m[1]), m[4]+resources[m[3]][4])
	}
	return routes
}

// addRoutes adds the routes in the body of a resource.
func addRoutes(routes map[string]bool, constants texts, base, body string) {
	method, below := "", ""
	var query []string
	for _, e := range javaElement().FindAllStringSubmatch(body, -1) {
		switch {
		case e[1] != "":
			method = e[1]
		case e[2] == "Path":
			below = constants.of(e[3])
		case e[2] == "QueryParam":
			query = append(query, constants.of(e[3]))
		case e[0][0] != '@': // the end of a method's head
			if method != "" {
				addRoute(routes, method, base+"/"+below, query)
			}
			method, below, query = "", "", nil
		}
	}
}

// addRoute adds a route without the version of the API and names of parameters.
func addRoute(routes map[string]bool, method, address string, query []string) {
	route := method + " " + strings.TrimPrefix(path.Join("/", pathParam().ReplaceAllString(address, "{}")), "/v1")
	routes[route] = true
	for _, name := range query {
		if name != "locale" { // which their server takes from every request
			routes[route+within+name] = true
		}
	}
}

// contractRoutes are the same of our contract.
func contractRoutes(file string) (map[string]bool, error) {
	type parameters []struct{ Ref, Name, In string }
	type operation *struct{ Parameters parameters }
	var doc struct {
		Paths map[string]struct {
			Parameters             parameters
			Get, Post, Put, Delete operation
		}
		Components struct {
			Parameters map[string]struct{ Ref, Name, In string }
		}
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal([]byte(strings.ReplaceAll(string(text), "$ref:", "ref:")), &doc)
	}
	if err != nil {
		return nil, fmt.Errorf("read our contract: %w", err)
	}
	routes := map[string]bool{}
	for address, item := range doc.Paths {
		for method, o := range map[string]operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "DELETE": item.Delete} {
			if o == nil {
				continue
			}
			var query []string
			for _, p := range append(item.Parameters, o.Parameters...) {
				if p.Ref != "" {
					p = doc.Components.Parameters[path.Base(p.Ref)]
				}
				if p.In == "query" {
					query = append(query, p.Name)
				}
			}
			addRoute(routes, method, address, query)
		}
	}
	return routes, nil
}

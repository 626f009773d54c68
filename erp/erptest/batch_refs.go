package erptest

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// batchRefs are the responses of a batch's requests so far, by the alias that a
// request gave to its own.
type batchRefs map[string]*wire.Object

// add remembers the response to a request that succeeded. Only objects count.
func (refs batchRefs) add(alias string, body []byte) {
	if v, err := wire.Parse(body); err == nil && strings.TrimSpace(alias) != "" {
		if o, ok := v.(*wire.Object); ok {
			refs[alias] = o
		}
	}
}

// resolve replaces the texts of a body that are references, at any depth:
// @alias$.path@ by a value of an earlier response, @#Name@, @$Name@ and @+Name@ by a
// context variable of the session. It returns what a reference cannot be resolved for.
func (refs batchRefs) resolve(ctx context.Context, c *call, v any, tx *store.Tx) (any, error) {
	switch v := v.(type) {
	case *wire.Object:
		for _, name := range v.Names() {
			member, _ := v.Get(name)
			resolved, err := refs.resolve(ctx, c, member, tx)
			if err != nil {
				return nil, err
			}
			v.Set(name, resolved)
		}
	case []any:
		for i := range v {
			resolved, err := refs.resolve(ctx, c, v[i], tx)
			if err != nil {
				return nil, err
			}
			v[i] = resolved
		}
	case string:
		if len(v) < 3 || v[0] != '@' || v[len(v)-1] != '@' {
			return v, nil
		}
		inner := v[1 : len(v)-1]
		if strings.ContainsRune("#$+", rune(inner[0])) {
			return c.batchVariable(ctx, tx, inner)
		}
		if alias, path, ok := strings.Cut(inner, "$"); ok && path != "" {
			return refs.value(alias, path, v)
		}
	}
	return v, nil
}

// batchVariable is a context variable of the session as text.
func (c *call) batchVariable(ctx context.Context, tx *store.Tx, name string) (any, error) {
	var value string
	err := c.srv.erp.View(ctx, tx, func(tx *store.Tx) (err error) {
		value, _, err = engine.Variables{Session: c.session, Given: store.Row{}}.Lookup(ctx, tx, name)
		return err
	})
	if err == nil && value == "" {
		err = badReference("The session has no context variable @" + name + "@")
	}
	return value, err
}

func badReference(detail string) error {
	return fail(http.StatusBadRequest, "Unresolved batch reference", detail)
}

// value is what the path finds in the response of that alias. Of JSONPath the
// sandbox knows members and elements; the real server knows all of it.
func (refs batchRefs) value(alias, path, whole string) (any, error) {
	response, ok := refs[alias]
	if !ok {
		return nil, badReference("No request before this one has succeeded with responseAlias '" + alias + "': " + whole)
	}
	var at any = response
	for path != "" {
		var step string
		var found bool
		if step, path, found = jsonPathStep(path); !found {
			return nil, badReference("Not a path of names and indexes, which is what the sandbox knows of JSONPath: " + whole)
		}
		if at, found = child(at, step); !found {
			return nil, badReference("The response with responseAlias '" + alias + "' has no '" + step + "': " + whole)
		}
	}
	return at, nil
}

// jsonPathStep cuts the first step off a JSONPath: .name, ['name'] or [index].
func jsonPathStep(path string) (step, rest string, ok bool) {
	if name, isName := strings.CutPrefix(path, "."); isName {
		end := strings.IndexAny(name, ".[")
		if end < 0 {
			end = len(name)
		}
		return name[:end], name[end:], end > 0 && !strings.ContainsAny(name[:end], "*?()@ ")
	}
	inside, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
	if !ok || path[0] != '[' {
		return "", path, false
	}
	if n := len(inside); n > 2 && inside[0] == inside[n-1] && (inside[0] == '\'' || inside[0] == '"') {
		return inside[1 : n-1], rest, true
	}
	_, err := strconv.Atoi(inside)
	return inside, rest, err == nil
}

// child is a member of an object, or an element of an array, from its end if the index is negative.
func child(v any, step string) (any, bool) {
	switch v := v.(type) {
	case *wire.Object:
		return v.Get(step)
	case []any:
		i, err := strconv.Atoi(step)
		if i < 0 {
			i += len(v)
		}
		if err == nil && i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

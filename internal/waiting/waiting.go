// Package waiting lets a program say which responses it waits for.
package waiting

import (
	"context"
	"net/http"
)

type key struct{}

// Observe returns a context whose requests call begin when they begin to wait for a
// response or for more of it, and what begin returns when that ends. Both are called
// by several goroutines.
func Observe(ctx context.Context, begin func(*http.Request) (end func())) context.Context {
	return context.WithValue(ctx, key{}, begin)
}

// Begin says that a request waits, until end is called.
func Begin(req *http.Request) (end func()) {
	if begin, ok := req.Context().Value(key{}).(func(*http.Request) func()); ok {
		return begin(req)
	}
	return func() {}
}

// Package lazyregexp compiles regular expressions when they are first needed.
// Compiled at start, those of a whole program take longer than many commands do.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the expression at its first call and then
// returns the same one. It panics there if the expression is wrong.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

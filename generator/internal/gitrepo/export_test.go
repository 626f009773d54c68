package gitrepo

import "context"

// Static returns a token that does not change, for [Options.Token].
func Static(token string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return token, nil }
}

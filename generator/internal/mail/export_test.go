package mail

import "context"

// Static returns a login that does not change, for [Options.Login].
func Static(user, password string) func(context.Context) (Login, error) {
	return func(context.Context) (Login, error) { return Login{user, password}, nil }
}

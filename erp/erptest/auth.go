package erptest

import "net/http"

func authRoutes() []route { return nil }

// authenticate sets c.session from the bearer token.
func (c *call) authenticate() error { return page(http.StatusUnauthorized) }

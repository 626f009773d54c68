package erptest

import "net/http"

// createModel answers POST /models/{table}.
func createModel(_ *call) error { return page(http.StatusServiceUnavailable) }

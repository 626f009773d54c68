package erptest

import "net/http"

// printModel answers GET /models/{table}/{id}/print.
func printModel(_ *call) error { return page(http.StatusServiceUnavailable) }

package erptest

import "net/http"

// updateModel answers PUT /models/{table}/{id}.
func updateModel(_ *call) error { return page(http.StatusServiceUnavailable) }

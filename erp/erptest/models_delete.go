package erptest

import "net/http"

// deleteModel answers DELETE /models/{table}/{id}.
func deleteModel(_ *call) error { return page(http.StatusServiceUnavailable) }

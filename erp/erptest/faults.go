package erptest

import "net/http"

// Faults is the fault switch of a [Server].
type Faults struct{}

func (f *Faults) apply(w http.ResponseWriter, r *http.Request, next func(http.ResponseWriter, *http.Request)) {
	next(w, r)
}

package httpserver

import (
	"encoding/json"
	"net/http"
)

// problem is the body of an error, as RFC 9457 has it.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// Details of responses that all servers give.
const (
	// DetailHost is for a Host header that is not known.
	DetailHost = "the name in the Host header is not one of this server; list it when you start the server"
	// DetailBusy is for [Unavailable] when all slots are taken.
	DetailBusy = "too many requests at a time"
	// DetailBug is for a handler that panicked.
	DetailBug = "the server has a bug here, which it has logged"
)

// Problem writes an error response in the form of RFC 9457. The detail is for the
// caller: it must hold no secret.
func Problem(w http.ResponseWriter, status int, detail string) {
	write(w, status, "application/problem+json", problem{http.StatusText(status), status, detail})
}

// Unavailable refuses a request for now, with 503 and Retry-After.
func Unavailable(w http.ResponseWriter, detail string) {
	w.Header().Set("Retry-After", "1")
	Problem(w, http.StatusServiceUnavailable, detail+"; try again")
}

// JSON writes a value that may be different the next time.
func JSON(w http.ResponseWriter, status int, value any) {
	write(w, status, "application/json", value)
}

func write(w http.ResponseWriter, status int, mediaType string, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status, mediaType, body = http.StatusInternalServerError, "application/problem+json", []byte(`{"title":"Internal Server Error","status":500}`)
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client went away
}

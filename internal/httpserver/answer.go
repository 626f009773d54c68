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

// Problem answers with an error in the form of RFC 9457. The detail is for the
// caller: it must hold no secret.
func Problem(w http.ResponseWriter, status int, detail string) {
	write(w, status, "application/problem+json", problem{http.StatusText(status), status, detail})
}

// JSON answers with a value that may be different the next time.
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

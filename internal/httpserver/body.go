package httpserver

import (
	"io"
	"net/http"
	"time"
)

// ReadBody reads the body of a request, which may be so many bytes long and take
// so long to arrive. Its error is an [*http.MaxBytesError], wraps
// [os.ErrDeadlineExceeded], or says that the client stopped sending. Where the
// writer is not a connection, as in tests, there is no time limit.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64, timeout time.Duration) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(timeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err == nil {
		_ = control.SetReadDeadline(time.Time{}) // or it would end the work on it
	}
	return body, err
}

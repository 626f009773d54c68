package browserlogin

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

const maxFirst = 1 << 20

// firstStep answers the request with name and password by what the ERP responded to it
// before. So the pages of a login need not keep the password from one to the next.
type firstStep struct {
	next     *http.Transport
	response []byte // nil: not made yet
}

func erpTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone() // nobody replaces it in our programs
	t.DisableKeepAlives = true
	return t
}

// RoundTrip implements [http.RoundTripper].
func (f *firstStep) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/auth/tokens") {
		return f.next.RoundTrip(r)
	}
	if f.response == nil {
		res, err := f.next.RoundTrip(r)
		if err != nil || res.StatusCode != http.StatusOK {
			return res, err
		}
		defer res.Body.Close()
		if f.response, err = io.ReadAll(io.LimitReader(res.Body, maxFirst)); err != nil {
			f.response = nil
			return nil, err
		}
	} else if r.Body != nil {
		_ = r.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {mediaJSON}}, Body: io.NopCloser(bytes.NewReader(f.response)), ContentLength: int64(len(f.response)),
	}, nil
}

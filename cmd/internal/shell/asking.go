package shell

import (
	"net"
	"net/http"
	"time"
)

// askTime bounds a question about a token: callers wait for the response.
const askTime = 5 * time.Second

// AskingClient is the connection by which servers have the ERP check tokens.
func AskingClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone() // nobody replaces it in our programs
	transport.DialContext = (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	transport.MaxIdleConnsPerHost = 8
	return &http.Client{Transport: transport, Timeout: askTime}
}

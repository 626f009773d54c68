package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/deploylog/notify"
)

// A receiver checks the signature, and remembers ids to tell copies.
func Example() {
	secret, err := notify.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		fmt.Println(err)
		return
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err == nil {
			_, err = notify.Verify(r.Header, body, time.Now(), secret)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		var message notify.Payload
		if err := json.Unmarshal(body, &message); err == nil {
			fmt.Println(message.Event, message.Run.Environment, message.Run.Version)
		}
	}))
	defer receiver.Close()

	dir, err := os.MkdirTemp("", "webhooks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	n, err := notify.New(dir, &notify.Options{URLs: []string{receiver.URL}, Secret: secret})
	if err != nil {
		fmt.Println(err)
		return
	}
	run := deploylog.Run{UUID: "b7a0a7a2-6d0c-4e6c-8b9b-0f6e5b1c7d3a", Environment: deploylog.Production, Status: deploylog.Success, Version: "12.0.4"}
	if err := n.Add(context.Background(), run, nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(n.Send(context.Background()).Delivered)
	// Output:
	// deployment.succeeded PROD 12.0.4
	// 1
}

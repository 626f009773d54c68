package deploylog

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp"
)

// changeMethod is the method that records are changed by.
func (l *Log) changeMethod(ctx context.Context, id erp.ID) string {
	l.mu.Lock()
	method := l.method
	l.mu.Unlock()
	if method != "" {
		return method
	}
	method = http.MethodPut
	if l.opts.PreferPatch && l.offersPatch(ctx, id) {
		method = http.MethodPatch
	}
	l.setMethod(method)
	return method
}

// refuseMethod is called when the server does not know PUT, and reports whether
// it says that it knows PATCH.
func (l *Log) refuseMethod(ctx context.Context, id erp.ID) bool {
	if l.changeMethod(ctx, id) != http.MethodPut || !l.offersPatch(ctx, id) {
		return false
	}
	l.setMethod(http.MethodPatch)
	return true
}

func (l *Log) setMethod(method string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.method = method
}

// offersPatch requests the server's methods (OPTIONS, header Allow). A server
// that does not say does not offer it.
func (l *Log) offersPatch(ctx context.Context, id erp.ID) bool {
	url := l.client.BaseURL() + "/models/" + strings.ToLower(TableName) + "/" + id.String()
	req, err := http.NewRequestWithContext(ctx, http.MethodOptions, url, nil)
	if err != nil {
		return false
	}
	resp, err := l.client.HTTPClient().Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	for _, line := range resp.Header.Values("Allow") {
		for method := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(method), http.MethodPatch) {
				return true
			}
		}
	}
	return false
}

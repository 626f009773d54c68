package erp

import (
	"bytes"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/internal/jsonscan"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/retry"
	"github.com/erphub/erphub/internal/text"
)

// maxErrorText bounds what a message says of the body of an error, maxErrorDetail
// what is kept of it.
const (
	maxErrorText   = 600
	maxErrorDetail = 8 << 10
)

var (
	htmlTitle = lazyregexp.New(`(?is)<title[^>]*>(.*?)</title>`)
	htmlBody  = lazyregexp.New(`(?is)<(script|style|head)\b.*?</(script|style|head)>|<[^>]*>`)
)

// newError reads the response to a refused request. Bodies come as JSON of the
// REST plugin, JSON of the servlet container (all values are strings), small
// objects with only "error" or "message", HTML, plain text, or not at all; the
// HTTP status decides, whatever the body claims.
func newError(req *http.Request, resp *http.Response, body []byte, now time.Time) *Error {
	e := &Error{
		Status:    resp.StatusCode,
		Method:    req.Method,
		Path:      req.URL.Path,
		RequestID: cleanText(resp.Header.Get("X-Request-Id"), 100),
		Page:      true,
	}
	e.RetryAfter, _ = retry.After(resp, now)
	trimmed := bytes.TrimSpace(body)
	if record, err := ParseRecord(trimmed); err == nil {
		e.readJSON(record)
	} else if bytes.HasPrefix(trimmed, []byte("<")) || strings.Contains(resp.Header.Get("Content-Type"), "html") {
		e.readHTML(trimmed)
	} else {
		e.Detail = cleanText(string(trimmed[:min(len(trimmed), 4*maxErrorText)]), maxErrorText)
	}
	if e.Title == "" {
		if e.Title = http.StatusText(e.Status); e.Title == "" {
			e.Title = "unknown status"
		}
	}
	return e
}

func (e *Error) readJSON(record Record) {
	text := func(name string) string {
		raw, _ := record.member(name)
		text, _ := jsonscan.Text(raw)
		return cleanText(text, maxErrorDetail)
	}
	e.Title, e.Detail = text("title"), text("detail")
	// The plugin always writes a title, be it null, and a numeric status.
	_, hasTitle := record.member("title")
	status, _ := record.member("status")
	e.Page = !hasTitle && !jsonscan.Number(status)
	if message := text("message"); e.Title == "" {
		e.Title = message
	} else if e.Detail == "" {
		e.Detail = message
	}
	if reason := text("error"); reason != "" {
		// Uploads and webhooks respond {"error":"…"}.
		e.Page = false
		if e.Title == "" {
			e.Title = reason
		} else if e.Detail == "" {
			e.Detail = reason
		}
	}
}

func (e *Error) readHTML(body []byte) {
	body = body[:min(len(body), 64<<10)]
	if m := htmlTitle().FindSubmatch(body); m != nil {
		e.Detail = cleanText(html.UnescapeString(string(m[1])), maxErrorText)
	} else {
		e.Detail = cleanText(html.UnescapeString(string(htmlBody().ReplaceAll(body, []byte(" ")))), maxErrorText)
	}
	if e.Detail == "" {
		e.Detail = "an HTML page"
	} else {
		e.Detail = "an HTML page saying " + strconv.Quote(e.Detail)
	}
}

// cleanText makes text of a server fit for one line of a message.
func cleanText(s string, limit int) string { return text.Shorten(text.OneLine(s), limit) }

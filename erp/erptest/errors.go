package erptest

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// apiError is a failure the REST plugin describes itself: its JSON error
// object, with members title, status and detail in that order.
type apiError struct {
	status int
	title  string // "" is written as null
	detail string // "" is left out
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s: %s", e.status, e.title, e.detail) }

func fail(status int, title, detail string) error {
	return &apiError{status: status, title: title, detail: detail}
}

func failf(status int, title, format string, args ...any) error {
	return &apiError{status: status, title: title, detail: fmt.Sprintf(format, args...)}
}

// statuses are the statuses of the ERP's own refusals.
var statuses = map[engine.ErrorKind]int{
	engine.Failed: http.StatusInternalServerError, engine.Invalid: http.StatusBadRequest, engine.CrossTenant: http.StatusBadRequest, engine.Unauthenticated: http.StatusUnauthorized,
	engine.Denied: http.StatusForbidden, engine.NotFound: http.StatusNotFound, engine.Conflict: http.StatusConflict,
}

// asAPI finds in err what the REST plugin describes as its JSON error object: a
// failure of its own, or a refusal of the ERP.
func asAPI(err error, api **apiError) bool {
	if errors.As(err, api) {
		return true
	}
	var refused *engine.Error
	if !errors.As(err, &refused) {
		return false
	}
	*api = &apiError{status: statuses[refused.Kind], title: refused.Title, detail: refused.Detail}
	return true
}

// pageError is a failure for which the servlet container sends its own page.
type pageError struct {
	status  int
	message string
}

func (e *pageError) Error() string { return fmt.Sprintf("%d (container page) %s", e.status, e.message) }

func page(status int) error { return &pageError{status: status, message: http.StatusText(status)} }

// textError is a failure sent as plain text.
type textError struct {
	status int
	text   string
}

func (e *textError) Error() string { return fmt.Sprintf("%d %s", e.status, e.text) }

// errorTitle wraps an error so that, when it is not of the kinds above, it
// becomes a 500 with this title, as each endpoint of the plugin has its own.
type errorTitle struct {
	title  string
	prefix string
	err    error
}

func (e *errorTitle) Error() string { return e.prefix + e.err.Error() }
func (e *errorTitle) Unwrap() error { return e.err }

// titled gives unclassified errors a title and a prefix for the detail.
func titled(title, prefix string, err error) error {
	if err == nil {
		return nil
	}
	return &errorTitle{title: title, prefix: prefix, err: err}
}

// writeError responds with what err stands for.
func (c *call) writeError(err error) {
	var (
		api   *apiError
		pg    *pageError
		text  *textError
		named *errorTitle
		deny  *engine.AccessDenied
	)
	switch {
	case asAPI(err, &api):
		o := wire.NewObject("title", nil, "status", api.status)
		if api.title != "" {
			o.Set("title", c.translated(api.title))
		}
		if api.detail != "" {
			o.Set("detail", api.detail)
		}
		c.json(api.status, o)
	case errors.As(err, &pg):
		c.srv.containerPage(c.w, c.r, pg.status, pg.message)
	case errors.As(err, &deny):
		c.json(http.StatusForbidden, wire.NewObject("title", "Access denied", "status", http.StatusForbidden, "detail", deny.Reason))
	case errors.As(err, &text):
		c.bytes(text.status, "text/plain", []byte(text.text))
	case errors.As(err, &named):
		c.logFailure(err)
		c.json(http.StatusInternalServerError, wire.NewObject("title", named.title, "status", 500, "detail", named.prefix+engine.PublicText(named.err)))
	default:
		c.logFailure(err)
		c.json(http.StatusInternalServerError, wire.NewObject("title", "Server error", "status", 500, "detail", engine.PublicText(err)))
	}
}

// translated is a text in the session's language, or as it is if that cannot be read.
func (c *call) translated(text string) string {
	if c.session == nil {
		return text
	}
	out := text
	if err := c.view(c.ctx(), func(tx *store.Tx) (err error) {
		out, err = c.session.Translated(c.ctx(), tx, text)
		return err
	}); err != nil {
		c.srv.log.Warn("reading a message", "error", err)
		return text
	}
	return out
}

// logFailure logs an error that has no status of its own. Whoever runs the server
// is warned of it only when the response does not say what it is.
func (c *call) logFailure(err error) {
	const text = "request failed"
	args := []any{"method", c.r.Method, "path", c.r.URL.Path, "error", err}
	if p := engine.PublicError(""); errors.As(err, &p) {
		c.srv.events.Warn(text, args...)
		c.srv.opts.Logger.Info(text, args...)
		return
	}
	c.srv.log.Warn(text, args...)
}

// containerPage writes the servlet container's own error document.
func (s *Server) containerPage(w http.ResponseWriter, r *http.Request, status int, message string) {
	if quiet, ok := w.(interface{ containerPage(status int) }); ok {
		quiet.containerPage(status)
		return
	}
	w.Header().Set("Cache-Control", "must-revalidate,no-cache,no-store")
	if acceptsJSON(r) {
		body, _ := wire.Encode(wire.NewObject("url", r.URL.Path, "status", fmt.Sprint(status), "message", message, "servlet", "rest"))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(body)
		return
	}
	w.Header().Set("Content-Type", "text/html;charset=iso-8859-1")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<html>\n<head><title>Error %d %s</title></head>\n<body><h2>HTTP ERROR %d %s</h2></body>\n</html>\n", status, message, status, message)
}

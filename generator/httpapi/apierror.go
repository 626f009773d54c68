package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/text"
)

// codeUnknown is the code of a delivery of which nobody knows how it ended.
const codeUnknown = "unknown_outcome"

// ofKind is the response to a kind of failure.
func ofKind(kind failure.Kind) (status int, code string, retry time.Duration) {
	switch kind {
	case failure.Invalid:
		return http.StatusBadRequest, "invalid", 0
	case failure.NotConfigured:
		return http.StatusNotImplemented, "not_configured", 0
	case failure.NotFound:
		return http.StatusBadGateway, "target_not_found", 0
	case failure.Exists:
		return http.StatusConflict, "exists", 0
	case failure.Expired:
		return http.StatusGone, "expired", 0
	case failure.TooLarge:
		return http.StatusRequestEntityTooLarge, "too_large", 0
	case failure.Full:
		return http.StatusInsufficientStorage, "no_room", 0
	case failure.NotAuthorized:
		return http.StatusBadGateway, "target_not_authorized", 0
	case failure.Refused:
		return http.StatusBadGateway, "target_refused", 0
	case failure.Unreachable:
		return http.StatusServiceUnavailable, "target_unreachable", 10 * time.Second
	case failure.Unexpected:
		return http.StatusBadGateway, "target_failed", 0
	case failure.Unknown:
		return http.StatusBadGateway, codeUnknown, 0
	}
	return http.StatusInternalServerError, "internal", 0
}

// apiError is what the caller learns of an error. What is the service's fault, or
// its operator's, is logged as well.
func (h *Handler) apiError(ctx context.Context, err error) *httpserver.APIError {
	var p *httpserver.APIError
	if errors.As(err, &p) {
		return p
	}
	p = known(err)
	if p == nil {
		p = httpserver.InternalError()
	}
	switch {
	case p.Code == "internal":
		h.log.ErrorContext(ctx, "a request of the generator API failed", "error", err, "request", httpserver.RequestID(ctx))
	case p.Status >= http.StatusInternalServerError && p.Code != "canceled":
		h.log.WarnContext(ctx, "a plugin could not be delivered", "code", p.Code, "error", err, "request", httpserver.RequestID(ctx))
	}
	return p
}

// generateError is what the caller learns of an error of the generator.
func (h *Handler) generateError(ctx context.Context, err error) *httpserver.APIError {
	if h.opts.Registry == nil && known(err) == nil {
		return &httpserver.APIError{Status: http.StatusNotImplemented, Code: "not_configured",
			Message: "this service has no dictionary to look tables and the like up in", Hint: "leave out the options that name them"}
	}
	return h.apiError(ctx, err)
}

// known is what the caller learns of an error that he, or the operator, can do
// something about; nil for others.
func known(err error) *httpserver.APIError {
	var (
		options *generator.OptionsError
		name    *generator.NameError
		exists  *generator.ExistsError
		failed  *failure.Error
		erpErr  *erp.Error
	)
	noRoom := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
	switch {
	case errors.As(err, &options), errors.As(err, &name), errors.Is(err, generator.ErrUnknown):
		return httpserver.InvalidRequest(text.Shorten(err.Error(), maxMessage), "the description of all members is at "+docPath)
	case errors.As(err, &failed):
		return deliveryError(failed)
	case errors.Is(err, context.Canceled):
		return &httpserver.APIError{Status: http.StatusServiceUnavailable, Code: "canceled", Message: "the request was given up", RetryAfter: time.Second}
	case errors.Is(err, context.DeadlineExceeded):
		return &httpserver.APIError{Status: http.StatusGatewayTimeout, Code: "timeout", Message: "the request took too long, and nothing was delivered", Hint: "try again"}
	case errors.As(err, &exists):
		return &httpserver.APIError{Status: http.StatusConflict, Code: "exists", Message: text.Shorten(exists.Error(), maxMessage), Hint: "choose another artifact id, or another output"}
	case errors.Is(err, generator.ErrExists): // another request was faster
		return &httpserver.APIError{Status: http.StatusConflict, Code: "exists", Message: "somebody else wrote to the same place just now",
			Hint: "try again, or choose another artifact id"}
	case noRoom:
		return &httpserver.APIError{Status: http.StatusInsufficientStorage, Code: "no_room", Message: "the disk is full, and nothing was written", Hint: "have the operator make room"}
	case errors.Is(err, registry.ErrNotFound):
		return httpserver.InvalidRequest(text.Shorten(err.Error(), maxMessage), "check the name")
	case errors.As(err, &erpErr), errors.Is(err, erp.ErrUnreachable), errors.Is(err, erp.ErrTimeout), errors.Is(err, erp.ErrBadResponse):
		return &httpserver.APIError{Status: http.StatusServiceUnavailable, Code: "dictionary_unavailable", Message: "the dictionary could not be read from the ERP", Hint: "try again", RetryAfter: 10 * time.Second}
	case errors.Is(err, syscall.ENOTDIR):
		return &httpserver.APIError{Status: http.StatusConflict, Code: "exists", Message: "a file of that name is there, where a folder is wanted", Hint: "choose another artifact id, or another output"}
	case ofDisk(err):
		return &httpserver.APIError{Status: http.StatusNotImplemented, Code: "not_configured", Message: "the folder that plugins are written to cannot be used", Hint: "have the operator look at the log, under the request id"}
	}
	return nil
}

// deliveryError is a failure of a delivery. Its texts hold no secret; those with
// a path of this machine are kept from callers.
func deliveryError(f *failure.Error) *httpserver.APIError {
	p := &httpserver.APIError{Message: f.Doing + ": " + f.Why, Hint: f.Next}
	p.Status, p.Code, p.RetryAfter = ofKind(f.Kind)
	switch {
	case p.Code == "internal":
		return nil
	case ofDisk(f.Err) && (f.Kind == failure.Unexpected || f.Kind == failure.NotConfigured):
		p.Message, p.Hint = f.Doing+": what the service needs for it does not work", "have the operator look at the log, under the request id"
	}
	return p
}

// ofDisk reports whether an error is one of a file system's, whose text has a
// path of this machine.
func ofDisk(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	return errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &call)
}

// maxMessage bounds a message that grows with the request, in characters.
const maxMessage = 2000

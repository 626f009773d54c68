package httpserver

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recovered reports whether a handler panicked and logs it with its stack. p is
// what recover returned in the deferred function that calls it:
//
//	defer func() {
//		if httpserver.Recovered(r.Context(), recover(), log, "a handler panicked", "path", r.URL.Path) {
//			httpserver.Problem(w, http.StatusInternalServerError, "…")
//		}
//	}()
//
// [http.ErrAbortHandler] is the way to close a connection and panics again.
func Recovered(ctx context.Context, p any, log *slog.Logger, message string, args ...any) bool {
	if p == nil {
		return false
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // it is panicked as it is
		panic(p)
	}
	LogPanic(ctx, p, log, message, args...)
	return true
}

// LogPanic logs what recover returned, with the stack, for work outside of a
// handler, where [http.ErrAbortHandler] means nothing.
func LogPanic(ctx context.Context, p any, log *slog.Logger, message string, args ...any) {
	log.ErrorContext(ctx, message, append(args, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))...)
}

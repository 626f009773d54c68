package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/internal/run"
)

// executed is an error that came while a statement ran, not while it was
// analysed. Some errors of class 42 do: that a collation is not clear, for
// example, is only noticed by the comparison of two values.
type executed struct{ error }

func (e executed) Unwrap() error { return e.error }

// ofStatement tells errors of a statement that ran from those of one that is
// wrong: only the latter have a position in it.
func ofStatement(err error) error {
	var server *pgconn.PgError
	switch {
	case errors.As(err, &server) && server.Routine == "RevalidateCachedQuery":
		return stale{err}
	case errors.As(err, &server) && server.Position == 0:
		return executed{err}
	}
	return err
}

// stale is a statement that was prepared when its tables were others. It did
// not run; prepared anew it does.
type stale struct{ error }

func (e stale) Unwrap() error { return e.error }

// Failure implements run.Runner.
func (d *database) Failure(err error) *run.Failure {
	var server *pgconn.PgError
	var known *run.Failure
	var large *pgproto3.ExceededMaxBodyLenErr
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &server) && errors.As(err, new(executed)):
		return run.ExecutionFailure(server.Code, err)
	case errors.As(err, &server):
		return run.ServerFailure(server.Code, strings.ReplaceAll(server.Message, d.opts.Schema+".", ""), err)
	case errors.As(err, &large):
		return run.Fail(api.CodeTooComplex, err, "a row of the result is too large").Advise("select fewer or shorter columns, or aggregate less into one value")
	case errors.Is(err, context.Canceled):
		return run.Canceled(err)
	case errors.Is(err, context.DeadlineExceeded):
		return run.TimedOut(err)
	case pgconn.SafeToRetry(err), pgconn.Timeout(err):
		return run.Fail(api.CodeUnavailable, err, "the database does not respond").Advise("try again later")
	}
	return run.Fail(api.CodeUnavailable, err, "the connection to the database was lost").Advise("try again")
}

// LogText implements run.Runner.
func (d *database) LogText(err error) string {
	var server *pgconn.PgError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &server):
		return err.Error()
	}
	text := "SQLSTATE " + server.Code
	if server.Routine != "" {
		text += " in " + server.Routine
	}
	switch server.Code[:min(2, len(server.Code))] {
	case "08", "25", "28", "3D", "42", "53", "55", "57":
		if !errors.As(err, new(executed)) {
			text += ": " + server.Message
		}
	}
	return text
}

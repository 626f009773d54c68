package embedded

import (
	"context"
	"errors"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/embedded/internal/sqlite"
	"github.com/erphub/erphub/aiquery/internal/run"
)

// Failure implements run.Runner.
func (d *database) Failure(err error) *run.Failure {
	var known *run.Failure
	switch code := sqlite.ErrorCode(err); {
	case errors.As(err, &known):
		return known
	case code != "":
		return run.ServerFailure(code, "the statement is wrong", err)
	case errors.Is(err, context.Canceled):
		return run.Canceled(err)
	case errors.Is(err, context.DeadlineExceeded), strings.Contains(err.Error(), "interrupted"):
		return run.TimedOut(err)
	case strings.Contains(err.Error(), "out of memory"), strings.Contains(err.Error(), "too big"):
		return run.Fail(api.CodeTooComplex, err, "the statement needs too much memory").Advise("request less")
	}
	return run.Internal(err)
}

// LogText implements run.Runner.
func (d *database) LogText(err error) string {
	if err == nil {
		return ""
	}
	if state := sqlite.ErrorCode(err); state != "" {
		return "SQLSTATE " + state
	}
	return err.Error()
}

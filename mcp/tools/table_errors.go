package tools

import (
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/mcp"
)

// mostProblems is how many problems a message lists.
const mostProblems = 12

// listed is a sentence with a list of problems.
func listed(what string, problems []string) string {
	if len(problems) == 1 {
		return what + ": " + problems[0]
	}
	more := len(problems) - mostProblems
	text := fmt.Sprintf("%s, %d problems:\n- %s", what, len(problems), strings.Join(problems[:min(len(problems), mostProblems)], "\n- "))
	if more > 0 {
		text += fmt.Sprintf("\n- and %d more", more)
	}
	return text
}

func isMissing(err error) bool { return errors.Is(err, registry.ErrNotFound) }

// wrongDefinition is the error of a definition no plan can be made of.
func wrongDefinition(err error) error {
	var invalid *dict.ValidationError
	if !errors.As(err, &invalid) {
		return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "the table cannot be planned: " + clip(err.Error(), 500), Err: err}
	}
	problems := mapped(invalid.Findings, func(f *dict.Finding) string { return clip(f.String(), 400) })
	return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: listed("the table cannot be created as requested", problems), Hint: "nothing was changed; fix the arguments and call again", Err: err}
}

// notRun is the error of a plan that was not run, or not to its end.
func notRun(err error) error {
	var own *mcp.Error
	var missing *restdict.MissingError
	var none *restdict.NoProcessError
	var wrong *restdict.WrongProcessError
	var broken *restdict.RunError
	switch {
	case errors.As(err, &own):
		return err // a limit, or the caller's login
	case errors.As(err, &missing):
		return &mcp.Error{Code: mcp.CodeNotFound, Message: clip(err.Error(), 2000), Hint: "listReferences and searchRegistry find existing names", Err: err}
	case errors.As(err, &none), errors.As(err, &wrong):
		return caused(err, mcp.CodeUnsupported, "nothing was changed; call it with noSync to make the dictionary records alone, and let an administrator synchronise the table", "%s", clip(err.Error(), 600))
	case errors.As(err, &broken):
		cause := mcp.ErrorOf(err)
		e := &mcp.Error{Code: cause.Code, Message: clip(err.Error(), 2000), Hint: cause.Hint, RetryAfter: cause.RetryAfter, Err: err}
		switch e.Code {
		case mcp.CodeInternal:
			e.Code, e.Hint = mcp.CodeRefused, "the ERP's own words say why"
		case mcp.CodePermissionDenied:
			e.Hint = "the dictionary is changed under a role of the System tenant"
		}
		if broken.Done > 0 || e.Code == mcp.CodeOutcomeUnknown {
			return goesOn(e, "call createTable again with addMissing: what is done is found, and the rest follows")
		}
		return e
	}
	return err
}

// goesOn is the error of a change whose parts are found when the call is made again,
// also a part that nobody knows of.
func goesOn(e *mcp.Error, how string) *mcp.Error {
	if e.Code == mcp.CodeOutcomeUnknown || e.Hint == "" {
		e.Hint = how
	} else {
		e.Hint += "; then " + how
	}
	return e
}

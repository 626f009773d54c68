package tools

import (
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/text"
	"github.com/erphub/erphub/mcp"
)

// fromDict turns errors of the dictionary into ones that say what to call next.
func fromDict(err error) error {
	var missing *registry.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	e := &mcp.Error{Code: mcp.CodeNotFound, Message: fmt.Sprintf("there is no %s %q in the dictionary", missing.Kind, clip(missing.Name, 80)), Err: err}
	switch {
	case missing.Empty:
		e.Hint = fmt.Sprintf("the dictionary shows this role no %s at all; checkApi tells whether it can be read", missing.Kind)
	case len(missing.Suggestions) > 0:
		e.Hint = fmt.Sprintf("did you mean %s? Otherwise call searchRegistry", strings.Join(missing.Suggestions[:min(3, len(missing.Suggestions))], " or "))
	default:
		e.Hint = "call searchRegistry with a part of the name or of what it is about"
	}
	return e
}

// fail is an error of a tool: its code, what to do next, and what was wrong.
func fail(code, hint, format string, args ...any) *mcp.Error {
	return &mcp.Error{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// because is the error of a tool in the words of its cause.
func because(err error, code, hint string) *mcp.Error {
	return &mcp.Error{Code: code, Message: err.Error(), Hint: hint, Err: err}
}

// caused is [fail] with a cause, for logs and for who looks for it.
func caused(err error, code, hint, format string, args ...any) *mcp.Error {
	return &mcp.Error{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, Err: err}
}

// clip shortens text to so many characters, without blanks around it.
func clip(s string, most int) string { return text.Shorten(strings.TrimSpace(s), most) }

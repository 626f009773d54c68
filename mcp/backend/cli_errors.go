package backend

import (
	"cmp"
	"errors"
	"os/exec"
	"strconv"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/text"
	"github.com/erphub/erphub/mcp"
)

// response finds in the program's words the refusal of a server: method and path,
// status, what it said.
var response = lazyregexp.New(`\b[A-Z]+ (/\S*): (\d{3}) (.*)`)

// mayBeDone is what the program says of a change that was made or not.
const mayBeDone = "the server may have carried out the request"

// failed is what the program said when it gave up, with the code and the hint
// the other backends have for the same refusal. The exit codes are 2 wrong usage,
// 3 not authorised, 4 unreachable, 1 everything else.
func failed(err error, said, token string) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return &mcp.Error{Code: mcp.CodeUnreachable, Message: "the command line program could not be run", Hint: "tell the operator", Err: err}
	}
	if token != "" {
		said = strings.ReplaceAll(said, token, "[token]")
	}
	said = strings.TrimPrefix(strings.TrimSpace(strings.ToValidUTF8(said, "")), "erphub: ")
	said = text.Shorten(said, 1500)
	said = cmp.Or(said, "the command line program failed without a word")
	if strings.Contains(said, mayBeDone) {
		return mcp.OutcomeUnknown(said, errors.Join(erp.ErrOutcomeUnknown, err))
	}
	e := &mcp.Error{Code: mcp.CodeRefused, Message: said, Err: err}
	switch exit.ExitCode() {
	case 1:
	case 2:
		e.Code = mcp.CodeInvalidArguments
	case 3:
		e.Code, e.Hint = mcp.CodeUnauthorized, mcp.LogInAgain
	case 4:
		e.Code, e.Hint = mcp.CodeUnreachable, "try again later, and check the address of the ERP"
	default:
		e.Code = mcp.CodeInternal
	}
	first, _, _ := strings.Cut(said, "\n")
	m := response().FindStringSubmatch(first)
	if status, found := statusOf(m); found && (exit.ExitCode() == 1 || exit.ExitCode() == 3) {
		refusal := &erp.Error{Status: status, Title: m[3], Path: m[1]}
		as := mcp.ErrorOf(refusal)
		e.Code, e.Hint, e.Err = as.Code, as.Hint, errors.Join(refusal, err)
	}
	if problem, meant, ok := strings.Cut(e.Message, "; did you mean "); ok {
		e.Message, e.Hint = problem, "did you mean "+meant
	}
	return e
}

func statusOf(m []string) (int, bool) {
	if m == nil {
		return 0, false
	}
	status, err := strconv.Atoi(m[2])
	return status, err == nil && status >= 400
}

var (
	requestID = lazyregexp.New(` \(request [^()\s]+\)$`)
	position  = lazyregexp.New(`^(.*) \(at character (\d+)\)(?:; (.*))?$`)
)

// queryFailed is the refusal of a statement in the words that other backends
// have for it: the message, the place, the hint.
func queryFailed(err error) error {
	var e *mcp.Error
	var refusal *erp.Error
	if !errors.As(err, &e) || !errors.As(err, &refusal) {
		return err
	}
	said := requestID().ReplaceAllString(refusal.Title, "")
	why := &api.Error{Code: api.CodeOf(refusal.Status)}
	why.Message, why.Hint, _ = strings.Cut(said, "; ")
	if m := position().FindStringSubmatch(said); m != nil {
		why.Message, why.Hint = m[1], m[3]
		why.Position, _ = strconv.Atoi(m[2]) // digits; too many of them are not a place
	}
	return toolError(errors.Join(why, err))
}

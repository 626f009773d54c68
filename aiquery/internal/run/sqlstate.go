package run

import (
	"regexp"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
)

// ServerFailure returns what a caller may read of an error of the server, by its
// SQLSTATE. Messages about the statement itself (class 42) are passed on:
// it holds nothing but what the caller wrote and what may be seen. All others
// may quote values, also of rows that a condition was going to hide.
func ServerFailure(state, message string, cause error) *Failure {
	f := serverFailure(state, message, cause)
	f.State = state
	return f
}

func serverFailure(state, message string, cause error) *Failure {
	class := ""
	if len(state) == 5 {
		class = state[:2]
	}
	switch {
	case state == "42501":
		return Fail(api.CodeDenied, cause, "the table, column or function is not available to this role")
	case class == "42":
		f := Fail(api.CodeSyntax, cause, "%s", plainMessage(message))
		if textTaken.MatchString(f.Public.Message) {
			f.Advise(AdviceTexts)
		}
		return f
	case state == "57014":
		return TimedOut(cause)
	case state == "55P03", state == "40P01":
		return Fail(api.CodeResources, cause, "a table is locked by somebody else").Advise("try again later")
	case class == "08", class == "57":
		return Fail(api.CodeUnavailable, cause, "the connection to the database was lost").Advise("try again")
	case class == "53":
		return Fail(api.CodeResources, cause, "the database needs too much memory or disk for this").Advise("request less")
	case class == "0A":
		return Fail(api.CodeData, cause, "a function does not support one of the values it is given")
	case class == "22", class == "21", class == "23", class == "P0":
		e := Fail(api.CodeData, cause, "a value could not be converted or computed")
		if text, ok := dataErrors[state]; ok {
			e.Public.Message += ": " + text
		}
		return e
	case class == "54":
		return Fail(api.CodeTooComplex, cause, "the statement needs too much memory or is too complex").Advise("request less")
	}
	return Internal(cause)
}

// AdviceTexts says how a text column is compared. The ERP keeps yes and no in
// such columns.
const AdviceTexts = "the column is a text: compare it with a text in quotes; yes-no columns hold 'Y' or 'N', such as iscustomer = 'Y'"

// textTaken finds PostgreSQL's words for a text that is compared with something
// else, or taken for a condition.
var textTaken = func() *regexp.Regexp {
	const text, other = `(?:character(?: varying)?|text)`, `(?:boolean|smallint|integer|bigint|numeric|double precision)`
	return regexp.MustCompile(`^operator does not exist: (?:` + text + ` \S+ ` + other + `|` + other + ` \S+ ` + text + `)$` +
		`|must be type boolean, not type ` + text + `$`)
}()

// ExecutionFailure is ServerFailure for an error that came while the statement
// ran.
func ExecutionFailure(state string, cause error) *Failure {
	switch {
	case strings.HasPrefix(state, "42") && state != "42501", state == "54000": // as of a value; the latter comes of chr and repeat
		state = "22" + state[2:]
	}
	return ServerFailure(state, "", cause)
}

// dataErrors are the words for errors that values cause.
var dataErrors = map[string]string{
	"22012": "division by zero",
	"22003": "a number is out of range",
	"22P02": "a text is no value of the type it is converted to",
	"22007": "a text is not a date or time",
	"22008": "a date or time is out of range",
	"22001": "a text is too long for its type",
	"22000": "a value does not fit",
	"22011": "the length of a substring is negative",
	"22023": "an argument has a value that the function does not take",
	"22025": "an escape sequence is wrong",
	"2201B": "a regular expression is wrong",
	"2201E": "the logarithm of a number that has none",
	"2201F": "a power that has no result",
	"22021": "a text cannot be encoded",
	"2202E": "arrays of different shape",
	"22004": "a null where none is allowed",
	"21000": "a subquery that should return one row returns more",
	"22030": "a JSON object has a key twice",
	"22032": "a text is no JSON",
	"22033": "a JSON path is wrong",
	"2201W": "the LIMIT is negative",
	"2201X": "the OFFSET is negative",
	"22014": "the argument of ntile is not positive",
	"22016": "the argument of nth_value is not positive",
	"22013": "the frame of a window function is wrong",
	"22P22": "it is not clear by which collation texts are compared; name one with COLLATE",
}

// plainMessage shortens a message about the statement to one line without the
// schemas that were written into it.
func plainMessage(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	return strings.ReplaceAll(message, "pg_catalog.", "")
}

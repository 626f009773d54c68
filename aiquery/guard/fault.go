package guard

import (
	"fmt"

	api "github.com/erphub/erphub/aiquery/api"
)

// fault is a refusal before its position is counted and the tables are known.
type fault struct {
	kind   Kind
	reason string
	hint   string
	at     int32      // byte offset in the text, -1 for none
	object api.Object // what it is about
	cause  string     // for the log of the service, when it is not in the reason
}

func (f *fault) Error() string { return f.reason }

func unsupported(at int32, format string, args ...any) *fault {
	return &fault{kind: Unsupported, reason: fmt.Sprintf(format, args...), at: at}
}

func denied(at int32, format string, args ...any) *fault {
	return &fault{kind: Denied, reason: fmt.Sprintf(format, args...), at: at}
}

func insecure(format string, args ...any) *fault {
	return &fault{kind: Insecure, reason: fmt.Sprintf(format, args...), at: -1}
}

func tooLarge(at int32, hint, format string, args ...any) *fault {
	return &fault{kind: TooLarge, reason: fmt.Sprintf(format, args...), hint: hint, at: at}
}

func (f *fault) advise(format string, args ...any) *fault {
	f.hint = fmt.Sprintf(format, args...)
	return f
}

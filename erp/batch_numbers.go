package erp

import (
	"strconv"

	"github.com/erphub/erphub/erp/internal/jsonscan"
)

// wholeNumbers rewrites numbers that are whole but written as floating point
// (1000004.0, 1.0000004E7) as integers, and leaves everything else alone.
func wholeNumbers(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		s := jsonscan.Scanner{Data: raw, Pos: i}
		switch c := raw[i]; {
		case c == '"':
			if !s.String() {
				return raw
			}
			out = append(out, raw[i:s.Pos]...)
		case c == '-' || c >= '0' && c <= '9':
			if !s.Value() {
				return raw
			}
			number := raw[i:s.Pos]
			if whole, ok := Decimal(number).Int64(); ok {
				out = strconv.AppendInt(out, whole, 10)
			} else {
				out = append(out, number...)
			}
		default:
			s.Pos++
			out = append(out, c)
		}
		i = s.Pos
	}
	return out
}

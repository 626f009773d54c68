package erptest

import (
	"math"
	"strconv"
	"strings"
)

// floatNumbers rewrites every number of a valid JSON text as the real server's
// batch does: as a double, 1000004.0, and from ten million on with an
// exponent, 1.0000004E7.
func floatNumbers(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/8)
	for i := 0; i < len(text); {
		switch ch := text[i]; {
		case ch == '"':
			end := i + 1
			for text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			out = append(out, text[i:end+1]...)
			i = end + 1
		case ch == '-' || ch >= '0' && ch <= '9':
			end := i + 1
			for end < len(text) && strings.IndexByte("0123456789+-.eE", text[end]) >= 0 {
				end++
			}
			number := string(text[i:end])
			if f, err := strconv.ParseFloat(number, 64); err == nil {
				number = javaDouble(f)
			}
			out = append(out, number...)
			i = end
		default:
			out = append(out, ch)
			i++
		}
	}
	return out
}

// javaDouble is a double as Java writes it: plain with at least one decimal
// between 0.001 and ten million, else with one digit before the point and an
// exponent.
func javaDouble(f float64) string {
	if f == 0 {
		if math.Signbit(f) {
			return "-0.0"
		}
		return "0.0"
	}
	if a := math.Abs(f); a >= 1e-3 && a < 1e7 {
		s := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent) // FormatFloat writes an integer there
	return mantissa + "E" + strconv.Itoa(n)
}

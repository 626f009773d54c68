package sqlite

import (
	"database/sql/driver"
	"strings"
	"unicode"
	"unicode/utf8"
)

func textFunctions() []scalar {
	one := func(name string, run func(string) driver.Value) scalar {
		return scalar{name: name, args: 1, run: func(in []driver.Value) (driver.Value, error) {
			return run(argText(in[0])), nil
		}}
	}
	two := func(name string, run func(a, b string) driver.Value) scalar {
		return scalar{name: name, args: 2, run: func(in []driver.Value) (driver.Value, error) {
			return run(argText(in[0]), argText(in[1])), nil
		}}
	}
	return []scalar{
		one("pg_lower", func(s string) driver.Value { return strings.Map(unicode.ToLower, s) }),
		one("pg_upper", func(s string) driver.Value { return strings.Map(unicode.ToUpper, s) }),
		one("pg_length", func(s string) driver.Value { return int64(utf8.RuneCountInString(s)) }),
		one("pg_octet_length", func(s string) driver.Value { return int64(len(s)) }),
		two("pg_strpos", func(s, sub string) driver.Value {
			i := strings.Index(s, sub)
			if i < 0 {
				return int64(0)
			}
			return int64(utf8.RuneCountInString(s[:i]) + 1)
		}),
		two("pg_ltrim", func(s, set string) driver.Value { return trim(s, set, true, false) }),
		two("pg_rtrim", func(s, set string) driver.Value { return trim(s, set, false, true) }),
		two("pg_btrim", func(s, set string) driver.Value { return trim(s, set, true, true) }),
		{name: "pg_left", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			r, n := []rune(argText(in[0])), argInt(in[1])
			if n < 0 {
				n += int64(len(r))
			}
			return string(r[:max(0, min(n, int64(len(r))))]), nil
		}},
		{name: "pg_right", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			r, n := []rune(argText(in[0])), argInt(in[1])
			if n < 0 {
				n += int64(len(r))
			}
			return string(r[int64(len(r))-max(0, min(n, int64(len(r)))):]), nil
		}},
		{name: "pg_substr", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			if argInt(in[2]) < 0 {
				return nil, errNegative
			}
			return substring(argText(in[0]), argInt(in[1]), argInt(in[2])), nil
		}},
		{name: "pg_replace", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			s, from, to := argText(in[0]), argText(in[1]), argText(in[2])
			if from == "" {
				return s, nil
			}
			if n := strings.Count(s, from); len(s)+n*(len(to)-len(from)) > maxText {
				return nil, errMemory
			}
			return strings.ReplaceAll(s, from, to), nil
		}},
		{name: "pg_lpad", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			return pad(argText(in[0]), argInt(in[1]), argText(in[2]), true)
		}},
		{name: "pg_rpad", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			return pad(argText(in[0]), argInt(in[1]), argText(in[2]), false)
		}},
		{name: "pg_concat_ws", args: -1, nulls: true, run: func(in []driver.Value) (driver.Value, error) {
			if len(in) == 0 || in[0] == nil {
				return nil, nil
			}
			var parts []string
			for _, v := range in[1:] {
				if v != nil {
					parts = append(parts, argText(v))
				}
			}
			return strings.Join(parts, argText(in[0])), nil
		}},
	}
}

func trim(s, set string, left, right bool) string {
	in := func(r rune) bool { return strings.ContainsRune(set, r) }
	if left {
		s = strings.TrimLeftFunc(s, in)
	}
	if right {
		s = strings.TrimRightFunc(s, in)
	}
	return s
}

// substring counts characters from 1; what lies outside is left out.
func substring(s string, from, n int64) string {
	r := []rune(s)
	end := min(from+n, int64(len(r))+1)
	from = max(from, 1)
	if end <= from {
		return ""
	}
	return string(r[from-1 : end-1])
}

func pad(s string, n int64, fill string, left bool) (driver.Value, error) {
	if n > maxText/4 {
		return nil, errMemory
	}
	r, f := []rune(s), []rune(fill)
	n = max(n, 0)
	if int64(len(r)) >= n {
		return string(r[:n]), nil
	}
	if len(f) == 0 {
		return s, nil
	}
	more := make([]rune, n-int64(len(r)))
	for i := range more {
		more[i] = f[i%len(f)]
	}
	if left {
		return string(more) + s, nil
	}
	return s + string(more), nil
}

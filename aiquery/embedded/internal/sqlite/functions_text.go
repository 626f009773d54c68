package sqlite

import (
	"crypto/md5" //nolint:gosec // the SQL function of that name
	"database/sql/driver"
	"encoding/hex"
	"slices"
	"strconv"
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
		one("pg_lower", func(s string) driver.Value { return mapRunes(s, unicode.ToLower) }),
		one("pg_upper", func(s string) driver.Value { return mapRunes(s, unicode.ToUpper) }),
		one("pg_initcap", func(s string) driver.Value { return initcap(s) }),
		one("pg_reverse", func(s string) driver.Value {
			r := []rune(s)
			slices.Reverse(r)
			return string(r)
		}),
		one("pg_length", func(s string) driver.Value { return int64(utf8.RuneCountInString(s)) }),
		one("pg_octet_length", func(s string) driver.Value { return int64(len(s)) }),
		one("pg_md5", func(s string) driver.Value {
			sum := md5.Sum([]byte(s)) //nolint:gosec // the SQL function of that name
			return hex.EncodeToString(sum[:])
		}),
		one("pg_ascii", func(s string) driver.Value {
			if s == "" {
				return int64(0)
			}
			r, _ := utf8.DecodeRuneInString(s)
			return int64(r)
		}),
		one("pg_quote_literal", func(s string) driver.Value {
			q := "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", "''") + "'"
			if strings.Contains(s, `\`) {
				q = "E" + q
			}
			return q
		}),
		{name: "pg_chr", args: 1, run: func(in []driver.Value) (driver.Value, error) {
			n := argInt(in[0])
			if n <= 0 || n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
				return nil, errCharacter
			}
			return string(rune(n)), nil
		}},
		{name: "pg_to_hex", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			if argText(in[1]) == "int4" {
				return strconv.FormatUint(uint64(uint32(argInt(in[0]))), 16), nil //nolint:gosec // two's complement is meant
			}
			return strconv.FormatUint(uint64(argInt(in[0])), 16), nil //nolint:gosec // two's complement is meant
		}},
		two("pg_strpos", func(s, sub string) driver.Value {
			i := strings.Index(s, sub)
			if i < 0 {
				return int64(0)
			}
			return int64(utf8.RuneCountInString(s[:i]) + 1)
		}),
		two("pg_starts_with", func(s, prefix string) driver.Value { return boolValue(strings.HasPrefix(s, prefix)) }),
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
		{name: "pg_overlay", args: 4, run: func(in []driver.Value) (driver.Value, error) {
			s, by, from, n := argText(in[0]), argText(in[1]), argInt(in[2]), argInt(in[3])
			if from <= 0 {
				return nil, errNegative
			}
			return substring(s, 1, from-1) + by + substring(s, from+n, 1<<40), nil
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
		{name: "pg_translate", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			from, to := []rune(argText(in[1])), []rune(argText(in[2]))
			return strings.Map(func(r rune) rune {
				i := slices.Index(from, r)
				switch {
				case i < 0:
					return r
				case i < len(to):
					return to[i]
				}
				return -1
			}, argText(in[0])), nil
		}},
		{name: "pg_split_part", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			return splitPart(argText(in[0]), argText(in[1]), argInt(in[2]))
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

func mapRunes(s string, to func(rune) rune) string { return strings.Map(to, s) }

func initcap(s string) string {
	inside := false
	return strings.Map(func(r rune) rune {
		was := inside
		inside = unicode.IsLetter(r) || unicode.IsDigit(r)
		if was {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
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

func splitPart(s, sep string, n int64) (driver.Value, error) {
	if n == 0 {
		return nil, errFieldBelowOn
	}
	parts := []string{s}
	if sep != "" {
		parts = strings.Split(s, sep)
	}
	if s == "" {
		return "", nil
	}
	if n < 0 {
		n += int64(len(parts)) + 1
	}
	if n < 1 || n > int64(len(parts)) {
		return "", nil
	}
	return parts[n-1], nil
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

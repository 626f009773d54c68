package sqlite

import (
	"database/sql/driver"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// patternCache keeps the last translated regular expressions, as a statement
// uses one for many rows.
type patternCache struct {
	mu    sync.Mutex // guards made
	made  map[patternKey]*pattern
	limit int
}

type patternKey struct {
	kind, src string
}

func (c *patternCache) get(kind, src string, make func() (*pattern, error)) (*pattern, error) {
	key := patternKey{kind, src}
	c.mu.Lock()
	p := c.made[key]
	c.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := make()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.made) >= c.limit {
		clear(c.made)
	}
	c.made[key] = p
	return p, nil
}

func escapeOf(s string) (rune, error) {
	if s == "" {
		return 0, nil
	}
	r, n := utf8.DecodeRuneInString(s)
	if n < len(s) {
		return 0, errEscape
	}
	return r, nil
}

func patternFunctions() []scalar {
	cache := &patternCache{made: map[patternKey]*pattern{}, limit: 64}
	regex := func(src, flags string) (*pattern, error) {
		fold := false
		for _, f := range flags {
			switch f {
			case 'i':
				fold = true
			case 'g':
			default:
				return nil, errPatternKind
			}
		}
		kind := "s"
		if fold {
			kind = "i"
		}
		if len(src) > 10_000 {
			return nil, errMemory
		}
		return cache.get(kind, src, func() (*pattern, error) { return translate(src, fold) })
	}
	like := func(name string, fold bool) scalar {
		return scalar{name: name, args: 3, run: func(in []driver.Value) (driver.Value, error) {
			escape, err := escapeOf(argText(in[2]))
			if err != nil {
				return nil, err
			}
			s, p := argText(in[0]), argText(in[1])
			if fold {
				s, p, escape = mapRunes(s, unicode.ToLower), mapRunes(p, unicode.ToLower), unicode.ToLower(escape)
			}
			ok, err := likeMatch(s, p, escape)
			return boolValue(ok), err
		}}
	}
	return []scalar{
		like("pg_like", false),
		like("pg_ilike", true),
		{name: "pg_regex", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			p, err := regex(argText(in[1]), argText(in[2]))
			if err != nil {
				return nil, err
			}
			return boolValue(p.re.MatchString(argText(in[0]))), nil
		}},
		{name: "pg_similar", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			escape, err := escapeOf(argText(in[2]))
			if err != nil {
				return nil, err
			}
			src := argText(in[1])
			p, err := cache.get("similar"+argText(in[2]), src, func() (*pattern, error) { return similar(src, escape) })
			if err != nil {
				return nil, err
			}
			return boolValue(p.re.MatchString(argText(in[0]))), nil
		}},
		{name: "pg_regexp_replace", args: 4, run: func(in []driver.Value) (driver.Value, error) {
			flags := argText(in[3])
			p, err := regex(argText(in[1]), flags)
			if err != nil {
				return nil, err
			}
			return p.replace(argText(in[0]), argText(in[2]), strings.Contains(flags, "g"))
		}},
		{name: "pg_regexp_substr", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			p, err := regex(argText(in[1]), "")
			if err != nil {
				return nil, err
			}
			s, ok, err := p.find(argText(in[0]))
			if err != nil || !ok {
				return nil, err
			}
			return s, nil
		}},
		{name: "pg_regexp_count", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			p, err := regex(argText(in[1]), "")
			if err != nil {
				return nil, err
			}
			if p.lazy {
				return nil, errPatternKind
			}
			return int64(len(p.re.FindAllStringIndex(argText(in[0]), -1))), nil
		}},
		{name: "pg_regexp_split", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			p, err := regex(argText(in[1]), "")
			if err != nil {
				return nil, err
			}
			if p.lazy || p.re.MatchString("") {
				return nil, errPatternKind
			}
			return textArray(p.re.Split(argText(in[0]), -1))
		}},
	}
}

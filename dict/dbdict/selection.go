package dbdict

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/sqlquote"
	"github.com/erphub/erphub/internal/textcache"
)

// selection is what a statement selects of a table, and a row of it.
type selection struct {
	list  []string // expressions of the statement
	place []int    // in the row, per expression
	types []registry.SourceType
	names []string
	// row has the values of the table's columns. Those that the database does not
	// have stay empty.
	row    []registry.SourceValue
	micros int64            // when the row was changed
	texts  *textcache.Cache // of all tables
}

// selection selects the columns of a table that are there, as they are: the
// server has the least work with that.
func (s *Source) selection(t registry.SourceTable, has columns, texts *textcache.Cache) *selection {
	r := &selection{row: make([]registry.SourceValue, len(t.Columns)), texts: texts}
	for i, c := range t.Columns {
		own, ok := has[strings.ToLower(c.Name)]
		if !ok {
			continue
		}
		expression := sqlquote.Name(own)
		if c.Type == registry.SourceTime {
			expression = s.micros(expression)
		}
		r.list, r.place, r.types, r.names = append(r.list, expression), append(r.place, i), append(r.types, c.Type), append(r.names, c.Name)
	}
	return r
}

// set takes value i of a row as drivers hand it over.
func (r *selection) set(i int, v any) error {
	value := &r.row[r.place[i]]
	switch v := v.(type) {
	case nil:
		*value = registry.SourceValue{}
		if r.types[i] == registry.SourceTime {
			r.micros = 0
		}
		return nil
	case int64:
		switch r.types[i] {
		case registry.SourceInt:
			value.Int = v
			return nil
		case registry.SourceTime:
			r.micros, value.Int = v, v/1000
			return nil
		}
		return r.setBytes(i, strconv.AppendInt(nil, v, 10))
	case float64:
		return r.setBytes(i, strconv.AppendFloat(nil, v, 'f', -1, 64))
	case string:
		switch r.types[i] {
		case registry.SourceText:
			value.Text = r.texts.String(v)
			return nil
		case registry.SourceFlag:
			value.Int = flag(v)
			return nil
		}
		return r.setBytes(i, []byte(v))
	case []byte:
		return r.setBytes(i, v)
	}
	return fmt.Errorf("the database gave a %T for %s, where a number or a text was requested", v, r.names[i])
}

// setBytes takes value i of a row as text; nil is NULL.
func (r *selection) setBytes(i int, raw []byte) error {
	value := &r.row[r.place[i]]
	switch r.types[i] {
	case registry.SourceText:
		value.Text = r.texts.Bytes(raw)
	case registry.SourceFlag:
		value.Int = flag(raw)
	default:
		n, err := number(raw)
		if err != nil {
			return fmt.Errorf("the database gave %.80q for %s, where a number was requested", raw, r.names[i])
		}
		value.Int = n
		if r.types[i] == registry.SourceTime {
			r.micros, value.Int = n, n/1000
		}
	}
	return nil
}

func flag[T string | []byte](v T) int64 {
	if len(v) == 1 && v[0] == 'Y' {
		return 1
	}
	return 0
}

// number reads an integer; of one with decimals it is the nearest.
func number(raw []byte) (int64, error) {
	if len(raw) == 0 {
		return 0, nil
	}
	n, digits := int64(0), raw
	if raw[0] == '-' {
		digits = raw[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return decimal(raw)
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return decimal(raw)
		}
		n = 10*n + int64(d-'0')
	}
	if raw[0] == '-' {
		n = -n
	}
	return n, nil
}

func decimal(raw []byte) (int64, error) {
	text := string(raw)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && !(math.Abs(f) < 1<<62) {
		err = strconv.ErrRange
	}
	return int64(math.Round(f)), err
}

package engine

import (
	"context"
	"database/sql"
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// A value of a request is first assigned to its column, which may refuse it, and then
// saving the record fails. A value of the wrong type, or none for a mandatory column, is
// not assigned: without another change there is nothing to save, and no failure.

// refusal is why a column did not take a value: the key of a message, and what to
// say behind it.
type refusal struct{ message, text string }

// unlisted is a number given for a list; the ERP does not look such a value up.
type unlisted string

func (r *Record) Refuse(col *store.Column, message, text string) {
	if r.refused == nil {
		r.refused = map[string]refusal{}
	}
	r.refused[col.Name] = refusal{message, text}
}

// assign gives a column a value of a request or a default; nil is NULL.
func (s *Session) assign(ctx context.Context, tx *store.Tx, r *Record, col *store.Column, v any) error {
	delete(r.refused, col.Name)
	if v == nil {
		if col.Mandatory {
			r.Refuse(col, "FillMandatory", col.Name)
			return nil
		}
		r.Set(col.Name, nil)
		return nil
	}
	number, isNumber := v.(unlisted)
	if isNumber {
		v = string(number)
	}
	if col.Kind() == store.KindInteger {
		if text, ok := v.(string); ok {
			n, err := strconv.ParseInt(text, 10, 32)
			if err != nil {
				r.Refuse(col, "WrongDataType", col.Name+" - Class invalid: class java.lang.String, Should be class java.lang.Integer: "+JSONOf(text))
				return nil
			}
			v = n
		}
	}
	r.Set(col.Name, v) // before it is checked: a value that is not allowed is a change, too
	if message, limit := outOfBounds(col, v); message != "" {
		r.Refuse(col, message, limit)
		return nil
	}
	if text, ok := v.(string); ok {
		if col.Ref == displaytype.List && !isNumber {
			listed, codes, err := listed(ctx, tx, col, text)
			if err != nil {
				return err
			}
			if !listed {
				r.Refuse(col, "Validate", col.Name+" Invalid value - "+JSONOf(text)+
					" - Reference_ID="+FormatID(col.RefValue)+" - "+strings.Join(codes, " - "))
				return nil
			}
		}
		if k := col.Kind(); k == store.KindText || k == store.KindUUID {
			r.Set(col.Name, fitted(col, text))
		}
	}
	return nil
}

// listed reports whether a list column takes a code, and which it takes. A reference
// the dictionary has no values of takes all.
func listed(ctx context.Context, tx *store.Tx, col *store.Column, code string) (ok bool, codes []string, err error) {
	if col.RefValue == 0 {
		return true, nil, nil
	}
	ref, err := tx.Reference(ctx, col.RefValue)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	byName := slices.SortedStableFunc(slices.Values(ref.List), func(a, b store.ListValue) int { return strings.Compare(a.Name, b.Name) })
	for _, v := range byName {
		if v.Value == code {
			return true, nil, nil
		}
		if v.Active {
			codes = append(codes, v.Value)
		}
	}
	return len(ref.List) == 0, codes, nil
}

// outOfBounds is the message about a value outside the bounds of its column and
// the bound, "" when it is inside.
func outOfBounds(col *store.Column, v any) (message, bound string) {
	if col.ValueMin == "" && col.ValueMax == "" {
		return "", ""
	}
	text := store.Row{"": v}.String("")
	compare := func(bound string) int {
		x, ok1 := ParseRat(text)
		y, ok2 := ParseRat(bound)
		if ok1 && ok2 {
			return x.Cmp(y)
		}
		return strings.Compare(text, bound)
	}
	switch {
	case col.ValueMin != "" && compare(col.ValueMin) < 0:
		return "LessThanMinValue", col.ValueMin
	case col.ValueMax != "" && compare(col.ValueMax) > 0:
		return "MoreThanMaxValue", col.ValueMax
	}
	return "", ""
}

// fitted is a text cut to the length of its column, as the ERP does in silence.
func fitted(col *store.Column, text string) string {
	if col.Length <= 0 || len(text) <= col.Length || utf8.RuneCountInString(text) <= col.Length {
		return text
	}
	n := 0
	for i := range text {
		if n == col.Length {
			return text[:i]
		}
		n++
	}
	return text
}

// checkRefused refuses a record of which a column did not take its value.
func (s *Session) checkRefused(ctx context.Context, tx *store.Tx, r *Record) error {
	for _, col := range r.Table.Columns {
		refused, ok := r.refused[col.Name]
		if !ok {
			continue
		}
		def := refused.message
		if def == "FillMandatory" {
			def = strings.TrimRight(MsgFillMandatory, " ")
		}
		message, err := Message(ctx, tx, refused.message, s.Language, def)
		if err != nil {
			return err
		}
		return PublicError(strings.TrimSuffix(strings.TrimSpace(message), ":") + ": " + col.Label + " - " + refused.text)
	}
	return nil
}

// wrapped is a whole number as Java makes an int of it: without its fraction, and
// of what is left the last 32 bits. ok is false for what is not a number.
func wrapped(text string) (n int64, ok bool) {
	plain, ok := PlainDecimal(text)
	if !ok {
		return 0, false
	}
	whole, _, _ := strings.Cut(plain, ".")
	x, ok := new(big.Int).SetString(whole, 10)
	if !ok {
		return 0, whole == "" || whole == "-"
	}
	bits := new(big.Int).And(x, big.NewInt(1<<32-1)) // two's complement, also of negative numbers
	return int64(int32(bits.Uint64())), true         //nolint:gosec // the last 32 bits are meant
}

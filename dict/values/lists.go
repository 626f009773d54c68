package values

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/internal/text"
)

// key is the text of a list value or a reference: that of the cell, or the key in
// an object as the API writes them.
func key(cell Cell) (string, bool) {
	if cell.Kind != JSON {
		return cell.Text, true
	}
	var given struct {
		ID         json.RawMessage `json:"id"`
		UID        string          `json:"uid"`
		UUID       string          `json:"uuid"`
		Identifier string          `json:"identifier"`
	}
	if json.Unmarshal([]byte(cell.Text), &given) != nil {
		return "", false
	}
	var s string
	switch {
	case given.ID != nil && json.Unmarshal(given.ID, &s) == nil:
		return s, s != ""
	case given.ID != nil:
		return string(given.ID), true
	case given.UID != "":
		return given.UID, true
	case given.UUID != "":
		return given.UUID, true
	}
	return given.Identifier, given.Identifier != ""
}

func (r *Reader) listed(ctx context.Context, v *Value, cell Cell) error {
	s, ok := key(cell)
	if !ok {
		return wrong("it is neither a value of a list nor an object with its id")
	}
	ref, err := r.list(ctx, v.target.ReferenceID)
	if err != nil {
		return err
	}
	chosen, err := listValue(ref, s)
	if err != nil {
		return err
	}
	if n := utf8.RuneCountInString(chosen.Value); v.target.Length > 0 && n > v.target.Length {
		return wrong("%s has %d characters, and %s takes %d", text.Quote(chosen.Value), n, v.target.Name, v.target.Length)
	}
	v.Send, v.Plain, v.Name = chosen.Value, chosen.Value, chosen.Name
	return nil
}

// list is a list of values; one that the dictionary does not have has none.
func (r *Reader) list(ctx context.Context, id int) (registry.Reference, error) {
	var with []registry.Detail
	if r.opts.Inactive {
		with = []registry.Detail{registry.WithInactive}
	}
	ref, err := r.dict.Reference(ctx, strconv.Itoa(id), with...)
	if errors.Is(err, registry.ErrNotFound) {
		return registry.Reference{}, nil
	}
	return ref, err
}

// mostListed are the values of a list that an error shows.
const mostListed = 15

// listValue is a value of a list, given by code or label. A list without values
// takes everything.
func listValue(ref registry.Reference, s string) (registry.ListValue, error) {
	if len(ref.Values) == 0 {
		return registry.ListValue{Value: s}, nil
	}
	var matches, active []registry.ListValue
	var labels []string
	for _, v := range ref.Values {
		if v.Value == s {
			return v, nil
		}
		if !v.Active {
			continue
		}
		if trimmed := strings.TrimSpace(s); strings.EqualFold(v.Name, trimmed) || strings.EqualFold(strings.TrimSpace(v.Value), trimmed) {
			matches = append(matches, v)
		}
		active, labels = append(active, v), append(labels, v.Name)
	}
	if len(matches) == 1 {
		return matches[0], nil
	}
	words := make([]string, 0, len(active))
	near := nearest.Name(s, labels)
	for i, v := range active {
		word := fmt.Sprintf("%s (%s)", strings.TrimSpace(v.Value), text.Shorten(v.Name, 60))
		if near != "" && v.Name == near && len(matches) == 0 {
			return v, wrong("the list %s has no value %s; did you mean %s?", ref.Name, text.Quote(s), word)
		}
		if i == mostListed {
			word = "…"
		}
		if i <= mostListed {
			words = append(words, word)
		}
	}
	return registry.ListValue{}, wrong("the list %s has no value %s; it has %s", ref.Name, text.Quote(s), strings.Join(words, ", "))
}

// Code is the code of a value of a list, given by code or label.
func (r *Reader) Code(ctx context.Context, list int, given string) (string, error) {
	ref, err := r.list(ctx, list)
	if err != nil {
		return given, err
	}
	v, err := listValue(ref, given)
	if err != nil {
		return given, err
	}
	return v.Value, nil
}

// ListCodes are values of a list, which is named, with the codes in the place of labels;
// notes say of which. Nothing, and texts with % or = in them, stay as they are, and so do all where the role does not see the list. The error is an [*Error], or that of the
// dictionary.
func (r *Reader) ListCodes(ctx context.Context, list string, given []string) (codes, notes []string, err error) {
	codes = slices.Clone(given)
	ref, err := r.dict.Reference(ctx, list, registry.WithInactive)
	if errors.Is(err, registry.ErrNotFound) || errors.Is(err, erp.ErrForbidden) {
		return codes, nil, nil
	}
	for i, v := range codes {
		if err != nil || v == "" || strings.ContainsAny(v, "%=") {
			continue
		}
		var chosen registry.ListValue
		if chosen, err = listValue(ref, v); err == nil && chosen.Value != v {
			codes[i] = chosen.Value
			notes = append(notes, fmt.Sprintf("%s is taken as %s", text.Shorten(v, 60), chosen.Value))
		}
	}
	return codes, notes, err
}

// several converts a column with several choices, which are separated by commas.
func (r *Reader) several(ctx context.Context, v *Value, cell Cell) error {
	s, ok := key(cell)
	if cell.Kind == JSON {
		s, ok = selections(cell.Text, s, ok)
	}
	if !ok {
		return wrong("it is not a list of values separated by commas")
	}
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if v.target.Type == dict.TypeChosenMultipleSelectionList {
			ref, err := r.list(ctx, v.target.ReferenceID)
			if err != nil {
				return err
			}
			chosen, err := listValue(ref, part)
			if err != nil {
				return err
			}
			part = chosen.Value
		}
		out = append(out, part)
	}
	v.Plain = strings.Join(out, ",")
	v.Send = v.Plain
	return nil
}

// selections are the keys in an object or a list as the API writes them.
func selections(raw, s string, ok bool) (string, bool) {
	var object struct {
		Selections []erp.Ref `json:"selections"`
	}
	if err := json.Unmarshal([]byte(raw), &object.Selections); err != nil {
		if json.Unmarshal([]byte(raw), &object) != nil {
			return s, ok
		}
	}
	if len(object.Selections) == 0 {
		return s, ok
	}
	keys := make([]string, len(object.Selections))
	for i, r := range object.Selections {
		keys[i] = r.ID.String()
	}
	return strings.Join(keys, ","), true
}

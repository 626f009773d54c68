package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// valueTarget is what a value is written to: a column, or a parameter of a process.
type valueTarget struct {
	name        string
	typ         dict.DisplayType
	referenceID int
	foreign     string // table the values are keys of; empty: none
}

func columnTarget(col *registry.Column) valueTarget {
	return valueTarget{name: col.Name, typ: col.Type, referenceID: col.ReferenceID, foreign: col.ForeignTable}
}

func parameterTarget(par *registry.Parameter) valueTarget {
	return valueTarget{name: par.Column, typ: par.Type, referenceID: par.ReferenceID, foreign: par.ForeignTable}
}

// resolver turns what people write into what the ERP stores: names of records into
// their numbers, labels of lists into codes, words for yes and no into booleans.
type resolver struct {
	b      *Toolbox
	c      *mcp.Call
	reg    registry.Registry
	ctx    context.Context // of the client
	client *erp.Client     // nil until it is needed
	// earlier resolves references to records that the same call makes; nil: there
	// are none.
	earlier func(t valueTarget, name string) (resolved, error)
	names   map[string]string // of records, by table and key
	// retired takes values of lists that are deactivated: records may still have them.
	retired bool
}

// resolved is a value as it is sent, and how a question shows it where the value
// itself does not say what it means; nil: it does.
type resolved struct {
	value json.RawMessage
	shown any
}

// value resolves one value. The error is the problem with it as an *mcp.Error, or
// what kept it from being looked at.
func (r *resolver) value(ctx context.Context, t valueTarget, raw json.RawMessage) (resolved, error) {
	same := resolved{value: raw}
	text, isText := textOf(raw)
	switch {
	case t.typ == dict.TypeYesNo:
		return yesNo(t, raw)
	case t.typ.IsMultiple():
		return same, nil
	case t.typ.IsList() && t.referenceID > 0:
		return r.listed(ctx, t, raw)
	case t.foreign == "":
		return same, nil
	case string(raw) == "null":
		if t.typ.IsID() {
			return resolved{json.RawMessage(strconv.Itoa(erp.NoRef)), mcp.Name("nothing")}, nil // the ERP takes no null there
		}
		return same, nil
	case !isText:
		var given map[string]json.RawMessage
		if json.Unmarshal(raw, &given) != nil || len(given) != 1 { // a number, or what the ERP understands itself
			return same, nil
		}
		if text, isText = textOf(given["identifier"]); !isText {
			return same, nil
		}
	}
	if r.earlier != nil && strings.HasPrefix(text, "@") {
		return r.earlier(t, text)
	}
	if _, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil {
		return same, nil // a number stays one, also when it is written as text
	}
	if uuid, ok := dict.ParseUUID(strings.TrimSpace(text)); ok {
		value, err := json.Marshal(map[string]string{"uid": string(uuid)})
		return resolved{value: value}, err
	}
	return r.reference(ctx, t, text, same)
}

// textOf is the content of a JSON text.
func textOf(raw json.RawMessage) (string, bool) {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}

func problem(t valueTarget, hint, format string, args ...any) error {
	return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: t.name + ": " + fmt.Sprintf(format, args...), Hint: hint}
}

func yesNo(t valueTarget, raw json.RawMessage) (resolved, error) {
	word := strings.ToLower(strings.TrimSpace(strings.Trim(string(raw), `"`)))
	switch word {
	case "true", "y", "yes", "1":
		return resolved{value: json.RawMessage("true")}, nil
	case "false", "n", "no", "0":
		return resolved{value: json.RawMessage("false")}, nil
	}
	return resolved{}, problem(t, "", "it is true or false, not %s", clip(string(raw), 60))
}

// listed resolves a value of a list, by code or by label.
func (r *resolver) listed(ctx context.Context, t valueTarget, raw json.RawMessage) (resolved, error) {
	same := resolved{value: raw}
	text, ok := textOf(raw)
	if !ok {
		if len(raw) == 0 || raw[0] < '0' || raw[0] > '9' { // an object, or null
			return same, nil
		}
		text = string(raw)
	}
	var with []registry.Detail
	if r.retired {
		with = []registry.Detail{registry.WithInactive}
	}
	ref, err := r.reg.Reference(ctx, strconv.Itoa(t.referenceID), with...)
	if isMissing(err) || err == nil && len(ref.Values) == 0 {
		return same, nil // the ERP knows
	}
	if err != nil {
		return same, err
	}
	code := func(v registry.ListValue) (resolved, error) {
		value, err := json.Marshal(v.Value)
		return resolved{value, mcp.Ref{ID: mcp.Name(v.Value), Name: v.Name}}, err
	}
	for _, v := range ref.Values {
		if v.Value == text {
			return code(v)
		}
	}
	var meant []registry.ListValue
	var names []string
	for _, v := range ref.Values {
		if !v.Active {
			continue
		}
		if strings.EqualFold(v.Name, strings.TrimSpace(text)) || strings.EqualFold(v.Value, strings.TrimSpace(text)) {
			meant = append(meant, v)
		}
		names = append(names, v.Name)
	}
	if len(meant) == 1 {
		return code(meant[0])
	}
	shown := slices.DeleteFunc(slices.Clone(ref.Values), func(v registry.ListValue) bool { return !v.Active })
	if near := mcp.Nearest(text, names); len(near) > 0 {
		shown = slices.DeleteFunc(shown, func(v registry.ListValue) bool { return !slices.Contains(near, v.Name) })
	}
	words := make([]string, 0, len(shown))
	for i, v := range shown {
		if i == 20 {
			words = append(words, "…")
			break
		}
		words = append(words, fmt.Sprintf("%s (%s)", v.Value, cell(v.Name)))
	}
	return same, problem(t, "", "the list %s has no value %q; it has %s", ref.Name, clip(text, 60), strings.Join(words, ", "))
}

// code is the code of a value of a list, given as a text.
func (r *resolver) code(ctx context.Context, t valueTarget, text string) (string, error) {
	raw, err := json.Marshal(text)
	if err != nil {
		return text, err
	}
	got, err := r.listed(ctx, t, raw)
	if code, ok := textOf(got.value); ok {
		return code, err
	}
	return text, err
}

// reference resolves the name of a record of another table.
func (r *resolver) reference(ctx context.Context, t valueTarget, name string, same resolved) (resolved, error) {
	table, err := r.reg.Table(ctx, t.foreign)
	if isMissing(err) {
		return same, nil // the role does not see the table: the ERP says what it thinks of it
	}
	if err != nil {
		return same, err
	}
	lookup, ok, err := r.lookup(ctx, t, &table)
	if err != nil || !ok {
		return same, err
	}
	if r.client == nil {
		r.ctx, r.client, err = r.b.connect(ctx, r.c, "look records up by name")
		if errors.Is(err, errors.ErrUnsupported) {
			value, err := json.Marshal(map[string]string{"identifier": name}) // the ERP looks by itself
			return resolved{value: value}, err
		}
		if err != nil {
			return same, err
		}
	}
	found, err := r.client.FindRef(r.ctx, lookup, name)
	var bad *erp.RefError
	switch {
	case err == nil:
		value, err := json.Marshal(found.ID)
		return resolved{value, mcp.Ref{ID: found.ID, Name: found.Name}}, err
	case errors.As(err, &bad):
		return same, badReference(t, table.Name, lookup, bad)
	case errors.Is(err, erp.ErrForbidden):
		return same, problem(t, "give the number of the record", "your role may not read %s, so %q cannot be looked up", table.Name, clip(name, 60))
	case errors.Is(err, erp.ErrInvalid):
		return same, problem(t, "give the number of the record", "%q cannot be looked up in %s: %s", clip(name, 60), table.Name, clip(err.Error(), 200))
	}
	return same, err
}

// badReference says which records a name may mean.
func badReference(t valueTarget, table string, l erp.RefLookup, e *erp.RefError) error {
	lines := func(matches []erp.RefMatch) string {
		words := make([]string, 0, len(matches))
		for i, m := range matches {
			if i == 8 {
				words = append(words, fmt.Sprintf("and %d more", len(matches)-i))
				break
			}
			words = append(words, fmt.Sprintf("%s (%s)", m.ID, cell(strings.Join(m.Facts(l), ", "))))
		}
		return strings.Join(words, "; ")
	}
	switch {
	case len(e.Matches) > 0:
		return problem(t, "give the number of the one that is meant", "%d records of %s are called %q: %s", len(e.Matches), table, clip(e.Name, 60), lines(e.Matches))
	case len(e.Near) > 0:
		return problem(t, "give one of these, or the number of the record", "no record of %s is called %q; near: %s", table, clip(e.Name, 60), lines(e.Near))
	}
	return problem(t, "", "no record of %s that your role may see is called %q", table, clip(e.Name, 60))
}

// lookup is how records of a table are found by name; false where they are not: the
// key is a text itself, or no column has a name.
func (r *resolver) lookup(ctx context.Context, t valueTarget, table *registry.Table) (erp.RefLookup, bool, error) {
	l := erp.RefLookup{Table: table.Name}
	key, display := table.Name+"_ID", ""
	if t.referenceID > 0 && !t.typ.IsList() {
		ref, err := r.reg.Reference(ctx, strconv.Itoa(t.referenceID))
		if err != nil && !isMissing(err) {
			return l, false, err
		}
		if err == nil && ref.Lookup != nil {
			key, display = ref.Lookup.Key, ref.Lookup.Display
		}
	}
	if !strings.EqualFold(key, table.Name+"_ID") {
		return l, false, nil
	}
	l.Columns, l.Identifier = table.NameColumns(display)
	for i := range table.Columns {
		col := &table.Columns[i]
		tells := col.Identifier || col.Parent || col.Name == "AD_Org_ID" || col.Name == "AD_Client_ID"
		if tells && col.Readable() && !col.Key && !slices.Contains(l.Identifier, col.Name) {
			l.Show = append(l.Show, col.Name)
		}
	}
	return l, len(l.Columns) > 0, nil
}

// withName is a resolved value that refers to a record by its key, with the name of
// the record, so that a question says more than a number. The role may not see the
// record; then the key alone is shown.
func (r *resolver) withName(ctx context.Context, t valueTarget, got resolved) (resolved, error) {
	if got.shown != nil || t.foreign == "" || t.typ.IsMultiple() || t.typ.IsList() || !backend.Can[backend.Recorder](r.b.pool) {
		return got, nil
	}
	var ref struct {
		UID string `json:"uid"`
	}
	key := strings.Trim(string(got.value), `"`)
	if json.Unmarshal(got.value, &ref) == nil && ref.UID != "" {
		key = ref.UID
	} else if n, err := strconv.ParseInt(strings.TrimSpace(key), 10, 64); err != nil || n < 0 {
		return got, nil
	}
	of := t.foreign + " " + key
	name, known := r.names[of]
	if !known {
		raw, err := r.b.read(ctx, r.c, t.foreign, key)
		var refused *erp.Error
		switch {
		case errors.As(err, &refused) && refused.Status < 500 && !errors.Is(err, erp.ErrUnauthorized) && !errors.Is(err, erp.ErrRateLimited):
		case err != nil:
			return got, err
		default:
			record, err := erp.ParseRecord(raw)
			if err != nil {
				return got, err
			}
			name = nameOf(record)
		}
		if r.names == nil {
			r.names = map[string]string{}
		}
		r.names[of] = name
	}
	if name != "" {
		got.shown = mcp.Ref{ID: mcp.Name(key), Name: name}
	}
	return got, nil
}

// resolveAll resolves values of a table in place and returns how a question shows
// them, by column. All problems are told at once.
func (r *resolver) resolveAll(ctx context.Context, t *registry.Table, values map[string]any) (map[string]any, []string, error) {
	shown := map[string]any{}
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		raw, ok := values[name].(json.RawMessage)
		col, known := t.Column(name)
		if !ok || !known {
			continue
		}
		got, err := r.value(ctx, columnTarget(&col), raw)
		if err == nil {
			got, err = r.withName(ctx, columnTarget(&col), got)
		}
		var wrong *mcp.Error
		switch {
		case errors.As(err, &wrong) && wrong.Code == mcp.CodeInvalidArguments:
			problems = append(problems, wrong.Error())
			continue
		case err != nil:
			return nil, nil, err
		}
		values[name] = got.value
		if got.shown != nil {
			shown[name] = got.shown
		}
	}
	return shown, problems, nil
}

package erp_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
)

// wireValue turns what the client decoded into what the server sent: references with
// all they have instead of the short form that requests take.
func wireValue(v any) any {
	switch v := v.(type) {
	case erp.Ref:
		return wireRef(v)
	case *erp.Page:
		return wirePage(v)
	case erp.BatchResult:
		return map[string]any{"status": v.Status, "statusCode": v.StatusCode, "body": v.Body}
	case erp.Process:
		return over(v.Record, wireReflected(reflect.ValueOf(v)))
	case erp.ProcessParameter:
		return over(v.Record, wireReflected(reflect.ValueOf(v)))
	case *erp.Scheduler:
		return v.Record
	case erp.MenuEntry:
		m := wireReflected(reflect.ValueOf(v)).(map[string]any)
		m["model-name"] = "ad_menu" // as the type says
		return m
	case json.Marshaler:
		return v
	}
	return wireReflected(reflect.ValueOf(v))
}

func wireReflected(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return wireValue(v.Elem().Interface())
	case reflect.Struct:
		m := map[string]any{}
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			m[name] = wireValue(v.Field(i).Interface())
		}
		return m
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Interface()
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = wireValue(v.Index(i).Interface())
		}
		return list
	case reflect.Map:
		m := map[string]any{}
		for name, value := range v.Seq2() {
			m[name.String()] = wireValue(value.Interface())
		}
		return m
	}
	return v.Interface()
}

// over puts the members of a type's own fields over all members of its record.
func over(record erp.Record, fields any) any {
	m := record.Map()
	maps.Copy(m, fields.(map[string]any))
	return m
}

func wireRef(r erp.Ref) any {
	if r.IsZero() {
		return nil
	}
	return map[string]any{"id": r.ID, "uid": r.UUID, "identifier": r.Identifier, "model-name": r.Model, "propertyLabel": r.Label}
}

func wirePage(p *erp.Page) any {
	m := map[string]any{
		"row-count": p.Rows, "page-count": p.Pages, "records-size": p.Size, "skip-records": p.Skip,
		"array-count": p.Count, "records": p.Records,
	}
	if p.SQL != "" {
		m["sql-command"] = p.SQL
	}
	return m
}

// checkRecords reads every column of the records in what was decoded.
func checkRecords(v any) []string {
	var found []string
	for path, record := range recordsIn(v) {
		found = append(found, checkRecord(path, record)...)
	}
	return found
}

func recordsIn(v any) iter.Seq2[string, erp.Record] {
	return func(yield func(string, erp.Record) bool) {
		switch v := v.(type) {
		case erp.Record:
			yield("$", v)
		case *erp.Page:
			for i, r := range v.Records {
				if !yield(fmt.Sprintf("$.records[%d]", i), r) {
					return
				}
			}
		case []erp.BatchResult:
			for i, result := range v {
				if r, err := result.Record(); result.OK() && err == nil && !yield(fmt.Sprintf("$[%d].body", i), r) {
					return
				}
			}
		}
	}
}

var (
	aDay     = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	aTime    = regexp.MustCompile(`^\d\d:\d\d:\d\dZ$`)
	aMoment  = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d`)
	identity = map[string]bool{"id": true, "uid": true, "model-name": true}
)

// checkRecord reads every column of a record by the accessor of its kind.
func checkRecord(path string, r erp.Record) []string {
	var found []string
	wrong := func(column, format string, args ...any) {
		found = append(found, path+"."+column+": "+fmt.Sprintf(format, args...))
	}
	all := r.Map()
	if len(all) != r.Len() {
		wrong("", "Map has %d of %d members", len(all), r.Len())
	}
	for column, raw := range r.All() {
		value := all[column]
		if again, err := json.Marshal(value); err != nil || !sameJSON(raw, again) {
			wrong(column, "Map has %s, the record %s", again, raw)
		}
		switch value := value.(type) {
		case nil:
			if text, ok := r.Text(column); ok || text != "" || !r.Has(column) {
				wrong(column, "null is read as a value or as absent")
			}
		case string:
			found = append(found, checkText(path, column, r, value)...)
		case json.Number:
			if d, ok := r.Decimal(column); !ok || string(d) != value.String() {
				wrong(column, "Decimal is %q, the number %s", string(d), value)
			}
			if whole, err := value.Int64(); err == nil {
				if n, ok := r.Int(column); !ok || n != whole {
					wrong(column, "Int is %d, the number %s", n, value)
				}
			}
		case bool:
			if b, ok := r.Bool(column); !ok || b != value {
				wrong(column, "Bool is %v, %v", b, ok)
			}
		case map[string]any:
			found = append(found, checkObject(path+"."+column, column, r, value)...)
		case []any:
			found = append(found, checkList(path+"."+column, column, r, value)...)
		}
	}
	for name := range identity {
		got := map[string]any{"id": r.ID(), "uid": r.UUID(), "model-name": r.Model()}[name]
		if want, ok := all[name]; ok && want != nil && fmt.Sprint(got) != fmt.Sprint(want) {
			wrong(name, "read as %v, the record has %v", got, want)
		}
	}
	return found
}

func checkText(path, column string, r erp.Record, value string) []string {
	var found []string
	if text, ok := r.Text(column); !ok || text != value {
		found = append(found, fmt.Sprintf("%s.%s: Text is %q, the record has %q", path, column, text, value))
	}
	switch {
	case aDay.MatchString(value):
		if day, ok := r.Date(column); !ok || day.String() != value {
			found = append(found, fmt.Sprintf("%s.%s: Date is %s, the record has %s", path, column, day, value))
		}
	case aMoment.MatchString(value), aTime.MatchString(value):
		at, ok := r.Time(column)
		if !ok || !strings.Contains(value, at.Format(time.TimeOnly)) || len(value) > 10 && !strings.HasPrefix(value, at.Format(time.DateOnly)) {
			found = append(found, fmt.Sprintf("%s.%s: Time is %s, the record has %s", path, column, at, value))
		}
	}
	return found
}

func checkObject(path, column string, r erp.Record, value map[string]any) []string {
	inner, ok := r.Record(column)
	if !ok {
		return []string{path + ": the object inside the record is not read by Record"}
	}
	found := checkRecord(path, inner)
	if id, ok := value["id"]; ok && id != nil {
		ref, _ := r.Ref(column)
		uuid := value["uid"]
		if uuid == nil {
			uuid = value["uuid"]
		}
		got := map[string]any{"id": ref.ID, "uid": ref.UUID, "identifier": ref.Identifier, "model-name": ref.Model, "propertyLabel": ref.Label}
		want := map[string]any{"id": id, "uid": uuid, "identifier": value["identifier"], "model-name": value["model-name"], "propertyLabel": value["propertyLabel"]}
		for name := range want {
			text := ""
			if want[name] != nil {
				text = fmt.Sprint(want[name])
			}
			if fmt.Sprint(got[name]) != text {
				found = append(found, fmt.Sprintf("%s: %s of Ref is %v, the record has %v", path, name, got[name], want[name]))
			}
		}
	}
	if list, ok := value["selections"].([]any); ok {
		if refs, ok := r.Refs(column); !ok || len(refs) != len(list) {
			found = append(found, fmt.Sprintf("%s: Refs has %d of %d choices", path, len(refs), len(list)))
		}
	}
	return found
}

func checkList(path, column string, r erp.Record, list []any) []string {
	if len(list) > 0 {
		if _, ok := list[0].(map[string]any); !ok {
			return nil // compared by Map
		}
	}
	children, err := r.Children(column)
	if err != nil || len(children) != len(list) {
		return []string{fmt.Sprintf("%s: Children has %d of %d records: %v", path, len(children), len(list), err)}
	}
	var found []string
	for i, child := range children {
		found = append(found, checkRecord(fmt.Sprintf("%s[%d]", path, i), child)...)
	}
	return found
}

// sameJSON reports whether two JSON texts are equal, numbers digit by digit.
func sameJSON(a, b []byte) bool {
	var values [2]any
	for i, text := range [][]byte{a, b} {
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.UseNumber()
		if d.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

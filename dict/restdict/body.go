package restdict

import (
	"fmt"

	"github.com/erphub/erphub/dict"
)

// body is a step's values as the REST API takes them. References to records of
// the same batch, which have no id yet, are given by UUID.
func (r *runner) body(step *dict.RecordStep) (map[string]any, error) {
	body := make(map[string]any, len(step.Values)+1)
	for _, f := range step.Values {
		if unwritable(step.Table, f.Column) {
			continue
		}
		v, err := r.jsonValue(f.Value)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Column, err)
		}
		body[f.Column] = v
	}
	if step.Action == dict.Update {
		return body, nil
	}
	if step.UUID != "" {
		body[step.Table+"_UU"] = string(step.UUID)
	}
	for _, column := range fromLogin[step.Table] {
		if _, given := body[column]; !given {
			body[column] = -1 // which the REST API takes for none
		}
	}
	return body, nil
}

// fromLogin are columns that the REST API would fill from the login when a new
// record leaves them out: a rule would then be for the role and the user alone that
// the plan runs as.
var fromLogin = map[string][]string{"AD_TableValRule": {"AD_Role_ID", "AD_User_ID"}}

func (r *runner) jsonValue(v dict.Value) (any, error) {
	switch v := v.(type) {
	case dict.Text:
		return string(v), nil
	case dict.Int:
		return int64(v), nil
	case dict.YesNo:
		return bool(v), nil
	case dict.Ref:
		st := r.byKey[dict.Key(v)]
		switch {
		case st.id > 0:
			return st.id, nil
		case st.uuid != "":
			return map[string]string{"uid": st.uuid}, nil
		}
		if rec, ok := st.step.(*dict.RecordStep); ok && rec.UUID != "" {
			return map[string]string{"uid": string(rec.UUID)}, nil
		}
		return nil, fmt.Errorf("step %s has no record to refer to", st.step.StepKey())
	case dict.Existing:
		id, ok := r.existingID(v)
		if !ok {
			return nil, fmt.Errorf("the ERP has no %s", existingName(v))
		}
		return id, nil
	}
	return nil, fmt.Errorf("a value of type %T has no form in the REST API", v)
}

// unwritable reports whether the REST API refuses the column: those shown as a
// button can be read but not written. Their defaults are what plans set.
func unwritable(table, column string) bool {
	return table == "AD_Column" && column == "IsEncrypted"
}

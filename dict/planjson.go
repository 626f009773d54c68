package dict

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The JSON form of a plan. Texts, numbers and flags are plain values, a
// reference is {"ref":"@XX_Demo_ID@"}, a record that is in the ERP already is
// {"existing":{…}}.
type (
	wirePlan struct {
		Name        string     `json:"name"`
		Fingerprint string     `json:"fingerprint,omitempty"`
		Steps       []wireStep `json:"steps"`
	}
	wireStep struct {
		Kind     string      `json:"kind"` // record or process
		Key      Key         `json:"key"`
		Action   Action      `json:"action,omitempty"`
		Purpose  Purpose     `json:"role,omitempty"`
		Table    string      `json:"table,omitempty"`
		Name     string      `json:"name,omitempty"`
		UUID     UUID        `json:"uuid,omitempty"`
		ID       int         `json:"id,omitempty"`
		Of       Key         `json:"of,omitempty"`
		Match    []wireField `json:"match,omitempty"`
		Values   []wireField `json:"values,omitempty"`
		Record   *wireValue  `json:"record,omitempty"`
		After    []Key       `json:"after,omitempty"`
		Physical *Physical   `json:"physical,omitempty"`
		Index    *Index      `json:"index,omitempty"`
		Rename   *Rename     `json:"rename,omitempty"`
	}
	wireField struct {
		Column string    `json:"column"`
		Value  wireValue `json:"value"`
		Fold   bool      `json:"fold,omitempty"`
	}
	wireExisting struct {
		Table string      `json:"table"`
		ID    int         `json:"id,omitempty"`
		Match []wireField `json:"match,omitempty"`
	}
)

// wireValue carries a Value through JSON.
type wireValue struct{ Value }

// MarshalJSON implements [json.Marshaler].
func (w wireValue) MarshalJSON() ([]byte, error) {
	switch v := w.Value.(type) {
	case Text:
		return json.Marshal(string(v))
	case Int:
		return json.Marshal(int64(v))
	case YesNo:
		return json.Marshal(bool(v))
	case Ref:
		return json.Marshal(map[string]string{"ref": Key(v).Placeholder()})
	case Existing:
		e := wireExisting{Table: v.Table, ID: v.ID, Match: wireMatches(v.Match)}
		return json.Marshal(map[string]wireExisting{"existing": e})
	}
	return nil, fmt.Errorf("a value of type %T has no JSON form", w.Value)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (w *wireValue) UnmarshalJSON(data []byte) error {
	switch data[0] { // the decoder hands over one valid value
	case '"':
		var text string
		err := json.Unmarshal(data, &text)
		w.Value = Text(text)
		return err
	case 't', 'f':
		w.Value = YesNo(data[0] == 't')
		return nil
	case '{':
		return w.unmarshalObject(data)
	}
	var number int64
	if data[0] == 'n' || json.Unmarshal(data, &number) != nil {
		return fmt.Errorf("a step's value is none of text, whole number, flag, ref and existing: %s", quote(string(data)))
	}
	w.Value = Int(number)
	return nil
}

func (w *wireValue) unmarshalObject(data []byte) error {
	var object struct {
		Ref      string        `json:"ref"`
		Existing *wireExisting `json:"existing"`
	}
	if err := json.Unmarshal(data, &object); err != nil {
		return fmt.Errorf("a step's value: %w", err)
	}
	if e := object.Existing; e != nil {
		matches, err := matchesOf(e.Match)
		if err != nil {
			return err
		}
		w.Value = Existing{Table: e.Table, ID: e.ID, Match: matches}
		return nil
	}
	key, ok := strings.CutPrefix(object.Ref, "@")
	key, ok2 := strings.CutSuffix(key, "_ID@")
	if !ok || !ok2 || key == "" {
		return fmt.Errorf("the reference %s does not have the form @<key>_ID@", quote(object.Ref))
	}
	w.Value = Ref(key)
	return nil
}

func wireMatches(matches []Match) []wireField {
	var fields []wireField
	for _, m := range matches {
		fields = append(fields, wireField{m.Column, wireValue{m.Value}, m.Fold})
	}
	return fields
}

func matchesOf(fields []wireField) ([]Match, error) {
	var matches []Match
	for _, f := range fields {
		if f.Value.Value == nil {
			return nil, fmt.Errorf("column %s has no value", quote(f.Column))
		}
		matches = append(matches, Match{f.Column, f.Value.Value, f.Fold})
	}
	return matches, nil
}

func (p *Plan) wire() wirePlan {
	w := wirePlan{Name: p.name, Fingerprint: p.fingerprint, Steps: make([]wireStep, 0, len(p.steps))}
	for _, s := range p.steps {
		switch s := s.(type) {
		case *RecordStep:
			ws := wireStep{Kind: "record", Key: s.Key, Action: s.Action, Table: s.Table, Name: s.Name,
				UUID: s.UUID, ID: s.ID, Of: s.Of, Match: wireMatches(s.Match)}
			for _, f := range s.Values {
				ws.Values = append(ws.Values, wireField{Column: f.Column, Value: wireValue{f.Value}})
			}
			w.Steps = append(w.Steps, ws)
		case *RunStep:
			w.Steps = append(w.Steps, wireStep{Kind: "process", Key: s.Key, Purpose: s.Purpose, Table: s.Table, Name: s.Name,
				Record: &wireValue{s.Record}, After: s.After, Physical: s.Physical, Index: s.Index, Rename: s.Rename})
		}
	}
	return w
}

// MarshalJSON implements [json.Marshaler]: name, fingerprint and steps.
func (p *Plan) MarshalJSON() ([]byte, error) { return json.Marshal(p.wire()) }

// UnmarshalJSON implements [json.Unmarshaler]. It accepts what MarshalJSON
// writes, checks the steps as [Assemble] does, and refuses a plan whose content
// does not fit its fingerprint.
func (p *Plan) UnmarshalJSON(data []byte) error {
	var w wirePlan
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("reading a plan: %w", err)
	}
	steps := make([]Step, 0, len(w.Steps))
	for i, ws := range w.Steps {
		step, err := ws.step()
		if err != nil {
			return fmt.Errorf("reading step %d of plan %s: %w", i+1, quote(w.Name), err)
		}
		steps = append(steps, step)
	}
	plan, err := Assemble(w.Name, steps...)
	if err != nil {
		return err
	}
	if w.Fingerprint != "" && w.Fingerprint != plan.fingerprint {
		return fmt.Errorf("plan %s was changed after it was written: its fingerprint does not fit its steps", quote(w.Name))
	}
	*p = *plan
	return nil
}

func (w wireStep) step() (Step, error) {
	switch w.Kind {
	case "record":
		switch w.Action {
		case Create, Ensure, Update:
		default:
			return nil, fmt.Errorf("there is no action %s", quote(string(w.Action)))
		}
		matches, err := matchesOf(w.Match)
		if err != nil {
			return nil, err
		}
		r := &RecordStep{Key: w.Key, Action: w.Action, Table: w.Table, Name: w.Name, UUID: w.UUID, ID: w.ID, Of: w.Of, Match: matches}
		for _, f := range w.Values {
			if f.Value.Value == nil {
				return nil, fmt.Errorf("column %s has no value", quote(f.Column))
			}
			r.Values = append(r.Values, ColumnValue{f.Column, f.Value.Value})
		}
		return r, nil
	case "process":
		if w.Record == nil || w.Record.Value == nil {
			return nil, fmt.Errorf("the process has no record")
		}
		return &RunStep{Key: w.Key, Purpose: w.Purpose, Table: w.Table, Name: w.Name, Record: w.Record.Value,
			After: w.After, Physical: w.Physical, Index: w.Index, Rename: w.Rename}, nil
	}
	return nil, fmt.Errorf("there is no kind of step %s", quote(w.Kind))
}

package jsonscan

import "encoding/json"

// Map decodes an object whose members are known, as encoding/json does with
// numbers kept as json.Number. The text must have been scanned before.
func Map(obj []byte, fields []Field) map[string]any {
	m := make(map[string]any, len(fields))
	for _, f := range fields {
		name, _ := Text(obj[f.NameStart-1 : f.NameEnd+1])
		d := decoder{Scanner{Data: obj[:f.ValueEnd], Pos: int(f.ValueStart)}}
		m[name] = d.value()
	}
	return m
}

// decoder decodes text that is known to be valid.
type decoder struct{ Scanner }

func (d *decoder) value() any {
	switch c := d.Data[d.Pos]; c {
	case '"':
		return d.text()
	case '{':
		return d.object()
	case '[':
		return d.array()
	case 't':
		d.Pos += len("true")
		return true
	case 'f':
		d.Pos += len("false")
		return false
	case 'n':
		d.Pos += len("null")
		return nil
	default:
		start := d.Pos
		d.number()
		return json.Number(d.Data[start:d.Pos])
	}
}

func (d *decoder) text() string {
	start := d.Pos
	d.String()
	text, _ := Text(d.Data[start:d.Pos])
	return text
}

func (d *decoder) object() map[string]any {
	m := make(map[string]any, 4)
	d.Pos++
	d.Space()
	if d.Byte('}') {
		return m
	}
	for {
		name := d.text()
		d.Space()
		d.Byte(':')
		d.Space()
		m[name] = d.value()
		d.Space()
		if !d.Byte(',') {
			d.Byte('}')
			return m
		}
		d.Space()
	}
}

func (d *decoder) array() []any {
	list := []any{}
	d.Pos++
	d.Space()
	if d.Byte(']') {
		return list
	}
	for {
		list = append(list, d.value())
		d.Space()
		if !d.Byte(',') {
			d.Byte(']')
			return list
		}
		d.Space()
	}
}

package values

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/text"
)

func readText(v *Value, cell Cell) error {
	col := &v.target
	switch cell.Kind {
	case JSON:
		return wrong("it is an object or a list, and %s holds text", col.Name)
	case Bool, Number, Text, Date:
	default:
		return wrong("%s holds text", col.Name)
	}
	if n := utf8.RuneCountInString(cell.Text); col.Length > 0 && n > col.Length && shortText(col) {
		return wrong("the text has %d characters, and %s takes %d; the ERP would cut it without a word", n, col.Name, col.Length)
	}
	if strings.HasSuffix(col.Name, "_UU") && col.Type.IsUUID() {
		return readUUID(v, cell)
	}
	v.Send, v.Plain = cell.Text, cell.Text
	return nil
}

// shortText reports whether the length in the dictionary is one in characters.
func shortText(col *Target) bool {
	return col.Type != dict.TypeTextLong && col.Type != dict.TypeJSON
}

func yesNo(v *Value, cell Cell) error {
	switch strings.ToLower(strings.TrimSpace(cell.Text)) {
	case "true", "yes", "y", "1":
		v.Send, v.Plain = true, "true"
	case "false", "no", "n", "0":
		v.Send, v.Plain = false, "false"
	default:
		return wrong("%s is neither yes nor no; write true or false, Y or N", text.Quote(cell.Text))
	}
	return nil
}

func binary(v *Value, cell Cell) error {
	data, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\r", "", "\n", "").Replace(cell.Text))
	if err != nil {
		return wrong("it is not binary data in base64")
	}
	v.Plain = base64.StdEncoding.EncodeToString(data)
	v.Send = v.Plain
	return nil
}

func readJSON(v *Value, cell Cell) error {
	raw := []byte(cell.Text)
	if cell.Kind == Text && !json.Valid(raw) {
		return wrong("%s is not JSON", text.Quote(cell.Text))
	}
	if cell.Kind == Date {
		return wrong("%s is not JSON", text.Quote(cell.Text))
	}
	v.Send, v.Plain = json.RawMessage(raw), compactJSON(raw)
	return nil
}

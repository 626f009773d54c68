package migration

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/internal/sqlquote"
	"github.com/erphub/erphub/internal/text"
)

// oracleLiteral is how many bytes Oracle takes in one literal.
const oracleLiteral = 4000

// text is a text as an expression on one line: line breaks are spelled out, and
// for Oracle what is too long for a literal is put together from several. An
// empty text counts as no value, in both databases.
func (b *builder) text(s string) (string, error) {
	switch {
	case s == "":
		return "NULL", nil
	case !utf8.ValidString(s):
		return "", fmt.Errorf("the text %q is not valid UTF-8", s)
	case strings.ContainsRune(s, 0):
		return "", fmt.Errorf("the text %q contains a zero byte, which no database takes", s)
	}
	var parts []string
	long := b.dialect == dict.Oracle && len(s) > oracleLiteral
	literal := func(t string) string {
		if long {
			return "TO_CLOB(" + sqlquote.Text(t) + ")"
		}
		return sqlquote.Text(t)
	}
	rest := s
	for rest != "" {
		i := strings.IndexFunc(rest, lineBreak)
		if i != 0 {
			end := i
			if i < 0 {
				end = len(rest)
			}
			for piece := range pieces(rest[:end], long) {
				parts = append(parts, literal(piece))
			}
			rest = rest[end:]
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r < 0x80:
			parts = append(parts, "CHR("+strconv.Itoa(int(r))+")")
		default:
			parts = append(parts, literal(string(r))) // no line break to either database
		}
		rest = rest[size:]
	}
	return strings.Join(parts, "||"), nil
}

// lineBreak reports whether a character ends a line, for the tools that read
// scripts.
func lineBreak(r rune) bool { return r == '\n' || r == '\r' || r == '\f' || r == '\v' }

// pieces cuts a text at characters, when it has to be cut.
func pieces(s string, cut bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		const most = 1000
		for cut && len(s) > most {
			piece := text.FirstBytes(s, most)
			if !yield(piece) {
				return
			}
			s = s[len(piece):]
		}
		yield(s)
	}
}

// value is a value of a step as an expression.
func (b *builder) value(v dict.Value) (string, error) {
	switch v := v.(type) {
	case dict.Text:
		return b.text(string(v))
	case nil:
		return "NULL", nil
	case dict.Int:
		return strconv.FormatInt(int64(v), 10), nil
	case dict.YesNo:
		if v {
			return "'Y'", nil
		}
		return "'N'", nil
	case dict.Ref:
		return b.refID(dict.Key(v))
	case dict.Existing:
		return b.existingID(v)
	}
	return "", fmt.Errorf("a value of type %T has no place in a migration script", v)
}

// field is the value of a column as an expression. A reference of -1 is the
// ERP's way to say none.
func (b *builder) field(f dict.ColumnValue) (string, error) {
	if f.Value == dict.Int(-1) && strings.HasSuffix(f.Column, "_ID") {
		return "NULL", nil
	}
	return b.value(f.Value)
}

// existingID is the id of a record that is in the ERP already.
func (b *builder) existingID(e dict.Existing) (string, error) {
	if adid.Official(e.ID) || e.ID > 0 && len(e.Match) == 0 {
		return strconv.Itoa(e.ID), nil
	}
	if err := checkName(e.Table); err != nil {
		return "", err
	}
	condition, err := b.matches(e.Match, "")
	if err != nil {
		return "", err
	}
	return "(SELECT " + e.Table + "_ID FROM " + e.Table + " WHERE " + condition + ")", nil
}

// matches is the condition that records are found by.
func (b *builder) matches(list []dict.Match, alias string) (string, error) {
	parts := make([]string, 0, len(list))
	for _, m := range list {
		if err := checkName(m.Column); err != nil {
			return "", err
		}
		column := alias + m.Column
		if t, ok := m.Value.(dict.Text); ok && m.Fold {
			value, err := b.text(strings.ToUpper(string(t)))
			if err != nil {
				return "", err
			}
			parts = append(parts, "UPPER("+column+")="+value)
			continue
		}
		value, err := b.value(m.Value)
		if err != nil {
			return "", err
		}
		if value == "NULL" {
			parts = append(parts, column+" IS NULL")
			continue
		}
		parts = append(parts, column+"="+value)
	}
	if len(parts) == 0 {
		return "", fmt.Errorf("a record is to be found by nothing")
	}
	return strings.Join(parts, " AND "), nil
}

// refID is the id of the record that a step makes or finds.
func (b *builder) refID(key dict.Key) (string, error) {
	r, err := b.recordOf(key)
	if err != nil {
		return "", err
	}
	if r.Table == "AD_Element" && adid.Official(r.ID) {
		return strconv.Itoa(r.ID), nil
	}
	if withoutID(r.Table) {
		return "", fmt.Errorf("%s has no id that another record could refer to", r.Table)
	}
	condition, err := b.condition(r)
	if err != nil {
		return "", err
	}
	return "(SELECT " + r.Table + "_ID FROM " + r.Table + " WHERE " + condition + ")", nil
}

// recordOf is the step that makes or finds the record of a key: for an update
// that is the one whose record is updated.
func (b *builder) recordOf(key dict.Key) (*dict.RecordStep, error) {
	for range b.plan.Len() {
		step, ok := b.plan.Step(key)
		if !ok {
			return nil, fmt.Errorf("the plan has no step %s", key)
		}
		r, ok := step.(*dict.RecordStep)
		if !ok {
			return nil, fmt.Errorf("step %s is a process, not a record that can be referred to", key)
		}
		if r.Action != dict.Update || r.Of == "" {
			return r, nil
		}
		key = r.Of
	}
	return nil, fmt.Errorf("step %s updates itself", key)
}

// condition is the condition that finds the record of a step: the UUID that it
// was given, or what it is found by when it may be somebody else's.
func (b *builder) condition(r *dict.RecordStep) (string, error) {
	switch {
	case r.Table == "AD_Element" && adid.Official(r.ID):
		return "AD_Element_ID=" + strconv.Itoa(r.ID), nil
	case r.Action == dict.Create && r.UUID != "":
		if _, ok := dict.ParseUUID(string(r.UUID)); !ok {
			return "", fmt.Errorf("step %s has %q in the place of a UUID", r.Key, r.UUID)
		}
		return r.Table + "_UU=" + sqlquote.Text(string(r.UUID)), nil
	}
	return b.matches(r.Match, "")
}

// withoutID reports whether records of the table have no id of their own.
func withoutID(table string) bool {
	switch table {
	case "AD_Ref_Table", "AD_TreeNodeMM", "AD_Window_Access", "AD_Process_Access", "AD_Form_Access", "AD_Workflow_Access", "AD_Task_Access",
		"AD_Table_Access", "AD_Column_Access", "AD_InfoWindow_Access", "AD_Document_Action_Access", "AD_TableValRule":
		return true
	}
	return false
}

// checkName refuses a name that could be more than one.
func checkName(name string) error {
	if name == "" {
		return fmt.Errorf("a table or column has no name")
	}
	if !adid.IsIdentifier(name) {
		return fmt.Errorf("%q is not a name of a table or column", name)
	}
	return nil
}

package migration

import (
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/sqlquote"
)

// sequence adds the row that new ids of the table come from, which the ERP
// makes when it saves a table.
func (b *builder) sequence(s *dict.RecordStep) {
	if view, _ := s.Value("IsView"); view == dict.YesNo(true) {
		return
	}
	name := s.Text("TableName")
	var r row
	r.set("AD_Sequence_ID", b.nextID("AD_Sequence"))
	r.set("Name", sqlquote.Text(name))
	r.set("Description", sqlquote.Text("Table "+name))
	b.standard(&r)
	for _, f := range []struct{ column, value string }{
		{"IsTableID", "'Y'"}, {"IsAutoSequence", "'Y'"}, {"IsAudited", "'N'"}, {"StartNewYear", "'N'"},
		{"StartNo", "1000000"}, {"IncrementNo", "1"}, {"CurrentNext", "1000000"}, {"CurrentNextSys", "200000"},
		{"AD_Sequence_UU", sqlquote.Text(string(dict.UUIDv5(s.UUID, "AD_Sequence")))},
	} {
		r.set(f.column, f.value)
	}
	b.add("AD_Sequence "+name, b.insertUnless("AD_Sequence", &r, "Name="+sqlquote.Text(name)+" AND IsTableID='Y'"))
}

// treeNodes adds the menu entry to every menu of the system, at the end of its
// root, as the ERP does when it saves one.
func (b *builder) treeNodes(s *dict.RecordStep) error {
	node, err := b.refID(s.Key)
	if err != nil {
		return err
	}
	columns := "AD_Client_ID,AD_Org_ID,IsActive,Created,CreatedBy,Updated,UpdatedBy,AD_Tree_ID,Node_ID,Parent_ID,SeqNo,AD_TreeNodeMM_UU"
	var r row
	b.standard(&r)
	values := strings.Join(append([]string{"t.AD_Client_ID"}, r.values[1:]...), ",")
	b.add("AD_TreeNodeMM "+s.Name, "INSERT INTO AD_TreeNodeMM ("+columns+") SELECT "+values+",t.AD_Tree_ID,"+node+",0,999,Generate_UUID()"+
		" FROM AD_Tree t WHERE t.AD_Client_ID=0 AND t.IsActive='Y' AND t.IsAllNodes='Y' AND t.TreeType='MM'"+
		" AND NOT EXISTS (SELECT 1 FROM AD_TreeNodeMM e WHERE e.AD_Tree_ID=t.AD_Tree_ID AND e.Node_ID="+node+")")
	return nil
}

// termColumns are the columns that take their text from the element.
var termColumns = []string{"Name", "Description", "Help", "Placeholder"}

// terms are the texts that a column, or a field that is centrally maintained,
// has from its element, as expressions by column; nil for other records.
func (b *builder) terms(s *dict.RecordStep) (map[string]string, error) {
	from, prefix := "", ""
	switch s.Table {
	case "AD_Column":
		condition, err := b.elementCondition(s)
		if err != nil || condition == "" {
			return nil, err
		}
		from = "AD_Element WHERE " + condition
	case "AD_Field":
		if central, _ := s.Value("IsCentrallyMaintained"); central != dict.YesNo(true) {
			return nil, nil
		}
		column, _ := s.Value("AD_Column_ID")
		if ref, ok := column.(dict.Ref); ok {
			r, err := b.recordOf(dict.Key(ref))
			if err != nil {
				return nil, err
			}
			if condition, err := b.elementCondition(r); err != nil {
				return nil, err
			} else if condition != "" {
				from = "AD_Element WHERE " + condition
				break
			}
		}
		id, err := b.value(column)
		if err != nil {
			return nil, err
		}
		prefix = "e."
		from = "AD_Element e JOIN AD_Column c ON c.AD_Element_ID=e.AD_Element_ID WHERE c.AD_Column_ID=" + id
	default:
		return nil, nil
	}
	terms := map[string]string{}
	for _, column := range termColumns {
		terms[column] = "(SELECT " + prefix + column + " FROM " + from + ")"
	}
	return terms, nil
}

// elementCondition finds the element of a column that the plan makes; empty when
// the plan does not say which it is.
func (b *builder) elementCondition(column *dict.RecordStep) (string, error) {
	element, _ := column.Value("AD_Element_ID")
	switch e := element.(type) {
	case dict.Ref:
		r, err := b.recordOf(dict.Key(e))
		if err != nil {
			return "", err
		}
		return b.condition(r)
	case dict.Existing, dict.Int:
		id, err := b.value(e)
		return "AD_Element_ID=" + id, err
	}
	return "", nil
}

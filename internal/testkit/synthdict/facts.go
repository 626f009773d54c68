package synthdict

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/erphub/erphub/dict"
)

// firstGuess is the number of the first column whose number is not on record.
const firstGuess = 9_000_000

// ReadFacts makes a dictionary of the facts of a real one: files of JSON lines,
// ad-tables.jsonl.gz and so on, in a folder. What is not on record there is
// guessed: a display type from the kind of the column, a number from 9,000,000
// on.
func ReadFacts(folder string) (*Dictionary, error) {
	f := &facts{Dictionary: Empty(), folder: folder, tables: map[string]int{}, next: firstGuess}
	// Tables come twice: others refer to them by name.
	for _, read := range []func() error{
		func() error { return lines(f, "ad-tables", f.name) },
		func() error { return lines(f, "ad-elements", f.element) },
		func() error { return lines(f, "ad-references", f.reference) },
		func() error { return lines(f, "ad-tables", f.table) },
		func() error { return lines(f, "ad-processes", f.process) },
		func() error { return lines(f, "ad-windows", f.window) },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return f.Dictionary, nil
}

type facts struct {
	*Dictionary
	folder string
	tables map[string]int // numbers by name
	next   int
}

// ColumnName names a column.
type ColumnName struct{ Table, Name string }

// ForeignTables are the tables that columns point at by the facts; only columns
// whose display type is on record are listed.
func (d *Dictionary) ForeignTables() map[ColumnName]string { return d.foreign }

func (f *facts) guess() int {
	f.next++
	return f.next - 1
}

func lines[T any](f *facts, name string, take func(T)) (err error) {
	file, err := os.Open(filepath.Join(f.folder, name+".jsonl.gz"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	plain, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for dec := json.NewDecoder(plain); ; {
		var row T
		err := dec.Decode(&row)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		take(row)
	}
}

type tableFacts struct {
	Table, Label, EntityType, Replication, UU                          string
	ID, Window                                                         int
	AccessLevel                                                        json.Number
	View, Deleteable, HighVolume, ChangeLog, SecurityEnabled, Inactive bool
	Columns                                                            []columnFacts
}

type columnFacts struct {
	Name, Label, Kind, UU, Default, Callout, EntityType, FKName, FKType string
	Min, Max, VFormat, ReadOnlyLogic, MandatoryLogic                    string
	ID, Ref, RefValue, RefList, Len, Element, ValRule, Process, SeqNo   int
	FK                                                                  string
	Key, Parent, Mandatory, Updateable, AlwaysUpdateable, Identifier    bool
	Selection, Translated, Encrypted, Secure, Inactive                  bool
	Virtual                                                             any
}

func (f *facts) name(t tableFacts) { f.tables[t.Table] = t.ID }

func (f *facts) table(t tableFacts) {
	f.Add("AD_Table", Row{"AD_Table_ID": t.ID, "AD_Table_UU": t.UU, "TableName": t.Table, "Name": t.Label,
		"AccessLevel": t.AccessLevel.String(), "EntityType": t.EntityType, "ReplicationType": t.Replication, "AD_Window_ID": t.Window,
		"IsView": t.View, "IsDeleteable": t.Deleteable, "IsHighVolume": t.HighVolume, "IsChangeLog": t.ChangeLog,
		"IsSecurityEnabled": t.SecurityEnabled, "IsActive": !t.Inactive})
	for _, c := range t.Columns {
		id, ref, value, virtual := c.ID, c.Ref, c.RefValue, ""
		if id == 0 {
			id = f.guess()
		}
		if ref == 0 {
			ref = int(guessType(c.Kind))
		}
		value = cmp.Or(value, c.RefList)
		if c.Ref != 0 && c.FK != "" && c.Virtual == nil {
			f.foreign[ColumnName{t.Table, c.Name}] = c.FK
		}
		if c.Virtual != nil {
			virtual = "(SELECT 1)" // its text is not on record
		}
		f.Add("AD_Column", Row{"AD_Column_ID": id, "AD_Column_UU": c.UU, "AD_Table_ID": t.ID, "ColumnName": c.Name, "Name": c.Label,
			"AD_Element_ID": c.Element, "AD_Reference_ID": ref, "AD_Reference_Value_ID": value, "AD_Val_Rule_ID": c.ValRule,
			"AD_Process_ID": c.Process, "FieldLength": c.Len, "SeqNo": c.SeqNo, "DefaultValue": c.Default, "ValueMin": c.Min,
			"ValueMax": c.Max, "VFormat": c.VFormat, "Callout": c.Callout, "ColumnSQL": virtual, "ReadOnlyLogic": c.ReadOnlyLogic,
			"MandatoryLogic": c.MandatoryLogic, "FKConstraintName": c.FKName, "FKConstraintType": c.FKType, "EntityType": c.EntityType,
			"IsActive": !c.Inactive, "IsKey": c.Key, "IsParent": c.Parent, "IsMandatory": c.Mandatory, "IsUpdateable": c.Updateable,
			"IsAlwaysUpdateable": c.AlwaysUpdateable, "IsIdentifier": c.Identifier, "IsSelectionColumn": c.Selection,
			"IsTranslated": c.Translated, "IsEncrypted": c.Encrypted, "IsSecure": c.Secure})
	}
}

// guessType is the display type for a kind such as "tabledir?": the mark says
// that it was inferred, and of several the first is taken.
func guessType(kind string) dict.DisplayType {
	kind, _, _ = strings.Cut(strings.TrimSuffix(kind, "?"), "|")
	switch kind {
	case "lookup", "tabledir":
		return dict.TypeTableDir
	case "table":
		return dict.TypeTable
	case "search":
		return dict.TypeSearch
	case "yesno":
		return dict.TypeYesNo
	case "date":
		return dict.TypeDate
	case "datetime":
		return dict.TypeDateTime
	case "decimal":
		return dict.TypeNumber
	case "integer":
		return dict.TypeInteger
	case "list":
		return dict.TypeList
	case "id":
		return dict.TypeID
	case "uuid":
		return dict.TypeUUID
	case "binary":
		return dict.TypeBinary
	case "textlong":
		return dict.TypeTextLong
	}
	return dict.TypeString
}

type elementFacts struct {
	ID                  int
	Column, Name, Print string
}

func (f *facts) element(e elementFacts) {
	f.Add("AD_Element", Row{"AD_Element_ID": e.ID, "ColumnName": e.Column, "Name": e.Name, "PrintName": e.Print})
}

type referenceFacts struct {
	ID                                                int
	Name, Type, EntityType, UU, Table, Where, OrderBy string
	Inactive                                          bool
	Values                                            [][2]string
}

func (f *facts) reference(r referenceFacts) {
	f.Add("AD_Reference", Row{"AD_Reference_ID": r.ID, "AD_Reference_UU": r.UU, "Name": r.Name, "ValidationType": r.Type,
		"EntityType": r.EntityType, "IsActive": !r.Inactive})
	for _, v := range r.Values {
		f.Add("AD_Ref_List", Row{"AD_Ref_List_ID": f.guess(), "AD_Reference_ID": r.ID, "Value": v[0], "Name": v[1]})
	}
	if r.Table != "" {
		f.Add("AD_Ref_Table", Row{"AD_Reference_ID": r.ID, "AD_Table_ID": f.tables[r.Table], "WhereClause": r.Where, "OrderByClause": r.OrderBy})
	}
}

// looseInt is a number that the facts sometimes have as an expression, which
// counts as 0.
type looseInt int

func (n *looseInt) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return nil
	}
	return json.Unmarshal(data, (*int)(n))
}

type processFacts struct {
	ID                                                             int
	Value, Name, AccessLevel, EntityType, ClassName, Procedure, UU string
	Report, Inactive                                               bool
	Para                                                           []struct {
		Seq                         looseInt
		Ref, RefValue, ValRule, Len int
		Column, Label, Default      string
		Mandatory, Range            bool
	}
}

func (f *facts) process(p processFacts) {
	f.Add("AD_Process", Row{"AD_Process_ID": p.ID, "AD_Process_UU": p.UU, "Value": p.Value, "Name": p.Name, "AccessLevel": p.AccessLevel,
		"EntityType": p.EntityType, "Classname": p.ClassName, "ProcedureName": p.Procedure, "IsReport": p.Report, "IsActive": !p.Inactive})
	for _, a := range p.Para {
		f.Add("AD_Process_Para", Row{"AD_Process_Para_ID": f.guess(), "AD_Process_ID": p.ID, "ColumnName": a.Column, "Name": a.Label,
			"SeqNo": int(a.Seq), "AD_Reference_ID": a.Ref, "AD_Reference_Value_ID": a.RefValue, "AD_Val_Rule_ID": a.ValRule,
			"FieldLength": a.Len, "DefaultValue": a.Default, "IsMandatory": a.Mandatory, "IsRange": a.Range})
	}
}

type windowFacts struct {
	ID                         int
	Name, Type, EntityType, UU string
	SOTrx, Inactive            bool
	Tabs                       []struct {
		ID                                       int
		Seq, Level                               looseInt
		Name, Table                              string
		ReadOnly, SingleRow, Translation, Insert bool
	}
}

func (f *facts) window(w windowFacts) {
	f.Add("AD_Window", Row{"AD_Window_ID": w.ID, "AD_Window_UU": w.UU, "Name": w.Name, "WindowType": w.Type, "EntityType": w.EntityType,
		"IsSOTrx": w.SOTrx, "IsActive": !w.Inactive})
	for _, t := range w.Tabs {
		f.Add("AD_Tab", Row{"AD_Tab_ID": t.ID, "AD_Window_ID": w.ID, "AD_Table_ID": f.tables[t.Table], "Name": t.Name, "SeqNo": int(t.Seq),
			"TabLevel": int(t.Level), "IsReadOnly": t.ReadOnly, "IsSingleRow": t.SingleRow, "IsTranslationTab": t.Translation,
			"IsInsertRecord": t.Insert})
	}
}

package dict

import (
	"slices"
	"strings"
)

// Template is a named group of columns.
type Template string

// The templates.
const (
	// Standard has the 9 columns of nearly every table: key, UUID, tenant,
	// organization, active flag and who changed the record when.
	Standard Template = "STANDARD"
	// Document has the 8 columns of a document: number, types, status and the
	// buttons that process it.
	Document Template = "DOCUMENT"
	// Accounting has the 4 columns of a document that is posted.
	Accounting Template = "ACCOUNTING"
	// Description has name, description and help.
	Description Template = "DESCRIPTION"
	// ValueName has search key and name.
	ValueName Template = "VALUE_NAME"
	// Tree has the parent and the place below it.
	Tree Template = "TREE"
	// Import has what an import table needs; see [Table.ImportInto] for the
	// columns of the target.
	Import Template = "IMPORT"
)

// Templates are all templates in the order their columns appear in a table.
func Templates() []Template {
	return []Template{Standard, Document, Accounting, ValueName, Description, Tree, Import}
}

// ParseTemplate finds a template by name in any case; a dash counts as an
// underscore.
func ParseTemplate(name string) (Template, bool) {
	t := Template(strings.ReplaceAll(strings.ToUpper(name), "-", "_"))
	return t, slices.Contains(Templates(), t)
}

// Columns are the template's columns for the named table. An unknown template
// has none.
func (t Template) Columns(table string) []Column {
	columns := templateColumns(table)[t]
	return slices.Clone(columns)
}

// templateColumns is the table of all templates. Types, mandatory flags and
// defaults follow the specification of the templates; lengths, and defaults
// where it gives none, are those the ERP's own table wizard uses.
func templateColumns(table string) map[Template][]Column {
	user := &Reference{Name: "AD_User", ID: 110, Target: "AD_User"}
	list := func(name string, id int) *Reference { return &Reference{Name: name, ID: id} }
	return map[Template][]Column{
		Standard: {
			{Name: table + "_ID", Type: TypeID, Length: 22, Mandatory: true, Key: true, NotUpdateable: true},
			{Name: table + "_UU", Label: table + "_UU", Type: TypeUUID, Length: 36, Mandatory: true, Unique: true},
			{Name: "AD_Client_ID", Type: TypeTableDir, Length: 10, Mandatory: true, NotUpdateable: true, Default: "@#AD_Client_ID@", ReadOnlyLogic: "1=1"},
			{Name: "AD_Org_ID", Type: TypeTableDir, Length: 10, Mandatory: true, NotUpdateable: true, Default: "@AD_Org_ID@"},
			{Name: "IsActive", Type: TypeYesNo, Length: 1, Mandatory: true, Default: "Y"},
			{Name: "Created", Type: TypeDateTime, Length: 7, Mandatory: true, NotUpdateable: true, Default: "SYSDATE"},
			{Name: "CreatedBy", Type: TypeTable, Reference: user, Length: 10, Mandatory: true, NotUpdateable: true},
			{Name: "Updated", Type: TypeDateTime, Length: 7, Mandatory: true, NotUpdateable: true, Default: "SYSDATE"},
			{Name: "UpdatedBy", Type: TypeTable, Reference: user, Length: 10, Mandatory: true, NotUpdateable: true},
		},
		Document: {
			{Name: "DocumentNo", Type: TypeString, Length: 30, Mandatory: true, Selection: true},
			{Name: "C_DocType_ID", Type: TypeTableDir, Length: 22, Mandatory: true},
			{Name: "C_DocTypeTarget_ID", Type: TypeTable, Reference: &Reference{Name: "C_DocType", ID: 170, Target: "C_DocType"}, Length: 22},
			{Name: "DocStatus", Type: TypeList, Reference: list("_Document Status", 131), Length: 2, Mandatory: true, Default: "DR"},
			{Name: "DocAction", Type: TypeButton, Reference: list("_Document Action", 135), Length: 2, Mandatory: true, Default: "CO"},
			{Name: "Processing", Type: TypeButton, Length: 1},
			{Name: "Processed", Type: TypeYesNo, Length: 1, Default: "N"},
			{Name: "IsApproved", Type: TypeYesNo, Length: 1, Default: "N"},
		},
		Accounting: {
			{Name: "DateAcct", Type: TypeDate, Length: 7, Mandatory: true, Default: "@#Date@"},
			{Name: "C_Currency_ID", Type: TypeTableDir, Length: 22, Mandatory: true, Default: "@C_Currency_ID@"},
			{Name: "Posted", Type: TypeButton, Reference: list("_Posted Status", 234), Length: 1, Mandatory: true, Default: "N"},
			{Name: "ProcessedOn", Type: TypeNumber, Length: 20},
		},
		Description: {
			{Name: "Name", Type: TypeString, Length: 60, Mandatory: true, Identifier: true, Selection: true},
			{Name: "Description", Type: TypeString, Length: 255},
			{Name: "Help", Type: TypeText, Length: 2000},
		},
		ValueName: {
			{Name: "Value", Type: TypeString, Length: 40, Mandatory: true, Identifier: true, Selection: true},
			{Name: "Name", Type: TypeString, Length: 60, Mandatory: true, Identifier: true, Selection: true},
		},
		Tree: {
			{Name: "Parent_ID", Type: TypeTable, Length: 10,
				Reference: Lookup(table+" Parent", TableLookup{Table: table, Key: table + "_ID", Display: displayColumn})},
			{Name: "SeqNo", Type: TypeInteger, Length: 10},
		},
		Import: {
			{Name: "I_IsImported", Type: TypeYesNo, Length: 1, Default: "N"},
			{Name: "I_ErrorMsg", Type: TypeString, Length: 2000},
			{Name: "Processed", Type: TypeYesNo, Length: 1, Default: "N"},
		},
	}
}

// displayColumn stands for the column that shows a record of the table: the
// first identifier, else the key.
const displayColumn = ""

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/erphub/erphub/internal/displaytype"
)

// Table is one AD_Table row with its active columns.
type Table struct {
	ID           int64
	UU           string
	Name         string // TableName
	Label        string // Name
	Description  string
	AccessLevel  string
	EntityType   string
	WindowID     int64 // AD_Window_ID, 0 if none
	IsView       bool
	IsDeleteable bool
	IsChangeLog  bool
	Active       bool
	Columns      []*Column // active ones, by AD_Column_ID
	byName       map[string]*Column
}

// Column is one AD_Column row.
type Column struct {
	ID, TableID, ElementID int64
	UU                     string
	Name                   string // ColumnName
	Label                  string // the element's name
	Description            string
	Ref                    int   // AD_Reference_ID, the display type
	RefValue               int64 // AD_Reference_Value_ID, 0 if none
	ValRule                int64
	Length                 int
	Default                string
	ColumnSQL              string
	ValueMin, ValueMax     string
	SeqNo                  int
	Key, Parent, Mandatory, Updateable, AlwaysUpdateable,
	Identifier, Selection, Translated, Encrypted, Secure bool
	ProcessID int64
}

// Column finds a column by name in any case.
func (t *Table) Column(name string) (*Column, bool) {
	c, ok := t.byName[strings.ToUpper(name)]
	return c, ok
}

// Of are the values of a row for which a table has columns.
func (r Row) Of(t *Table) Row {
	has := Row{}
	for name, v := range r {
		if _, ok := t.Column(name); ok {
			has[name] = v
		}
	}
	return has
}

// KeyColumn is the table's single id column, <TableName>_ID with display type
// ID, or nil for tables keyed otherwise.
func (t *Table) KeyColumn() *Column {
	if c, ok := t.Column(t.Name + "_ID"); ok && c.Key {
		return c
	}
	return nil
}

// KeyColumns are what identifies a record: the key column, else the parent
// columns, else the UUID column.
func (t *Table) KeyColumns() []*Column {
	for _, c := range t.Columns {
		if c.Key && !c.IsVirtual() {
			return []*Column{c}
		}
	}
	var parents []*Column
	for _, c := range t.Columns {
		if c.Parent && !c.IsVirtual() {
			parents = append(parents, c)
		}
	}
	if len(parents) > 0 {
		return parents
	}
	if uu := t.UUColumn(); uu != nil && !uu.IsVirtual() {
		return []*Column{uu}
	}
	return nil
}

// UUColumn is the table's UUID column, <TableName>_UU, or nil.
func (t *Table) UUColumn() *Column {
	if c, ok := t.Column(t.Name + "_UU"); ok {
		return c
	}
	return nil
}

// Identifiers are the identifier columns in their SeqNo order.
func (t *Table) Identifiers() []*Column {
	var ids []*Column
	for _, c := range t.Columns {
		if c.Identifier {
			ids = append(ids, c)
		}
	}
	for i := 1; i < len(ids); i++ { // few elements: insertion sort keeps equal SeqNo in id order
		for j := i; j > 0 && ids[j].SeqNo < ids[j-1].SeqNo; j-- {
			ids[j], ids[j-1] = ids[j-1], ids[j]
		}
	}
	return ids
}

// Reference is one AD_Reference row with what belongs to its kind.
type Reference struct {
	ID             int64
	Name           string
	ValidationType string // D, L or T
	List           []ListValue
	Table          *RefTable // for validation type T
}

// ListValue is one AD_Ref_List row.
type ListValue struct {
	ID          int64
	Value, Name string
	Active      bool
}

// RefTable is one AD_Ref_Table row, by names.
type RefTable struct {
	Table, Key, Display string
	IsValueDisplayed    bool
	Where, OrderBy      string
}

// Dictionary tells what the AD_ tables say. It loads lazily and is replaced
// as a whole when they change; a value taken from it is never modified.
type Dictionary struct {
	mu      sync.Mutex // guards the maps
	tables  map[string]*Table
	names   map[int64]string // AD_Table_ID to TableName
	upper   map[string]string
	refs    map[int64]*Reference
	derived map[string]any // by what it is; see [Derive]
}

func newDictionary() *Dictionary {
	return &Dictionary{tables: map[string]*Table{}, refs: map[int64]*Reference{}}
}

func (d *Dictionary) clone() *Dictionary {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &Dictionary{tables: maps.Clone(d.tables), names: d.names, upper: d.upper, refs: maps.Clone(d.refs), derived: maps.Clone(d.derived)}
}

// Derive works out what follows from the dictionary and the columns of the database
// alone, once for each state of them. What is equal has the same name.
func Derive[T any](tx *Tx, name string, work func() (T, error)) (T, error) {
	d := tx.dict()
	d.mu.Lock()
	known, ok := d.derived[name].(T)
	d.mu.Unlock()
	if ok {
		return known, nil
	}
	made, err := work() // which reads the dictionary, so nothing is locked
	if err != nil || d != tx.dict() {
		return made, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.derived == nil {
		d.derived = map[string]any{}
	}
	d.derived[name] = made
	return made, nil
}

// DictionarySize tells how many tables and references are known from the
// dictionary at the moment.
func (s *Store) DictionarySize() (tables, references int) {
	d := s.dict.Load()
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.tables), len(d.refs)
}

// Common is what stores with equal databases know of them together. It is safe for
// concurrent use.
type Common struct {
	// Values are others' to use, for what follows from the rows of the databases.
	Values sync.Map
	dict   *Dictionary
}

// NewCommon makes a Common that knows nothing yet.
func NewCommon() *Common { return &Common{dict: newDictionary()} }

// Share has a store that nobody uses yet share what is known with all that have an
// equal database. It goes on with a dictionary of its own when it changes that.
func (s *Store) Share(c *Common) {
	s.common = c
	s.dict.Store(c.dict)
}

// Common is what the store shares with others, also after rows of other tables than
// the dictionary's have changed; nil: nothing, or no more.
func (tx *Tx) Common() *Common {
	if c := tx.s.common; c != nil && tx.dict() == c.dict {
		return c
	}
	return nil
}

// ErrNoTable is what lookups of an unknown table return.
var ErrNoTable = errors.New("no such table in the dictionary")

// Table finds an active table by name in any case; the error is [ErrNoTable]
// when there is none.
func (tx *Tx) Table(ctx context.Context, name string) (*Table, error) {
	d := tx.dict()
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.loadNames(ctx, tx); err != nil {
		return nil, err
	}
	proper, ok := d.upper[strings.ToUpper(name)]
	if !ok {
		return nil, fmt.Errorf("table %q: %w", name, ErrNoTable)
	}
	if t, ok := d.tables[proper]; ok {
		return t, nil
	}
	t, err := loadTable(ctx, tx, proper)
	if err != nil {
		return nil, err
	}
	d.tables[proper] = t
	return t, nil
}

// TableByID finds an active table by AD_Table_ID.
func (tx *Tx) TableByID(ctx context.Context, id int64) (*Table, error) {
	d := tx.dict()
	d.mu.Lock()
	err := d.loadNames(ctx, tx)
	name, ok := d.names[id]
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("table with AD_Table_ID %d: %w", id, ErrNoTable)
	}
	return tx.Table(ctx, name)
}

// TableNames lists the active tables, keyed by AD_Table_ID.
func (tx *Tx) TableNames(ctx context.Context) (map[int64]string, error) {
	d := tx.dict()
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.loadNames(ctx, tx); err != nil {
		return nil, err
	}
	return maps.Clone(d.names), nil
}

func (d *Dictionary) loadNames(ctx context.Context, tx *Tx) error {
	if d.names != nil {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT AD_Table_ID, TableName FROM AD_Table WHERE IsActive='Y'`)
	if err != nil {
		return fmt.Errorf("reading table names: %w", err)
	}
	defer rows.Close()
	names, upper := map[int64]string{}, map[string]string{}
	for rows.Next() {
		var id int64
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return err
		}
		names[id], upper[strings.ToUpper(name)] = name, name
	}
	if err := rows.Err(); err != nil {
		return err
	}
	d.names, d.upper = names, upper
	return nil
}

func loadTable(ctx context.Context, tx *Tx, name string) (*Table, error) {
	t := &Table{byName: map[string]*Column{}}
	err := tx.QueryRow(ctx, `SELECT AD_Table_ID, COALESCE(AD_Table_UU,''), TableName, Name, COALESCE(Description,''),
		AccessLevel, EntityType, COALESCE(AD_Window_ID,0), IsView='Y', IsDeleteable='Y', IsChangeLog='Y', IsActive='Y'
		FROM AD_Table WHERE TableName=? AND IsActive='Y'`, name).Scan(&t.ID, &t.UU, &t.Name, &t.Label, &t.Description,
		&t.AccessLevel, &t.EntityType, &t.WindowID, &t.IsView, &t.IsDeleteable, &t.IsChangeLog, &t.Active)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("table %q: %w", name, ErrNoTable)
	}
	if err != nil {
		return nil, fmt.Errorf("reading table %s from the dictionary: %w", name, err)
	}
	rows, err := tx.Query(ctx, `SELECT c.AD_Column_ID, COALESCE(c.AD_Column_UU,''), c.ColumnName, COALESCE(e.Name, c.Name),
		COALESCE(c.Description,''), COALESCE(c.AD_Element_ID,0), c.AD_Reference_ID, COALESCE(c.AD_Reference_Value_ID,0),
		COALESCE(c.AD_Val_Rule_ID,0), COALESCE(c.FieldLength,0), COALESCE(c.DefaultValue,''), COALESCE(c.ColumnSQL,''),
		COALESCE(c.ValueMin,''), COALESCE(c.ValueMax,''), COALESCE(c.SeqNo,0),
		c.IsKey='Y', c.IsParent='Y', c.IsMandatory='Y', c.IsUpdateable='Y', c.IsAlwaysUpdateable='Y',
		c.IsIdentifier='Y', c.IsSelectionColumn='Y', c.IsTranslated='Y', COALESCE(c.IsEncrypted,'N')='Y', c.IsSecure='Y',
		COALESCE(c.AD_Process_ID,0)
		FROM AD_Column c LEFT JOIN AD_Element e ON e.AD_Element_ID=c.AD_Element_ID
		WHERE c.AD_Table_ID=? AND c.IsActive='Y' ORDER BY c.AD_Column_ID`, t.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the columns of %s: %w", name, err)
	}
	defer rows.Close()
	for rows.Next() {
		c := &Column{TableID: t.ID}
		if err := rows.Scan(&c.ID, &c.UU, &c.Name, &c.Label, &c.Description, &c.ElementID, &c.Ref, &c.RefValue,
			&c.ValRule, &c.Length, &c.Default, &c.ColumnSQL, &c.ValueMin, &c.ValueMax, &c.SeqNo,
			&c.Key, &c.Parent, &c.Mandatory, &c.Updateable, &c.AlwaysUpdateable,
			&c.Identifier, &c.Selection, &c.Translated, &c.Encrypted, &c.Secure, &c.ProcessID); err != nil {
			return nil, fmt.Errorf("reading the columns of %s: %w", name, err)
		}
		t.Columns = append(t.Columns, c)
		t.byName[strings.ToUpper(c.Name)] = c
	}
	return t, rows.Err()
}

// Reference finds an AD_Reference by id; the error wraps [sql.ErrNoRows] when
// there is none.
func (tx *Tx) Reference(ctx context.Context, id int64) (*Reference, error) {
	d := tx.dict()
	d.mu.Lock()
	defer d.mu.Unlock()
	if r, ok := d.refs[id]; ok {
		return r, nil
	}
	r := &Reference{ID: id}
	err := tx.QueryRow(ctx, `SELECT Name, ValidationType FROM AD_Reference WHERE AD_Reference_ID=?`, id).Scan(&r.Name, &r.ValidationType)
	if err != nil {
		return nil, fmt.Errorf("reference %d: %w", id, err)
	}
	switch r.ValidationType {
	case "L":
		err = r.loadList(ctx, tx)
	case "T":
		err = r.loadTable(ctx, tx)
	}
	if err != nil {
		return nil, fmt.Errorf("reference %d: %w", id, err)
	}
	d.refs[id] = r
	return r, nil
}

func (r *Reference) loadList(ctx context.Context, tx *Tx) error {
	rows, err := tx.Query(ctx, `SELECT AD_Ref_List_ID, Value, Name, IsActive='Y' FROM AD_Ref_List
		WHERE AD_Reference_ID=? ORDER BY AD_Ref_List_ID`, r.ID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var v ListValue
		if err := rows.Scan(&v.ID, &v.Value, &v.Name, &v.Active); err != nil {
			return err
		}
		r.List = append(r.List, v)
	}
	return rows.Err()
}

func (r *Reference) loadTable(ctx context.Context, tx *Tx) error {
	var rt RefTable
	err := tx.QueryRow(ctx, `SELECT t.TableName, k.ColumnName, d.ColumnName, rt.IsValueDisplayed='Y',
		COALESCE(rt.WhereClause,''), COALESCE(rt.OrderByClause,'')
		FROM AD_Ref_Table rt JOIN AD_Table t ON t.AD_Table_ID=rt.AD_Table_ID
		JOIN AD_Column k ON k.AD_Column_ID=rt.AD_Key JOIN AD_Column d ON d.AD_Column_ID=rt.AD_Display
		WHERE rt.AD_Reference_ID=?`, r.ID).Scan(&rt.Table, &rt.Key, &rt.Display, &rt.IsValueDisplayed, &rt.Where, &rt.OrderBy)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // a table reference without its table: seen while one is being created
	}
	if err != nil {
		return err
	}
	r.Table = &rt
	return nil
}

// TargetTable is the table a lookup column points at, "" when it points at
// none (or at one the dictionary does not know how to name). The rules are
// the ERP's: TableDir and Search by column name, Table by its reference, and
// fixed tables for the special types; the AD_All…_V views stand for their
// base tables.
func (tx *Tx) TargetTable(ctx context.Context, c *Column) (string, error) {
	name := fixedTargets[c.Ref]
	switch c.Ref {
	case displaytype.TableDir, displaytype.TableDirUU:
		name = trimKeySuffix(c.Name)
	case displaytype.Table, displaytype.TableUU, displaytype.Search, displaytype.SearchUU, displaytype.ChosenMultipleSelectionTable, displaytype.ChosenMultipleSelectionSrch:
		if c.RefValue == 0 {
			if c.Ref == displaytype.Search || c.Ref == displaytype.SearchUU {
				name = trimKeySuffix(c.Name)
			}
			break
		}
		ref, err := tx.Reference(ctx, c.RefValue)
		if errors.Is(err, sql.ErrNoRows) {
			break
		}
		if err != nil {
			return "", err
		}
		if ref.Table != nil {
			name = ref.Table.Table
		}
	case displaytype.Button:
		switch strings.ToUpper(c.Name) {
		case "AD_ORGBP_ID":
			name = "AD_Org"
		case "C_PROJECTTYPE_ID":
			name = "C_ProjectType"
		}
	}
	if base, ok := targetViews[strings.ToUpper(name)]; ok {
		name = base
	}
	return name, nil
}

var (
	fixedTargets = map[int]string{
		displaytype.Location: "C_Location", displaytype.Account: "C_ValidCombination", displaytype.Locator: "M_Locator",
		displaytype.PAttribute: "M_AttributeSetInstance", displaytype.Assignment: "S_ResourceAssignment",
		displaytype.Image: "AD_Image", displaytype.Chart: "AD_Chart", displaytype.List: "AD_Ref_List",
		displaytype.RadioGroupList: "AD_Ref_List", displaytype.Payment: "AD_Ref_List",
		displaytype.ChosenMultipleSelectionList: "AD_Ref_List",
	}
	targetViews = map[string]string{"AD_ALLCLIENTS_V": "AD_Client", "AD_ALLUSERS_V": "AD_User", "AD_ALLROLES_V": "AD_Role"}
)

func trimKeySuffix(name string) string {
	if len(name) > 3 && (hasSuffixFold(name, "_ID") || hasSuffixFold(name, "_UU")) {
		return name[:len(name)-3]
	}
	return ""
}

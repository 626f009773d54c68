package registry

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/text"
)

// Scope names the part of a dictionary that [LoadScope] reads. Names are found
// as [Registry] finds them; what the ERP does not have is not an error until the
// catalog is asked for it.
type Scope struct {
	// Tables are read with their columns and indexes, the elements and
	// references of the columns, and all that describes these.
	Tables []string
	// TableWindows reads the windows that the tables name as theirs, too, those for
	// purchases included.
	TableWindows bool
	// Windows are read with their tabs and fields.
	Windows []string
	// References are read with their values or lookups.
	References []string
	// Elements are names of columns whose elements are read, besides those of the
	// tables' columns.
	Elements []string
}

// ScopeError is a question to the catalog of a [Scope] about something that it
// did not read.
type ScopeError struct {
	Kind string // "table", "window", "reference", "element", "process", "search", ...
	Name string // of what was asked about; empty for lists
}

// Error says what was not read and what to do.
func (e *ScopeError) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("only a part of the dictionary was read, which is not enough for a %s; read the whole dictionary", e.Kind)
	}
	return fmt.Sprintf("only a part of the dictionary was read, and the %s %s is not in it; name it in the scope, or read the whole dictionary", e.Kind, text.Quote(e.Name))
}

// LoadScope reads a part of a dictionary, for programs that ask about a few
// tables once. What the catalog says of that part is what the whole dictionary
// says. It knows which tables, windows and references there are; describing one
// beyond the scope, processes, search, statistics, and lists of tables, columns
// and processes are a [*ScopeError].
func LoadScope(ctx context.Context, source Source, scope Scope) (*Catalog, error) {
	l := &scopeLoader{source: source, scope: scope, catalog: newCatalog(content{}, nil, source.Origin(), nil, time.Now()),
		ids:     &scopeIDs{tables: map[int]bool{}, windows: map[int]bool{}, references: map[int]bool{}, elements: map[string]bool{}},
		columns: map[int]bool{}}
	if err := l.load(ctx); err != nil {
		return nil, fmt.Errorf("read a part of the dictionary of %s: %w", source.Origin(), err)
	}
	return l.catalog, nil
}

// scopeIDs is what was read of a dictionary; nil is all of it.
type scopeIDs struct {
	tables, windows, references map[int]bool
	elements                    map[string]bool // lower-case names
}

func (s *scopeIDs) hasTable(id int) bool     { return s == nil || s.tables[id] }
func (s *scopeIDs) hasWindow(id int) bool    { return s == nil || s.windows[id] }
func (s *scopeIDs) hasReference(id int) bool { return s == nil || s.references[id] }

func (s *scopeIDs) hasElement(name string) bool {
	return s == nil || s.elements[strings.ToLower(name)]
}

// scopeLoader reads a scope in rounds: each reads what the rows of those before
// refer to.
type scopeLoader struct {
	source  Source
	scope   Scope
	catalog *Catalog // of the rows so far
	ids     *scopeIDs
	columns map[int]bool // columns that were read, or requested, by number
	wanted  []request
}

// request is rows of a kind to be read. A round has one request for a kind.
type request struct {
	kind  rowKind
	where []SourceCondition
}

func (l *scopeLoader) load(ctx context.Context) error {
	// What things are there, which is little.
	for _, k := range []rowKind{tableKind(), referenceKind(), lookupKind(), windowKind()} {
		l.wanted = append(l.wanted, request{kind: k})
	}
	if err := l.round(ctx); err != nil {
		return err
	}
	if len(l.catalog.tables) == 0 {
		return errEmptyDictionary
	}
	tables, windows, references, elements := l.named()
	l.wantTables(tables)
	l.wantWindows(windows)
	l.wantReferences(references)
	l.wantElements(elements)
	if err := l.round(ctx); err != nil {
		return err
	}
	l.follow()
	if err := l.round(ctx); err != nil {
		return err
	}
	l.wantColumns() // of fields and indexes
	l.wantOtherElements()
	return l.round(ctx)
}

// named is what the names of the scope stand for.
func (l *scopeLoader) named() (tables, windows, references []int, elements []string) {
	c := l.catalog
	for _, name := range l.scope.Tables {
		at, err := c.findTable(name)
		if err != nil {
			continue
		}
		tables = append(tables, c.tables[at].ID)
		if l.scope.TableWindows {
			windows = append(windows, l.windowsNamed(c.tables[at].WindowID)...)
			windows = append(windows, l.windowsNamed(c.tables[at].POWindowID)...)
		}
	}
	for _, name := range l.scope.Windows {
		if at, ok := find(c.windows, name, func(w *Window) (int, dict.UUID, string, bool) { return w.ID, w.UUID, w.Name, w.Active }); ok {
			windows = append(windows, c.windows[at].ID)
		}
	}
	for _, name := range l.scope.References {
		if at, ok := find(c.references, name, func(r *Reference) (int, dict.UUID, string, bool) { return r.ID, r.UUID, r.Name, r.Active }); ok {
			references = append(references, c.references[at].ID)
		}
	}
	return tables, windows, references, l.scope.Elements
}

// windowsNamed are the window of that number and those of the same name, which
// are found when the name is asked for.
func (l *scopeLoader) windowsNamed(id int) []int {
	at := slices.IndexFunc(l.catalog.windows, func(w Window) bool { return w.ID == id })
	if at < 0 {
		return nil
	}
	var ids []int
	for _, w := range l.catalog.windows {
		if strings.EqualFold(w.Name, l.catalog.windows[at].Name) {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

// follow requests what the rows that were read refer to.
func (l *scopeLoader) follow() {
	c := l.catalog
	var references, rules, processes []int
	var names []string
	for i := range c.columns {
		r := &c.columns[i]
		if !l.ids.tables[r.TableID] {
			continue // read for its name only
		}
		references = append(references, r.ReferenceID)
		names = append(names, r.Name)
		rules, processes = append(rules, r.ValRuleID), append(processes, r.ProcessID)
	}
	l.wantReferences(references)
	l.wantElements(names)
	l.want(ruleKind(), "AD_Val_Rule_ID", fresh(rules, map[int]bool{}))
	l.want(processKind(), "AD_Process_ID", fresh(processes, map[int]bool{}))
	var tabs, indexes []int
	for i := range c.tabs {
		tabs = append(tabs, c.tabs[i].ID)
	}
	l.want(fieldKind(), "AD_Tab_ID", tabs)
	for i := range c.indexes {
		indexes = append(indexes, c.indexes[i].ID)
	}
	l.want(indexColumnKind(), "AD_TableIndex_ID", indexes)
	l.wantColumns()
}

// referredColumns are the columns that lookups, tabs, fields and indexes refer
// to.
func (l *scopeLoader) referredColumns() []int {
	c := l.catalog
	var ids []int
	for i := range c.lookups {
		if l.ids.references[c.lookups[i].ReferenceID] {
			ids = append(ids, c.lookups[i].KeyID, c.lookups[i].DisplayID)
		}
	}
	for i := range c.tabs {
		ids = append(ids, c.tabs[i].LinkColumnID)
	}
	for i := range c.fields {
		ids = append(ids, c.fields[i].ColumnID)
	}
	for i := range c.indexColumns {
		ids = append(ids, c.indexColumns[i].ColumnID)
	}
	return ids
}

func (l *scopeLoader) wantTables(ids []int) {
	ids = fresh(ids, l.ids.tables)
	l.want(columnKind(), "AD_Table_ID", ids)
	l.want(indexKind(), "AD_Table_ID", ids)
}

func (l *scopeLoader) wantWindows(ids []int) {
	l.want(tabKind(), "AD_Window_ID", fresh(ids, l.ids.windows))
}

func (l *scopeLoader) wantReferences(ids []int) {
	l.want(entryKind(), "AD_Reference_ID", fresh(ids, l.ids.references))
}

// wantElements requests elements by name.
func (l *scopeLoader) wantElements(names []string) {
	var texts []string
	for _, name := range names {
		key := strings.ToLower(name)
		// What looks like a number or a UUID may stand for an element of another name.
		if _, err := strconv.Atoi(name); name == "" || err == nil || len(name) == 36 || l.ids.elements[key] {
			continue
		}
		l.ids.elements[key] = true
		texts = append(texts, key)
	}
	if len(texts) > 0 {
		l.wanted = append(l.wanted, request{elementKind(), []SourceCondition{{Column: "ColumnName", Texts: texts}}})
	}
}

// wantOtherElements requests the elements of columns that have another name than
// their element.
func (l *scopeLoader) wantOtherElements() {
	known := map[int]bool{}
	for i := range l.catalog.elements {
		known[l.catalog.elements[i].ID] = true
	}
	var ids []int
	for i := range l.catalog.columns {
		if r := &l.catalog.columns[i]; l.ids.tables[r.TableID] {
			ids = append(ids, r.ElementID)
		}
	}
	l.want(elementKind(), "AD_Element_ID", fresh(ids, known))
}

// wantColumns requests the columns that rows refer to and that were not
// requested before.
func (l *scopeLoader) wantColumns() {
	for id := range l.catalog.columnByID {
		l.columns[id] = true
	}
	l.want(columnKind(), "AD_Column_ID", fresh(l.referredColumns(), l.columns))
}

func (l *scopeLoader) want(k rowKind, column string, ids []int) {
	if len(ids) > 0 {
		l.wanted = append(l.wanted, request{k, []SourceCondition{{Column: column, Ints: ids}}})
	}
}

// fresh are the ids that are not in known, each once, and puts them there.
func fresh(ids []int, known map[int]bool) []int {
	var out []int
	for _, id := range ids {
		if id != 0 && !known[id] {
			known[id] = true
			out = append(out, id)
		}
	}
	return out
}

// round reads what is wanted and adds it to the rows so far.
func (l *scopeLoader) round(ctx context.Context) error {
	if len(l.wanted) == 0 {
		return nil
	}
	kinds := make([]rowKind, len(l.wanted))
	tables := make([]SourceTable, len(l.wanted))
	for i, r := range l.wanted {
		kinds[i], tables[i] = r.kind, r.kind.timeless()
		tables[i].Where = r.where
	}
	into := newLoader(kinds)
	if _, err := l.source.Read(ctx, tables, into); err != nil {
		return err
	}
	rows := l.catalog.content
	for _, k := range kinds {
		k.append(&rows, into.into)
	}
	l.catalog = newCatalog(rows, l.catalog, l.source.Origin(), nil, l.catalog.loaded)
	l.catalog.scope = l.ids
	l.wanted = nil
	return nil
}

package pack

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/adid"
)

// Problem is a place where a PackOut.xml would not import as it is meant.
type Problem struct {
	Line int
	Path string // AD_Window/AD_Table/AD_Column
	What string
}

// Error gives place and fault.
func (p Problem) Error() string { return fmt.Sprintf("line %d, %s: %s", p.Line, p.Path, p.What) }

func problemErrors(problems []Problem) []error {
	list := make([]error, 0, min(len(problems), 10))
	for _, p := range problems[:cap(list)] {
		list = append(list, p)
	}
	return list
}

// mandatory are the columns a record cannot do without, by table, besides those
// every record has.
var mandatory = map[string]string{
	"AD_EntityType":   "EntityType Name",
	"AD_Element":      "ColumnName Name PrintName EntityType",
	"AD_Table":        "TableName Name AccessLevel EntityType ReplicationType IsView IsDeleteable IsHighVolume IsChangeLog IsSecurityEnabled IsPartition",
	"AD_Column":       "AD_Table_ID AD_Element_ID AD_Reference_ID ColumnName Name EntityType Version IsKey IsParent IsMandatory IsUpdateable IsIdentifier IsSelectionColumn IsTranslated IsEncrypted IsAlwaysUpdateable IsAutocomplete IsAllowCopy IsSecure IsToolbarButton IsPartitionKey",
	"AD_Reference":    "Name ValidationType ShowInactive EntityType",
	"AD_Ref_List":     "AD_Reference_ID Value Name EntityType",
	"AD_Ref_Table":    "AD_Reference_ID AD_Table_ID AD_Key AD_Display IsValueDisplayed EntityType",
	"AD_Val_Rule":     "Name Type EntityType",
	"AD_TableIndex":   "AD_Table_ID Name IsUnique IsKey IsCreateConstraint EntityType",
	"AD_IndexColumn":  "AD_TableIndex_ID EntityType",
	"AD_Window":       "Name WindowType IsSOTrx IsDefault IsBetaFunctionality EntityType",
	"AD_Tab":          "AD_Window_ID AD_Table_ID Name SeqNo TabLevel IsSingleRow HasTree IsReadOnly IsInsertRecord IsSortTab IsTranslationTab IsAdvancedTab TreeDisplayedOn EntityType",
	"AD_Field":        "AD_Tab_ID AD_Column_ID Name IsDisplayed IsCentrallyMaintained IsReadOnly IsSameLine IsHeading IsFieldOnly IsEncrypted IsQuickEntry IsQuickForm IsDefaultFocus EntityType",
	"AD_FieldGroup":   "Name EntityType",
	"AD_Menu":         "Name IsSummary IsReadOnly IsSOTrx EntityType",
	"AD_Process":      "Value Name AccessLevel IsReport IsBetaFunctionality AllowMultipleExecution EntityType",
	"AD_Process_Para": "AD_Process_ID ColumnName Name SeqNo AD_Reference_ID FieldLength IsMandatory IsRange IsCentrallyMaintained IsAutocomplete IsEncrypted IsShowNegateButton DateRangeOption EntityType",
	"AD_Message":      "Value MsgText MsgType EntityType",
	"AD_Form":         "Name AccessLevel IsBetaFunctionality EntityType",
	"AD_SysConfig":    "Name Value EntityType",
}

// checker walks through a PackOut.xml.
type checker struct {
	dec      *xml.Decoder
	problems []Problem
	uuids    map[string]bool // table and UUID of the records so far
	elements map[string]bool // lower-case column names of the terms so far
	columns  map[string]bool // tables that have a column already
}

// element is one element while it is read.
type element struct {
	name     string
	attrs    map[string]string
	text     strings.Builder
	props    map[string]*element
	children int
	line     int
}

// CheckXML holds a PackOut.xml against the rules an import goes by, and lists
// what breaks one: attributes of the root, nesting, mandatory columns, the key
// column first, forms of values and references. References to UUIDs that are not
// in the file are allowed, because an ERP may have them. An archive of another
// exporter may leave out columns that its release did not have yet.
func CheckXML(data []byte) []Problem {
	c := &checker{dec: xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))),
		uuids: map[string]bool{}, elements: map[string]bool{}, columns: map[string]bool{}}
	if err := c.run(); err != nil {
		c.add("", "the XML cannot be read: "+err.Error())
	}
	return c.problems
}

func (c *checker) line() int { line, _ := c.dec.InputPos(); return line }

func (c *checker) add(path, what string) {
	c.problems = append(c.problems, Problem{c.line(), path, what})
}

func (c *checker) run() error {
	var stack []*element
	roots := 0
	for {
		tok, err := c.dec.Token()
		if errors.Is(err, io.EOF) {
			if roots == 0 {
				return errors.New("there is no element")
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch t := tok.(type) {
		case xml.Directive:
			return errors.New("document types are not allowed")
		case xml.StartElement:
			e := &element{name: t.Name.Local, attrs: map[string]string{}, props: map[string]*element{}, line: c.line()}
			for _, a := range t.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			if len(stack) == 0 {
				roots++
				c.root(e)
			}
			stack = append(stack, e)
		case xml.CharData:
			if len(stack) > 0 {
				stack[len(stack)-1].text.Write(t)
			}
		case xml.EndElement:
			e := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			c.close(e, stack)
		}
	}
}

func path(stack []*element, e *element) string {
	var names []string
	for _, s := range stack[min(1, len(stack)):] {
		names = append(names, s.name)
	}
	return strings.Join(append(names, e.name), "/")
}

func (c *checker) root(e *element) {
	if e.name != "idempiere" {
		c.add(e.name, "the root element is not idempiere")
	}
	for _, name := range []string{"Name", "Version", "Description", "Client", "UpdateDictionary"} {
		if _, ok := e.attrs[name]; !ok {
			c.add(e.name, "the attribute "+name+" is missing")
		}
	}
	if v, ok := e.attrs["Version"]; ok {
		if _, err := ParseVersion(v); err != nil {
			c.add(e.name, err.Error())
		}
	}
	client, _, _ := strings.Cut(e.attrs["Client"], "-")
	if n, err := strconv.Atoi(client); e.attrs["Client"] != "" && (err != nil || n < 0) {
		c.add(e.name, "the attribute Client does not begin with a tenant's number")
	}
}

// close checks an element whose content is known.
func (c *checker) close(e *element, stack []*element) {
	if len(stack) == 0 {
		return
	}
	parent := stack[len(stack)-1]
	kind := e.attrs["type"]
	if kind == "" || kind == "properties" {
		if len(stack) == 1 {
			c.add(path(stack, e), "a record has no type=\"table\", so it is taken for a property")
			return
		}
		if e.children > 0 || len(e.props) > 0 {
			c.add(path(stack, e), "a nested record has no type=\"table\", so it is lost")
		}
		parent.props[e.name] = e
		return
	}
	parent.children++
	where := path(stack, e)
	switch kind {
	case "table":
		if strings.TrimSpace(e.text.String()) != "" {
			c.add(where, "a record holds text of its own")
		}
		c.record(where, e)
	case "translation":
		if _, ok := e.props["AD_Language"]; !ok {
			c.add(where, "a translation has no AD_Language")
		}
	case "custom", "object":
	default:
		c.add(where, fmt.Sprintf("there is no type %q", kind))
	}
}

func (c *checker) record(where string, e *element) {
	value := func(name string) string {
		if p := e.props[name]; p != nil {
			return p.text.String()
		}
		return ""
	}
	uuid := value(e.name + "_UU")
	ids := e.props[e.name+"_ID"]
	if uuid == "" && ids == nil {
		c.add(where, "a record has neither UUID nor official id")
	}
	if len(uuid) > 36 {
		c.add(where, "the UUID is longer than 36 characters")
	}
	if key := e.name + " " + uuid; uuid != "" {
		if c.uuids[key] && !isChange(e) {
			c.add(where, "there are two records with the UUID "+uuid)
		}
		c.uuids[key] = true
	}
	for _, name := range []string{"AD_Client_ID", "AD_Org_ID"} {
		if e.props[name] == nil {
			c.add(where, name+" is missing")
		}
	}
	if !isChange(e) {
		if e.props["IsActive"] == nil {
			c.add(where, "IsActive is missing")
		}
		for name := range strings.FieldsSeq(mandatory[e.name]) {
			if value(name) == "" {
				c.add(where, name+" is missing")
			}
		}
	}
	names := slices.Sorted(maps.Keys(e.props))
	for _, name := range names {
		c.property(where+"/"+name, e, e.props[name])
	}
	switch e.name {
	case "AD_Element":
		lower := strings.ToLower(value("ColumnName"))
		if c.elements[lower] && lower != "" {
			c.add(where, "there are two terms for "+value("ColumnName"))
		}
		c.elements[lower] = true
	case "AD_Column":
		table := value("AD_Table_ID")
		if value("IsKey") == "Y" && c.columns[table] {
			c.add(where, "the key column is not the first of its table")
		}
		c.columns[table] = true
		if e.props["IsSyncDatabase"] == nil {
			c.add(where, "IsSyncDatabase is missing")
		}
	}
}

// isChange reports whether a record is only a change of one that is there: it
// then lacks most of its columns.
func isChange(e *element) bool {
	total, have := 0, 0
	for name := range strings.FieldsSeq(mandatory[e.name]) {
		total++
		if e.props[name] != nil {
			have++
		}
	}
	return total > 0 && have*2 < total
}

func (c *checker) property(where string, record, p *element) {
	text := p.text.String()
	switch p.attrs["reference"] {
	case "":
		if p.attrs["reference-key"] != "" {
			c.add(where, "there is a reference-key without reference")
		}
	case "uuid":
		if p.attrs["reference-key"] == "" {
			c.add(where, "a reference by UUID has no reference-key")
		}
		if strings.ContainsAny(text, " \n\t") {
			c.add(where, "there are blanks in a UUID")
		}
	case "id":
		n, err := strconv.Atoi(text)
		if text != "" && (err != nil || n < 0 || n > adid.MaxOfficial) {
			c.add(where, fmt.Sprintf("%q is not an official id (0 to %d)", text, adid.MaxOfficial))
		}
	default:
		c.add(where, fmt.Sprintf("there is no reference %q", p.attrs["reference"]))
	}
	switch {
	case p.name == record.name+"_ID" && p.attrs["reference"] == "":
		n, err := strconv.Atoi(text)
		if err != nil || !adid.Official(n) {
			c.add(where, fmt.Sprintf("the record's own id %q is not an official one", text))
		}
	case p.name == "AD_Client_ID" && p.attrs["reference"] == "":
		if _, err := strconv.Atoi(text); err != nil {
			c.add(where, fmt.Sprintf("%q is not a number", text))
		}
	case (p.name == "ColumnName" || p.name == "TableName") && strings.TrimSpace(text) != text:
		c.add(where, "there are blanks around a name")
	case p.name == "FieldLength" || p.name == "SeqNo" || p.name == "TabLevel":
		if _, err := strconv.Atoi(text); text != "" && err != nil {
			c.add(where, fmt.Sprintf("%q is not a whole number", text))
		}
	}
}

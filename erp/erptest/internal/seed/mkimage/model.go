package main

import (
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// model is the dictionary as the files describe it.
type model struct {
	tables    []*table
	byName    map[string]*table
	elements  []element
	elementID map[string]int64 // by upper-case column name
	refs      []*reference
	processes []*process
	windows   []*window
	views     []*view // those of which it is known what they show, in an order in which they can be made
	rules     []rule
	uuids     map[string]map[int64]string // those of the ERP, by table and id
	texts     map[string]description      // of tables and columns, by kind and upper-case name
	// constraints are what AD_Column.FKConstraintType says, by table and column, where it
	// is not N.
	constraints map[string]string
}

// description is what a table or column is for.
type description struct{ text, help string }

// about is the description of a "table" or "column".
func (m *model) about(kind, name string) description { return m.texts[kind+" "+strings.ToUpper(name)] }

type table struct {
	store.Table
	replication        string
	highVolume, secure bool
	entity             string
	own                bool           // the server's own code or the demo data depend on it
	defaults           map[string]any // what a row gets that says nothing, by column
}

type element struct {
	id                 int64
	column, name, text string
}

type reference struct {
	id           int64
	name, kind   string // kind is D, L or T
	inactive     bool
	values       []listValue
	target       string // table, "" when the seed does not have it
	key, display string
	where, order string
}

type listValue struct {
	value, name string
	inactive    bool
}

type process struct {
	id                 int64
	value, name, level string
	class              string
	isReport, isDirect bool
	inactive           bool
	params             []*param
}

type param struct {
	seq            int64
	column, label  string
	ref, refValue  int64
	valRule        int64
	length         int64
	mandatory, rng bool
	deflt          string
}

type window struct {
	id         int64
	kind, name string
	sales      bool
	inactive   bool
	tabs       []*tab
}

type tab struct {
	id, seq, level                        int64
	table, name                           string
	readOnly, grid, translation, noInsert bool
	where                                 string
	link                                  string // column that names the record of the tab above, "" for one that is found
	process                               int64  // that prints its records, 0 for none
}

// displayTypes are the names the files use for the display types.
var displayTypes = map[string]int{
	"string": displaytype.String, "integer": displaytype.Integer, "amount": displaytype.Amount, "id": displaytype.ID,
	"text": displaytype.Text, "date": displaytype.Date, "datetime": displaytype.DateTime, "list": displaytype.List,
	"table": displaytype.Table, "tabledir": displaytype.TableDir, "yesno": displaytype.YesNo,
	"location": displaytype.Location, "number": displaytype.Number, "binary": displaytype.Binary, "time": displaytype.Time,
	"account": displaytype.Account, "color": displaytype.Color, "button": displaytype.Button,
	"quantity": displaytype.Quantity, "search": displaytype.Search, "locator": displaytype.Locator,
	"image": displaytype.Image, "assignment": displaytype.Assignment, "memo": displaytype.Memo,
	"pattribute": displaytype.PAttribute, "textlong": displaytype.TextLong, "costprice": displaytype.CostPrice,
	"filepath": displaytype.FilePath, "filename": displaytype.FileName, "url": displaytype.URL,
	"printer": displaytype.PrinterName, "chart": displaytype.Chart, "payment": displaytype.Payment,
	"timestamptz": displaytype.TimestampWithTimeZone, "timezone": displaytype.TimeZoneID,
	"radiogrouplist": displaytype.RadioGroupList, "chosenlist": displaytype.ChosenMultipleSelectionList,
	"chosentable": displaytype.ChosenMultipleSelectionTable, "chosensearch": displaytype.ChosenMultipleSelectionSrch,
	"schedulerstate": displaytype.SchedulerState, "recordid": displaytype.RecordID, "uuid": displaytype.UUID,
	"tableuu": displaytype.TableUU, "tablediruu": displaytype.TableDirUU, "searchuu": displaytype.SearchUU,
	"recorduu": displaytype.RecordUU, "json": displaytype.JSON, "imageurl": displaytype.ImageURL,
}

package main

import (
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
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
	rules     []rule
	uuids     map[string]map[int64]string // those of the ERP, by table and id
	texts     map[string]description      // of tables and columns, by kind and upper-case name
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
	"string": store.TypeString, "integer": store.TypeInteger, "amount": store.TypeAmount, "id": store.TypeID,
	"text": store.TypeText, "date": store.TypeDate, "datetime": store.TypeDateTime, "list": store.TypeList,
	"table": store.TypeTable, "tabledir": store.TypeTableDir, "yesno": store.TypeYesNo,
	"location": store.TypeLocation, "number": store.TypeNumber, "binary": store.TypeBinary, "time": store.TypeTime,
	"account": store.TypeAccount, "color": store.TypeColor, "button": store.TypeButton,
	"quantity": store.TypeQuantity, "search": store.TypeSearch, "locator": store.TypeLocator,
	"image": store.TypeImage, "assignment": store.TypeAssignment, "memo": store.TypeMemo,
	"pattribute": store.TypePAttribute, "textlong": store.TypeTextLong, "costprice": store.TypeCostPrice,
	"filepath": store.TypeFilePath, "filename": store.TypeFileName, "url": store.TypeURL,
	"printer": store.TypePrinterName, "chart": store.TypeChart, "payment": store.TypePayment,
	"timestamptz": store.TypeTimestampTZ, "timezone": store.TypeTimeZone,
	"radiogrouplist": store.TypeRadiogroup, "chosenlist": store.TypeChosenMultiList,
	"chosentable": store.TypeChosenMultiTab, "chosensearch": store.TypeChosenMultiSrch,
	"schedulerstate": store.TypeSchedulerState, "recordid": store.TypeRecordID, "uuid": store.TypeUUID,
	"tableuu": store.TypeTableUU, "tablediruu": store.TypeTableDirUU, "searchuu": store.TypeSearchUU,
	"recorduu": store.TypeRecordUU, "json": store.TypeJSON, "imageurl": store.TypeImageURL,
}

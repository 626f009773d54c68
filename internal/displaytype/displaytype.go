// Package displaytype has the ERP's display types as one list, with what the programs
// of this module must know of each.
package displaytype

import (
	"maps"
	"slices"
)

// The display types are records of AD_Reference with validation type D, under the
// names that the ERP's own program uses.
const (
	String                       = 10
	Integer                      = 11
	Amount                       = 12
	ID                           = 13
	Text                         = 14
	Date                         = 15
	DateTime                     = 16
	List                         = 17
	Table                        = 18
	TableDir                     = 19
	YesNo                        = 20
	Location                     = 21
	Number                       = 22
	Binary                       = 23
	Time                         = 24
	Account                      = 25
	RowID                        = 26
	Color                        = 27
	Button                       = 28
	Quantity                     = 29
	Search                       = 30
	Locator                      = 31
	Image                        = 32
	Assignment                   = 33
	Memo                         = 34
	PAttribute                   = 35
	TextLong                     = 36
	CostPrice                    = 37
	FilePath                     = 38
	FileName                     = 39
	URL                          = 40
	PrinterName                  = 42
	Chart                        = 53370
	Payment                      = 200012
	DashboardContent             = 200122
	SingleSelectionGrid          = 200127
	MultipleSelectionGrid        = 200128
	TimestampWithTimeZone        = 200133
	TimeZoneID                   = 200135
	RadioGroupList               = 200152
	ChosenMultipleSelectionList  = 200161
	ChosenMultipleSelectionTable = 200162
	ChosenMultipleSelectionSrch  = 200163
	SchedulerState               = 200173
	RecordID                     = 200202
	UUID                         = 200231
	TableUU                      = 200233
	TableDirUU                   = 200234
	SearchUU                     = 200235
	RecordUU                     = 200240
	JSON                         = 200267
	ImageURL                     = 200271
)

// Storage is how values are kept in the database.
type Storage int

// The ways of storing.
const (
	StoreVarchar Storage = iota + 1 // VARCHAR(n)
	StoreInteger
	StoreDecimal
	StoreID   // a number or text, by the name of the column
	StoreText // VARCHAR(n), or a large text when n is 0 or large
	StoreDate
	StoreDateTime
	StoreTime
	StoreInstant // with time zone
	StoreList    // CHAR(1) or VARCHAR(n)
	StoreYesNo
	StoreBinary
	StoreButton
	StoreImage
	StoreLongText
	StoreUUID
	StoreJSON
)

// Picked is where values are picked from.
type Picked int

// The sources of values; the zero value: values are not picked.
const (
	FromList       Picked = iota + 1 // a value list of the dictionary
	FromTable                        // a table that the column or its reference names
	FromFixedTable                   // the one table of the display type
)

// Type is what is known about one display type.
type Type struct {
	Name    string // as the ERP's dictionary calls it
	Storage Storage
	Java    string // in the ERP's program
	// Go is the type in generated Go code: "list" for one of its own, named after the
	// list, "" for what the API does not show.
	Go string
	// Length is the FieldLength a column gets when its definition gives none; 0 leaves
	// it 0.
	Length   int
	Picked   Picked
	Multiple bool // one value holds several choices, separated by commas
}

// Of is the display type with that number; ok is false for one that the ERP does not
// have.
func Of(number int) (t Type, ok bool) {
	if number >= 0 && number < len(common) {
		t = common[number]
		return t, t.Name != ""
	}
	t, ok = types[number]
	return t, ok
}

// common are the types with small numbers, which nearly all columns have: they are
// asked for with every value.
var common = func() (list [64]Type) {
	for number := range list {
		list[number] = types[number]
	}
	return list
}()

// Numbers are the numbers of all display types, in order.
func Numbers() []int { return slices.Sorted(maps.Keys(types)) }

// types is read only.
var types = map[int]Type{
	String:                       {Name: "String", Storage: StoreVarchar, Java: "String", Length: 60, Go: "string"},
	Integer:                      {Name: "Integer", Storage: StoreInteger, Java: "Integer", Length: 10, Go: "int64"},
	Amount:                       {Name: "Amount", Storage: StoreDecimal, Java: "BigDecimal", Length: 22, Go: "erp.Decimal"},
	ID:                           {Name: "ID", Storage: StoreID, Java: "Integer", Length: 22, Go: "int64"},
	Text:                         {Name: "Text", Storage: StoreText, Java: "String", Go: "string"},
	Date:                         {Name: "Date", Storage: StoreDate, Java: "Timestamp", Length: 7, Go: "erp.Date"},
	DateTime:                     {Name: "Date+Time", Storage: StoreDateTime, Java: "Timestamp", Length: 7, Go: "time.Time"},
	List:                         {Name: "List", Storage: StoreList, Java: "String", Go: "list", Picked: FromList},
	Table:                        {Name: "Table", Storage: StoreID, Java: "Integer", Length: 10, Go: "erp.Ref", Picked: FromTable},
	TableDir:                     {Name: "Table Direct", Storage: StoreID, Java: "Integer", Length: 10, Go: "erp.Ref", Picked: FromTable},
	YesNo:                        {Name: "Yes-No", Storage: StoreYesNo, Java: "Boolean", Length: 1, Go: "bool"},
	Location:                     {Name: "Location (Address)", Storage: StoreID, Java: "Integer", Length: 10, Go: "erp.Ref", Picked: FromFixedTable},
	Number:                       {Name: "Number", Storage: StoreDecimal, Java: "BigDecimal", Length: 22, Go: "erp.Decimal"},
	Binary:                       {Name: "Binary", Storage: StoreBinary, Java: "byte[]", Go: "[]byte"},
	Time:                         {Name: "Time", Storage: StoreTime, Java: "Timestamp", Length: 7, Go: "*erp.TimeOfDay"},
	Account:                      {Name: "Account", Storage: StoreID, Java: "Integer", Length: 10, Go: "erp.Ref", Picked: FromFixedTable},
	RowID:                        {Name: "RowID", Storage: StoreVarchar, Java: "Object", Length: 60, Go: "any"},
	Color:                        {Name: "Color", Storage: StoreVarchar, Java: "String", Length: 7, Go: "string"},
	Button:                       {Name: "Button", Storage: StoreButton, Java: "String", Length: 1},
	Quantity:                     {Name: "Quantity", Storage: StoreDecimal, Java: "BigDecimal", Length: 22, Go: "erp.Decimal"},
	Search:                       {Name: "Search", Storage: StoreID, Java: "Integer", Length: 10, Go: "erp.Ref", Picked: FromTable},
	Locator:                      {Name: "Locator (WH)", Storage: StoreID, Java: "Integer", Length: 10, Go: "erp.Ref", Picked: FromFixedTable},
	Image:                        {Name: "Image", Storage: StoreImage, Java: "Integer", Length: 10, Go: "erp.Ref", Picked: FromFixedTable},
	Assignment:                   {Name: "Assignment", Storage: StoreID, Java: "Integer", Length: 10, Picked: FromFixedTable},
	Memo:                         {Name: "Memo", Storage: StoreVarchar, Java: "String", Length: 1000, Go: "string"},
	PAttribute:                   {Name: "Product Attribute", Storage: StoreID, Java: "Integer", Length: 10, Go: "erp.Ref", Picked: FromFixedTable},
	TextLong:                     {Name: "Text Long", Storage: StoreLongText, Java: "String", Go: "string"},
	CostPrice:                    {Name: "Costs+Prices", Storage: StoreDecimal, Java: "BigDecimal", Length: 22, Go: "erp.Decimal"},
	FilePath:                     {Name: "FilePath", Storage: StoreVarchar, Java: "String", Length: 255, Go: "string"},
	FileName:                     {Name: "FileName", Storage: StoreVarchar, Java: "String", Length: 255, Go: "string"},
	URL:                          {Name: "URL", Storage: StoreVarchar, Java: "String", Length: 255, Go: "string"},
	PrinterName:                  {Name: "Printer Name", Storage: StoreVarchar, Java: "String", Length: 60, Go: "string"},
	Chart:                        {Name: "Chart", Storage: StoreID, Java: "Integer", Length: 10, Picked: FromFixedTable},
	Payment:                      {Name: "Payment", Storage: StoreList, Java: "String", Length: 1, Go: "list", Picked: FromList},
	DashboardContent:             {Name: "Dashboard Content", Storage: StoreID, Java: "Object", Length: 10},
	SingleSelectionGrid:          {Name: "Single Selection Grid", Storage: StoreVarchar, Java: "String", Length: 255, Go: "string"},
	MultipleSelectionGrid:        {Name: "Multiple Selection Grid", Storage: StoreVarchar, Java: "String", Length: 2000, Go: "string", Multiple: true},
	TimestampWithTimeZone:        {Name: "Timestamp With Time Zone", Storage: StoreInstant, Java: "Timestamp", Length: 7, Go: "time.Time"},
	TimeZoneID:                   {Name: "Time Zone", Storage: StoreVarchar, Java: "String", Length: 60, Go: "string"},
	RadioGroupList:               {Name: "Radio Group List", Storage: StoreList, Java: "String", Go: "list", Picked: FromList},
	ChosenMultipleSelectionList:  {Name: "Chosen Multiple Selection List", Storage: StoreVarchar, Java: "String", Length: 2000, Go: "erp.Ref", Picked: FromList, Multiple: true},
	ChosenMultipleSelectionTable: {Name: "Chosen Multiple Selection Table", Storage: StoreVarchar, Java: "String", Length: 2000, Go: "Selections", Picked: FromTable, Multiple: true},
	ChosenMultipleSelectionSrch:  {Name: "Chosen Multiple Selection Search", Storage: StoreVarchar, Java: "String", Length: 2000, Go: "Selections", Picked: FromTable, Multiple: true},
	SchedulerState:               {Name: "Scheduler State", Storage: StoreVarchar, Java: "Object", Length: 60, Go: "any"},
	RecordID:                     {Name: "Record ID", Storage: StoreID, Java: "Integer", Length: 10, Go: "int64"},
	UUID:                         {Name: "UUID", Storage: StoreUUID, Java: "String", Length: 36, Go: "string"},
	TableUU:                      {Name: "Table (UU)", Storage: StoreUUID, Java: "String", Length: 36, Go: "erp.Ref", Picked: FromTable},
	TableDirUU:                   {Name: "Table Direct (UU)", Storage: StoreUUID, Java: "String", Length: 36, Go: "erp.Ref", Picked: FromTable},
	SearchUU:                     {Name: "Search (UU)", Storage: StoreUUID, Java: "String", Length: 36, Go: "erp.Ref", Picked: FromTable},
	RecordUU:                     {Name: "Record UUID", Storage: StoreUUID, Java: "String", Length: 36, Go: "string"},
	JSON:                         {Name: "JSON", Storage: StoreJSON, Java: "String", Go: "json.RawMessage"},
	ImageURL:                     {Name: "Image URL", Storage: StoreVarchar, Java: "String", Length: 255, Go: "string"},
}

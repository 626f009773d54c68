package dict

import (
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/adid"
)

// DisplayType is an AD_Reference_ID of validation type D: how a column is
// shown, kept and stored. Ids above 999,999 belong to display types that
// plug-ins of one installation bring along.
type DisplayType int

// The display types of the ERP, under the names its own program uses.
const (
	TypeString                       DisplayType = 10
	TypeInteger                      DisplayType = 11
	TypeAmount                       DisplayType = 12
	TypeID                           DisplayType = 13
	TypeText                         DisplayType = 14
	TypeDate                         DisplayType = 15
	TypeDateTime                     DisplayType = 16
	TypeList                         DisplayType = 17
	TypeTable                        DisplayType = 18
	TypeTableDir                     DisplayType = 19
	TypeYesNo                        DisplayType = 20
	TypeLocation                     DisplayType = 21
	TypeNumber                       DisplayType = 22
	TypeBinary                       DisplayType = 23
	TypeTime                         DisplayType = 24
	TypeAccount                      DisplayType = 25
	TypeRowID                        DisplayType = 26
	TypeColor                        DisplayType = 27
	TypeButton                       DisplayType = 28
	TypeQuantity                     DisplayType = 29
	TypeSearch                       DisplayType = 30
	TypeLocator                      DisplayType = 31
	TypeImage                        DisplayType = 32
	TypeAssignment                   DisplayType = 33
	TypeMemo                         DisplayType = 34
	TypePAttribute                   DisplayType = 35
	TypeTextLong                     DisplayType = 36
	TypeCostPrice                    DisplayType = 37
	TypeFilePath                     DisplayType = 38
	TypeFileName                     DisplayType = 39
	TypeURL                          DisplayType = 40
	TypePrinterName                  DisplayType = 42
	TypeChart                        DisplayType = 53370
	TypePayment                      DisplayType = 200012
	TypeDashboardContent             DisplayType = 200122
	TypeSingleSelectionGrid          DisplayType = 200127
	TypeMultipleSelectionGrid        DisplayType = 200128
	TypeTimestampWithTimeZone        DisplayType = 200133
	TypeTimeZoneID                   DisplayType = 200135
	TypeRadioGroupList               DisplayType = 200152
	TypeChosenMultipleSelectionList  DisplayType = 200161
	TypeChosenMultipleSelectionTable DisplayType = 200162
	TypeChosenMultipleSelectionSrch  DisplayType = 200163
	TypeSchedulerState               DisplayType = 200173
	TypeRecordID                     DisplayType = 200202
	TypeUUID                         DisplayType = 200231
	TypeTableUU                      DisplayType = 200233
	TypeTableDirUU                   DisplayType = 200234
	TypeSearchUU                     DisplayType = 200235
	TypeRecordUU                     DisplayType = 200240
	TypeJSON                         DisplayType = 200267
	TypeImageURL                     DisplayType = 200271
)

// storage is how a display type is kept in the database.
type storage int

const (
	storeVarchar storage = iota + 1 // VARCHAR(n)
	storeInteger
	storeDecimal
	storeID   // by the name of the column, see SQLType
	storeText // VARCHAR(n), or a large text when n is 0 or large
	storeTimestamp
	storeTimestampTZ
	storeList // CHAR(1) or VARCHAR(n)
	storeYesNo
	storeBinary
	storeButton
	storeImage
	storeLongText
	storeUUID
	storeJSON
)

// displayFacts says what is known about one display type.
type displayFacts struct {
	name  string // as the ERP's dictionary calls it
	store storage
	java  string
	// length is the FieldLength a column gets when its definition gives none;
	// 0 leaves it 0.
	length int
}

func factsOf(d DisplayType) (displayFacts, bool) {
	f, ok := displayTypes[d]
	return f, ok
}

// displayTypes is read only.
var displayTypes = map[DisplayType]displayFacts{
	TypeString:                       {"String", storeVarchar, "String", 60},
	TypeInteger:                      {"Integer", storeInteger, "Integer", 10},
	TypeAmount:                       {"Amount", storeDecimal, "BigDecimal", 22},
	TypeID:                           {"ID", storeID, "Integer", 22},
	TypeText:                         {"Text", storeText, "String", 0},
	TypeDate:                         {"Date", storeTimestamp, "Timestamp", 7},
	TypeDateTime:                     {"Date+Time", storeTimestamp, "Timestamp", 7},
	TypeList:                         {"List", storeList, "String", 0},
	TypeTable:                        {"Table", storeID, "Integer", 10},
	TypeTableDir:                     {"Table Direct", storeID, "Integer", 10},
	TypeYesNo:                        {"Yes-No", storeYesNo, "Boolean", 1},
	TypeLocation:                     {"Location (Address)", storeID, "Integer", 10},
	TypeNumber:                       {"Number", storeDecimal, "BigDecimal", 22},
	TypeBinary:                       {"Binary", storeBinary, "byte[]", 0},
	TypeTime:                         {"Time", storeTimestamp, "Timestamp", 7},
	TypeAccount:                      {"Account", storeID, "Integer", 10},
	TypeRowID:                        {"RowID", storeVarchar, "Object", 60},
	TypeColor:                        {"Color", storeVarchar, "String", 7},
	TypeButton:                       {"Button", storeButton, "String", 1},
	TypeQuantity:                     {"Quantity", storeDecimal, "BigDecimal", 22},
	TypeSearch:                       {"Search", storeID, "Integer", 10},
	TypeLocator:                      {"Locator (WH)", storeID, "Integer", 10},
	TypeImage:                        {"Image", storeImage, "Integer", 10},
	TypeAssignment:                   {"Assignment", storeID, "Integer", 10},
	TypeMemo:                         {"Memo", storeVarchar, "String", 1000},
	TypePAttribute:                   {"Product Attribute", storeID, "Integer", 10},
	TypeTextLong:                     {"Text Long", storeLongText, "String", 0},
	TypeCostPrice:                    {"Costs+Prices", storeDecimal, "BigDecimal", 22},
	TypeFilePath:                     {"FilePath", storeVarchar, "String", 255},
	TypeFileName:                     {"FileName", storeVarchar, "String", 255},
	TypeURL:                          {"URL", storeVarchar, "String", 255},
	TypePrinterName:                  {"Printer Name", storeVarchar, "String", 60},
	TypeChart:                        {"Chart", storeID, "Integer", 10},
	TypePayment:                      {"Payment", storeList, "String", 1},
	TypeDashboardContent:             {"Dashboard Content", storeID, "Object", 10},
	TypeSingleSelectionGrid:          {"Single Selection Grid", storeVarchar, "String", 255},
	TypeMultipleSelectionGrid:        {"Multiple Selection Grid", storeVarchar, "String", 2000},
	TypeTimestampWithTimeZone:        {"Timestamp With Time Zone", storeTimestampTZ, "Timestamp", 7},
	TypeTimeZoneID:                   {"Time Zone", storeVarchar, "String", 60},
	TypeRadioGroupList:               {"Radio Group List", storeList, "String", 0},
	TypeChosenMultipleSelectionList:  {"Chosen Multiple Selection List", storeVarchar, "String", 2000},
	TypeChosenMultipleSelectionTable: {"Chosen Multiple Selection Table", storeVarchar, "String", 2000},
	TypeChosenMultipleSelectionSrch:  {"Chosen Multiple Selection Search", storeVarchar, "String", 2000},
	TypeSchedulerState:               {"Scheduler State", storeVarchar, "Object", 60},
	TypeRecordID:                     {"Record ID", storeID, "Integer", 10},
	TypeUUID:                         {"UUID", storeUUID, "String", 36},
	TypeTableUU:                      {"Table (UU)", storeUUID, "String", 36},
	TypeTableDirUU:                   {"Table Direct (UU)", storeUUID, "String", 36},
	TypeSearchUU:                     {"Search (UU)", storeUUID, "String", 36},
	TypeRecordUU:                     {"Record UUID", storeUUID, "String", 36},
	TypeJSON:                         {"JSON", storeJSON, "String", 0},
	TypeImageURL:                     {"Image URL", storeVarchar, "String", 255},
}

// String is the display type's name in the dictionary ("Table Direct"), or its
// number when it is not one of the ERP's own.
func (d DisplayType) String() string {
	if f, ok := factsOf(d); ok {
		return f.name
	}
	return strconv.Itoa(int(d))
}

// Known reports whether d is one of the ERP's own display types.
func (d DisplayType) Known() bool {
	_, ok := factsOf(d)
	return ok
}

// JavaType is the type of the value in the ERP's program: String, Integer,
// BigDecimal, Boolean, Timestamp, byte[] or Object.
func (d DisplayType) JavaType() string {
	f, ok := factsOf(d)
	if !ok {
		return "Object"
	}
	return f.java
}

// IsID reports whether values are numeric ids of records.
func (d DisplayType) IsID() bool {
	switch d {
	case TypeID, TypeTable, TypeTableDir, TypeLocation, TypeAccount, TypeSearch, TypeLocator,
		TypeImage, TypeAssignment, TypePAttribute, TypeChart, TypeRecordID:
		return true
	}
	return false
}

// IsUUID reports whether values are UUIDs; the ERP wants the names of such
// columns to end in _UU.
func (d DisplayType) IsUUID() bool {
	f, _ := factsOf(d)
	return f.store == storeUUID
}

// IsList reports whether values come from a value list of the dictionary.
func (d DisplayType) IsList() bool {
	return d == TypeList || d == TypePayment || d == TypeRadioGroupList || d == TypeChosenMultipleSelectionList
}

// IsLookup reports whether the user picks the value from a list or a table.
func (d DisplayType) IsLookup() bool {
	switch d {
	case TypeTable, TypeTableDir, TypeSearch, TypeChosenMultipleSelectionTable,
		TypeChosenMultipleSelectionSrch, TypeTableUU, TypeTableDirUU, TypeSearchUU:
		return true
	}
	return d.IsList()
}

// IsMultiple reports whether one value holds several choices, separated by
// commas.
func (d DisplayType) IsMultiple() bool {
	switch d {
	case TypeChosenMultipleSelectionList, TypeChosenMultipleSelectionTable, TypeChosenMultipleSelectionSrch,
		TypeMultipleSelectionGrid:
		return true
	}
	return false
}

// IsNumeric reports whether values are numbers that are not ids.
func (d DisplayType) IsNumeric() bool {
	f, _ := factsOf(d)
	return f.store == storeInteger || f.store == storeDecimal
}

// IsDate reports whether values are dates or times.
func (d DisplayType) IsDate() bool {
	f, _ := factsOf(d)
	return f.store == storeTimestamp || f.store == storeTimestampTZ
}

// IsText reports whether values are free text of limited length.
func (d DisplayType) IsText() bool {
	f, _ := factsOf(d)
	return f.store == storeVarchar || f.store == storeText
}

// isLOB reports whether values are kept as a large object; the ERP keeps the
// FieldLength of such columns at 0.
func (d DisplayType) isLOB() bool {
	f, _ := factsOf(d)
	return f.store == storeBinary || f.store == storeLongText || f.store == storeJSON
}

// ParseDisplayType reads a display type as people write it: its number, its
// name in the dictionary ("Table Direct"), or the name the ERP's program has
// for it ("TableDir"). Case, blanks and punctuation do not count. A number
// above 999,999 is taken for a display type of a plug-in.
func ParseDisplayType(text string) (DisplayType, bool) {
	if number, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32); err == nil {
		d := DisplayType(number)
		return d, d.Known() || number > adid.MaxOfficial
	}
	word := typeWord(text)
	if word == "" {
		return 0, false
	}
	if d, ok := programNames[word]; ok {
		return d, true
	}
	for d, f := range displayTypes {
		if typeWord(f.name) == word {
			return d, true
		}
	}
	return 0, false
}

// typeWord keeps the small letters and digits of a name.
func typeWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// programNames are the names in the ERP's program that differ from those in its
// dictionary by more than blanks and punctuation. It is read only.
var programNames = map[string]DisplayType{
	"tabledir":                    TypeTableDir,
	"tablediruu":                  TypeTableDirUU,
	"datetime":                    TypeDateTime,
	"location":                    TypeLocation,
	"locator":                     TypeLocator,
	"pattribute":                  TypePAttribute,
	"costprice":                   TypeCostPrice,
	"timezoneid":                  TypeTimeZoneID,
	"radiogrouplist":              TypeRadioGroupList,
	"recorduu":                    TypeRecordUU,
	"chosenmultipleselectionlist": TypeChosenMultipleSelectionList,
}

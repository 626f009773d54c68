package dict

import (
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/internal/displaytype"
)

// DisplayType is an AD_Reference_ID of validation type D: how a column is
// shown, kept and stored. Ids above 999,999 belong to display types that
// plug-ins of one installation bring along.
type DisplayType int

// The display types of the ERP, under the names its own program uses.
const (
	TypeString                       DisplayType = displaytype.String
	TypeInteger                      DisplayType = displaytype.Integer
	TypeAmount                       DisplayType = displaytype.Amount
	TypeID                           DisplayType = displaytype.ID
	TypeText                         DisplayType = displaytype.Text
	TypeDate                         DisplayType = displaytype.Date
	TypeDateTime                     DisplayType = displaytype.DateTime
	TypeList                         DisplayType = displaytype.List
	TypeTable                        DisplayType = displaytype.Table
	TypeTableDir                     DisplayType = displaytype.TableDir
	TypeYesNo                        DisplayType = displaytype.YesNo
	TypeLocation                     DisplayType = displaytype.Location
	TypeNumber                       DisplayType = displaytype.Number
	TypeBinary                       DisplayType = displaytype.Binary
	TypeTime                         DisplayType = displaytype.Time
	TypeAccount                      DisplayType = displaytype.Account
	TypeRowID                        DisplayType = displaytype.RowID
	TypeColor                        DisplayType = displaytype.Color
	TypeButton                       DisplayType = displaytype.Button
	TypeQuantity                     DisplayType = displaytype.Quantity
	TypeSearch                       DisplayType = displaytype.Search
	TypeLocator                      DisplayType = displaytype.Locator
	TypeImage                        DisplayType = displaytype.Image
	TypeAssignment                   DisplayType = displaytype.Assignment
	TypeMemo                         DisplayType = displaytype.Memo
	TypePAttribute                   DisplayType = displaytype.PAttribute
	TypeTextLong                     DisplayType = displaytype.TextLong
	TypeCostPrice                    DisplayType = displaytype.CostPrice
	TypeFilePath                     DisplayType = displaytype.FilePath
	TypeFileName                     DisplayType = displaytype.FileName
	TypeURL                          DisplayType = displaytype.URL
	TypePrinterName                  DisplayType = displaytype.PrinterName
	TypeChart                        DisplayType = displaytype.Chart
	TypePayment                      DisplayType = displaytype.Payment
	TypeDashboardContent             DisplayType = displaytype.DashboardContent
	TypeSingleSelectionGrid          DisplayType = displaytype.SingleSelectionGrid
	TypeMultipleSelectionGrid        DisplayType = displaytype.MultipleSelectionGrid
	TypeTimestampWithTimeZone        DisplayType = displaytype.TimestampWithTimeZone
	TypeTimeZoneID                   DisplayType = displaytype.TimeZoneID
	TypeRadioGroupList               DisplayType = displaytype.RadioGroupList
	TypeChosenMultipleSelectionList  DisplayType = displaytype.ChosenMultipleSelectionList
	TypeChosenMultipleSelectionTable DisplayType = displaytype.ChosenMultipleSelectionTable
	TypeChosenMultipleSelectionSrch  DisplayType = displaytype.ChosenMultipleSelectionSrch
	TypeSchedulerState               DisplayType = displaytype.SchedulerState
	TypeRecordID                     DisplayType = displaytype.RecordID
	TypeUUID                         DisplayType = displaytype.UUID
	TypeTableUU                      DisplayType = displaytype.TableUU
	TypeTableDirUU                   DisplayType = displaytype.TableDirUU
	TypeSearchUU                     DisplayType = displaytype.SearchUU
	TypeRecordUU                     DisplayType = displaytype.RecordUU
	TypeJSON                         DisplayType = displaytype.JSON
	TypeImageURL                     DisplayType = displaytype.ImageURL
)

// DisplayTypes are the ERP's own display types, by number.
func DisplayTypes() []DisplayType {
	var out []DisplayType
	for _, number := range displaytype.Numbers() {
		out = append(out, DisplayType(number))
	}
	return out
}

func factsOf(d DisplayType) (displaytype.Type, bool) { return displaytype.Of(int(d)) }

// String is the display type's name in the dictionary ("Table Direct"), or its
// number when it is not one of the ERP's own.
func (d DisplayType) String() string {
	if f, ok := factsOf(d); ok {
		return f.Name
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
	return f.Java
}

// IsID reports whether values are numeric ids of records.
func (d DisplayType) IsID() bool {
	f, _ := factsOf(d)
	return f.Java == "Integer" && f.Storage != displaytype.StoreInteger
}

// IsUUID reports whether values are UUIDs; the ERP wants the names of such
// columns to end in _UU.
func (d DisplayType) IsUUID() bool {
	f, _ := factsOf(d)
	return f.Storage == displaytype.StoreUUID
}

// IsList reports whether values come from a value list of the dictionary.
func (d DisplayType) IsList() bool {
	f, _ := factsOf(d)
	return f.Picked == displaytype.FromList
}

// IsLookup reports whether the user picks the value from a list or a table.
func (d DisplayType) IsLookup() bool {
	f, _ := factsOf(d)
	return f.Picked == displaytype.FromList || f.Picked == displaytype.FromTable
}

// IsMultiple reports whether one value holds several choices, separated by
// commas.
func (d DisplayType) IsMultiple() bool {
	f, _ := factsOf(d)
	return f.Multiple
}

// IsNumeric reports whether values are numbers that are not ids.
func (d DisplayType) IsNumeric() bool {
	f, _ := factsOf(d)
	return f.Storage == displaytype.StoreInteger || f.Storage == displaytype.StoreDecimal
}

// IsDate reports whether values are dates or times.
func (d DisplayType) IsDate() bool {
	f, _ := factsOf(d)
	switch f.Storage {
	case displaytype.StoreDate, displaytype.StoreDateTime, displaytype.StoreTime, displaytype.StoreInstant:
		return true
	}
	return false
}

// IsText reports whether values are free text of limited length.
func (d DisplayType) IsText() bool {
	f, _ := factsOf(d)
	return f.Storage == displaytype.StoreVarchar || f.Storage == displaytype.StoreText
}

// isLOB reports whether values are kept as a large object; the ERP keeps the
// FieldLength of such columns at 0.
func (d DisplayType) isLOB() bool {
	f, _ := factsOf(d)
	return f.Storage == displaytype.StoreBinary || f.Storage == displaytype.StoreLongText || f.Storage == displaytype.StoreJSON
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
	for _, d := range DisplayTypes() {
		if typeWord(d.String()) == word {
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

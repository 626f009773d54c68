package dict

import (
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/adid"
)

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

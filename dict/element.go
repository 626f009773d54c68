package dict

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/erphub/erphub/internal/text"
)

// element is a term of the dictionary, shared by all columns of one name.
type element struct {
	ID   int    // official AD_Element_ID
	Name string // label
}

// knownElement is the ERP's own term for a column name, ignoring case. Only the
// columns that templates bring are known here; a registry knows all.
func knownElement(column string) (element, bool) {
	e, ok := knownElements[strings.ToLower(column)]
	return e, ok
}

// knownElements is read only; keys are in lower case.
var knownElements = map[string]element{
	"ad_client_id":       {102, "Tenant"},
	"ad_org_id":          {113, "Organization"},
	"isactive":           {348, "Active"},
	"created":            {245, "Created"},
	"createdby":          {246, "Created By"},
	"updated":            {607, "Updated"},
	"updatedby":          {608, "Updated By"},
	"documentno":         {290, "Document No"},
	"c_doctype_id":       {196, "Document Type"},
	"c_doctypetarget_id": {197, "Target Document Type"},
	"docstatus":          {289, "Document Status"},
	"docaction":          {287, "Document Action"},
	"processing":         {524, "Process Now"},
	"processed":          {1047, "Processed"},
	"isapproved":         {351, "Approved"},
	"dateacct":           {263, "Account Date"},
	"c_currency_id":      {193, "Currency"},
	"posted":             {1308, "Posted"},
	"processedon":        {54128, "Processed On"},
	"name":               {469, "Name"},
	"description":        {275, "Description"},
	"help":               {326, "Comment/Help"},
	"value":              {620, "Search Key"},
	"parent_id":          {496, "Parent"},
	"seqno":              {566, "Sequence"},
	"i_isimported":       {913, "Imported"},
	"i_errormsg":         {912, "Import Error Message"},
}

// labelOf makes a label from a table or column name: the prefix of one to
// three capitals and the suffix _ID go, and words are put apart. A label is at
// most 60 characters, like the name it stands beside.
func labelOf(name string) string {
	if e, ok := knownElement(name); ok {
		return e.Name
	}
	label := strings.Join(strings.Fields(putApart(stemOf(name))), " ")
	return strings.TrimSpace(text.First(cmp.Or(label, name), maxLabel))
}

func stemOf(name string) string {
	stem := name
	if i := strings.IndexByte(stem, '_'); i > 0 && i <= 3 && strings.ToUpper(stem[:i]) == stem[:i] && i+1 < len(stem) {
		stem = stem[i+1:]
	}
	if cut := strings.TrimSuffix(stem, "_ID"); cut != "" {
		stem = cut
	}
	if len(stem) > 2 && strings.HasPrefix(stem, "Is") && unicode.IsUpper(rune(stem[2])) {
		stem = stem[2:]
	}
	return stem
}

func putApart(stem string) string {
	var b strings.Builder
	runes := []rune(stem)
	for i, r := range runes {
		if r == '_' {
			b.WriteRune(' ')
			continue
		}
		if i > 0 && unicode.IsUpper(r) && runes[i-1] != '_' {
			afterLower := unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1])
			beforeLower := unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterLower || beforeLower {
				b.WriteRune(' ')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

package tools

import (
	"errors"
	"slices"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/mcp"
)

// ofMoney are the beginnings of functions of the ERP whose figures templates
// compute.
var ofMoney = []string{"invoiceopen", "invoicepaid", "currencyconvert", "currencyrate", "paymentterm"}

// elsewhere are words that other databases have in place of columns.
var elsewhere = map[string]string{
	"sysdate": "write current_date, or now() with the time", "systimestamp": "write now()", "getdate": "write now()", "today": "write current_date",
	"rownum": "write LIMIT at the end, such as LIMIT 5", "rowid": "use the key column of the table",
}

// meant adds to the refusal of a name which tool helps. What the name resembles is
// in the hint already.
func meant(err error) error {
	var e *mcp.Error
	var refusal *api.Error
	if !errors.As(err, &e) || !errors.As(err, &refusal) {
		return err
	}
	object := refusal.Object
	name := strings.ToLower(object.Name[strings.LastIndexByte(object.Name, '.')+1:])
	add := ""
	switch {
	case object.Kind == api.FunctionObject && slices.ContainsFunc(ofMoney, func(begin string) bool { return strings.HasPrefix(name, begin) }):
		add = "queryMetric with the name open-receivables computes what is open; getQueryTemplates with the name open-invoices has SQL for it"
	case object.Kind == api.FunctionObject && e.Hint == "" && len(object.Similar) == 0:
		add = "only functions of PostgreSQL that cannot do harm are available, and of the ERP's own currencyConvert, currencyRate, invoiceOpen and paymentTermDueDate: compute others in SQL from the tables; searchRegistry finds them"
	case object.Kind == api.ColumnObject && elsewhere[name] != "":
		add = elsewhere[name]
	case object.Kind == api.TableObject && len(object.Similar) == 0:
		add = "searchRegistry finds tables by what they are about"
	case object.Kind == api.ColumnObject && len(object.Similar) == 0:
		add = "describeTable shows the columns of a table"
	default:
		return err
	}
	hinted := *e
	hinted.Hint, hinted.Err = strings.TrimPrefix(e.Hint+"; "+add, "; "), e
	return &hinted
}

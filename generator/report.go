package generator

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

func reportGenerator() Generator {
	return Generator{
		Name: "report", Title: "a Jasper report", Addable: true,
		Description: "A report of a table's records as a Jasper file in the plugin, with its dictionary records.",
		Options: join([]Option{
			classOption("OrderList", "Name of the report, which its file has as well."), labelOption(),
			{Name: "value", Type: TypeString, Example: "XX_OrderList", check: textCheck(40),
				Description: "Search key of the report; without one its name."},
			{Name: "help", Type: TypeString, check: textCheck(255), Description: "What the report shows, for users."},
			{Name: "table", Type: TypeString, Required: true, Example: "C_Order", check: checkDictionaryName, Description: "Table whose records are shown."},
			{Name: "columns", Type: TypeStrings, Example: "DocumentNo,DateOrdered", check: checkDictionaryName,
				Description: "Columns to show, six at most; without any the table's identifiers."},
			parametersOption(), menuOption(), accessOption(),
		}, dictionaryOptions(), pluginOptions()),
		build: func(ctx context.Context, p *project, v values) error { return p.main.report(ctx, v) },
	}
}

// reportWidth is what fits between the margins of a page.
const reportWidth = 515

// reportColumn is a column as the report's file has it.
type reportColumn struct {
	Name, Label, JavaClass string
	X, Width               int
	UUID, HeadUUID         dict.UUID
}

func (b *bundle) report(ctx context.Context, v values) error {
	name := v.text("class")
	label := cmp.Or(v.text("label"), sentenceOf(name))
	table, columns, err := b.reportColumns(ctx, v, name)
	if err != nil {
		return fmt.Errorf("a report of %s: %w", quote(v.text("table")), err)
	}
	if err := v.err(); err != nil {
		return err
	}
	parameters, err := b.processParameters(ctx, v.list("parameters"))
	if err != nil || parametersTwice(v, parameters) {
		return err
	}
	for _, p := range parameters {
		if err := b.reportParameter(ctx, v, table, p); err != nil {
			return err
		}
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	sql := fmt.Sprintf("SELECT %s FROM %s WHERE AD_Client_ID IN (0, $P{AD_CLIENT_ID}) AND IsActive = 'Y'", strings.Join(names, ", "), table)
	for _, p := range parameters {
		sql += condition(p)
	}
	sql += " ORDER BY " + names[0]
	source, err := render("report.jrxml", map[string]any{"Class": name, "UUID": b.reportUUID(name, ""), "TitleUUID": b.reportUUID(name, "title"),
		"Parameters": parameters, "Columns": columns, "SQL": sql, "Title": cdata(label)})
	if err != nil {
		return err
	}
	file := "reports/" + name + ".jrxml"
	b.files[file] = source
	b.bin = append(b.bin, "reports/")
	b.requireBase()
	b.titles = append(b.titles, "report `"+file+"`")
	if v.flag("dictionary") {
		b.processRecords(v, dictProcess{class: "org.adempiere.report.jasper.ReportStarter", value: cmp.Or(v.text("value"), name), label: label,
			help: v.text("help"), jasper: "bundle:" + b.ID + ":" + file, parameters: parameters})
	}
	return nil
}

// condition is a parameter's part of the query: one that was not given is no
// condition.
func condition(p processParameter) string {
	one := func(name, operator string) string {
		return fmt.Sprintf(" AND ($P{%s} IS NULL OR %s %s $P{%s})", name, p.Column, operator, name)
	}
	if p.Range {
		return one(p.Column+"1", ">=") + one(p.Column+"2", "<=")
	}
	return one(p.Column, "=")
}

// reportParameter checks that a parameter is a column of the table, which it is
// compared with, and none of the ERP's own.
func (b *bundle) reportParameter(ctx context.Context, v values, table string, p processParameter) error {
	if p.Column == "AD_CLIENT_ID" {
		v.bad("parameters", p.Column, "is one that the ERP gives to every report")
	}
	if b.reg == nil {
		return nil
	}
	t, err := b.reg.Table(ctx, table)
	if err != nil {
		return err
	}
	if c, ok := t.Column(p.Column); !ok || c.Virtual() {
		v.bad("parameters", p.Column, "is not a stored column of "+table+", which the report compares it with")
	}
	return nil
}

// cdata keeps a text from ending the section it stands in.
func cdata(s string) string { return strings.ReplaceAll(s, "]]>", "]] >") }

func (b *bundle) reportUUID(report, part string) dict.UUID {
	return dict.UUIDv5(dict.Namespace, b.ID+"/report/"+report+"/"+part)
}

// reportColumns are the columns to show, as the dictionary has them. Without a
// registry they must be given, and are taken as text.
func (b *bundle) reportColumns(ctx context.Context, v values, report string) (table string, out []reportColumn, err error) {
	const most = 6
	names := v.list("columns")
	table = v.text("table")
	classes, labels := map[string]string{}, map[string]string{}
	if b.reg != nil {
		t, err := b.reg.Table(ctx, table)
		if err != nil {
			return "", nil, err
		}
		table = t.Name
		if len(names) == 0 {
			for _, c := range t.Columns {
				if c.Identifier && !c.Virtual() && len(names) < most {
					names = append(names, c.Name)
				}
			}
			if len(names) == 0 {
				for _, c := range t.KeyColumns() {
					names = append(names, c.Name)
				}
			}
		}
		for i, name := range names {
			c, ok := t.Column(name)
			if !ok {
				return "", nil, &registry.NotFoundError{Kind: "column", Name: t.Name + "." + name}
			}
			names[i] = c.Name
			classes[c.Name], labels[c.Name] = javaClass(c.Type), cmp.Or(c.Label, c.Name)
		}
	}
	switch {
	case len(names) == 0:
		v.bad("columns", "", "is missing: there is no dictionary that tells the table's identifiers")
		return "", nil, nil
	case len(names) > most:
		v.bad("columns", "", fmt.Sprintf("has %d entries, %d fit on a page", len(names), most))
		return "", nil, nil
	}
	width := reportWidth / len(names)
	for i, name := range names {
		out = append(out, reportColumn{Name: name, Label: cdata(cmp.Or(labels[name], sentenceOf(name))), X: i * width, Width: width,
			JavaClass: cmp.Or(classes[name], "java.lang.Object"), UUID: b.reportUUID(report, name), HeadUUID: b.reportUUID(report, name+"/head")})
	}
	return table, out, nil
}

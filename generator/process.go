package generator

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

func processGenerator() Generator {
	return Generator{
		Name: "process", Title: "a process", Addable: true,
		Description: "A class that users start from the menu, with its parameters, its dictionary records and its registration.",
		Options: join([]Option{
			classOption("ImportOrders", "Name of the class."), labelOption(),
			{Name: "value", Type: TypeString, Example: "XX_ImportOrders", check: textCheck(40),
				Description: "Search key of the process; without one the class."},
			{Name: "help", Type: TypeString, check: textCheck(255), Description: "What the process does, for users."},
			parametersOption(), menuOption(), accessOption(),
		}, dictionaryOptions(), pluginOptions()),
		build: func(ctx context.Context, p *project, v values) error { return p.main.process(ctx, v) },
	}
}

// processParameter is a parameter as the template takes it.
type processParameter struct {
	parameter
	Label, Field, Java, To, Said, SaidTo string
}

// processParameters are the parameters that an option names. They are called what the
// dictionary calls their columns, where it knows them.
func (b *bundle) processParameters(ctx context.Context, texts []string) ([]processParameter, error) {
	var out []processParameter
	for _, text := range texts {
		p, _ := parseParameter(text)
		label := sentenceOf(p.Column)
		if b.reg != nil {
			element, err := b.reg.Element(ctx, p.Column)
			var missing *registry.NotFoundError
			var outside *registry.ScopeError
			if err != nil && !errors.As(err, &missing) && !errors.As(err, &outside) {
				return nil, err
			}
			label = cmp.Or(element.Label, label)
		}
		out = append(out, processParameter{parameter: p, Label: label, Field: "p_" + p.Column, Java: javaOfType(p.Type),
			To: p.Column + "_To", Said: label + ": ", SaidTo: label + " to: "})
	}
	return out, nil
}

func (b *bundle) process(ctx context.Context, v values) error {
	class := v.text("class")
	parameters, err := b.processParameters(ctx, v.list("parameters"))
	if err != nil || parametersTwice(v, parameters) {
		return err
	}
	pkg := b.sub(processKind.sub)
	label := cmp.Or(v.text("label"), sentenceOf(class))
	imports := []string{"org.adempiere.base.annotation.Process", "org.compiere.model.MProcessPara",
		"org.compiere.process.ProcessInfoParameter", "org.compiere.process.SvrProcess"}
	if len(parameters) > 0 {
		imports = append(imports, "org.adempiere.base.annotation.Parameter")
	}
	for _, p := range parameters {
		switch p.Java {
		case "BigDecimal":
			imports = append(imports, "java.math.BigDecimal")
		case "Timestamp":
			imports = append(imports, "java.sql.Timestamp")
		}
	}
	slices.Sort(imports)
	source, err := render("Process.java", map[string]any{"Package": pkg, "Class": class, "Label": label, "Help": v.text("help"),
		"Parameters": parameters, "Imports": slices.Compact(imports)})
	if err != nil {
		return err
	}
	b.class(pkg, class, source)
	b.titles = append(b.titles, "process `"+pkg+"."+class+"`")
	if v.flag("dictionary") {
		b.processRecords(v, dictProcess{class: pkg + "." + class, value: cmp.Or(v.text("value"), class), label: label, help: v.text("help"), parameters: parameters})
	}
	return b.register(&processKind, pkg)
}

func parametersTwice(v values, parameters []processParameter) bool {
	seen := map[string]bool{}
	for _, p := range parameters {
		names := []string{p.Column}
		if p.Range {
			names = append(names, p.To)
		}
		for _, name := range names {
			if seen[name] {
				v.bad("parameters", name, "is given twice")
				return true
			}
			seen[name] = true
		}
	}
	return false
}

// dictProcess is what a process's records are made of.
type dictProcess struct {
	class, value, label, help string
	jasper                    string // report file
	parameters                []processParameter
}

// processRecords adds a process, its parameters and its menu entry.
func (b *bundle) processRecords(v values, d dictProcess) {
	report := d.jasper != ""
	key := b.record(v, "AD_Process", d.value, []dict.Match{{Column: "Value", Value: dict.Text(d.value)}}, []dict.ColumnValue{
		{Column: "Value", Value: dict.Text(d.value)},
		{Column: "Name", Value: dict.Text(d.label)},
		{Column: "Help", Value: dict.Text(d.help)},
		{Column: "AccessLevel", Value: dict.Text(v.text("accessLevel"))},
		{Column: "Classname", Value: dict.Text(d.class)},
		{Column: "JasperReport", Value: dict.Text(d.jasper)},
		{Column: "IsReport", Value: dict.YesNo(report)},
		{Column: "IsBetaFunctionality", Value: dict.YesNo(false)},
		{Column: "AllowMultipleExecution", Value: dict.Text("P")},
		{Column: "ShowHelp", Value: dict.Text("Y")},
	})
	for i, p := range d.parameters {
		b.record(v, "AD_Process_Para", d.value+"/"+p.Column,
			[]dict.Match{{Column: "AD_Process_ID", Value: dict.Ref(key)}, {Column: "ColumnName", Value: dict.Text(p.Column)}}, []dict.ColumnValue{
				{Column: "AD_Process_ID", Value: dict.Ref(key)},
				{Column: "ColumnName", Value: dict.Text(p.Column)},
				{Column: "Name", Value: dict.Text(p.Label)},
				{Column: "SeqNo", Value: dict.Int((i + 1) * 10)},
				{Column: "AD_Reference_ID", Value: dict.Existing{Table: "AD_Reference", ID: int(p.Type)}},
				{Column: "FieldLength", Value: dict.Int(lengthOf(p.Type))},
				{Column: "IsMandatory", Value: dict.YesNo(p.Mandatory)},
				{Column: "IsRange", Value: dict.YesNo(p.Range)},
				{Column: "IsCentrallyMaintained", Value: dict.YesNo(false)},
				{Column: "IsAutocomplete", Value: dict.YesNo(false)},
				{Column: "IsEncrypted", Value: dict.YesNo(false)},
				{Column: "IsShowNegateButton", Value: dict.YesNo(false)},
				{Column: "DateRangeOption", Value: dict.Text("D")},
			})
	}
	if v.flag("menu") {
		action := "P"
		if report {
			action = "R"
		}
		b.menuRecord(v, d.label, action, "AD_Process_ID", key)
	}
}

// lengthOf is the field length of a parameter.
func lengthOf(t dict.DisplayType) int {
	switch {
	case t.IsID(), t == dict.TypeInteger:
		return 10
	case t == dict.TypeYesNo:
		return 1
	case t.IsDate():
		return 7
	case t.IsNumeric():
		return 22
	}
	return 255
}

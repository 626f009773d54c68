package generator

import (
	"cmp"
	"context"

	"github.com/erphub/erphub/dict"
)

func formGenerator() Generator {
	return Generator{
		Name: "form", Title: "a form of the web client", Addable: true,
		Description: "A form that users open from the menu, with its dictionary records and its registration.",
		Options: join([]Option{
			classOption("OrderBoard", "Name of the class."), labelOption(),
			{Name: "shape", Type: TypeString, Default: "plain", Choices: []string{"plain", "controller"},
				Description: "plain: one class that is the form. controller: a class that controls a form it makes."},
			menuOption(), accessOption(),
		}, dictionaryOptions(), pluginOptions()),
		build: func(_ context.Context, p *project, v values) error { return p.main.form(v) },
	}
}

func (b *bundle) form(v values) error {
	class, pkg := v.text("class"), b.sub(formKind.sub)
	label := cmp.Or(v.text("label"), sentenceOf(class))
	template := "Form.java"
	if v.text("shape") == "controller" {
		template = "FormController.java"
	}
	source, err := render(template, map[string]any{"Package": pkg, "Class": class, "Label": label})
	if err != nil {
		return err
	}
	b.class(pkg, class, source)
	b.requireBase()
	b.requireBundles("org.adempiere.ui.zk", "zk", "zul", "zcommon")
	b.titles = append(b.titles, "form `"+pkg+"."+class+"`")
	if v.flag("dictionary") {
		key := b.record(v, "AD_Form", class, []dict.Match{{Column: "Classname", Value: dict.Text(pkg + "." + class)}}, []dict.ColumnValue{
			{Column: "Name", Value: dict.Text(label)},
			{Column: "AccessLevel", Value: dict.Text(v.text("accessLevel"))},
			{Column: "Classname", Value: dict.Text(pkg + "." + class)},
			{Column: "IsBetaFunctionality", Value: dict.YesNo(false)},
		})
		if v.flag("menu") {
			b.menuRecord(v, label, "X", "AD_Form_ID", key)
		}
	}
	return b.register(&formKind, pkg)
}

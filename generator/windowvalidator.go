package generator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
)

func windowValidatorGenerator() Generator {
	return Generator{
		Name: "window-validator", Title: "a window validator", Addable: true,
		Description: "A class that is called before and after what users do in a window: new, save, copy, delete, print, processes and document actions.",
		Options: join([]Option{
			classOption("OrderValidator", "Name of the class."),
			{Name: "windows", Type: TypeStrings, Required: true, Example: "Sales Order", check: textCheck(200),
				Description: "Windows by UUID, or by name when an ERP is connected; * stands for all windows."},
			{Name: "events", Type: TypeStrings, Choices: windowEvents(), Description: "Events to be called for; without any, all."},
		}, pluginOptions()),
		build: func(ctx context.Context, p *project, v values) error { return p.main.windowValidator(ctx, v) },
	}
}

func windowEvents() []string {
	var all []string
	for _, what := range []string{"New", "Ignore", "Save", "Copy", "Delete", "Print", "Process", "DocAction"} {
		all = append(all, "before"+what, "after"+what)
	}
	return all
}

func (b *bundle) windowValidator(ctx context.Context, v values) error {
	var uuids, names []string
	for _, text := range v.list("windows") {
		uuid, name, err := b.window(ctx, v, text)
		if err != nil {
			return fmt.Errorf("a validator for the window %s: %w", quote(text), err)
		}
		uuids, names = append(uuids, uuid), append(names, name)
	}
	if slices.Contains(uuids, "*") && len(uuids) > 1 {
		v.bad("windows", "*", "stands for all windows already")
	}
	if err := v.err(); err != nil {
		return err
	}
	class, pkg := v.text("class"), b.sub("validator")
	what := "the windows " + strings.Join(names, ", ")
	if uuids[0] == "*" {
		what = "all windows"
	}
	source, err := render("WindowValidator.java", map[string]any{"Package": pkg, "Class": class, "What": javadoc(what)})
	if err != nil {
		return err
	}
	b.class(pkg, class, source)
	b.requireBase()
	b.requireBundles("org.adempiere.ui.zk", "zk", "zul", "zcommon")
	b.titles = append(b.titles, "window validator `"+pkg+"."+class+"`")
	events := "*"
	if list := v.list("events"); len(list) > 0 {
		events = strings.Join(list, ",")
	}
	return b.service(component{Class: pkg + "." + class, Service: "org.adempiere.webui.adwindow.validator.WindowValidator",
		Properties: []componentProperty{{"AD_Window_UU", uuids}, {"events", []string{events}}}})
}

// inventedUUIDs is the namespace of the UUIDs that the embedded ERP gives to records of
// the dictionary whose own are not known. They must not get into a plugin.
const inventedUUIDs dict.UUID = "6f2d8c0e-8b1f-5a54-9e0b-3d2a4c51e7aa"

// window finds the UUID and name of a window.
func (b *bundle) window(ctx context.Context, v values, text string) (uuid, name string, err error) {
	if text == "*" {
		return "*", "all", nil
	}
	if u, ok := dict.ParseUUID(text); ok {
		return string(u), string(u), nil
	}
	if b.reg == nil {
		v.bad("windows", text, "is no UUID, and there is no dictionary to look it up in; give the AD_Window_UU, or connect to an ERP")
		return "", "", nil
	}
	w, err := b.reg.Window(ctx, text)
	if err != nil {
		return "", "", err
	}
	if _, ok := dict.ParseUUID(string(w.UUID)); !ok {
		v.bad("windows", text, "has no UUID in the dictionary")
		return "", "", nil
	}
	if w.UUID == dict.UUIDv5(inventedUUIDs, fmt.Sprintf("AD_Window:%d", w.ID)) {
		v.bad("windows", text, "has a UUID of the sandbox, which does not know the ERP's own; no ERP would call the validator; "+
			"give the AD_Window_UU of your ERP, or connect to it")
		return "", "", nil
	}
	return string(w.UUID), w.Name, nil
}

package generator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// The shapes of event handlers.
const (
	shapeHandler  = "handler"
	shapeDelegate = "delegate"
)

func eventHandlerGenerator() Generator {
	return Generator{
		Name: "event-handler", Title: "an event handler", Addable: true,
		Description: "A class that is told when records of a table are saved, deleted or completed. As a handler it is a component of its own; " +
			"as a delegate it works on a model class and is found by the plugin's event manager.",
		Options: join([]Option{
			classOption("OrderEvents", "Name of the class."),
			{Name: "shape", Type: TypeString, Default: shapeHandler, Choices: []string{shapeHandler, shapeDelegate},
				Description: "handler: one class for all events of a table. delegate: one method per event, on a model class."},
			{Name: "table", Type: TypeString, Example: "C_Order", check: checkDictionaryName, Description: "Table whose events a handler handles."},
			{Name: "modelClass", Type: TypeString, Example: "org.compiere.model.MOrder", check: checkModelClass,
				Description: "Full name of the registered model class that a delegate works on."},
			{Name: "events", Type: TypeStrings, Default: []string{"BeforeNew", "BeforeChange"}, Choices: eventNames(),
				Description: "Events to handle."},
		}, pluginOptions()),
		build: func(ctx context.Context, p *project, v values) error { return p.main.eventHandler(ctx, v) },
	}
}

// checkModelClass accepts full names of model classes. That of all records has
// no table, and the ERP drops handlers of it.
func checkModelClass(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return "has no package; give the full name, such as org.compiere.model.MOrder"
	}
	if why := cmp.Or(checkPackage(name[:dot]), checkIdentifier(name[dot+1:])); why != "" {
		return why
	}
	if name == "org.compiere.model.PO" {
		return "is the class of all records, for which the ERP registers nothing; name that of a table"
	}
	return ""
}

// erpEvent is an event of the ERP, in its two spellings.
type erpEvent struct {
	Short, Topic, Annotation, Method, Says string
}

// erpEvents lists the events that generators know.
func erpEvents() []erpEvent {
	po := func(short, topic, says string) erpEvent {
		return erpEvent{short, topic, "po." + short, "", says}
	}
	doc := func(short, topic string) erpEvent {
		when, what := "Before", short[len("Before"):]
		if strings.HasPrefix(short, "After") {
			when, what = "After", short[len("After"):]
		}
		return erpEvent{short, topic, "doc." + short, "", when + " a document action: " + strings.ToLower(sentenceOf(what)) + "."}
	}
	all := []erpEvent{
		po("BeforeNew", "PO_BEFORE_NEW", "Before a new record is saved; can refuse it."),
		po("AfterNew", "PO_AFTER_NEW", "After a new record was saved, in the same transaction."),
		po("BeforeChange", "PO_BEFORE_CHANGE", "Before a changed record is saved; can refuse it."),
		po("AfterChange", "PO_AFTER_CHANGE", "After a changed record was saved, in the same transaction."),
		po("BeforeDelete", "PO_BEFORE_DELETE", "Before a record is deleted; can refuse it."),
		po("AfterDelete", "PO_AFTER_DELETE", "After a record was deleted, in the same transaction."),
		po("PostCreate", "PO_POST_CREATE", "After the transaction of a new record was committed; cannot refuse anything."),
		po("PostUpdate", "PO_POST_UPADTE", "After the transaction of a change was committed; cannot refuse anything."),
		po("PostDelete", "PO_POST_DELETE", "After the transaction of a deletion was committed; cannot refuse anything."),
		doc("BeforePrepare", "DOC_BEFORE_PREPARE"), doc("AfterPrepare", "DOC_AFTER_PREPARE"),
		doc("BeforeComplete", "DOC_BEFORE_COMPLETE"), doc("AfterComplete", "DOC_AFTER_COMPLETE"),
		doc("BeforeVoid", "DOC_BEFORE_VOID"), doc("AfterVoid", "DOC_AFTER_VOID"),
		doc("BeforeClose", "DOC_BEFORE_CLOSE"), doc("AfterClose", "DOC_AFTER_CLOSE"),
		doc("BeforeReactivate", "DOC_BEFORE_REACTIVATE"), doc("AfterReactivate", "DOC_AFTER_REACTIVATE"),
		doc("BeforeReverseCorrect", "DOC_BEFORE_REVERSECORRECT"), doc("AfterReverseCorrect", "DOC_AFTER_REVERSECORRECT"),
		doc("BeforeReverseAccrual", "DOC_BEFORE_REVERSEACCRUAL"), doc("AfterReverseAccrual", "DOC_AFTER_REVERSEACCRUAL"),
		doc("BeforePost", "DOC_BEFORE_POST"), doc("AfterPost", "DOC_AFTER_POST"),
	}
	for i := range all {
		all[i].Method = "on" + all[i].Short
	}
	return all
}

func eventNames() []string {
	var names []string
	for _, e := range erpEvents() {
		names = append(names, e.Short)
	}
	return names
}

func (b *bundle) eventHandler(ctx context.Context, v values) error {
	events := slices.DeleteFunc(erpEvents(), func(e erpEvent) bool { return !slices.Contains(v.list("events"), e.Short) })
	class, pkg := v.text("class"), b.sub(delegateKind.sub)
	b.requireBase()
	b.importPackages("org.osgi.service.event")
	if v.text("shape") == shapeDelegate {
		return b.eventDelegate(v, pkg, class, events)
	}
	if v.text("table") == "" {
		v.bad("table", "", "is missing, such as C_Order")
		return nil
	}
	if v.text("modelClass") != "" {
		v.bad("modelClass", "", "belongs to the shape delegate; a handler takes table")
		return nil
	}
	table, err := b.tableOrEmpty(ctx, v.text("table"))
	if err != nil {
		return fmt.Errorf("events of %s: %w", quote(v.text("table")), err)
	}
	source, err := render("EventHandler.java", map[string]any{"Package": pkg, "Class": class, "Table": table, "Events": events})
	if err != nil {
		return err
	}
	b.class(pkg, class, source)
	b.titles = append(b.titles, "event handler `"+pkg+"."+class+"`")
	return b.service(component{Class: pkg + "." + class, Events: true})
}

func (b *bundle) eventDelegate(v values, pkg, class string, events []erpEvent) error {
	model := v.text("modelClass")
	if model == "" {
		v.bad("modelClass", "", "is missing, such as org.compiere.model.MOrder")
		return nil
	}
	if v.text("table") != "" {
		v.bad("table", "", "belongs to the shape handler; a delegate takes modelClass")
		return nil
	}
	slices.SortFunc(events, func(a, b erpEvent) int { return strings.Compare(a.Annotation, b.Annotation) })
	source, err := render("EventDelegate.java", map[string]any{"Package": pkg, "Class": class, "Model": model, "Events": events})
	if err != nil {
		return err
	}
	b.class(pkg, class, source)
	b.titles = append(b.titles, "event delegate `"+pkg+"."+class+"`")
	return b.register(&delegateKind, pkg)
}

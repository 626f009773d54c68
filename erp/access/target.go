package access

import (
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/rolemerge"
)

// target is what is asked about.
type target struct {
	words   string
	explain func(ctx context.Context, x *explainer, r *role) error
}

func (x *explainer) target(ctx context.Context, q Question) (*target, error) {
	switch {
	case q.Window != "":
		return x.window(ctx, q.Window)
	case q.Process != "":
		return x.process(ctx, q.Process)
	case q.Form != "":
		return x.form(ctx, q.Form)
	}
	return x.table(ctx, q)
}

// object is a window, a process or a form.
type object struct {
	kind, table, name string
	id                int64
	active            bool
	level             string // access level of its data; empty: not known
	levelOf           string // what has that level
	report            bool
}

func (o *object) words() string { return fmt.Sprintf("%s %s", o.kind, o.name) }

func (x *explainer) window(ctx context.Context, name string) (*target, error) {
	rec, err := x.one(ctx, "window", "AD_Window", name, []string{"Name"})
	if err != nil {
		return nil, err
	}
	o := &object{kind: "window", table: "AD_Window", name: text(rec, "Name"), id: key(rec), active: is(rec, "IsActive")}
	tabs, ok, err := x.rows(ctx, "AD_Tab", erp.Eq("AD_Window_ID", o.id), "AD_Table_ID", "SeqNo", "TabLevel")
	if err != nil {
		return nil, err
	}
	var first erp.Record
	least := int64(1 << 40)
	for _, tab := range tabs {
		if seq, _ := tab.Int("SeqNo"); is(tab, "IsActive") && seq < least {
			first, least = tab, seq
		}
	}
	if id, has := number(first, "AD_Table_ID"); ok && has {
		tables, _, err := x.rows(ctx, "AD_Table", erp.Eq("AD_Table_ID", id), "TableName", "AccessLevel")
		if err != nil {
			return nil, err
		}
		if len(tables) == 1 {
			o.level, _ = tables[0].Code("AccessLevel")
			o.levelOf = "its first table " + text(tables[0], "TableName")
		}
	}
	return &target{o.words(), o.explain}, nil
}

func (x *explainer) process(ctx context.Context, name string) (*target, error) {
	rec, err := x.one(ctx, "process", "AD_Process", name, []string{"Value", "Name"}, "AccessLevel", "IsReport")
	if err != nil {
		return nil, err
	}
	o := &object{kind: "process", table: "AD_Process", name: text(rec, "Value"), id: key(rec), active: is(rec, "IsActive"), report: is(rec, "IsReport"), levelOf: "the process"}
	o.level, _ = rec.Code("AccessLevel")
	return &target{o.words(), o.explain}, nil
}

func (x *explainer) form(ctx context.Context, name string) (*target, error) {
	rec, err := x.one(ctx, "form", "AD_Form", name, []string{"Name"}, "AccessLevel")
	if err != nil {
		return nil, err
	}
	o := &object{kind: "form", table: "AD_Form", name: text(rec, "Name"), id: key(rec), active: is(rec, "IsActive"), levelOf: "the form"}
	o.level, _ = rec.Code("AccessLevel")
	return &target{o.words(), o.explain}, nil
}

// grant adds which role has the object, and reports whether one has.
func (o *object) grant(ctx context.Context, x *explainer, r *role, table string) (granted, ok bool, err error) {
	rows, ok, err := x.rows(ctx, table, erp.And(erp.In("AD_Role_ID", r.ids()...), erp.Eq(o.table+"_ID", o.id)), "AD_Role_ID", "IsReadWrite")
	if err != nil || !ok {
		return false, false, err
	}
	own := map[int64]erp.Record{}
	for _, row := range rows {
		id, _ := number(row, "AD_Role_ID")
		own[id] = row
	}
	id, granted := grantedBy(own, r.id, r.includes)
	row := own[id]
	name := fmt.Sprintf("%s of role %d and %s %d", table, id, o.kind, o.id)
	switch {
	case !granted:
		return false, true, nil
	case !is(row, "IsActive"):
		r.because(Denies, fmt.Sprintf("the access of %s to the %s is deactivated, which takes away what included roles give as well", r.of(id), o.words()), name, fmt.Sprintf("activate it in window Role, tab %s Access", title(o.kind)))
	case !is(row, "IsReadWrite"):
		r.because(ReadOnly, fmt.Sprintf("%s has the %s for reading only", r.of(id), o.words()), name, fmt.Sprintf("set Read Write in window Role, tab %s Access", title(o.kind)))
	default:
		r.because(Allows, fmt.Sprintf("%s has the %s", r.of(id), o.words()), name, "")
	}
	return true, true, nil
}

// grantedBy is the role, or the one that it includes, whose row decides. One that is not
// active takes away what its own role includes, and no more.
func grantedBy(own map[int64]erp.Record, id int64, includes []inclusion) (by int64, granted bool) {
	if _, there := own[id]; there {
		return id, true
	}
	last := int64(-1)
	for _, i := range includes {
		of, there := grantedBy(own, i.id, i.includes)
		if there && is(own[of], "IsActive") && (!granted || rolemerge.Relaxes(last, i.seq)) {
			by, granted = of, true
		}
		last = i.seq
	}
	return by, granted
}

// explain looks at the object itself, the grant of the role or of one that it
// includes, and the levels.
func (o *object) explain(ctx context.Context, x *explainer, r *role) error {
	if !o.active {
		r.because(Denies, fmt.Sprintf("the %s is deactivated, for everybody", o.words()), record(o.table, o.id), "activate the "+o.kind)
	}
	grants := o.table + "_Access"
	granted, ok, err := o.grant(ctx, x, r, grants)
	if err != nil {
		return err
	}
	if !ok {
		r.unknown(grants, "access to the "+o.kind)
		return nil
	}
	if !granted {
		switch seen, err := x.sees(ctx, grants); {
		case err != nil:
			return err
		case !seen:
			r.unknown(grants, "access to the "+o.kind)
		case r.partly:
			r.unknown("AD_Role_Included", "access to the "+o.kind+" by included roles")
		default:
			fix := fmt.Sprintf("add the %s to the role in window Role, tab %s Access", o.kind, title(o.kind))
			if !r.manual {
				fix += ", or run Role Access Update, since the role is not manual"
			}
			r.because(Denies, fmt.Sprintf("neither role %s nor a role it includes has the %s", r.name, o.words()), "", fix)
		}
	}
	if o.level != "" && !fits(o.level, r) {
		effect, what := Denies, "open it"
		if o.kind != "window" {
			effect, what = ReadOnly, "run it"
		}
		r.because(effect, fmt.Sprintf("%s has the data access level %s, and a role of user level %s may not %s", o.levelOf, accessLevels[o.level], r.levelName(), what), record("AD_Role", r.id), "use a role with a fitting user level")
	}
	if o.report && !r.report {
		r.because(Denies, fmt.Sprintf("role %s may not make reports", r.name), record("AD_Role", r.id), "set Can Report in window Role")
	}
	return nil
}

func title(kind string) string { return strings.ToUpper(kind[:1]) + kind[1:] }

var accessLevels = map[string]string{
	"1": "Organization", "2": "Client only", "3": "Client+Organization", "4": "System only", "6": "System+Client", "7": "All",
}

// fits reports whether a role may open something with an access level.
func fits(level string, r *role) bool {
	switch level {
	case "1":
		return r.has("O")
	case "2":
		return r.has("C")
	case "3":
		return r.has("CO")
	case "4":
		return r.has("S")
	case "6":
		return r.has("SC")
	}
	return true
}

// writes reports whether a role may write a table with an access level. A role of
// the level Client alone does not write Client+Organization.
func writes(level string, r *role) bool {
	if level == "3" {
		return r.has("O")
	}
	return fits(level, r)
}

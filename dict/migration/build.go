package migration

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Scripts writes the plan as one script per database, PostgreSQL first. Both
// have the same name, statements and UUIDs.
func Scripts(plan *dict.Plan, opts *Options) ([]*Script, error) {
	var scripts []*Script
	for _, dialect := range []dict.Dialect{dict.PostgreSQL, dict.Oracle} {
		s, err := Build(plan, dialect, opts)
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, s)
	}
	return scripts, nil
}

// Build writes the plan as a script for one database. Options.Time is needed.
func Build(plan *dict.Plan, dialect dict.Dialect, opts *Options) (*Script, error) {
	if dialect != dict.PostgreSQL && dialect != dict.Oracle {
		return nil, fmt.Errorf("there is no database dialect %q; use postgresql or oracle", dialect)
	}
	o, err := opts.checked(plan)
	if err != nil {
		return nil, err
	}
	b := &builder{plan: plan, dialect: dialect, opts: o, changes: ddl.ChangesOf(plan)}
	for i, step := range plan.Steps() {
		if p, ok := step.(*dict.RunStep); ok && p.Purpose == dict.SyncTable {
			b.lastSync = i
		}
	}
	if err := b.needs(); err != nil {
		return nil, fmt.Errorf("migration script for %s: %w", plan.Name(), err)
	}
	for i, step := range plan.Steps() {
		if err := b.step(i, step); err != nil {
			return nil, fmt.Errorf("migration script for %s, step %d (%s): %w", plan.Name(), i+1, step.StepKey(), err)
		}
	}
	script := o.script(dialect)
	script.Statements = b.out
	return script, nil
}

// builder writes the statements of one script.
type builder struct {
	plan     *dict.Plan
	dialect  dict.Dialect
	opts     Options
	changes  *ddl.Changes
	lastSync int         // number of the last synchronisation
	keys     []Statement // foreign keys, until all tables are there
	out      []Statement
}

func (b *builder) add(about, text string) {
	b.out = append(b.out, Statement{About: about, Text: text})
}

func (b *builder) block(about, postgres, oracle string) {
	text := oracle
	if b.dialect == dict.PostgreSQL {
		tag := "$$"
		for n := 1; strings.Contains(postgres, tag); n++ {
			tag = "$do" + strconv.Itoa(n) + "$"
		}
		text = "DO " + tag + " " + postgres + " " + tag
	}
	b.out = append(b.out, Statement{About: about, Text: text, Block: true})
}

func (b *builder) step(number int, step dict.Step) error {
	switch step := step.(type) {
	case *dict.RecordStep:
		if err := checkName(step.Table); err != nil {
			return err
		}
		if step.Action == dict.Update {
			return b.update(step)
		}
		return b.insert(step)
	case *dict.RunStep:
		switch step.Purpose {
		case dict.SyncTable:
			return b.sync(number, step)
		case dict.ValidateIndex:
			return b.index(step)
		case dict.RenameColumn:
			return b.renameColumn(step)
		case dict.RenameTable:
			return b.renameTable(step)
		}
		return fmt.Errorf("a script cannot run a process for the purpose %q; run this plan over the REST API", step.Purpose)
	}
	return fmt.Errorf("a step of type %T has no place in a script", step)
}

// now is the time that rows carry.
func (b *builder) now() string {
	return "TO_TIMESTAMP('" + b.opts.Time.Format("2006-01-02 15:04:05") + "','YYYY-MM-DD HH24:MI:SS')"
}

// nextID is the next id of a table.
func (b *builder) nextID(table string) string {
	cast := ""
	if b.dialect == dict.PostgreSQL {
		cast = "::integer"
	}
	return "nextidfunc((SELECT AD_Sequence_ID FROM AD_Sequence WHERE Name=" + sqlquote.Text(table) + " AND IsTableID='Y')" + cast + ",'N')"
}

// row collects columns and values of an INSERT.
type row struct{ columns, values []string }

func (r *row) set(column, value string) {
	r.columns, r.values = append(r.columns, column), append(r.values, value)
}

// insertUnless is an INSERT that does nothing when the condition finds a record.
func (b *builder) insertUnless(table string, r *row, condition string) string {
	from := ""
	if b.dialect == dict.Oracle {
		from = " FROM dual"
	}
	return "INSERT INTO " + table + " (" + strings.Join(r.columns, ",") + ") SELECT " + strings.Join(r.values, ",") + from +
		" WHERE NOT EXISTS (SELECT 1 FROM " + table + " WHERE " + condition + ")"
}

// standard adds what every row has.
func (b *builder) standard(r *row) {
	user := strconv.Itoa(b.opts.User)
	for _, f := range []struct{ column, value string }{
		{"AD_Client_ID", "0"}, {"AD_Org_ID", "0"}, {"IsActive", "'Y'"},
		{"Created", b.now()}, {"CreatedBy", user}, {"Updated", b.now()}, {"UpdatedBy", user},
	} {
		r.set(f.column, f.value)
	}
}

func (b *builder) values(r *row, s *dict.RecordStep, terms map[string]string) error {
	seen := map[string]bool{}
	for _, f := range s.Values {
		if err := checkName(f.Column); err != nil {
			return err
		}
		if _, ok := terms[f.Column]; ok || seen[f.Column] {
			continue
		}
		seen[f.Column] = true
		value, err := b.field(f)
		if err != nil {
			return fmt.Errorf("column %s: %w", f.Column, err)
		}
		if value != "NULL" {
			r.set(f.Column, value)
		}
	}
	return nil
}

func (b *builder) insert(s *dict.RecordStep) error {
	if s.Table == "AD_Element" && adid.Official(s.ID) {
		return nil // it is in every installation, and referred to by its number
	}
	if s.UUID == "" {
		return fmt.Errorf("it makes a record without a UUID")
	}
	uuid, ok := dict.ParseUUID(string(s.UUID))
	if !ok {
		return fmt.Errorf("its UUID %q is none", s.UUID)
	}
	condition, err := b.condition(s)
	if err != nil {
		return err
	}
	var r row
	if !withoutID(s.Table) {
		r.set(s.Table+"_ID", b.nextID(s.Table))
	}
	b.standard(&r)
	terms, err := b.terms(s)
	if err != nil {
		return err
	}
	if err := b.values(&r, s, terms); err != nil {
		return err
	}
	for _, column := range termColumns {
		if value, ok := terms[column]; ok {
			r.set(column, value)
		}
	}
	r.set(s.Table+"_UU", sqlquote.Text(string(uuid)))
	b.add(s.Table+" "+s.Name, b.insertUnless(s.Table, &r, condition))
	switch s.Table {
	case "AD_Table":
		b.sequence(s)
	case "AD_Menu":
		return b.treeNodes(s)
	}
	return nil
}

func (b *builder) update(s *dict.RecordStep) error {
	if len(s.Values) == 0 {
		return nil
	}
	var condition string
	var err error
	if s.Of != "" {
		of, ofErr := b.recordOf(s.Of)
		if ofErr != nil {
			return ofErr
		}
		if of.Table != s.Table {
			return fmt.Errorf("it updates %s, but step %s is about %s", s.Table, s.Of, of.Table)
		}
		condition, err = b.condition(of)
	} else {
		condition, err = b.matches(s.Match, "")
	}
	if err != nil {
		return err
	}
	var sets []string
	for _, f := range s.Values {
		if err := checkName(f.Column); err != nil {
			return err
		}
		value, err := b.field(f)
		if err != nil {
			return fmt.Errorf("column %s: %w", f.Column, err)
		}
		sets = append(sets, f.Column+"="+value)
	}
	sets = append(sets, "Updated="+b.now(), "UpdatedBy="+strconv.Itoa(b.opts.User))
	b.add(s.Table+" "+s.Name, "UPDATE "+s.Table+" SET "+strings.Join(sets, ", ")+" WHERE "+condition)
	return b.relaxed(s)
}

// sync writes the statements that make or change a table, and after the last
// table of the plan all foreign keys.
func (b *builder) sync(number int, p *dict.RunStep) error {
	if p.Physical == nil {
		return fmt.Errorf("it does not say what table %s has to look like", p.Name)
	}
	if err := checkPhysical(p.Physical); err != nil {
		return err
	}
	about := "table " + p.Physical.Table
	if b.changes.MakesTable(p.Physical.Table) {
		b.add(about, ddl.CreateTable(p.Physical, b.dialect, ddl.Script))
		for _, c := range p.Physical.Columns {
			b.foreignKey(p.Physical.Table, c)
		}
	} else {
		for _, c := range p.Physical.Columns {
			b.changeColumn(p.Physical.Table, c)
		}
	}
	if number == b.lastSync {
		b.out = append(b.out, b.keys...)
		b.keys = nil
	}
	return nil
}

func (b *builder) index(p *dict.RunStep) error {
	statements, err := ddl.RebuildIndex(b.plan, p, b.dialect)
	for _, st := range statements {
		b.out = append(b.out, Statement{About: st.About, Text: st.Text, Block: st.Block})
	}
	return err
}

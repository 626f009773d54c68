package generator

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/pack"
)

// record adds a dictionary record to the bundle's archive. Its UUID is derived
// from the bundle and the name, so that a later archive changes this record
// instead of making another.
func (b *bundle) record(v values, table, name string, match []dict.Match, fields []dict.ColumnValue) dict.Key {
	key := dict.Key(table + "." + name)
	values := make([]dict.ColumnValue, 0, len(fields)+1)
	for _, f := range fields {
		if f.Value != dict.Text("") {
			values = append(values, f)
		}
	}
	entity := v.text("entityType")
	values = append(values, dict.ColumnValue{Column: "EntityType", Value: dict.Text(entity)})
	for _, s := range b.steps {
		if s.StepKey() == key {
			v.bad("class", name, "gives a dictionary record a second time")
			return key
		}
	}
	b.steps = append(b.steps, &dict.RecordStep{Key: key, Action: dict.Create, Table: table, Name: name, Match: match, Values: values,
		UUID: dict.UUIDv5(dict.Namespace, b.ID+"/"+table+"/"+strings.ToLower(name))})
	b.ownEntity(entity)
	return key
}

// ownEntity notes an entity type that the ERP may not have.
func (b *bundle) ownEntity(code string) {
	if code == dict.DefaultEntityType || code == "" {
		return
	}
	for _, e := range b.entities {
		if e.Code == code {
			return
		}
	}
	b.entities = append(b.entities, pack.EntityType{Code: code, Name: b.Name, ModelPackage: b.sub("model")})
}

// menuRecord adds a menu entry, at the root of the menu.
func (b *bundle) menuRecord(v values, label, action, column string, to dict.Key) {
	b.record(v, "AD_Menu", string(to), []dict.Match{{Column: "Name", Value: dict.Text(label)}, {Column: column, Value: dict.Ref(to)}}, []dict.ColumnValue{
		{Column: "Name", Value: dict.Text(label)},
		{Column: "Action", Value: dict.Text(action)},
		{Column: column, Value: dict.Ref(to)},
		{Column: "IsSummary", Value: dict.YesNo(false)},
		{Column: "IsReadOnly", Value: dict.YesNo(false)},
		{Column: "IsSOTrx", Value: dict.YesNo(false)},
		{Column: "IsCentrallyMaintained", Value: dict.YesNo(true)},
	})
}

// archive writes the dictionary records into META-INF, unless an archive there
// holds just these. A version follows the highest that is there.
func (b *bundle) archive() error {
	if len(b.steps) == 0 {
		return nil
	}
	plan, err := dict.Assemble(b.ID, b.steps...)
	if err != nil {
		return err
	}
	opts := &pack.Options{Name: b.ID, Description: b.Name, EntityTypes: b.entities, Resolve: b.resolve}
	write := func(v pack.Version) ([]byte, error) {
		var out bytes.Buffer
		opts.Version = v
		err := pack.Write(&out, plan, opts)
		return out.Bytes(), err
	}
	next := pack.Version{Major: 1}
	if b.existing != nil {
		versions, err := b.archives()
		if err != nil {
			return err
		}
		for _, v := range versions {
			data, err := write(v)
			if err != nil {
				return err
			}
			there, err := fs.ReadFile(b.existing, "META-INF/"+v.FileName())
			if err == nil && bytes.Equal(there, data) {
				return nil
			}
			if v.Compare(next) >= 0 {
				next = pack.Version{Major: v.Major, Minor: v.Minor, Patch: v.Patch + 1}
			}
		}
		b.importThere()
	}
	data, err := write(next)
	if err != nil {
		return err
	}
	b.files["META-INF/"+next.FileName()] = data
	b.titles = append(b.titles, "dictionary records in `META-INF/"+next.FileName()+"`")
	return nil
}

// archives lists the versions of the archives in META-INF.
func (b *bundle) archives() ([]pack.Version, error) {
	entries, err := fs.ReadDir(b.existing, "META-INF")
	if err != nil {
		return nil, err
	}
	var out []pack.Version
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), "2Pack_")
		rest, zip := strings.CutSuffix(rest, ".zip")
		if !ok || !zip {
			continue
		}
		text, _, _ := strings.Cut(rest, "_")
		v, err := pack.ParseVersion(text)
		if err != nil {
			return nil, fmt.Errorf("META-INF/%s has no version of three numbers, which stops all imports of the plugin; rename it: %w", e.Name(), err)
		}
		out = append(out, v)
	}
	return out, nil
}

package migration

import (
	"fmt"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
)

// Structural writes statements for the database as a script, for changes that
// touch no row of the dictionary. The name is what the script is about, such as
// a table; Options.Time is needed.
func Structural(name string, statements []ddl.Statement, dialect dict.Dialect, opts *Options) (*Script, error) {
	if dialect != dict.PostgreSQL && dialect != dict.Oracle {
		return nil, fmt.Errorf("there is no database dialect %q; use postgresql or oracle", dialect)
	}
	plan, err := dict.Assemble(name)
	if err != nil {
		return nil, err
	}
	o, err := opts.checked(plan)
	if err != nil {
		return nil, err
	}
	s := o.script(dialect)
	for _, st := range statements {
		s.Statements = append(s.Statements, Statement{About: st.About, Text: st.Text, Comment: st.Comment, Block: st.Block})
	}
	return s, nil
}

// script is a script without statements.
func (o *Options) script(dialect dict.Dialect) *Script {
	return &Script{
		Name:    o.Time.Format("200601021504") + "_" + o.ID + ".sql",
		Release: o.Release, Dialect: dialect, Title: o.Title, Time: o.Time,
	}
}

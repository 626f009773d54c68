package migration

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/sqlquote"
	"github.com/erphub/erphub/internal/text"
)

// Script is a migration script for one database.
type Script struct {
	Name    string // file name: 202608010900_XX_Demo.sql, the script's identity
	Release string // folder
	Dialect dict.Dialect
	Title   string
	Time    time.Time

	Statements []Statement // without the registration
}

// Statement is one statement of a script.
type Statement struct {
	About string // what it is for: "AD_Column XX_Demo.Name"
	Text  string // without terminator
	// Block is set for a block of the database's own language.
	Block bool
	// Comment is set for a remark, which is not run.
	Comment bool
}

// Path is the path of the script, with slashes:
// migration-local/<release>/<dialect>/<name>.
func (s *Script) Path() string {
	return path.Join(folder, s.Release, string(s.Dialect), s.Name)
}

// registration is the call that registers the script, without terminator.
func (s *Script) registration() string {
	return "SELECT register_migration_script(" + sqlquote.Text(s.Name) + ") FROM dual"
}

// Text is the script as a file holds it.
func (s *Script) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- %s\n%s;\n", remark(s.Title), s.registration())
	if s.Dialect == dict.Oracle {
		b.WriteString("\nSET SQLBLANKLINES ON\nSET DEFINE OFF\n")
	}
	when := s.Time.Format("Jan 2, 2006, 3:04:05 PM")
	for _, st := range s.Statements {
		if st.Comment {
			fmt.Fprintf(&b, "\n-- %s\n", remark(st.Text))
			continue
		}
		fmt.Fprintf(&b, "\n-- %s, %s\n", when, remark(st.About))
		switch {
		case s.Dialect != dict.Oracle:
			b.WriteString(st.Text + "\n;\n")
		case st.Block:
			b.WriteString(wrap(st.Text) + "\n/\n")
		default:
			b.WriteString(wrap(st.Text) + "\n;\n")
		}
	}
	return b.String()
}

// remark is a text that stays within the comment it is written into, also for
// SQL*Plus, which continues a line that ends in a hyphen and looks for
// terminators in comments.
func remark(s string) string {
	const limit = 200
	return strings.TrimRight(text.First(text.OneLine(s), limit), " -;/")
}

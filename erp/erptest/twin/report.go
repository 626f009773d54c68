package twin

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

// Report is what a clone copied and what it did not.
type Report struct {
	Origin string    `json:"origin"`
	Kind   string    `json:"kind"`
	Made   time.Time `json:"made"`
	Masked bool      `json:"masked"`
	// Masking tells maskings apart: key and rules.
	Masking string        `json:"masking,omitempty"`
	Resumed bool          `json:"resumed,omitempty"`
	Rows    int64         `json:"rows"`
	Bytes   int64         `json:"bytes"`
	Took    time.Duration `json:"took"` // of the last run
	Tables  []TableReport `json:"tables"`
	// Columns are those whose values were replaced. The counts are those of the last
	// run of a clone that was interrupted.
	Columns []mask.ColumnReport `json:"columns,omitempty"`
	// Notes are what concerns no single table.
	Notes []string `json:"notes,omitempty"`
	// Logins are users of the twin with a role to log in with, up to a few.
	Logins []Login `json:"logins,omitempty"`
	// Password is the password of every user of the twin. It is shown once: the
	// twin holds what it is checked with, and neither twin nor the report in it
	// holds it.
	Password string `json:"-"`
}

// Login is a user of a twin.
type Login struct {
	User   string `json:"user"`
	Client int64  `json:"client"`
	Role   int64  `json:"role"`
}

// TableReport is what became of a table.
type TableReport struct {
	Table string `json:"table"`
	Part  Part   `json:"part"`
	Rows  int64  `json:"rows"`
	// Source is what the table had in the ERP when it was read.
	Source Stamp `json:"source"`
	// Reused tells that the rows were taken from the former twin ([Refresh]).
	Reused bool `json:"reused,omitempty"`
	// LeftOut counts rows that were read and not kept, by reason.
	LeftOut map[string]int64 `json:"leftOut,omitempty"`
	// Emptied counts references whose target is not in the twin, by column.
	Emptied map[string]int64 `json:"emptied,omitempty"`
	// Filled counts mandatory values that could not be had and got their default, by
	// column.
	Filled map[string]int64 `json:"filled,omitempty"`
	// Unfit counts values that their column cannot hold, by column; they count as
	// missing.
	Unfit map[string]int64 `json:"unfit,omitempty"`
	// NotCopied says of columns why their values are missing.
	NotCopied map[string]string `json:"notCopied,omitempty"`
	// Skipped says why nothing of the table was copied.
	Skipped string `json:"skipped,omitempty"`
	// Unreadable says why the rows could not be read.
	Unreadable string `json:"unreadable,omitempty"`
	// Problem says why the embedded database cannot have the table, or all of it.
	Problem string `json:"problem,omitempty"`
}

// Remarkable reports whether there is more to say of a table than its rows.
func (t *TableReport) Remarkable() bool {
	return len(t.LeftOut)+len(t.Emptied)+len(t.Filled)+len(t.Unfit) > 0 || t.Unreadable != "" || t.Problem != ""
}

func count(m *map[string]int64, key string, n int64) {
	if n == 0 {
		return
	}
	if *m == nil {
		*m = map[string]int64{}
	}
	(*m)[key] += n
}

// add takes over the counts of a part of the table.
func (t *TableReport) add(o *TableReport) {
	t.Rows += o.Rows
	for _, m := range []struct{ to, from *map[string]int64 }{
		{&t.LeftOut, &o.LeftOut}, {&t.Emptied, &o.Emptied}, {&t.Filled, &o.Filled}, {&t.Unfit, &o.Unfit},
	} {
		for key, n := range *m.from {
			count(m.to, key, n)
		}
	}
}

func (r *Report) sort() {
	order := map[Part]int{Dictionary: 0, Reference: 1, Business: 2, Referenced: 3}
	slices.SortFunc(r.Tables, func(a, b TableReport) int {
		return cmp.Or(order[a.Part]-order[b.Part], strings.Compare(a.Table, b.Table))
	})
}

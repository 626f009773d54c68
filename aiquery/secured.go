package aiquery

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
)

// securedColumns are the columns that the dictionary marks as secure or
// encrypted, read with the permissions: a mark is a permission in effect.
type securedColumns struct {
	text  string                // of the statement that read them
	ids   map[int64]bool        // AD_Column_IDs
	table map[int64][]run.Cells // rows by AD_Table_ID

	mu   sync.Mutex
	kept map[string]*run.Fingerprint // by the tables of a statement
}

// maxKeptTables bounds how many sets of tables a policy keeps what it compares of.
const maxKeptTables = 256

func (l *permissionsLoader) secured() (*securedColumns, error) {
	s := &securedColumns{ids: map[int64]bool{}, table: map[int64][]run.Cells{}, kept: map[string]*run.Fingerprint{}}
	asked, rows, err := l.look("AD_Column", "AD_Column_ID AD_Table_ID", "(issecure = 'Y' OR isencrypted = 'Y')")
	if err != nil {
		return nil, err
	}
	s.text = asked.text
	for i, row := range rows {
		s.ids[row.int("ad_column_id")] = true
		t := row.int("ad_table_id")
		s.table[t] = append(s.table[t], asked.result[i])
	}
	return s, nil
}

// of is what is compared of some tables before a statement that reads them runs.
func (s *securedColumns) of(tables []int64) *run.Fingerprint {
	if s.text == "" || len(tables) == 0 {
		return nil
	}
	slices.Sort(tables)
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(tables), " ", ", "), "[]")
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.kept[list]; f != nil {
		return f
	}
	if len(s.kept) >= maxKeptTables {
		clear(s.kept)
	}
	var rows []run.Cells
	for _, t := range tables {
		rows = append(rows, s.table[t]...)
	}
	f := &run.Fingerprint{}
	f.Add(s.text+" AND ad_table_id IN ("+list+")", rows)
	s.kept[list] = f
	return f
}

// masked are a table's columns as the permissions of the moment mask them.
func (b *policyBuilder) masked(t *dictTable) []guard.Column {
	columns := t.columns
	for i, id := range t.ids {
		if !columns[i].Redacted && b.r.secured.ids[id] {
			if &columns[0] == &t.columns[0] {
				columns = slices.Clone(columns)
			}
			columns[i].Redacted = true
		}
	}
	return columns
}

// compared is what must still be so when a statement over these tables runs.
func (p *Policy) compared(tables []string) []*run.Fingerprint {
	var ids []int64
	for _, name := range tables {
		if t := p.dict.tables[strings.ToLower(name)]; t != nil {
			ids = append(ids, int64(t.info.ID))
		}
	}
	all := []*run.Fingerprint{&p.permissions.made}
	if f := p.permissions.secured.of(ids); f != nil {
		all = append(all, f)
	}
	return all
}

package twin

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/twinfile"
)

// seal writes what the twin says of itself.
func (c *clone) seal(ctx context.Context) error {
	var states []tableState
	problems := map[string]string{}
	err := c.work.View(ctx, func(tx *store.Tx) (err error) {
		if states, err = readStates(ctx, tx, problems); err == nil {
			_, err = loadIn(ctx, tx, "notes", &c.report.Notes)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i := range states {
		t := &states[i].Report
		t.Problem = problems[t.Table]
		delete(problems, t.Table)
		c.report.Tables = append(c.report.Tables, *t)
	}
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		c.report.Tables = append(c.report.Tables, TableReport{Table: name, Part: Business, Problem: problems[name]})
	}
	c.report.sort()
	c.report.Made = c.opts.Clock().UTC()
	return c.work.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, twinfile.CreateSQL+`; DELETE FROM `+twinfile.Table); err != nil {
			return err
		}
		c.report.Rows = 0
		for i := range c.report.Tables {
			t := &c.report.Tables[i]
			if t.Skipped != "" {
				continue
			}
			exists, err := tx.TableExists(ctx, t.Table)
			if err != nil {
				return err
			}
			if !exists {
				continue
			}
			rows, digest, err := twinfile.Digest(ctx, tx.Query, t.Table)
			if err != nil {
				return err
			}
			t.Rows = rows
			c.report.Rows += rows
			if _, err := tx.Exec(ctx, `INSERT INTO `+twinfile.Table+`(Name, Rows, Digest, Info) VALUES(?,?,?,'')`, t.Table, rows, digest); err != nil {
				return err
			}
		}
		if err := c.logins(ctx, tx); err != nil {
			return err
		}
		return c.writeHead(ctx, tx)
	})
}

// readStates reads how far each table came, and notes the problems of tables by name.
func readStates(ctx context.Context, tx *store.Tx, problems map[string]string) (states []tableState, err error) {
	rows, err := tx.Query(ctx, `SELECT Name, State FROM `+workTable+` WHERE Name LIKE 'table:%' OR Name LIKE 'problem:%'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err says what there is to say
	for rows.Next() {
		var name, text string
		var st tableState
		if err := rows.Scan(&name, &text); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(text), &st); err != nil {
			return nil, err
		}
		if table, ok := strings.CutPrefix(name, "problem:"); ok {
			problems[table] = st.Report.Problem
			continue
		}
		states = append(states, st)
	}
	return states, rows.Err()
}

func (c *clone) writeHead(ctx context.Context, tx *store.Tx) error {
	options, err := json.Marshal(&c.opts)
	if err != nil {
		return err
	}
	report, err := json.Marshal(&c.report)
	if err != nil {
		return err
	}
	head, err := json.Marshal(twinfile.Head{
		Version: twinfile.Version, Origin: c.src.Origin(), Kind: c.src.Kind(), Made: c.report.Made, Masked: c.report.Masked, Mark: c.mark,
		Options: options, Report: report,
	})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO `+twinfile.Table+`(Name, Rows, Digest, Info) VALUES('',?,'',?)`, twinfile.Version, string(head))
	return err
}

// logins are some users who can log in.
func (c *clone) logins(ctx context.Context, tx *store.Tx) error {
	rows, err := tx.Query(ctx, `SELECT u.Name, r.AD_Client_ID, r.AD_Role_ID FROM AD_User u JOIN AD_User_Roles ur ON ur.AD_User_ID=u.AD_User_ID
		JOIN AD_Role r ON r.AD_Role_ID=ur.AD_Role_ID WHERE u.IsActive='Y' AND ur.IsActive='Y' AND r.IsActive='Y' ORDER BY u.AD_User_ID, r.AD_Role_ID LIMIT 10`)
	if err != nil {
		return fmt.Errorf("looking for users who can log in: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err says what there is to say
	for rows.Next() {
		var l Login
		if err := rows.Scan(&l.User, &l.Client, &l.Role); err != nil {
			return err
		}
		c.report.Logins = append(c.report.Logins, l)
	}
	return rows.Err()
}

// finish takes away what the work needed and writes the twin to a file of its own,
// which has nothing of the rows that were read and then left out.
func (c *clone) finish(ctx context.Context, path string) error {
	err := c.work.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `DROP TABLE IF EXISTS `+workTable+`; DROP TABLE IF EXISTS `+keysTable)
		return err
	})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) // one that was interrupted left it
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return c.work.CopyTo(ctx, path)
}

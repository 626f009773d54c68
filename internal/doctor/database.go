package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
)

// databaseTime bounds the examination of a database.
const databaseTime = 30 * time.Second

// Database examines the ERP's database at url, which may be empty: whether it
// lets us in, and whether the dictionary can be read there. schema is where the
// tables are, empty for the ERP's own. The address is never part of a finding.
func Database(ctx context.Context, url, schema string) []Check {
	r := &run{area: AreaDatabase}
	if url == "" {
		return append(r.checks, Skip(AreaDatabase, "database responds",
			"no database is configured ("+DatabaseVariable+" or --database), and none is needed for the REST API"))
	}
	ctx, cancel := context.WithTimeout(ctx, databaseTime)
	defer cancel()
	var source *dbdict.Source
	r.check(ctx, "database responds", func(ctx context.Context) (string, error) {
		var err error
		if source, err = dbdict.Open(ctx, url, &dbdict.Options{Schema: schema}); err != nil {
			return "", err
		}
		return source.Origin() + " lets us in", nil
	}, "check the address ("+DatabaseVariable+"), that the database runs and lets this machine in, and user and password (PGPASSFILE)")
	if source != nil {
		defer source.Close() //nolint:errcheck // it was only read from
	}
	r.check(ctx, "dictionary is readable", func(ctx context.Context) (string, error) {
		tables := registry.SourceTables()
		stamps, err := source.Stamps(ctx, tables)
		if err != nil {
			return "", err
		}
		rows := 0
		for _, s := range stamps {
			rows += max(s.Rows, 0)
		}
		if rows == 0 {
			return "its tables are empty", errWarn
		}
		return fmt.Sprintf("%d tables of the dictionary with %d rows", len(stamps), rows), nil
	}, "give the user the privilege to read the AD_ tables (GRANT SELECT), and name the schema if it is not adempiere (--database-schema)")
	return r.checks
}

package migration_test

import (
	"fmt"
	"log"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/migration"
)

// A script for each database, with the same rows. Apply runs one.
func ExampleScripts() {
	plan, err := dict.NewPlan(nil, dict.NewTable("XX_Remark").With(dict.Standard).Column(dict.Column{Name: "XX_Text", Type: dict.TypeText}))
	if err != nil {
		log.Fatal(err)
	}
	scripts, err := migration.Scripts(plan, &migration.Options{Time: time.Date(2026, 8, 1, 9, 0, 0, 0, time.UTC), ID: "XX-12"})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range scripts {
		fmt.Println(s.Path(), len(s.Statements), "statements") // s.Text() is the file
	}
	// Output:
	// migration-local/iD12/postgresql/202608010900_XX-12.sql 20 statements
	// migration-local/iD12/oracle/202608010900_XX-12.sql 20 statements
}

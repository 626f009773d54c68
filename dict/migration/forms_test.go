package migration_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/migration"
)

// The forms that statements of the ERP's scripts have, put together from parts.
// A statement is held against them after its literals are replaced by ”.
const (
	name    = `[A-Za-z][A-Za-z0-9_]*`
	text    = `(?:''|CHR\(\d+\)|TO_CLOB\(''\))(?:\|\|(?:''|CHR\(\d+\)|TO_CLOB\(''\)))*`
	stamp   = `TO_TIMESTAMP\('',''\)`
	number  = `-?\d+(?:\.\d+)?`
	compare = `(?:` + name + `\.)?` + name + `(?: IS NULL|=(?:` + text + `|` + number + `|@SELECT@|` + name + `\.` + name + `))|UPPER\((?:` + name + `\.)?` + name + `\)=` + text
	where   = `(?:` + compare + `)(?: AND (?:` + compare + `))*`
	oneOf   = `(?:` + text + `|` + number + `|` + stamp + `|@SELECT@|NULL|nextidfunc\(@SELECT@CAST,''\))`
	list    = name + `(?:,` + name + `)*`
	defs    = `(?: DEFAULT (?:''|` + number + `|NULL|` + name + `(?:\(\))?))?`
	check   = `(?: CHECK \(NAME IN \('',''\)\))?`
	null    = `(?: NOT NULL)?`
)

// dialectForms are the forms of one database.
type dialectForms struct {
	cast, from, types, name, lookedUp string
}

var (
	oracleForms = dialectForms{"", " FROM dual", `NUMBER(?:\(10\))?|VARCHAR2\(\d+(?: CHAR)?\)|CHAR\(\d+\)|DATE|TIMESTAMP WITH TIME ZONE|CLOB|BLOB`, name,
		`BEGIN FOR k IN \(SELECT [^;]*\) LOOP EXECUTE IMMEDIATE [^;]*; END LOOP; END;|DECLARE n NUMBER; BEGIN SELECT COUNT\(\*\) INTO n FROM ` + name + ` WHERE [^;]*; IF n=0 THEN RAISE_APPLICATION_ERROR\(-20000,''\); END IF; END;` +
			`|BEGIN EXECUTE IMMEDIATE ''; EXCEPTION WHEN OTHERS THEN IF SQLCODE<>-(?:2443|1418) THEN RAISE; END IF; END;`}
	postgresForms = dialectForms{"::integer", "", `NUMERIC(?:\(10\))?|VARCHAR\(\d+\)|CHAR\(\d+\)|TIMESTAMP(?: WITH TIME ZONE)?|TEXT|BYTEA|UUID|JSONB`, `(?:` + name + `|"(?:action|limit|old|new)")`,
		`DO (\$\w*\$) (?:DECLARE k RECORD; )?BEGIN [^$]* END \$\w*\$`}
)

func (d dialectForms) statements() *regexp.Regexp {
	one := strings.ReplaceAll(oneOf, "CAST", regexp.QuoteMeta(d.cast))
	column := d.name + ` (?:` + d.types + `)` + defs + strings.ReplaceAll(check, "NAME", d.name) + null
	columns := d.name + `(?:,` + d.name + `)*`
	constraint := `CONSTRAINT ` + name + ` (?:PRIMARY KEY|UNIQUE) \(` + d.name + `\)|CONSTRAINT ` + name + `_isjson CHECK \(` + d.name + ` IS JSON\)`
	forms := []string{
		`INSERT INTO ` + name + ` \(` + list + `\) SELECT ` + one + `(?:,` + one + `)*` + d.from + ` WHERE NOT EXISTS \(SELECT 1 FROM ` + name + ` WHERE ` + where + `\)`,
		`INSERT INTO AD_TreeNodeMM \(` + list + `\) SELECT t\.AD_Client_ID,(?:` + one + `,)+t\.AD_Tree_ID,@SELECT@,0,999,Generate_UUID\(\) FROM AD_Tree t WHERE ` + where +
			` AND NOT EXISTS \(SELECT 1 FROM AD_TreeNodeMM e WHERE ` + where + `\)`,
		`UPDATE ` + name + ` SET ` + name + `=` + one + `(?:, ` + name + `=` + one + `)* WHERE ` + where,
		`UPDATE ` + name + ` SET ` + d.name + `=(?:''|` + number + `|` + name + `(?:\(\))?) WHERE ` + d.name + ` IS NULL`,
		`CREATE TABLE ` + name + ` \(` + column + `(?:, ` + column + `)*(?:, (?:` + constraint + `))*\)`,
		`ALTER TABLE ` + name + ` ADD CONSTRAINT ` + name + ` FOREIGN KEY \(` + d.name + `\) REFERENCES [a-z0-9_]+\([a-z0-9_]+\)(?: ON DELETE (?:CASCADE|SET NULL))? DEFERRABLE INITIALLY DEFERRED`,
		`ALTER TABLE ` + name + ` ADD (?:` + constraint + `|CONSTRAINT ` + name + ` UNIQUE \(` + columns + `\))`,
		`CREATE (?:UNIQUE )?INDEX ` + name + ` ON ` + name + ` \(` + columns + `\)`,
		`ALTER TABLE ` + name + ` RENAME (?:COLUMN ` + d.name + ` )?TO ` + d.name,
		`UPDATE ` + name + ` SET ` + name + `=REGEXP_REPLACE\(` + name + `, '', ''(?:, ''|, 1, 0, '')\) WHERE ` + where + ` AND UPPER\(` + name + `\) LIKE ''`,
		d.lookedUp,
	}
	if d.cast == "" {
		forms = append(forms, `ALTER TABLE `+name+` ADD `+column, `ALTER TABLE `+name+` MODIFY `+d.name+` (?:NOT )?NULL`,
			`ALTER TABLE `+name+` MODIFY `+d.name+`(?: (?:`+d.types+`))?`+defs)
	} else {
		forms = append(forms, `ALTER TABLE `+name+` ADD COLUMN `+column, `ALTER TABLE `+name+` DROP CONSTRAINT IF EXISTS `+name, `DROP INDEX IF EXISTS `+name,
			`INSERT INTO t_alter_column values\('','',(?:''|null),(?:''|null),(?:''|null)\)`)
	}
	return regexp.MustCompile(`^(?:` + strings.Join(forms, "|") + `)$`)
}

var (
	literals   = regexp.MustCompile(`'(?:[^']|'')*'`)
	joints     = regexp.MustCompile(`''\|\|\n''`)
	subSelects = regexp.MustCompile(`\(SELECT (?:e\.)?` + name + ` FROM ` + name + `(?: e JOIN ` + name + ` c ON c\.` + name + `=e\.` + name + `)? WHERE ` + where + `\)`)
)

// shape is a statement without what its literals say and with its sub-selects
// named. What is left of a sub-select that has no known form does not match.
func shape(s string) string {
	s = literals.ReplaceAllString(s, "''")
	s = joints.ReplaceAllString(s, "''")
	s = strings.ReplaceAll(s, "\n", "")
	for range 4 {
		s = subSelects.ReplaceAllString(s, "@SELECT@")
	}
	return s
}

// checkForms holds a script's text, line by line and statement by statement,
// against what the ERP's scripts look like.
func checkForms(script string, dialect dict.Dialect) error {
	lines := strings.Split(script, "\n")
	if len(lines) < 3 || !strings.HasPrefix(lines[0], "-- ") {
		return fmt.Errorf("it does not begin with its title: %q", lines[0])
	}
	if !regexp.MustCompile(`^SELECT register_migration_script\('\d{12}_[A-Za-z0-9_-]+\.sql'\) FROM dual;$`).MatchString(lines[1]) {
		return fmt.Errorf("the second line does not register it: %q", lines[1])
	}
	forms := postgresForms
	if dialect == dict.Oracle {
		forms = oracleForms
		if lines[3] != "SET SQLBLANKLINES ON" || lines[4] != "SET DEFINE OFF" {
			return fmt.Errorf("the settings are missing: %q, %q", lines[3], lines[4])
		}
		for i, line := range lines {
			if len(line) > 2499 {
				return fmt.Errorf("line %d has %d bytes", i+1, len(line))
			}
			if strings.HasSuffix(line, "-") {
				return fmt.Errorf("line %d goes on with a hyphen", i+1)
			}
		}
	}
	known := forms.statements()
	var statement []string
	for i, line := range lines[2:] {
		number := i + 3
		switch {
		case line == ";" || line == "/":
			got := shape(strings.Join(statement, "\n"))
			block := strings.HasPrefix(got, "BEGIN") || strings.HasPrefix(got, "DECLARE")
			if (line == "/") != block {
				return fmt.Errorf("line %d ends %q", number, got)
			}
			if !known.MatchString(got) {
				return fmt.Errorf("line %d ends a statement of no known form: %s", number, got)
			}
			statement = nil
		case len(statement) == 0 && (line == "" || strings.HasPrefix(line, "-- ") || strings.HasPrefix(line, "SET ")):
		case strings.HasSuffix(line, ";") && !strings.HasSuffix(line, "END;"):
			return fmt.Errorf("line %d ends in a semicolon", number)
		default:
			if dialect == dict.PostgreSQL && len(statement) > 0 {
				return fmt.Errorf("line %d: a statement over several lines", number)
			}
			statement = append(statement, line)
		}
	}
	if len(statement) > 0 {
		return fmt.Errorf("the last statement has no terminator")
	}
	return nil
}

// combinations are tables with every template and flag.
func combinations() []dict.Table {
	var list []dict.Table
	templates := dict.Templates()
	for set := range 1 << len(templates) {
		t := dict.NewTable(fmt.Sprintf("XX_T%d", set))
		for i, template := range templates {
			if set&(1<<i) != 0 && template != dict.Import {
				t = t.With(template)
			}
		}
		t.ChangeLog, t.HighVolume, t.NotDeleteable, t.Security = set&1 != 0, set&2 != 0, set&4 != 0, set&8 != 0
		if set&16 != 0 {
			t = t.WithWindow(dict.Window{Name: t.Name, NoMenu: set&1 != 0})
		}
		list = append(list, t.Column(dict.Column{Name: "XX_Own", Type: dict.TypeString}))
	}
	return list
}

func TestForms(t *testing.T) {
	t.Parallel()
	plans := map[string]*dict.Plan{"sample": planOf(t, sample())}
	for _, table := range combinations() {
		plan, err := dict.NewPlan(nil, table)
		if err != nil {
			continue // some templates need others
		}
		plans[table.Name] = plan
	}
	require.Greater(t, len(plans), 20)
	for label, plan := range plans {
		for _, dialect := range []dict.Dialect{dict.PostgreSQL, dict.Oracle} {
			script := build(t, plan, dialect)
			require.NoError(t, checkForms(script.Text(), dialect), "%s %s", label, dialect)
			parts, err := migration.Split(script.Text(), dialect)
			require.NoError(t, err)
			assert.Len(t, parts, len(script.Statements)+1, "the registration and every statement")
		}
	}
}

// The checker finds what is wrong, too.
func TestFormsFindMistakes(t *testing.T) {
	t.Parallel()
	good := build(t, planOf(t, dict.NewTable("XX_Tag").With(dict.Standard)), dict.Oracle).Text()
	require.NoError(t, checkForms(good, dict.Oracle))
	for name, change := range map[string][2]string{
		"type of the other database": {"NUMBER(10)", "NUMERIC(10)"},
		"unknown type":               {" DATE DEFAULT", " DATETIME DEFAULT"},
		"cast":                       {"IsTableID='Y'),'N')", "IsTableID='Y')::integer,'N')"},
		"no dual":                    {" FROM dual WHERE", " WHERE"},
		"no terminator":              {"\n;\n", "\n"},
		"terminator in the line":     {"\n;\n", ";\n"},
		"registration":               {"register_migration_script", "register_script"},
		"settings":                   {"SET DEFINE OFF\n", "\n"},
		"order of a clause":          {"DEFAULT 'Y' CHECK (IsActive IN ('Y','N')) NOT NULL", "NOT NULL DEFAULT 'Y' CHECK (IsActive IN ('Y','N'))"},
		"quote":                      {"XX_Tag'", "XX_'Tag'"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, good, change[0])
			require.Error(t, checkForms(strings.ReplaceAll(good, change[0], change[1]), dict.Oracle))
		})
	}
}

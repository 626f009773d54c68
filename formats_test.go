package erphub

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// format is the form of a file that a program keeps between its runs. It carries a
// number, and a file of another number is refused, or read anew where it is a copy.
type format struct {
	name     string // in docs/troubleshooting.md
	constant string // with the folder of its package: the number
	number   int
}

// formats are all there are. From the first release on, testdata/formats/NUMBER-NAME
// keeps a sample of each form that was released.
var formats = []format{
	{"configuration", "internal/config.Version", 1},
	{"data of a sandbox", "erp/erptest/internal/seed.schemaVersion", 5},
	{"twin", "erp/erptest/internal/twinfile.Version", 1},
	{"calls of the deployment log", "cmd/internal/spool.formatVersion", 3},
	{"webhooks", "cmd/internal/notify.fileVersion", 2},
	{"checkpoint of dict apply", "dict/restdict.checkpointVersion", 3},
	{"saved plan", "cmd/internal/planfile.Version", 1},
	{"journal of an import", "dict/transfer.journalVersion", 1},
	{"what an import changed", "dict/transfer.undoVersion", 1},
	{"copy of the dictionary", "dict/registry.snapshotVersion", 1},
	{"state of the tool server in Redis", "internal/redisstore.stateVersion", 2},
	{"state of the AI API and the generator in Redis", "cmd/internal/redisstate.stateVersion", 1},
	{"logins with a browser in Redis", "cmd/internal/browserlogin.stateVersion", 1},
	{"record of a detached sandbox", "cmd/internal/sandbox.recordVersion", 1},
}

// otherNumbers are constants called so that number no file of a user.
var otherNumbers = map[string]string{
	"erp/erptest/internal/seed.headerVersion": "is a place in the header of a file",
	"cmd/internal/notify.payloadVersion":      "is that of a message, which a receiver reads",
}

// numbers are the constants whose names end in Version and whose values are numbers,
// by their package's folder and name.
func numbers(t *testing.T) map[string]int {
	t.Helper()
	found := map[string]int{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || path == filepath.Join("erp", "rest")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				value, ok := spec.(*ast.ValueSpec)
				if !ok || len(value.Names) != 1 || len(value.Values) != 1 || !strings.HasSuffix(strings.ToLower(value.Names[0].Name), "version") {
					continue
				}
				if number, ok := value.Values[0].(*ast.BasicLit); ok && number.Kind == token.INT {
					found[filepath.ToSlash(filepath.Dir(path))+"."+value.Names[0].Name], err = strconv.Atoi(number.Value)
				}
			}
		}
		return err
	}))
	return found
}

// Every format is in the table with its number, in the document for operators, and is
// refused in the same words when it has another one.
func TestFormats(t *testing.T) {
	t.Parallel()
	found := numbers(t)
	page, err := os.ReadFile(filepath.Join("docs", "troubleshooting.md"))
	require.NoError(t, err)
	for _, f := range formats {
		number, ok := found[f.constant]
		assert.True(t, ok, "%s: there is no constant %s", f.name, f.constant)
		assert.Equal(t, f.number, number, "%s: a new form needs its number here, a line in the CHANGELOG, and a sample of the one before", f.name)
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(f.name) + ` \| ([0-9]+) \| [^|]+ \| [^|]+ \|$`).FindSubmatch(page)
		if assert.NotNil(t, row, "docs/troubleshooting.md has no row for %s", f.name) {
			assert.Equal(t, fmt.Sprint(f.number), string(row[1]), f.name)
		}
		delete(found, f.constant)
	}
	for constant := range otherNumbers {
		assert.Contains(t, found, constant, "it is gone")
		delete(found, constant)
	}
	assert.Empty(t, found, "constants that number a format belong into the table, others into the exceptions with a reason")
}

// Each form that was released is kept as a sample, so that whoever changes it sees what
// users have.
func TestFormatsThatWereReleased(t *testing.T) {
	t.Parallel()
	changes, err := os.ReadFile("CHANGELOG.md")
	require.NoError(t, err)
	released := regexp.MustCompile(`(?m)^## v?[0-9]`).Match(changes)
	for _, f := range formats {
		samples, err := filepath.Glob(filepath.Join("testdata", "formats", fmt.Sprintf("%d-%s*", f.number, strings.ReplaceAll(f.name, " ", "-"))))
		require.NoError(t, err)
		if released {
			assert.Len(t, samples, 1, "keep a sample of form %d of the %s in testdata/formats", f.number, f.name)
		} else {
			assert.Empty(t, samples, "nothing was released yet")
		}
	}
}

package erptest_test

import (
	"encoding/base64"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/internal/packxml"
)

// Archives of others: those below each folder of ERPHUB_PACKS, which stands for a
// repository, are imported in the order of their names into an ERP of their own, those of
// tenants by a tenant's administrator. What is refused is tried again until a round brings
// nothing. What became of each is printed, with ERPHUB_PACKS_LOGS also what was done; an
// archive that is refused does not fail the test.
func TestImportArchivesOfOthers(t *testing.T) {
	root := os.Getenv("ERPHUB_PACKS")
	if root == "" {
		t.Skip("ERPHUB_PACKS names no folder with folders of package archives")
	}
	chains := map[string][]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if rest, below := strings.CutPrefix(path, root+string(filepath.Separator)); below && filepath.Ext(path) == ".zip" {
			repository, _, _ := strings.Cut(rest, string(filepath.Separator))
			chains[repository] = append(chains[repository], path)
		}
		return err
	}))
	require.NotEmpty(t, chains, "no archives in the folders of %s", root)
	total, good, partly := 0, 0, 0
	for _, repository := range slices.Sorted(maps.Keys(chains)) {
		t.Run(repository, func(t *testing.T) {
			srv := erptest.New(t)
			system, tenant := writeAs(t, srv, asSystem), writeAs(t, srv, asGardenAdmin)
			last := map[string]imported{}
			in, lacking := 0, 0
			for again := true; again; {
				again = false
				for _, file := range chains[repository] {
					if r, tried := last[file]; tried && !r.failed {
						continue
					}
					data, err := os.ReadFile(file)
					require.NoError(t, err)
					w := system
					if ofTenant(data) {
						w = tenant
					}
					r := importZip(t, w, base64.StdEncoding.EncodeToString(data), "")
					last[file] = r
					if r.failed {
						continue
					}
					again = true
					in++
					if strings.Contains(r.summary, "lack records of the ERP") {
						lacking++
					}
				}
			}
			for _, file := range chains[repository] {
				t.Logf("%s: %s", filepath.Base(file), last[file].summary)
				if os.Getenv("ERPHUB_PACKS_LOGS") != "" {
					t.Log(strings.Join(last[file].logs, "\n"))
				}
			}
			t.Logf("imported %d of %d archives, %d of them partly", in, len(last), lacking)
			total, good, partly = total+len(last), good+in, partly+lacking
		})
	}
	t.Logf("imported %d of %d archives, %d of them partly", good, total, partly)
}

// ofTenant reports whether an archive is for a tenant.
func ofTenant(data []byte) bool {
	a, err := packxml.Open(data, packxml.DefaultLimits)
	if err != nil {
		return false
	}
	header, _, err := a.Read()
	tenant, _, _ := strings.Cut(header.Client, "-")
	return err == nil && tenant != "0"
}

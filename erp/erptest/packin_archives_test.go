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

// Archives of others: those in each folder of ERPHUB_PACKS are imported by their
// names' order into an ERP of their own, those of tenants by a tenant's
// administrator. What became of each is printed, with ERPHUB_PACKS_LOGS also what
// was done; an archive that is refused does not fail the test.
func TestImportArchivesOfOthers(t *testing.T) {
	root := os.Getenv("ERPHUB_PACKS")
	if root == "" {
		t.Skip("ERPHUB_PACKS names no folder with folders of package archives")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.zip"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no archives in the folders of %s", root)
	chains := map[string][]string{}
	for _, file := range files { // sorted
		chains[filepath.Dir(file)] = append(chains[filepath.Dir(file)], file)
	}
	total, good := 0, 0
	for _, dir := range slices.Sorted(maps.Keys(chains)) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			srv := erptest.New(t)
			system, tenant := writeAs(t, srv, asSystem), writeAs(t, srv, asGardenAdmin)
			for _, file := range chains[dir] {
				data, err := os.ReadFile(file)
				require.NoError(t, err)
				w := system
				if ofTenant(data) {
					w = tenant
				}
				r := importZip(t, w, base64.StdEncoding.EncodeToString(data), "")
				total++
				if !r.failed {
					good++
				}
				t.Logf("%s: %s", filepath.Base(file), r.summary)
				if os.Getenv("ERPHUB_PACKS_LOGS") != "" {
					t.Log(strings.Join(r.logs, "\n"))
				}
			}
		})
	}
	t.Logf("imported %d of %d archives", good, total)
}

// ofTenant reports whether an archive is for a tenant.
func ofTenant(data []byte) bool {
	a, err := packxml.Open(data, packxml.DefaultLimits)
	if err != nil {
		return false
	}
	header, _, err := a.Read()
	return err == nil && !strings.HasPrefix(header.Client, "0-")
}

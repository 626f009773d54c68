package secretfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/erphub/erphub/internal/secretfile"
)

// TestReadFile reads no secret that everybody may read or a group may replace.
// A group that may read it is how orchestrators hand secrets to a service.
func TestReadFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other permissions")
	}
	for mode, refused := range map[fs.FileMode]bool{
		0o400: false, 0o600: false, 0o440: false, 0o640: false,
		0o644: true, 0o604: true, 0o660: true, 0o620: true, 0o602: true, 0o444: true,
	} {
		path := filepath.Join(t.TempDir(), "secret")
		if err := errors.Join(os.WriteFile(path, []byte("s3cret\n"), 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		switch secret, err := secretfile.ReadFile(path); {
		case refused && (!errors.Is(err, secretfile.ErrTooOpen) || secret != ""):
			t.Errorf("mode %04o: %q, %v", mode, secret, err)
		case !refused && (err != nil || secret != "s3cret"):
			t.Errorf("mode %04o: %q, %v", mode, secret, err)
		}
	}
}

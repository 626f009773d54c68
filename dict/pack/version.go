package pack

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Version is the version of an archive: exactly three numbers.
type Version struct{ Major, Minor, Patch int }

// String writes the version as in a file name: 1.0.10.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// IsZero reports whether no version is given.
func (v Version) IsZero() bool { return v == Version{} }

// Compare orders versions number by number: 1.0.10 comes after 1.0.9.
func (v Version) Compare(o Version) int {
	return cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor), cmp.Compare(v.Patch, o.Patch))
}

// FileName is the name of an archive inside a plugin: 2Pack_1.0.10.zip.
func (v Version) FileName() string { return filePrefix + v.String() + ".zip" }

const filePrefix = "2Pack_"

// maxNumber bounds a part, so that versions fit the ERP's columns.
const maxNumber = 99_999

// ParseVersion reads a version of three numbers. Leading zeros, signs and blanks
// are refused: the ERP compares texts in one place and numbers in another.
func ParseVersion(s string) (Version, error) {
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return Version{}, fmt.Errorf("the version %q does not have three parts; write it like 1.0.0", s)
	}
	var numbers [3]int
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || n > maxNumber || strconv.Itoa(n) != p {
			return Version{}, fmt.Errorf("part %d of the version %q is not a plain number up to %d; write it like 1.0.0", i+1, s, maxNumber)
		}
		numbers[i] = n
	}
	return Version{numbers[0], numbers[1], numbers[2]}, nil
}

// ErrVersion is in the error of a version that must not be shipped.
var ErrVersion = errors.New("the version cannot be used")

// archives are the archives in a plugin's META-INF folder, lowest version first.
// strange are files that look like archives but whose names the ERP cannot read
// a version from; one of them stops all imports of the plugin. A folder that does
// not exist has none.
func archives(dir string) (versions []Version, strange []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("looking for archives: %w", err)
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), filePrefix)
		if !ok || e.IsDir() {
			continue
		}
		if name, ok = strings.CutSuffix(name, ".zip"); !ok {
			continue
		}
		text, extra, _ := strings.Cut(name, "_") // one extra part is allowed
		v, err := ParseVersion(text)
		if err != nil || strings.Contains(extra, "_") {
			strange = append(strange, e.Name())
			continue
		}
		versions = append(versions, v)
	}
	slices.SortFunc(versions, Version.Compare)
	return slices.Compact(versions), strange, nil
}

// NextVersion is the version for the next archive in a plugin's META-INF folder:
// one after the highest there, 1.0.0 for the first. It never is the beginning of
// a version already there.
func NextVersion(dir string) (Version, error) {
	versions, _, err := archives(dir)
	if err != nil {
		return Version{}, err
	}
	return next(versions), nil
}

func next(versions []Version) Version {
	if len(versions) == 0 {
		return Version{1, 0, 0}
	}
	v := versions[len(versions)-1]
	switch {
	case v.Patch < maxNumber:
		v.Patch++
	case v.Minor < maxNumber:
		v.Minor, v.Patch = v.Minor+1, 0
	default:
		v.Major, v.Minor, v.Patch = v.Major+1, 0, 0
	}
	return v
}

// CheckVersion checks whether an archive of that version may be added to those in
// a plugin's META-INF folder; the error wraps [ErrVersion] when not.
func CheckVersion(dir string, v Version) error {
	versions, _, err := archives(dir)
	if err != nil {
		return err
	}
	for _, have := range versions {
		switch {
		case have == v:
			return fmt.Errorf("%s: there is an archive %s in %s already; %w", v, v.FileName(), filepath.Base(dir), ErrVersion)
		case strings.HasPrefix(have.String(), v.String()):
			return fmt.Errorf("%s: where %s was imported the ERP takes %s for imported too; use %s; %w",
				v, have, v, next(versions), ErrVersion)
		case have.Compare(v) > 0:
			return fmt.Errorf("%s: %s was shipped already, and plugins that import by bundle version skip what is lower; use %s; %w",
				v, have, next(versions), ErrVersion)
		}
	}
	return nil
}

package recorded

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
)

// ReferenceFiles returns the files of responses that were recorded with the real
// server's code, none where they are not: below the folder of the environment
// variable ERPHUB_REFERENCE, or below shared/reference beside the project.
func ReferenceFiles() []string {
	dir := cmp.Or(os.Getenv("ERPHUB_REFERENCE"), filepath.Join(projectDir(), "..", "shared", "reference"))
	files, _ := filepath.Glob(filepath.Join(dir, "real-answers", "*.jsonl")) // the patterns are well-formed
	fresh, _ := filepath.Glob(filepath.Join(dir, "real-answers", "fresh", "*.jsonl"))
	return slices.DeleteFunc(append(files, fresh...), func(path string) bool { return filepath.Base(path) == "role-rows.jsonl" })
}

// GoldenFiles returns the files of scenarios that are part of the project.
func GoldenFiles() []string {
	files, _ := filepath.Glob(filepath.Join(projectDir(), "erp", "erptest", "testdata", "golden", "*.jsonl"))
	return files
}

// projectDir is the nearest folder with a go.mod, from the one a test runs in upwards.
func projectDir() string {
	dir, err := filepath.Abs(".")
	for err == nil {
		if _, statErr := os.Stat(filepath.Join(dir, "go.mod")); statErr == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return "."
}

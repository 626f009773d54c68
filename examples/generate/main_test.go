package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 { // the second time everything is as wanted
		if err := run(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "com.example.orders", "src", "com", "example", "orders", "process", "ImportOrders.java")); err != nil {
		t.Fatal(err)
	}
}

package testpg

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// server is the cluster of this test binary. It is the one thing here that
// tests share: starting a cluster for each would take half a second.
var server struct {
	once     sync.Once
	cluster  *cluster
	err      error
	database atomic.Int64
}

// errMissing is in the error when PostgreSQL is not installed.
var errMissing = errors.New("no PostgreSQL found in /usr/lib/postgresql/*/bin or on the PATH; install the package postgresql")

// URL creates an empty database for the test and returns its address. The
// database goes with the server.
func URL(t testing.TB) string {
	t.Helper()
	server.once.Do(func() { server.cluster, server.err = start(context.Background()) }) // outlives this test
	if err := server.err; err != nil {
		if errors.Is(err, errMissing) && os.Getenv("CI") != "true" {
			t.Skip(err)
		}
		t.Fatalf("testpg: %v", err)
	}
	name := fmt.Sprintf("t%d", server.database.Add(1))
	admin, err := sql.Open("pgx", server.cluster.url("postgres"))
	if err != nil {
		t.Fatalf("testpg: %v", err)
	}
	defer admin.Close()
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name+" STRATEGY wal_log TEMPLATE template0"); err != nil {
		t.Fatalf("testpg: create database %s: %v", name, err)
	}
	return server.cluster.url(name)
}

// Open creates an empty database for the test and opens it; it is closed when
// the test ends.
func Open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", URL(t))
	if err != nil {
		t.Fatalf("testpg: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("testpg: %v", err)
		}
	})
	return db
}

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

	"github.com/erphub/erphub/internal/pgcluster"
)

// server is the cluster of this test binary. It is the one thing here that
// tests share: starting a cluster for each would take half a second.
var server struct {
	once     sync.Once
	cluster  *pgcluster.Cluster
	err      error
	database atomic.Int64
}

// start starts the server that the tests share. It ends with this process:
// nobody tells a library when a test binary ends.
func start() {
	server.cluster, server.err = pgcluster.Start(context.Background(), &pgcluster.Options{
		User: "test", Trust: true, Settings: []string{"max_connections=100", "shared_buffers=128MB"},
	})
}

// URL creates an empty database for the test and returns its address. The
// database goes with the server.
func URL(t testing.TB) string {
	t.Helper()
	server.once.Do(start)
	if err := server.err; err != nil {
		if errors.Is(err, pgcluster.ErrNotInstalled) && os.Getenv("CI") != "true" {
			t.Skip(err)
		}
		t.Fatalf("testpg: %v", err)
	}
	name := fmt.Sprintf("t%d", server.database.Add(1))
	admin, err := sql.Open("pgx", server.cluster.URL("postgres"))
	if err != nil {
		t.Fatalf("testpg: %v", err)
	}
	defer admin.Close()
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name+" STRATEGY wal_log TEMPLATE template0"); err != nil {
		t.Fatalf("testpg: create database %s: %v", name, err)
	}
	return server.cluster.URL(name)
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

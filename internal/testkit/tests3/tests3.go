package tests3

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/erphub/erphub/internal/testkit/testproc"
)

// Version of the server that the tests are known to work with.
const Version = "v1.8.0"

// Server is a running S3 server.
type Server struct {
	Endpoint  string // http://127.0.0.1:port
	Region    string
	AccessKey string
	SecretKey string

	data string
	proc *testproc.Process
}

// Start starts a server without buckets. It ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	program := testproc.Find(t, "install it with `GOBIN="+CacheDir()+" go install github.com/versity/versitygw/cmd/versitygw@"+Version+"`", candidates()...)
	s := &Server{Region: "us-east-1", AccessKey: "TESTACCESSKEY", SecretKey: "test-secret-that-must-not-show", data: t.TempDir()}
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(testproc.FreePort(t)))
	s.Endpoint = "http://" + addr
	s.proc = testproc.Start(t, testproc.Command{
		Path:  program,
		Args:  []string{"--port", addr, "--access", s.AccessKey, "--secret", s.SecretKey, "--quiet", "posix", "--sidecar", t.TempDir(), s.data},
		Dir:   t.TempDir(),
		Ready: s.ready,
	})
	return s
}

// ready calls until the server responds with anything.
func (s *Server) ready(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Endpoint, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// CreateBucket makes an empty bucket. The server keeps buckets as folders.
func (s *Server) CreateBucket(t testing.TB, name string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(s.data, name), 0o755); err != nil {
		t.Fatalf("create the bucket %s: %v", name, err)
	}
}

// Objects lists the keys in a bucket, as the server keeps them on disk.
func (s *Server) Objects(t testing.TB, bucket string) []string {
	t.Helper()
	var keys []string
	root := filepath.Join(s.data, bucket)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		keys = append(keys, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatalf("list the bucket %s: %v", bucket, err)
	}
	return keys
}

// Stop stops the server before the test ends.
func (s *Server) Stop() { s.proc.Stop() }

// CacheDir is where the program is looked for after the PATH.
func CacheDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "erphub-tests", "versitygw@"+Version)
}

func candidates() []string {
	names := []string{filepath.Join(CacheDir(), "versitygw"), "versitygw"}
	if dir := os.Getenv("GOBIN"); dir != "" {
		names = append(names, filepath.Join(dir, "versitygw"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		names = append(names, filepath.Join(home, "go", "bin", "versitygw"))
	}
	return names
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/testkit/aitest"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
	"github.com/erphub/erphub/internal/testkit/testproc"
	"github.com/erphub/erphub/internal/testkit/testredis"
	"github.com/erphub/erphub/internal/testkit/tests3"
	"github.com/erphub/erphub/internal/testkit/testsoak"
)

// All servers under mixed load: two replicas each of server api and server mcp, which
// share Redis, PostgreSQL and a bucket, over a sandbox that is their ERP; and a sandbox
// for itself. One replica of each pair and the ERP are killed at random and started
// again, all the time. What must hold:
//
//   - Clients that retry what is safe to retry go on: no other failure than that
//     somebody is away, and that for less than a minute.
//   - Nothing acknowledged is lost: deployments have the state they were given, records
//     are there once however often their creation was retried, downloads are served
//     while their links live, an Idempotency-Key has one link, each statement that was
//     responded to has its record in the audit.
//   - What a user confirmed once is done once at most, though each confirmation is sent
//     to both replicas at the same time.
//   - Memory, goroutines, open and temporary files of the servers that are not killed
//     do not grow; keys in Redis end by themselves;
//     expired downloads are removed; no temporary file is left at the end.
//
// It runs where ERPHUB_SOAK says for how long: what is compared, from a minute on, is
// compared after the first fifth; a shorter run kills each of the three once.
func TestSoak(t *testing.T) {
	if os.Getenv("ERPHUB_SOAK") == "" {
		t.Skip("it takes minutes: make proof runs it, or set ERPHUB_SOAK, such as ERPHUB_SOAK=20m")
	}
	t.Parallel()
	length := testsoak.Length(t, 2*time.Second)
	f := startFleet(t)
	before := f.figures(t.Context(), t)

	seed := rand.Uint64()
	t.Logf("seed %d, %v", seed, length)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	sample, pace := length < time.Minute, 100*time.Millisecond
	if sample {
		pace = 500 * time.Millisecond
	}
	load := newLoad(t, f, pace)
	var all sync.WaitGroup
	fail := func(what string, err error) {
		if err != nil && ctx.Err() == nil {
			t.Errorf("%s: %v", what, err)
			stop()
		}
	}
	for i, work := range load.workers() {
		all.Go(func() { fail(work.name, load.repeat(ctx, rand.New(rand.NewPCG(seed, uint64(i))), work)) })
	}
	all.Go(func() {
		fail("killing", f.kill(ctx, rand.New(rand.NewPCG(seed, 1000)), min(length/4, 20*time.Second), sample))
	})
	all.Go(func() { // a sample on a busy machine takes longer until all has happened
		defer stop()
		begin := time.Now()
		for tick := time.NewTicker(50 * time.Millisecond); ; {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if took := time.Since(begin); took > length && (load.hasDoneAll() && f.killedAll() || took > length+2*time.Minute) {
				tick.Stop()
				return
			}
		}
	})
	samples := map[string][]testsoak.Sample{}
	for _, s := range testsoak.Collect(ctx, max(length/240, 200*time.Millisecond), func() testsoak.Figures { return f.figures(t.Context(), t) }) {
		for name, own := range split(s.Figures) {
			samples[name] = append(samples[name], testsoak.Sample{At: s.At, Figures: own})
		}
	}
	all.Wait()
	for _, p := range f.all {
		if t.Failed() {
			t.Logf("%s: %s", p.name, p.lastWords())
		}
		assert.NotContains(t, p.log.String(), "panic", p.name)
	}
	require.False(t, t.Failed())
	t.Logf("done: %s", &load.done)
	t.Logf("killed: %s", &f.killed)
	for name, first := range split(before) {
		testsoak.Report(t, name, first, samples[name])
		if !sample {
			testsoak.Flat(t, name, samples[name], temporaryFiles)
		}
	}
	load.verify(t)
	f.checkLeftovers(t)
}

// member is one program of the fleet.
type member struct {
	name    string
	args    []string
	env     []string
	url     string
	metrics string // "": it has none
	ready   string // file
	tmp     string // folder for temporary files
	log     syncbuffer.Buffer
	cmd     *exec.Cmd // of the last start
}

// start starts the program and waits until it is ready.
func (m *member) start(ctx context.Context, program string) error {
	if err := os.RemoveAll(m.ready); err != nil {
		return err
	}
	m.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, m.args...)
	m.cmd.Env = append([]string{"HOME=" + filepath.Dir(m.ready), "TMPDIR=" + m.tmp, "PATH=" + os.Getenv("PATH")}, m.env...)
	m.cmd.Stdout, m.cmd.Stderr = &m.log, &m.log
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.cmd.Start(); err != nil {
		return err
	}
	late := time.After(time.Minute)
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case <-tick.C:
		case <-late:
			return fmt.Errorf("%s is not ready after a minute: %s", m.name, m.lastWords())
		}
		var ready struct{ URL string }
		if text, err := os.ReadFile(m.ready); err == nil && json.Unmarshal(text, &ready) == nil {
			tick.Stop()
			return nil
		}
	}
}

// lastWords are the end of what the program wrote.
func (m *member) lastWords() string {
	text := m.log.String()
	return text[max(len(text)-3000, 0):]
}

// fleet is all that runs.
type fleet struct {
	program  string
	redis    *testredis.Server
	s3       *tests3.Server
	database string
	erp      *member // the ERP of the replicas
	sandbox  *member // for itself
	apis     []*member
	mcps     []*member
	all      []*member
	victims  []*member
	killed   testsoak.Counts
	rounds   atomic.Int64 // in which each victim was killed
}

// bucket is where downloads are.
const bucket = "downloads"

func startFleet(t *testing.T) *fleet {
	t.Helper()
	program, err := exec.LookPath("erphub") // where testscript put it
	require.NoError(t, err)
	f := &fleet{program: program, redis: testredis.Start(t), s3: tests3.Start(t), database: aitest.Postgres(t)}
	f.s3.CreateBucket(t, bucket)
	add := func(name string, measured bool, env []string, args ...string) *member {
		dir := t.TempDir()
		address := "127.0.0.1:" + strconv.Itoa(testproc.FreePort(t))
		m := &member{name: name, url: "http://" + address, ready: filepath.Join(dir, "ready"), tmp: t.TempDir(), env: env}
		m.args = append(args, "--listen", address, "--ready-file", m.ready)
		if measured {
			address := "127.0.0.1:" + strconv.Itoa(testproc.FreePort(t))
			m.args, m.metrics = append(m.args, "--metrics-listen", address), "http://"+address+"/metrics"
		}
		require.NoError(t, m.start(t.Context(), program))
		t.Cleanup(func() { _ = m.cmd.Process.Kill() })
		f.all = append(f.all, m)
		return m
	}
	f.erp = add("the ERP", false, nil, "sandbox", "--data", filepath.Join(t.TempDir(), "erp"))
	system := []string{"ERP_URL=" + f.erp.url, "ERP_USERNAME=SuperUser", "ERP_PASSWORD=System", "ERP_CLIENT_ID=0", "ERP_ROLE_ID=0"}
	var said syncbuffer.Buffer
	require.Zero(t, execute(t.Context(), []string{"erphub", "env", "deploy", "install"}, append(system, "HOME="+t.TempDir()), shell.Streams{Out: &said, Err: &said}), said.String())
	f.sandbox = add("the sandbox", false, nil, "sandbox", "--data", filepath.Join(t.TempDir(), "sandbox"))
	api := append([]string{
		"ERPHUB_REDIS_URL=" + f.redis.URL(), "ERP_DATABASE_URL=" + f.database, "ERP_TOKEN_SECRET=" + tokenSecret, "ERPHUB_ARTIFACTS_BUCKET=" + bucket, "ARTIFACTS_TTL=1",
		"ARTIFACTS_BASE_URL=" + anyReplica, "AWS_ENDPOINT_URL_S3=" + f.s3.Endpoint, "AWS_ACCESS_KEY_ID=" + f.s3.AccessKey, "AWS_SECRET_ACCESS_KEY=" + f.s3.SecretKey,
	}, system...)
	for i := range 2 {
		name := fmt.Sprint(i + 1)
		f.apis = append(f.apis, add("api "+name, i == 0, api, "server", "api", "--install", "--requests-per-minute", "1000000", "--statements-per-minute", "1000000", "--audit-mib-per-day", "100000"))
		f.mcps = append(f.mcps, add("mcp "+name, i == 0, []string{"ERPHUB_REDIS_URL=" + f.redis.URL(), "ERP_URL=" + f.erp.url},
			"server", "mcp", "--toolsets", "all", "--calls-per-minute", "0", "--audit", os.DevNull))
	}
	f.victims = []*member{f.apis[1], f.mcps[1], f.erp}
	return f
}

// kill kills one after the other without warning, in any order, and starts it again;
// each once, or until ctx ends.
func (f *fleet) kill(ctx context.Context, random *rand.Rand, every time.Duration, once bool) error {
	for {
		for _, i := range random.Perm(len(f.victims)) {
			select {
			case <-time.After(every/2 + time.Duration(random.Int64N(int64(every)))):
			case <-ctx.Done():
				return nil
			}
			m := f.victims[i]
			if err := m.cmd.Process.Kill(); err != nil {
				return err
			}
			_ = m.cmd.Wait() // it was killed
			f.killed.Add(m.name)
			if err := m.start(ctx, f.program); err != nil {
				return err
			}
		}
		if f.rounds.Add(1); once {
			return nil
		}
	}
}

// killedAll reports whether each victim was killed, and is there again.
func (f *fleet) killedAll() bool { return f.rounds.Load() > 0 }

// Figures beside those of testsoak.
const (
	temporaryFiles = "temporary files"
	redisKeys      = "keys in Redis"
	expiredObjects = "expired downloads"
)

// figures are those of the programs that are not killed, and of what all share, with
// names such as "api 1/goroutines".
func (f *fleet) figures(ctx context.Context, t *testing.T) testsoak.Figures {
	t.Helper()
	ctx = context.WithoutCancel(ctx)
	all := testsoak.Figures{}
	for _, m := range []*member{f.apis[0], f.mcps[0], f.sandbox} {
		own := testsoak.Figures{}
		var err error
		if m.metrics != "" {
			for range 3 { // a connection may be cut off while the machine is busy
				if own, err = testsoak.Metrics(ctx, m.metrics); err == nil {
					break
				}
			}
		} else {
			own[testsoak.Memory], own[testsoak.Files], err = ofProcess(m.cmd.Process.Pid)
		}
		require.NoError(t, err, "%s: %s", m.name, m.lastWords())
		own[temporaryFiles] = float64(filesBelow(m.tmp))
		for name, value := range own {
			all[m.name+"/"+name] = value
		}
	}
	keys, err := redis.Int(f.inRedis(t, "DBSIZE"))
	require.NoError(t, err)
	all["all/"+redisKeys] = float64(keys)
	now, expired := time.Now(), 0
	for _, name := range f.s3.Objects(t, bucket) {
		if ends, err := time.Parse("20060102T150405Z", strings.Split(filepath.Base(name), "-")[0]); err == nil && ends.Before(now) {
			expired++
		}
	}
	all["all/"+expiredObjects] = float64(expired)
	return all
}

// split sorts figures by program.
func split(all testsoak.Figures) map[string]testsoak.Figures {
	by := map[string]testsoak.Figures{}
	for name, value := range all {
		program, what, _ := strings.Cut(name, "/")
		if by[program] == nil {
			by[program] = testsoak.Figures{}
		}
		by[program][what] = value
	}
	return by
}

// ofProcess is the memory of a process in MiB, and how many files it has open.
func ofProcess(pid int) (memory, files float64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, 0, err
	}
	var size, resident int
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0, 0, err
	}
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return float64(resident*os.Getpagesize()) / (1 << 20), float64(len(entries)), err
}

// filesBelow counts all in a folder.
func filesBelow(dir string) (n int) {
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && path != dir {
			n++
		}
		return nil // what goes while it is counted is gone
	})
	return n
}

// inRedis runs a command.
func (f *fleet) inRedis(t *testing.T, command string, args ...any) (any, error) {
	t.Helper()
	conn, err := redis.DialURL(f.redis.URL())
	require.NoError(t, err)
	defer conn.Close()
	return conn.Do(command, args...)
}

// checkLeftovers ends all servers in order and looks at what is left.
func (f *fleet) checkLeftovers(t *testing.T) {
	t.Helper()
	names, err := redis.Strings(f.inRedis(t, "KEYS", "*"))
	require.NoError(t, err)
	keys, longest := len(names), time.Duration(0)
	for _, name := range names {
		if strings.HasSuffix(name, ":secret") {
			continue // what confirmations are sealed with: one for all
		}
		seconds, err := redis.Int64(f.inRedis(t, "TTL", name))
		require.NoError(t, err)
		assert.NotEqual(t, int64(-1), seconds, "the key %s stays for good", name)
		longest = max(longest, time.Duration(seconds)*time.Second)
	}
	// A sweep comes every five minutes.
	for _, name := range f.s3.Objects(t, bucket) {
		ends, err := time.Parse("20060102T150405Z", strings.Split(filepath.Base(name), "-")[0])
		require.NoError(t, err, name)
		assert.Less(t, time.Since(ends), 6*time.Minute, "%s was not removed", name)
	}
	t.Logf("%d keys in Redis, the longest-lived for %v more, %d downloads", keys, longest, len(f.s3.Objects(t, bucket)))
	for i := range f.all {
		m := f.all[len(f.all)-1-i] // the ERP last
		require.NoError(t, m.cmd.Process.Signal(syscall.SIGTERM))
		err := m.cmd.Wait()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			assert.Zero(t, exit.ExitCode(), "%s: %s", m.name, m.lastWords())
		}
		assert.Zero(t, filesBelow(m.tmp), "%s leaves files", m.name)
	}
}

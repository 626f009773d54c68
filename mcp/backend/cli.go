package backend

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/mcp"
)

// CLIOptions change [NewCLI]. Nil and the zero value are the defaults.
type CLIOptions struct {
	// Program is the command line program, a name on the PATH or a path; empty:
	// erphub.
	Program string
	// AIURL is the address of the AI API; empty: below the ERP's.
	AIURL string
	// Role is the role to query under where nobody says another; nil: none.
	Role *int
	// Own are the variables of the program's own login (NAME=value), for callers
	// that bring no token; nil refuses them.
	Own []string
	// Timeout bounds one run, 0: 2 min; MaxOutput what it may print in bytes, 0:
	// 8 MiB; Running how many run at a time, 0: 4.
	Timeout   time.Duration
	MaxOutput int
	Running   int
}

// CLIBackend runs the command line program as the caller, whose token it gets
// in its environment. It sees neither the configuration file nor the other
// variables of this process, so it never acts with somebody else's login.
type CLIBackend struct {
	opts    CLIOptions
	program string
	url     string
	turns   chan struct{}
}

var (
	_ Querier   = (*CLIBackend)(nil)
	_ Recorder  = (*CLIBackend)(nil)
	_ Writer    = (*CLIBackend)(nil)
	_ Processor = (*CLIBackend)(nil)
	_ Jobber    = (*CLIBackend)(nil)
)

// NewCLI makes a backend that runs the program for the ERP at an address. It
// fails when there is no such program.
func NewCLI(address string, opts *CLIOptions) (*CLIBackend, error) {
	b := &CLIBackend{url: address, opts: *cmp.Or(opts, &CLIOptions{})}
	if address == "" {
		return nil, errors.New("the backend cli needs the address of an ERP: set ERP_URL")
	}
	b.opts.Program = cmp.Or(b.opts.Program, "erphub")
	var err error
	if b.program, err = exec.LookPath(b.opts.Program); err != nil {
		return nil, fmt.Errorf("the backend cli needs the program %s: %w", b.opts.Program, err)
	}
	b.opts.Timeout = cmp.Or(max(b.opts.Timeout, 0), 2*time.Minute)
	b.opts.MaxOutput = cmp.Or(max(b.opts.MaxOutput, 0), 8<<20)
	b.opts.Running = cmp.Or(max(b.opts.Running, 0), 4)
	b.turns = make(chan struct{}, b.opts.Running)
	return b, nil
}

// Name is cli.
func (b *CLIBackend) Name() Name { return CLI }

// passed are variables of this process that the program needs, too: none says
// who is logged in.
var passed = []string{"PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SystemRoot"}

// environment is all the program gets to know.
func (b *CLIBackend) environment(caller mcp.Caller) ([]string, error) {
	var env []string
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	switch token := caller.Token.Reveal(); {
	case caller.Identity != nil:
		return nil, errProvided
	case token != "":
		if strings.ContainsAny(token, "\x00\n") {
			return nil, errNoToken
		}
		env = append(env, "ERP_TOKEN="+token)
	case len(b.opts.Own) > 0:
		env = append(env, b.opts.Own...)
	default:
		return nil, errNoToken
	}
	env = append(env, "ERP_URL="+b.url) // the last of a name counts
	if b.opts.AIURL != "" {
		env = append(env, aiclient.EnvURL+"="+b.opts.AIURL)
	}
	return env, nil
}

// run runs the program and decodes what it prints. Arguments that are somebody
// else's words must be checked, or stand behind "=" or "--".
func (b *CLIBackend) run(ctx context.Context, caller mcp.Caller, input []byte, out any, args ...string) error {
	for _, a := range args {
		if strings.Contains(a, "\x00") {
			return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "an argument holds a NUL character"}
		}
	}
	if err := mcp.Spend(ctx, 1); err != nil {
		return err
	}
	env, err := b.environment(caller)
	if err != nil {
		return err
	}
	select {
	case b.turns <- struct{}{}:
		defer func() { <-b.turns }()
	case <-ctx.Done():
		return ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, b.opts.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, b.program, append([]string{"--json"}, args...)...)
	cmd.Env, cmd.Dir = env, os.TempDir()
	cmd.Stdin = bytes.NewReader(input)
	printed, said := &bounded{most: b.opts.MaxOutput, full: cancel}, &bounded{most: 16 << 10}
	cmd.Stdout, cmd.Stderr = printed, said
	cmd.WaitDelay = 2 * time.Second
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case printed.over:
		return &mcp.Error{Code: mcp.CodeTooLarge, Message: fmt.Sprintf("the program printed more than %d bytes", b.opts.MaxOutput), Hint: "request less"}
	case limited.Err() != nil:
		return &mcp.Error{Code: mcp.CodeTimeout, Message: fmt.Sprintf("the program did not finish within %v", b.opts.Timeout), Hint: "request less, or try again"}
	case err != nil:
		return failed(err, string(said.kept), caller.Token.Reveal())
	}
	d := json.NewDecoder(bytes.NewReader(printed.kept))
	d.UseNumber()
	if err := d.Decode(out); err != nil {
		return fmt.Errorf("the program printed something else than was requested: %w", err)
	}
	return nil
}

// bounded keeps the first bytes that are written.
type bounded struct {
	kept []byte
	most int
	over bool
	full func() // called when there is more; may be nil
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - len(b.kept)
	if len(p) <= room {
		b.kept = append(b.kept, p...)
		return len(p), nil
	}
	b.kept, b.over = append(b.kept, p[:room]...), true
	if b.full != nil {
		b.full()
	}
	return len(p), nil
}

// Check requests one record every role may read.
func (b *CLIBackend) Check(ctx context.Context, caller mcp.Caller) (string, error) {
	page, err := b.Search(ctx, caller, Search{Table: "AD_Client", Select: []string{"Name"}, Limit: 1})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("the program %s reaches the ERP; the role sees %d tenants or more", b.opts.Program, len(page.Records)), nil
}

// role is the flag for the role to query under.
func (b *CLIBackend) role(caller mcp.Caller, named *int) (string, error) {
	role, ok := roleOf(caller, named)
	if named == nil && b.opts.Role != nil && (!ok || caller.Token.Reveal() == "") {
		role, ok = *b.opts.Role, true
	}
	switch {
	case !ok && caller.Token.Reveal() == "":
		return "", nil // the program knows the role of its own login
	case !ok:
		return "", errNoRole
	}
	return "--role=" + strconv.Itoa(role), nil
}

//go:build unix

package pgcluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// keeper is a shell that outlives this process to clean up behind it.
type keeper struct {
	cmd   *exec.Cmd
	alive *os.File // its input, which ends when this process does
}

// cleanUp waits for the end of its input, which is that of the process that
// started it, stops the server of the folder $1, and removes the folder.
const cleanUp = `cat >/dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
	kill -QUIT "$pid" 2>/dev/null
	n=0
	while kill -0 "$pid" 2>/dev/null && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done
	kill -KILL "$pid" 2>/dev/null
fi
rm -rf -- "$1"`

// keep starts the shell that cleans up.
func keep(dir string) (*keeper, error) {
	input, output, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	cmd := exec.Command("/bin/sh", "-c", cleanUp, "sh", dir)
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin"}
	cmd.Stdin = input
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting what cleans up: %w", err), output.Close())
	}
	return &keeper{cmd: cmd, alive: output}, nil
}

// release lets the shell do its work; the shell has nothing to do when the server has
// ended and the folder is gone.
func (k *keeper) release() {
	_ = k.alive.Close() // nothing was written
	_ = k.cmd.Wait()    // there is nobody to tell
}

// unprivileged is whom the server runs as, because it refuses to run as root;
// nil means ourselves. The folder becomes that user's.
func unprivileged(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, fmt.Errorf("PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it as: %w; run this as another user", err)
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

package testproc

import "syscall"

// dieWithParent has the kernel kill the program when the test binary is gone.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

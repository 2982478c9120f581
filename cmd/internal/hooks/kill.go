//go:build !js

package hooks

import (
	"os/exec"
	"syscall"
)

// killGroup makes the end of a program's context kill the program and its child processes.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

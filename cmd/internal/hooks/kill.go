//go:build !js

package hooks

import (
	"os/exec"
	"syscall"
)

// killGroup has the end of a program's context kill it with all that it has started.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

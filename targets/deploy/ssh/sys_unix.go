//go:build unix

package ssh

import (
	"io/fs"
	"os/exec"
	"syscall"
)

// owner returns the owner of a file.
func owner(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// ownSession starts a program without a terminal. So the program cannot ask questions, and does not receive a Ctrl-C for rocec.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

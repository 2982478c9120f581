//go:build unix

package ssh

import (
	"io/fs"
	"os/exec"
	"syscall"
)

// owner returns the user a file belongs to.
func owner(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// ownSession starts a program without a terminal, so that it cannot ask questions and no Ctrl-C for rocec reaches it.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

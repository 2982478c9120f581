//go:build unix

package safefile

import (
	"io/fs"
	"syscall"
)

// openFlags make the open fail for a link as the last element of a path, and not wait for the other end of a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// owner returns the owner of a file.
func owner(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

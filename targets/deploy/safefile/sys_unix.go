//go:build unix

package safefile

import (
	"io/fs"
	"syscall"
)

// openFlags refuse a link as the last element of a path, and do not wait for the other end of a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// owner returns the user a file belongs to.
func owner(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

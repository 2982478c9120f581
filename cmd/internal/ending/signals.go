//go:build !js

package ending

import (
	"os"
	"os/signal"
	"syscall"
)

// stopSignals are the signals that interrupt: SIGINT, SIGTERM, and SIGHUP of a closed terminal.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// closes reports whether a signal is from a closed terminal. Such a signal never counts as the second one.
func closes(s os.Signal) bool { return s == syscall.SIGHUP }

// IgnoreBrokenPipes keeps the process running when its output is no longer read: a closed pager must not stop an apply half way.
func IgnoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

//go:build !js

package ending

import (
	"os"
	"os/signal"
	"syscall"
)

// stopSignals interrupt: Ctrl-C, an end asked for, and a terminal that was closed.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// closes reports whether a signal is that of a closed terminal: no person insists with it.
func closes(s os.Signal) bool { return s == syscall.SIGHUP }

// IgnoreBrokenPipes keeps the process going when its output is not read any more: a reader who has seen enough must not stop
// an apply half way.
func IgnoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

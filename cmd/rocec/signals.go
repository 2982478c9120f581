//go:build !js

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// stopSignals interrupt: Ctrl-C, an end asked for, and a terminal that was closed.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// closes reports whether a signal says that the terminal was closed, which nobody does to insist.
func closes(s os.Signal) bool { return s == syscall.SIGHUP }

// ignoreBrokenPipes keeps the process going when nobody reads its output any more: a reader who has seen enough must not stop
// an apply half way.
func ignoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

//go:build !js

package main

import (
	"os/signal"
	"syscall"
)

// ignoreBrokenPipes keeps the process going when nobody reads its output any more: a reader who has seen enough must not stop
// an apply half way.
func ignoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

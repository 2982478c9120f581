package hooks

import "os/exec"

// killGroup does nothing: JavaScript starts no programs.
func killGroup(*exec.Cmd) {}

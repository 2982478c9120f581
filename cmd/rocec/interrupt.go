package main

import (
	"github.com/spf13/cobra"
)

// deviceVerbs lists the verbs that touch devices, real or in a lab. At a signal they first finish the changes under way, and then end.
// All other verbs end at once.
var deviceVerbs = map[string]bool{
	"apply": true, "collect": true, "confirm": true, "gate": true, "gids": true, "lab": true, "plan": true, "remove": true, "replace": true,
	"resume": true, "rollback": true, "selftest": true, "storm": true, "unlock": true, "verify": true,
}

// touchesDevices reports whether a command, or a command above it, is one of deviceVerbs.
func touchesDevices(cmd *cobra.Command) bool {
	for ; cmd.HasParent(); cmd = cmd.Parent() {
		if deviceVerbs[cmd.Name()] {
			return true
		}
	}
	return false
}

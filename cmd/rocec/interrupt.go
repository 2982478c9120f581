package main

import (
	"github.com/spf13/cobra"
)

// deviceVerbs are the verbs that touch devices, real ones or those of a lab. A signal asks them to end, and they bring what is under way
// to its end first. All other verbs end at the first signal, whatever they are doing.
var deviceVerbs = map[string]bool{
	"apply": true, "collect": true, "confirm": true, "gids": true, "lab": true, "plan": true, "remove": true, "replace": true, "resume": true,
	"rollback": true, "selftest": true, "unlock": true, "verify": true,
}

// touchesDevices reports whether a command, or one that it belongs to, is a verb that touches devices.
func touchesDevices(cmd *cobra.Command) bool {
	for ; cmd.HasParent(); cmd = cmd.Parent() {
		if deviceVerbs[cmd.Name()] {
			return true
		}
	}
	return false
}

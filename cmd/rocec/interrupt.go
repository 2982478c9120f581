package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/wholefile"
)

// deviceVerbs are the verbs that touch devices, real ones or those of a lab. A signal asks them to end, and they bring what is under way
// to its end first. All other verbs end at the first signal, whatever they are doing.
var deviceVerbs = map[string]bool{
	"apply": true, "confirm": true, "gids": true, "lab": true, "plan": true, "remove": true, "replace": true, "resume": true,
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

// patience is how long the end of the program waits for a file that is being written.
const patience = 2 * time.Second

// endWhole ends the program at the first signal, when no file is half-written.
func endWhole(stderr io.Writer) {
	whole := make(chan struct{})
	go func() {
		wholefile.Wait()
		close(whole)
	}()
	select {
	case <-whole:
	case <-time.After(patience):
	}
	fmt.Fprintln(stderr, "rocec: interrupted")
	os.Exit(exit.Interrupted)
}

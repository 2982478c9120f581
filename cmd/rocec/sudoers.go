package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy/order"
)

// readVerbs and lockVerbs are the verbs of the gate that lines of sudoers allow alone. A verb with arguments has a pattern for them.
var (
	readVerbs = []string{"hello", "cat *", "query *", "state *", "given *", "held *", "kept *", "records *"}
	lockVerbs = []string{"mark *", "unmark *", "unlock *", "sweep *"}
)

// inArguments escapes what has a meaning for sudoers in the arguments of a command.
var inArguments = strings.NewReplacer(`\`, `\\`, ",", `\,`, ":", `\:`, "=", `\=`, "*", `\*`,
	"?", `\?`, "[", `\[`, "]", `\]`, "!", `\!`)

// printSudoers prints lines of sudoers for logins of rocec. LOGIN is a placeholder for the name of the login.
func printSudoers(p *person.Person, _ *cobra.Command) {
	var read []string
	for _, cat := range []string{"/bin/cat", "/usr/bin/cat"} { // sudo compares the path that it finds
		for _, path := range targets.Paths() {
			read = append(read, cat+" "+inArguments.Replace(path))
		}
	}
	through := func(verbs []string) (commands []string) {
		for _, verb := range verbs {
			commands = append(commands, order.Gate+" "+verb)
		}
		return commands
	}
	for _, part := range []struct {
		comment  string
		commands []string
	}{
		{"plan and verify, without a gate: LOGIN reads the files that rocec writes, and nothing else of root.", read},
		{"plan and verify, through the gate: LOGIN also reads the records of runs.", through(readVerbs)},
		{"Locks, through the gate: LOGIN marks switches, and unlocks runs that are over.", through(lockVerbs)},
		{"apply, through the gate: LOGIN does all of the above, and changes the device by a signed run.", []string{order.Gate}},
	} {
		fmt.Fprintf(p.Stdout, "# %s\nLOGIN ALL=(root) NOPASSWD: %s\n\n", part.comment, strings.Join(part.commands, ", \\\n\t"))
	}
	fmt.Fprintln(p.Stdout, "# Put the lines that you need into a file below /etc/sudoers.d, and check it: visudo -cf FILE.\n"+
		"# rocec gate --install writes the last line itself.")
}

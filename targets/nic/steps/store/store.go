// Package store makes the step that stores parameters in cards and resets them, and the query that reads the stored parameters, for the
// families of NICs whose script has the verbs stored, store, reset and restore_stored.
package store

import (
	"strings"
	"time"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/nic/steps"
)

// ResetTime limits the reset of one card: the driver stops, the card restarts, and the interfaces come back.
const ResetTime = 3 * time.Minute

// Query returns the query that reads the stored parameters of the card of a NIC. At has the wanted values of the parameters to read. A NIC
// that leaves may not exist.
func Query(k *steps.Kit, n steps.NIC) *commands.Query {
	return &commands.Query{
		Name:  k.Driver + " stored " + steps.Word(n.Name, nil, n.At),
		Cmd:   "[ ! -e /sys/class/net/" + steps.Quote(n.Name) + " ] || sh -s -- stored " + steps.Quote(n.Name) + n.Where(),
		Stdin: k.Script(),
	}
}

// Step returns the step that stores the parameters of NICs in their cards, and then resets each card that uses other values. The ports of
// a card store first, so that one reset serves all of them. The undo stores the values that the query printed before, and resets again. It
// also does so at boot, because a card keeps what it stores.
func Step(k *steps.Kit, nics []steps.NIC) *commands.Step {
	var title strings.Builder
	title.WriteString(k.Driver + " store")
	program, before := k.Program(), steps.BeforeDir(k)
	cmds, undo := []string{"script=$(cat)"}, []string{"script=$(cat)", "failed=0"}
	var resets, forget []string
	for _, n := range nics {
		var flags []string
		name, record := steps.Quote(n.Name), before+steps.Quote(n.Name)+".stored"
		if n.Leaves {
			flags = append(flags, "leaves")
			forget = append(forget, "rm -f "+record)
			undo = append(undo, "mkdir -p "+before, "printf '%s\\n'"+n.Where()+" >"+record)
		}
		title.WriteString(" " + steps.Word(n.Name, flags, n.At))
		cmds = append(cmds, `sh -c "$script" `+program+" store "+name+n.Where()+" || exit")
		resets = append(resets, `sh -c "$script" `+program+" reset "+name+n.Where()+" || exit")
		live := `"$ROCEC_LIVE"/` + steps.Quote(steps.StoredName(n.Name))
		undo = append(undo, "[ ! -s "+live+` ] || sh -c "$script" `+program+" restore_stored "+name+" "+live+" || failed=1")
	}
	if forget != nil {
		forget = append(forget, "rmdir "+before+" 2>/dev/null || :")
	}
	cmds = append(append(cmds, resets...), forget...)
	return &commands.Step{
		Name: title.String(),
		Cmd:  strings.Join(cmds, "\n"), Stdin: string(k.Script()),
		Undo:    &commands.Query{Cmd: strings.Join(append(undo, `exit "$failed"`, ""), "\n"), Stdin: k.Script()},
		Timeout: time.Duration(len(nics)) * (ResetTime + time.Minute),
	}
}

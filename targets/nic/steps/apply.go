package steps

import (
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/commands"
)

// UnitTime is the time limit of systemd for one NIC (TimeoutStartSec), and a margin.
const UnitTime = 130 * time.Second

// Apply returns the step that makes the NICs of a host use their value files.
//
// Every file of a host has the same step, so a change of any file applies every NIC once; for unchanged NICs this writes nothing. NICs are
// applied one after the other, because the ports of a bond must not bounce together. systemd runs the script, so the script continues if it
// bounces the link of the SSH session.
//
// The earlier content of a value file is not enough to restore a NIC that had no file yet, or that an operator had set by hand. So the
// undo writes the values that show printed before the change.
func (k *Kit) Apply(ours []NIC) *commands.Step {
	var title strings.Builder
	title.WriteString(k.Driver + " apply")
	script, before := k.ScriptPath(), BeforeDir(k)
	cmds, checks := []string{"systemctl daemon-reload"}, make([]string, 0, len(ours)+1)
	undo := []string{"script=$(cat)", "systemctl daemon-reload", "failed=0"}
	for _, n := range ours {
		u, name := Quote(k.Unit(n.Name)), Quote(n.Name)
		// A devlink reload removes the interface for a moment, and systemd stops the unit with it. In this case the unit is started once more.
		// check reports settings that were not applied.
		cmds = append(cmds, "systemctl enable "+u, "{ systemctl restart "+u+" || case $(systemctl show -p Result "+u+") in "+
			"Result=exit-code | Result=timeout) false ;; *) systemctl restart "+u+" ;; esac || { sh "+script+" check "+name+"; false; }; }")
		checks = append(checks, "systemctl is-active --quiet "+u, "sh "+script+" check "+name)
		vlan := "" // show does not print the VLAN, and restore needs it to set the map
		var flags, at []string
		if n.Carries {
			flags = append(flags, "carries")
		}
		if id := n.VLAN(); id > 0 {
			vlan = " vlan=" + strconv.Itoa(id)
			at = append(at, vlan[1:])
		}
		title.WriteString(" " + Word(n.Name, flags, at))
		// At boot the NIC has the settings of the firmware, and a remaining unit starts later.
		undo = append(undo, "if [ ! -e "+ConfDir+name+".conf ]; then",
			"\tsystemctl disable "+u+" 2>/dev/null", // by name, since the unit file was removed
			"\trm -f "+wantedBy(n.Name)+u,
			"\trmdir "+wantedBy(n.Name)+" 2>/dev/null",
			"\tsystemctl stop "+u+" 2>/dev/null",
			"else", // also if an undo is undone, and the files return
			"\tsystemctl enable "+u+" || failed=1",
			"\t[ \"$ROCEC_WHY\" = boot ] || systemctl restart "+u+" || failed=1",
			"fi",
			"if [ \"$ROCEC_WHY\" = boot ]; then",
			"\t[ -e "+ConfDir+name+".conf ] || rm -f "+before+name+".before",
			"elif [ ! -e "+ConfDir+name+".conf ] && [ -e "+before+name+".before ]; then", // this also removes what else the script has made
			"\tsh -c \"$script\" "+k.Program()+" leave "+name+" || failed=1",
			"else",
			"\tsh -c \"$script\" "+k.Program()+" restore "+name+" \"$ROCEC_LIVE\"/"+Quote(StateName(n.Name))+vlan+" || failed=1",
			"fi")
	}
	undo = append(undo, "exit \"$failed\"", "")
	checks = append(checks, "echo "+commands.Loaded)
	return &commands.Step{
		Name:    title.String(),
		Cmd:     strings.Join(cmds, " && "),
		Undo:    &commands.Query{Cmd: strings.Join(undo, "\n"), Stdin: k.Script()},
		Loaded:  &commands.Query{Cmd: strings.Join(checks, " && ")},
		Timeout: time.Duration(len(ours)) * UnitTime,
	}
}

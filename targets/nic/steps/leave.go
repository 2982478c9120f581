package steps

import (
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/commands"
)

// Defaults returns the lines that a NIC gets whose settings from before rocec are unknown: those of Plain, without a map where at has no
// VLAN.
func (k *Kit) Defaults(at []string) string {
	if slices.ContainsFunc(at, func(arg string) bool { return strings.HasPrefix(arg, "vlan=") }) {
		return k.Plain
	}
	return Without(k.Plain, "vlan_map")
}

// Without returns the lines KEY=VALUE of a text without those of a key.
func Without(text, key string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if k, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "="); k != key {
			out.WriteString(strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return out.String()
}

// plain returns the arguments of leave for a NIC whose settings from before rocec are unknown: the defaults, and where they belong.
func (k *Kit) plain(n *NIC) string {
	if !n.Plain {
		return ""
	}
	var args strings.Builder
	for line := range strings.Lines(k.Defaults(n.At)) {
		args.WriteString(" " + Quote(strings.TrimSuffix(line, "\n")))
	}
	return args.String() + n.Where()
}

// Leave returns the step that restores the settings of NICs and removes what the script keeps about them. The undo runs after the
// files were restored. Like every undo, it applies what the files state at that time.
func (k *Kit) Leave(goes []NIC) *commands.Step {
	cmds := []string{"script=$(cat)", "failed=0"}
	undo := []string{"script=$(cat)", "systemctl daemon-reload", "failed=0"}
	var title strings.Builder
	title.WriteString(k.Driver + " leave")
	program, before := k.Program(), BeforeDir(k)
	for _, l := range goes {
		var flags []string
		if l.Taken {
			flags = append(flags, "taken")
		}
		if l.Plain {
			flags = append(flags, "plain")
		}
		title.WriteString(" " + Word(l.Name, flags, l.At))
		plain := k.plain(&l)
		u, q, live := Quote(k.Unit(l.Name)), Quote(l.Name), `"$ROCEC_LIVE"/`+Quote(StateName(l.Name))
		gone := []string{
			"systemctl disable " + u + " 2>/dev/null", // by name, since the unit file may be missing
			"rm -f " + wantedBy(l.Name) + u,
			"rmdir " + wantedBy(l.Name) + " 2>/dev/null",
			"systemctl stop " + u + " 2>/dev/null",
		}
		cmds = append(cmds, gone...)
		if l.Taken {
			// The card may be another one, or the same with Soft-RoCE above it: restore as much as possible.
			cmds = append(cmds, `sh -c "$script" `+program+" leave "+q+plain+" 2>/dev/null", "rm -f "+before+q+".before",
				"rmdir "+before+" 2>/dev/null")
			undo = append(undo, "if [ -e "+k.UnitPath()+" ]; then systemctl enable "+u+" || failed=1; else", strings.Join(gone, "\n"), "fi")
			continue
		}
		leave := `sh -c "$script" ` + program + " leave " + q + plain + " || failed=1"
		cmds = append(cmds, leave)
		undo = append(append(append(undo, "if [ ! -e "+ConfDir+q+".conf ]; then"), gone...),
			`[ "$ROCEC_WHY" = boot ] || `+leave,
			"else",
			"systemctl enable "+u+" || failed=1",
			`[ "$ROCEC_WHY" = boot ] || systemctl restart `+u+" || failed=1", // at boot the unit starts later
			`[ "$ROCEC_WHY" = boot ] || [ ! -s `+live+` ] || sh -c "$script" `+program+" restore "+q+" "+live+l.Where()+" || failed=1",
			"fi")
	}
	cmds = append(cmds, "systemctl daemon-reload || failed=1")
	return &commands.Step{
		Name: title.String(),
		Cmd:  strings.Join(append(cmds, `exit "$failed"`), "\n"), Stdin: string(k.Script()),
		Undo:    &commands.Query{Cmd: strings.Join(append(undo, `exit "$failed"`, ""), "\n"), Stdin: k.Script()},
		Timeout: time.Duration(len(goes)+1) * UnitTime,
	}
}

package nic

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// A NIC leaves when it is in no intent, or no longer in the fabric. It gets the settings from before the first apply, which the script
// keeps in IF.before, and rocec's files for it are removed. With the last NIC of a family, its script, unit and rules are removed. rocec
// looks for these files on the host, so it stores nothing about earlier runs.

// leavings returns the cleanup of a host. Its query finds the NICs of the family for which the host keeps settings.
func (f *Family) leavings(d *ir.Device) []*target.Cleanup {
	stays, taken := map[string]bool{}, map[string]bool{}
	for _, n := range d.Host.NICs {
		switch {
		case n.Model.Driver == f.Driver && Wanted(n):
			stays[n.Name] = true
		case Wanted(n):
			taken[n.Name] = true
		}
	}
	return []*target.Cleanup{{
		Query: target.Query{Cmd: f.held},
		Files: func(answer []byte) []target.File { return f.leave(stays, taken, parseHeld(answer)) },
	}}
}

// heldCmd returns a command that prints everything of the family on a host, for [parseHeld]. The first line of a value file names the
// script that applies it.
func (f *Family) heldCmd() string {
	return `for f in ` + confDir + `*.conf; do
[ -f "$f" ] || continue
read -r line <"$f"
case $line in *" ` + f.scriptPath + `."*) n=${f##*/} ;; *) continue ;; esac
printf 'nic %s\n' "${n%.conf}"
while IFS= read -r line; do
case $line in bond=* | vlan=* | vf_roce_*) printf 'at %s\n' "$line" ;; esac
done <"$f"
done
for f in ` + f.beforeDir() + `*.before; do
[ -f "$f" ] || continue
n=${f##*/}
printf 'nic %s\n' "${n%.before}"
while IFS= read -r line; do printf '\t%s\n' "$line"; done <"$f"
done
for f in ` + f.scriptPath + " " + f.unitPath + " " + f.rulesPath + `; do [ ! -f "$f" ] || printf 'file %s\n' "$f"; done
true`
}

// beforeDir returns the folder in which the script keeps the settings of NICs from before rocec.
func (f *Family) beforeDir() string { return "/var/lib/rocec/" + f.tool + "/" }

// heldHost contains what a host has of a family.
type heldHost struct {
	before map[string]string // by NIC: the lines of its settings before rocec; empty: unknown
	at     map[string]string // by NIC: the lines of its value file that state where its settings are
	files  []string
}

// parseHeld reads the output of heldCmd. It skips names that are not valid for an interface, because names become paths.
func parseHeld(answer []byte) heldHost {
	h := heldHost{before: map[string]string{}, at: map[string]string{}}
	name := ""
	for line := range strings.Lines(string(answer)) {
		line = strings.TrimSuffix(line, "\n")
		kind, rest, _ := strings.Cut(line, " ")
		switch text, of := strings.CutPrefix(line, "\t"); {
		case of && name != "":
			h.before[name] += text + "\n"
		case of:
		case kind == "at" && name != "":
			h.at[name] += rest + "\n"
		case kind == "nic":
			if name = ""; ifName(rest) {
				name = rest
				h.before[name] += ""
			}
		case kind == "file":
			name = ""
			h.files = append(h.files, rest)
		}
	}
	return h
}

// ifName reports whether a text can be the name of a Linux interface and a part of paths and unit names.
func ifName(s string) bool {
	if s == "" || len(s) > 15 || s == "." || s == ".." {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '/' || r > '~' })
}

// leave returns the files whose edit removes the settings of the NICs that do not stay. A NIC is taken if a card of another family has its
// name now: then its value file stays, as it belongs to that family.
func (f *Family) leave(stays, taken map[string]bool, h heldHost) []target.File {
	var all, leaving []string
	for name := range h.before {
		if stays[name] {
			continue
		}
		all = append(all, name)
		if !taken[name] {
			leaving = append(leaving, name)
		}
	}
	slices.Sort(all)
	slices.Sort(leaving)
	last := len(stays) == 0
	if len(all) == 0 && !(last && len(h.files) > 0) {
		return nil
	}
	var goes []leaver
	for _, name := range all {
		goes = append(goes, f.leaver(name, taken[name], h))
	}
	step := f.leaveStep(goes)
	gone := func(path string, mode fs.FileMode) target.File { // an undo restores the mode
		return target.File{Path: path, Mode: mode, Edit: func([]byte) ([]byte, diag.List) { return nil, nil }, Activate: step}
	}
	var files []target.File
	for _, name := range leaving {
		files = append(files, gone(confPath(name), 0o644))
	}
	if last {
		for _, path := range []string{f.rulesPath, f.unitPath} {
			if slices.Contains(h.files, path) {
				files = append(files, gone(path, 0o644))
			}
		}
		if slices.Contains(h.files, f.scriptPath) {
			files = append(files, gone(f.scriptPath, 0o755))
		}
	}
	for i := range goes {
		if !goes[i].taken {
			files = append(files, f.stateBefore(&goes[i], step))
		}
	}
	return files
}

// leaver is a NIC that leaves.
type leaver struct {
	name    string
	taken   bool
	before  string   // lines of the settings to restore
	unknown bool     // its earlier settings are unknown: it gets the defaults
	plain   string   // if unknown: the wanted settings and the content of at, as arguments
	at      []string // where show and restore find its settings, as KEY=VALUE
}

// where returns at as arguments of a command.
func (l *leaver) where() string {
	var args strings.Builder
	for _, arg := range l.at {
		args.WriteString(" " + Quote(arg))
	}
	return args.String()
}

// fill sets the defaults of a NIC whose earlier settings are unknown.
func (f *Family) fill(l *leaver) {
	if !l.unknown {
		return
	}
	l.before = f.Plain
	if !slices.ContainsFunc(l.at, func(arg string) bool { return strings.HasPrefix(arg, "vlan=") }) {
		l.before = without(l.before, "vlan_map")
	}
	lines([]byte(l.before), func(line []byte, _, _ string, _ bool) { l.plain += " " + Quote(string(line)) })
	l.plain += l.where()
}

func (f *Family) leaver(name string, taken bool, h heldHost) leaver {
	l := leaver{name: name, taken: taken, before: h.before[name], unknown: h.before[name] == "", at: where(cmp.Or(h.at[name], h.before[name]))}
	if f.fill(&l); !l.unknown && string(find([]byte(h.at[name]), "vlan")) != string(find([]byte(l.before), "vlan")) {
		l.before = without(l.before, "vlan_map")
	}
	return l
}

// without returns the lines without those of a key.
func without(text, key string) string {
	var out strings.Builder
	lines([]byte(text), func(line []byte, k, _ string, _ bool) {
		if k != key {
			out.Write(append(line, '\n'))
		}
	})
	return out.String()
}

// stateBefore returns the live state of a NIC that leaves, with its settings from before rocec.
func (f *Family) stateBefore(l *leaver, step target.Step) target.File {
	before := l.before
	return target.File{
		Path: stateName(l.name),
		Edit: func(old []byte) ([]byte, diag.List) {
			if len(old) == 0 {
				return old, nil
			}
			var out []byte
			lines(old, func(line []byte, key, value string, ok bool) {
				mine := find([]byte(before), key)
				// Settings that the host decides stay. So does dcbx: only mlnx_qos can give DCBX back to the firmware.
				if _, is := cannot(value); ok && mine != nil && !is && key != "mtu" && key != "bond" && key != "dcbx" {
					line = mine
				}
				out = append(append(out, line...), '\n')
			})
			return out, nil
		},
		Keys: func(content []byte) []target.Key {
			return keys(content, func(key string) bool { return find([]byte(before), key) != nil })
		},
		Live:     f.lookQuery(l),
		Activate: step,
	}
}

// lookQuery returns the query that reads a leaving NIC, which may not exist.
func (f *Family) lookQuery(l *leaver) *target.Query {
	return &target.Query{
		Name:  f.Driver.Name + " look " + word(l.name, nil, l.at),
		Cmd:   "[ ! -e /sys/class/net/" + Quote(l.name) + " ] || sh -s -- show " + Quote(l.name) + l.where(),
		Stdin: f.Script(),
	}
}

// where returns the lines that state where the settings of a NIC are, for show and restore. The lines come from the host, so it ignores
// lines that rocec would not write.
func where(before string) (args []string) {
	lines([]byte(before), func(_ []byte, key, value string, ok bool) {
		if ok && key != "vlan_ip" && !(key == "bond" && value == "none") && whereWord(key, value) {
			args = append(args, key+"="+value)
		}
	})
	return args
}

// leaveStep returns the step that restores the settings of NICs and removes what the script keeps about them. The undo runs after the
// files were restored. Like every undo, it applies what the files state at that time.
func (f *Family) leaveStep(goes []leaver) target.Step {
	cmds := []string{"script=$(cat)", "failed=0"}
	undo := []string{"script=$(cat)", "systemctl daemon-reload", "failed=0"}
	var names []string
	var title strings.Builder
	title.WriteString(f.Driver.Name + " leave")
	for _, l := range goes {
		var flags []string
		if l.taken {
			flags = append(flags, "taken")
		}
		if l.unknown {
			flags = append(flags, "plain")
		}
		title.WriteString(" " + word(l.name, flags, l.at))
		u, q, live := Quote(f.Unit(l.name)), Quote(l.name), `"$ROCEC_LIVE"/`+Quote(stateName(l.name))
		gone := []string{
			"systemctl disable " + u + " 2>/dev/null", // by name, since the unit file may be missing
			"rm -f " + wantedBy(l.name) + u,
			"rmdir " + wantedBy(l.name) + " 2>/dev/null",
			"systemctl stop " + u + " 2>/dev/null",
		}
		cmds = append(cmds, gone...)
		if l.taken {
			// The card may be another one, or the same with Soft-RoCE above it: restore as much as possible.
			cmds = append(cmds, `sh -c "$script" `+f.tool+" leave "+q+l.plain+" 2>/dev/null", "rm -f "+f.beforeDir()+q+".before",
				"rmdir "+f.beforeDir()+" 2>/dev/null")
			undo = append(undo, "if [ -e "+f.unitPath+" ]; then systemctl enable "+u+" || failed=1; else", strings.Join(gone, "\n"), "fi")
			continue
		}
		names = append(names, l.name)
		leave := `sh -c "$script" ` + f.tool + " leave " + q + l.plain + " || failed=1"
		cmds = append(cmds, leave)
		undo = append(append(append(undo, "if [ ! -e "+confDir+q+".conf ]; then"), gone...),
			`[ "$ROCEC_WHY" = boot ] || `+leave,
			"else",
			"systemctl enable "+u+" || failed=1",
			`[ "$ROCEC_WHY" = boot ] || systemctl restart `+u+" || failed=1", // at boot the unit starts later
			`[ "$ROCEC_WHY" = boot ] || [ ! -s `+live+` ] || sh -c "$script" `+f.tool+" restore "+q+" "+live+l.where()+" || failed=1",
			"fi")
	}
	cmds = append(cmds, "systemctl daemon-reload || failed=1")
	s := target.Step{
		Name: title.String(),
		Cmd:  strings.Join(append(cmds, `exit "$failed"`), "\n"), Stdin: string(f.Script()),
		Undo:    &target.Query{Cmd: strings.Join(append(undo, `exit "$failed"`, ""), "\n"), Stdin: f.Script()},
		Timeout: time.Duration(len(goes)+1) * unitTime, Soak: 5 * time.Second, Away: time.Minute,
	}
	if len(names) > 0 && !f.sets("pfc") {
		s.Disrupts = fmt.Sprintf("%s %s before rocec, and RDMA connections over %s end", strings.Join(names, ", "),
			diag.Plural(len(names), "gets back its settings from", "get back their settings from"), diag.Plural(len(names), "it", "them"))
		s.Outage = ir.Outage{Least: time.Second, Most: unitTime}
	} else if len(names) > 0 {
		s.Disrupts = fmt.Sprintf("%s %s before rocec, and the %s when the PFC mask changes", strings.Join(names, ", "),
			diag.Plural(len(names), "gets back its settings from", "get back their settings from"),
			diag.Plural(len(names), "link bounces", "links bounce"))
		s.Outage = ir.Outage{Least: time.Second, Most: time.Duration(len(names)) * 10 * time.Second}
	}
	return s
}

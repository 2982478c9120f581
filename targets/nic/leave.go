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
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/nic/steps"
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
		Query: f.held,
		Files: func(answer []byte) []target.File {
			h := parseHeld(answer)
			files := f.leave(stays, taken, h)
			if f.Cards != nil {
				files = append(files, f.Cards.Before(f, d, stays, h.stored)...)
			}
			return files
		},
	}}
}

// heldHost contains what a host has of a family.
type heldHost struct {
	before map[string]string // by NIC: the lines of its settings before rocec; empty: unknown
	stored map[string]string // by NIC: the lines of what its card stored before rocec
	at     map[string]string // by NIC: the lines of its value file that state where its settings are
	files  []string
}

// parseHeld reads the answer to [steps.Kit.Held]. It skips names that are not valid for an interface, because names become paths.
func parseHeld(answer []byte) heldHost {
	h := heldHost{before: map[string]string{}, stored: map[string]string{}, at: map[string]string{}}
	name, into := "", h.before
	for line := range strings.Lines(string(answer)) {
		line = strings.TrimSuffix(line, "\n")
		kind, rest, _ := strings.Cut(line, " ")
		switch text, of := strings.CutPrefix(line, "\t"); {
		case of && name != "":
			into[name] += text + "\n"
		case of:
		case kind == "at" && name != "":
			h.at[name] += rest + "\n"
		case kind == "nic", kind == "stored":
			if into = h.before; kind == "stored" {
				into = h.stored
			}
			if name = ""; steps.IsNetdev(rest) {
				name = rest
				into[name] += ""
			}
		case kind == "file":
			name = ""
			h.files = append(h.files, rest)
		}
	}
	return h
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
	var nics []steps.NIC
	for _, name := range all {
		l := f.leaver(name, taken[name], h)
		goes, nics = append(goes, l), append(nics, l.NIC)
	}
	step := f.leaveStep(f.Leave(nics), nics)
	gone := func(path string, mode fs.FileMode) target.File { // an undo restores the mode
		return target.File{Path: path, Mode: mode, Edit: func([]byte) ([]byte, diag.List) { return nil, nil }, Activate: step}
	}
	var files []target.File
	for _, name := range leaving {
		files = append(files, gone(steps.ConfPath(name), 0o644))
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
		if !goes[i].Taken {
			files = append(files, f.stateBefore(&goes[i], step))
		}
	}
	return files
}

// leaver is a NIC that leaves.
type leaver struct {
	steps.NIC
	before string // lines of the settings to restore
}

// leaver returns a NIC that leaves, with its settings to restore.
func (f *Family) leaver(name string, taken bool, h heldHost) leaver {
	before := h.before[name]
	l := leaver{steps.NIC{Name: name, Taken: taken, Plain: before == "", At: where(cmp.Or(h.at[name], before))}, before}
	switch {
	case l.Plain:
		l.before = f.Defaults(l.At)
	case string(find([]byte(h.at[name]), "vlan")) != string(find([]byte(before), "vlan")):
		l.before = steps.Without(before, "vlan_map")
	}
	return l
}

// stateBefore returns the live state of a NIC that leaves, with its settings from before rocec.
func (f *Family) stateBefore(l *leaver, step target.Step) target.File {
	before := l.before
	return target.File{
		Path: steps.StateName(l.Name),
		Edit: func(old []byte) ([]byte, diag.List) {
			if len(old) == 0 {
				return old, nil
			}
			var out []byte
			Lines(old, func(line []byte, key, value string, ok bool) {
				mine := find([]byte(before), key)
				// Settings that the host decides stay. So does dcbx: only mlnx_qos can give DCBX back to the firmware.
				if _, is := Cannot(value); ok && mine != nil && !is && key != "mtu" && key != "bond" && key != "dcbx" {
					line = mine
				}
				out = append(append(out, line...), '\n')
			})
			return out, nil
		},
		Keys: func(content []byte) []target.Key {
			return Keys(content, func(key string) bool { return find([]byte(before), key) != nil })
		},
		Live:     f.Look(l.NIC),
		Activate: step,
	}
}

// where returns the lines that state where the settings of a NIC are, for show and restore. The lines come from the host, so it ignores
// lines that rocec would not write.
func where(before string) (args []string) {
	Lines([]byte(before), func(_ []byte, key, value string, ok bool) {
		if ok && key != "vlan_ip" && !(key == "bond" && value == "none") && steps.IsPlace(key, value) {
			args = append(args, key+"="+value)
		}
	})
	return args
}

// leaveStep returns the step that restores NICs, with its effects: the NICs get back their settings from before rocec.
func (f *Family) leaveStep(c *commands.Step, nics []steps.NIC) target.Step {
	var names []string
	for _, n := range nics {
		if !n.Taken {
			names = append(names, n.Name)
		}
	}
	s := Watched(c)
	if len(names) > 0 && !f.sets("pfc") {
		s.Disrupts = fmt.Sprintf("%s %s before rocec, and RDMA connections over %s end", strings.Join(names, ", "),
			diag.Plural(len(names), "gets back its settings from", "get back their settings from"), diag.Plural(len(names), "it", "them"))
		s.Outage = ir.Outage{Least: time.Second, Most: steps.UnitTime}
	} else if len(names) > 0 {
		when, most := stopsWhen(f.Reopens)
		stops := diag.Plural(len(names), "link bounces", "links bounce")
		if f.Reopens != nil {
			stops = diag.Plural(len(names), "interface stops for a moment", "interfaces stop for a moment")
		}
		s.Disrupts = fmt.Sprintf("%s %s before rocec, and the %s%s", strings.Join(names, ", "),
			diag.Plural(len(names), "gets back its settings from", "get back their settings from"), stops, when)
		s.Outage = ir.Outage{Least: time.Second, Most: time.Duration(len(names)) * most}
	}
	return s
}

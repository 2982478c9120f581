package nic

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// Family is how the NICs of one driver are written.
type Family struct {
	Driver *ir.Driver
	Module string        // the kernel module of the interfaces: "mlx5_core"; empty: any
	Suffix string        // of the names of its script, unit and rules: "-bnxt"; unique among families
	Script func() []byte // of POSIX sh; see the package for its verbs
	Rows   func() []Row  // the keys of the value file, as [Sorted] gives them

	// Plain is the factory settings of a NIC, as far as they matter to others on the network. The settings from before rocec may be
	// unknown. Such a NIC gets Plain back.
	Plain string

	// MakesDevice: the script makes the RDMA device itself. That one appears is not a reason to apply again then, and would end the
	// apply that makes it.
	MakesDevice bool

	// Firmware: the script reads the firmware's configuration through the PCI configuration space (mstconfig, mlxconfig), which takes one
	// more capability.
	Firmware bool

	// Unreached names the queue pairs that the defaults of an RDMA device (RDMA-CM, traffic_class) do not reach, if there are any.
	Unreached string

	// Judge reports what a NIC cannot do; nil: nothing.
	Judge func(ds *diag.List, n *ir.NIC)

	// Probes appends what shows whether the settings of a NIC that carries an intent work.
	Probes func(probes []target.Probe, s *Settings) []target.Probe

	// Claims are what documents leave open, asked of one NIC; nil: nothing but what is of every host.
	Claims func(n *ir.NIC) []target.Claim

	// The simulation for the lab: the NICs, the kernel modules that can be loaded, and the name of a bond's RDMA device without its
	// number.
	Sim      func(ports []Port) Sim
	Modules  []string
	BondRDMA string

	// What Target makes of the suffix, shared by every host: names, paths, and the files that are wholly ours.
	tool, scriptPath, unitPath, rulesPath string
	held                                  string // what asks a host for all it holds of the family
	heading                               string // of every value file
	editScript, editUnit, editRules       func([]byte) ([]byte, diag.List)
}

// Target is the row of the family in the table of targets.
func (f *Family) Target(doc string, topics []diag.Topic) *target.Target {
	f.Rows = sortedOnce(f.Rows, shouldRow)
	f.tool = toolName(f.Suffix)
	f.scriptPath = "/usr/local/sbin/" + f.tool
	f.unitPath = "/etc/systemd/system/" + f.tool + "@.service"
	f.rulesPath = "/etc/udev/rules.d/99-rocec" + f.Suffix + ".rules"
	f.held = f.heldCmd()
	wholly := func(content func() []byte) func([]byte) ([]byte, diag.List) {
		return func([]byte) ([]byte, diag.List) { return content(), nil }
	}
	named := func(text string) func() []byte {
		return sync.OnceValue(func() []byte { return []byte(strings.ReplaceAll(text, "TOOL", f.tool)) })
	}
	rules := rulesText
	if f.MakesDevice {
		comment, events, _ := strings.Cut(rules, "\n")
		_, vlans, _ := strings.Cut(events, "\n") // the first is of RDMA devices
		rules = comment + "\n" + vlans
	}
	unit := unitText
	if f.Firmware { // the kernel shows no more than the first 64 bytes of the space without it
		unit = strings.Replace(unit, "CAP_SYS_MODULE", "CAP_SYS_ADMIN CAP_SYS_MODULE", 1)
	}
	f.editScript, f.editUnit, f.editRules = wholly(f.Script), wholly(named(unit)), wholly(named(rules))
	f.heading = "# RoCE settings of one NIC, written by rocec and applied by " + f.scriptPath + ".\n# Change the fabric, not this file.\n"
	return &target.Target{
		Name:       f.Driver.Name,
		Doc:        doc,
		Topics:     topics,
		Driver:     f.Driver,
		Check:      f.check,
		Render:     f.render,
		Enable:     f.enable,
		Noticed:    noticed,
		Read:       f.read,
		Rounds:     rounds,
		Reported:   f.reported,
		Transition: f.both,
		Cleanup:    f.leavings,
		About:      f.about,
		Identity:   f.identity,
		Probes:     f.probes,
		Inspect:    Inspect,
		Image:      f.image,
		Claims:     f.claims,
		Recall:     f.recall,
	}
}

// confDir holds the value files.
const confDir = "/etc/rocec/host/"

var (
	//go:embed tool@.service
	unitText string
	//go:embed tool.rules
	rulesText string
)

// check judges the NICs of a host.
func (f *Family) check(d *ir.Device) diag.List {
	var ds diag.List
	if f.Judge == nil {
		return nil
	}
	for _, n := range Of(d, f.Driver) {
		f.Judge(&ds, n)
	}
	return ds
}

// render gives the files of a host, in the order they should be written: code before values.
func (f *Family) render(d *ir.Device) ([]target.File, diag.List) {
	ds := f.check(d)
	ours := Of(d, f.Driver)
	if len(ours) == 0 || ds.HasErrors() {
		return nil, ds
	}
	activate := f.step(ours)
	files := make([]target.File, 0, 3+2*len(ours))
	files = append(files,
		target.File{Path: f.scriptPath, Mode: 0o755, Edit: f.editScript, Activate: activate},
		target.File{Path: f.unitPath, Mode: 0o644, Edit: f.editUnit, Activate: activate},
		target.File{Path: f.rulesPath, Mode: 0o644, Edit: f.editRules, Activate: activate})
	states := make([]target.File, 0, len(ours))
	for _, n := range ours {
		s := f.Lower(n)
		files = append(files, s.confFile(activate))
		states = append(states, s.stateFile(activate))
	}
	return append(files, states...), ds
}

// applied is a NIC whose value file a step applies.
type applied struct {
	name    string
	vlan    int  // 0: none
	carries bool // an intent
}

// step is stepOf for NICs of a fabric.
func (f *Family) step(ours []*ir.NIC) target.Step {
	nics := make([]applied, 0, len(ours))
	for _, n := range ours {
		nics = append(nics, applied{n.Name, f.Lower(n).VLAN, len(n.Carries()) > 0})
	}
	return f.stepOf(nics)
}

// stepOf makes the NICs of a host use what was written.
//
// Every file of a host carries the same step, so a change of any of them applies every NIC once; the others' apply
// finds nothing to write. NICs go one after the other, because the ports of a bond must not bounce together. The
// settings are written by systemd's child, so a bounce of the link the session came over does not stop them half way.
//
// The earlier content of the file does not restore a NIC that had no file yet, or that an operator had set by hand. So the undo
// writes back the values that show printed before the change.
func (f *Family) stepOf(ours []applied) target.Step {
	var title strings.Builder
	title.WriteString(f.Driver.Name + " apply")
	cmds, checks := []string{"systemctl daemon-reload"}, make([]string, 0, len(ours)+1)
	undo := []string{"script=$(cat)", "systemctl daemon-reload", "failed=0"}
	var names []string // of links that bounce
	for _, n := range ours {
		u, name := Quote(f.Unit(n.name)), Quote(n.name)
		// A devlink reload takes the interface away for a moment, and the unit is stopped with it: then it starts once more. Check
		// reports the settings that did not take.
		cmds = append(cmds, "systemctl enable "+u, "{ systemctl restart "+u+" || case $(systemctl show -p Result "+u+") in "+
			"Result=exit-code | Result=timeout) false ;; *) systemctl restart "+u+" ;; esac || { sh "+f.scriptPath+" check "+name+"; false; }; }")
		checks = append(checks, "systemctl is-active --quiet "+u, "sh "+f.scriptPath+" check "+name)
		vlan := "" // show does not print it, and its map cannot be set without it
		var flags, at []string
		if n.carries {
			flags = append(flags, "carries")
		}
		if n.vlan > 0 {
			vlan = fmt.Sprintf(" vlan=%d", n.vlan)
			at = append(at, vlan[1:])
		}
		title.WriteString(" " + word(n.name, flags, at))
		// At boot the NIC is as the firmware left it, and the unit, if it stays, comes later.
		undo = append(undo, "if [ ! -e "+confDir+name+".conf ]; then",
			"\tsystemctl disable "+u+" 2>/dev/null", // by name, as the unit file is gone
			"\trm -f "+wantedBy(n.name)+u,
			"\trmdir "+wantedBy(n.name)+" 2>/dev/null",
			"\tsystemctl stop "+u+" 2>/dev/null",
			"else", // also where a run that went back goes back itself, and the files come again
			"\tsystemctl enable "+u+" || failed=1",
			"\t[ \"$ROCEC_WHY\" = boot ] || systemctl restart "+u+" || failed=1",
			"fi",
			"if [ \"$ROCEC_WHY\" = boot ]; then",
			"\t[ -e "+confDir+name+".conf ] || rm -f "+f.beforeDir()+name+".before",
			"elif [ ! -e "+confDir+name+".conf ] && [ -e "+f.beforeDir()+name+".before ]; then", // with what else the script has made
			"\tsh -c \"$script\" "+f.tool+" leave "+name+" || failed=1",
			"else",
			"\tsh -c \"$script\" "+f.tool+" restore "+name+" \"$ROCEC_LIVE\"/"+Quote(stateName(n.name))+vlan+" || failed=1",
			"fi")
		if n.carries && f.sets("pfc") {
			names = append(names, n.name)
		}
	}
	undo = append(undo, "exit \"$failed\"", "")
	checks = append(checks, "echo "+target.Loaded)
	disrupts, outage := bounce(names)
	return target.Step{
		Name: title.String(),
		Cmd:  strings.Join(cmds, " && "), Disrupts: disrupts, Outage: outage,
		Undo:    &target.Query{Cmd: strings.Join(undo, "\n"), Stdin: f.Script()},
		Loaded:  &target.Query{Cmd: strings.Join(checks, " && ")},
		Timeout: time.Duration(len(ours)) * unitTime,
		Soak:    5 * time.Second,
		Away:    time.Minute,
	}
}

// bounce returns the disruption by a change of the PFC masks of some NICs, and its duration: each link goes down and up again, and
// training of forward error correction takes seconds.
func bounce(names []string) (disrupts string, outage ir.Outage) {
	links := strings.Join(names, ", ")
	switch len(names) {
	case 0:
		return "", ir.Outage{}
	case 1:
		disrupts = "the link of " + links + " bounces when the PFC mask changes"
	default:
		disrupts = "the links of " + links + " bounce, one after the other, when the PFC mask changes"
	}
	return disrupts, ir.Outage{Least: time.Second, Most: time.Duration(len(names)) * 10 * time.Second}
}

// noticed leaves the NICs whose PFC mask stays out of Disrupts and Outage of a step. The step is that of one family.
func noticed(d *ir.Device, s *target.Step, live target.Live) (disrupts string, outage ir.Outage) {
	all, changing := map[*ir.Driver][]string{}, map[*ir.Driver][]string{}
	for _, n := range d.Host.NICs {
		if !Wanted(n) || len(n.Carries()) == 0 {
			continue
		}
		of := n.Model.Driver
		all[of] = append(all[of], n.Name)
		if !maskStays(n.Name, live) {
			changing[of] = append(changing[of], n.Name)
		}
	}
	for driver, names := range all {
		if text, _ := bounce(names); text == s.Disrupts {
			return bounce(changing[driver])
		}
	}
	return s.Disrupts, s.Outage
}

// sets reports whether the family has a setting.
func (f *Family) sets(key string) bool {
	return slices.ContainsFunc(f.Rows(), func(r Row) bool { return r.Key == key })
}

// unitTime is what systemd grants one NIC (TimeoutStartSec), and a little.
const unitTime = 130 * time.Second

// about names the NICs of a host: "ConnectX-5, ens1f0 ens1f1".
func (f *Family) about(d *ir.Device) string {
	var b strings.Builder
	var last *ir.NICModel
	for _, n := range Of(d, f.Driver) {
		switch {
		case n.Model != last && last != nil:
			b.WriteString("; ")
			fallthrough
		case n.Model != last:
			_, model, found := strings.Cut(n.Model.Title, " ") // the maker's name says nothing here
			if !found {
				model = n.Model.Title
			}
			b.WriteString(model + ",")
			last = n.Model
		}
		b.WriteString(" " + n.Name)
	}
	return b.String()
}

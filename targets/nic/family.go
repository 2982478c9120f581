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

// Family describes how rocec writes the NICs of one driver.
type Family struct {
	Driver *ir.Driver
	Module string        // the kernel module of the interfaces: "mlx5_core"; empty: any
	Suffix string        // in the names of its script, unit and rules: "-bnxt"; unique among families
	Script func() []byte // in POSIX sh; see the package for its verbs
	Rows   func() []Row  // the keys of the value file, as [Sorted] returns them

	// Plain contains those factory settings of a NIC that matter to other devices of the network. A NIC gets them when it leaves, if its
	// settings from before rocec are unknown.
	Plain string

	// MakesDevice states that the script itself creates the RDMA device. Then the udev rules do not apply again when an RDMA device appears,
	// as this would end the apply that creates it.
	MakesDevice bool

	// Firmware states that the script reads the firmware's configuration through the PCI configuration space (mstconfig, mlxconfig), which
	// needs one more capability.
	Firmware bool

	// Unreached names the queue pairs that the defaults of an RDMA device (RDMA-CM, traffic_class) do not reach, if there are any.
	Unreached string

	// Judge reports settings that a NIC cannot have; nil: the driver has no limits.
	Judge func(ds *diag.List, n *ir.NIC)

	// Probes appends probes that show whether the settings of a NIC with an intent work.
	Probes func(probes []target.Probe, s *Settings) []target.Probe

	// Claims returns the questions that documents leave open about a NIC of the driver; nil: none.
	Claims func(n *ir.NIC) []target.Claim

	// The simulation for the lab: the NICs, the kernel modules that can be loaded, and the name of a bond's RDMA device without its
	// number.
	Sim      func(ports []Port) Sim
	Modules  []string
	BondRDMA string

	// Target derives these fields from the suffix, for all hosts: names, paths, and the files that rocec writes as a whole.
	tool, scriptPath, unitPath, rulesPath string
	held                                  string // the query for everything of the family on a host
	heading                               string // the first lines of every value file
	editScript, editUnit, editRules       func([]byte) ([]byte, diag.List)
}

// Target returns the row of the family in the table of targets.
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
		_, vlans, _ := strings.Cut(events, "\n") // the first rule is about RDMA devices
		rules = comment + "\n" + vlans
	}
	unit := unitText
	if f.Firmware { // without it the kernel shows only the first 64 bytes of the space
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

// confDir is the folder of the value files.
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

// render returns the files of a host in the order of writing: code before values.
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

// stepOf returns the step that makes the NICs of a host use their value files.
//
// Every file of a host has the same step, so a change of any file applies every NIC once; for unchanged NICs this writes nothing. NICs are
// applied one after the other, because the ports of a bond must not bounce together. systemd runs the script, so the script continues if it
// bounces the link of the SSH session.
//
// The earlier content of a value file is not enough to restore a NIC that had no file yet, or that an operator had set by hand. So the
// undo writes the values that show printed before the change.
func (f *Family) stepOf(ours []applied) target.Step {
	var title strings.Builder
	title.WriteString(f.Driver.Name + " apply")
	cmds, checks := []string{"systemctl daemon-reload"}, make([]string, 0, len(ours)+1)
	undo := []string{"script=$(cat)", "systemctl daemon-reload", "failed=0"}
	var names []string // names of links that bounce
	for _, n := range ours {
		u, name := Quote(f.Unit(n.name)), Quote(n.name)
		// A devlink reload removes the interface for a moment, and systemd stops the unit with it. In this case the unit is started once more.
		// check reports settings that were not applied.
		cmds = append(cmds, "systemctl enable "+u, "{ systemctl restart "+u+" || case $(systemctl show -p Result "+u+") in "+
			"Result=exit-code | Result=timeout) false ;; *) systemctl restart "+u+" ;; esac || { sh "+f.scriptPath+" check "+name+"; false; }; }")
		checks = append(checks, "systemctl is-active --quiet "+u, "sh "+f.scriptPath+" check "+name)
		vlan := "" // show does not print the VLAN, and restore needs it to set the map
		var flags, at []string
		if n.carries {
			flags = append(flags, "carries")
		}
		if n.vlan > 0 {
			vlan = fmt.Sprintf(" vlan=%d", n.vlan)
			at = append(at, vlan[1:])
		}
		title.WriteString(" " + word(n.name, flags, at))
		// At boot the NIC has the settings of the firmware, and a remaining unit starts later.
		undo = append(undo, "if [ ! -e "+confDir+name+".conf ]; then",
			"\tsystemctl disable "+u+" 2>/dev/null", // by name, since the unit file was removed
			"\trm -f "+wantedBy(n.name)+u,
			"\trmdir "+wantedBy(n.name)+" 2>/dev/null",
			"\tsystemctl stop "+u+" 2>/dev/null",
			"else", // also if an undo is undone, and the files return
			"\tsystemctl enable "+u+" || failed=1",
			"\t[ \"$ROCEC_WHY\" = boot ] || systemctl restart "+u+" || failed=1",
			"fi",
			"if [ \"$ROCEC_WHY\" = boot ]; then",
			"\t[ -e "+confDir+name+".conf ] || rm -f "+f.beforeDir()+name+".before",
			"elif [ ! -e "+confDir+name+".conf ] && [ -e "+f.beforeDir()+name+".before ]; then", // this also removes what else the script has made
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

// bounce returns the text and the duration of the disruption by a change of the PFC masks of some NICs. Each link goes down and up again,
// and training of forward error correction takes seconds.
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

// noticed returns Disrupts and Outage of a step without the NICs whose PFC mask does not change. The step belongs to one family.
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

// unitTime is the time limit of systemd for one NIC (TimeoutStartSec), and a margin.
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
			_, model, found := strings.Cut(n.Model.Title, " ") // without the maker's name
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

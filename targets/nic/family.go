package nic

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
)

// Family describes how rocec writes the NICs of one driver.
type Family struct {
	*steps.Kit // makes the commands of hosts

	Driver *ir.Driver
	Module string       // the kernel module of the interfaces: "mlx5_core"; empty: any
	Rows   func() []Row // the keys of the value file, as [Sorted] returns them

	// Unreached names the queue pairs that the defaults of an RDMA device (RDMA-CM, traffic_class) do not reach, if there are any.
	Unreached string

	// Judge reports settings that a NIC cannot have; nil: the driver has no limits.
	Judge func(ds *diag.List, n *ir.NIC)

	// Probes appends probes that show whether the settings of a NIC with an intent work.
	Probes func(probes []target.Probe, s *Settings) []target.Probe

	// PauseNames returns the counters of pauses by priority, by their names in ethtool; nil: no such counters are known.
	PauseNames func() map[string]target.CounterName

	// Claims returns the questions that documents leave open about a NIC of the driver; nil: none.
	Claims func(n *ir.NIC) []target.Claim

	// The simulation for the lab: the NICs, the kernel modules that can be loaded, and the name of a bond's RDMA device without its
	// number.
	Sim      func(ports []Port) Sim
	Modules  []string
	BondRDMA string

	// Target derives these fields from the kit, for all hosts: paths, the query for leavings, and the files that rocec writes as a whole.
	scriptPath, unitPath, rulesPath string
	held                            target.Query
	heading                         string // the first lines of every value file
	editScript, editUnit, editRules func([]byte) ([]byte, diag.List)
}

// Target returns the row of the family in the table of targets.
func (f *Family) Target(doc string, topics []diag.Topic) *target.Target {
	f.Rows = sortedOnce(f.Rows, shouldRow)
	f.scriptPath, f.unitPath, f.rulesPath, f.held = f.ScriptPath(), f.UnitPath(), f.RulesPath(), *f.Held()
	texts := sync.OnceValues(func() (unit, rules []byte) { return f.UnitText(), f.RulesText() })
	f.editScript = func([]byte) ([]byte, diag.List) { return f.Script(), nil }
	f.editUnit = func([]byte) ([]byte, diag.List) {
		unit, _ := texts()
		return unit, nil
	}
	f.editRules = func([]byte) ([]byte, diag.List) {
		_, rules := texts()
		return rules, nil
	}
	f.heading = "# RoCE settings of one NIC, written by rocec and applied by " + f.scriptPath + ".\n# Change the fabric, not this file.\n"
	return &target.Target{
		Name:   f.Driver.Name,
		Doc:    doc,
		Topics: topics,
		Driver: f.Driver,
		Keys: func() (all []string) {
			for _, r := range f.Rows() {
				all = append(all, r.Key)
			}
			return all
		},
		Paths:      []string{f.scriptPath, f.unitPath, f.rulesPath},
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
		Counters:   func(d *ir.Device) []target.CounterQuery { return pauseCounters(d, f.Driver, f.PauseNames) },
		Inspect:    Inspect,
		Image:      f.image,
		Claims:     f.claims,
		Recall:     f.recall,
	}
}

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

// step returns the step that makes NICs of a fabric use their value files.
func (f *Family) step(ours []*ir.NIC) target.Step {
	nics := make([]steps.NIC, 0, len(ours))
	for _, n := range ours {
		nic := steps.NIC{Name: n.Name, Carries: len(n.Carries()) > 0}
		if id := f.Lower(n).VLAN; id > 0 {
			nic.At = []string{"vlan=" + strconv.Itoa(id)}
		}
		nics = append(nics, nic)
	}
	return f.applyStep(f.Apply(nics), nics)
}

// applyStep returns the step that applies the value files of NICs, with its effects: the links of NICs that carry an intent bounce.
func (f *Family) applyStep(c *commands.Step, nics []steps.NIC) target.Step {
	var names []string
	for _, n := range nics {
		if n.Carries && f.sets("pfc") {
			names = append(names, n.Name)
		}
	}
	s := watched(c)
	s.Disrupts, s.Outage = bounce(names)
	return s
}

// watched returns a step after which a host may be away for a moment, and must work for some seconds.
func watched(c *commands.Step) target.Step {
	s := target.StepOf(c)
	s.Soak, s.Away = 5*time.Second, time.Minute
	return s
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

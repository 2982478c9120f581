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
	"github.com/rocec/rocec/targets/target/sender"
)

// Family describes how rocec writes the NICs of one driver.
type Family struct {
	*steps.Kit // makes the commands of hosts

	Driver *ir.Driver
	Module string       // the kernel module of the interfaces: "mlx5_core"; empty: any
	Rows   func() []Row // the keys of the value file, as [Sorted] returns them

	// Markings and Sent are the fields of [target.Target]. Nil: nothing is known of senders.
	Markings func() []sender.Marking
	Sent     func(t *target.Target, d *ir.Device, state func(path string) []byte, facts sender.Facts) []sender.Reach

	// Judge reports settings that a NIC cannot have; nil: the driver has no limits.
	Judge func(ds *diag.List, n *ir.NIC)

	// ByHand reports parameters that contradict the fabric, of a NIC that others set; nil: the family has no parameters.
	ByHand func(ds *diag.List, n *ir.NIC)

	// Probes appends probes that show whether the settings of a NIC with an intent work.
	Probes func(probes []target.Probe, s *Settings) []target.Probe

	// PauseNames returns the counters of pauses by priority, by their names in ethtool; nil: no such counters are known.
	PauseNames func() map[string]target.CounterName

	// Claims returns the questions that documents leave open about a NIC of the driver; nil: none.
	Claims func(n *ir.NIC) []target.Claim

	Cards *Cards // the parameters that the cards store; nil: the family writes none of them

	// Documented states that the settings are known from public documents and sources alone. Until a user has reported on such a NIC, rocec
	// changes a real host only after the person has accepted that.
	Documented bool

	// Renumbers is the reason why the traffic classes of a NIC have other numbers than the priorities; empty: they have the same.
	Renumbers string

	// Reopens are the keys whose change makes the driver close and open the interface; nil: a change of the PFC mask bounces the link.
	Reopens []string

	// The simulation for the lab: the NICs, the kernel modules that can be loaded, and the name of a bond's RDMA device without its
	// number.
	Sim      func(ports []Port) Sim
	Modules  []string
	BondRDMA string

	// Target derives these fields from the kit, for all hosts.
	scriptPath, unitPath, rulesPath string
	held                            target.Query

	making sync.Once // of the texts, when the first host needs them
	texts  texts
}

// texts are the files that are the same on every host.
type texts struct {
	script, unit, rules func([]byte) ([]byte, diag.List)
}

// textsOf returns the files that are the same on every host.
func textsOf(f *Family) *texts {
	f.making.Do(func() {
		whole := func(content []byte) func([]byte) ([]byte, diag.List) {
			return func([]byte) ([]byte, diag.List) { return content, nil }
		}
		f.texts = texts{whole(f.Script()), whole(f.UnitText()), whole(f.RulesText())}
	})
	return &f.texts
}

// Cards are the functions of a family whose cards store parameters, see package stored.
type Cards struct {
	// Files returns the live states of NICs.
	Files func(f *Family, ours []*ir.NIC) []target.File

	// Before returns the live states of NICs that leave. held are the stored parameters from before rocec, as lines, by NIC.
	Before func(f *Family, d *ir.Device, stays map[string]bool, held map[string]string) []target.File

	// Step returns the step that stores parameters and resets the cards.
	Step func(f *Family, nics []steps.NIC) target.Step

	// Noticed returns Disrupts and Outage of a step that stores parameters, in a plan.
	Noticed func(d *ir.Device, s *target.Step, live target.Live) (disrupts string, outage ir.Outage)
}

// Target returns the row of the family in the table of targets.
func (f *Family) Target(doc string, topics []diag.Topic) *target.Target {
	f.Rows = sortedOnce(f.Rows, shouldRow)
	f.scriptPath, f.unitPath, f.rulesPath, f.held = f.ScriptPath(), f.UnitPath(), f.RulesPath(), *f.Held()
	rounds := rounds
	if f.Renumbers != "" {
		rounds = append(slices.Clip(rounds), target.Rounding{Field: ir.FieldQueue, How: target.Derived, Why: f.Renumbers},
			target.Rounding{Field: ir.FieldShare, How: target.Derived, Why: f.Renumbers},
			target.Rounding{Field: ir.FieldStrict, How: target.Derived, Why: f.Renumbers})
	}
	t := &target.Target{
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
		Markings:   f.Markings,
		Sent:       f.Sent,
		Paths:      []string{f.scriptPath, f.unitPath, f.rulesPath},
		Check:      f.check,
		Render:     f.render,
		Enable:     f.enable,
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
	if f.ByHand != nil {
		t.ByHand = func(d *ir.Device) (ds diag.List) {
			for _, n := range Of(d, f.Driver) {
				f.ByHand(&ds, n)
			}
			return ds
		}
	}
	if f.Documented {
		t.NeedsReport = func(d *ir.Device) bool { return len(Of(d, f.Driver)) > 0 }
	}
	t.Noticed = func(d *ir.Device, s *target.Step, live target.Live) (string, ir.Outage) {
		if s.Alone && f.Cards != nil {
			return f.Cards.Noticed(d, s, live)
		}
		return noticed(Of(d, f.Driver), f.Reopens, s, live)
	}
	return t
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
	files, whole := make([]target.File, 0, 3+2*len(ours)), textsOf(f)
	files = append(files,
		target.File{Path: f.scriptPath, Mode: 0o755, Edit: whole.script, Activate: activate},
		target.File{Path: f.unitPath, Mode: 0o644, Edit: whole.unit, Activate: activate},
		target.File{Path: f.rulesPath, Mode: 0o644, Edit: whole.rules, Activate: activate})
	states := make([]target.File, 0, len(ours))
	for _, n := range ours {
		s := f.Lower(n)
		files = append(files, s.confFile(activate))
		states = append(states, s.stateFile(activate))
	}
	files = append(files, states...)
	if f.Cards != nil {
		files = append(files, f.Cards.Files(f, ours)...)
	}
	return files, ds
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
	s := Watched(c)
	s.Disrupts, s.Outage = bounce(names, f.Reopens)
	return s
}

// Watched returns a step after which a host may be away for a moment, and must work for some seconds.
func Watched(c *commands.Step) target.Step {
	s := target.StepOf(c)
	s.Soak, s.Away = 5*time.Second, time.Minute
	return s
}

// noticed returns Disrupts and Outage of a step without the NICs that keep the settings whose change stops traffic. A step of another
// family stays as it is.
func noticed(ours []*ir.NIC, reopens []string, s *target.Step, live target.Live) (disrupts string, outage ir.Outage) {
	keys := reopens
	if keys == nil {
		keys = []string{"pfc"}
	}
	var all, changing []string
	for _, n := range ours {
		if len(n.Carries()) == 0 {
			continue
		}
		all = append(all, n.Name)
		if !keep(n.Name, keys, live) {
			changing = append(changing, n.Name)
		}
	}
	if text, _ := bounce(all, reopens); text == s.Disrupts {
		return bounce(changing, reopens)
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

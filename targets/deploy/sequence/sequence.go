// Package sequence puts a plan in order. It decides which devices change together, and in which waves and phases. Hosts keep the paths
// that the rules require, and lossless classes stay lossless while old and new settings are mixed. [New] checks a plan in its fabric,
// with the links that the devices reported, and makes a [Sequence]. It also returns the reasons to refuse the plan. If no order of the
// devices is lossless, a change has several steps. [Sequence.Next] returns the plan of the first step. [Follow] checks the waves of an
// earlier run for an undo of that run. [Bars] returns the other runs that forbid a plan.
//
// The package is pure: it reads no device and no clock. A [Sequence] refers to the fabric, so only one goroutine at a time may use it.
package sequence

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate"
)

// Rules contains the limits of an order. The zero Rules allow that hosts are cut off from each other.
type Rules struct {
	change.Rules

	Soak *time.Duration      // soak time of devices, instead of the time of their steps; nil: the time of their steps
	Away map[*ir.Device]bool // devices whose losses the operator accepts

	// Elsewhere contains the devices that another site of a team reads and changes. The value is true if a device has the settings of the
	// fabric during the whole plan. The settings of the others are not known, and stay as they are during the plan.
	Elsewhere map[*ir.Device]bool

	Budget func() *ir.Budget // work limit of each PFC-loop proof; nil: [validate.DefaultBudget]
}

func (r *Rules) budget() *ir.Budget {
	if r.Budget == nil {
		return ir.NewBudget(validate.DefaultBudget)
	}
	return r.Budget()
}

// Sequence is the order in which a plan changes the devices.
type Sequence struct {
	Waves   []*change.Wave
	Order   *deploy.Order // the same waves, in the form for package rollout
	Refused []*change.Refusal
	Rules   Rules
	Steps   []change.Phase // the steps of the change; this is the first step; nil: the change has one step
	Down    []*ir.Link     // cables reported without a link, or without a session over the link
	Early   []*ir.Link     // planned cables reported with a link
	ByMarks bool           // the marks in the hosts' settings are all marks that hosts send

	// Locks contains the switches that carry the mark of the run and are not in the plan, with the runs that hold them. The caller reads
	// the devices of [Sequence.Neighbours] for it.
	Locks []*deploy.DevicePlan

	fabric     *ir.Fabric
	tree       *target.Tree
	plan       *deploy.Plan
	graph      *change.Graph
	mixed      *mixture // nil: mixtures of settings are not checked
	devices    map[*ir.Device]*target.Device
	samples    map[*ir.Device][]target.Sample // the last report of each device
	unreadable map[*ir.Device]bool            // devices that could not be read
}

// New puts the devices of a plan in order. The tree has all devices of the fabric to which rocec may log in. The list contains the reasons
// to refuse the plan, as [Sequence.Refusals] returns them. If there are any, the waves can be shown but must not be run. If the traffic
// paths are not known, there is no order: the Sequence is nil, and the list has one error.
func New(f *ir.Fabric, tree *target.Tree, plan *deploy.Plan, r Rules) (*Sequence, diag.List) {
	s := survey(f, tree, plan, r)
	s.mixed = newMixture(f, plan, &r)
	s.ByMarks = s.mixed.byMarks
	var tasks []*change.Task
	for _, p := range plan.Devices {
		if p.Status == deploy.StatusChange {
			t := taskOf(p, r.Soak)
			if t.Phase = s.mixed.phaseOf(t.Device); aloneTask(p) {
				t.Phase = len(s.mixed.phases) + 1 + len(tasks) // a phase of its own
			}
			tasks = append(tasks, t)
		}
	}
	l, err := s.living()
	if err != nil {
		return nil, noOrder(f, err)
	}
	s.Waves, s.Refused = l.Order(tasks, r.Rules)
	s.arrange()
	s.Order.Blocked = s.mixed.lacking
	return s, s.Refusals()
}

// Follow checks a given order, such as the reversed order of an earlier run. Devices keep their waves, and mixtures of settings are not
// checked. If the traffic paths are not known, it returns a nil Sequence and one error.
func Follow(f *ir.Fabric, tree *target.Tree, plan *deploy.Plan, order *deploy.Order, r Rules) (*Sequence, diag.List) {
	s := survey(f, tree, plan, r)
	l, err := s.living()
	if err != nil {
		return nil, noOrder(f, err)
	}
	var waves [][]*change.Task
	for _, w := range order.Waves {
		var tasks []*change.Task
		for _, p := range w.Devices {
			t := taskOf(p, r.Soak)
			t.Phase = w.Phase
			tasks = append(tasks, t)
		}
		waves = append(waves, tasks)
	}
	s.Waves, s.Refused = l.Follow(waves, r.Rules)
	s.arrange()
	return s, s.Refusals()
}

// Takes returns the longest duration of all waves together.
func (s *Sequence) Takes() time.Duration {
	var sum time.Duration
	for _, w := range s.Waves {
		sum += w.Takes
	}
	return sum
}

// survey collects the readings of a fabric from a plan.
func survey(f *ir.Fabric, tree *target.Tree, plan *deploy.Plan, r Rules) *Sequence {
	s := &Sequence{
		Rules: r, fabric: f, tree: tree, plan: plan,
		devices: map[*ir.Device]*target.Device{}, samples: map[*ir.Device][]target.Sample{}, unreadable: map[*ir.Device]bool{},
	}
	for _, d := range tree.Devices {
		s.devices[d.Source] = d
	}
	for _, p := range slices.Concat(plan.Beside, plan.Devices) {
		s.samples[p.Device.Source] = p.Baseline
		s.unreadable[p.Device.Source] = p.Err != nil
	}
	s.Early = s.plannedUp()
	s.graph = change.NewGraph(f, s.Early...)
	return s
}

// plannedUp returns the planned cables that already have a link, by ID. Traffic may use them, although the fabric calls them planned.
func (s *Sequence) plannedUp() (up []*ir.Link) {
	for _, l := range s.fabric.Links {
		if l.Planned && (s.hasLink(l.A()) || s.hasLink(l.B())) {
			up = append(up, l)
		}
	}
	return up
}

// hasLink reports whether a device reported a link at a port.
func (s *Sequence) hasLink(p *ir.Port) bool {
	return slices.ContainsFunc(s.samples[p.Device()], func(sample target.Sample) bool {
		return sample.Link == p.Name && !sample.Counter && sample.Value > 0
	})
}

// arrange converts the waves to an order for package rollout.
func (s *Sequence) arrange() {
	of := map[*ir.Device]*deploy.DevicePlan{}
	for _, p := range s.plan.Devices {
		of[p.Device.Source] = p
	}
	s.Order = &deploy.Order{Recheck: s.recheck}
	for _, w := range s.Waves {
		dw := &deploy.Wave{Phase: w.Phase, Stream: w.Stream, Takes: w.Takes}
		for _, t := range w.Tasks {
			dw.Devices = append(dw.Devices, of[t.Device])
		}
		for _, d := range w.Last {
			dw.Last = append(dw.Last, of[d])
		}
		if !w.Stream && !w.Outage.Hitless() {
			dw.Watch = s.neighbours(w)
		}
		dw.Marks, dw.Near = s.marking(w)
		s.Order.Waves = append(s.Order.Waves, dw)
	}
}

// aroundSteps is the time limit of a device outside of its steps: for prepare, readback and confirm.
const aroundSteps = 15 * time.Second

// taskOf returns the properties of a device's change that affect the order.
func taskOf(p *deploy.DevicePlan, soak *time.Duration) *change.Task {
	t := &change.Task{Device: p.Device.Source, Kind: p.Device.About}
	if p.Device.Target != nil {
		t.Kind = p.Device.Target.Name + " " + t.Kind
	}
	var hold, work time.Duration
	for _, c := range p.Changes {
		step := c.File.Activate
		_, outage := p.Noticed(&step)
		t.Outage = t.Outage.Longer(outage)
		if step.Cmd != "" {
			work = max(work, step.Takes)
			hold = max(hold, cmp.Or(step.Soak, target.SoakTime))
		}
	}
	if soak != nil {
		hold = *soak
	}
	t.Takes = aroundSteps + work + t.Outage.Most + hold
	return t
}

// neighbours returns, by ID, the devices that forward traffic and answer, and that are next to a device of the wave or connected to the
// same hosts.
func (s *Sequence) neighbours(w *change.Wave) []*target.Device {
	var out []*ir.Device
	for _, t := range w.Tasks {
		for _, p := range t.Device.Ports {
			d := p.Peer().Device()
			if d.Forwards() {
				out = append(out, d)
				continue
			}
			for _, leg := range d.Ports { // the other switches of the host
				if other := leg.Peer().Device(); other.Forwards() {
					out = append(out, other)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b *ir.Device) int { return cmp.Compare(a.ID, b.ID) })
	var all []*target.Device
	for _, d := range slices.Compact(out) {
		if s.devices[d] != nil && !s.unreadable[d] && !slices.ContainsFunc(w.Tasks, func(t *change.Task) bool { return t.Device == d }) {
			all = append(all, s.devices[d])
		}
	}
	return all
}

// living returns the fabric in its last found state.
func (s *Sequence) living() (*change.Living, error) {
	var a change.Alive
	seen := map[*ir.Link]bool{}
	for d, samples := range s.samples {
		for i := range samples {
			sample := &samples[i]
			switch {
			case sample.Counter || sample.Value > 0:
				continue
			case sample.Pair && d.Switch != nil:
				a.Lone = append(a.Lone, d)
			case sample.Link != "":
				p := slices.IndexFunc(d.Ports, func(p *ir.Port) bool { return p.Name == sample.Link })
				if p >= 0 && (!d.Ports[p].Link().Planned || slices.Contains(s.Early, d.Ports[p].Link())) && !seen[d.Ports[p].Link()] {
					seen[d.Ports[p].Link()] = true
					a.Down = append(a.Down, d.Ports[p].Link())
				}
			}
		}
	}
	slices.SortFunc(a.Down, func(x, y *ir.Link) int { return cmp.Compare(x.ID, y.ID) })
	s.Down = a.Down
	return s.graph.Living(a)
}

// recheck returns why a wave may no longer begin, given the found state of the devices beside it.
func (s *Sequence) recheck(w *deploy.Wave, found []*deploy.Have) error {
	for _, h := range found {
		if h.Err == nil {
			s.samples[h.Device.Source] = h.Samples()
		}
	}
	l, err := s.living()
	if err != nil {
		return err
	}
	if why := l.Check(s.Waves[slices.Index(s.Order.Waves, w)], s.Rules.Rules); why != nil {
		return errors.New(refusalText(why))
	}
	return nil
}

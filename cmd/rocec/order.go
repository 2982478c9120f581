package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate"
)

// orderOptions are the flags that say which devices may be away together.
type orderOptions struct {
	minCapacity, maxDark int
	noCanary             bool
	darkSet              func() bool
	given                func() bool         // the person gave one of the two bounds
	budget               func() *ir.Budget   // of a proof; nil: the default
	away                 map[*ir.Device]bool // that the person goes on without, whatever that costs them
}

// defaultCapacity is the percentage of their capacity that ways keep.
const defaultCapacity = 50

// ruleFlags declares what bounds an order.
func (o *orderOptions) ruleFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.darkSet = func() bool { return f.Changed("max-dark") }
	o.given = func() bool { return f.Changed("max-dark") || f.Changed("min-capacity") }
	o.budget = func() *ir.Budget {
		given, err := f.GetDuration("budget")
		if err != nil { // a verb without the flag
			given = defaultBudget
		}
		return stepsIn(given)
	}
	f.IntVar(&o.minCapacity, "min-capacity", defaultCapacity, "percent of its described capacity that every way between hosts keeps while "+
		"devices restart; 0 also allows to cut hosts off from each other")
	f.IntVar(&o.maxDark, "max-dark", 0, "`hosts` that may be without a link at the same time, at least 1; those that are changed themselves "+
		"count "+
		"(default: those of one switch, and every host that is changed)")
}

// orderFlags declares them, and what makes an order.
func (o *orderOptions) orderFlags(cmd *cobra.Command) {
	o.ruleFlags(cmd)
	cmd.Flags().BoolVar(&o.noCanary, "no-canary", false,
		"do not change one device of every kind first, alone, where the change disrupts traffic")
}

func (o *orderOptions) check() error {
	if o.minCapacity < 0 || o.minCapacity > 100 || o.maxDark < 0 || o.maxDark == 0 && o.darkSet() {
		return exit.Fail(exit.Usage, "--min-capacity is a percentage from 0 to 100, and --max-dark at least 1 host")
	}
	return nil
}

func (o *orderOptions) rules(parallel int) change.Rules {
	return change.Rules{MinCapacity: o.minCapacity, MaxDark: o.maxDark, Parallel: parallel, Canary: !o.noCanary}
}

// sequence is in which order a plan goes over the devices.
type sequence struct {
	waves   []*change.Wave
	refused []*change.Refusal
	order   *deploy.Order
	rules   change.Rules
	steps   []change.Phase // those the change takes, of which this is the first; nil: it is all
	down    []*ir.Link     // found without a link, or a session over it
	early   []*ir.Link     // planned cables that were found with a link

	locks []*deploy.DevicePlan // of switches that carry the mark of the run and are not in the plan: who holds them

	graph   *change.Graph
	mixed   *mixture            // nil: the settings in between are not judged
	away    map[*ir.Device]bool // that the person goes on without
	devices map[*ir.Device]*target.Device
	found   map[*ir.Device][]target.Sample // what each device told last
	mute    map[*ir.Device]bool            // those that could not be read
}

// The parts of a device's time that no step states: to prepare it, to read it back, and to confirm it.
const aroundSteps = 15 * time.Second

// newSequence puts the devices of a plan in order. whole is the tree of all devices; parallel bounds those changed at the same time.
func newSequence(f *ir.Fabric, whole *target.Tree, plan *deploy.Plan, o orderOptions, parallel int, soak *time.Duration) (
	*sequence, error,
) {
	s, of := survey(f, whole, plan, o.rules(parallel))
	s.away = o.away
	s.mixed = newMixture(f, plan, s.away, o.budget)
	var tasks []*change.Task
	for _, p := range plan.Devices {
		if p.Status == deploy.StatusChange {
			t := taskOf(p, soak)
			t.Phase = s.mixed.phaseOf(t.Device)
			tasks = append(tasks, t)
		}
	}
	l, err := s.living()
	if err != nil {
		return nil, err
	}
	s.waves, s.refused = l.Order(tasks, s.rules)
	s.arrange(of)
	s.order.Without = s.mixed.lacking
	return s, nil
}

// survey takes in what a plan has found of a fabric.
func survey(f *ir.Fabric, whole *target.Tree, plan *deploy.Plan, r change.Rules) (*sequence, map[*ir.Device]*deploy.DevicePlan) {
	s := &sequence{
		rules: r, devices: map[*ir.Device]*target.Device{}, found: map[*ir.Device][]target.Sample{}, mute: map[*ir.Device]bool{},
	}
	for _, d := range whole.Devices {
		s.devices[d.Source] = d
	}
	for _, p := range plan.Beside {
		s.found[p.Device.Source] = p.Baseline
		s.mute[p.Device.Source] = p.Err != nil
	}
	of := map[*ir.Device]*deploy.DevicePlan{}
	for _, p := range plan.Devices {
		of[p.Device.Source] = p
		s.found[p.Device.Source] = p.Baseline
		s.mute[p.Device.Source] = p.Err != nil
	}
	s.early = s.plannedUp(f)
	s.graph = change.NewGraph(f, s.early...)
	return s, of
}

// plannedUp returns the planned cables that have a link already, by ID: traffic may take them, whatever the fabric says.
func (s *sequence) plannedUp(f *ir.Fabric) (up []*ir.Link) {
	for _, l := range f.Links {
		if l.Planned && (s.hasLink(l.A()) || s.hasLink(l.B())) {
			up = append(up, l)
		}
	}
	return up
}

// hasLink reports whether a device told that a port has a link.
func (s *sequence) hasLink(p *ir.Port) bool {
	return slices.ContainsFunc(s.found[p.Device()], func(sample target.Sample) bool {
		return sample.Link == p.Name && !sample.Counter && sample.Value > 0
	})
}

// arrange hands the waves on as data.
func (s *sequence) arrange(of map[*ir.Device]*deploy.DevicePlan) {
	s.order = &deploy.Order{Still: s.still}
	for _, w := range s.waves {
		dw := &deploy.Wave{Phase: w.Phase, Stream: w.Stream, Takes: w.Takes}
		for _, t := range w.Tasks {
			dw.Devices = append(dw.Devices, of[t.Device])
		}
		for _, d := range w.Last {
			dw.Last = append(dw.Last, of[d])
		}
		if !w.Stream && !w.Outage.Hitless() {
			dw.Watch = s.beside(w)
		}
		dw.Marks, dw.Near = s.marking(w)
		s.order.Waves = append(s.order.Waves, dw)
	}
}

// taskOf is the change of a device, as far as order matters.
func taskOf(p *deploy.DevicePlan, soak *time.Duration) *change.Task {
	t := &change.Task{Device: p.Device.Source, Kind: p.Device.About}
	if p.Device.Target != nil {
		t.Kind = p.Device.Target.Name + " " + t.Kind
	}
	var hold, work time.Duration
	for _, c := range p.Changes {
		step := c.File.Activate
		t.Outage = t.Outage.Longer(step.Outage)
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

// beside are the devices that forward traffic and answer next to those of a wave, and at the other legs of hosts that hang there, by ID.
func (s *sequence) beside(w *change.Wave) []*target.Device {
	var out []*ir.Device
	for _, t := range w.Tasks {
		for _, p := range t.Device.Ports {
			d := p.Peer().Device()
			if d.Forwards() {
				out = append(out, d)
				continue
			}
			for _, leg := range d.Ports { // where else the host hangs
				if other := leg.Peer().Device(); other.Forwards() {
					out = append(out, other)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b *ir.Device) int { return cmp.Compare(a.ID, b.ID) })
	var all []*target.Device
	for _, d := range slices.Compact(out) {
		if s.devices[d] != nil && !s.mute[d] && !slices.ContainsFunc(w.Tasks, func(t *change.Task) bool { return t.Device == d }) {
			all = append(all, s.devices[d])
		}
	}
	return all
}

// living is the fabric as it was found last.
func (s *sequence) living() (*change.Living, error) {
	var a change.Alive
	seen := map[*ir.Link]bool{}
	for d, samples := range s.found {
		for i := range samples {
			sample := &samples[i]
			switch {
			case sample.Counter || sample.Value > 0:
				continue
			case sample.Pair && d.Switch != nil:
				a.Lone = append(a.Lone, d)
			case sample.Link != "":
				p := slices.IndexFunc(d.Ports, func(p *ir.Port) bool { return p.Name == sample.Link })
				if p >= 0 && (!d.Ports[p].Link().Planned || slices.Contains(s.early, d.Ports[p].Link())) && !seen[d.Ports[p].Link()] {
					seen[d.Ports[p].Link()] = true
					a.Down = append(a.Down, d.Ports[p].Link())
				}
			}
		}
	}
	slices.SortFunc(a.Down, func(x, y *ir.Link) int { return cmp.Compare(x.ID, y.ID) })
	s.down = a.Down
	return s.graph.Living(a)
}

// still reports why a wave may not begin any more, now that the devices beside it were found so.
func (s *sequence) still(w *deploy.Wave, found []*deploy.Have) error {
	for _, h := range found {
		if h.Err == nil {
			s.found[h.Device.Source] = h.Samples()
		}
	}
	l, err := s.living()
	if err != nil {
		return err
	}
	if why := l.Check(s.waves[slices.Index(s.order.Waves, w)], s.rules); why != nil {
		return errors.New(refusalText(why))
	}
	return nil
}

// foldHosts names devices in a few words.
func foldHosts(ds []*ir.Device) string {
	names := make([]string, len(ds))
	for i, d := range ds {
		names[i] = d.Name
	}
	return nodeset.Text(names, nodeset.Devices, 60)
}

// refusalText says in full sentences why a device cannot be changed within the rules, and what to do.
func refusalText(r *change.Refusal) string {
	name := r.Task.Device.Name
	allow := "Allow it: "
	if r.Without {
		allow = "The fabric is so already, before anything is changed. Bring up what is down, or allow it: "
	}
	switch r.Why {
	case change.CutsOff:
		return fmt.Sprintf("While %s passes no traffic, %s cannot reach %s. Give them another way first, or allow it: --min-capacity 0.",
			name, foldHosts(r.Hosts), foldHosts(r.From))
	case change.TooNarrow:
		return fmt.Sprintf("While %s passes no traffic, %s keeps %d%% of its capacity towards %s. %s"+
			"--min-capacity %d.", name, r.Narrow.Name, r.Capacity, r.Towards.Name, allow, r.Capacity)
	case change.LastLeg:
		if !r.Without {
			return fmt.Sprintf("%s hangs on two of the devices that would pass no traffic at the same time.", foldHosts(r.Hosts))
		}
		return fmt.Sprintf("%s %s on %s alone now, as other links of theirs are down. Bring those up first, or allow it: --min-capacity 0.",
			foldHosts(r.Hosts), diag.Plural(len(r.Hosts), "hangs", "hang"), name)
	case change.TooDark:
		if r.Reduced {
			return fmt.Sprintf("While %s and other devices of its wave pass no traffic, %s (%s) would lose links, which is more than --max-dark "+
				"allows. Raise it to %d.", name, diag.Count(len(r.Hosts), "host"), foldHosts(r.Hosts), len(r.Hosts))
		}
		return fmt.Sprintf("While %s passes no traffic, %s (%s) would be without a link, which is more than --max-dark allows. "+
			"Raise it to %d.", name, diag.Count(len(r.Hosts), "host"), foldHosts(r.Hosts), len(r.Hosts))
	case change.LonePair:
		return fmt.Sprintf("The two switches of the MLAG pair %q do not see each other, so %s may be the only one of them that passes traffic. "+
			"Bring the peer link up first, or allow it: --min-capacity 0.", r.Task.Device.Switch.MLAG, name)
	}
	return fmt.Sprintf("Which way traffic goes while %s passes none is not known: %s.", name, validate.RoutingText(r.Err))
}

// refusals are the devices that cannot be changed within the rules, at the lines that declare them.
func (s *sequence) refusals() diag.List {
	var ds diag.List
	for _, r := range s.refused {
		deploy.TopicUnsafe.Errorf(&ds, r.Task.Device.At, "%s", refusalText(r))
	}
	if s.mixed != nil {
		ds = append(ds, s.mixed.against()...)
	}
	return ds
}

// unread are the devices of a plan that could not be read.
func unread(plan *deploy.Plan) map[*ir.Device]bool {
	out := map[*ir.Device]bool{}
	for _, p := range plan.Devices {
		if p.Err != nil {
			out[p.Device.Source] = true
		}
	}
	return out
}

// outageText says how long traffic stops.
func outageText(o ir.Outage) string {
	switch {
	case o.Hitless():
		return ""
	case o.Least == 0 || o.Least == o.Most:
		return "at most " + shortTime(o.Most)
	}
	return shortTime(o.Least) + " to " + shortTime(o.Most)
}

// shortTime spells a duration for people: "45s", "2m", "1h10m".
func shortTime(d time.Duration) string {
	d = d.Round(time.Second)
	if d >= time.Hour {
		d = d.Round(time.Minute)
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// takes is how long all waves take, at most.
func (s *sequence) takes() time.Duration {
	var sum time.Duration
	for _, w := range s.waves {
		sum += w.Takes
	}
	return sum
}

// routingError says that the order of a change is not known, because the ways of traffic are not.
func routingError(f *ir.Fabric, err error) error {
	return exit.Fail(exit.Errors, "in which order the devices of %q can be changed is not known: %s", f.Name, validate.RoutingText(err))
}

package device

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/deploy/order"
	"github.com/rocec/rocec/targets/target"
)

// Change is the part of a run on one device: the files to write, and the steps that put them to use, each step once.
type Change struct {
	Files []*deploy.Change // changes of files, not of live states
	Steps []target.Step

	plan  *deploy.DevicePlan
	again []bool // by step: after an undo a file exists again, so the step has a file to work on
}

// NewChange returns the change that a device's plan contains.
func NewChange(p *deploy.DevicePlan) *Change {
	c := &Change{plan: p}
	for _, ch := range p.Changes {
		if !ch.Live() {
			c.Files = append(c.Files, ch)
		}
		s := ch.File.Activate
		if s.Cmd == "" && s.Loaded == nil {
			continue
		}
		i := slices.Index(c.Steps, s)
		if i < 0 {
			i = len(c.Steps)
			c.Steps, c.again = append(c.Steps, s), append(c.again, false)
		}
		c.again[i] = c.again[i] || ch.Writes() && ch.Base != deploy.Absent
	}
	return c
}

func timeout(s *target.Step) time.Duration { return cmp.Or(s.Timeout, stepTime) }

// Work returns the time limit of all steps, in either direction.
func (c *Change) Work() time.Duration {
	var sum time.Duration
	for i := range c.Steps {
		sum += 2 * timeout(&c.Steps[i]) // the command, and the wait until it is loaded
	}
	return sum
}

// judging returns the time limit of the vendor's checkers for the restored content.
func (c *Change) judging() (sum time.Duration) {
	for _, f := range c.Files {
		if f.Writes() && f.File.Precheck != "" {
			sum += checkTime
		}
	}
	return sum
}

// Keeping returns the time limit of a confirm, without the mark.
func (c *Change) Keeping() (sum time.Duration) {
	for i := range c.Steps {
		if c.Steps[i].Keep != "" {
			sum += timeout(&c.Steps[i])
		}
	}
	return sum
}

// Soak returns how long the device must stay healthy after the steps, and how long it may be unreachable.
func (c *Change) Soak() (soak, away time.Duration) {
	for i := range c.Steps {
		soak = max(soak, cmp.Or(c.Steps[i].Soak, target.SoakTime))
		away = max(away, c.Steps[i].Away)
	}
	return soak, away
}

// Timers are the seconds until a device undoes a change by itself: First from the beginning of the commit, Later from its end.
type Timers struct{ First, Later time.Duration }

// order returns what a run does on the device, by names and hashes. The key of the run is that on the device.
func (c *Change) order(run deploy.Run) *order.Change {
	o := &order.Change{Run: run.Name, Key: run.Key, Device: c.plan.Device.Name, Digest: c.digest(), Need: 64 << 10}
	for _, f := range c.Files {
		one := order.File{Path: f.Path, Base: f.Base, Target: f.Target, Mode: uint32(cmp.Or(f.File.Mode.Perm(), 0o644)), Replaces: f.Replaces()}
		if f.Replaces() {
			o.Need += len(f.Before) + 2*len(f.After)
			o.Back = o.Back || f.File.WasThere
			if f.Writes() {
				one.Check = f.File.PrecheckName
			}
		}
		o.Files = append(o.Files, one)
	}
	o.Need >>= 10
	states, seen := c.states(), map[string]bool{}
	for i := range c.Steps {
		s := &c.Steps[i]
		one := order.Step{Name: s.Name, Again: c.again[i]}
		if s.Stdin != "" {
			one.Stdin = deploy.Sum([]byte(s.Stdin))
		}
		for _, f := range states {
			if s.Undo != nil && f.Activate == *s && !seen[f.Path] {
				seen[f.Path] = true
				one.States = append(one.States, len(o.Lives))
				o.Lives = append(o.Lives, order.Live{State: scripts.StateName(f.Path), Query: f.Live.Name})
			}
		}
		o.Steps = append(o.Steps, one)
	}
	if intent := c.plan.Device.Intent(); run.Tool != "" && intent != "" {
		o.Note = fmt.Sprintf("%s %s %s", run.Tool, intent, deploy.Holds(c.plan.Files))
	}
	return o
}

// digest returns the hash of the device's part of the run; empty: it is not known.
func (c *Change) digest() string {
	if c == nil || !scripts.ValidDigest(c.plan.Digest) {
		return ""
	}
	return c.plan.Digest
}

// contents returns the contents that an order names.
func (c *Change) contents() (out [][]byte) {
	add := func(content []byte) {
		if content != nil {
			out = append(out, content)
		}
	}
	for _, state := range c.plan.Device.Past {
		add(state)
	}
	for _, ch := range c.plan.Changes {
		if ch.Live() || ch.Replaces() {
			add(ch.After)
		}
	}
	for i := range c.Steps {
		if stdin := c.Steps[i].Stdin; stdin != "" {
			add([]byte(stdin))
		}
	}
	return out
}

// items returns all files that a device needs for the run.
func (c *Change) items(run deploy.Run, t Timers) []order.Item {
	o := c.order(run)
	p := &order.Parts{
		Script: scripts.Run(run.Name, run.Key), About: c.about(run), First: seconds(t.First), Later: seconds(t.Later),
		Content: func(sum string) []byte {
			i := slices.IndexFunc(c.Files, func(f *deploy.Change) bool { return f.Target == sum && f.Replaces() })
			return c.Files[i].After
		},
	}
	for _, f := range c.Files {
		check := ""
		if f.Writes() {
			check = f.File.Precheck
		}
		p.Checks = append(p.Checks, check)
	}
	for i := range c.Steps {
		p.Steps = append(p.Steps, *c.Steps[i].Commands())
	}
	queries := map[string]*target.Query{}
	for _, f := range c.states() {
		queries[f.Path] = f.Live
	}
	for _, l := range o.Lives {
		p.Lives = append(p.Lives, *queries[l.State])
	}
	return o.Items(p)
}

// about describes the run and its changes on the device, for a machine that did not start the run. Each change is a line "change file N
// STEP" or "change live STEP BASE TARGET NAME", in the order of the plan. STEP is the number of the step that puts the change to use; -1
// means no step.
func (c *Change) about(run deploy.Run) string {
	a := run.About
	a.Device, a.Owner = c.plan.Device.Name, run.Owner
	var b strings.Builder
	b.WriteString(a.Lines())
	n := 0
	for _, ch := range c.plan.Changes {
		step := slices.Index(c.Steps, ch.File.Activate)
		if ch.Live() {
			fmt.Fprintf(&b, "change live %d %s %s %s\n", step, ch.Base, ch.Target, scripts.StateName(ch.Path))
			continue
		}
		fmt.Fprintf(&b, "change file %d %d\n", n, step)
		n++
	}
	return b.String()
}

// states returns the live states with the steps that may change them. A live state that changes has the step of its change.
func (c *Change) states() (out []*target.File) {
	for i := range c.plan.Device.Files { // whether or not the state differs now
		f := &c.plan.Device.Files[i]
		if f.Live == nil {
			continue
		}
		if j := slices.IndexFunc(c.plan.Changes, func(ch *deploy.Change) bool { return ch.Path == f.Path }); j >= 0 {
			f = c.plan.Changes[j].File
		}
		out = append(out, f)
	}
	return out
}

// seconds formats a duration in whole seconds, at least one.
func seconds(d time.Duration) int { return max(1, int(d.Round(time.Second).Seconds())) }

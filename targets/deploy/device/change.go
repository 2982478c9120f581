package device

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
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

// item is a file of the run's folder.
type item struct {
	name string
	data []byte
}

// items returns all files that a device needs for the run.
func (c *Change) items(run deploy.Run, t Timers) []item {
	items := []item{{"run", []byte(scripts.Run(run.Name, run.Key))}, {"key", []byte(run.Key + "\n")}}
	add := func(name, format string, args ...any) {
		items = append(items, item{name, fmt.Appendf(nil, format, args...)})
	}
	var files, lives bytes.Buffer
	back := false
	need := 64 << 10
	for i, f := range c.Files {
		mode := cmp.Or(f.File.Mode.Perm(), 0o644)
		fmt.Fprintf(&files, "%d %s %s %o %s\n", i, f.Base, f.Target, mode, f.Path)
		if !f.Replaces() {
			continue
		}
		need += len(f.Before) + 2*len(f.After)
		if f.Writes() && f.File.Precheck != "" {
			add("check."+strconv.Itoa(i), "%s\n", f.File.Precheck)
		}
		if f.File.WasThere && !back {
			add("back", "")
			back = true
		}
		if f.After != nil {
			items = append(items, item{"up." + strconv.Itoa(i), f.After})
		}
	}
	n := 0
	var units strings.Builder
	for i := range c.Steps {
		s := &c.Steps[i]
		dir := fmt.Sprintf("step.%02d/", i)
		add(dir+"cmd", "%s\n", s.Cmd)
		if s.Stdin != "" {
			items = append(items, item{dir + "cmd.in", []byte(s.Stdin)})
		}
		add(dir+"time", "%d\n", seconds(timeout(s)))
		if s.Loaded != nil {
			add(dir+"loaded", "%s\n", s.Loaded.Cmd)
		}
		if c.again[i] {
			add(dir+"again", "")
		}
		if s.Keep != "" {
			add(dir+"keep", "%s\n", s.Keep)
		}
		if s.Units != "" {
			units.WriteString(" " + s.Units)
		}
		if s.Undo == nil {
			continue
		}
		add(dir+"undo", "%s\n", s.Undo.Cmd)
		items = append(items, item{dir + "undo.in", s.Undo.Stdin})
		var states bytes.Buffer // queries that show whether the undo of this step is in use
		for _, f := range c.states() {
			if f.Activate == *s && !bytes.Contains(lives.Bytes(), []byte(" "+f.Path+"\n")) {
				fmt.Fprintf(&lives, "%d %s\n", n, scripts.StateName(f.Path))
				add("live."+strconv.Itoa(n), "%s\n", f.Live.Cmd)
				items = append(items, item{fmt.Sprintf("live.%d.in", n), f.Live.Stdin})
				fmt.Fprintf(&states, "%d %s\n", n, scripts.StateName(f.Path))
				n++
			}
		}
		if states.Len() > 0 {
			add(dir+"states", "%s", states.Bytes())
		}
	}
	add("files", "%s", files.Bytes())
	add("lives", "%s", lives.Bytes())
	add("about", "%s", c.about(run))
	if digest := c.plan.Digest; digest != "" {
		add("digest", "%s\n", digest)
	} else {
		add("digest", "")
	}
	if intent := c.plan.Device.Intent(); run.Tool != "" && intent != "" {
		add("note", "%s %s %s\n", run.Tool, intent, deploy.Holds(c.plan.Files))
	}
	add("need", "%d\n", need>>10)
	add("units", "%s\n", units.String())
	add("first", "%d\n", seconds(t.First))
	add("later", "%d\n", seconds(t.Later))
	add("end", "")
	return items
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

// payload encodes the items for the connection: a line "NAME BYTES" before the bytes of each item. An item of one short line is encoded
// as "NAME =TEXT", which saves the device a process.
func payload(items []item) []byte {
	var b bytes.Buffer
	for _, it := range items {
		if text, ok := bytes.CutSuffix(it.data, []byte("\n")); ok && len(text) < 200 && !bytes.ContainsAny(text, "\n\x00") &&
			(len(text) == 0 || !bytes.ContainsAny(text[len(text)-1:], " \t")) {
			fmt.Fprintf(&b, "%s =%s\n", it.name, text)
			continue
		}
		fmt.Fprintf(&b, "%s %d\n", it.name, len(it.data))
		b.Write(it.data)
	}
	return b.Bytes()
}

// seconds formats a duration in whole seconds, at least one.
func seconds(d time.Duration) int { return max(1, int(d.Round(time.Second).Seconds())) }

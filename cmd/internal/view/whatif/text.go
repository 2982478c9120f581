package whatif

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/proof"
	"github.com/rocec/rocec/validate/sim"
)

// mostShown bounds the lists of the text; JSON has all.
const mostShown = 12

// screen prints a study.
type screen struct {
	*view.Screen
	*Study
}

// Text prints a study.
func (s *Study) Text(to *view.Screen) {
	v := screen{to, s}
	if s.Incast != nil {
		v.incast()
	} else {
		v.loop()
	}
	v.Prose("", "A simulation is no proof, and no prediction. "+diag.Rocec("help whatif.md")+" lists what the model leaves out.")
}

func (v screen) title(format string, args ...any) {
	fmt.Fprintln(v.W, v.Paint(diag.Bold, fmt.Sprintf(format, args...)))
}

func (v screen) incast() {
	x := v.Incast
	g := x.Intent.Group
	v.title("incast of %s to %s: roce %q, cos group %q (priority %d)", diag.Count(len(v.Found.Loads), "sender"), x.To, x.Intent.Name,
		g.Name, g.Cos)
	v.flows(v.Found.Loads, v.Found.Receivers)
	o := &v.Found.Observed
	v.title("in this simulation, with senders at these rates for %s:", span(o.Stopped))
	v.observed(o)
	switch {
	case o.Ended:
		v.ended(o)
	case o.Drained:
		v.line("after that", "all buffers are empty %s after the senders stop", span(o.Empty))
	default:
		v.stays(o)
	}
	fmt.Fprintln(v.W)
}

func (v screen) loop() {
	l := v.Loop
	var names []string
	for _, g := range l.Proof.Groups {
		names = append(names, fmt.Sprintf("%q (priority %d)", g.Name, g.Cos))
	}
	v.title("circle %d of %d: %s wait for each other, cos group %s", l.Number, l.Of, diag.Count(len(l.Circle), "buffer"), diag.And(names))
	fmt.Fprintln(v.W)
	for i, h := range l.Circle {
		if i == mostShown {
			fmt.Fprintf(v.W, "    ...  %s more\n", diag.Count(len(l.Circle)-i, "buffer"))
			break
		}
		fmt.Fprintf(v.W, "  %3d. %s ===> %s   out by %s\n", i+1, h.In.Peer(), h.In, h.Out.Name)
	}
	if len(l.Down) > 0 {
		var down []string
		for _, c := range l.Down[:min(len(l.Down), mostShown)] {
			down = append(down, fmt.Sprintf("%s - %s", c.A(), c.B()))
		}
		if n := len(l.Down) - mostShown; n > 0 {
			down = append(down, diag.Count(n, "more link"))
		}
		fmt.Fprintln(v.W)
		verb := "down"
		if len(proof.Failed(l.Down)) == 0 {
			verb = "not laid"
		}
		v.Prose("", "with "+diag.And(down)+" "+verb)
	}
	v.flows(v.Found.Loads, v.Found.Receivers)
	o := &v.Found.Observed
	if len(o.Locked) == 0 {
		v.unlocked()
	} else {
		v.title("these flows lock in this simulation, after %s (run %d of at most %d):", span(o.LockedAt), v.Found.Runs, maxRuns)
		v.observed(o)
		v.line("locked", "%s", list(o.Locked, bufferText))
		if o.Ended {
			v.ended(o)
		} else {
			v.stays(o)
		}
		if v.Found.Runs > 1 && v.Found.Plain.Drained {
			v.line("line rate", "with every sender and receiver at line rate the flows do not lock, and drain")
		}
	}
	fmt.Fprintln(v.W)
	v.way()
}

// unlocked describes a search in vain.
func (v screen) unlocked() {
	v.title("these flows do not lock in %s of this simulation; at line rate, for %s:", diag.Count(v.Found.Runs, "run"),
		span(v.Found.Plain.Stopped))
	v.observed(&v.Found.Plain)
	if v.Found.Ended {
		v.line("ended", "the bound on the work ended the search before run %d; whether other rates lock is not known", maxRuns)
	} else {
		v.line("after that", "every run drains; further rates are not tried, and may lock")
	}
}

func (v screen) way() {
	w := v.Way
	v.Prose("way 1: ", w.Text)
	if w.Untried != "" {
		v.line("simulated", "no: %s", w.Untried)
		fmt.Fprintln(v.W)
		return
	}
	o := &w.Observed
	switch {
	case o.Ended:
		v.ended(o)
	case len(o.Locked) > 0:
		v.line("locks", "the same flows lock after %s, at %s", span(o.LockedAt), list(o.Locked, bufferText))
	case o.Drained:
		v.line("drains", "the same flows do not lock in %s; all buffers are empty %s after the senders stop", span(o.Stopped), span(o.Empty))
	default:
		v.stays(o)
	}
	if w.Lost > 0 {
		v.line("left out", "%d of %s, which %s no path with it", w.Lost, diag.Count(len(v.Found.Loads), "flow"),
			diag.Plural(w.Lost, "has", "have"))
	}
	fmt.Fprintln(v.W)
}

// flows lists flows with their rates.
func (v screen) flows(loads []sim.Load, slow map[*ir.Port]int) {
	full := len(slow) == 0 && !slices.ContainsFunc(loads, func(l sim.Load) bool { return l.Percent < 100 })
	if fmt.Fprintln(v.W); full {
		fmt.Fprintf(v.W, "  at line rate:\n\n")
	}
	for i, l := range loads {
		if i == mostShown {
			fmt.Fprintf(v.W, "    ...  %s more\n", diag.Count(len(loads)-i, "flow"))
			break
		}
		if full {
			fmt.Fprintf(v.W, "    %s\n", flowText(l.Flow))
			continue
		}
		rate := fmt.Sprintf("sends at %d %% of %s", l.Percent, speed(l.Flow.Ports[0]))
		if s := slow[end(l.Flow)]; s > 0 && s < 100 {
			rate += fmt.Sprintf(", received at %d %% of %s", s, speed(end(l.Flow)))
		}
		v.Prose("    ", flowText(l.Flow)+": "+rate)
	}
	fmt.Fprintln(v.W)
}

// flowText returns text such as "node1:eth2 -> node3:eth2, by sw1, sw2, sw3".
func flowText(f *ir.Flow) string {
	var by []string
	for i := 1; i+1 < len(f.Ports); i += 2 {
		by = append(by, f.Ports[i].Device().Name)
	}
	return fmt.Sprintf("%s -> %s, by %s", f.Ports[0], end(f), strings.Join(by, ", "))
}

func speed(p *ir.Port) string {
	if p.Speed() == 0 {
		return "line rate"
	}
	return platform.SpeedText(p.Speed())
}

// line prints a fact below a title.
func (v screen) line(lead, format string, args ...any) {
	v.Prose(fmt.Sprintf("  %-12s", lead), fmt.Sprintf(format, args...))
}

func (v screen) ended(o *sim.Observed) {
	v.line("ended", "the bound of %s events ended the simulation; what follows is not known", diag.Number(o.Events))
}

func (v screen) stays(o *sim.Observed) {
	v.line("after that", "all senders stop, and the buffers stay locked: %s B stay in the switches", diag.Number(o.Left))
}

// observed prints marks, pauses, headroom and drops.
func (v screen) observed(o *sim.Observed) {
	if m := o.Mark; m == nil {
		v.line("first mark", "none")
	} else {
		v.line("first mark", "after %s, at %s: %s B in the queue", span(m.At), m.Out, diag.Number(m.Queue))
	}
	if len(o.Pauses) == 0 {
		v.line("first pause", "none: no buffer reaches its threshold")
	} else {
		v.line("first pause", "after %s: %s", span(o.Pauses[0].At), pauseText(&o.Pauses[0]))
		v.pauses(o)
	}
	v.drops(o)
	if len(o.Assumed) > 0 {
		v.line("not known", "the sizes of %s: the simulation pauses at %s B there, and loses nothing", list(o.Assumed, bufferText),
			diag.Number(sim.AssumedXoff))
	}
}

// pauses lists the buffers that pause, and the one with the fullest headroom.
func (v screen) pauses(o *sim.Observed) {
	var all []string
	fullest := -1
	for i, p := range o.Pauses {
		if i < mostShown {
			long := "for " + span(p.For)
			if slices.Contains(o.Locked, p.Buffer) {
				long = "for ever"
			}
			all = append(all, fmt.Sprintf("%s by %s %s", p.In.Peer(), p.In, long))
		}
		if p.Room > 0 && (fullest < 0 || p.Headroom*o.Pauses[fullest].Room > o.Pauses[fullest].Headroom*p.Room) {
			fullest = i
		}
	}
	if n := len(o.Pauses) - mostShown; n > 0 {
		all = append(all, diag.Count(n, "more port"))
	}
	v.line("paused", "%s", strings.Join(all, "; "))
	if fullest >= 0 {
		p := o.Pauses[fullest]
		v.line("headroom", "at most %s of %s B in use, at %s", diag.Number(p.Headroom), diag.Number(p.Room), bufferText(p.Buffer))
	}
}

func pauseText(p *sim.Pause) string {
	what := "for all lossless groups"
	switch g := groupOf(p.Buffer); {
	case p.In.ByPause():
		what = "by link pause"
	case g != nil:
		what = fmt.Sprintf("for priority %d", g.Cos)
	}
	return fmt.Sprintf("%s pauses %s %s, with %s B in its buffer", p.In, p.In.Peer(), what, diag.Number(p.Xoff))
}

// groupOf returns the cos group of a buffer; nil: the buffer counts several.
func groupOf(b sim.Buffer) *ir.CosGroup {
	if own := b.In.Buffers(); b.Group == nil && len(own) == 1 && !b.In.ByPause() {
		return own[0].Group
	}
	return b.Group
}

func (v screen) drops(o *sim.Observed) {
	if len(o.Drops) == 0 {
		v.line("drops", "none")
		return
	}
	for i, d := range o.Drops {
		if i == mostShown {
			v.line("drops", "at %s", diag.Count(len(o.Drops)-i, "more port"))
			break
		}
		why := "the headroom is too short"
		switch {
		case !d.Lossless:
			why = "the cos group is lossy there"
		case !d.Obeyed:
			why = d.In.Peer().String() + " does not obey its pauses"
		}
		v.line("drops", "%s at %s, the first after %s: %s", diag.Count(d.Frames, "frame"), bufferText(d.Buffer), span(d.At), why)
	}
}

func bufferText(b sim.Buffer) string { return b.In.String() }

// list returns the first of all as a list, and counts the others.
func list[T any](all []T, text func(T) string) string {
	var out []string
	for _, x := range all[:min(len(all), mostShown)] {
		if one := text(x); !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	if n := len(all) - mostShown; n > 0 {
		out = append(out, diag.Count(n, "more port"))
	}
	return diag.And(out)
}

// span returns a time as text: "12.3 us", "1.25 ms".
func span(d time.Duration) string {
	unit, name := time.Microsecond, "us"
	if d >= time.Millisecond {
		unit, name = time.Millisecond, "ms"
	}
	return fmt.Sprintf("%.1f %s", float64(d)/float64(unit), name)
}

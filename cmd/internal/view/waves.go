package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

// alike reports whether two waves differ only in names.
func alike(a, b *change.Wave) bool {
	return a.Phase == b.Phase && a.Stream == b.Stream && a.Canary == b.Canary && a.Outage == b.Outage && a.Capacity == b.Capacity &&
		len(a.Tasks) == len(b.Tasks) && len(a.Dark) == len(b.Dark) && len(a.Reduced) == len(b.Reduced) &&
		len(a.Cut)+len(b.Cut)+len(a.Last)+len(b.Last) == 0 &&
		a.Tasks[0].Kind == b.Tasks[0].Kind && a.Tasks[0].Device.Height() == b.Tasks[0].Device.Height()
}

// order prints the order of devices in a plan. Waves that differ only in names share a row.
func (v *Plan) order(s *sequence.Sequence) {
	if len(s.Steps) > 0 {
		v.Prose(v.Paint(diag.Yellow, "steps:")+" ", stepsText(s.Steps))
	}
	if s.ByMarks && len(s.Waves) > 0 {
		v.Prose(v.Paint(diag.Yellow, "note:")+" ", "a lossless class ends, and rocec assumes that hosts no longer send in it, as they "+
			"are set to mark another class. "+
			"A program that marks its packets itself may still use it.")
	}
	if len(s.Waves) > 0 {
		fmt.Fprintf(v.W, "Order: %s, at most %s.\n", diag.Count(len(s.Waves), "wave"), ShortTime(s.Takes()))
	}
	for i := 0; i < len(s.Waves); {
		j := i + 1
		for j < len(s.Waves) && !v.Expand && alike(s.Waves[i], s.Waves[j]) {
			j++
		}
		v.wave(s, i, j)
		i = j
	}
	if len(s.Early) > 0 {
		v.Prose("  "+v.Paint(diag.Yellow, "note:")+" ", fmt.Sprintf("%s %s a link already and %s as laid: %s",
			diag.Count(len(s.Early), "planned cable"), diag.Plural(len(s.Early), "has", "have"), diag.Plural(len(s.Early), "counts", "count"),
			linksText(s.Early)))
	}
	v.marks(s)
	if len(s.Refused) > 0 {
		names := make([]string, len(s.Refused))
		for i, r := range s.Refused {
			names[i] = r.Task.Device.Name
		}
		v.Prose("  "+v.Paint(diag.Red, "in no wave:")+" ", nodeset.Text(names, nodeset.Devices, math.MaxInt)+", as below")
	}
	if len(s.Down) > 0 {
		fmt.Fprintf(v.W, "  %s %s down, and the waves do without %s: %s\n", v.Paint(diag.Yellow, "note:"),
			diag.Count(len(s.Down), "link")+" "+diag.Plural(len(s.Down), "is", "are"), diag.Plural(len(s.Down), "it", "them"), linksText(s.Down))
	}
}

// linksText names the first few links by their ends.
func linksText(links []*ir.Link) string {
	const most = 4
	var out []string
	for i, l := range links {
		if i == most {
			out = append(out, "...")
			break
		}
		out = append(out, l.A().String()+" - "+l.B().String())
	}
	return strings.Join(out, ", ")
}

// wave prints waves i to j, which differ only in names.
func (v *Plan) wave(s *sequence.Sequence, i, j int) {
	first := s.Waves[i]
	var names []string
	var last, carried, dark, reduced []*ir.Device
	for _, w := range s.Waves[i:j] {
		for _, t := range w.Tasks {
			names = append(names, t.Device.Name)
		}
		last, carried, dark = append(last, w.Last...), append(carried, w.Carried...), append(dark, w.Dark...)
		reduced = append(reduced, w.Reduced...)
	}
	number := fmt.Sprint(i + 1)
	if j > i+1 {
		number += fmt.Sprint("-", j)
	}
	text := nodeset.Text(names, nodeset.Devices, math.MaxInt)
	switch n := len(first.Tasks); {
	case first.Canary && len(names) == 1:
		text += ", the first of its kind"
	case first.Canary:
		text += ", the first of their kinds"
	case first.Stream && n > 1:
		text += fmt.Sprintf(", %d at a time", min(s.Rules.Parallel, n))
	case len(names) > n && n == 1:
		text += ", one at a time"
	case len(names) > n:
		text += fmt.Sprintf(", %d at a time", n)
	case n > 1:
		text += ", together"
	}
	fmt.Fprintf(v.W, "  %-7s %s\n", number, v.Paint(diag.Bold, text))
	line := func(format string, args ...any) { fmt.Fprintf(v.W, "          "+format+"\n", args...) }
	if first.Outage.Hitless() {
		line("no traffic stops")
	}
	for _, what := range stops(s, i) {
		line("%s %s", v.Paint(diag.Yellow, "stops:"), what)
	}
	each := ""
	if j > i+1 {
		each = " at a time"
	}
	if n := len(first.Dark); n > 0 && !first.Stream {
		line("%s %s without a link%s: %s", v.Paint(diag.Yellow, "dark:"), diag.Count(n, "host"), each, few(dark))
	}
	if n := len(first.Reduced); n > 0 {
		line("%s %s with fewer links%s: %s", v.Paint(diag.Yellow, "reduced:"), diag.Count(n, "host"), each, few(reduced))
	}
	if n := len(first.Dark); n > 1 && first.Stream {
		line("%s each of these hosts for that long, %d at a time", v.Paint(diag.Yellow, "dark:"), min(s.Rules.Parallel, n))
	} else if n == 1 && first.Stream {
		line("%s %s for that long", v.Paint(diag.Yellow, "dark:"), few(dark))
	}
	if first.Capacity < 100 {
		line("capacity left: %d%% (%s towards %s)", first.Capacity, first.Narrow.Name, first.Towards.Name)
	}
	for k, c := range first.Cut {
		if k == 8 {
			line("%s and %s; --format json has them all", v.Paint(diag.Red, "cut off:"), diag.Count(len(first.Cut)-k, "other group"))
			break
		}
		line("%s %s from %s", v.Paint(diag.Red, "cut off:"), few(c.Hosts), few(c.From))
	}
	if len(last) > 0 {
		line("last: %s, which %s the logins to %s", few(last), diag.Plural(len(last), "carries", "carry"), few(carried))
	}
}

// stops lists the traffic that stops on the devices of a wave, with the duration, each once.
func stops(s *sequence.Sequence, wave int) []string {
	var out []string
	for k, t := range s.Waves[wave].Tasks {
		if o := outageText(t.Outage); o != "" {
			text := diag.Escape(strings.Join(s.Order.Waves[wave].Devices[k].Disrupts, "; ")) + " for " + o
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// planWave is a wave in the JSON of plan.
type planWave struct {
	Wave     int       `json:"wave"` // from 1
	Phase    int       `json:"phase"`
	Devices  []string  `json:"devices"`
	Canary   bool      `json:"canary"`
	Stream   bool      `json:"stream"` // its devices do not wait for each other
	Last     []string  `json:"last"`
	Carried  []string  `json:"carried"`
	Outage   [2]int    `json:"outage_seconds"` // least and most; 0 and 0: hitless
	Takes    int       `json:"takes_seconds"`
	Dark     []string  `json:"dark"`
	Reduced  []string  `json:"reduced"` // hosts that lose some of their links
	Capacity int       `json:"capacity_percent"`
	Narrow   string    `json:"narrow,omitempty"`
	Towards  string    `json:"towards,omitempty"`
	Cut      []planCut `json:"cut"`
}

type planCut struct {
	Hosts []string `json:"hosts"`
	From  []string `json:"from"`
}

func wavesJSON(s *sequence.Sequence) []planWave {
	out := []planWave{}
	for i, w := range s.Waves {
		pw := planWave{
			Wave: i + 1, Phase: w.Phase, Devices: []string{}, Canary: w.Canary, Stream: w.Stream,
			Last: DeviceNames(w.Last), Carried: DeviceNames(w.Carried),
			Outage: [2]int{int(w.Outage.Least.Seconds()), int(w.Outage.Most.Seconds())}, Takes: int(w.Takes.Seconds()),
			Dark: DeviceNames(w.Dark), Reduced: DeviceNames(w.Reduced), Capacity: w.Capacity, Cut: []planCut{},
		}
		for _, t := range w.Tasks {
			pw.Devices = append(pw.Devices, t.Device.Name)
		}
		if w.Narrow != nil {
			pw.Narrow, pw.Towards = w.Narrow.Name, w.Towards.Name
		}
		for _, c := range w.Cut {
			pw.Cut = append(pw.Cut, planCut{DeviceNames(c.Hosts), DeviceNames(c.From)})
		}
		out = append(out, pw)
	}
	return out
}

// outageText states how long traffic stops.
func outageText(o ir.Outage) string {
	switch {
	case o.Hitless():
		return ""
	case o.Least == 0 || o.Least == o.Most:
		return "at most " + ShortTime(o.Most)
	}
	return ShortTime(o.Least) + " to " + ShortTime(o.Most)
}

// ShortTime formats a duration for people: "45s", "2m", "1h10m".
func ShortTime(d time.Duration) string {
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

// stepsText describes the steps of a change.
func stepsText(phases []change.Phase) string {
	does := map[change.Step]string{
		change.Expand:   "devices learn the new class beside the old one",
		change.Migrate:  "hosts mark the new class",
		change.Contract: "devices drop the old class",
		change.Resets:   "cards store their parameters and are reset, one host after the other",
		change.Rest:     "everything else",
	}
	var parts []string
	for i, p := range phases {
		parts = append(parts, fmt.Sprintf("%d. %s: %s (%s)", i+1, p.Step, does[p.Step], diag.Count(len(p.Moves), "device")))
	}
	why := "The lossless classes change, and no order of the devices keeps traffic lossless, so this needs "
	if phases[0].Step == change.Resets {
		why = "A reset of a card runs beside no other change, so this needs "
	}
	return why +
		diag.Count(len(phases), "step") + ": " +
		strings.Join(parts, "; ") + ". Below is the first step; each later step is planned after the one before it."
}

// planStep is a step in the JSON of plan.
type planStep struct {
	Step    string            `json:"step"`
	Devices map[string]string `json:"devices"` // the content of each device then: both, marked or new
}

func stepsJSON(seq *sequence.Sequence) []planStep {
	var out []planStep
	for _, p := range seq.Steps {
		step := planStep{Step: string(p.Step), Devices: map[string]string{}}
		for _, v := range p.Moves {
			step.Devices[v.Device.Name] = v.To.String()
		}
		out = append(out, step)
	}
	return out
}

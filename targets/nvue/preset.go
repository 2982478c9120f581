package nvue

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// presetMarking is how the preset marks.
var presetMarking = ir.Marking{Min: grammar.PresetMin, Max: grammar.PresetMax, Probability: grammar.PresetProbability}

// Deviation is one way in which what the fabric means is not what the vendor's preset sets.
type Deviation struct {
	Says   string // a sentence
	Breaks bool   // with the preset, the fabric would not do what it says
}

// Deviations gives how what rocec writes for the switch differs from the vendor's preset `qos roce`, for those whose support asks.
func (w *Wish) Deviations() []Deviation { return w.lower().deviations() }

func (s *settings) deviations() []Deviation {
	var out []Deviation
	says := func(breaks bool, format string, args ...any) {
		out = append(out, Deviation{fmt.Sprintf(format, args...), breaks})
	}
	s.sortsOtherwise(says)
	for _, f := range s.profiles {
		switch {
		case f.pause:
			says(true, "Ports use link pause; the preset sets PFC.")
		case f.cos != 1<<grammar.PresetCos:
			says(true, "Lossless priorities are %s; the preset's is %d.", list(f.cos), grammar.PresetCos)
		}
		if f.metres > grammar.PresetMetres {
			says(true, "Cables are up to %d m long; the preset keeps headroom for %d m.", f.metres, grammar.PresetMetres)
		}
		if f.sizes != nil {
			says(true, "The fabric states sizes of buffers; the preset leaves them to the switch.")
		}
	}
	if len(s.profiles) > 0 {
		says(false, "PFC profiles %s are bound to ports, one for each class of cable length; the preset has %d m for all.",
			strings.Join(s.names(), ", "), grammar.PresetMetres)
		says(false, "Half of the memory is in the pool %s, and not in roce-lossless.", poolLossless)
	}
	for q := range 8 {
		var marks []string // ports of other speeds have others
		for _, m := range s.ecn {
			if at := m.at[q]; at != (ir.Marking{}) && (q != grammar.PresetCos || at != presetMarking) {
				marks = append(marks, fmt.Sprintf("from %d to %d bytes with %d %%", at.Min, at.Max, at.Probability))
			}
		}
		if len(marks) > 0 {
			says(true, "Traffic class %d is marked %s; the preset marks class %d from %d to %d bytes with %d %%.", q,
				strings.Join(slices.Compact(marks), ", or "), grammar.PresetCos, grammar.PresetMin, grammar.PresetMax, grammar.PresetProbability)
		}
	}
	var own [8]bool
	for _, g := range s.asked {
		own[g.Cos] = true
	}
	for q, x := range s.share {
		switch {
		case !own[q]:
		case x.Strict != (q == grammar.PresetCNP):
			says(true, "Traffic class %d is served %s; the preset serves class %d strictly, and no other.", q,
				map[bool]string{true: "strictly", false: "by its share"}[x.Strict], grammar.PresetCNP)
		case !x.Strict && q != 0 && q != grammar.PresetCos:
			says(true, "Traffic class %d has a share of its own, %d %%; with the preset its traffic is in class 0.", q, x.Percent)
		case q == grammar.PresetCos && x.Percent != grammar.PresetPercent:
			says(true, "Traffic class %d has %d %%; the preset gives it %d %%.", q, x.Percent, grammar.PresetPercent)
		}
	}
	says(false, "Priorities of no cos group have traffic classes of their own, which share what is left of the link, and %d is strict; with "+
		"the preset they are in class 0.", ir.ControlCos)
	return out
}

// sortsOtherwise compares trust and maps. Values that no group claims differ without harm to what the fabric says.
func (s *settings) sortsOtherwise(says func(breaks bool, format string, args ...any)) {
	if s.trust != "both" {
		says(!s.spare, "The switch trusts %s alone; the preset trusts both fields.", map[string]string{"l2": "PCP", "l3": "DSCP"}[s.trust])
	}
	claimed := map[int]bool{}
	for _, g := range s.asked {
		for _, c := range g.DSCP {
			claimed[c.Value] = true
			if c.Value/8 != g.Cos {
				says(true, "DSCP %d goes to priority %d; the preset sends it to %d.", c.Value, g.Cos, c.Value/8)
			}
		}
		for _, c := range g.PCP {
			if c.Value != g.Cos && s.trust != "l3" {
				says(true, "PCP %d goes to priority %d; the preset sends it to %d.", c.Value, g.Cos, c.Value)
			}
		}
	}
	var stray []int
	for v, cos := range s.dscp {
		if v/8 == grammar.PresetCos && !claimed[v] && cos != grammar.PresetCos {
			stray = append(stray, v)
		}
	}
	if len(stray) > 0 {
		says(false, "DSCP %s, which no cos group claims, stay out of the lossless priority; the preset has them there.",
			ranges(stray))
	}
	for _, p := range s.ports {
		if p.byPCP {
			says(true, "%s trusts PCP alone; the preset trusts both fields on all ports.", p.name)
			break
		}
	}
}

func (s *settings) names() []string {
	var out []string
	for _, f := range s.profiles {
		out = append(out, f.name)
	}
	return out
}

// list spells priorities: "3 and 4".
func list(mask uint8) string { return diag.And(strings.Split(digitsOf(mask), "")) }

// judgePreset refuses a switch that keeps the preset, and whose fabric does not fit it.
func (e *editor) judgePreset(ds *diag.List) {
	breaks := slices.DeleteFunc(e.deviations(), func(d Deviation) bool { return !d.Breaks })
	lossless := len(e.profiles) > 0
	if lossless && grammar.PresetIsLossy(e.set) {
		breaks = append(breaks, Deviation{Says: "The preset is in the mode lossy, which pauses nothing."})
	}
	d := e.w.device
	if len(breaks) == 0 {
		if over := e.overridden(); len(over) > 0 {
			topicPreset.Errorf(ds, d.At, "%s has the vendor's preset `qos roce`, which the fabric fits, and other settings go before it. %s Take "+
				"them away (nv unset), or write preset = \"replace\" in the switch block: rocec's settings then take the place of all.", d.Name,
				strings.Join(over, " "))
		}
		return
	}
	why := ""
	if e.w.preset == KeepPreset {
		why = ", and the switch block says preset = \"keep\""
	}
	var differs strings.Builder
	for i, b := range breaks {
		if i == 8 {
			fmt.Fprintf(&differs, " And %s more.", diag.Number(len(breaks)-i))
			break
		}
		differs.WriteString(" " + b.Says)
	}
	topicPreset.Errorf(ds, d.At, "%s has the vendor's preset `qos roce`, and the fabric does not fit it%s. What differs:%s Have the fabric "+
		"fit the preset, or write preset = \"replace\" in the switch block: rocec's settings then take its place.", d.Name, why, differs.String())
}

// overridden says which settings of the tree go before those of the preset, where the fabric needs these: marking and shares of
// default-global, the pool, and the length of cables. What else default-global has beside the preset is rocec's, and taken away.
func (e *editor) overridden() (out []string) {
	says := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	qos, class := e.set.Get("qos"), strconv.Itoa(grammar.PresetCos)
	longest := 0
	for _, f := range e.profiles {
		longest = max(longest, f.metres)
	}
	if n, ok := grammar.Whole(qos.Get("roce", "cable-length")); ok && n < longest {
		says("qos.roce.cable-length keeps headroom for %d m, and cables are up to %d m long.", n, longest)
	}
	if n, ok := grammar.Whole(qos.Get("traffic-pool", "roce-lossless", "memory-percent")); ok && n < grammar.PresetPool && longest > 0 {
		says("qos.traffic-pool gives roce-lossless %d %% of the memory, where the preset gives %d %%.", n, grammar.PresetPool)
	}
	marks := qos.Get("congestion-control", global, "traffic-class", class)
	at := "qos.congestion-control.default-global.traffic-class." + class
	if len(e.ecn) > 0 {
		if on, ok := grammar.On(marks.Get("ecn")); ok && !on {
			says("%s does not mark.", at)
		}
		for _, f := range []struct {
			key  string
			want int
		}{{"min-threshold", grammar.PresetMin}, {"max-threshold", grammar.PresetMax}, {"probability", grammar.PresetProbability}} {
			if n, ok := grammar.Whole(marks.Get(f.key)); ok && n != f.want {
				says("%s has %s %d, and the fabric and the preset %d.", at, f.key, n, f.want)
			}
		}
		if mode := marks.Get("mode"); mode.IsScalar() && mode.Value == "relative" {
			says("%s marks by what is free, and not by bytes.", at)
		}
	}
	for _, g := range e.asked {
		x := qos.Get("egress-scheduler", global, "traffic-class", strconv.Itoa(g.Cos))
		strict := g.Cos == grammar.PresetCNP
		mode, n := x.Get("mode"), grammar.PresetPercent
		if of, ok := grammar.Whole(x.Get("bw-percent")); ok {
			n = of
		}
		if mode.IsScalar() && (mode.Value == "strict") != strict || !strict && n != grammar.PresetPercent {
			says("qos.egress-scheduler.default-global serves traffic class %d otherwise than the preset.", g.Cos)
		}
	}
	return out
}

// ranges spells rising numbers: "24-25, 27-31".
func ranges(of []int) string {
	var out []string
	for i, j := 0, 0; i < len(of); i = j {
		for j = i + 1; j < len(of) && of[j] == of[j-1]+1; j++ {
		}
		if j-i == 1 {
			out = append(out, fmt.Sprint(of[i]))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", of[i], of[j-1]))
		}
	}
	return strings.Join(out, ", ")
}

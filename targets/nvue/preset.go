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

// presetMarking is the marking of the preset.
var presetMarking = ir.Marking{Min: grammar.PresetMin, Max: grammar.PresetMax, Probability: grammar.PresetProbability}

// Deviation is one difference between the fabric and the vendor's preset.
type Deviation struct {
	Says   string // a sentence
	Breaks bool   // with the preset, the fabric would not work as stated
	weight weight
}

// weight ranks deviations by the harm to a fabric whose switch keeps the preset.
type weight int

const (
	bySpelling weight = iota // rocec writes the same setting in another form
	byDerived                // a number that rocec derives differs, and lossless traffic is as safe
	byStated                 // the switch would not do what the fabric states
	byLoss                   // other traffic would be lossless, or lossless traffic would lose packets
)

// presetOf has the values of the preset on a switch.
type presetOf struct {
	metres int
	marks  ir.Marking // marking of the lossless class
	before [3]bool    // for min, max and probability: a setting of default-global overrides the preset
	plain  ir.Marking // marking of class 0, which the factory marks
}

// plainPreset is the preset of a switch without other settings.
var plainPreset = presetOf{metres: grammar.PresetMetres, marks: presetMarking, plain: presetMarking}

// of returns the preset's marking of a traffic class: only classes 0 and 3 have one.
func (p *presetOf) of(class int) ir.Marking {
	switch class {
	case 0:
		return p.plain
	case grammar.PresetCos:
		return p.marks
	}
	return ir.Marking{}
}

// Deviations returns the differences between rocec's settings for the switch and the vendor's preset `qos roce`. People need them if
// their vendor's support asks.
func (w *Wish) Deviations() []Deviation { return w.lower().deviations(plainPreset) }

type sayer func(w weight, format string, args ...any)

func (s *settings) deviations(preset presetOf) []Deviation {
	var out []Deviation
	says := func(w weight, format string, args ...any) {
		out = append(out, Deviation{fmt.Sprintf(format, args...), w >= byStated, w})
	}
	s.sortsOtherwise(says)
	for _, f := range s.profiles {
		switch {
		case f.pause:
			says(byLoss, "Ports use link pause; the preset sets PFC.")
		case f.cos != 1<<grammar.PresetCos:
			says(byLoss, "Lossless priorities are %s; the preset's is %d.", list(f.cos), grammar.PresetCos)
		}
		if f.metres > preset.metres {
			says(byLoss, "Cables are up to %d m long; the preset keeps headroom for %d m.", f.metres, preset.metres)
		}
		if f.sizes != nil {
			says(byStated, "The fabric states sizes of buffers; the preset leaves them to the switch.")
		}
	}
	if len(s.profiles) > 0 {
		says(bySpelling, "PFC profiles %s are bound to ports, one for each class of cable length; the preset has %d m for all.",
			strings.Join(s.names(), ", "), grammar.PresetMetres)
		says(bySpelling, "Half of the memory is in the pool %s, and not in roce-lossless.", poolLossless)
	}
	for q := range 8 {
		var marks []string // ports of other speeds have other marks
		for _, m := range s.ecn {
			if at := m.at[q]; at != (ir.Marking{}) && at != preset.of(q) {
				marks = append(marks, fmt.Sprintf("from %d to %d bytes with %d %%", at.Min, at.Max, at.Probability))
			}
		}
		marksOtherwise(s.asked, q, slices.Compact(marks), preset, says)
	}
	sharesOtherwise(s.asked, s.share, says)
	says(bySpelling, "Priorities without a cos group have their own traffic classes, which share the rest of the link, and %d is strict; "+
		"with the preset they are in class 0.", ir.ControlCos)
	return out
}

// marksOtherwise reports a traffic class whose marking differs from the preset. Derived thresholds may differ: marks then begin at
// another length of the queue, and other rules report marks that come after pauses.
func marksOtherwise(asked []*ir.CosGroup, q int, marks []string, preset presetOf, says sayer) {
	if len(marks) == 0 {
		return
	}
	weight, has := byStated, preset.marks
	if q == grammar.PresetCos && !statesMarks(asked, preset) {
		weight = byDerived
	}
	says(weight, "Traffic class %d is marked %s; the preset marks classes 0 and %d from %d to %d bytes with %d %%.", q,
		strings.Join(marks, ", or "), grammar.PresetCos, has.Min, has.Max, has.Probability)
}

// statesMarks reports whether the fabric states a number for marking that differs from the preset.
func statesMarks(asked []*ir.CosGroup, preset presetOf) bool {
	for _, g := range asked {
		if g.ECN == nil || g.Cos != grammar.PresetCos {
			continue
		}
		for i, f := range []struct {
			wants ir.Num
			has   int
		}{{g.ECN.Min, preset.marks.Min}, {g.ECN.Max, preset.marks.Max}, {g.ECN.Probability, preset.marks.Probability}} {
			if f.wants.Set() && f.wants.N != f.has && !preset.before[i] {
				return true
			}
		}
	}
	return false
}

// sharesOtherwise compares how queues are served. If the fabric states no weight, shares are derived.
func sharesOtherwise(asked []*ir.CosGroup, share [8]ir.QueueShare, says sayer) {
	var own, strict [8]bool
	shares := byDerived
	for _, g := range asked {
		own[g.Cos], strict[g.Cos] = true, strict[g.Cos] || g.Strict
		if g.Weight > 0 {
			shares = byStated
		}
	}
	for q, x := range share {
		switch {
		case !own[q]:
		case x.Strict != (q == grammar.PresetCNP):
			weight := shares
			if strict[q] {
				weight = byStated
			}
			says(weight, "Traffic class %d is served %s; the preset serves only class %d strictly.", q,
				map[bool]string{true: "strictly", false: "by its share"}[x.Strict], grammar.PresetCNP)
		case !x.Strict && q != 0 && q != grammar.PresetCos:
			says(shares, "Traffic class %d has its own share, %d %%; with the preset its traffic is in class 0.", q, x.Percent)
		case q == grammar.PresetCos && x.Percent != grammar.PresetPercent:
			says(shares, "Traffic class %d has %d %%; the preset gives it %d %%.", q, x.Percent, grammar.PresetPercent)
		}
	}
}

// sortsOtherwise compares trust and maps. Values that no group claims may differ without harm.
func (s *settings) sortsOtherwise(says sayer) {
	if s.trust != "both" {
		weight := byLoss
		if s.spare {
			weight = bySpelling
		}
		says(weight, "The switch trusts only %s; the preset trusts both fields.", map[string]string{"l2": "PCP", "l3": "DSCP"}[s.trust])
	}
	claimed := map[int]bool{}
	for _, g := range s.asked {
		for _, c := range g.DSCP {
			claimed[c.Value] = true
			if c.Value/8 != g.Cos {
				says(byLoss, "DSCP %d goes to priority %d; the preset sends it to %d.", c.Value, g.Cos, c.Value/8)
			}
		}
		for _, c := range g.PCP {
			if c.Value != g.Cos && s.trust != "l3" {
				says(byLoss, "PCP %d goes to priority %d; the preset sends it to %d.", c.Value, g.Cos, c.Value)
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
		says(bySpelling, "DSCP %s, which no cos group claims, stay out of the lossless priority; the preset has them there.",
			ranges(stray))
	}
	for _, p := range s.ports {
		if p.byPCP {
			says(byLoss, "%s trusts only PCP; the preset trusts both fields on all ports.", p.name)
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

// list returns priorities as text: "3 and 4".
func list(mask uint8) string { return diag.And(strings.Split(digitsOf(mask), "")) }

// presetIn returns the values of the preset in a tree.
func presetIn(set *grammar.Tree) presetOf {
	out := plainPreset
	qos := set.Get("qos")
	if n, ok := grammar.Whole(qos.Get("roce", "cable-length")); ok {
		out.metres = max(out.metres, n) // a shorter length overrides the preset's (overridden reports it)
	}
	out.before = marksIn(qos, grammar.PresetCos, &out.marks)
	marksIn(qos, 0, &out.plain)
	return out
}

// marksIn reads the marking of a class of default-global, which overrides the preset's. The result states which numbers are set.
func marksIn(qos *grammar.Tree, class int, to *ir.Marking) (there [3]bool) {
	marks := qos.Get("congestion-control", grammar.DefaultGlobal, "traffic-class", strconv.Itoa(class))
	for i, f := range []struct {
		key string
		to  *int
	}{{"min-threshold", &to.Min}, {"max-threshold", &to.Max}, {"probability", &to.Probability}} {
		if n, ok := grammar.Whole(marks.Get(f.key)); ok {
			*f.to, there[i] = n, true
		}
	}
	return there
}

// judgePreset refuses a switch that keeps the preset if the fabric does not fit it. With preset = "keep" it refuses the switch only if
// other traffic would be lossless or lossless traffic would lose packets. Other differences are a note.
func (e *editor) judgePreset(ds *diag.List) {
	least, kept := byStated, e.w.preset == ir.KeepPreset
	if kept {
		least = byLoss
	}
	var breaks, differs []string
	lost := false
	for _, d := range e.deviations(presetIn(e.set)) {
		switch {
		case d.weight >= least:
			breaks, lost = append(breaks, d.Says), lost || d.weight == byLoss
		case d.weight >= byDerived:
			differs = append(differs, d.Says)
		}
	}
	if len(e.profiles) > 0 && grammar.PresetIsLossy(e.set) {
		breaks, lost = append(breaks, "The preset is in the mode lossy, which pauses nothing."), true
	}
	d := e.w.device
	switch over := e.overridden(); {
	case len(breaks) > 0 && kept:
		topicPreset.Errorf(ds, d.At, "%s has the vendor's preset `qos roce`, the fabric does not fit it, and the switch block "+
			"has preset = \"keep\". Differences: %s Change the fabric to fit the preset, or write preset = \"replace\" in the switch "+
			"block: rocec's settings then replace it.", d.Name, few(breaks))
	case lost:
		topicPreset.Errorf(ds, d.At, "%s has the vendor's preset `qos roce`, and the fabric does not fit it. Differences: %s Change "+
			"the fabric to fit the preset, or write preset = \"replace\" in the switch block: rocec's settings then replace it.",
			d.Name, few(breaks))
	case len(breaks) > 0:
		topicPreset.Errorf(ds, d.At, "%s has the vendor's preset `qos roce`, and the fabric does not fit it. Differences: %s Change "+
			"the fabric to fit the preset, or decide in the switch block: with preset = \"keep\" the preset stays as it is, and with "+
			"preset = \"replace\" rocec's settings replace it.", d.Name, few(breaks))
	case len(over) > 0:
		topicPreset.Errorf(ds, d.At, "%s has the vendor's preset `qos roce`, which the fabric fits, and other settings override it. "+
			"%s Remove them (nv unset), or write preset = \"replace\" in the switch block: rocec's settings then replace all of them.",
			d.Name,
			strings.Join(over, " "))
	case len(differs) > 0:
		topicPreset.Noticef(ds, d.At, "%s keeps the vendor's preset `qos roce`. The fabric differs: %s", d.Name, few(differs))
	}
}

// saysDeviations returns one line for each difference from the preset, about which the vendor's support asks. For a switch that keeps the
// preset, it lists the differences between preset and fabric.
func (w *Wish) saysDeviations(set *grammar.Tree) (out []string) {
	e := w.editor(set)
	least, all := bySpelling, w.Deviations()
	head := "Differences from the vendor's preset (qos roce), about which its support asks first:"
	if e.keeps {
		least, all, head = byDerived, e.deviations(presetIn(set)), "The vendor's preset (qos roce) stays. The fabric differs:"
	}
	for _, d := range all {
		if d.weight >= least {
			out = append(out, "- "+d.Says)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return slices.Insert(out, 0, head)
}

// few joins sentences. If there are very many, it joins only the first ones.
func few(sentences []string) string {
	if n := len(sentences) - 8; n > 0 {
		return strings.Join(sentences[:8], " ") + fmt.Sprintf(" And %s more.", diag.Number(n))
	}
	return strings.Join(sentences, " ")
}

// overridden lists the settings of the tree that override settings of the preset which the fabric needs: marks and shares of
// default-global, the pool, and the cable length. rocec owns all other settings of default-global, and removes them.
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
		preset := presetIn(e.set)
		for _, g := range e.asked {
			if g.ECN == nil || g.Cos != grammar.PresetCos {
				continue
			}
			for i, f := range []struct {
				key       string
				wants     ir.Num
				has, from int
			}{
				{"min-threshold", g.ECN.Min, preset.marks.Min, grammar.PresetMin},
				{"max-threshold", g.ECN.Max, preset.marks.Max, grammar.PresetMax},
				{"probability", g.ECN.Probability, preset.marks.Probability, grammar.PresetProbability},
			} {
				if !preset.before[i] || !f.wants.Set() || f.wants.N == f.has {
					continue
				}
				who := "the fabric has"
				if f.wants.N == f.from {
					who = "the fabric and the preset have"
				}
				says("%s has %s %d, but %s %d.", at, f.key, f.has, who, f.wants.N)
			}
		}
		if mode := marks.Get("mode"); mode.IsScalar() && mode.Value == "relative" {
			says("%s marks by free memory, and not by bytes.", at)
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
			says("qos.egress-scheduler.default-global serves traffic class %d unlike the preset.", g.Cos)
		}
	}
	return out
}

// ranges writes ascending numbers as ranges: "24-25, 27-31".
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

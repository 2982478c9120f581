package deploy

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// shift is a shift of one port. Ports with equal shifts share an effect.
type shift struct {
	Shift
	order int  // order among shifts of a kind: the first cos or queue
	rest  bool // the shift concerns the ports that are not named
}

// shifts lists the changed values of a port that both sides know and that affect traffic.
func shifts(a, b *ir.PortSettings) (out []shift) {
	if a == nil || b == nil || *a == *b {
		return nil
	}
	add := func(order int, s Shift) { out = append(out, shift{Shift: s, order: order}) }
	if x, y := withPFC(a), withPFC(b); x.PausesKnown && y.PausesKnown {
		pausing(x, y, a.PausesKnown && b.PausesKnown, add)
	}
	classifying(a, b, add)
	for cos := range 8 {
		s := Shift{Kind: ECNChanges, Field: ir.FieldMarking, Of: fmt.Sprintf("cos %d", cos)}
		switch had, has := a.Marks>>cos&1 == 1, b.Marks>>cos&1 == 1; {
		case had && !has:
			s.Action, s.Before, s.After = Delete, "on", "off"
			add(cos, s)
		case has && !had:
			s.Action, s.Before, s.After = Create, "off", "on"
			add(cos, s)
		}
	}
	if none := (ir.Marking{}); a.Marks&b.Marks != 0 && a.Marking != b.Marking && a.Marking != none && b.Marking != none {
		add(7, Shift{Kind: ECNChanges, Action: Update, Field: ir.FieldMarking, Before: thresholds(a.Marking), After: thresholds(b.Marking)})
	}
	sharing(a, b, add)
	if a.Detail != b.Detail {
		was, is := a.Detail.Get(), b.Detail.Get()
		moving(ir.FieldQueue, "queue", was.Queue, is.Queue, add)
		moving(ir.FieldGroup, "priority group", was.Group, is.Group, add)
		detailed(a, b, add)
	}
	return out
}

type adder func(order int, s Shift)

// withPFC returns a port whose pauses are known if its PFC is known. Tools of a NIC print PFC and not link pause.
func withPFC(p *ir.PortSettings) *ir.PortSettings {
	pfc := p.Detail.Get().PFC
	if p.PausesKnown || !pfc.Known() {
		return p
	}
	out := *p
	out.Sends, out.Obeys, out.PausesKnown = pfc.Value, pfc.Value, true
	return &out
}

// pausing compares PFC, and link pause if both sides know it.
func pausing(a, b *ir.PortSettings, link bool, add adder) {
	pause := Shift{Field: ir.FieldLinkPause, Before: "on", After: "off"}
	switch {
	case !link:
	case a.LinkPause && !b.LinkPause:
		pause.Kind, pause.Action = LosslessEnds, Delete
		add(0, pause)
	case b.LinkPause && !a.LinkPause:
		pause.Kind, pause.Action, pause.Before, pause.After = LosslessBegins, Create, "off", "on"
		add(0, pause)
	}
	for cos := range 8 {
		s := Shift{Field: ir.FieldPauses, Of: fmt.Sprintf("cos %d", cos), Before: pfc(a, cos), After: pfc(b, cos)}
		switch {
		case s.Before == s.After:
			continue
		case s.After == "off":
			s.Kind, s.Action = LosslessEnds, Delete
		case s.Before == "off":
			s.Kind, s.Action = LosslessBegins, Create
		default:
			s.Kind, s.Action = PauseDirection, Update
			switch {
			case s.After == bothWays:
				s.Action = Create
			case s.Before == bothWays:
				s.Action = Delete
			}
		}
		add(cos, s)
	}
	if a.Headroom != b.Headroom && a.Headroom > 0 && b.Headroom > 0 {
		add(0, Shift{
			Kind: HeadroomChanges, Action: Update, Field: ir.FieldHeadroom,
			Before: diag.Bytes(a.Headroom), After: diag.Bytes(b.Headroom), Rises: a.Headroom < b.Headroom,
		})
	}
}

// pfc returns the word for a port's use of pauses of a priority. Under link pause it is "off".
func pfc(p *ir.PortSettings, cos int) string {
	switch sends, obeys := p.Sends>>cos&1 == 1, p.Obeys>>cos&1 == 1; {
	case p.LinkPause:
		return "off"
	case sends && obeys:
		return bothWays
	case sends:
		return "sent"
	case obeys:
		return "obeyed"
	}
	return "off"
}

// classifying compares the trusted fields, and the cos of their values. A value whose earlier cos is unknown is listed if it becomes
// lossless or strict.
func classifying(a, b *ir.PortSettings, add adder) {
	if !a.TrustKnown || !b.TrustKnown {
		return
	}
	for _, f := range []struct {
		of           ir.Field
		field, value string
		had, has     bool
		was, is      []int8
	}{
		{ir.FieldDSCP, "DSCP", "DSCP", a.Trust.DSCP, b.Trust.DSCP, a.DSCP[:], b.DSCP[:]},
		{ir.FieldPCP, "802.1p", "PCP", a.Trust.PCP, b.Trust.PCP, a.PCP[:], b.PCP[:]},
	} {
		switch {
		case f.had && !f.has:
			add(0, Shift{Kind: TrustChanges, Action: Delete, Field: ir.FieldTrust, Of: f.field, Before: "on", After: "off"})
		case f.has && !f.had:
			add(0, Shift{Kind: TrustChanges, Action: Create, Field: ir.FieldTrust, Of: f.field, Before: "off", After: "on"})
		}
		if !f.has {
			continue
		}
		var moved [8][]int
		for v, cos := range f.is {
			known := f.had && f.was[v] >= 0
			if cos >= 0 && (known && f.was[v] != cos || !known && (b.Strict|b.Sends|b.Obeys)>>cos&1 == 1) {
				moved[cos] = append(moved[cos], v)
			}
		}
		for cos := range moved {
			values, after := moved[cos], queue(b, cos)
			for other := cos + 1; other < len(moved) && len(values) > 0; other++ {
				if queue(b, other) == after { // values of several cos that share a queue are one effect
					values, moved[other] = append(values, moved[other]...), nil
				}
			}
			if slices.Sort(values); len(values) > 0 {
				add(cos, Shift{Kind: ValuesMove, Action: Update, Field: f.of, Of: f.value + " " + Ranges(values), After: after})
			}
		}
	}
}

// queueOf returns the number of a cos's queue; if the port does not show it, the queue has the number of the cos.
func queueOf(p *ir.PortSettings, cos int) int {
	if q := p.Detail.Get().Queue[cos]; q >= 0 {
		return int(q)
	}
	return cos
}

// queue returns a text with the queue of a cos and its scheduling.
func queue(p *ir.PortSettings, cos int) string {
	n := queueOf(p, cos)
	switch {
	case p.Strict>>cos&1 == 1:
		return fmt.Sprintf("strict queue %d", n)
	case p.Share[cos] > 0:
		return fmt.Sprintf("queue %d (DWRR share %d)", n, p.Share[cos])
	}
	return fmt.Sprintf("queue %d", n)
}

// proportional reports whether queues share the link by the same proportions before and after, so that traffic is not affected. If a
// share is unknown, the result is false.
func proportional(a, b *ir.PortSettings) bool {
	first := -1
	for cos := range 8 {
		switch x, y := a.Share[cos], b.Share[cos]; {
		case a.Strict>>cos&1 != b.Strict>>cos&1:
			return false
		case a.Strict>>cos&1 == 1:
		case x == 0 || y == 0:
			return false
		case first < 0:
			first = cos
		case int(x)*int(b.Share[first]) != int(y)*int(a.Share[first]):
			return false
		}
	}
	return true
}

// sharing compares the scheduling of queues. Queues with the same change share one effect. A cos that goes to another queue is named by its
// own number, because the change is not that of one queue.
func sharing(a, b *ir.PortSettings, add adder) {
	if proportional(a, b) {
		return
	}
	type change struct {
		noun              string
		strict, wasStrict bool
		share, was        uint8
	}
	of := map[change][]int{}
	var order []change
	for cos := range 8 {
		c, number := change{"queue", b.Strict>>cos&1 == 1, a.Strict>>cos&1 == 1, b.Share[cos], a.Share[cos]}, queueOf(b, cos)
		if number != queueOf(a, cos) {
			c.noun, number = "cos", cos
		}
		if c.strict == c.wasStrict && c.share == c.was || !c.strict && c.share == 0 || !c.wasStrict && c.was == 0 {
			continue // equal, or not known
		}
		if of[c] == nil {
			order = append(order, c)
		}
		if !slices.Contains(of[c], number) {
			of[c] = append(of[c], number)
		}
	}
	for _, c := range order {
		slices.Sort(of[c])
		s := Shift{Kind: SharesChange, Action: Update, Of: numberedAs(c.noun, of[c])}
		switch {
		case c.strict:
			s.Field, s.After, s.Rises = ir.FieldStrict, "strict", true
		case c.wasStrict:
			s.Field, s.Before, s.After = ir.FieldStrict, "strict", fmt.Sprintf("DWRR share %d", c.share)
		default:
			s.Field, s.Before, s.After = ir.FieldShare, strconv.Itoa(int(c.was)), strconv.Itoa(int(c.share))
		}
		add(of[c][0], s)
	}
}

// moving adds one effect for all cos that go to other queues or priority groups.
func moving(f ir.Field, noun string, was, is [8]int8, add adder) {
	var cos, to []int
	for n := range is {
		if was[n] >= 0 && is[n] >= 0 && was[n] != is[n] {
			cos = append(cos, n)
			if !slices.Contains(to, int(is[n])) {
				to = append(to, int(is[n]))
			}
		}
	}
	if len(cos) > 0 {
		slices.Sort(to)
		add(0, Shift{Kind: ValuesMove, Action: Update, Field: f, Of: "cos " + Ranges(cos), After: numberedAs(noun, to)})
	}
}

// detailKind returns the kind of effect of a value that [shifts] does not compare for the whole port; empty: no effect.
func detailKind(f ir.Field) EffectKind {
	switch f {
	case ir.FieldAsymmetricPFC:
		return PauseDirection
	case ir.FieldCable, ir.FieldBuffer, ir.FieldXoff, ir.FieldXon, ir.FieldHeadroom:
		return HeadroomChanges
	case ir.FieldDefaultCos, ir.FieldStamps, ir.FieldVLANMap:
		return ValuesMove
	case ir.FieldRewrite:
		return RewriteChanges
	case ir.FieldMarking, ir.FieldUnmarkable, ir.FieldDrop:
		return ECNChanges
	case ir.FieldStrict, ir.FieldShare:
		return SharesChange
	case ir.FieldMinRate, ir.FieldMaxRate, ir.FieldShaper, ir.FieldGroupLimit, ir.FieldGroupPool, ir.FieldQueueLimit, ir.FieldQueuePool:
		return LimitsChange
	case ir.FieldWatchdog:
		return WatchdogChanges
	}
	return ""
}

// detailed compares the values of priority groups, of queues and of the port that the other comparisons leave out. Groups and queues with
// the same change share one effect.
func detailed(a, b *ir.PortSettings, add adder) {
	told := map[ir.Field]bool{
		ir.FieldHeadroom: a.Headroom != b.Headroom, ir.FieldBuffer: a.Headroom != b.Headroom,
		ir.FieldMarking: a.Marks != b.Marks || a.Marking != b.Marking,
		ir.FieldStrict:  a.Strict != b.Strict || a.Share != b.Share, ir.FieldShare: a.Strict != b.Strict || a.Share != b.Share,
	}
	was := map[ir.Value]string{}
	for v := range a.Values() {
		text := v.Text
		v.Text = ""
		was[v] = text
	}
	type change struct {
		field                     ir.Field
		noun, more, before, after string
	}
	of := map[change][]int{}
	var order []change
	for v := range b.Values() {
		after := v.Text
		v.Text = ""
		before, known := was[v]
		if detailKind(v.Field) == "" || told[v.Field] || !known || before == after {
			continue
		}
		c := change{v.Field, v.What, "", before, after}
		if v.Index >= 0 {
			c.noun, c.more, _ = strings.Cut(v.What, " "+strconv.Itoa(v.Index))
		}
		if !slices.Contains(order, c) {
			order = append(order, c)
		}
		of[c] = append(of[c], v.Index)
	}
	for _, c := range order {
		s := Shift{Kind: detailKind(c.field), Action: Update, Field: c.field, Of: c.noun, Before: c.before, After: c.after}
		if of[c][0] >= 0 {
			s.Of = numberedAs(c.noun, of[c]) + c.more
		}
		switch {
		case c.field == ir.FieldDefaultCos:
			s.Of = untrusted
		case c.field == ir.FieldStrict:
			s.Rises = c.after == "on"
		case c.after == "off":
			s.Action = Delete
		case c.before == "off":
			s.Action = Create
		}
		add(max(of[c][0], 0), s)
	}
}

// pooling compares the pools of a device, by name.
func pooling(a, b map[string]ir.Pool) (out []shift) {
	for _, name := range slices.Sorted(maps.Keys(b)) {
		was, is := a[name], b[name]
		before := was.Values()
		for i, v := range is.Values() {
			if text := before[i].Text; text != "" && v.Text != "" && text != v.Text {
				out = append(out, shift{Shift: Shift{
					Kind: LimitsChange, Action: Update, Field: ir.FieldPool, Of: name + ", " + v.What, Before: text, After: v.Text,
				}})
			}
		}
	}
	return out
}

// numberedAs returns a noun with numbers: "queue 3", "queues 0-2", "cos 3-4".
func numberedAs(noun string, numbers []int) string {
	if len(numbers) > 1 && noun != "cos" {
		noun += "s"
	}
	return noun + " " + Ranges(numbers)
}

func thresholds(m ir.Marking) string {
	return fmt.Sprintf("%s-%s, %d %%", diag.Number(m.Min), diag.Bytes(m.Max), m.Probability)
}

// Ranges formats rising numbers: "24-25,27".
func Ranges(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, numbers[i])
		if j > i {
			fmt.Fprintf(&b, "-%d", numbers[j])
		}
		i = j + 1
	}
	return b.String()
}

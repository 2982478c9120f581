package deploy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// EffectKind is what kind of thing traffic notices; its text is that of the JSON.
type EffectKind string

// The kinds of effects, in the order they are shown: what can lose packets first.
const (
	LosslessEnds    EffectKind = "lossless-ends"
	LosslessBegins  EffectKind = "lossless-begins"
	PauseDirection  EffectKind = "pause-direction" // a port begins or ceases to send, or to obey, pauses of a cos that stays lossless
	HeadroomChanges EffectKind = "headroom"
	TrustChanges    EffectKind = "trust"
	ValuesMove      EffectKind = "map"
	ECNChanges      EffectKind = "ecn"
	SharesChange    EffectKind = "scheduling"
)

var effectKinds = []EffectKind{
	LosslessEnds, LosslessBegins, PauseDirection, HeadroomChanges, TrustChanges, ValuesMove, ECNChanges, SharesChange,
}

// Order is the place of a kind among the others.
func (k EffectKind) Order() int { return slices.Index(effectKinds, k) }

// Effect is one thing that traffic of a device will notice, and where.
type Effect struct {
	Kind    EffectKind
	Action  Action   // Create: it begins; Delete: it ends; Update: it changes
	What    string   // "lossless cos 4 ends"
	Ports   []string // in natural order; nil with All or Others: not listed
	All     bool     // every port there is
	Others  bool     // every port that the files do not name
	Foreign bool     // the ports are not in the fabric
}

// String says it: "lossless cos 4 ends on swp[5-32] (28 ports; not in this fabric)".
func (e Effect) String() string {
	switch {
	case e.All:
		return e.What + " on all ports"
	case e.Others:
		return e.What + " on all other ports (not in this fabric)"
	}
	var more []string
	if len(e.Ports) > 1 {
		more = append(more, diag.Count(len(e.Ports), "port"))
	}
	if e.Foreign {
		more = append(more, "not in this fabric")
	}
	text := e.What + " on " + nodeset.Text(e.Ports, nodeset.Interfaces, math.MaxInt)
	if len(more) > 0 {
		text += " (" + strings.Join(more, "; ") + ")"
	}
	return text
}

// said is what a port notices.
type said struct {
	kind   EffectKind
	action Action
	cos    int // for the order
	what   string
	rest   bool // the ports that are not named
}

// Effects says what traffic notices when a device goes from one state to another; cabled are the ports the fabric has. What is not
// known of either state tells nothing. It is pure.
func Effects(old, next *ir.Settings, cabled []*ir.Port) []Effect {
	if old == nil || next == nil {
		return nil
	}
	fabric, names := map[string]bool{}, map[string]bool{}
	for _, p := range cabled {
		fabric[p.Name], names[p.Name] = true, true
	}
	for _, s := range []*ir.Settings{old, next} {
		for name := range s.Ports {
			names[name] = true
		}
	}
	at := map[said]*Effect{} // of the fabric's ports, and in foreign of the others
	foreign := map[said]*Effect{}
	note := func(of map[said]*Effect, s said) *Effect {
		if of[s] == nil {
			of[s] = &Effect{Kind: s.kind, Action: s.action, What: s.what}
		}
		return of[s]
	}
	type pair struct{ a, b *ir.PortSettings }
	memo := map[pair][]said{} // ports that are set alike share their settings
	compare := func(a, b *ir.PortSettings) []said {
		p := pair{a, b}
		if _, known := memo[p]; !known {
			memo[p] = differences(a, b)
		}
		return memo[p]
	}
	for _, name := range slices.SortedFunc(maps.Keys(names), nodeset.Compare) {
		of := at
		if !fabric[name] {
			of = foreign
		}
		for _, s := range compare(old.Port(name), next.Port(name)) {
			e := note(of, s)
			e.Ports, e.Foreign = append(e.Ports, name), !fabric[name]
		}
	}
	for _, s := range compare(old.Rest, next.Rest) {
		named := 0
		for _, of := range []map[said]*Effect{at, foreign} {
			if of[s] != nil {
				named += len(of[s].Ports)
			}
		}
		if named == len(names) {
			delete(foreign, s)
			e := note(at, s)
			e.All, e.Ports = true, nil
			continue
		}
		s.rest = true // it stands beside the ports that are named, not among them
		e := note(foreign, s)
		e.Others, e.Foreign = true, true
	}
	type row struct {
		said
		*Effect
	}
	var rows []row
	for _, of := range []map[said]*Effect{at, foreign} {
		for s, e := range of {
			rows = append(rows, row{s, e})
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(
			cmp.Compare(a.kind.Order(), b.kind.Order()),
			cmp.Compare(a.cos, b.cos), cmp.Compare(a.what, b.what), cmp.Compare(rank(a.Effect), rank(b.Effect)),
		)
	})
	out := make([]Effect, len(rows))
	for i, r := range rows {
		out[i] = *r.Effect
	}
	return out
}

// rank puts the fabric's ports before others, and what is named before the rest.
func rank(e *Effect) int {
	switch {
	case e.Others:
		return 2
	case e.Foreign:
		return 1
	}
	return 0
}

// differences says what a port notices.
func differences(a, b *ir.PortSettings) (out []said) {
	if a == nil || b == nil || *a == *b {
		return nil
	}
	add := func(kind EffectKind, action Action, cos int, format string, args ...any) {
		out = append(out, said{kind: kind, action: action, cos: cos, what: fmt.Sprintf(format, args...)})
	}
	if a.PausesKnown && b.PausesKnown {
		pausing(a, b, add)
	}
	classifying(a, b, add)
	for cos := range 8 {
		switch had, has := a.Marks>>cos&1 == 1, b.Marks>>cos&1 == 1; {
		case had && !has:
			add(ECNChanges, Delete, cos, "ECN of cos %d ends", cos)
		case has && !had:
			add(ECNChanges, Create, cos, "ECN of cos %d begins", cos)
		}
	}
	if none := (ir.Marking{}); a.Marks&b.Marks != 0 && a.Marking != b.Marking && a.Marking != none && b.Marking != none {
		add(ECNChanges, Update, 7, "ECN thresholds go from %s to %s", thresholds(a.Marking), thresholds(b.Marking))
	}
	sharing(a, b, add)
	return out
}

type adder func(kind EffectKind, action Action, cos int, format string, args ...any)

// pausing compares PFC and link pause.
func pausing(a, b *ir.PortSettings, add adder) {
	switch {
	case a.LinkPause && !b.LinkPause:
		add(LosslessEnds, Delete, 0, "link pause ends")
	case b.LinkPause && !a.LinkPause:
		add(LosslessBegins, Create, 0, "link pause begins")
	}
	pfc := func(p *ir.PortSettings) (sends, obeys uint8) {
		if p.LinkPause {
			return 0, 0
		}
		return p.Sends, p.Obeys
	}
	sent, obeyed := pfc(a)
	sends, obeys := pfc(b)
	for cos := range 8 {
		bit := uint8(1) << cos
		had, has := (sent|obeyed)&bit != 0, (sends|obeys)&bit != 0
		switch {
		case had && !has:
			add(LosslessEnds, Delete, cos, "lossless cos %d ends", cos)
		case has && !had && sends&obeys&bit == 0:
			add(LosslessBegins, Create, cos, "lossless cos %d begins in one direction (%s)", cos,
				map[bool]string{true: "pauses are sent and not obeyed", false: "pauses are obeyed and not sent"}[sends&bit != 0])
		case has && !had:
			add(LosslessBegins, Create, cos, "lossless cos %d begins", cos)
		}
		if !had || !has {
			continue
		}
		for _, d := range []struct {
			before, after uint8
			what          string
		}{{sent, sends, "sending"}, {obeyed, obeys, "obeying"}} {
			switch {
			case d.before&bit > d.after&bit:
				add(PauseDirection, Delete, cos, "%s pauses of cos %d ends", d.what, cos)
			case d.before&bit < d.after&bit:
				add(PauseDirection, Create, cos, "%s pauses of cos %d begins", d.what, cos)
			}
		}
	}
	switch {
	case a.Headroom == 0 || b.Headroom == 0:
	case a.Headroom < b.Headroom:
		add(HeadroomChanges, Update, 0, "headroom grows from %s to %s", diag.Bytes(a.Headroom), diag.Bytes(b.Headroom))
	case a.Headroom > b.Headroom:
		add(HeadroomChanges, Update, 0, "headroom shrinks from %s to %s", diag.Bytes(a.Headroom), diag.Bytes(b.Headroom))
	}
}

// classifying compares which fields are trusted, and where their values go. A value that comes from nowhere known is told where it
// becomes lossless or strict.
func classifying(a, b *ir.PortSettings, add adder) {
	if !a.TrustKnown || !b.TrustKnown {
		return
	}
	for _, f := range []struct {
		field, value string
		had, has     bool
		was, is      []int8
	}{
		{"DSCP", "DSCP", a.Trust.DSCP, b.Trust.DSCP, a.DSCP[:], b.DSCP[:]},
		{"802.1p", "PCP", a.Trust.PCP, b.Trust.PCP, a.PCP[:], b.PCP[:]},
	} {
		switch {
		case f.had && !f.has:
			add(TrustChanges, Delete, 0, "trust in %s ends", f.field)
		case f.has && !f.had:
			add(TrustChanges, Create, 0, "trust in %s begins", f.field)
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
		for cos, values := range moved {
			if len(values) > 0 {
				add(ValuesMove, Update, cos, "%s %s %s to %s", f.value, Ranges(values), diag.Plural(len(values), "moves", "move"), queue(b, cos))
			}
		}
	}
}

// queue names the queue of a cos, and how it shares the link.
func queue(p *ir.PortSettings, cos int) string {
	switch {
	case p.Strict>>cos&1 == 1:
		return fmt.Sprintf("strict queue %d", cos)
	case p.Share[cos] > 0:
		return fmt.Sprintf("queue %d (DWRR share %d)", cos, p.Share[cos])
	}
	return fmt.Sprintf("queue %d", cos)
}

// proportional reports whether queues share the link by the same proportions, which traffic does not tell apart. Shares that are not known
// of either are in no proportion.
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

// sharing compares how queues share the link; queues with the same change are told together.
func sharing(a, b *ir.PortSettings, add adder) {
	if proportional(a, b) {
		return
	}
	type change struct {
		strict, wasStrict bool
		share, was        uint8
	}
	of := map[change][]int{}
	var order []change
	for cos := range 8 {
		c := change{b.Strict>>cos&1 == 1, a.Strict>>cos&1 == 1, b.Share[cos], a.Share[cos]}
		if c.strict == c.wasStrict && c.share == c.was || !c.strict && c.share == 0 || !c.wasStrict && c.was == 0 {
			continue // the same, or not known
		}
		if of[c] == nil {
			order = append(order, c)
		}
		of[c] = append(of[c], cos)
	}
	for _, c := range order {
		queues := diag.Plural(len(of[c]), "queue ", "queues ") + Ranges(of[c])
		verb := func(one, many string) string { return diag.Plural(len(of[c]), one, many) }
		switch {
		case c.strict:
			add(SharesChange, Update, of[c][0], "%s %s strict", queues, verb("becomes", "become"))
		case c.wasStrict:
			add(SharesChange, Update, of[c][0], "%s %s strict no more: DWRR share %d", queues, verb("is", "are"), c.share)
		default:
			add(SharesChange, Update, of[c][0], "%s %s from DWRR share %d to %d", queues, verb("goes", "go"), c.was, c.share)
		}
	}
}

func thresholds(m ir.Marking) string {
	return fmt.Sprintf("%s-%s, %d %%", diag.Number(m.Min), diag.Bytes(m.Max), m.Probability)
}

// Ranges writes rising numbers: "24-25,27".
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

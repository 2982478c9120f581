package ir

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Difference is a value that is known in two settings of one device and differs.
type Difference struct {
	Ports []string // sorted by name; an empty name: all ports that neither settings name. For FieldPool, the pool
	More  int      // further ports
	Field Field
	Index int    // a cos, a DSCP, a priority group or a queue, depending on the field; -1: the field has one value
	What  string // the value, as a person names it: "DSCP 26"; empty: the field names the value
	A, B  string // the values of the first and of the second settings
}

// The limits of differences: the ports that one difference names, and the kinds of ports that are compared. A real device has a few kinds.
const (
	mostPorts = 8
	mostKinds = 1 << 10
)

// Differences lists the values that both settings know and that differ, by field and index. Values unknown in one of them are left out.
// Ports with the same difference share one entry. If whole is false, the settings have more than 1,024 kinds of ports, and the rest was not
// compared.
func (s *Settings) Differences(other *Settings) (out []*Difference, whole bool) {
	return s.differences(other, false)
}

// Unlike lists differences like Differences. It also lists values known in only one of the settings, with [Unknown] for the other.
func (s *Settings) Unlike(other *Settings) (out []*Difference, whole bool) {
	return s.differences(other, true)
}

// Unknown is the text for an unknown value.
const Unknown = "not known"

func (s *Settings) differences(other *Settings, every bool) (out []*Difference, whole bool) {
	if s == nil || other == nil || s == other {
		return nil, true
	}
	kinds, whole := s.unlike(other, every)
	at := map[foundKey]int{}
	for _, p := range kinds {
		p.differences(every, func(v Value, a, b string) {
			k := foundKey{v, b}
			k.Text = a
			i, known := at[k]
			if !known {
				i, at[k] = len(out), len(out)
				out = append(out, &Difference{Field: v.Field, Index: v.Index, What: v.What, A: a, B: b})
			}
			d, names := out[i], p.ports
			n := min(len(names), mostPorts-len(d.Ports))
			d.Ports, d.More = append(d.Ports, names[:n]...), d.More+len(names)-n
		})
	}
	out = append(out, s.poolDifferences(other, every)...)
	for _, d := range out {
		slices.Sort(d.Ports)
	}
	slices.SortFunc(out, func(x, y *Difference) int {
		return cmp.Or(cmp.Compare(x.Field, y.Field), cmp.Compare(x.Index, y.Index), strings.Compare(x.What, y.What),
			slices.Compare(x.Ports, y.Ports), strings.Compare(x.A, y.A), strings.Compare(x.B, y.B))
	})
	return out, whole
}

// foundKey is a difference that several kinds of ports may have.
type foundKey struct {
	Value
	other string
}

// differences calls add for each value that differs; if every is set, also for values unknown on one side.
func (p *unlikePorts) differences(every bool, add func(v Value, a, b string)) {
	alike := true
	put := func(v Value, a, b string) {
		alike = false
		add(v, a, b)
	}
	b := map[Value]string{}
	for v := range p.b.Values() {
		text := v.Text
		v.Text = ""
		b[v] = text
	}
	for v := range p.a.Values() {
		text := v.Text
		v.Text = ""
		has, known := b[v]
		switch {
		case known && has != text:
			put(v, text, has)
		case !known && every:
			put(v, text, Unknown)
		}
		delete(b, v)
	}
	if !every {
		return
	}
	for v, text := range b {
		put(v, Unknown, text)
	}
	if v, is, other := summed(p.a, p.b); alike && is != other {
		put(v, is, other)
	}
}

// unlikePorts is a group of ports with the same two port settings, which differ.
type unlikePorts struct {
	a, b  *PortSettings
	ports []string
}

// unlike groups the ports that both settings know and whose settings differ. Ports that neither names come first. If every is set, ports
// known in only one of the settings are included. If whole is false, there are more kinds of ports than the limit.
func (s *Settings) unlike(other *Settings, every bool) (kinds []*unlikePorts, whole bool) {
	whole = true
	at := map[[2]*PortSettings]*unlikePorts{}
	unknown := UnknownPort()
	add := func(name string, a, b *PortSettings) {
		if every && a != b {
			a, b = cmp.Or(a, &unknown), cmp.Or(b, &unknown)
		}
		p := [2]*PortSettings{a, b}
		of := at[p]
		switch {
		case of != nil:
		case a == nil || b == nil || *a == *b:
			return
		case len(kinds) == mostKinds:
			whole = false
			return
		default:
			of = &unlikePorts{a: a, b: b}
			at[p], kinds = of, append(kinds, of)
		}
		of.ports = append(of.ports, name)
	}
	names := map[string]bool{}
	for _, of := range []*Settings{s, other} {
		for name := range of.Ports {
			names[name] = true
		}
	}
	add("", s.Rest, other.Rest)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		add(name, s.Port(name), other.Port(name))
	}
	return kinds, whole
}

func (s *Settings) poolDifferences(other *Settings, every bool) (out []*Difference) {
	names := map[string]bool{}
	for _, of := range []*Settings{s, other} {
		for name := range of.Pools {
			names[name] = true
		}
	}
	for name := range names {
		a, b := s.Pools[name], other.Pools[name]
		of := a.Values()
		for i, v := range b.Values() {
			w := of[i]
			if w.Text == v.Text || !every && (w.Text == "" || v.Text == "") {
				continue
			}
			out = append(out, &Difference{
				Ports: []string{name}, Field: FieldPool, Index: -1, What: v.What, A: cmp.Or(w.Text, Unknown), B: cmp.Or(v.Text, Unknown),
			})
		}
	}
	return out
}

// Value is one value of a port or of a pool, as text.
type Value struct {
	Field Field
	Index int    // a cos, a DSCP, a priority group or a queue, depending on the field; -1: the field has one value
	What  string // the value, as a person names it: "DSCP 26"; empty: the field names the value
	Text  string // for a pool, empty if it is unknown
}

// Values iterates over the known values of a port.
func (p *PortSettings) Values() func(yield func(Value) bool) {
	return func(yield func(Value) bool) {
		done := false
		put := func(f Field, index int, what, text string) {
			done = done || !yield(Value{f, index, what, text})
		}
		if p.TrustKnown {
			put(FieldTrust, -1, "", trusted(p.Trust))
		}
		for v, cos := range p.DSCP {
			if cos >= 0 {
				put(FieldDSCP, v, fmt.Sprintf("DSCP %d", v), fmt.Sprintf("cos %d", cos))
			}
		}
		for v, cos := range p.PCP {
			if cos >= 0 {
				put(FieldPCP, v, fmt.Sprintf("PCP %d", v), fmt.Sprintf("cos %d", cos))
			}
		}
		if p.PausesKnown {
			put(FieldLinkPause, -1, "", onOff(p.LinkPause))
			for prio := range 8 {
				put(FieldPauses, prio, fmt.Sprintf("priority %d", prio), pauses(p, prio))
			}
		}
		if p.Stamps != 0 {
			put(FieldStamps, -1, "", stamped(p.Stamps))
		}
		if p.Detail == (Detail{}) {
			return
		}
		d := p.Detail.Get()
		d.values(put)
	}
}

// stamped returns the DSCP values of [PortSettings.Stamps] as a list: "0, 26".
func stamped(bits uint64) string {
	var out []string
	for v := range 64 {
		if bits>>v&1 == 1 {
			out = append(out, strconv.Itoa(v))
		}
	}
	return strings.Join(out, ", ")
}

// summed compares values that a reader states once for the whole port. The returned texts are equal if the values do not differ.
func summed(a, b *PortSettings) (v Value, is, other string) {
	for _, of := range []struct {
		f         Field
		is, other any
	}{
		{FieldHeadroom, a.Headroom, b.Headroom},
		{FieldMarking, [2]any{a.Marks, a.Marking}, [2]any{b.Marks, b.Marking}},
		{FieldStrict, a.Strict, b.Strict},
		{FieldShare, a.Share, b.Share},
	} {
		if of.is != of.other {
			return Value{Field: of.f, Index: -1}, fmt.Sprint(of.is), fmt.Sprint(of.other)
		}
	}
	return v, "", ""
}

func trusted(t Trust) string {
	if t == (Trust{}) {
		return "none"
	}
	return t.String()
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// pauses names how a port uses pauses of a priority.
func pauses(p *PortSettings, prio int) string {
	sends, obeys := p.Sends>>prio&1 == 1, p.Obeys>>prio&1 == 1
	switch {
	case sends && obeys:
		return "sent and obeyed"
	case sends:
		return "sent"
	case obeys:
		return "obeyed"
	}
	return "off"
}

// values calls put for each known value.
func (d *PortDetail) values(put func(f Field, index int, what, text string)) {
	for cos := range 8 {
		if q := d.Queue[cos]; q >= 0 {
			put(FieldQueue, cos, fmt.Sprintf("cos %d", cos), fmt.Sprintf("queue %d", q))
		}
		if g := d.Group[cos]; g >= 0 {
			put(FieldGroup, cos, fmt.Sprintf("cos %d", cos), fmt.Sprintf("priority group %d", g))
		}
		d.Groups[cos].values(cos, put)
		d.Queues[cos].values(cos, put)
	}
	single := func(f Field, what, text string) {
		if text != "" {
			put(f, -1, what, text)
		}
	}
	single(FieldDefaultCos, "", numbered(d.DefaultCos, "cos %d"))
	single(FieldShaper, "", numbered(d.Shaper, "%d bit/s"))
	single(FieldRewrite, "DSCP", switched(d.RewriteDSCP))
	single(FieldRewrite, "PCP", switched(d.RewritePCP))
	single(FieldAsymmetricPFC, "", switched(d.AsymmetricPFC))
	single(FieldSpeed, "", numbered(d.Speed, "%d bit/s"))
	single(FieldCable, "", numbered(d.Cable, "%d m"))
	single(FieldMTU, "", numbered(d.MTU, "%d bytes"))
	single(FieldPauses, "set of priorities", numbered(d.PFC, "%08b"))
	single(FieldVLANMap, "", numbered(d.VLANMap, "%v"))
	w := &d.Watchdog
	if w.Action.Known() {
		single(FieldWatchdog, "action", [...]string{"off", "drop", "forward", "alert"}[w.Action.Value&3])
	}
	single(FieldWatchdog, "set of priorities", numbered(w.Watches, "%08b"))
	single(FieldWatchdog, "poll interval", timed(w.Poll))
	single(FieldWatchdog, "detection time", timed(w.Detect))
	single(FieldWatchdog, "restoration time", timed(w.Restore))
}

func (g *GroupSettings) values(n int, put func(f Field, index int, what, text string)) {
	of := fmt.Sprintf("priority group %d", n)
	for _, v := range []struct {
		f          Field
		more, text string
	}{
		{FieldBuffer, "", numbered(g.Buffer, "%d bytes")},
		{FieldXoff, "", numbered(g.Xoff, "%d bytes")},
		{FieldXon, "", numbered(g.Xon, "%d bytes")},
		{FieldXon, ", below the limit", numbered(g.XonOffset, "%d bytes")},
		{FieldHeadroom, "", numbered(g.Headroom, "%d bytes")},
		{FieldGroupLimit, "", limited(g.Limit)},
		{FieldGroupPool, "", numbered(g.Pool, "%s")},
		{FieldBuffer, ", lossless", switched(g.Lossless)},
	} {
		if v.text != "" {
			put(v.f, n, of+v.more, v.text)
		}
	}
}

func (q *QueueSettings) values(n int, put func(f Field, index int, what, text string)) {
	of := fmt.Sprintf("queue %d", n)
	fate := ""
	if q.Unmarkable.Known() {
		fate = map[Fate]string{Passed: "queued", Dropped: "dropped"}[q.Unmarkable.Value]
	}
	for _, v := range []struct {
		f          Field
		more, text string
	}{
		{FieldStrict, "", switched(q.Strict)},
		{FieldShare, "", numbered(q.Share, "%d")},
		{FieldMinRate, "", numbered(q.MinRate, "%d bit/s")},
		{FieldMaxRate, "", numbered(q.MaxRate, "%d bit/s")},
		{FieldMarking, "", switched(q.ECN)},
		{FieldMarking, ", from", numbered(q.MarkMin, "%d bytes")},
		{FieldMarking, ", up to", numbered(q.MarkMax, "%d bytes")},
		{FieldMarking, ", probability", numbered(q.Probability, "%d percent")},
		{FieldUnmarkable, "", fate},
		{FieldDrop, "", switched(q.Drop)},
		{FieldDrop, ", from", numbered(q.DropMin, "%d bytes")},
		{FieldDrop, ", up to", numbered(q.DropMax, "%d bytes")},
		{FieldQueueLimit, "", limited(q.Limit)},
		{FieldQueuePool, "", numbered(q.Pool, "%s")},
	} {
		if v.text != "" {
			put(v.f, n, of+v.more, v.text)
		}
	}
}

// Values lists the values of a pool; unknown values have no text.
func (p *Pool) Values() []Value {
	mode := ""
	if p.Mode.Known() {
		mode = map[PoolMode]string{PoolStatic: "static", PoolDynamic: "dynamic"}[p.Mode.Value]
	}
	return []Value{
		{FieldPool, -1, "size", numbered(p.Size, "%d bytes")},
		{FieldPool, -1, "part of the memory", numbered(p.Percent, "%d percent")},
		{FieldPool, -1, "mode", mode},
		{FieldPool, -1, "shared headroom", numbered(p.Shared, "%d bytes")},
		{FieldPool, -1, "without a bound", switched(p.Infinite)},
	}
}

// numbered returns a value as text; empty: the value is unknown.
func numbered[T comparable](s Setting[T], format string) string {
	if !s.Known() {
		return ""
	}
	return fmt.Sprintf(format, s.Value)
}

func switched(s Setting[bool]) string {
	if !s.Known() {
		return ""
	}
	return onOff(s.Value)
}

func timed(s Setting[time.Duration]) string {
	if !s.Known() {
		return ""
	}
	return s.Value.String()
}

func limited(s Setting[Limit]) string {
	if !s.Known() {
		return ""
	}
	switch l := s.Value; l.Kind {
	case LimitAlpha:
		return fmt.Sprintf("alpha 2^%d", l.N)
	case LimitZero:
		return "alpha 0"
	case LimitBytes:
		return fmt.Sprintf("%d bytes", l.N)
	case LimitPercent:
		return fmt.Sprintf("%d percent", l.N)
	}
	return "none"
}

// RoCE reports whether a port pauses, or the configuration states marks or a lossless buffer. Default marks of a system do not count: some
// systems mark a class that is never paused.
func (s *Settings) RoCE() bool {
	if s == nil {
		return false
	}
	if s.System.Preset.Known() && s.System.Preset.Value != "" {
		return true
	}
	seen := map[*PortSettings]bool{nil: true}
	of := func(p *PortSettings) bool {
		if seen[p] {
			return false
		}
		seen[p] = true
		return p.roce()
	}
	for _, p := range s.Ports {
		if of(p) {
			return true
		}
	}
	return of(s.Rest)
}

func (p *PortSettings) roce() bool {
	if p.Sends|p.Obeys != 0 || p.LinkPause {
		return true
	}
	d := p.Detail.Get()
	return d.PFC.Value != 0 ||
		slices.ContainsFunc(d.Groups[:], func(g GroupSettings) bool {
			return g.Lossless == Of(true) || g.Headroom.Is == Stated && g.Headroom.Value > 0 || g.Xoff.Is == Stated && g.Xoff.Value > 0
		}) || slices.ContainsFunc(d.Queues[:], func(q QueueSettings) bool { return q.ECN == Of(true) })
}

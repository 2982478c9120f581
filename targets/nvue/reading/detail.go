package reading

import (
	"cmp"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// kindOf returns the kind of a port. A port in a bond has the profiles of the bond, and its own speed and watchdog.
func (r *reading) kindOf(name string) kind {
	k := kind{bound: r.boundOf(name)}
	own := r.set.Get("interface", name)
	holder := own
	if b := r.bonds[name]; b != "" {
		holder = r.set.Get("interface", b)
	}
	k.speed = rateOf(own.Get("link", "speed"))
	switch mtu := cmp.Or(holder.Get("link", "mtu"), own.Get("link", "mtu")); {
	case mtu != nil:
		k.mtu = wholeOf(mtu, 1, 1<<16)
	case r.whole:
		k.mtu = ir.ByDefault(usualMTU)
	}
	k.dog = r.watchdog(name)
	k.shares = holder.Get("qos", "shared-headroom-pool") != nil
	return k
}

// usualMTU is the MTU of a port without a stated one. Source: Cumulus Linux 5.x, Switch Port Attributes, MTU.
const usualMTU = 9216

// firstWatchdog is the first release with a watchdog. Source: NVUE Reference, Set and Unset Commands, QoS.
var firstWatchdog = grammar.Release{5, 6}

// watchdog returns the action of a port's watchdog. It drops packets to a queue that stays paused (chapter of 5.x, PFC Watchdog). Only
// front ports have a watchdog. The key without a state turns it on.
func (r *reading) watchdog(name string) (action ir.Setting[ir.WatchdogAction]) {
	t := r.set.Get("interface", name, "qos", "pfc-watchdog")
	switch state := t.Get("state"); {
	case r.release != (grammar.Release{}) && r.release.Compare(firstWatchdog) < 0, t != nil && !strings.HasPrefix(name, "swp"):
		return ir.ByDefault(ir.WatchdogOff)
	case t == nil || name == "":
		if r.whole {
			return ir.ByDefault(ir.WatchdogOff)
		}
	case state == nil && t.IsMap():
		return ir.Of(ir.WatchdogDrop)
	default:
		if on, ok := grammar.On(state); ok {
			return ir.Of(map[bool]ir.WatchdogAction{true: ir.WatchdogDrop, false: ir.WatchdogOff}[on])
		}
	}
	return action
}

// detail returns the buffers, queues and limits of ports of a kind.
func (r *reading) detail(k kind, pauses pausing) ir.Detail {
	d := ir.UnknownDetail()
	d.Speed, d.MTU = k.speed, k.mtu
	d.DefaultCos = r.defaultCos(k.mapping)
	r.remark(&d, k.remark)
	groups := r.groups(&d, k, pauses)
	r.limits(&d, groups, pauses)
	for cos, q := range r.queue {
		d.Queue[cos] = int8(q)
	}
	for q := range d.Queues {
		r.scheduled(&d.Queues[q], q, k.scheduler)
		r.marked(&d.Queues[q], q, k.ecn)
	}
	r.shaped(&d, k.shaper)
	r.watched(&d.Watchdog, k.dog, pauses)
	return ir.NewDetail(d)
}

func (r *reading) defaultCos(mapping string) (cos ir.Setting[int8]) {
	t, declared := r.profile("mapping", mapping)
	switch x := t.Get("port-default-sp"); {
	case x != nil:
		if n, ok := grammar.Whole(x); ok && n < 8 {
			return ir.Of(int8(n))
		}
	case declared && r.usual(mapping):
		return ir.ByDefault(int8(0))
	}
	return cos
}

// remark reads whether header fields are rewritten. Without a profile none is (packet_priority_remark_set of the factory is empty).
func (r *reading) remark(d *ir.PortDetail, name string) {
	t, declared := r.profile("remark", name)
	switch x := t.Get("rewrite"); {
	case !declared:
	case x != nil:
		if w := x.Value; w == "l2" || w == "l3" || w == "both" {
			d.RewritePCP, d.RewriteDSCP = ir.Of(w != "l3"), ir.Of(w != "l2")
		}
	case t == nil:
		d.RewritePCP, d.RewriteDSCP = ir.ByDefault(false), ir.ByDefault(false)
	}
}

// scheduled reads how a queue is served. A class that is missing in a profile has the weight 0 (chapter of 5.17).
func (r *reading) scheduled(q *ir.QueueSettings, class int, name string) {
	t, declared := r.profile("egress-scheduler", name)
	classes := t.Get("traffic-class")
	if !declared || classes != nil && !classes.IsMap() {
		return
	}
	x := classes.Get(strconv.Itoa(class))
	switch {
	case x.IsMap() && len(x.Kids) > 0:
		percent := wholeOf(x.Get("bw-percent"), 0, 100)
		switch mode := x.Get("mode"); {
		case mode == nil && percent.Known(), mode != nil && mode.Value == "dwrr":
			q.Strict, q.Share = ir.Of(false), percent
			if mode == nil {
				q.Strict = ir.ByDefault(false)
			}
		case mode != nil && mode.Value == "strict":
			q.Strict = ir.Of(true)
		}
	case x != nil:
	case len(classes.MapOf()) > 0 && (name != "" || r.whole && !r.preset):
		q.Strict, q.Share = ir.ByDefault(false), ir.ByDefault(0)
	case name != "" || len(classes.MapOf()) > 0: // an empty profile, or the preset in addition to classes of default-global
	case r.preset && !r.modeOpen():
		if q.Strict = ir.ByDefault(class == grammar.PresetCNP); class == 0 || class == grammar.PresetCos {
			q.Share = ir.ByDefault(grammar.PresetPercent)
		}
	case !r.preset && r.whole:
		q.Strict, q.Share = ir.ByDefault(false), ir.ByDefault(12+class%2)
	}
}

// marked reads whether a queue marks and drops. A listed class marks by default (chapter of 5.x, Congestion Control). The manuals do not
// agree whether it also drops by default. The factory's default-global marks class 0, and drops nothing early.
func (r *reading) marked(q *ir.QueueSettings, class int, name string) {
	t, declared := r.profile("congestion-control", name)
	classes := t.Get("traffic-class")
	if !declared || classes != nil && !classes.IsMap() {
		return
	}
	x := classes.Get(strconv.Itoa(class))
	switch {
	case x.IsMap():
		q.ECN, q.Drop = onOr(x.Get("ecn"), ir.ByDefault(true)), onOr(x.Get("red"), ir.Setting[bool]{})
		if mode := x.Get("mode"); mode == nil || mode.Value == "absolute" {
			q.MarkMin = wholeOr(x.Get("min-threshold"), grammar.PresetMin)
			q.MarkMax = wholeOr(x.Get("max-threshold"), grammar.PresetMax)
		}
		q.Probability = wholeOr(x.Get("probability"), grammar.PresetProbability)
	case x != nil || !r.usual(name), r.preset && name == "" && (len(classes.MapOf()) > 0 || r.modeOpen()):
		return
	case name == "" && len(classes.MapOf()) == 0 && (class == 0 || r.preset && class == grammar.PresetCos):
		q.ECN, q.Drop, q.Probability = ir.ByDefault(true), ir.ByDefault(false), ir.ByDefault(grammar.PresetProbability)
		q.MarkMin, q.MarkMax = ir.ByDefault(grammar.PresetMin), ir.ByDefault(grammar.PresetMax)
	default:
		q.ECN, q.Drop = ir.ByDefault(false), ir.ByDefault(false)
	}
	if q.Drop.Value {
		q.DropMin, q.DropMax = q.MarkMin, q.MarkMax
	}
	if q.ECN.Value && q.Drop.Known() {
		q.Unmarkable = ir.Setting[ir.Fate]{Value: ir.Passed, Is: q.Drop.Is}
		if q.Drop.Value {
			q.Unmarkable.Value = ir.Dropped
		}
	}
	if q.ECN.Known() && !q.ECN.Value {
		q.MarkMin, q.MarkMax, q.Probability = ir.Setting[int]{}, ir.Setting[int]{}, ir.Setting[int]{}
	}
}

// shaped reads the shapers of a port and its queues, which are in kbit/s. Only classes in the profile are shaped (chapter of 5.x,
// Shaping). No manual describes the mode of a profile, which 5.16 has.
func (r *reading) shaped(d *ir.PortDetail, name string) {
	t, declared := r.profile("egress-shaper", name)
	if !declared || t.Get("mode") != nil {
		return
	}
	rate := func(x *grammar.Tree) ir.Setting[int64] {
		n, ok := grammar.Whole(x)
		switch {
		case x == nil:
			return ir.ByDefault(int64(0))
		case !ok || n > grammar.MostKbits:
			return ir.Setting[int64]{}
		case n == grammar.MostKbits:
			return ir.Of(int64(0))
		}
		return ir.Of(int64(n) * 1000)
	}
	d.Shaper = rate(t.Get("port-max-rate"))
	for q := range d.Queues {
		x := t.Get("traffic-class", strconv.Itoa(q))
		if x == nil || x.IsMap() {
			d.Queues[q].MinRate, d.Queues[q].MaxRate = rate(x.Get("min-rate")), rate(x.Get("max-rate"))
		}
	}
}

// watched reads the times of a watchdog. It polls, acts after some polls in which a queue stays paused, and ends after a poll without a
// pause.
func (r *reading) watched(w *ir.WatchdogSettings, action ir.Setting[ir.WatchdogAction], pauses pausing) {
	w.Action = action
	if action.Value != ir.WatchdogDrop {
		return
	}
	if pauses.known {
		w.Watches = ir.Of(pauses.cos)
	}
	t := r.set.Get("qos", "pfc-watchdog")
	value := func(key string, usual int) (n ir.Setting[int]) {
		switch x := t.Get(key); {
		case x != nil:
			n = wholeOf(x, 1, 100_000)
		case r.whole:
			n = ir.ByDefault(usual)
		}
		return n
	}
	poll, count := value("polling-interval", 100), value("robustness", 3)
	if !poll.Known() {
		return
	}
	every := time.Duration(poll.Value) * time.Millisecond
	w.Poll = ir.Setting[time.Duration]{Value: every, Is: poll.Is}
	w.Restore = w.Poll
	if count.Known() {
		w.Detect = ir.Setting[time.Duration]{Value: every * time.Duration(count.Value), Is: min(poll.Is, count.Is)}
	}
}

// modeOpen reports whether the preset is in a mode that the manuals do not describe.
func (r *reading) modeOpen() bool {
	return r.preset && r.mode != "lossless" && r.mode != "lossy" && r.mode != singlePool
}

// singlePool is the mode of the preset in which all arriving traffic is in one pool. Source: Cumulus Linux 5.14, RDMA over Converged
// Ethernet.
const singlePool = "lossless-single-ipool"

// presetName returns the name of the preset with its mode; empty: the preset is off.
func (r *reading) presetName() (name ir.Setting[string]) {
	t := r.set.Get("qos", "roce")
	switch {
	case presetUnread(r.set):
	case r.preset:
		return ir.Of(strings.TrimSpace("roce " + r.mode))
	case t != nil:
		return ir.Of("")
	case r.whole:
		return ir.ByDefault("")
	}
	return name
}

// wholeOf reads a whole number within bounds; any other value is unknown.
func wholeOf(t *grammar.Tree, lo, hi int) (n ir.Setting[int]) {
	if v, ok := grammar.Whole(t); ok && v >= lo && v <= hi {
		return ir.Of(v)
	}
	return n
}

func wholeOr(t *grammar.Tree, usual int) ir.Setting[int] {
	if t == nil {
		return ir.ByDefault(usual)
	}
	return wholeOf(t, 0, 1<<32)
}

func onOr(t *grammar.Tree, usual ir.Setting[bool]) (on ir.Setting[bool]) {
	if t == nil {
		return usual
	}
	if v, ok := grammar.On(t); ok {
		return ir.Of(v)
	}
	return on
}

// rateOf reads the speed of a link: 400G, 100M. auto is not a speed.
func rateOf(t *grammar.Tree) (rate ir.Setting[int64]) {
	if !t.IsScalar() || len(t.Value) < 2 || len(t.Value) > 8 {
		return rate
	}
	unit, ok := map[byte]int64{'M': 1e6, 'G': 1e9, 'T': 1e12}[t.Value[len(t.Value)-1]]
	if n, err := strconv.Atoi(t.Value[:len(t.Value)-1]); ok && err == nil && n > 0 && n < 1e5 {
		return ir.Of(int64(n) * unit)
	}
	return rate
}

// lowest returns the lowest cos of a mask.
func lowest(mask uint8) int { return bits.TrailingZeros8(mask) }

package lint

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// Sizes of packets, and the bytes that a frame adds. The default MTU is 9216.
const (
	ordinaryMTU = 1500
	usualMTU    = 9216
	around      = 18
)

// stated checks buffers that a profile states in bytes.
func (j *judge) stated(table string, p *grammar.Tree) {
	buffer, isBuffer := grammar.Whole(p.Get("port-buffer"))
	xoff, isXoff := grammar.Whole(p.Get("xoff-threshold"))
	xon, isXon := grammar.Whole(p.Get("xon-threshold"))
	if isXon && isXoff && xon >= xoff {
		sev, how := diag.Error, "By the manual of 5.17, the port ends the pause that much below xoff-threshold, which cannot be below 0. "+
			"Make xon-threshold smaller, or leave the sizes to the switch: state only cable-length."
		switch {
		case xon > xoff:
		case j.release.Compare(manyGroups) < 0:
			sev, how = diag.Notice, "Manuals differ in the start of the count: a pause ends where it begins, without hysteresis, or only when the "+
				"buffer is empty."
		default:
			sev, how = diag.Notice, "The manual counts down from xoff-threshold: the pause ends when the buffer is empty, and the link may be idle."
		}
		j.say(&topicSizes, sev, p.Get("xon-threshold").At, fmt.Sprintf("xon-threshold is %s bytes, and xoff-threshold is %s. %s",
			diag.Number(xon), diag.Number(xoff), how))
	}
	if !isBuffer || !isXoff {
		return
	}
	if xoff >= buffer {
		j.errorf(&topicSizes, p.Get("xoff-threshold").At, "xoff-threshold is %s bytes of a port-buffer of %s: the pause is sent when "+
			"the buffer is full, and packets on their way are lost. Leave the sizes to the switch: state only cable-length.",
			diag.Number(xoff),
			diag.Number(buffer))
		return
	}
	metres, of := 5, "a cable of 5 m"
	if n, ok := grammar.Whole(p.Get("cable-length")); ok && n > 0 && n <= 100_000 {
		metres, of = n, "the "+diag.Number(n)+" m of cable-length"
	}
	room, mtu := buffer-xoff, j.largest(table, p)
	least := platform.Arrives(min(mtu, ordinaryMTU)+around, metres)
	likely := platform.Arrives(mtu+around, metres)
	const what = "This profile of %s keeps %s bytes of headroom (port-buffer less xoff-threshold). "
	const instead = "Leave the sizes to the switch: state only cable-length."
	switch {
	case room < least:
		j.errorf(&topicHeadroom, p.Get("port-buffer").At, what+"Even at 10G, with an MTU of %d and %s, %s bytes can arrive after a pause was "+
			"sent; "+
			"faster ports need more. Frames are lost. "+instead, table, diag.Number(room), min(mtu, ordinaryMTU), of, diag.Number(least))
	case room < likely:
		j.warnf(&topicHeadroom, p.Get("port-buffer").At, what+"At 10G, with an MTU of %d and %s, %s bytes can arrive after a pause was sent; "+
			"faster ports need more. "+instead, table, diag.Number(room), mtu, of, diag.Number(likely))
	}
}

// largest returns the largest MTU of the ports that have a profile.
func (j *judge) largest(table string, p *grammar.Tree) int {
	if j.mtus[table] == nil { // computed once for all profiles, since a file may have many
		mtus := map[*grammar.Tree]int{}
		interfaces := j.set.Get("interface")
		usual := usualMTU
		if interfaces != nil && (interfaces.Bad || interfaces.Open) { // ports may have a smaller MTU
			usual = ordinaryMTU
		}
		for i := range interfaces.MapOf() {
			mtu := interfaces.Get(i, "link", "mtu")
			n, ok := grammar.Whole(mtu)
			switch {
			case grammar.Unknown(mtu):
				n = ordinaryMTU
			case !ok || n > usualMTU:
				n = usualMTU
			}
			_, have := j.bound(i, table)
			mtus[have] = max(mtus[have], n)
		}
		mtus[j.set.Get("qos", table, grammar.DefaultGlobal)] = usual // it is unknown which ports have default-global
		j.mtus[table] = mtus
	}
	if n := j.mtus[table][p]; n > 0 {
		return n
	}
	return usualMTU
}

// manyGroups is the first release with several lossless priority groups in a port. Source: chapter of 5.17.
var manyGroups = grammar.Release{5, 17}

// several reports that priorities of one profile share a buffer.
func (j *judge) several(p *grammar.Tree, cos uint8) {
	n := bits.OnesCount8(cos)
	if n < 2 || j.release.Compare(manyGroups) >= 0 {
		return
	}
	say := j.noticef
	if n > 2 {
		say = j.warnf
	}
	say(&topicPause, p.Get("switch-priority").Key, "This profile makes %d priorities lossless. Up to 5.16 a port has one lossless "+
		"priority group, so they share one buffer: congestion of one pauses the others, too. One lossless priority is enough for RoCE.", n)
}

// starved reports lossless traffic whose class has no share of the link.
func (j *judge) starved() {
	lossless := map[string]uint8{} // by scheduler
	for _, i := range append([]string{""}, j.set.Get("interface").Keys()...) {
		if i == "" || j.notPort(i) == "" {
			name, _ := j.bound(i, "egress-scheduler")
			lossless[name] |= j.losslessAt(i)
		}
	}
	schedulers := j.set.Get("qos", "egress-scheduler")
	for _, name := range schedulers.Keys() {
		classes := schedulers.Get(name, "traffic-class")
		global := name == grammar.DefaultGlobal
		if global && len(classes.MapOf()) == 0 {
			continue // the shares of the factory or of the preset apply
		}
		for cos := range 8 {
			if lossless[name]>>cos&1 == 1 {
				j.starves(name, classes, cos, global)
			}
		}
	}
}

func (j *judge) starves(name string, classes *grammar.Tree, cos int, global bool) {
	if !grammar.SureQueue(j.set, cos) {
		return
	}
	q := grammar.Queue(j.set, cos)
	x := classes.Get(strconv.Itoa(q))
	percent, ok := grammar.Whole(x.Get("bw-percent"))
	if mode := x.Get("mode"); mode.IsScalar() && mode.Value == "strict" {
		return
	}
	switch {
	case ok && percent == 0:
		j.warnf(&topicShares, x.Get("bw-percent").At, "Lossless priority %d leaves in traffic class %d, to which the scheduler %s gives 0 %%: "+
			"under load it gets none of the link, and its senders stay paused. The reference allows 1 to 100. Give the class a share.", cos, q,
			diag.Escape(name))
	case x == nil && !(global && j.unsure) && !(global && j.preset && (q == 0 || q == grammar.PresetCos || q == grammar.PresetCNP)):
		at := j.set.Get("qos", "egress-scheduler", name).Key
		if classes != nil {
			at = classes.Key
		}
		stays := ""
		if global {
			stays = " (the manuals leave open whether the factory's share stays in default-global)"
		}
		j.warnf(&topicShares, at, "Lossless priority %d leaves in traffic class %d, which the scheduler %s does not list. By the manual such "+
			"a class has the weight 0%s: under load it gets none of the link, and its senders stay paused. Give it a share.", cos, q,
			diag.Escape(name), stays)
	}
}

// relative checks thresholds in percent.
func (j *judge) relative() {
	profiles := j.set.Get("qos", "congestion-control")
	for _, name := range profiles.Keys() {
		classes := profiles.Get(name, "traffic-class")
		for _, n := range classes.Keys() {
			x := classes.Get(n)
			low, isLow := grammar.Whole(x.Get("min-threshold-percent"))
			high, isHigh := grammar.Whole(x.Get("max-threshold-percent"))
			if isLow && isHigh && low > high {
				j.errorf(&topicThresholds, x.Get("min-threshold-percent").At, "min-threshold-percent %d is above max-threshold-percent %d.", low, high)
			}
			mode := x.Get("mode")
			if mode.IsScalar() && mode.Value == "relative" && j.model != nil && old(j.model.ASIC.Name) {
				j.warnf(&topicThresholds, mode.At, "Thresholds relative to the free buffer need Spectrum-4 or later, and the header names the "+
					"model %s, "+
					"which has a %s. State min-threshold and max-threshold in bytes.", j.model.Title, j.model.ASIC.Title)
			}
		}
	}
}

// old reports whether a chip is older than Spectrum-4. Source: chapter of 5.17.
func old(asic string) bool {
	rest, ok := strings.CutPrefix(asic, "spectrum")
	return ok && (rest == "" || rest[0] < '4')
}

// buffers reports limits that others have set for the buffers of lossless traffic, as plan and verify do.
func (j *judge) buffers() {
	lossless := false
	for _, i := range append([]string{""}, j.set.Get("interface").Keys()...) {
		pauses, _ := j.pausesAt(i)
		lossless = lossless || pauses
	}
	t := j.set.Get("qos", "advance-buffer-config", grammar.DefaultGlobal)
	if !lossless || t == nil {
		return
	}
	alpha := t.Get("egress-lossless-buffer", "shared-alpha") // another rule reports a value below 1
	if alpha.IsScalar() && alpha.Value != "alpha_infinity" && alpha.Value != "alpha_0" && !strings.HasPrefix(alpha.Value, "alpha_1_") {
		j.warnf(&topicPool, alpha.At, "Queues of lossless traffic are limited to %s of their pool: packets above the limit are dropped. "+
			"The factory setting is alpha_infinity.", diag.Escape(alpha.Value))
	}
	if size := t.Get("egress-lossless-buffer", "shared-bytes"); size != nil && !size.Bad {
		j.warnf(&topicPool, size.At, "Queues of lossless traffic are limited to %s bytes: packets above the limit are dropped. The "+
			"factory sets no limit.", diag.Escape(size.Shown()))
	}
	if alpha := t.Get("ingress-lossless-buffer", "shared-alpha"); alpha.IsScalar() && alpha.Value == "alpha_0" {
		j.warnf(&topicPool, alpha.At, "Lossless traffic has no share of its pool (alpha_0): every waiting packet causes a pause. "+
			"The factory setting is alpha_1.")
	}
}

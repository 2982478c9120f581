package conflint

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// checkLossless judges the PFC and pause groups in force: whether they send and obey pauses, and which and how many cos they make lossless.
func (u *unit) checkLossless() {
	u.pausing(func(f grammar.Feature, g item) {
		tx, rx := u.of(f, g.text, grammar.SendsPause), u.of(f, g.text, grammar.ObeysPause)
		txOff, rxOff := tx != nil && !tx.on, rx != nil && !rx.on
		switch {
		case txOff && rxOff:
			u.errorf(&topicHalf, tx.valueAt, "The group %s of %s neither sends pauses nor obeys them, so it does nothing, "+
				"though it is listed. Set tx_enable and rx_enable to true, "+
				"or take the group out of the list.", show(g.text), f).Note(rx.valueAt, "pauses are not obeyed")
		case txOff && (f == grammar.LinkPause || u.obeysOnly(g.text)):
			u.warnf(&topicHalf, tx.valueAt, "The ports of %s.%s obey pauses and never ask the peer for one: the link is lossless "+
				"in one direction. Set tx_enable = true, unless nothing that comes in here has to arrive.", f, g.text)
		case txOff:
			u.errorf(&topicHalf, tx.valueAt, "The ports of %s.%s never ask the peer to pause, so their buffers overflow under "+
				"load and frames are lost. Set tx_enable = true.", f, g.text)
		case rxOff:
			u.warnf(&topicHalf, rx.valueAt, "The ports of %s.%s ask for pauses and obey none, so the peer's buffers can "+
				"overflow: the link is lossless in one direction. "+
				"Set rx_enable = true, unless the other end never pauses.", f, g.text)
		case u.cand.Only(grammar.QoSFeatures|grammar.QoSInfra) && (tx == nil || rx == nil) &&
			u.setting(f, grammar.SendsPause, -1, g.text) == tx && u.setting(f, grammar.ObeysPause, -1, g.text) == rx:
			u.noticef(&topicIncomplete, g.at, "The group %s of %s leaves tx_enable or rx_enable to the default. The manuals "+
				"say it is true, working drafts of 5.0 said false: write both.", show(g.text), f)
		}
	})
	u.losslessFlag()
	for _, g := range u.listed(grammar.PFC) {
		t := u.of(grammar.PFC, g.text, grammar.GroupCos)
		if t == nil || len(t.list) < 2 {
			continue
		}
		sev := diag.Notice
		if len(t.list) > 2 {
			sev = diag.Warning
		}
		u.found.Report(sev, &topicMany, t.valueAt, "%s makes %d cos lossless on the same ports. On Spectrum they share one buffer, "+
			"so congestion of one pauses all "+
			"(so a draft of the manual of 5.0); on Broadcom each wants headroom of its own, and two are usual. One lossless "+
			"cos does for all of RoCE.", t.key, len(t.list))
	}
	if c, ok := u.lossless[3]; ok && (!u.mapping().whole || u.mapping().reaches(3)) {
		sev, why := diag.Notice, "The vendor's RoCE presets still use it on Spectrum. On Broadcom take 4 or 5"
		if u.cand.Only(grammar.T0) || u.broadcom() {
			sev, why = diag.Warning, "This is a Broadcom switch: take 4 or 5"
		}
		if !u.spectrum() && !u.factoryMap() { // then no packet gets it
			u.found.Report(sev, &topicCos3, c.at, "Cos 3 is lossless, and the templates of every release reserve it for what the "+
				"switch's own CPU sends. %s.", why)
		}
	}
}

// losslessFlag reports a missing lossless_flag. On the oldest releases the priority group lossless is lossless only with this flag.
func (u *unit) losslessFlag() {
	cos := u.setting(grammar.PriorityGroup, grammar.GroupCos, -1, losslessGroup)
	flag := u.setting(grammar.PriorityGroup, grammar.LosslessFlag, -1, "")
	if cos == nil || !u.cand.Only(grammar.T0) || flag != nil && (!flag.ok || flag.on) {
		return
	}
	at := cos.keyAt
	if flag != nil {
		at = flag.valueAt
	}
	u.errorf(&topicIncomplete, at, "The priority group lossless is not lossless: its flag is not on. Set "+
		"priority_group.lossless.lossless_flag = true.")
}

// obeysOnly reports whether a PFC group only obeys pauses and lists no lossless cos. Releases from 4.4 on need no list for that.
func (u *unit) obeysOnly(group string) bool {
	cos, tx := u.setting(grammar.PFC, grammar.GroupCos, -1, group), u.of(grammar.PFC, group, grammar.SendsPause)
	return u.cand.Only(grammar.QoSFeatures|grammar.QoSInfra) && (cos == nil || cos.empty) && tx != nil && !tx.on
}

// spectrum and broadcom report whether the files show the chip, by their folder or by keys that only one chip has.
func (u *unit) spectrum() bool {
	if u.cand.Only(grammar.QoSFeatures | grammar.QoSInfra) {
		return true
	}
	return u.lies("/mlx/", "/etc/mlx/")
}

func (u *unit) broadcom() bool { return u.lies("/bcm/", "/etc/bcm.d/") || u.overlapping() }

func (u *unit) lies(in ...string) bool {
	for _, s := range u.sources {
		for _, dir := range in {
			if strings.Contains("/"+s.Name, dir) {
				return true
			}
		}
	}
	return false
}

// Frame sizes, with header and checksum, of the two MTUs by which headroom is judged.
const (
	ordinary = 1500 + 18
	jumbo    = 9216 + 18
)

// checkSizes judges buffers, thresholds and headroom of each group in force.
func (u *unit) checkSizes() {
	u.pausing(func(f grammar.Feature, g item) {
		buffer, xoff, delta := u.of(f, g.text, grammar.Buffer), u.of(f, g.text, grammar.Xoff), u.of(f, g.text, grammar.XonDelta)
		bad := false
		if xoff != nil && xoff.n == 0 {
			bad = true
			u.errorf(&topicSizes, xoff.valueAt, "%s is 0, so the port would pause its peer all the time. It is the filling at "+
				"which pauses are sent: the vendor's preset has 18,000.", xoff.key)
		}
		if buffer != nil && xoff != nil && !bad && xoff.n >= buffer.n {
			bad = true
			u.errorf(&topicSizes, xoff.valueAt, "%s is %s bytes of a buffer of %s: the pause goes out when nothing more fits, "+
				"and what is on its way is lost. "+
				"Make the buffer larger than xoff_size by the headroom.", xoff.key, diag.Number(xoff.n), diag.Number(buffer.n)).
				Note(buffer.valueAt, "the whole buffer")
		}
		switch {
		case xoff == nil || delta == nil || xoff.n == 0 || delta.n < xoff.n:
		case delta.n == xoff.n:
			u.noticef(&topicSizes, delta.valueAt, "%s is xoff_size: by the manuals the port resumes its peer at xoff_size less xon_delta, "+
				"so only when its buffer is empty, and the link may stand idle for a moment after each pause. The vendor's preset of 4.1 "+
				"has 18000 for both, that of 3.7 has 0 for xon_delta.", delta.key).Note(xoff.valueAt, "pauses are sent here")
		default:
			u.errorf(&topicSizes, delta.valueAt, "%s is %s bytes, and xoff_size %s: the port resumes its peer at xoff_size "+
				"less xon_delta, which cannot be below 0. Make xon_delta "+
				"smaller; the vendor's preset of 3.7 has 0 for it.", delta.key, diag.Number(delta.n), diag.Number(xoff.n)).Note(xoff.valueAt, "pauses "+
				"are sent here")
		}
		if !bad && xoff != nil && xoff.n < jumbo {
			frame, which := jumbo, "an MTU of 9216, as RoCE samples have it,"
			if xoff.n < ordinary {
				frame, which = ordinary, "an MTU of 1500"
			}
			u.warnf(&topicSizes, xoff.valueAt, "%s is %s bytes, and a frame with %s is %s: every frame that comes in sends a pause, also where "+
				"nothing is congested. The vendor's preset has 18,000.", xoff.key, diag.Number(xoff.n), which, diag.Number(frame))
		}
		if bad || buffer == nil || xoff == nil {
			return
		}
		u.headroom(f, g, buffer, xoff)
	})
}

func (u *unit) headroom(f grammar.Feature, g item, buffer, xoff *setting) {
	room := buffer.n - xoff.n
	metres := 5
	cable := u.of(f, g.text, grammar.CableLength)
	if cable != nil {
		metres = min(cable.n, 100_000)
	}
	least, large := platform.Arrives(ordinary, min(metres, 5)), platform.Arrives(jumbo, metres)
	what := fmt.Sprintf("The group %s of %s keeps %s bytes of headroom (port_buffer_bytes less "+
		"xoff_size).", show(g.text), f, diag.Number(room))
	var d *diag.Diagnostic
	switch {
	case room < least:
		d = u.errorf(&topicHeadroom, buffer.valueAt, "%s Even at 10G, with an MTU of 1500 and a cable of %d m, %s bytes can "+
			"arrive after a pause was sent; faster ports need more. "+
			"Frames are lost. The vendor's preset has 70,000 and 18,000.", what, min(metres, 5), diag.Number(least))
	case room < large:
		d = u.warnf(&topicHeadroom, buffer.valueAt, "%s With an MTU of 9216, as RoCE samples have it, %s bytes can arrive "+
			"after a pause was sent at 10G on a cable of %d m; faster ports "+
			"need more. It suits small frames on slow ports only. The vendor's preset has 70,000 and "+
			"18,000.", what, diag.Number(large), metres)
	default:
		return
	}
	d.Note(xoff.valueAt, "the pause is sent here")
	if cable != nil {
		d.Note(cable.valueAt, "the cable's length")
	}
}

// largestChips names the chip with most memory that ran the releases of each dialect. Sources: the platform lists in the
// quality-of-service chapters of the manuals; sizes of [platform.ASICs].
var largestChips = []struct {
	in   grammar.Dialects
	chip string
}{
	{grammar.Q2 | grammar.I2, "spectrum4"},
	{grammar.T4 | grammar.Q1 | grammar.I1, "spectrum3"},
	{grammar.T3, "tomahawk2"},
	{grammar.T1 | grammar.T2, "trident2plus"},
	{grammar.T0, "trident2"},
	{grammar.D, "spectrum3"},
}

// largest returns the chip with the most memory among the chips that the file can be for.
func (u *unit) largest() *platform.ASIC {
	for _, c := range largestChips {
		if u.cand&c.in == 0 {
			continue
		}
		for _, a := range platform.ASICs {
			if a.Name == c.chip {
				return a
			}
		}
	}
	panic("conflint: a dialect without a largest chip")
}

// checkMemory compares the sum of all guaranteed buffers with the memory of the largest chip that the file can be for.
func (u *unit) checkMemory() {
	total, ports := 0, 0
	least := "" // where the number of ports is not known
	var most *setting
	mostBytes := 0
	u.pausing(func(f grammar.Feature, g item) {
		buffer, set := u.of(f, g.text, grammar.Buffer), u.of(f, g.text, grammar.GroupPorts)
		if buffer == nil || set == nil {
			return
		}
		n := 0
		spans, every := set.spans()
		if every {
			n, least = 1, "at least "
		}
		for _, s := range spans {
			n += s.count()
		}
		ports += n
		sum := n * buffer.n
		total += sum
		if most == nil || sum > mostBytes {
			most, mostBytes = buffer, sum
		}
	})
	memory, what := u.memory()
	if total <= memory {
		return
	}
	u.errorf(&topicMemory, most.valueAt, "The PFC and pause groups promise %s of buffer to %s%s. %s has %s. Buffers that do not exist "+
		"lose frames. Make port_buffer_bytes smaller, or name fewer "+
		"ports.", bytesText(total), least, diag.Count(ports, "port"), what, bytesText(memory))
}

// memory returns the most memory that a chip of these releases has for lossless traffic, and how a message names it.
func (u *unit) memory() (bytes int, what string) {
	chip := u.largest()
	what = "The largest chip of these releases, " + chip.Title + ","
	for _, m := range []grammar.Meaning{grammar.LosslessIngressPool, grammar.LosslessPool} {
		pool := u.of(grammar.FlowControl, "", m)
		if pool == nil {
			continue
		}
		if p := u.numbered(grammar.IngressPool, grammar.PoolShare, pool.n); p != nil && p.real > 0 && p.real < 100 {
			return int(float64(chip.Buffer) * p.real / 100), fmt.Sprintf("The lossless pool (%g percent) of the largest chip "+
				"of these releases, %s,", p.real, chip.Title)
		}
	}
	return chip.Buffer, what
}

func bytesText(n int) string { return diag.Number(n) + " bytes" }

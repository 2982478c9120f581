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
			u.warnf(&topicHalf, tx.valueAt, "The ports of %s.%s obey pauses, but never send any: the link is lossless in one direction only. "+
				"Set tx_enable = true, unless incoming packets may be lost here.", f, g.text)
		case txOff:
			u.errorf(&topicHalf, tx.valueAt, "The ports of %s.%s never send pauses, so their buffers overflow under load and frames are lost. "+
				"Set tx_enable = true.", f, g.text)
		case rxOff:
			u.warnf(&topicHalf, rx.valueAt, "The ports of %s.%s send pauses, but obey none, so the peer's buffers can overflow: the link is "+
				"lossless in one direction only. Set rx_enable = true, unless the other end never pauses.", f, g.text)
		case u.cand.Only(grammar.QoSFeatures|grammar.QoSInfra) && (tx == nil || rx == nil) &&
			u.setting(f, grammar.SendsPause, -1, g.text) == tx && u.setting(f, grammar.ObeysPause, -1, g.text) == rx:
			u.noticef(&topicIncomplete, g.at, "The group %s of %s leaves tx_enable or rx_enable to the default. By the manuals the default is "+
				"true, by working drafts of 5.0 it is false: set both keys.", show(g.text), f)
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
		u.found.Report(sev, &topicMany, t.valueAt, "%s makes %d cos lossless on the same ports. By a draft of the manual of 5.0 they share "+
			"one buffer on Spectrum, so congestion of one pauses all. On Broadcom each needs separate headroom, and two are usual. One lossless "+
			"cos is enough for all RoCE traffic.", t.key, len(t.list))
	}
	if c, ok := u.lossless[3]; ok && (!u.mapping().whole || u.mapping().reaches(3)) {
		sev, why := diag.Notice, "The vendor's RoCE presets still use it on Spectrum. On Broadcom take 4 or 5"
		if u.cand.Only(grammar.T0) || u.broadcom() {
			sev, why = diag.Warning, "This is a Broadcom switch: take 4 or 5"
		}
		if !u.spectrum() && !u.factoryMap() { // then no packet gets it
			u.found.Report(sev, &topicCos3, c.at, "Cos 3 is lossless, and the templates of every release reserve it for packets of the switch's "+
				"own CPU. %s.", why)
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

// obeysOnly reports whether a PFC group obeys pauses, sends none, and has no lossless cos. Such a group needs no cos_list from 4.4 on.
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

// The frame sizes, with header and checksum, of the two MTUs for which headroom is judged.
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
			u.errorf(&topicSizes, xoff.valueAt, "%s is 0, so the port would pause its peer all the time. The port sends a pause when its buffer "+
				"contains this many bytes: the vendor's preset has 18,000.", xoff.key)
		}
		if buffer != nil && xoff != nil && !bad && xoff.n >= buffer.n {
			bad = true
			u.errorf(&topicSizes, xoff.valueAt, "%s is %s bytes of a buffer of %s: the port sends the pause when its buffer is full, and loses "+
				"the frames that arrive after it. Make the buffer larger than xoff_size by the "+
				"headroom.", xoff.key, diag.Number(xoff.n), diag.Number(buffer.n)).
				Note(buffer.valueAt, "the whole buffer")
		}
		switch {
		case xoff == nil || delta == nil || xoff.n == 0 || delta.n < xoff.n:
		case delta.n == xoff.n:
			u.noticef(&topicSizes, delta.valueAt, "%s is equal to xoff_size. By the manuals the port lets its peer send again at xoff_size less "+
				"xon_delta, here when its buffer is empty, so the link may be idle for a moment after each pause. The vendor's preset of 4.1 has "+
				"18000 for both keys; the preset of 3.7 has 0 for xon_delta.", delta.key).Note(xoff.valueAt, "pauses are sent here")
		default:
			u.errorf(&topicSizes, delta.valueAt, "%s is %s bytes, and xoff_size %s: the port lets its peer send again at xoff_size less "+
				"xon_delta, which cannot be below 0. Make xon_delta smaller; the vendor's preset of 3.7 has 0 for "+
				"it.", delta.key, diag.Number(delta.n), diag.Number(xoff.n)).Note(xoff.valueAt, "pauses "+
				"are sent here")
		}
		if !bad && xoff != nil && xoff.n < jumbo {
			frame, which := jumbo, "the MTU 9216 of RoCE samples"
			if xoff.n < ordinary {
				frame, which = ordinary, "the MTU 1500"
			}
			u.warnf(&topicSizes, xoff.valueAt, "%s is %s bytes, and a frame with %s is %s: every incoming frame triggers a pause, even without "+
				"congestion. The vendor's preset has 18,000.", xoff.key, diag.Number(xoff.n), which, diag.Number(frame))
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
		d = u.errorf(&topicHeadroom, buffer.valueAt, "%s Even at 10G, with the MTU 1500 and a cable of %d m, %s bytes can arrive after a "+
			"pause was sent; faster ports need more. The switch loses frames. The vendor's preset has 70,000 and "+
			"18,000.", what, min(metres, 5), diag.Number(least))
	case room < large:
		d = u.warnf(&topicHeadroom, buffer.valueAt, "%s With the MTU 9216 of RoCE samples, at 10G and with a cable of %[3]d m, %[2]s bytes "+
			"can arrive after a pause was sent; faster ports need more. This headroom is only enough for small frames on slow ports. The "+
			"vendor's preset has 70,000 and 18,000.", what, diag.Number(large), metres)
	default:
		return
	}
	d.Note(xoff.valueAt, "the pause is sent here")
	if cable != nil {
		d.Note(cable.valueAt, "the cable's length")
	}
}

// largestChips names the chip with the most memory among those that run the releases of a dialect. Sources: the platform lists in the
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

// largest returns the chip with the most memory among the chips for which the file may be.
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

// checkMemory compares the sum of all guaranteed buffers with the memory of the largest chip for which the file may be.
func (u *unit) checkMemory() {
	total, ports := 0, 0
	least := "" // set where the number of ports is not known
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
	u.errorf(&topicMemory, most.valueAt, "The PFC and pause groups promise %s of buffer to %s%s. %s has %s. Ports without the promised "+
		"buffer lose frames. Make port_buffer_bytes smaller, or name fewer "+
		"ports.", bytesText(total), least, diag.Count(ports, "port"), what, bytesText(memory))
}

// memory returns the largest memory that a chip of these releases can have for lossless traffic, and its name in messages.
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

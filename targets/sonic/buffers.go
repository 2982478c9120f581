package sonic

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/read"
)

// usualLengths are the cable lengths in most lookup files, for states without the lookup file of the switch.
var usualLengths = []int{5, 40, 300}

// cableRow is the row of CABLE_LENGTH in every template.
const cableRow = "AZURE"

// queueOf splits the key of a queue or of a priority group into its parts.
func queueOf(row string) (port string, from, to int, ok bool) {
	port, index, _ := strings.Cut(row, "|")
	from, to, ok = grammar.ParseRange(index)
	return port, from, to, ok
}

// speed returns the speed of a port in Mb/s: from the configuration of the switch, or from the fabric if it has no speed.
func (e *editor) speed(name string, p *port) int {
	if n, err := strconv.Atoi(e.cfg.Get("PORT", name, "speed")); err == nil && n > 0 {
		return n
	}
	return p.Speed()
}

// metres returns the cable length to set for a port. Where the switch computes headroom itself, it is rounded up to whole metres;
// otherwise it is the next longer length in the lookup file. 0: all lengths in the file are too short.
func (e *editor) metres(name string, p *port) int {
	if !p.Link().Length.Known() { // then sizes are stated, and lengths set by others stay
		if n, ok := grammar.ParseMetres(e.cable(name)); ok && n > 0 {
			return n
		}
		if all := e.lookup.Lengths(e.speed(name, p)); len(all) > 0 && !e.dynamic {
			return all[len(all)-1]
		}
		return usualLengths[len(usualLengths)-1]
	}
	length := p.Link().Length
	whole := max(length.Whole(), 1) // 0m turns the buffers of a port off
	switch {
	case e.dynamic:
		return whole
	case e.lookup != nil:
		return e.lookup.Reach(e.speed(name, p), length.Metres)
	}
	for _, m := range usualLengths {
		if m >= whole {
			return m
		}
	}
	return whole
}

// cable returns the length that the switch has for a port; empty: none.
func (e *editor) cable(name string) string { return e.cfg.Get("CABLE_LENGTH", e.cableRow(name), name) }

// cableRow returns the row of CABLE_LENGTH for a port: the row that has the port, or the first row if none has it.
func (e *editor) cableRow(name string) string {
	keys := e.cfg.Keys("CABLE_LENGTH")
	for _, key := range keys {
		if e.cfg.Row("CABLE_LENGTH", key).Has(name) {
			return key
		}
	}
	if len(keys) > 0 {
		return keys[0]
	}
	return cableRow
}

// made reports whether rocec knows which priority groups the buffer manager makes for a port in the traditional model. For a port
// that is down, some vendors' chips get no groups, so rocec predicts none.
func (e *editor) made(name string, p *port) bool {
	metres := e.metres(name, p)
	_, sized := e.lookup[e.speed(name, p)][metres]
	return e.read && e.cfg.Get("PORT", name, "admin_status") == "up" && metres > 0 && sized
}

// wishBuffers sets the cable length and the priority groups of a lossless port. In the dynamic model rocec adds the groups. In the
// traditional model the buffer manager makes them from speed, length and PFC.
func (e *editor) wishBuffers(put putter, name string, p *port) {
	metres := e.metres(name, p)
	if metres > 0 {
		put("CABLE_LENGTH", e.cableRow(name), name, fmt.Sprintf("%dm", metres), add(nil, p.Link().Length.From))
	}
	switch {
	case e.dynamic:
		for _, index := range grammar.Ranges(p.lossless) {
			put("BUFFER_PG", name+"|"+index, "profile", "NULL", p.why)
		}
	case e.made(name, p):
		speed := e.speed(name, p)
		profile := grammar.ProfileName(speed, metres)
		for _, index := range grammar.Ranges(p.lossless) {
			put("BUFFER_PG", name+"|"+index, "profile", profile, p.why)
		}
	}
}

// ownsGroup reports whether rocec removes an unwanted priority group: a lossless group of a port of the fabric, or a group that overlaps
// a wanted one. If rocec cannot predict the groups of the buffer manager, groups that have PFC stay.
func (e *editor) ownsGroup(row, profile string) bool {
	name, from, to, ok := queueOf(row)
	p := e.fabric[name]
	if !ok || p == nil && !e.left[name] {
		return false
	}
	lossless := grammar.IsMade(profile) || profile == "NULL"
	if p == nil {
		return lossless
	}
	inPFC, outside := false, false
	for n := from; n <= min(to, 7); n++ {
		if p.lossless>>n&1 == 1 {
			inPFC = true
		} else {
			outside = true
		}
	}
	if !e.dynamic && !e.made(name, p) && inPFC && !outside {
		return false
	}
	return lossless || inPFC
}

// judge reports why rocec must not edit a state, and the settings in the state that contradict the fabric.
func (e *editor) judge() (ds diag.List) {
	d := e.w.device
	if n := grammar.ASICs(e.cfg); n > 1 {
		topicChips.Errorf(&ds, diag.FirstPlace(d.Switch.ModelAt, d.At), "%s has %d chips, each with its own configuration. rocec writes "+
			"switches of one chip. Set %s by hand.", d.Name, n, d.Name)
		return ds
	}
	if !e.read {
		return ds
	}
	e.judgePorts(&ds)
	e.judgeMarks(&ds)
	lossless := slices.ContainsFunc(e.ports, func(p port) bool { return p.lossless != 0 })
	if lossless && e.cfg.Row("BUFFER_POOL", grammar.Pool) == nil {
		topicPool.Errorf(&ds, d.At, "%s has no pool %s, so its buffer manager makes no lossless priority group, whatever "+
			"else is there. Its configuration needs the pools of the template of its hwsku, which rocec does not write.",
			d.Name, grammar.Pool)
	}
	if lossless && !e.dynamic {
		e.judgeLengths(&ds)
	}
	return ds
}

// judgePorts reports ports that the switch does not have, and ports that may be down.
func (e *editor) judgePorts(ds *diag.List) {
	d := e.w.device
	var silent []string
	for i := range e.ports {
		p := &e.ports[i]
		name := e.names[p.Name]
		switch {
		case name == "":
			topicPort.Errorf(ds, p.At, "%s has no port %s. It has %s.%s", d.Name, p.Name, diag.Some(e.cfg.Keys("PORT"), 12),
				diag.DidYouMean(p.Name, e.cfg.Keys("PORT")))
		case p.lossless != 0 && !e.cfg.Row("PORT", name).Has("admin_status"):
			silent = append(silent, name)
		}
	}
	if len(silent) > 0 {
		topicAdmin.Warnf(ds, d.At, "On %s, PORT has no admin_status for %s. The buffer manager then makes no lossless priority group "+
			"(up to 202505), or treats the port as down. Run `%s`, as after every breakout.",
			d.Name, diag.Some(silent, 8), diag.Command("config interface startup", diag.Arg("PORT", silent[0])))
	}
}

// judgeMarks refuses a profile that does not mark and that no patch can change.
func (e *editor) judgeMarks(ds *diag.List) {
	row := e.cfg.Row("WRED_PROFILE", azure)
	if e.release >= free || len(e.wred) == 0 || row == nil {
		return
	}
	switch ecn := row.Get("ecn"); {
	case !read.MarksGreen(ecn):
		topicMarks.Errorf(ds, e.w.device.At, "On %s, the profile %s has ecn %q, which marks nothing. No patch can change that up to 202505. "+
			"Use an image of 202511 or later, or let the profile mark in the configuration that the switch boots "+
			"with.", e.w.device.Name, azure, ecn)
	case row.Get("wred_green_enable") != "true":
		topicMarks.Errorf(ds, e.w.device.At, "On %s, wred_green_enable of the profile %s is not true, so its thresholds may count for "+
			"nothing. No patch can change that up to 202505. Use an image of 202511 or later, or set it to true in the configuration that the "+
			"switch boots with.",
			e.w.device.Name, azure)
	}
}

// judgeLengths refuses cables for which the switch has no sizes: the buffer manager logs an error and leaves the port lossy.
func (e *editor) judgeLengths(ds *diag.List) {
	d := e.w.device
	if len(e.lookup) == 0 {
		topicCable.Errorf(ds, d.At, "%s has no pg_profile_lookup.ini, or an empty one, so its buffer manager has sizes for no speed and no "+
			"length, and leaves every port lossy. Its hwsku is %q: choose one that comes with the file, or the dynamic buffer model where the "+
			"chip has it.",
			d.Name, diag.Cut(e.cfg.Get("DEVICE_METADATA", "localhost", "hwsku")))
		return
	}
	type pair struct {
		speed  int
		metres float64
	}
	said := map[pair]bool{}
	for i := range e.ports {
		p := &e.ports[i]
		name := e.names[p.Name]
		if p.lossless == 0 || name == "" || e.metres(name, p) > 0 {
			continue
		}
		speed := e.speed(name, p)
		of := pair{speed, p.Link().Length.Metres}
		if said[of] {
			continue
		}
		said[of] = true
		at := diag.FirstPlace(p.Link().Length.From.At, p.At)
		if all := e.lookup.Lengths(speed); len(all) > 0 {
			topicCable.Errorf(ds, at, "The cable at %s of %s is %g m long, and the lookup file of the switch has sizes for %s at %s only. The "+
				"buffer manager would leave the port lossy. Use a shorter cable, or add a row to pg_profile_lookup.ini on the "+
				"switch.", name, d.Name, p.Link().Length.Metres,
				metresText(all), platform.SpeedText(speed))
			continue
		}
		var speeds []string
		for _, s := range slices.Sorted(maps.Keys(e.lookup)) {
			speeds = append(speeds, platform.SpeedText(s))
		}
		topicCable.Errorf(ds, at, "%s of %s runs at %s, for which the lookup file of the switch has no sizes; it has %s. The buffer manager "+
			"would leave the port lossy. Add a row to pg_profile_lookup.ini on the switch, or choose an hwsku that has the speed.", name, d.Name,
			platform.SpeedText(speed), diag.And(speeds))
	}
}

func metresText(all []int) string {
	var out []string
	for _, m := range all {
		out = append(out, strconv.Itoa(m))
	}
	return diag.And(out) + " m"
}

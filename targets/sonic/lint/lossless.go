package lint

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/read"
)

// storage is the DSCP that storage and training usually have: AF31, 26. The maps of templates send it to the lossy class 1.
const storage = "26"

// ports checks the ports that have PFC.
func (j *judge) ports() {
	groups, queues := j.rowsOf("BUFFER_PG"), j.rowsOf("QUEUE")
	paused := map[string]uint8{}   // classes that have PFC at some port, by the map of DSCP that the port binds
	alike := map[string][]string{} // ports with PFC, by PFC and maps
	for _, name := range j.keys("PORT_QOS_MAP") {
		row := j.cfg.Row("PORT_QOS_MAP", name)
		if mask, ok := grammar.ParseDigits(row.Get("pfc_enable")); ok {
			paused[row.Get("dscp_to_tc_map")] |= mask
			if mask != 0 && grammar.IsPort(name) {
				alike[kindOf(row, mask)] = append(alike[kindOf(row, mask)], name)
			}
		}
	}
	var silent []string
	var bare, lossy, unsized bareList
	for _, name := range j.keys("PORT_QOS_MAP") {
		row := j.cfg.Row("PORT_QOS_MAP", name)
		mask, ok := grammar.ParseDigits(row.Get("pfc_enable"))
		if !ok || mask == 0 || !grammar.IsPort(name) {
			continue
		}
		at := row.Fields["pfc_enable"].At
		if ports := alike[kindOf(row, mask)]; ports[0] == name {
			j.classes(row, mask, at)
			j.maps(diag.Some(ports, 8), len(ports), row, mask, at)
		}
		port := j.cfg.Row("PORT", name)
		if port != nil && !port.Has("admin_status") {
			silent = append(silent, name)
		}
		var lacks, wrong, nulls uint8
		for n := range 8 {
			if mask>>n&1 == 0 {
				continue
			}
			if group := groups[name][n]; group.Get("profile") == "NULL" && !j.lossless(group) {
				nulls |= 1 << n
			} else if group != nil && !j.lossless(group) && j.cfg.Row("BUFFER_PROFILE", group.Get("profile")) != nil &&
				port.Get("admin_status") != "down" {
				wrong |= 1 << n
			} else if j.cfg.Tables["BUFFER_PG"] != nil && port.Get("admin_status") == "up" && !j.lossless(group) {
				lacks |= 1 << n
			}
			disabled(j, name, n, queues[name][n])
		}
		bare.add(lacks, name, at)
		if nulls != 0 {
			unsized.add(nulls, name, groups[name][bits.TrailingZeros8(nulls)].Fields["profile"].At)
		}
		if wrong != 0 {
			lossy.add(wrong, name, groups[name][bits.TrailingZeros8(wrong)].Fields["profile"].At)
		}
	}
	templates(j, paused)
	j.nulls(unsized)
	lossyGroups(j, lossy)
	j.bare(bare)
	if len(silent) > 0 {
		j.warnf(&topicAdmin, j.cfg.Row("PORT", silent[0]).At, "PORT has no admin_status for %s. The buffer manager then makes no "+
			"lossless priority group (up to 202505), or treats the port as down. Run `%s`, as after every breakout.",
			diag.Some(silent, 8), diag.Command("config interface startup", diag.Arg("PORT", silent[0])))
	}
}

// bareGroups are ports that have PFC for the same priorities, and no lossless priority group for these.
type bareGroups struct {
	mask  uint8
	ports []string
	at    int // of the first
}

type bareList []bareGroups

func (l *bareList) add(mask uint8, port string, at int) {
	if mask == 0 {
		return
	}
	i := slices.IndexFunc(*l, func(b bareGroups) bool { return b.mask == mask })
	if i < 0 {
		i = len(*l)
		*l = append(*l, bareGroups{mask: mask, at: at})
	}
	(*l)[i].ports = append((*l)[i].ports, port)
}

// nulls reports ports with PFC whose groups have the profile NULL, on a switch that does not compute headroom.
func (j *judge) nulls(all bareList) {
	for _, b := range all {
		ports, n := diag.Some(b.ports, 8), len(b.ports)
		j.errorf(&topicGroup, b.at, "%s %s PFC for %s, and the profile of the priority group is NULL. NULL makes the switch compute "+
			"headroom, which needs buffer_model dynamic in DEVICE_METADATA. Here it is not, so there is no headroom and %s. Remove "+
			"the rows: the buffer manager writes rows with sizes.",
			ports, diag.Plural(n, "has", "have"), priorities(grammar.SpellDigits(b.mask)),
			diag.Plural(n, "the port drops", "the ports drop"))
	}
}

// lossyGroups reports ports with PFC whose priority groups have a profile without headroom.
func lossyGroups(j *judge, all bareList) {
	for _, b := range all {
		ports, n := diag.Some(b.ports, 8), len(b.ports)
		j.errorf(&topicGroup, b.at, "%s %s PFC for %s, and the profile of the priority group has no xoff, so it is lossy: %s no pause "+
			"and %s. Remove the rows: the buffer manager writes rows with sizes.", ports, diag.Plural(n, "has", "have"),
			priorities(grammar.SpellDigits(b.mask)), diag.Plural(n, "the port sends", "the ports send"), diag.Plural(n, "drops", "drop"))
	}
}

// bare reports ports with PFC and without lossless priority groups, once for each set of priorities. In the traditional model a text
// without any lossless group may be a configuration that no switch has run yet. The buffer manager of the switch adds the groups later.
func (j *judge) bare(all bareList) {
	lossless := slices.ContainsFunc(j.keys("BUFFER_PG"), func(key string) bool { return j.lossless(j.cfg.Row("BUFFER_PG", key)) })
	rendered := !lossless && !grammar.Dynamic(j.cfg) && j.cfg.Tables[grammar.VersionTable] == nil
	for _, b := range all {
		ports, n := diag.Some(b.ports, 8), len(b.ports)
		groups := grammar.SpellDigits(b.mask)
		if rendered {
			j.warnf(&topicGroup, b.at, "%s %s PFC for %s, and BUFFER_PG has no lossless priority group of any port. In a "+
				"configuration that no switch has run yet this is correct: the buffer manager adds them if pg_profile_lookup.ini "+
				"has sizes for speed and cable length. If a switch runs it, the manager has not added them, and the ports send no pause and "+
				"drop; see its messages in syslog.", ports,
				diag.Plural(n, "has", "have"), priorities(groups))
			continue
		}
		j.errorf(&topicGroup, b.at, "%s %s PFC for %s and no lossless priority group %s in BUFFER_PG, so %s no pause and %s. The "+
			"buffer manager makes one if it has sizes for speed and cable length; see its messages in syslog.",
			ports, diag.Plural(n, "has", "have"),
			priorities(groups), groups, diag.Plural(n, "it sends", "they send"), diag.Plural(n, "drops", "drop"))
	}
}

// priorities describes priorities: "priority 3", "the priorities 3,4".
func priorities(digits string) string {
	if len(digits) == 1 {
		return "priority " + digits
	}
	return "the priorities " + digits
}

// rowsOf returns the rows of a table of queues or groups by port and number.
func (j *judge) rowsOf(table string) map[string]map[int]*grammar.Row {
	out := map[string]map[int]*grammar.Row{}
	for _, key := range j.keys(table) {
		name, index, _ := strings.Cut(key, "|")
		from, to, ok := grammar.ParseRange(index)
		if !ok {
			continue
		}
		if out[name] == nil {
			out[name] = map[int]*grammar.Row{}
		}
		for n := from; n <= min(to, 7); n++ {
			out[name][n] = j.cfg.Row(table, key)
		}
	}
	return out
}

// egressPool is the pool of lossless queues in every template.
const egressPool = "egress_lossless_pool"

// whole reports whether a configuration identifies its switch and is not truncated. Otherwise it is a part: others load it on top of
// another configuration, or its last rows are missing.
func whole(j *judge) bool { return j.cfg.Row("DEVICE_METADATA", "localhost") != nil && !ends(j) }

// ends reports whether the text ends within an object.
func ends(j *judge) bool { return j.text != nil && j.text.Ends }

// lossless reports whether a priority group has headroom. In the dynamic buffer model, NULL makes the switch compute the headroom.
func (j *judge) lossless(group *grammar.Row) bool {
	profile := group.Get("profile")
	if profile == "NULL" {
		return grammar.Dynamic(j.cfg) || !whole(j)
	}
	return j.cfg.Row("BUFFER_PROFILE", profile).Has("xoff")
}

// disabled reports a profile at a lossless queue that marks by ecn and has wred_green_enable false. SAI's GREEN_ENABLE is then false, as
// if the field were missing, and marks nothing (sonic-swss@e6b0c5b5, orchagent/qosorch.cpp:714). No document states that a switch marks
// in this case.
func disabled(j *judge, port string, n int, queue *grammar.Row) {
	name := queue.Get("wred_profile")
	profile := j.cfg.Row("WRED_PROFILE", name)
	if read.MarksGreen(profile.Get("ecn")) && profile.Get("wred_green_enable") == "false" && j.once("disabled", name) {
		j.warnf(&topicUnmarked, profile.Fields["wred_green_enable"].At, "Queue %d of %s is lossless, and its profile %s has ecn and "+
			"switches wred_green_enable off. That turns WRED off, and no document states that the queue still marks. Set it to true.",
			n, port, name)
	}
}

// lookups reports pairs of speed and cable length for which the lookup file of the switch has no sizes, if the text includes that file.
func (j *judge) lookups() {
	lookup := grammar.LookupOf(j.cfg)
	if lookup == nil || grammar.Dynamic(j.cfg) {
		return
	}
	for _, key := range j.keys("CABLE_LENGTH") {
		row := j.cfg.Row("CABLE_LENGTH", key)
		for _, name := range row.Names() {
			mask, _ := grammar.ParseDigits(j.cfg.Get("PORT_QOS_MAP", name, "pfc_enable"))
			metres, ok := grammar.ParseMetres(row.Get(name))
			speed, err := strconv.Atoi(j.cfg.Get("PORT", name, "speed"))
			if mask == 0 || !ok || metres == 0 || err != nil || slices.Contains(lookup.Lengths(speed), metres) {
				continue
			}
			j.errorf(&topicLookup, row.Fields[name].At, "%s has a cable of %d m at %d Mb/s, and the lookup file of the switch has no "+
				"sizes for the pair. The buffer manager logs an error and leaves the port lossy. State a length that the file has.",
				name, metres, speed)
		}
	}
}

// watchdogs checks PFC_WD.
func (j *judge) watchdogs() {
	ranged := func(name, field string) (n int, ok bool) { // the model checks other values
		text := j.cfg.Get("PFC_WD", name, field)
		n, err := strconv.Atoi(text)
		f, _ := grammar.TableOf("PFC_WD").Field(j.release, field)
		return n, err == nil && f != nil && f.Wrong(j.release, text) == ""
	}
	poll, _ := ranged("GLOBAL", "POLL_INTERVAL")
	for _, name := range j.keys("PFC_WD") {
		row := j.cfg.Row("PFC_WD", name)
		for _, field := range []string{"detection_time", "restoration_time"} {
			if n, ok := ranged(name, field); ok && n < poll {
				j.errorf(&topicWatchdog, row.Fields[field].At, "%s of %s is %d ms, below POLL_INTERVAL, which is %d ms. Models refuse "+
					"that.", field, name, n, poll)
			}
		}
	}
	var idle []string
	for _, name := range j.keys("PFC_WD") {
		pfc, ok := grammar.ParseDigits(j.cfg.Get("PORT_QOS_MAP", name, "pfc_enable"))
		if grammar.IsPort(name) && ok && pfc == 0 && j.cfg.Tables["PORT_QOS_MAP"] != nil {
			idle = append(idle, name)
		}
	}
	if len(idle) > 0 {
		j.warnf(&topicWatchdog, j.cfg.Row("PFC_WD", idle[0]).At, "PFC_WD watches %s, and no priority has PFC there: PORT_QOS_MAP has "+
			"no pfc_enable for %s. Traffic there is not lossless. Set pfc_enable, or remove the rows.", diag.Some(idle, 8),
			diag.Plural(len(idle), "it", "them"))
	}
	for _, name := range j.keys("PORT_QOS_MAP") {
		row := j.cfg.Row("PORT_QOS_MAP", name)
		pfc, ok := grammar.ParseDigits(row.Get("pfc_enable"))
		watched, is := grammar.ParseDigits(row.Get("pfcwd_sw_enable"))
		if row.Has("pfcwd_sw_enable") && ok && is && pfc != watched {
			j.warnf(&topicWatchdog, row.Fields["pfcwd_sw_enable"].At, "The watchdog of %s watches the priorities %q, and PFC is on for "+
				"%q. A storm on an unwatched priority stops the port. Make the fields equal.",
				name, row.Get("pfcwd_sw_enable"), row.Get("pfc_enable"))
		}
	}
}

// profiles compares the thresholds of each profile.
func (j *judge) profiles() {
	for _, key := range j.keys("WRED_PROFILE") {
		row := j.cfg.Row("WRED_PROFILE", key)
		for _, color := range []string{"green", "yellow", "red"} {
			low, err := strconv.ParseUint(row.Get(color+"_min_threshold"), 10, 64)
			field := color + "_max_threshold"
			high, err2 := strconv.ParseUint(row.Get(field), 10, 64)
			switch {
			case err == nil && err2 == nil && high < low:
				j.errorf(&topicThresholds, row.Fields[field].At, "%s of %s is %d, below %s_min_threshold, which is %d. Models refuse "+
					"that.", field, key, high, color, low)
			case err2 == nil && !row.Has(color+"_min_threshold"):
				j.errorf(&topicThresholds, row.Fields[field].At, "%s of %s needs a %s_min_threshold, which is missing. Models refuse that.",
					field, key, color)
			}
		}
	}
	for _, key := range j.keys("BUFFER_PROFILE") {
		if row := j.cfg.Row("BUFFER_PROFILE", key); row.Has("dynamic_th") && row.Has("static_th") {
			j.errorf(&topicValue, row.At, "The profile %s has dynamic_th and static_th. A profile has one of the two.", key)
		}
	}
}

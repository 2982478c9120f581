package lint

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// mapFields are the maps of a port, by their fields.
var mapFields = []string{"dscp_to_tc_map", "dot1p_to_tc_map", "tc_to_queue_map", "tc_to_pg_map", "pfc_to_queue_map", "pfc_to_pg_map"}

// kindOf returns a text that is equal for ports with the same PFC and the same maps, since a finding on one of them holds for all.
func kindOf(row *grammar.Row, mask uint8) string {
	parts := []string{strconv.Itoa(int(mask))}
	for _, f := range mapFields {
		v, has := row.Field(f)
		parts = append(parts, strconv.FormatBool(has), v.Text)
	}
	return strings.Join(parts, "|")
}

// classes reports classes with PFC that fill the priority group of another number.
func (j *judge) classes(row *grammar.Row, mask uint8, at int) {
	groups := row.Get("tc_to_pg_map")
	for n := range 8 {
		tc := strconv.Itoa(n)
		switch {
		case mask>>n&1 == 0, reached(j, row)>>n&1 == 0:
		case groups != "" && j.cfg.Row("TC_TO_PRIORITY_GROUP_MAP", groups) != nil &&
			j.cfg.Get("TC_TO_PRIORITY_GROUP_MAP", groups, tc) != tc:
			j.errorf(&topicGroup, at, "Class %s has PFC, and tc_to_pg_map %s puts it into the priority group %q. So another group decides when "+
				"the class is paused. Map %s to %s.",
				tc, groups, j.cfg.Get("TC_TO_PRIORITY_GROUP_MAP", groups, tc), tc, tc)
		}
	}
}

// templates reports maps of ports with PFC that send DSCP 26 to a class without PFC. SONiC's templates have such maps, which send DSCP 3
// and 4 to classes with PFC. If other ports with PFC bind their own map, a person has chosen the DSCPs of RoCE, and the ports with a
// template's map are only left over. paused has the classes with PFC by map.
func templates(j *judge, paused map[string]uint8) {
	leads := func(name, mark string) (class int, ok bool) {
		class, err := strconv.Atoi(j.cfg.Get("DSCP_TO_TC_MAP", name, mark))
		return class, err == nil && class >= 0 && class < 8
	}
	chosen := func(name string) bool {
		class, ok := leads(name, "3")
		return j.cfg.Row("DSCP_TO_TC_MAP", name) != nil && (!ok || paused[name]>>class&1 == 0)
	}
	names := slices.Sorted(maps.Keys(paused))
	if slices.ContainsFunc(names, func(name string) bool { return paused[name] != 0 && chosen(name) }) {
		return
	}
	for _, name := range names {
		if class, ok := leads(name, storage); ok && paused[name] != 0 && paused[name]>>class&1 == 0 {
			j.warnf(&topicMap, j.cfg.Row("DSCP_TO_TC_MAP", name).Fields[storage].At, "The map %s sends DSCP %s to class %d, which has no PFC, as "+
				"in the maps of templates. Traffic with DSCP 26, usually storage and training, is therefore lossy. Map it to one of %s, or "+
				"give the traffic another DSCP.", name, storage, class, grammar.SpellDigits(paused[name]))
		}
	}
}

// reached returns the classes that the maps of a port use; all classes if the port binds no map. Another rule reports the other classes.
func reached(j *judge, port *grammar.Row) (classes uint8) {
	bound := false
	for _, m := range []portMap{
		mapOf(j.cfg, port, "dscp_to_tc_map", "DSCP_TO_TC_MAP"), mapOf(j.cfg, port, "dot1p_to_tc_map", "DOT1P_TO_TC_MAP"),
	} {
		bound = bound || m.row != nil
		for _, v := range m.row.Names() {
			if n, err := strconv.Atoi(m.row.Get(v)); err == nil && n >= 0 && n < 8 {
				classes |= 1 << n
			}
		}
	}
	if !bound {
		return 0xff
	}
	return classes
}

// portMap is a map that a port names.
type portMap struct {
	field, name string
	bound       bool         // the port names a map
	row         *grammar.Row // nil: the port names no map, or a missing one
}

func mapOf(c *grammar.Config, port *grammar.Row, field, table string) portMap {
	return portMap{field, port.Get(field), port.Has(field), c.Row(table, port.Get(field))}
}

// to returns the value of a number in the map.
func (m portMap) to(n int) (to, at int, ok bool) {
	v, has := m.row.Field(strconv.Itoa(n))
	to, err := strconv.Atoi(v.Text)
	return to, v.At, has && err == nil
}

// maps checks whether the maps of ports with PFC agree: a class must fill the group that sends its pauses, and leave by the queue that a
// pause stops. A missing map has the default that SAI states (inc/saiport.h): without a map to classes the port trusts no mark and all
// packets are class 0, and without a map to queues all packets leave by queue 0. For the other maps SAI states only "no map", so the
// effect depends on the chip.
func (j *judge) maps(ports string, count int, row *grammar.Row, mask uint8, at int) {
	bind := diag.Plural(count, "binds", "bind")
	marked := mask &^ 1 // class 0 also has packets without a known mark
	if !whole(j) {
		marked = 0 // the switch may have what is missing
	}
	classes := priorities(grammar.SpellDigits(marked))
	queues, groups := mapOf(j.cfg, row, "tc_to_queue_map", "TC_TO_QUEUE_MAP"), mapOf(j.cfg, row, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP")
	stops := mapOf(j.cfg, row, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE")
	pauses := mapOf(j.cfg, row, "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP")
	if marked != 0 && !row.Has("dscp_to_tc_map") && !row.Has("dot1p_to_tc_map") && !j.cfg.Row("PORT_QOS_MAP", "global").Has("dscp_to_tc_map") {
		j.errorf(&topicMap, at, "%s %s neither dscp_to_tc_map nor dot1p_to_tc_map, so the switch ignores all marks there and puts every "+
			"packet into class 0: no traffic reaches %s, which %s PFC. Bind a map for the marks that senders use.", ports, bind, classes,
			diag.Plural(len(grammar.SpellDigits(marked)), "has", "have"))
	}
	if marked != 0 && !queues.bound {
		j.errorf(&topicQueue, at, "%s %s no tc_to_queue_map, so every class leaves by queue 0, and pauses of %s stop other queues. Bind a map "+
			"of each class to the queue with the same number.", ports, bind, classes)
	}
	if marked != 0 && !groups.bound {
		j.warnf(&topicGroup, at, "%s %s no tc_to_pg_map, so the chip decides which priority group %s %s, and whether that group has headroom. "+
			"Bind a map of each lossless class to the group with the same number.", ports, bind, classes,
			diag.Plural(len(grammar.SpellDigits(marked)), "fills", "fill"))
	}
	for n := range 8 {
		if mask>>n&1 == 1 {
			j.stops(n, queues, stops)
			j.pauses(n, groups, pauses)
		}
	}
	for _, m := range []portMap{
		mapOf(j.cfg, row, "dscp_to_tc_map", "DSCP_TO_TC_MAP"), mapOf(j.cfg, row, "dot1p_to_tc_map", "DOT1P_TO_TC_MAP"),
	} {
		j.queueless(m, queues, mask)
	}
	remarked(j, mapOf(j.cfg, row, "dscp_to_tc_map", "DSCP_TO_TC_MAP"), mapOf(j.cfg, row, "tc_to_dscp_map", "TC_TO_DSCP_MAP"), mask)
}

// remarked reports classes with PFC whose packets leave with another DSCP than they arrived with.
func remarked(j *judge, in, out portMap, mask uint8) {
	for _, mark := range in.row.Names() {
		class, err := strconv.Atoi(in.row.Get(mark))
		to, at, ok := out.to(class)
		if err == nil && ok && class >= 0 && mask>>min(class, 8)&1 == 1 && strconv.Itoa(to) != mark && j.once("remarked", at) {
			j.warnf(&topicRemark, at, "Packets of class %d, which has PFC, leave with DSCP %d (tc_to_dscp_map %s), and arrive with %s: "+
				"the next switch may classify them differently. Remove tc_to_dscp_map from the ports, or write the DSCP of arriving packets.",
				class, to, out.name, mark)
		}
	}
}

// stops checks whether a pause stops the queue by which the class leaves.
func (j *judge) stops(n int, queues, stops portMap) {
	queue, at, ok := queues.to(n)
	stopped, other, known := stops.to(n)
	switch {
	case queues.row == nil:
	case !ok:
		if !queues.row.Has(strconv.Itoa(n)) && j.once("no queue", queues.row.At, n) {
			j.warnf(&topicQueue, queues.row.At, "The map %s has no queue for class %d, which has PFC, so the chip decides by which queue the class "+
				"leaves. Map %d to %d.", queues.name, n, n, n)
		}
	case !stops.bound && queue != n && j.once("no pause", at):
		j.warnf(&topicQueue, at, "Class %d has PFC and leaves by queue %d, and ports bind no pfc_to_queue_map, so the chip decides which "+
			"queue a pause of priority %d stops. Map %d to %d, or bind such a map.", n, queue, n, n, n)
	case known && stopped != queue:
		if queue == n {
			at = other
		}
		if j.once("stops", at) {
			j.errorf(&topicQueue, at, "Class %d leaves by queue %d (tc_to_queue_map %s), and a pause of priority %d stops queue %d "+
				"(pfc_to_queue_map %s). The class goes on sending, and the neighbour drops. Map %d to %d in both.",
				n, queue, queues.name, n, stopped, stops.name, n, n)
		}
	}
}

// pauses checks whether the priority group that a class fills is the group that sends its pauses. A class in a group of another number is
// reported with its map.
func (j *judge) pauses(n int, groups, pauses portMap) {
	group, _, ok := groups.to(n)
	of, at, known := pauses.to(n)
	if ok && known && of != group && group == n && j.once("pauses", at) {
		j.errorf(&topicGroup, at, "Priority group %[2]d sends the pauses of priority %[1]d (pfc_to_pg_map %[3]s), and class %[4]d fills "+
			"group %[5]d (tc_to_pg_map %[6]s). When group %[5]d is full, another class is paused, and class %[7]d drops. Map %[8]d to %[9]d.",
			n, of, pauses.name, n, group, groups.name, n, n, n)
	}
}

// queueless reports classes without PFC that marks select and that have no queue.
func (j *judge) queueless(marks, queues portMap, mask uint8) {
	if queues.row == nil || !j.once("queueless", marks.field, marks.name, queues.name) {
		return
	}
	for _, mark := range marks.row.Names() {
		class := marks.row.Get(mark)
		n, err := strconv.Atoi(class)
		if err != nil || n < 0 || queues.row.Has(class) || mask>>min(n, 8)&1 == 1 ||
			!j.once("class", marks.field, marks.name, queues.name, class) {
			continue
		}
		word := "DSCP"
		if marks.field == "dot1p_to_tc_map" {
			word = "PCP"
		}
		j.warnf(&topicMap, marks.row.Fields[mark].At, "The map %s puts %s %s into class %s, and tc_to_queue_map %s has no queue for the "+
			"class. The chip decides by which queue it leaves. Map the mark to a class with a queue, or the class to a queue.",
			marks.name, word, mark, class, queues.name)
	}
}

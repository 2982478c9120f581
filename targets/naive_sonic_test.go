package targets_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// readSONiC reads the state of a SONiC switch, one line for each field. The maps bound to a port give the class, priority group and queue
// of packets. A pause is sent for a class that is alone in its group.
func readSONiC(text string) *box {
	tables := map[string]map[string]map[string]string{}
	for line := range strings.Lines(text) {
		where, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		table, row, _ := strings.Cut(where, "|")
		if tables[table] == nil {
			tables[table] = map[string]map[string]string{}
		}
		if tables[table][row] == nil {
			tables[table][row] = map[string]string{}
		}
		field, quoted, _ := strings.Cut(rest, " ")
		value := ""
		if json.Unmarshal([]byte(quoted), &value) == nil && ok {
			tables[table][row][field] = value
		}
	}
	number := func(row map[string]string, field string) int {
		n, err := strconv.Atoi(row[field])
		if err != nil {
			return nowhere
		}
		return n
	}
	b := newBox()
	for port, bound := range tables["PORT_QOS_MAP"] {
		own := newBox()
		b.own[port] = own
		own.trustDSCP, own.trustPCP = bound["dscp_to_tc_map"] != "", bound["dot1p_to_tc_map"] != ""
		for v := range 64 {
			own.dscp[v] = number(tables["DSCP_TO_TC_MAP"][bound["dscp_to_tc_map"]], strconv.Itoa(v))
		}
		for v := range 8 {
			own.pcp[v] = number(tables["DOT1P_TO_TC_MAP"][bound["dot1p_to_tc_map"]], strconv.Itoa(v))
		}
		groups, queues := tables["TC_TO_PRIORITY_GROUP_MAP"][bound["tc_to_pg_map"]], tables["TC_TO_QUEUE_MAP"][bound["tc_to_queue_map"]]
		paused := tables["MAP_PFC_PRIORITY_TO_QUEUE"][bound["pfc_to_queue_map"]]
		for cos := range 8 {
			tc := strconv.Itoa(cos)
			queue := number(queues, tc)
			b.queue[cos] = queue
			alone := !slices.ContainsFunc([]string{"0", "1", "2", "3", "4", "5", "6", "7"}, func(other string) bool {
				return other != tc && groups[other] == groups[tc]
			})
			if slices.Contains(strings.Split(bound["pfc_enable"], ","), tc) {
				put(b.pfc, port, cos, pfcEnd{
					sends: alone && groups[tc] == tc && bound["pfcwd_sw_enable"] == bound["pfc_enable"], obeys: number(paused, tc) == queue,
				})
			}
			row := tables["QUEUE"][port+"|"+strconv.Itoa(queue)]
			scheduler := tables["SCHEDULER"][row["scheduler"]]
			switch scheduler["type"] {
			case "STRICT":
				put(b.share, port, cos, 0)
			case "DWRR":
				put(b.share, port, cos, number(scheduler, "weight"))
			}
			marking := tables["WRED_PROFILE"][row["wred_profile"]]
			if marking["ecn"] == "ecn_all" && marking["wred_green_enable"] == "true" {
				put(b.marks, port, cos, true)
				put(b.drops, port, cos, true) // packets without ECN bits
				put(b.from, port, cos, [3]int{
					number(marking, "green_min_threshold"), number(marking, "green_max_threshold"), number(marking, "green_drop_probability"),
				})
			}
		}
	}
	return b
}

// under returns a box whose ports have other names.
func (b *box) under(names map[string]string) *box {
	out := *b
	out.own, out.pause = underNames(b.own, names), underNames(b.pause, names)
	out.pfc, out.marks = underNames(b.pfc, names), underNames(b.marks, names)
	out.from, out.share = underNames(b.from, names), underNames(b.share, names)
	return &out
}

func underNames[V any](m map[string]V, names map[string]string) map[string]V {
	out := map[string]V{}
	for port, v := range m {
		if name, ok := names[port]; ok {
			port = name
		}
		out[port] = v
	}
	return out
}

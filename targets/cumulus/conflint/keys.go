package conflint

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// row is a key some release documents.
type row struct {
	key     string   // N: a cos, queue or pool; G: the name of a group
	in      dialects // which manuals have it
	maybe   dialects // which files in use have it, though the manuals do not say so
	value   value
	defines bool // the spelling of the classification: it tells the release
	hint    bool // not judged, only a hint at the release
	words   []string
}

// rows is the table of keys. Sources: the chapter "Buffer and Queue Management" of the Cumulus Linux manuals 2.5, 3.1.2,
// 3.3.2, 3.4.3, 3.5 and 3.7, "Quality of Service" of 4.2, 4.3, 4.4 and 5.x, the RoCE chapters of 3.7, 4.3 and 4.4, and
// files in public use where maybe says so.
var rows = worded(
	// Which header field decides, and the cos of its values. One word for the whole switch up to 3.4, then a list.
	row{key: "traffic.packet_priority_source", in: T0 | T1, value: fieldWord, defines: true},
	row{key: "traffic.packet_priority_source_set", in: T2 | T3 | T4 | features, value: fieldSet, defines: true},
	row{key: "traffic.port_default_priority", in: features, value: cosNumber},
	row{key: "traffic.cos_N.packet_priorities", in: T0 | T1, value: fieldValues, defines: true},
	row{key: "traffic.cos_N.packet_priorities.8021p", in: T2, value: pcpValues, defines: true},
	row{key: "traffic.cos_N.packet_priorities.dscp", in: T2, value: dscpValues, defines: true},
	row{key: "traffic.cos_N.priority_source.8021p", in: T3 | T4 | features, value: pcpValues, defines: true},
	row{key: "traffic.cos_N.priority_source.dscp", in: T3 | T4 | features, value: dscpValues, defines: true},
	row{key: "source.port_group_list", in: T3 | T4 | features, value: nameList},
	row{key: "source.G.port_set", in: T3 | T4 | features, value: portSet},
	row{key: "source.G.packet_priority_source_set", in: T3 | T4 | features, value: fieldSet},
	row{key: "source.G.port_default_priority", in: features, value: cosNumber},
	row{key: "source.G.cos_N.priority_source.8021p", in: T3 | T4 | features, value: pcpValues},
	row{key: "source.G.cos_N.priority_source.dscp", in: T3 | T4 | features, value: dscpValues},

	// Rewriting on the way out.
	row{key: "traffic.remark_packet_priority", in: T0 | T1 | T2, value: remarkWord, defines: true},
	row{key: "traffic.packet_priority_remark_set", in: T3 | T4 | features, value: remarkSet, defines: true},
	row{key: "traffic.cos_N.priority_remark.8021p", in: T3 | T4 | features, value: pcpOne},
	row{key: "traffic.cos_N.priority_remark.dscp", in: T3 | T4 | features, value: dscpOne},
	row{key: "remark.port_group_list", in: T3 | T4 | features, value: nameList},
	row{key: "remark.G.port_set", in: T3 | T4 | features, value: portSet},
	row{key: "remark.G.packet_priority_remark_set", in: T3 | T4 | features, value: remarkSet},
	row{key: "remark.G.cos_N.priority_remark.8021p", in: T3 | T4 | features, value: pcpOne},
	row{key: "remark.G.cos_N.priority_remark.dscp", in: T3 | T4 | features, value: dscpOne},

	// Priority groups; up to 3.1.0 one of them, for all ports, was lossless.
	row{key: "traffic.priority_group_list", in: traffic | infra, value: nameList},
	row{key: "priority_group.G.cos_list", in: traffic | infra, value: cosList},
	row{key: "priority_group.G.alias", in: T4 | infra, maybe: T3, value: anything},
	row{key: "priority_group.G.weight", in: traffic, value: weight},
	row{key: "priority_group.G.id", in: infra | D, value: anything},
	row{key: "priority_group.G.service_pool", in: infra | D, value: anything},
	row{key: "priority_group.lossless.lossless_flag", in: T0, value: boolean},
	row{key: "priority_group.lossless.port_group_0.port_buffer_bytes", in: T0, value: size},
	row{key: "priority_group.lossless.port_group_0.port_range", in: T0, value: anything},

	// Scheduling.
	row{key: "scheduling.algorithm", in: traffic | infra, value: dwrr},
	row{key: "default_egress_sched.egr_queue_N.bw_percent", in: T4 | features, value: percent},
	row{key: "egress_sched.port_group_list", in: T4 | features, value: nameList},
	row{key: "egress_sched.G.port_set", in: T4 | features, value: portSet},
	row{key: "egress_sched.G.egr_queue_N.bw_percent", in: T4 | features, value: percent},
	row{key: "shaping.port_group_list", in: T4 | features, value: nameList},
	row{key: "shaping.G.port_set", in: T4 | features, value: portSet},
	row{key: "shaping.G.egr_queue_N.shaper", in: T4 | features, value: ratePair},
	row{key: "shaping.G.port.shaper", in: T4 | features, value: size},

	// PFC. cable_length is in the manuals of 4.2 and later, and not in that of 3.7.
	row{key: "pfc.port_group_list", in: T1 | T2 | T3 | T4 | features, value: nameList},
	row{key: "pfc.G.cos_list", in: T1 | T2 | T3 | T4 | features, value: cosList},
	row{key: "pfc.G.port_set", in: T1 | T2 | T3 | T4 | features, value: portSet},
	row{key: "pfc.G.port_buffer_bytes", in: T1 | T2 | T3 | T4 | features, value: size},
	row{key: "pfc.G.xoff_size", in: T1 | T2 | T3 | T4 | features, value: size},
	row{key: "pfc.G.xon_delta", in: T1 | T2 | T3 | T4 | features, value: size},
	row{key: "pfc.G.tx_enable", in: T1 | T2 | T3 | T4 | features, value: boolean},
	row{key: "pfc.G.rx_enable", in: T1 | T2 | T3 | T4 | features, value: boolean},
	row{key: "pfc.G.cable_length", in: T4 | features, maybe: T3, value: size},

	// Pausing of whole links; without sizes up to 3.1.0.
	row{key: "link_pause.port_group_list", in: traffic | features, value: nameList},
	row{key: "link_pause.G.port_set", in: traffic | features, value: portSet},
	row{key: "link_pause.G.tx_enable", in: traffic | features, value: boolean},
	row{key: "link_pause.G.rx_enable", in: traffic | features, value: boolean},
	row{key: "link_pause.G.port_buffer_bytes", in: T1 | T2 | T3 | T4 | features, value: size},
	row{key: "link_pause.G.xoff_size", in: T1 | T2 | T3 | T4 | features, value: size},
	row{key: "link_pause.G.xon_delta", in: T1 | T2 | T3 | T4 | features, value: size},
	row{key: "link_pause.G.cable_length", in: T4 | features, maybe: T3, value: size},

	// Marking. Manuals up to 3.7 print ecn, files of 3.7 and the manuals of 4.2 and 4.3 ecn_red.
	row{key: "ecn.port_group_list", in: T1 | T2 | T3, maybe: T4, value: nameList},
	row{key: "ecn.G.cos_list", in: T1 | T2 | T3, maybe: T4, value: cosList},
	row{key: "ecn.G.port_set", in: T1 | T2 | T3, maybe: T4, value: portSet},
	row{key: "ecn.G.min_threshold_bytes", in: T1 | T2 | T3, maybe: T4, value: size},
	row{key: "ecn.G.max_threshold_bytes", in: T1 | T2 | T3, maybe: T4, value: size},
	row{key: "ecn.G.probability", in: T1 | T2 | T3, maybe: T4, value: percent},
	row{key: "ecn_red.port_group_list", in: T3 | T4 | Q2, maybe: T2 | Q1, value: nameList},
	row{key: "ecn_red.G.cos_list", in: T3 | T4, maybe: T2, value: cosList},
	row{key: "ecn_red.G.egress_queue_list", in: Q2, maybe: Q1, value: cosList},
	row{key: "ecn_red.G.port_set", in: T3 | T4 | Q2, maybe: T2 | Q1, value: portSet},
	row{key: "ecn_red.G.ecn_enable", in: T3 | T4 | Q2, maybe: T2 | Q1, value: boolean},
	row{key: "ecn_red.G.red_enable", in: T3 | T4 | Q2, maybe: T2 | Q1, value: boolean},
	row{key: "ecn_red.G.min_threshold_bytes", in: T3 | T4 | Q2, maybe: T2 | Q1, value: size},
	row{key: "ecn_red.G.max_threshold_bytes", in: T3 | T4 | Q2, maybe: T2 | Q1, value: size},
	row{key: "ecn_red.G.probability", in: T3 | T4 | Q2, maybe: T2 | Q1, value: percent},
	row{key: "default_ecn_conf.egress_queue_list", in: Q1, value: cosList, defines: true},
	row{key: "default_ecn_conf.ecn_enable", in: Q1, value: boolean, defines: true},
	row{key: "default_ecn_conf.red_enable", in: Q1, value: boolean, defines: true},
	row{key: "default_ecn_conf.min_threshold_bytes", in: Q1, value: size, defines: true},
	row{key: "default_ecn_conf.max_threshold_bytes", in: Q1, value: size, defines: true},
	row{key: "default_ecn_conf.probability", in: Q1, value: percent, defines: true},
	row{key: "default_ecn_red_conf.egress_queue_list", in: Q2, value: cosList, defines: true},
	row{key: "default_ecn_red_conf.ecn_enable", in: Q2, value: boolean, defines: true},
	row{key: "default_ecn_red_conf.red_enable", in: Q2, value: boolean, defines: true},
	row{key: "default_ecn_red_conf.min_threshold_bytes", in: Q2, value: size, defines: true},
	row{key: "default_ecn_red_conf.max_threshold_bytes", in: Q2, value: size, defines: true},
	row{key: "default_ecn_red_conf.probability", in: Q2, value: percent, defines: true},

	row{key: "pfc_watchdog.port_group_list", in: Q2, value: nameList},
	row{key: "pfc_watchdog.G.port_set", in: Q2, value: portSet},

	// Queues and memory pools.
	row{key: "cos_egr_queue.cos_N.uc", in: infra, value: cosNumber},
	row{key: "cos_egr_queue.cos_N.cpu", in: infra, value: cosNumber},
	row{key: "ingress_service_pool.N.percent", in: infra | D, value: share},
	row{key: "egress_service_pool.N.percent", in: infra | D, value: share},
	row{key: "ingress_service_pool.N.mode", in: infra | D, value: anything},
	row{key: "egress_service_pool.N.mode", in: infra | D, value: anything},
	row{key: "egress_service_pool.N.infinite_flag", in: infra, value: boolean},
	row{key: "flow_control.service_pool", in: D, value: cosNumber},
	row{key: "flow_control.ingress_service_pool", in: infra, value: cosNumber},
	row{key: "flow_control.egress_service_pool", in: infra, value: cosNumber},

	// Not judged; they came with 4.x.
	row{key: "hash_config.enable", in: T4, value: anything, hint: true},
	row{key: "lag_hash_config.enable", in: T4, value: anything, hint: true},
)

// worded takes the keys of the table apart.
func worded(rows ...row) []row {
	for i := range rows {
		rows[i].words = strings.Split(rows[i].key, ".")
	}
	return rows
}

// byFeature is the rows of each first word.
var byFeature = func() map[string][]*row {
	m := map[string][]*row{}
	for i := range rows {
		m[rows[i].words[0]] = append(m[rows[i].words[0]], &rows[i])
	}
	return m
}()

func knownFeature(word string) bool { return byFeature[word] != nil && !byFeature[word][0].hint }

// match finds the row of a key; nil: no release has it.
func match(words []string) *row {
	for _, r := range byFeature[words[0]] {
		if fits(r.words, words) < 0 {
			return r
		}
	}
	return nil
}

// fits gives the first word that does not fit a pattern: -1 when all do, 0 when their number differs.
func fits(pattern, words []string) int {
	if len(pattern) != len(words) {
		return 0
	}
	for i, p := range pattern {
		if !fitsWord(p, words[i]) {
			return i
		}
	}
	return -1
}

func fitsWord(pattern, word string) bool {
	if pattern == "G" {
		return word != ""
	}
	if head, ok := strings.CutSuffix(pattern, "N"); ok {
		rest, ok := strings.CutPrefix(word, head)
		return ok && len(rest) == 1 && '0' <= rest[0] && rest[0] <= '7'
	}
	return pattern == word
}

// outside finds the row of a key whose cos, queue or pool is above 7; nil: it is no such key.
func outside(words []string) *row {
	near := slices.Clone(words)
	for i, w := range words {
		if head := strings.TrimRight(w, "0123456789"); head != w && (head == "" || strings.HasSuffix(head, "_")) {
			near[i] = head + "0"
		}
	}
	return match(near)
}

// suggest gives the key a person most likely meant: all words but one fit, and that one nearly.
func suggest(words []string) (string, bool) {
	wrong := -1
	var candidates []string
	for i := range rows {
		p := rows[i].words
		at := -1
		bad := 0
		if len(p) != len(words) {
			continue
		}
		for j := range p {
			if !fitsWord(p[j], words[j]) {
				at, bad = j, bad+1
			}
		}
		if bad != 1 || wrong >= 0 && at != wrong {
			continue
		}
		wrong = at
		candidates = append(candidates, p[at])
	}
	if wrong < 0 {
		return "", false
	}
	near := diag.Nearest(words[wrong], candidates)
	if near == "" { // cut short: xoff for xoff_size
		longer := slices.DeleteFunc(slices.Clone(candidates), func(c string) bool { return !strings.HasPrefix(c, words[wrong]+"_") })
		if longer = slices.Compact(longer); len(longer) == 1 {
			near = longer[0]
		}
	}
	if near == "" || near == "G" || strings.HasSuffix(near, "N") {
		return "", false
	}
	fixed := append([]string{}, words...)
	fixed[wrong] = near
	return strings.Join(fixed, "."), true
}

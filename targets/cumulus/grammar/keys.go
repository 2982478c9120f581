package grammar

import (
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang/diag"
)

// Key is a key some release documents.
type Key struct {
	Pattern string   // N: a cos, queue or pool, 0 to 7; G: the name of a group
	In      Dialects // which manuals have it
	Since   Release  // the first release of those whose manual has it; zero: all of them do
	Maybe   Dialects // which files in use have it, though the manuals do not say so
	Type    Type     // of its value
	Means   Meaning
	Defines bool // the spelling of the classification: it tells the dialect
	Hint    bool // not judged, only a hint at the release
	Aside   bool // not recognised by [Match], as it tells nothing of the dialect

	shown signs    // what in a file shows that it takes the key, whatever the manual says
	words []string // of the pattern
	slots []byte   // G and N, as they come; two at most
	texts []string // what stands around them
}

// rows is the table. Sources: the chapter "Buffer and Queue Management" of the Cumulus Linux manuals 2.5, 3.1.2, 3.2.1,
// 3.3.2, 3.4.3, 3.5 and 3.7, "Quality of Service" of 4.2, 4.3, 4.4 and 5.x, the RoCE chapters of 3.7, 4.3 and 4.4, and
// files in public use where Maybe says so.
//
// Where a dialect has two keys of one meaning (ecn and ecn_red in T3), the first is what its manual prints.
var rows = []Key{
	// Which header field decides, and the cos of its values. One word for the whole switch up to 3.4, then a list.
	{Pattern: "traffic.packet_priority_source", In: T0 | T1, Type: Field, Means: TrustOne, Defines: true},
	{Pattern: "traffic.packet_priority_source_set", In: T2 | T3 | T4 | QoSFeatures, Type: Fields, Means: TrustSet, Defines: true},
	{Pattern: "traffic.port_default_priority", In: QoSFeatures, Type: Cos, Means: DefaultCos},
	{Pattern: "traffic.cos_N.packet_priorities", In: T0 | T1, Type: FieldValues, Means: MapTrusted, Defines: true},
	{Pattern: "traffic.cos_N.packet_priorities.8021p", In: T2, Type: PCPs, Means: MapPCP, Defines: true},
	{Pattern: "traffic.cos_N.packet_priorities.dscp", In: T2, Type: DSCPs, Means: MapDSCP, Defines: true},
	{Pattern: "traffic.cos_N.priority_source.8021p", In: T3 | T4 | QoSFeatures, Type: PCPs, Means: MapPCP, Defines: true},
	{Pattern: "traffic.cos_N.priority_source.dscp", In: T3 | T4 | QoSFeatures, Type: DSCPs, Means: MapDSCP, Defines: true},
	{Pattern: "source.port_group_list", In: T3 | T4 | QoSFeatures, Type: Names, Means: Groups},
	{Pattern: "source.G.port_set", In: T3 | T4 | QoSFeatures, Type: Ports, Means: GroupPorts},
	{Pattern: "source.G.packet_priority_source_set", In: T3 | T4 | QoSFeatures, Type: Fields, Means: TrustSet},
	{Pattern: "source.G.port_default_priority", In: QoSFeatures, Type: Cos, Means: DefaultCos},
	{Pattern: "source.G.cos_N.priority_source.8021p", In: T3 | T4 | QoSFeatures, Type: PCPs, Means: MapPCP},
	{Pattern: "source.G.cos_N.priority_source.dscp", In: T3 | T4 | QoSFeatures, Type: DSCPs, Means: MapDSCP},

	// Rewriting on the way out.
	{Pattern: "traffic.remark_packet_priority", In: T0 | T1 | T2, Type: FieldOrNone, Means: RewriteOne, Defines: true},
	{Pattern: "traffic.packet_priority_remark_set", In: T3 | T4 | QoSFeatures, Type: RewrittenFields, Means: RewriteSet, Defines: true},
	{Pattern: "traffic.cos_N.priority_remark.8021p", In: T3 | T4 | QoSFeatures, Type: OnePCP, Means: RewrittenPCP},
	{Pattern: "traffic.cos_N.priority_remark.dscp", In: T3 | T4 | QoSFeatures, Type: OneDSCP, Means: RewrittenDSCP},
	{Pattern: "remark.port_group_list", In: T3 | T4 | QoSFeatures, Type: Names, Means: Groups},
	{Pattern: "remark.G.port_set", In: T3 | T4 | QoSFeatures, Type: Ports, Means: GroupPorts},
	{Pattern: "remark.G.packet_priority_remark_set", In: T3 | T4 | QoSFeatures, Type: RewrittenFields, Means: RewriteSet},
	{Pattern: "remark.G.cos_N.priority_remark.8021p", In: T3 | T4 | QoSFeatures, Type: OnePCP, Means: RewrittenPCP},
	{Pattern: "remark.G.cos_N.priority_remark.dscp", In: T3 | T4 | QoSFeatures, Type: OneDSCP, Means: RewrittenDSCP},

	// Priority groups; up to 3.1.0 one of them, for all ports, was lossless.
	{Pattern: "traffic.priority_group_list", In: TrafficConf | QoSInfra, Type: Names, Means: PriorityGroups},
	{Pattern: "priority_group.G.cos_list", In: TrafficConf | QoSInfra, Type: CosList, Means: GroupCos},
	{Pattern: "priority_group.G.alias", In: T4 | QoSInfra, Maybe: T3, Type: Anything},
	{Pattern: "priority_group.G.weight", In: TrafficConf, Type: DWRRWeight, Means: Weight},
	{Pattern: "priority_group.G.id", In: QoSInfra | D, Type: Anything, Means: GroupID},
	{Pattern: "priority_group.G.service_pool", In: QoSInfra | D, Type: Anything, Means: GroupPool},
	{Pattern: "priority_group.lossless.lossless_flag", In: T0, Type: Boolean, Means: LosslessFlag},
	{Pattern: "priority_group.lossless.port_group_0.port_buffer_bytes", In: T0, Type: Size},
	{Pattern: "priority_group.lossless.port_group_0.port_range", In: T0, Type: Anything},

	// Scheduling. The queues and shapers are in the manual of 4.3 and not in that of 4.2.
	{Pattern: "scheduling.algorithm", In: TrafficConf | QoSInfra, Type: DWRR, Means: Algorithm},
	{Pattern: "default_egress_sched.egr_queue_N.bw_percent", In: T4 | QoSFeatures, Since: r43, Type: Percent, Means: QueueShare},
	{Pattern: "egress_sched.port_group_list", In: T4 | QoSFeatures, Since: r43, Type: Names, Means: Groups},
	{Pattern: "egress_sched.G.port_set", In: T4 | QoSFeatures, Since: r43, Type: Ports, Means: GroupPorts},
	{Pattern: "egress_sched.G.egr_queue_N.bw_percent", In: T4 | QoSFeatures, Since: r43, Type: Percent, Means: QueueShare},
	{Pattern: "shaping.port_group_list", In: T4 | QoSFeatures, Since: r43, Type: Names, Means: Groups},
	{Pattern: "shaping.G.port_set", In: T4 | QoSFeatures, Since: r43, Type: Ports, Means: GroupPorts},
	{Pattern: "shaping.G.egr_queue_N.shaper", In: T4 | QoSFeatures, Since: r43, Type: RatePair, Means: QueueRate},
	{Pattern: "shaping.G.port.shaper", In: T4 | QoSFeatures, Since: r43, Type: Size, Means: PortRate},

	// PFC. cable_length is in the manual of 4.3, and in the template and the list of no earlier one.
	{Pattern: "pfc.port_group_list", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Names, Means: Groups},
	{Pattern: "pfc.G.cos_list", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: CosList, Means: GroupCos},
	{Pattern: "pfc.G.port_set", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Ports, Means: GroupPorts},
	{Pattern: "pfc.G.port_buffer_bytes", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: Buffer},
	{Pattern: "pfc.G.xoff_size", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: Xoff},
	{Pattern: "pfc.G.xon_delta", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: XonDelta},
	{Pattern: "pfc.G.tx_enable", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Boolean, Means: SendsPause},
	{Pattern: "pfc.G.rx_enable", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Boolean, Means: ObeysPause},
	{Pattern: "pfc.G.cable_length", In: T4 | QoSFeatures, Since: r43, Maybe: T3, Type: Size, Means: CableLength, shown: showsCable},

	// Pausing of whole links; without sizes up to 3.1.0.
	{Pattern: "link_pause.port_group_list", In: TrafficConf | QoSFeatures, Type: Names, Means: Groups},
	{Pattern: "link_pause.G.port_set", In: TrafficConf | QoSFeatures, Type: Ports, Means: GroupPorts},
	{Pattern: "link_pause.G.tx_enable", In: TrafficConf | QoSFeatures, Type: Boolean, Means: SendsPause},
	{Pattern: "link_pause.G.rx_enable", In: TrafficConf | QoSFeatures, Type: Boolean, Means: ObeysPause},
	{Pattern: "link_pause.G.port_buffer_bytes", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: Buffer},
	{Pattern: "link_pause.G.xoff_size", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: Xoff},
	{Pattern: "link_pause.G.xon_delta", In: T1 | T2 | T3 | T4 | QoSFeatures, Type: Size, Means: XonDelta},
	{Pattern: "link_pause.G.cable_length", In: T4 | QoSFeatures, Since: r43, Maybe: T3, Type: Size, Means: CableLength, shown: showsCable},

	// Marking. Manuals up to 3.7 print ecn, files of 3.7 and the manual of 4.3 ecn_red; those of 4.0 to 4.2 print ecn in examples and
	// ecn_red in lists, so there the file decides. The manuals of 3.1.2 and 3.2.1 show no thresholds; that of 3.3.2 does.
	{Pattern: "ecn.port_group_list", In: T1 | T2 | T3, Maybe: T4, Type: Names, Means: Groups, shown: showsECN},
	{Pattern: "ecn.G.cos_list", In: T1 | T2 | T3, Maybe: T4, Type: CosList, Means: GroupCos, shown: showsECN},
	{Pattern: "ecn.G.port_set", In: T1 | T2 | T3, Maybe: T4, Type: Ports, Means: GroupPorts, shown: showsECN},
	{
		Pattern: "ecn.G.min_threshold_bytes", In: T1 | T2 | T3, Since: r33, Maybe: T4, Type: Size, Means: MinThreshold,
		shown: showsMarks | showsECN,
	},
	{
		Pattern: "ecn.G.max_threshold_bytes", In: T1 | T2 | T3, Since: r33, Maybe: T4, Type: Size, Means: MaxThreshold,
		shown: showsMarks | showsECN,
	},
	{
		Pattern: "ecn.G.probability", In: T1 | T2 | T3, Since: r33, Maybe: T4, Type: Percent, Means: Probability,
		shown: showsMarks | showsECN,
	},
	{Pattern: "ecn_red.port_group_list", In: T3 | T4 | Q2, Maybe: T2 | Q1, Type: Names, Means: Groups, shown: showsRED},
	{Pattern: "ecn_red.G.cos_list", In: T3 | T4, Maybe: T2, Type: CosList, Means: GroupCos, shown: showsRED},
	{Pattern: "ecn_red.G.egress_queue_list", In: Q2, Maybe: Q1, Type: CosList, Means: GroupQueues},
	{Pattern: "ecn_red.G.port_set", In: T3 | T4 | Q2, Maybe: T2 | Q1, Type: Ports, Means: GroupPorts, shown: showsRED},
	{Pattern: "ecn_red.G.ecn_enable", In: T3 | T4 | Q2, Maybe: T2 | Q1, Type: Boolean, Means: Marks, shown: showsRED},
	{Pattern: "ecn_red.G.red_enable", In: T3 | T4 | Q2, Maybe: T2 | Q1, Type: Boolean, Means: DropsEarly, shown: showsRED},
	{Pattern: "ecn_red.G.min_threshold_bytes", In: T3 | T4 | Q2, Maybe: T2 | Q1, Type: Size, Means: MinThreshold, shown: showsRED},
	{Pattern: "ecn_red.G.max_threshold_bytes", In: T3 | T4 | Q2, Maybe: T2 | Q1, Type: Size, Means: MaxThreshold, shown: showsRED},
	{Pattern: "ecn_red.G.probability", In: T3 | T4 | Q2, Maybe: T2 | Q1, Type: Percent, Means: Probability, shown: showsRED},
	{Pattern: "default_ecn_conf.egress_queue_list", In: Q1, Type: CosList, Means: GroupQueues, Defines: true},
	{Pattern: "default_ecn_conf.ecn_enable", In: Q1, Type: Boolean, Means: Marks, Defines: true},
	{Pattern: "default_ecn_conf.red_enable", In: Q1, Type: Boolean, Means: DropsEarly, Defines: true},
	{Pattern: "default_ecn_conf.min_threshold_bytes", In: Q1, Type: Size, Means: MinThreshold, Defines: true},
	{Pattern: "default_ecn_conf.max_threshold_bytes", In: Q1, Type: Size, Means: MaxThreshold, Defines: true},
	{Pattern: "default_ecn_conf.probability", In: Q1, Type: Percent, Means: Probability, Defines: true},
	{Pattern: "default_ecn_red_conf.egress_queue_list", In: Q2, Type: CosList, Means: GroupQueues, Defines: true},
	{Pattern: "default_ecn_red_conf.ecn_enable", In: Q2, Type: Boolean, Means: Marks, Defines: true},
	{Pattern: "default_ecn_red_conf.red_enable", In: Q2, Type: Boolean, Means: DropsEarly, Defines: true},
	{Pattern: "default_ecn_red_conf.min_threshold_bytes", In: Q2, Type: Size, Means: MinThreshold, Defines: true},
	{Pattern: "default_ecn_red_conf.max_threshold_bytes", In: Q2, Type: Size, Means: MaxThreshold, Defines: true},
	{Pattern: "default_ecn_red_conf.probability", In: Q2, Type: Percent, Means: Probability, Defines: true},

	{Pattern: "pfc_watchdog.port_group_list", In: Q2, Type: Names, Means: Groups},
	{Pattern: "pfc_watchdog.G.port_set", In: Q2, Type: Ports, Means: GroupPorts},

	// Queues and memory pools.
	{Pattern: "cos_egr_queue.cos_N.uc", In: QoSInfra, Type: Cos, Means: EgressQueue},
	{Pattern: "cos_egr_queue.cos_N.cpu", In: QoSInfra, Type: Cos},
	{Pattern: "ingress_service_pool.N.percent", In: QoSInfra | D, Type: Share, Means: PoolShare},
	{Pattern: "egress_service_pool.N.percent", In: QoSInfra | D, Type: Share, Means: PoolShare},
	{Pattern: "ingress_service_pool.N.mode", In: QoSInfra | D, Type: Anything, Means: PoolMode},
	{Pattern: "egress_service_pool.N.mode", In: QoSInfra | D, Type: Anything, Means: PoolMode},
	{Pattern: "egress_service_pool.N.infinite_flag", In: QoSInfra, Type: Boolean, Means: PoolInfinite},
	{Pattern: "flow_control.service_pool", In: D, Type: Cos, Means: LosslessPool},
	{Pattern: "flow_control.ingress_service_pool", In: QoSInfra, Type: Cos, Means: LosslessIngressPool},
	{Pattern: "flow_control.egress_service_pool", In: QoSInfra, Type: Cos, Means: LosslessEgressPool},

	// Quotas of dynamic pools, as codes ([ReadQuota]): in the RoCE chapter of 3.7 and qos_infra.conf of 4.4. Percents of a
	// buffer, and egress buffers without a limit: in the datapath.conf that 3.x has for Broadcom.
	{Pattern: "flow_control.ingress_buffer.dynamic_quota", In: QoSInfra | D, Type: Anything, Means: LosslessQuota},
	{Pattern: "flow_control.egress_buffer.dynamic_quota", In: QoSInfra, Maybe: D, Type: Anything, Means: LosslessEgressQuota},
	{Pattern: "flow_control.egress_buffer.reserved", In: QoSInfra, Type: Size, Means: LosslessEgressOwn},
	{Pattern: "priority_group.G.ingress_buffer.dynamic_quota", In: QoSInfra | D, Type: Anything, Means: GroupQuota},
	{Pattern: "priority_group.G.egress_buffer.uc.sp_dynamic_quota", In: D, Type: Anything, Means: GroupUnicastQuota},
	{Pattern: "priority_group.G.egress_buffer.mc.sp_dynamic_quota", In: D, Type: Anything, Means: GroupMulticastQuota},
	{Pattern: "priority_group.G.ingress_buffer.min_percent", In: D, Type: Share, Means: GroupLeast},
	{Pattern: "priority_group.G.ingress_buffer.shared_percent", In: D, Type: Share, Means: GroupShared},
	{Pattern: "priority_group.G.unlimited_egress_buffer", In: D, Type: Boolean, Means: GroupUnlimited},

	// What a port may hold of a pool, in the recipe of 4.4 and 5.x for lossless traffic. The text of 4.4 prints the two of the way out
	// without uc, those of 5.x with it.
	{Pattern: "port.service_pool.N.ingress_buffer.reserved", In: QoSInfra, Type: Size, Means: PortIngressOwn},
	{Pattern: "port.service_pool.N.ingress_buffer.dynamic_quota", In: QoSInfra, Type: Anything, Means: PortIngressQuota},
	{Pattern: "port.service_pool.N.egress_buffer.reserved", In: I1, Type: Size, Means: PortEgressOwn},
	{Pattern: "port.service_pool.N.egress_buffer.dynamic_quota", In: I1, Type: Anything, Means: PortEgressQuota},
	{Pattern: "port.service_pool.N.egress_buffer.uc.reserved", In: I2, Type: Size, Means: PortEgressOwn},
	{Pattern: "port.service_pool.N.egress_buffer.uc.dynamic_quota", In: I2, Type: Anything, Means: PortEgressQuota},

	// Not judged; they came with 4.x.
	{Pattern: "hash_config.enable", In: T4, Type: Anything, Hint: true},
	{Pattern: "lag_hash_config.enable", In: T4, Type: Anything, Hint: true},

	// Of every release, beside the classes: forwarding before a packet has come in whole.
	{Pattern: "cut_through_enable", In: TrafficConf, Type: Boolean, Means: CutThrough, Aside: true},
}

// Keys returns the table.
var Keys = sync.OnceValue(func() []Key { return worded(rows) })

// The releases whose manual is the first of a dialect's to have a key.
var r33, r43 = Release{3, 3}, Release{4, 3}

// worded takes the patterns of the table apart.
func worded(keys []Key) []Key {
	for i := range keys {
		k := &keys[i]
		k.words = strings.Split(k.Pattern, ".")
		from := 0
		for at, c := range []byte(k.Pattern) {
			if c == 'G' || c == 'N' { // the words of keys are in small letters
				k.slots, k.texts = append(k.slots, c), append(k.texts, k.Pattern[from:at])
				from = at + 1
			}
		}
		k.texts = append(k.texts, k.Pattern[from:])
	}
	return keys
}

// byFeature is the keys of each feature, without those of [Key.Aside].
var byFeature = sync.OnceValue(func() map[Feature][]*Key {
	m := map[Feature][]*Key{}
	for i := range Keys() {
		if k := &Keys()[i]; !k.Aside {
			m[k.Feature()] = append(m[k.Feature()], k)
		}
	}
	return m
})

// Feature is the first word of the key.
func (k *Key) Feature() Feature { return Feature(k.words[0]) }

// Grouped reports whether the key has the name of a group in it.
func (k *Key) Grouped() bool { return slices.Contains(k.words, "G") }

// Could is every dialect a line with the key may be of.
func (k *Key) Could() Dialects { return k.In | k.Maybe }

// Spell writes the key of a cos, queue or pool and of a group; what the key does not have is not looked at.
func (k *Key) Spell(n int, group string) string {
	fill := func(i int) string {
		if k.slots[i] == 'G' {
			return group
		}
		return "0123456789"[n : n+1]
	}
	switch t := k.texts; len(k.slots) {
	case 0:
		return k.Pattern
	case 1:
		return t[0] + fill(0) + t[1]
	default:
		return t[0] + fill(0) + t[1] + fill(1) + t[2]
	}
}

// Match finds the key the words of a line spell, and the cos, queue or pool and the group in it (-1 and "": it has
// none); nil: no release has it.
func Match(words []string) (k *Key, n int, group string) {
	for _, k := range byFeature()[Feature(words[0])] {
		if count, _ := k.misfits(words); count != 0 {
			continue
		}
		n = -1
		for i, w := range k.words {
			if w == "G" {
				group = words[i]
			} else if strings.HasSuffix(w, "N") {
				n = int(words[i][len(words[i])-1] - '0')
			}
		}
		return k, n, group
	}
	return nil, -1, ""
}

// misfits counts the words that do not fit the pattern, and gives the last of them; -1: their number differs.
func (k *Key) misfits(words []string) (count, last int) {
	if len(k.words) != len(words) {
		return -1, 0
	}
	for i, p := range k.words {
		if !fits(p, words[i]) {
			count, last = count+1, i
		}
	}
	return count, last
}

func fits(pattern, word string) bool {
	if pattern == "G" {
		return word != ""
	}
	if head, ok := strings.CutSuffix(pattern, "N"); ok {
		rest, ok := strings.CutPrefix(word, head)
		return ok && len(rest) == 1 && '0' <= rest[0] && rest[0] <= '7'
	}
	return pattern == word
}

// Outside finds the key that the words of a line spell but for a cos, queue or pool above 7; nil: they are no such key.
func Outside(words []string) *Key {
	near := slices.Clone(words)
	for i, w := range words {
		if head := strings.TrimRight(w, "0123456789"); head != w && (head == "" || strings.HasSuffix(head, "_")) {
			near[i] = head + "0"
		}
	}
	k, _, _ := Match(near)
	return k
}

// Nearest gives the key a person most likely meant by words that are none: all words but one fit, and that one nearly.
// Empty: none is near.
func Nearest(words []string) string {
	wrong := -1
	var candidates []string
	for i := range Keys() {
		k := &Keys()[i]
		count, at := k.misfits(words)
		if k.Aside || count != 1 || wrong >= 0 && at != wrong {
			continue
		}
		wrong = at
		candidates = append(candidates, k.words[at])
	}
	if wrong < 0 {
		return ""
	}
	near := diag.Nearest(words[wrong], candidates)
	if near == "" { // cut short: xoff for xoff_size
		longer := slices.DeleteFunc(slices.Clone(candidates), func(c string) bool { return !strings.HasPrefix(c, words[wrong]+"_") })
		if longer = slices.Compact(longer); len(longer) == 1 {
			near = longer[0]
		}
	}
	if near == "" || near == "G" || strings.HasSuffix(near, "N") {
		return ""
	}
	fixed := slices.Clone(words)
	fixed[wrong] = near
	return strings.Join(fixed, ".")
}

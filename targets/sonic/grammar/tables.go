package grammar

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// KeyKind is the kind of a row's key.
type KeyKind int

// The kinds of keys.
const (
	NameKey      KeyKind = iota // a name that a person chose: AZURE
	PortKey                     // a port: Ethernet0
	PortRangeKey                // a port, and queues or priority groups: Ethernet0|3, Ethernet0|3-4
	FixedKey                    // localhost, GLOBAL
	OwnKey                      // a free key of rocec's own members
)

// FieldKind is the kind of a field's text.
type FieldKind int

// The kinds of fields.
const (
	Free    FieldKind = iota // any text
	Whole                    // a number from Lo to Hi
	Words                    // one of Words
	Bool                     // true or false
	Digits                   // priorities from 0 to 7, separated by commas; may be empty from EmptySince on
	Metres                   // 5m
	Ref                      // the name of a row of the table Words[0]
	Profile                  // the name of a row of BUFFER_PROFILE, or NULL
	RefList                  // such names, separated by commas
)

// Field is one field of a table.
type Field struct {
	Name  string // <n> is any number up to Keys, <port> any port
	Kind  FieldKind
	Lo    int
	Hi    int // if Lo and Hi are 0, only the type bounds the number
	Words []string

	Since, Before Release // 0: always
	Late          bool    // builds of Since that are older than a backport lack it
	EmptySince    Release // of Digits
	Keys          int     // of <n>: the greatest number
	Must          bool    // a row without it is refused
	Source        string  // YANG module, or another source

	Means ir.Field // the value that the field sets; NoField: it sets none, and Aside has the reason
	Aside string   // why the field does not affect lossless traffic
}

// Table is one table of CONFIG_DB that rocec reads, writes or checks.
type Table struct {
	Name   string
	Key    KeyKind
	Fixed  []string // of FixedKey, and keys that are valid in addition to ports
	Module string   // YANG module
	Fields []Field
	Ours   bool // a patch of rocec may change it
	Beside bool // the table describes the switch; rocec checks only the few fields that QoS depends on
}

// The reasons why a field does not affect lossless traffic.
const (
	asideDescribes = "it describes the switch, and does not affect lossless traffic"
	asideComputed  = "the switch computes headroom from it, by a formula of its release"
	asidePort      = "it binds pools to a whole port; the profile of each group and queue names its own"
	asideBurst     = "the burst of a rate"
	asideUnused    = "the switch ignores it"
	asideCounts    = "it counts, and changes nothing"
	asideColour    = "it is about packets that a policer has coloured, and RoCE has no policer"
)

// The names of maps and profiles of marking (YANG: pattern of the leaf name).
var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9][-a-zA-Z0-9_]{0,31}$`) })

// portPattern is the name of a front-panel port.
var portPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Ethernet[0-9]{1,4}$`) })

// IsName reports whether a text may name a map or a profile of marking.
func IsName(s string) bool { return namePattern().MatchString(s) }

// IsPort reports whether a text is the name of a front-panel port.
func IsPort(s string) bool { return portPattern().MatchString(s) }

const trafficClasses = 15 // the greatest that YANG accepts (sonic-types, tc_type)

func mapTable(name, module string, keys, hi int, means ir.Field) Table {
	return Table{
		Name: name, Key: NameKey, Module: module, Ours: true,
		Fields: []Field{{Name: "<n>", Kind: Whole, Hi: hi, Keys: keys, Means: means}},
	}
}

// Tables are the tables that rocec reads, writes or checks, in the order of their names. Source of kinds and ranges: the YANG models of
// sonic-net/sonic-buildimage, src/sonic-yang-models/yang-models, of the branches 202205 to 202605.
var Tables = []Table{
	{
		Name: "BUFFER_PG", Key: PortRangeKey, Module: "sonic-buffer-pg", Ours: true,
		Fields: []Field{{Name: "profile", Kind: Profile, Must: true, Means: ir.FieldBuffer}},
	},
	{
		Name: "BUFFER_POOL", Key: NameKey, Module: "sonic-buffer-pool",
		Fields: []Field{
			{Name: "type", Kind: Words, Words: []string{"ingress", "egress", "both"}, Must: true, Means: ir.FieldPool},
			{Name: "mode", Kind: Words, Words: []string{"static", "dynamic"}, Must: true, Means: ir.FieldPool},
			{Name: "size", Kind: Whole, Means: ir.FieldPool},
			{Name: "xoff", Kind: Whole, Means: ir.FieldPool},
			{Name: "percentage", Kind: Whole, Lo: 1, Hi: 100, Means: ir.FieldPool},
		},
	},
	{
		Name: "BUFFER_PORT_EGRESS_PROFILE_LIST", Key: PortKey, Module: "sonic-buffer-port-egress-profile-list",
		Fields: []Field{{Name: "profile_list", Kind: RefList, Words: []string{"BUFFER_PROFILE"}, Aside: asidePort}},
	},
	{
		Name: "BUFFER_PORT_INGRESS_PROFILE_LIST", Key: PortKey, Module: "sonic-buffer-port-ingress-profile-list",
		Fields: []Field{{Name: "profile_list", Kind: RefList, Words: []string{"BUFFER_PROFILE"}, Aside: asidePort}},
	},
	{
		Name: "BUFFER_PROFILE", Key: NameKey, Module: "sonic-buffer-profile", Ours: true,
		Fields: []Field{
			{Name: "pool", Kind: Ref, Words: []string{"BUFFER_POOL"}, Means: ir.FieldGroupPool},
			{Name: "size", Kind: Whole, Means: ir.FieldBuffer},
			{Name: "dynamic_th", Kind: Whole, Lo: -8, Hi: 7, Means: ir.FieldGroupLimit},
			{Name: "static_th", Kind: Whole, Means: ir.FieldGroupLimit},
			{Name: "xon", Kind: Whole, Means: ir.FieldXon},
			{Name: "xon_offset", Kind: Whole, Means: ir.FieldXon},
			{Name: "xoff", Kind: Whole, Means: ir.FieldHeadroom},
			{Name: "headroom_type", Kind: Words, Words: []string{"static", "dynamic"}, Means: ir.FieldHeadroom},
			{Name: "packet_discard_action", Kind: Words, Words: []string{"drop", "trim"}, Since: 202505, Means: ir.FieldUnmarkable},
		},
	},
	{
		Name: "BUFFER_QUEUE", Key: PortRangeKey, Module: "sonic-buffer-queue", Ours: true,
		Fields: []Field{{Name: "profile", Kind: Profile, Means: ir.FieldQueuePool}},
	},
	{
		Name: "CABLE_LENGTH", Key: NameKey, Module: "sonic-cable-length", Ours: true,
		Fields: []Field{{Name: "<port>", Kind: Metres, Means: ir.FieldCable}},
	},
	{
		Name: "DEFAULT_LOSSLESS_BUFFER_PARAMETER", Key: NameKey, Module: "sonic-default-lossless-buffer-parameter",
		Fields: []Field{
			{Name: "default_dynamic_th", Kind: Whole, Lo: -8, Hi: 7, Means: ir.FieldGroupLimit},
			{Name: "over_subscribe_ratio", Kind: Whole, Aside: asideComputed},
			{Name: "max_headroom_size", Kind: Whole, Source: "buffers templates; no model has it", Aside: asideComputed},
		},
	},
	{
		Name: "DEVICE_METADATA", Key: FixedKey, Fixed: []string{"localhost"}, Module: "sonic-device_metadata", Beside: true,
		Fields: []Field{
			{Name: "hwsku", Kind: Free, Means: ir.FieldSystem},
			{Name: "platform", Kind: Free, Means: ir.FieldSystem},
			{Name: "type", Kind: Free, Aside: asideDescribes},
			{Name: "buffer_model", Kind: Words, Words: []string{"traditional", "dynamic"}, Means: ir.FieldBuffer},
			{Name: "default_pfcwd_status", Kind: Words, Words: []string{"enable", "disable"}, Means: ir.FieldWatchdog},
			{Name: "switch_type", Kind: Free, Aside: asideDescribes},
		},
	},
	mapTable("DOT1P_TO_TC_MAP", "sonic-dot1p-tc-map", 7, trafficClasses, ir.FieldPCP),
	mapTable("DSCP_TO_TC_MAP", "sonic-dscp-tc-map", 63, trafficClasses, ir.FieldDSCP),
	{
		Name: "LOSSLESS_TRAFFIC_PATTERN", Key: NameKey, Module: "sonic-lossless-traffic-pattern",
		Fields: []Field{
			{Name: "mtu", Kind: Whole, Lo: 1, Hi: 9216, Aside: asideComputed},
			{Name: "small_packet_percentage", Kind: Whole, Hi: 100, Aside: asideComputed},
		},
	},
	mapTable("MAP_PFC_PRIORITY_TO_QUEUE", "sonic-pfc-priority-queue-map", 7, 7, ir.FieldQueue),
	mapTable("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "sonic-pfc-priority-priority-group-map", 7, 7, ir.FieldGroup),
	{
		Name: "PFC_WD", Key: PortKey, Fixed: []string{"GLOBAL"}, Module: "sonic-pfcwd", Ours: true,
		Fields: []Field{
			{Name: "action", Kind: Words, Words: []string{"drop", "forward", "alert"}, Means: ir.FieldWatchdog},
			{Name: "detection_time", Kind: Whole, Lo: 100, Hi: 5000, Means: ir.FieldWatchdog},
			{Name: "restoration_time", Kind: Whole, Lo: 100, Hi: 60000, Means: ir.FieldWatchdog},
			{Name: "pfc_stat_history", Kind: Words, Words: []string{"enable", "disable"}, Since: 202511, Aside: asideCounts},
			{Name: "POLL_INTERVAL", Kind: Whole, Lo: 100, Hi: 3000, Before: 202511, Means: ir.FieldWatchdog},
			{Name: "POLL_INTERVAL", Kind: Whole, Lo: 100, Hi: 1000, Since: 202511, Means: ir.FieldWatchdog},
		},
	},
	{
		Name: "PORT", Key: PortKey, Module: "sonic-port", Beside: true,
		Fields: []Field{
			{Name: "lanes", Kind: Free, Aside: asideDescribes},
			{Name: "speed", Kind: Whole, Lo: 1, Hi: 1_600_000, Means: ir.FieldSpeed},
			{Name: "alias", Kind: Free, Aside: asideDescribes},
			{Name: "index", Kind: Free, Aside: asideDescribes},
			{Name: "mtu", Kind: Whole, Lo: 68, Hi: 9216, Means: ir.FieldMTU},
			{Name: "fec", Kind: Free, Aside: asideDescribes},
			{Name: "admin_status", Kind: Words, Words: []string{"up", "down"}, Means: ir.FieldBuffer},
			{Name: "pfc_asym", Kind: Words, Words: []string{"on", "off"}, Means: ir.FieldAsymmetricPFC},
		},
	},
	{
		Name: "PORT_QOS_MAP", Key: PortKey, Fixed: []string{"global"}, Module: "sonic-port-qos-map", Ours: true,
		Fields: []Field{
			{Name: "dscp_to_tc_map", Kind: Ref, Words: []string{"DSCP_TO_TC_MAP"}, Means: ir.FieldTrust},
			{Name: "dot1p_to_tc_map", Kind: Ref, Words: []string{"DOT1P_TO_TC_MAP"}, Means: ir.FieldTrust},
			{Name: "tc_to_queue_map", Kind: Ref, Words: []string{"TC_TO_QUEUE_MAP"}, Means: ir.FieldQueue},
			{Name: "tc_to_pg_map", Kind: Ref, Words: []string{"TC_TO_PRIORITY_GROUP_MAP"}, Means: ir.FieldGroup},
			{Name: "pfc_to_queue_map", Kind: Ref, Words: []string{"MAP_PFC_PRIORITY_TO_QUEUE"}, Means: ir.FieldQueue},
			{Name: "pfc_to_pg_map", Kind: Ref, Words: []string{"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"}, Means: ir.FieldGroup},
			{Name: "scheduler", Kind: Ref, Words: []string{"SCHEDULER"}, Since: 202305, Means: ir.FieldShaper},
			// From sonic-buildimage#21395 of January 2025, which was backported to 202411.
			{Name: "tc_to_dscp_map", Kind: Ref, Words: []string{"TC_TO_DSCP_MAP"}, Since: 202411, Late: true, Means: ir.FieldRewrite},
			{Name: "pfc_enable", Kind: Digits, EmptySince: 202505, Means: ir.FieldPauses},
			{Name: "pfcwd_sw_enable", Kind: Digits, EmptySince: 202505, Means: ir.FieldWatchdog},
		},
	},
	{
		Name: "QUEUE", Key: PortRangeKey, Module: "sonic-queue", Ours: true,
		Fields: []Field{
			{Name: "scheduler", Kind: Ref, Words: []string{"SCHEDULER"}, Means: ir.FieldShare},
			{Name: "wred_profile", Kind: Ref, Words: []string{"WRED_PROFILE"}, Means: ir.FieldMarking},
		},
	},
	{
		Name: "SCHEDULER", Key: NameKey, Module: "sonic-scheduler", Ours: true,
		Fields: []Field{
			{Name: "type", Kind: Words, Words: []string{"DWRR", "WRR", "STRICT"}, Means: ir.FieldStrict},
			{Name: "weight", Kind: Whole, Lo: 1, Hi: 100, Means: ir.FieldShare},
			{Name: "priority", Kind: Whole, Hi: 9, Aside: asideUnused},
			{Name: "meter_type", Kind: Words, Words: []string{"packets", "bytes"}, Means: ir.FieldMaxRate},
			{Name: "cir", Kind: Whole, Means: ir.FieldMinRate},
			{Name: "pir", Kind: Whole, Means: ir.FieldMaxRate},
			{Name: "cbs", Kind: Whole, Aside: asideBurst},
			{Name: "pbs", Kind: Whole, Aside: asideBurst},
		},
	},
	{
		Name: "TC_TO_DSCP_MAP", Key: NameKey, Module: "sonic-tc-dscp-map",
		Fields: []Field{{Name: "<n>", Kind: Whole, Hi: 63, Keys: trafficClasses, Since: 202411, Late: true, Means: ir.FieldRewrite}},
	},
	mapTable("TC_TO_PRIORITY_GROUP_MAP", "sonic-tc-priority-group-map", trafficClasses, 7, ir.FieldGroup),
	mapTable("TC_TO_QUEUE_MAP", "sonic-tc-queue-map", trafficClasses, 7, ir.FieldQueue),
	{
		Name: "VERSIONS", Key: FixedKey, Fixed: []string{"DATABASE"}, Module: "sonic-versions", Beside: true,
		Fields: []Field{{Name: "VERSION", Kind: Free, Means: ir.FieldSystem}},
	},
	{Name: "WRED_PROFILE", Key: NameKey, Module: "sonic-wred-profile", Ours: true, Fields: wredFields()},
}

// wredFields are the thresholds above which packets are marked, or dropped if they cannot be marked. No branch has separate thresholds
// for marking, not even 202605 and master of August 2026. sonic-swss#4719 and sonic-buildimage#28164 would add them, first as
// ecn_green_min_threshold, then as green_ect_min_threshold.
func wredFields() []Field {
	out := []Field{{Name: "ecn", Kind: Words, Words: []string{
		"ecn_none", "ecn_green", "ecn_yellow", "ecn_red", "ecn_green_yellow", "ecn_green_red", "ecn_yellow_red", "ecn_all",
	}, Means: ir.FieldMarking}}
	for _, color := range []string{"green", "yellow", "red"} {
		enable, threshold, aside := ir.FieldUnmarkable, ir.FieldMarking, ""
		if color != "green" { // packets that no policer colours are green
			enable, threshold, aside = ir.NoField, ir.NoField, asideColour
		}
		out = append(
			out,
			Field{Name: "wred_" + color + "_enable", Kind: Bool, Means: enable, Aside: aside},
			Field{Name: color + "_min_threshold", Kind: Whole, Means: threshold, Aside: aside},
			Field{Name: color + "_max_threshold", Kind: Whole, Means: threshold, Aside: aside},
			Field{Name: color + "_drop_probability", Kind: Whole, Hi: 100, Means: threshold, Aside: aside},
		)
	}
	return out
}

// The members of a switch's state in addition to its tables: facts that it reports about itself, and the lookup file of its hwsku. They
// have the form of tables, and are never part of a patch.
const (
	VersionTable = "@version" // the row localhost: build_version, asic_type, asic_count
	LookupTable  = "@lookup"  // rows 100000|5m: size, xon, xoff, threshold, xon_offset; a row file without fields: the file exists
)

var tableIndex = sync.OnceValue(func() map[string]*Table {
	m := map[string]*Table{}
	for i := range Tables {
		m[Tables[i].Name] = &Tables[i]
	}
	for _, name := range []string{VersionTable, LookupTable} {
		m[name] = &Table{Name: name, Key: OwnKey}
	}
	return m
})

// TableOf returns the table with a name, rocec's own members included, or nil for a table that rocec does not read.
func TableOf(name string) *Table { return tableIndex()[name] }

// Judged reports whether rules check a field: every field of a table of QoS, and in tables that describe the switch the fields that QoS
// relies on.
func (t *Table) Judged(name string) bool {
	return !t.Beside || slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Kind != Free && f.Is(name) })
}

// Field returns the field with a name in a release, or nil. other is a field of that name in a different release.
func (t *Table) Field(r Release, name string) (f, other *Field) {
	for i := range t.Fields {
		x := &t.Fields[i]
		if !x.Is(name) {
			continue
		}
		if x.In(r) {
			return x, nil
		}
		other = x
	}
	return nil, other
}

// Is reports whether the field has a name.
func (f *Field) Is(name string) bool {
	switch f.Name {
	case "<n>":
		n, err := strconv.Atoi(name)
		return err == nil && n >= 0 && n <= f.Keys && strconv.Itoa(n) == name
	case "<port>":
		return IsPort(name)
	}
	return f.Name == name
}

// In reports whether a release has the field.
func (f *Field) In(r Release) bool { return r >= f.Since && (f.Before == 0 || r < f.Before) }

// Wrong describes the mistake in the text of a field in a release, as the end of a sentence; empty if the text is valid. It does not
// check whether a referenced row exists.
func (f *Field) Wrong(r Release, text string) string {
	switch f.Kind {
	case Whole:
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil:
			return "is not a whole number"
		case f.Hi == 0 && f.Lo == 0 && n < 0:
			return "is below 0"
		case (f.Hi != 0 || f.Lo != 0) && (n < int64(f.Lo) || n > int64(f.Hi)):
			return fmt.Sprintf("is not from %d to %d", f.Lo, f.Hi)
		}
	case Words:
		if !slices.Contains(f.Words, text) {
			return "is none of " + strings.Join(f.Words, ", ")
		}
	case Bool:
		if text != "true" && text != "false" {
			return "is neither true nor false"
		}
	case Digits:
		if text == "" {
			if r < f.EmptySince {
				return fmt.Sprintf("is empty, which models accept only from %s on", f.EmptySince)
			}
			return ""
		}
		if _, ok := ParseDigits(text); !ok {
			return "is not a list of priorities such as 3,4"
		}
	case Metres:
		if _, ok := ParseMetres(text); !ok {
			return "is not a whole number of metres such as 5m"
		}
	case Ref, Profile:
		if text == "" {
			return "is empty"
		}
		if strings.HasPrefix(text, "[") {
			return "is a reference in brackets, which releases up to 202106 had"
		}
	case Free, RefList:
	}
	return ""
}

// ParseDigits reads priorities such as "3,4" as bits; an empty text gives no bits.
func ParseDigits(s string) (mask uint8, ok bool) {
	if s == "" {
		return 0, true
	}
	for part := range strings.SplitSeq(s, ",") {
		if len(part) != 1 || part[0] < '0' || part[0] > '7' {
			return 0, false
		}
		mask |= 1 << (part[0] - '0')
	}
	return mask, true
}

// SpellDigits writes bits as priorities: "3,4".
func SpellDigits(mask uint8) string {
	var parts []string
	for n := range 8 {
		if mask>>n&1 == 1 {
			parts = append(parts, strconv.Itoa(n))
		}
	}
	return strings.Join(parts, ",")
}

// ParseMetres reads the length of a cable: "5m".
func ParseMetres(s string) (metres int, ok bool) {
	number, ok := strings.CutSuffix(s, "m")
	if !ok || !isDigits(number) || len(number) > 7 {
		return 0, false
	}
	n, err := strconv.Atoi(number)
	return n, err == nil
}

// ParseRange reads the part after the port in the key of a queue or a priority group: "3" or "3-4".
func ParseRange(s string) (from, to int, ok bool) {
	a, b, two := strings.Cut(s, "-")
	if !two {
		b = a
	}
	if len(a) > 2 || len(b) > 2 || !isDigits(a) || !isDigits(b) {
		return 0, 0, false
	}
	from, _ = strconv.Atoi(a)
	to, _ = strconv.Atoi(b)
	return from, to, from <= to
}

// Ranges writes bits as the ranges that the buffer manager uses: 2, 3, 4 and 6 are "2-4" and "6".
func Ranges(mask uint8) []string {
	var out []string
	for n := 0; n < 8; n++ {
		if mask>>n&1 == 0 {
			continue
		}
		last := n
		for last < 7 && mask>>(last+1)&1 == 1 {
			last++
		}
		if last == n {
			out = append(out, strconv.Itoa(n))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", n, last))
		}
		n = last
	}
	return out
}

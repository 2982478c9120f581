package sim

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// This file has the YANG models of sonic-buildimage (src/sonic-yang-models) for the tables of QoS and buffers, by branch. Of the other
// tables with a model it has only the names, and accepts any content.

// leaf describes the values of a field, or of a part of a key.
type leaf struct {
	min, max     int // range of a number, if max is not 0
	pattern      *regexp.Regexp
	ref          string   // the value is a row of this table
	or           string   // a word that is also valid in place of a reference or number
	list         bool     // references separated by commas
	must         bool     // the field is required
	since, until string   // branches
	words        []string // the value is one of these
}

// model has the fields of a table. A name that ends in a blank is the table's form before the other form's branch. All fields of a map
// have the same form: item describes their names, and value their values.
type model struct {
	key         []leaf
	fields      map[string]leaf
	item, value *leaf
	since       string
}

func pattern(p string) leaf { return leaf{pattern: regexp.MustCompile("^(" + p + ")$")} }
func number(low, high int) leaf {
	return leaf{min: low, max: high}
}
func word(words ...string) leaf { return leaf{words: words} }
func refer(t string) leaf       { return leaf{ref: t} }
func (l leaf) from(branch string) leaf {
	l.since = branch
	return l
}

func (l leaf) needed() leaf {
	l.must = true
	return l
}

// models are the tables whose content is checked.
var models = sync.OnceValue(makeModels)

func makeModels() map[string]model {
	name, anyName := pattern(`[a-zA-Z0-9][-a-zA-Z0-9_]{0,31}`), pattern(`.+`)
	size := number(0, math.MaxInt)
	port := refer("PORT")
	tc, eight := pattern(`[0-9]|1[0-5]`), pattern(`[0-7]?`)
	one := func(l leaf) *leaf { return &l }
	dscp, length := pattern(`6[0-3]|[1-5][0-9]?|[0-9]?`), pattern(`[0-9]+m`)
	mapOf := func(item, value leaf) model { return model{key: []leaf{name}, item: one(item), value: one(value)} }
	oldEnable, enable := pattern(`[0-7](,[0-7])*`), pattern(`([0-7](,[0-7])*)?`)
	oldEnable.until, enable.since = "202505", "202505"
	remark := mapOf(tc, dscp)
	remark.since = "202411"
	lists := model{key: []leaf{port}, fields: map[string]leaf{"profile_list": {ref: "BUFFER_PROFILE", list: true}}}
	queue := model{
		key:    []leaf{{ref: "PORT", or: "CPU"}, anyName},
		fields: map[string]leaf{"scheduler": refer("SCHEDULER"), "wred_profile": refer("WRED_PROFILE")},
	}
	wred := model{key: []leaf{name}, fields: map[string]leaf{"ecn": word("ecn_none", "ecn_green", "ecn_yellow", "ecn_red",
		"ecn_green_yellow", "ecn_green_red", "ecn_yellow_red", "ecn_all")}}
	for _, color := range []string{"green", "yellow", "red"} {
		wred.fields["wred_"+color+"_enable"] = word("true", "false")
		wred.fields[color+"_min_threshold"], wred.fields[color+"_max_threshold"] = size, size
		wred.fields[color+"_drop_probability"] = number(0, 100)
	}
	return map[string]model{
		"DSCP_TO_TC_MAP":                     mapOf(dscp, tc),
		"DOT1P_TO_TC_MAP":                    mapOf(eight, tc),
		"TC_TO_QUEUE_MAP":                    mapOf(tc, pattern(`[0-9]?`)), // 0-7 up to 202405
		"TC_TO_PRIORITY_GROUP_MAP":           mapOf(tc, eight),
		"MAP_PFC_PRIORITY_TO_QUEUE":          mapOf(eight, eight),
		"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": mapOf(eight, eight),
		"TC_TO_DSCP_MAP":                     remark,
		"CABLE_LENGTH":                       mapOf(port, length),
		"PORT_QOS_MAP": {key: []leaf{{ref: "PORT", or: "global"}}, fields: map[string]leaf{
			"dscp_to_tc_map": refer("DSCP_TO_TC_MAP"), "dot1p_to_tc_map": refer("DOT1P_TO_TC_MAP"), "tc_to_queue_map": refer("TC_TO_QUEUE_MAP"),
			"tc_to_pg_map": refer("TC_TO_PRIORITY_GROUP_MAP"), "pfc_to_queue_map": refer("MAP_PFC_PRIORITY_TO_QUEUE"),
			"pfc_to_pg_map": refer("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"), "scheduler": refer("SCHEDULER").from("202305"),
			"tc_to_dscp_map": refer("TC_TO_DSCP_MAP").from("202411"), "pfc_enable": enable, "pfcwd_sw_enable": enable,
			"pfc_enable ": oldEnable, "pfcwd_sw_enable ": oldEnable,
		}},
		"SCHEDULER": {key: []leaf{anyName}, fields: map[string]leaf{
			"type": word("DWRR", "WRR", "STRICT"), "weight": number(1, 100), "priority": number(0, 9), "meter_type": word("packets", "bytes"),
			"cir": size, "pir": size, "cbs": size, "pbs": size,
		}},
		"QUEUE":        queue,
		"WRED_PROFILE": wred,
		"BUFFER_POOL": {key: []leaf{anyName}, fields: map[string]leaf{
			"type": word("ingress", "egress", "both").needed(), "mode": word("static", "dynamic").needed(), "size": size, "xoff": size,
			"percentage": number(0, 255).from("202405"),
		}},
		"BUFFER_PROFILE": {key: []leaf{anyName}, fields: map[string]leaf{
			"pool": refer("BUFFER_POOL").needed(), "size": size.needed(), "dynamic_th": number(-8, 7), "static_th": size, "xon": size, "xoff": size,
			"xon_offset": size, "headroom_type": word("static", "dynamic"), "packet_discard_action": word("drop", "trim").from("202505"),
		}},
		"BUFFER_PG": {
			key: []leaf{port, pattern(`[0-7](-[0-7])?`)}, fields: map[string]leaf{"profile": {ref: "BUFFER_PROFILE", or: "NULL"}},
		},
		"BUFFER_QUEUE": {
			key:    []leaf{port, pattern(`(1[0-5]|[0-9])(-(1[0-5]|[0-9]))?`)},
			fields: map[string]leaf{"profile": refer("BUFFER_PROFILE")},
		},
		"BUFFER_PORT_INGRESS_PROFILE_LIST": lists,
		"BUFFER_PORT_EGRESS_PROFILE_LIST":  lists,
		"LOSSLESS_TRAFFIC_PATTERN": {key: []leaf{name}, fields: map[string]leaf{
			"mtu": number(1, 9216).needed(), "small_packet_percentage": number(0, 100).needed(),
		}},
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER": {key: []leaf{name}, fields: map[string]leaf{
			"default_dynamic_th": number(-8, 7).needed(), "over_subscribe_ratio": number(0, 65535),
		}},
		"PFC_WD": {key: []leaf{{ref: "PORT", or: "GLOBAL"}}, fields: map[string]leaf{
			"action": word("drop", "forward", "alert"), "detection_time": number(100, 5000), "restoration_time": number(100, 60000),
			"pfc_stat_history": word("enable", "disable").from("202511"), "POLL_INTERVAL": number(100, 3000), // up to 1000 from 202511 on
		}},
		"PORT": {key: []leaf{pattern(`.{1,128}`)}, fields: map[string]leaf{
			"lanes": pattern(`.{1,128}`).needed(), "speed": number(1, 1600000).needed().from("202511"), "speed ": number(1, 800000),
			"alias": anyName, "index": number(0, 65535), "mtu": number(68, 9216), "fec": word("rs", "fc", "none", "auto").from("202311"),
			"fec ": word("rs", "fc", "none"), "admin_status": word("up", "down"), "pfc_asym": word("on", "off"),
			"autoneg": word("on", "off"), "description": pattern(`.*`), "tpid": anyName, "subport": number(0, 12), "role": anyName,
			"link_training": word("on", "off"), "interface_type": anyName, "adv_speeds": anyName, "adv_interface_types": anyName,
		}},
	}
}

// known lists further tables that have a model.
var known = strings.Fields("AAA ACL_RULE ACL_TABLE AUTO_TECHSUPPORT AUTO_TECHSUPPORT_FEATURE BANNER_MESSAGE BGP_BBR BGP_DEVICE_GLOBAL " +
	"BGP_MONITORS BGP_NEIGHBOR BGP_PEER_RANGE BREAKOUT_CFG CONSOLE_SWITCH COPP_GROUP COPP_TRAP CRM DEVICE_METADATA DEVICE_NEIGHBOR " +
	"DEVICE_NEIGHBOR_METADATA DHCP_RELAY DNS_NAMESERVER FEATURE FLEX_COUNTER_TABLE INTERFACE KDUMP LOGGER LOOPBACK_INTERFACE " +
	"MAP_PFC_PRIORITY_TO_PRIORITY_GROUP MGMT_INTERFACE MGMT_PORT MGMT_VRF_CONFIG MIRROR_SESSION MPLS_TC_TO_TC_MAP NTP NTP_SERVER " +
	"PASSW_HARDENING PORTCHANNEL PORTCHANNEL_INTERFACE PORTCHANNEL_MEMBER PORT_STORM_CONTROL SFLOW SNMP SNMP_COMMUNITY STATIC_ROUTE " +
	"SYSLOG_SERVER SYSTEM_DEFAULTS TACPLUS TACPLUS_SERVER TELEMETRY VERSIONS VLAN VLAN_INTERFACE VLAN_MEMBER VRF VXLAN_TUNNEL WARM_RESTART")

// modelled reports whether a table has a YANG model.
func (b *Box) modelled(name string) bool {
	m, ok := models()[name]
	return ok && b.since(m.since) || slices.Contains(known, name)
}

// judge returns the first error that libyang finds in a configuration, by the models of the branch; nil: none.
func (b *Box) judge(top map[string]any) error {
	tables := fromTree(top)
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		m, ok := models()[name]
		if !ok || !b.since(m.since) {
			continue
		}
		for _, key := range slices.SortedFunc(maps.Keys(tables[name]), naturally) {
			if err := b.judgeRow(tables, name, key, m); err != nil {
				return err
			}
		}
	}
	return judgeLanes(tables)
}

// judgeLanes reports a lane that two ports use (gu_common.py, validate_lanes).
func judgeLanes(tables db) error {
	owner := map[string]string{}
	for _, p := range slices.SortedFunc(maps.Keys(tables["PORT"]), naturally) {
		for lane := range strings.SplitSeq(tables["PORT"][p]["lanes"], ",") {
			lane = strings.TrimSpace(lane)
			if _, err := strconv.Atoi(lane); err != nil {
				return complaintf("PORT '%s' has an invalid lane '%s'", p, lane)
			}
			if was := owner[lane]; was != "" {
				return complaintf("'%s' lane is used multiple times in PORT: {'%s', '%s'}", lane, was, p)
			}
			owner[lane] = p
		}
	}
	return nil
}

func (b *Box) judgeRow(tables db, name, key string, m model) error {
	r := tables[name][key]
	at := "/sonic:" + name + "/" + name + "_LIST[" + key + "]"
	bad := func(field, format string, args ...any) error {
		return complaintf("Data Loading Failed:"+format+" (path: "+at+"/"+field+")", args...)
	}
	parts := strings.Split(key, "|")
	if len(parts) != len(m.key) {
		return complaintf("Data Loading Failed:List \"%s_LIST\" key '%s' does not have %d parts", name, key, len(m.key))
	}
	for i, l := range m.key {
		if why := l.refuses(tables, parts[i]); why != "" {
			return bad("key", "%s", why)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(r)) {
		v, plain := r[field], strings.TrimSuffix(field, "@")
		if m.item != nil {
			if why := m.item.refuses(tables, plain); why != "" {
				return bad(plain, "%s", why)
			}
			if why := m.value.refuses(tables, v); why != "" || name == "TC_TO_QUEUE_MAP" && !b.since("202411") && v > "7" {
				return bad(plain, "%s", or(why, "Invalid queue index"))
			}
			continue
		}
		l, ok := m.fields[plain]
		if former, has := m.fields[plain+" "]; has && !b.since(l.since) {
			l = former
		}
		if !ok || !b.since(l.since) {
			return complaintf("Data Loading Failed:All Keys are not parsed in %s\ndict_keys(['%s'])", name, plain)
		}
		if why := l.refuses(tables, v); why != "" {
			return bad(plain, "%s", why)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(m.fields)) {
		if l := m.fields[field]; l.must && r[field] == "" && r[field+"@"] == "" {
			return complaintf("Data Loading Failed:Missing required element \"%s\" in \"%s_LIST\". (path: %s)", field, name, at)
		}
	}
	return b.judgeMusts(tables, name, key, r, bad)
}

// refuses returns why a value is invalid; empty: it is valid.
func (l leaf) refuses(tables db, v string) string {
	switch {
	case l.or != "" && v == l.or:
	case l.ref != "":
		for name := range strings.SplitSeq(v, ",") {
			if _, ok := tables[l.ref][name]; !ok {
				return `Leafref "/sonic:` + l.ref + `" of value "` + name + `" points to a non-existing leaf.`
			}
			if !l.list && name != v {
				return `Invalid value "` + v + `".`
			}
		}
	case l.pattern != nil && !l.pattern.MatchString(v):
		return `Value "` + v + `" does not satisfy the constraint "` + strings.Trim(l.pattern.String(), "^$()") + `" (range, length, or pattern).`
	case l.max != 0:
		n, err := strconv.Atoi(v)
		if err != nil || n < l.min || n > l.max {
			return fmt.Sprintf(`Value "%s" does not satisfy the constraint "%d..%d" (range, length, or pattern).`, v, l.min, l.max)
		}
	case l.words != nil && !slices.Contains(l.words, v):
		return `Invalid value "` + v + `" in enumeration.`
	}
	return ""
}

// judgeMusts checks the constraints between fields of one row.
func (b *Box) judgeMusts(tables db, name, key string, r row, bad func(string, string, ...any) error) error {
	n := func(field string) int {
		v, _ := strconv.Atoi(r[field])
		return v
	}
	has := func(field string) bool { _, ok := r[field]; return ok }
	switch name {
	case "WRED_PROFILE":
		for _, color := range []string{"Green", "Red", "Yellow"} {
			low, high := strings.ToLower(color)+"_min_threshold", strings.ToLower(color)+"_max_threshold"
			if has(high) && (!has(low) || n(high) < n(low)) {
				return bad(high, "%s max threshold must be greater than or equal to min threshold", color)
			}
		}
	case "SCHEDULER":
		switch {
		case has("pir") && (n("cir") == 0 || n("pir") < n("cir")):
			return bad("pir", "pir must be greater than or equal to cir")
		case has("cbs") && n("cir") == 0:
			return bad("cbs", "cbs can't be configured without cir.")
		case has("pbs") && n("pir") == 0, has("pbs") && has("cbs") && n("pbs") < n("cbs"):
			return bad("pbs", "pbs must be greater than or equal to cbs")
		}
	case "BUFFER_POOL":
		if has("percentage") && has("size") {
			return bad("percentage", "Percentage should not be configured along with size")
		}
		if has("percentage") && tables["DEVICE_METADATA"]["localhost"]["buffer_model"] != Dynamic {
			return bad("percentage", "Percentage must be configured in dynamic buffer model")
		}
	case "PFC_WD":
		if key == "GLOBAL" {
			for field := range r {
				if field != "POLL_INTERVAL" {
					return bad(field, "Must condition \"../ifname != 'GLOBAL'\" not satisfied.")
				}
			}
			if b.since("202511") && n("POLL_INTERVAL") > 1000 {
				return bad("POLL_INTERVAL", `Value "%d" does not satisfy the constraint "100..1000" (range, length, or pattern).`, n("POLL_INTERVAL"))
			}
			return nil
		}
		if has("POLL_INTERVAL") {
			return bad("POLL_INTERVAL", "Must condition \"../ifname = 'GLOBAL'\" not satisfied.")
		}
		global, ok := tables["PFC_WD"]["GLOBAL"]
		poll, err := strconv.Atoi(global["POLL_INTERVAL"])
		for _, field := range []string{"detection_time", "restoration_time"} {
			if ok && has(field) && (err != nil || n(field) < poll) {
				return bad(field, "%s must be greater than or equal to POLL_INTERVAL", field)
			}
		}
	}
	return nil
}

package lint

import (
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/grammar"
)

// tables are the tables of profiles to which interfaces are bound.
var tables = []string{"mapping", "remark", "pfc", "link-pause", "congestion-control", "egress-scheduler", "egress-shaper"}

// bound returns the name of an interface's profile in a table, and the declared profile; nil: none is declared. An empty interface means
// any port without settings.
func (j *judge) bound(i, table string) (name string, t *grammar.Tree) {
	if b := j.bonds[i]; b != "" {
		i = b
	}
	name = grammar.DefaultGlobal
	switch p := j.set.Get("interface", i, "qos", table, "profile"); {
	case i == "":
	case grammar.Unknown(p):
		return "", p
	case p.IsScalar():
		name = p.Value
	}
	return name, j.set.Get("qos", table, name)
}

// ports checks the settings of single interfaces.
func (j *judge) ports() {
	interfaces := j.set.Get("interface")
	for _, i := range interfaces.Keys() {
		t := interfaces.Get(i, "qos")
		if len(t.Keys()) > 0 && !j.takesQoS(i) {
			continue
		}
		for _, table := range tables {
			p := t.Get(table, "profile")
			if p.IsScalar() && grammar.IsProfile(p.Value) && p.Value != grammar.DefaultGlobal && j.set.Get("qos", table, p.Value) == nil {
				j.errorf(&topicProfile, p.At, "%s has the profile %s of %s, and qos.%s has no profile of that name. NVUE refuses this, "+
					"or the port has no such setting.",
					diag.Escape(i), diag.Escape(p.Value), table, table)
			}
		}
		if name, p := j.bound(i, "pfc"); name != grammar.DefaultGlobal && p.IsMap() && isEmpty(p.Get("switch-priority")) {
			j.warnf(&topicProfile, p.Key, "Ports have the profile %s of pfc, which has no priority, so nothing is lossless there. Add the "+
				"lossless priority to its switch-priority.", diag.Escape(name))
		}
		for _, k := range t.Keys() {
			if b := j.bonds[i]; b != "" && k != "pfc-watchdog" {
				j.errorf(&topicMember, t.Get(k).Key, "%s is a member of %s and has its own settings of QoS. NVUE refuses them there: set "+
					"them for %s. Only the watchdog is set for members.", diag.Escape(i), diag.Escape(b), diag.Escape(b))
			}
		}
		if w := t.Get("pfc-watchdog"); w != nil && !w.Bad {
			if _, ok := grammar.ParsePort(i); !ok {
				j.errorf(&topicMember, w.Key, "%s has a PFC watchdog, which only front-panel ports can have. Set it for each member.", diag.Escape(i))
			} else if _, neither := j.pausesAt(i); neither && isOn(w.Get("state")) {
				j.errorf(&topicMember, w.Key, "%s has a PFC watchdog, and neither PFC nor link pause. NVUE requires one of them there, and otherwise "+
					"refuses the watchdog. Give the port a PFC profile, or remove the watchdog.", diag.Escape(i))
			}
		}
		j.pauses(i)
	}
}

// isOn reports whether a switch is on.
func isOn(t *grammar.Tree) bool {
	on, _ := grammar.On(t)
	return on
}

// isEmpty reports whether a mapping is empty or absent.
func isEmpty(t *grammar.Tree) bool { return t == nil || t.IsMap() && len(t.Kids) == 0 && !t.Open }

// pauses reports a port with both PFC and link pause.
func (j *judge) pauses(i string) {
	of := i
	if b := j.bonds[i]; b != "" {
		of = b
	}
	p := j.set.Get("interface", of, "qos", "link-pause", "profile")
	if !p.IsScalar() {
		return
	}
	if link := j.set.Get("qos", "link-pause", p.Value); link == nil || link.Bad {
		return
	}
	name, pfc := j.bound(i, "pfc")
	if grammar.Digits(pfc.Get("switch-priority")) != 0 || name == grammar.DefaultGlobal && j.preset && !grammar.PresetIsLossy(j.set) {
		j.errorf(&topicPause, p.At, "%s has link pause, and PFC by the profile %s. A port has only one of the two: the other end obeys one "+
			"of them.", diag.Escape(i), diag.Escape(name))
	}
}

// lossless checks every profile of PFC and link pause that is in use, with the maps, queues and marks of its ports.
func (j *judge) lossless() {
	interfaces := j.set.Get("interface")
	all := append([]string{""}, interfaces.Keys()...) // the empty name means ports without settings
	for _, i := range all {
		if i != "" && j.notPort(i) != "" {
			continue
		}
		for _, table := range []string{"pfc", "link-pause"} {
			_, p := j.bound(i, table)
			cos := grammar.Digits(p.Get("switch-priority"))
			if p == nil || table == "pfc" && cos == 0 || table == "link-pause" && len(p.Kids) == 0 {
				continue
			}
			j.sized(table, p)
			j.halves(table, p)
			if table == "pfc" {
				j.several(p, cos)
				j.reached(i, cos)
				j.remarked(i, cos)
			}
		}
	}
}

// sized checks the source of a profile's headroom.
func (j *judge) sized(table string, p *grammar.Tree) {
	if j.sizes[p] {
		return
	}
	j.sizes[p] = true
	j.stated(table, p)
	if p.Get("cable-length") != nil || p.Get("port-buffer") != nil && p.Get("xoff-threshold") != nil {
		return
	}
	j.warnf(&topicHeadroom, p.Key, "This profile of %s states no cable-length, so the switch keeps headroom for 10 m. Longer cables lose "+
		"packets. State the length of the longest cable of its ports.", table)
}

// halves reports pauses that work in only one direction.
func (j *judge) halves(table string, p *grammar.Tree) {
	for _, k := range []string{"tx", "rx"} {
		if on, ok := grammar.On(p.Get(k)); ok && !on {
			does := map[string]string{
				"tx": "never pauses its peer, and drops packets when its buffer is full", "rx": "does not obey its peer's pauses",
			}
			j.warnf(&topicPause, p.Get(k).At, "%s of this profile of %s is off: the switch %s. Turn it on.", k, table, does[k])
		}
	}
}

// reached reports maps of fields that ports with PFC ignore.
func (j *judge) reached(i string, cos uint8) {
	name, m := j.bound(i, "mapping")
	if name != grammar.DefaultGlobal && m == nil || grammar.Unknown(m) || grammar.Unknown(m.Get("trust")) ||
		name == grammar.DefaultGlobal && j.unsure && m.Get("trust") == nil {
		return
	}
	trust := "l2"
	if name == grammar.DefaultGlobal && j.preset {
		trust = "both"
	}
	if v := m.Get("trust"); v.IsScalar() {
		trust = v.Value
	}
	var reached uint8
	use := func(field string, n int, plain func(v int) int) {
		for v := range n {
			to, x := plain(v), m.Get(field, strconv.Itoa(v), "switch-priority")
			if grammar.Unknown(x) {
				reached = 0xff
				continue
			}
			if n, ok := grammar.Whole(x); ok && n < 8 {
				to = n
			}
			reached |= 1 << to
		}
	}
	if trust == "l2" || trust == "both" {
		use("pcp", 8, func(v int) int { return v })
	}
	if trust == "l3" || trust == "both" {
		use("dscp", 64, func(v int) int { return v / 8 })
	}
	if x := m.Get("port-default-sp"); grammar.Unknown(x) {
		reached = 0xff
	} else {
		port, ok := grammar.Whole(x)
		if !ok || port > 7 {
			port = 0
		}
		reached |= 1 << port
	}
	j.untrusted(name, m, trust, reached&cos)
}

// remarked reports lossless priorities whose packets leave with another DSCP than in the map of their ports.
func (j *judge) remarked(i string, cos uint8) {
	_, out := j.bound(i, "remark")
	_, in := j.bound(i, "mapping")
	rewrites := out.Get("rewrite")
	for _, mark := range in.Get("dscp").Keys() {
		n, ok := grammar.Whole(in.Get("dscp", mark, "switch-priority"))
		to := out.Get("switch-priority", strconv.Itoa(n), "dscp")
		dscp, is := grammar.Whole(to)
		if ok && is && n < 8 && cos>>n&1 == 1 && strconv.Itoa(dscp) != mark && rewrites.IsScalar() && rewrites.Value != "l2" {
			j.warnf(&topicRemark, to.At, "Packets of priority %d, which is lossless, leave with DSCP %d, and arrive with %s: the next "+
				"switch may classify them differently. Remove the rewriting, or write the DSCP of arriving packets.", n, dscp, diag.Escape(mark))
		}
	}
}

// untrusted reports maps of an untrusted field that select a lossless priority, if the trusted field has no such map.
func (j *judge) untrusted(name string, m *grammar.Tree, trust string, lossless uint8) {
	leads := func(field string) (priorities uint8, value string) {
		for _, v := range m.Get(field).Keys() {
			if n, ok := grammar.Whole(m.Get(field, v, "switch-priority")); ok && n < 8 && lossless>>n&1 == 1 {
				if priorities == 0 {
					value = v
				}
				priorities |= 1 << n
			}
		}
		return priorities, value
	}
	if trusted := m.Get(map[string]string{"l2": "pcp", "l3": "dscp"}[trust]); trusted != nil && (trusted.Bad || trusted.Open) {
		return
	}
	dscp, d := leads("dscp")
	pcp, p := leads("pcp")
	switch {
	case trust == "l2" && dscp&^pcp != 0:
		stated := "trust is l2"
		if m.Get("trust") == nil {
			stated = "no trust is stated, so it is l2"
		}
		j.warnf(&topicMap, m.Get("dscp").Key, "The map %s sends DSCP %s into a lossless priority, and its ports do not trust DSCP: "+
			"%s. The PCP of packets decides, and packets without a tag are lossy. Set trust to l3, or to both.",
			diag.Escape(name), diag.Escape(d), stated)
	case trust == "l3" && pcp&^dscp != 0:
		j.warnf(&topicMap, m.Get("pcp").Key, "The map %s sends PCP %s into a lossless priority, and its ports do not trust PCP: "+
			"trust is l3. Set trust to l2, or to both, or map DSCP.", diag.Escape(name), diag.Escape(p))
	}
}

// noNumber replaces an invalid value, which paths reports.
const noNumber = -1

// thresholds checks the marks of every profile, used or unused. For a missing threshold it assumes NVUE's default.
func (j *judge) thresholds() {
	profiles := j.set.Get("qos", "congestion-control")
	for _, name := range profiles.Keys() {
		classes := profiles.Get(name, "traffic-class")
		for _, n := range classes.Keys() {
			limit := func(m grammar.Meaning) (value int, at grammar.Place, stated bool) {
				row := j.g.Row(m)
				if t := classes.Get(n, row.Path[strings.LastIndexByte(row.Path, '.')+1:]); t != nil {
					if value, stated = grammar.Whole(t); !stated {
						value = noNumber
					}
					return value, t.At, stated
				}
				value, _ = strconv.Atoi(row.Default)
				return value, at, false
			}
			low, lowAt, isLow := limit(grammar.ECNMin)
			high, highAt, isHigh := limit(grammar.ECNMax)
			switch {
			case low <= high || high == noNumber || !isLow && !isHigh:
			case isLow && isHigh:
				j.errorf(&topicThresholds, lowAt, "min-threshold %d is above max-threshold %d.", low, high)
			case isLow:
				j.errorf(&topicThresholds, lowAt, "min-threshold %d is above the default max-threshold, %d.", low, high)
			default:
				j.errorf(&topicThresholds, highAt, "max-threshold %d is below the default min-threshold, %d.", high, low)
			}
		}
	}
}

// pools checks how the memory of the chip is divided.
func (j *judge) pools() {
	t := j.set.Get("qos", "traffic-pool")
	percent := func(pool string) (int, *grammar.Tree) {
		v := t.Get(pool, "memory-percent")
		n, _ := grammar.Whole(v)
		if n > 100 { // paths reports such a value
			n = 0
		}
		return n, v
	}
	lossless, own := percent("default-lossless")
	roce, v := percent("roce-lossless")
	sum, lastAt := 0, grammar.Place{}
	for _, pool := range t.Keys() {
		n, v := percent(pool)
		if sum += n; n > 0 {
			lastAt = v.At
		}
	}
	if lossy, v := percent("default-lossy"); v == nil && lossy == 0 && lossless > 0 && !j.preset && !j.unsure {
		j.warnf(&topicPool, lastAt, "default-lossless has %d %% of the memory, and default-lossy, which is not set, has 100 %% from "+
			"the factory. NVUE refuses pools of more than 100 %% together: give default-lossy the rest.", lossless)
	} else if sum > 100 {
		j.errorf(&topicPool, lastAt, "The pools of qos.traffic-pool add up to %d %% of the memory. NVUE refuses more than 100.", sum)
	}
	if lossless > 0 || j.preset || j.unsure || grammar.Unknown(own) {
		return
	}
	for _, table := range []string{"pfc", "link-pause"} {
		profiles := j.set.Get("qos", table)
		used := j.used(table)
		for _, name := range profiles.Keys() {
			p := profiles.Get(name)
			if table == "pfc" && grammar.Digits(p.Get("switch-priority")) == 0 || len(p.MapOf()) == 0 || !used[name] {
				continue
			}
			if roce > 0 {
				j.errorf(&topicPool, v.At, "qos.traffic-pool gives roce-lossless %d %% of the memory, and qos.roce is not on. That pool belongs to "+
					"the preset. Without the preset the lossless pool is default-lossless, which has no memory, so packets of the profile %s of %s "+
					"are dropped in the lossy pool. Give the share to default-lossless.", roce, diag.Escape(name), table)
				return
			}
			j.errorf(&topicPool, p.Key, "The profile %s of %s makes traffic lossless, and qos.traffic-pool gives the pool default-lossless no "+
				"memory: its packets are in the lossy pool, and dropped there. Give each of default-lossless and default-lossy 50 %%.",
				diag.Escape(name), table)
		}
	}
}

// used returns the profiles of a table that ports have.
func (j *judge) used(table string) map[string]bool {
	out := map[string]bool{grammar.DefaultGlobal: true}
	interfaces := j.set.Get("interface")
	for i := range interfaces.MapOf() {
		if p := interfaces.Get(i, "qos", table, "profile"); p.IsScalar() {
			out[p.Value] = true
		}
	}
	return out
}

// shares checks schedulers.
func (j *judge) shares() {
	profiles := j.set.Get("qos", "egress-scheduler")
	for _, name := range profiles.Keys() {
		classes := profiles.Get(name, "traffic-class")
		sum := 0
		var last *grammar.Tree
		for _, q := range classes.Keys() {
			x := classes.Get(q)
			mode := x.Get("mode")
			n, ok := grammar.Whole(x.Get("bw-percent"))
			if grammar.Unknown(mode) || mode.IsScalar() && mode.Value == "strict" {
				continue
			}
			if sum += n; ok {
				last = x.Get("bw-percent")
			}
			if mode.IsScalar() && mode.Value == "dwrr" && !ok && !grammar.Unknown(x.Get("bw-percent")) {
				j.errorf(&topicShares, mode.At, "Traffic class %s of the scheduler %s is dwrr and has no bw-percent. NVUE requires one.",
					diag.Escape(q), diag.Escape(name))
			}
		}
		if sum > 100 {
			j.errorf(&topicShares, last.At, "The shares of the scheduler %s add up to %d %%. NVUE refuses more than 100.",
				diag.Escape(name), sum)
		}
	}
}

// exceptions reports settings of default-global that contradict the preset.
func (j *judge) exceptions() {
	if !j.preset {
		return
	}
	except := func(t *grammar.Tree, same bool, what string) {
		if t != nil && !t.Bad && !same {
			j.warnf(&topicPreset, t.Key, "qos.roce sets %s, and this setting differs. Settings of default-global override those "+
				"of the preset, and the manuals leave open whether a set of priorities is replaced or joined. Remove one of the two.",
				what)
		}
	}
	m := j.set.Get("qos", "mapping", grammar.DefaultGlobal)
	trust := m.Get("trust")
	except(trust, trust.IsScalar() && trust.Value == "both", "trust to both fields")
	for _, field := range []string{"pcp", "dscp"} {
		for _, k := range m.Get(field).Keys() {
			v, _ := grammar.Whole(&grammar.Tree{Value: k})
			if field == "dscp" {
				v /= 8
			}
			to := m.Get(field, k, "switch-priority")
			n, ok := grammar.Whole(to)
			except(to, ok && n == v, "the map of "+field)
		}
	}
	priorities := j.set.Get("qos", "pfc", grammar.DefaultGlobal, "switch-priority")
	cos := grammar.Digits(priorities)
	except(priorities, cos == 0 || cos == 1<<grammar.PresetCos, "PFC for priority 3")
	queues := j.set.Get("qos", "egress-queue-mapping", grammar.DefaultGlobal, "switch-priority")
	for _, k := range queues.Keys() {
		n, ok := grammar.Whole(queues.Get(k, "traffic-class"))
		want := 0
		if k == "3" || k == "6" {
			want, _ = strconv.Atoi(k)
		}
		except(queues.Get(k, "traffic-class"), ok && n == want, "the traffic classes")
	}
	if lossless := j.set.Get("qos", "traffic-pool", "default-lossless"); lossless != nil {
		except(lossless, false, "the pool roce-lossless, and a switch has one lossless pool")
	}
}

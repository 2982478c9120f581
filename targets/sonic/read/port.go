package read

import (
	"strconv"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// bound returns the name in a field of PORT_QOS_MAP, from the row of the port or from the row for all ports.
func (r *reading) bound(name, field string) string {
	if text := r.qos[name].Get(field); text != "" && text != null {
		return text
	}
	if text := r.cfg.Get("PORT_QOS_MAP", "global", field); text != null {
		return text
	}
	return ""
}

// sorted returns the numbers of a row of a map; -1: the number is missing.
func (r *reading) sorted(table, name string) *[64]int8 {
	of := [2]string{table, name}
	if m := r.maps[of]; m != nil {
		return m
	}
	m := &[64]int8{}
	row := r.cfg.Row(table, name)
	for v := range m {
		m[v] = int8(digit(row.Get(strconv.Itoa(v))))
	}
	r.maps[of] = m
	return m
}

// port reads a port. An empty name means any port without its own rows.
func (r *reading) port(name string) ir.PortSettings {
	p := ir.UnknownPort()
	d := ir.UnknownDetail()
	if r.has("PORT_QOS_MAP") || r.qos[name] != nil {
		dscp, pcp := r.bound(name, "dscp_to_tc_map"), r.bound(name, "dot1p_to_tc_map")
		p.TrustKnown = dscp == "" || pcp == "" // no document states which map counts
		p.Trust = ir.Trust{DSCP: dscp != "", PCP: pcp != ""}
		p.DSCP = *r.sorted("DSCP_TO_TC_MAP", dscp)
		copy(p.PCP[:], r.sorted("DOT1P_TO_TC_MAP", pcp)[:])
		copy(d.Queue[:], r.sorted("TC_TO_QUEUE_MAP", r.bound(name, "tc_to_queue_map"))[:])
		copy(d.Group[:], r.sorted("TC_TO_PRIORITY_GROUP_MAP", r.qos[name].Get("tc_to_pg_map"))[:])
		r.binding(&d, name)
	}
	mask := r.pauses(&p, &d, name)
	r.egress(&p, &d, name)
	r.link(&d, name)
	for n := range 8 {
		d.Groups[n] = r.group(name, n, mask)
		d.Queues[n] = r.queue(name, n)
	}
	d.Watchdog = r.watchdog(name, mask)
	p.Detail = ir.NewDetail(d)
	return p
}

// binding reads the names of a port's row that are not maps of classes.
func (r *reading) binding(d *ir.PortDetail, name string) {
	d.Shaper = ir.ByDefault[int64](0)
	if scheduler := r.bound(name, "scheduler"); scheduler != "" {
		row := r.cfg.Row("SCHEDULER", scheduler)
		if d.Shaper = rate(row, "pir"); row == nil {
			d.Shaper = ir.Setting[int64]{}
		}
	}
	d.RewriteDSCP, d.RewritePCP = ir.ByDefault(false), ir.ByDefault(false)
	if r.bound(name, "tc_to_dscp_map") != "" {
		d.RewriteDSCP = ir.Of(true)
	}
	if r.bound(name, "tc_to_dot1p_map") != "" { // sonic-swss@e6b0c5b5, orchagent/qosorch.h; no model has it
		d.RewritePCP = ir.Of(true)
	}
}

// pauseMaps are the maps that pauses depend on: the table, by the field of a port.
var pauseMaps = map[string]string{
	"tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP", "pfc_to_pg_map": "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
	"tc_to_queue_map": "TC_TO_QUEUE_MAP", "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
}

// pauses reads PFC, and returns the priorities that have it. The priority of a pause is the number of the class, as in every template,
// unless a map has another value.
func (r *reading) pauses(p *ir.PortSettings, d *ir.PortDetail, name string) (mask uint8) {
	if !r.has("PORT_QOS_MAP") && r.qos[name] == nil {
		return 0
	}
	row := r.qos[name]
	mask, ok := grammar.ParseDigits(row.Get("pfc_enable"))
	if p.PausesKnown = ok; !ok {
		return 0
	}
	for field, table := range pauseMaps {
		if of := row.Get(field); of != "" && r.cfg.Row(table, of) == nil && !r.has(table) {
			p.PausesKnown = false // the truncated part of the text may have the map
			return 0
		}
	}
	p.Obeys, p.Sends = mask, mask
	p.Sends &= r.sending(name)
	stops := r.sorted("MAP_PFC_PRIORITY_TO_QUEUE", row.Get("pfc_to_queue_map"))
	asks := r.sorted("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", row.Get("pfc_to_pg_map"))
	for n := range 8 {
		if mask>>n&1 == 0 {
			continue
		}
		if int(d.Group[n]) != n || asks[n] >= 0 && int(asks[n]) != n {
			p.Sends &^= 1 << n
		}
		if q := d.Queue[n]; q >= 0 && stops[n] >= 0 && stops[n] != q { // a pause stops the queue of another class
			p.Obeys &^= 1 << n
		}
		if s := r.slot("BUFFER_PG", name, n); s.row != nil {
			p.Headroom += Headroom(r.cfg, r.lookup, s.row.Get("profile"))
		}
	}
	return mask
}

// sending returns the priorities whose groups can send a pause. PFC alone decides if no group is known, if the port is down, or if no
// switch has run the configuration yet. In the last case the buffer manager will add the groups.
func (r *reading) sending(name string) (mask uint8) {
	switch v := r.cables[name]; {
	case !r.running && v.Text == "0m": // cfgmgr/buffermgr.cpp of sonic-swss: no group is made
	case r.cfg.Tables["BUFFER_PG"] == nil || !r.has("BUFFER_PG"):
		return 0xff
	case r.cfg.Get("PORT", name, "admin_status") != "up" && r.running, !r.running && !r.made:
		return 0xff
	}
	for n := range 8 {
		if s := r.slot("BUFFER_PG", name, n); s.row != nil && r.lossless(s.row.Get("profile")) {
			mask |= 1 << n
		}
	}
	return mask
}

// lossless reports whether a profile makes a priority group lossless: it has headroom, or the switch computes it.
func (r *reading) lossless(profile string) bool {
	is, known := r.profile[profile]
	if !known {
		row := r.cfg.Row("BUFFER_PROFILE", profile)
		is = profile == noProfile || grammar.IsMade(profile) || row.Has("xoff") || row == nil && !r.has("BUFFER_PROFILE")
		r.profile[profile] = is
	}
	return is
}

// egress reads scheduling and marking. Thresholds are those of the lowest class that is marked.
func (r *reading) egress(p *ir.PortSettings, d *ir.PortDetail, name string) {
	for cos := range 8 {
		q := int(d.Queue[cos])
		if q < 0 {
			q = cos // the chip's default
		}
		row := r.slot("QUEUE", name, q).row
		scheduler := r.cfg.Row("SCHEDULER", row.Get("scheduler"))
		if scheduler.Get("type") == "STRICT" {
			p.Strict |= 1 << cos
		} else if n, err := strconv.Atoi(scheduler.Get("weight")); err == nil && n > 0 && n <= 100 {
			p.Share[cos] = uint8(n)
		}
		profile := r.cfg.Row("WRED_PROFILE", row.Get("wred_profile"))
		if profile == nil || !MarksGreen(profile.Get("ecn")) {
			continue
		}
		if p.Marks == 0 {
			at := func(field string) int { return number(profile, field).Value }
			p.Marking = ir.Marking{
				Min: at("green_min_threshold"), Max: at("green_max_threshold"), Probability: at("green_drop_probability"),
			}
		}
		p.Marks |= 1 << cos
	}
}

// link reads the configuration of the port itself.
func (r *reading) link(d *ir.PortDetail, name string) {
	row := r.cfg.Row("PORT", name)
	if n := number(row, "speed"); n.Known() && n.Value > 0 && n.Value < 1<<40 {
		d.Speed = ir.Of(int64(n.Value) * 1_000_000)
	}
	d.MTU = or(number(row, "mtu"), row, "mtu", 9100) // DEFAULT_MTU_STR of sonic-swss, cfgmgr/portmgr.h
	switch row.Get("pfc_asym") {
	case "on":
		d.AsymmetricPFC = ir.Of(true)
	case "off":
		d.AsymmetricPFC = ir.Of(false)
	case "":
		if row != nil { // Port::m_pfc_asym of sonic-swss, orchagent/port.h
			d.AsymmetricPFC = ir.ByDefault(false)
		}
	}
	if v, ok := r.cables[name]; ok {
		if metres, ok := grammar.ParseMetres(v.Text); ok {
			d.Cable = ir.Of(metres)
		}
	}
}

// Defaults of the watchdog, in ms (sonic-utilities@691b1bbc, pfcwd/main.py; sonic-swss@e6b0c5b5, orchagent/pfcwdorch.cpp,
// orchdaemon.cpp).
const (
	watchdogTime  = 200 // of detection, restoration and polling, for each 32 ports
	watchdogPorts = 32
	watchdogPoll  = 100 // if PFC_WD|GLOBAL has no interval
)

// watchdog reads PFC_WD. The default action is drop, and a row without detection_time is refused. With default_pfcwd_status, a switch
// that is set up from a minigraph gets rows, with times that grow with its ports. If the field is enable and there is no row, the times
// are known, but not whether there is a watchdog.
func (r *reading) watchdog(name string, mask uint8) (w ir.WatchdogSettings) {
	table := rowsOf(r.cfg, "PFC_WD")
	row := r.watched[name]
	if row == nil {
		switch {
		case r.full && table == nil && r.cfg.Get("DEVICE_METADATA", "localhost", "default_pfcwd_status") == "enable" && !r.running:
			most := 1000
			if r.release != 0 && r.release < 202511 {
				most = 3000
			}
			n := watchdogTime * max(1, (len(rowsOf(r.cfg, "PORT"))-1)/watchdogPorts+1)
			w.Detect, w.Restore = ir.ByDefault(ms(n)), ir.ByDefault(ms(n))
			w.Poll = ir.ByDefault(ms(min(n, most)))
		case r.has("PFC_WD"):
			w.Action = ir.ByDefault(ir.WatchdogOff)
		}
		return w
	}
	switch row.Get("action") {
	case "drop":
		w.Action = ir.Of(ir.WatchdogDrop)
	case "forward":
		w.Action = ir.Of(ir.WatchdogForward)
	case "alert":
		w.Action = ir.Of(ir.WatchdogAlert)
	case "":
		w.Action = ir.ByDefault(ir.WatchdogDrop)
	}
	if w.Detect = times(row, "detection_time"); !row.Has("detection_time") {
		w.Action = ir.ByDefault(ir.WatchdogOff)
	}
	w.Restore = times(row, "restoration_time")
	if global := table["GLOBAL"]; global.Has("POLL_INTERVAL") {
		w.Poll = times(global, "POLL_INTERVAL")
	} else {
		w.Poll = ir.ByDefault(ms(watchdogPoll))
	}
	switch text, ok := r.qos[name].Field("pfcwd_sw_enable"); {
	case ok:
		if watches, ok := grammar.ParseDigits(text.Text); ok {
			w.Watches = ir.Of(watches)
		}
	case r.release >= grammar.First && r.cfg.Tables["PORT_QOS_MAP"] != nil: // orchagent watches only the priorities of the field
		w.Watches = ir.ByDefault[uint8](0)
	}
	return w
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

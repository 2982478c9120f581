package sonic

import (
	"slices"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// editor changes one state into the wanted one.
type editor struct {
	*settings
	w       *Wish
	cfg     *grammar.Config
	read    bool              // a switch was read, so its ports are known
	dynamic bool              // the switch computes headroom itself
	lookup  grammar.Lookup    // nil: not known, or the switch has no such file
	names   map[string]string // the switch's port name, by the fabric's port name; empty: the switch has no such port
	fabric  map[string]*port  // the fabric's ports that the switch has, by port name
	left    map[string]bool   // ports that have rocec's maps and are no longer in the fabric
	egress  egress
}

func (w *Wish) editor(cfg *grammar.Config) *editor {
	e := &editor{
		settings: w.lower(), w: w, cfg: cfg,
		read: cfg.Tables["PORT"] != nil, dynamic: grammar.Dynamic(cfg), lookup: grammar.LookupOf(cfg),
		names: map[string]string{}, fabric: map[string]*port{}, left: map[string]bool{},
	}
	for i := range e.ports {
		p := &e.ports[i]
		name := p.Name
		if !grammar.IsPort(name) || e.read && cfg.Row("PORT", name) == nil {
			name = ""
		}
		e.names[p.Name] = name
		if name != "" {
			e.fabric[name] = p
		}
	}
	for _, key := range cfg.Keys("PORT_QOS_MAP") {
		row := cfg.Row("PORT_QOS_MAP", key)
		if e.fabric[key] == nil && slices.ContainsFunc(row.Names(), func(f string) bool { return mine(row.Get(f)) }) {
			e.left[key] = true
		}
	}
	e.readEgress()
	return e
}

// wish is one setting.
type wish struct {
	table, row, field, text string
	why                     []ir.Origin
}

func (x *wish) name() string { return spell(x.table, x.row, x.field) }

// wishes returns all settings that rocec wants; their order has no meaning.
func (e *editor) wishes() []wish {
	var out []wish
	put := func(table, row, field, text string, why []ir.Origin) {
		out = append(out, wish{table, row, field, text, why})
	}
	e.wishMaps(put)
	e.wishQueues(put)
	for i := range e.ports {
		if name := e.names[e.ports[i].Name]; name != "" {
			e.wishPort(put, name, &e.ports[i])
		}
	}
	for name := range e.left {
		e.wishNoPFC(put, name)
	}
	e.wishWatchdogs(put)
	return out
}

type putter func(table, row, field, text string, why []ir.Origin)

func (e *editor) wishMaps(put putter) {
	var lossless, byPCP, byDSCP bool
	for _, p := range e.ports {
		lossless, byPCP, byDSCP = lossless || p.lossless != 0, byPCP || p.byPCP, byDSCP || !p.byPCP
	}
	if byDSCP {
		for v, cos := range e.dscp {
			put("DSCP_TO_TC_MAP", Name, strconv.Itoa(v), strconv.Itoa(cos), e.mapWhy[cos])
		}
	}
	if byPCP {
		for v, cos := range e.pcp {
			put("DOT1P_TO_TC_MAP", Name, strconv.Itoa(v), strconv.Itoa(cos), e.mapWhy[cos])
		}
	}
	for cos := range 8 {
		n := strconv.Itoa(cos)
		put("TC_TO_QUEUE_MAP", Name, n, n, e.mapWhy[cos])
		put("TC_TO_PRIORITY_GROUP_MAP", Name, n, strconv.Itoa(e.group[cos]), e.mapWhy[cos])
		if lossless {
			put("MAP_PFC_PRIORITY_TO_QUEUE", Name, n, n, e.mapWhy[cos])
		}
		if lossless && e.nvidia && e.group[cos] != lossyGroup {
			put("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", Name, n, n, e.mapWhy[cos])
		}
	}
}

// schedulerOf returns the name of a queue's scheduler.
func schedulerOf(queue int) string { return Name + "-" + strconv.Itoa(queue) }

func (e *editor) wishQueues(put putter) {
	if len(e.ports) == 0 {
		return
	}
	for q, x := range e.share {
		if x.Strict {
			put("SCHEDULER", schedulerOf(q), "type", "STRICT", x.Why)
			continue
		}
		put("SCHEDULER", schedulerOf(q), "type", "DWRR", x.Why)
		put("SCHEDULER", schedulerOf(q), "weight", strconv.Itoa(x.Percent), x.Why)
	}
	for _, m := range e.wred {
		const table = "WRED_PROFILE"
		put(table, m.name, "green_min_threshold", strconv.Itoa(m.at.Min), m.why)
		put(table, m.name, "green_max_threshold", strconv.Itoa(m.at.Max), m.why)
		put(table, m.name, "green_drop_probability", strconv.Itoa(m.at.Probability), m.why)
		if mine(m.name) || e.cfg.Row(table, m.name) == nil { // rocec changes only the thresholds of a profile that it does not own
			put(table, m.name, "ecn", "ecn_all", m.why)
			put(table, m.name, "wred_green_enable", "true", m.why)
		}
	}
}

func (e *editor) wishPort(put putter, name string, p *port) {
	const table = "PORT_QOS_MAP"
	if p.byPCP {
		put(table, name, "dot1p_to_tc_map", Name, p.trustWhy)
	} else {
		put(table, name, "dscp_to_tc_map", Name, p.trustWhy)
	}
	put(table, name, "tc_to_queue_map", Name, nil)
	put(table, name, "tc_to_pg_map", Name, nil)
	for q := range 8 {
		row := name + "|" + strconv.Itoa(q)
		put("QUEUE", row, "scheduler", schedulerOf(q), e.share[q].Why)
		if profile := e.profileOf(p.marks[q]); profile != "" {
			put("QUEUE", row, "wred_profile", profile, e.mapWhy[q])
		}
	}
	if p.lossless == 0 {
		e.wishNoPFC(put, name)
		return
	}
	put(table, name, "pfc_to_queue_map", Name, p.why)
	if e.nvidia {
		put(table, name, "pfc_to_pg_map", Name, p.why)
	}
	put(table, name, "pfc_enable", grammar.SpellDigits(p.lossless), p.why)
	put(table, name, "pfcwd_sw_enable", grammar.SpellDigits(p.lossless), p.why)
	e.wishBuffers(put, name, p)
	e.wishEgress(put, name, p)
}

// emptyPFC is the first branch whose models accept an empty pfc_enable. The buffer manager then turns PFC off; it ignores the removal of
// the field.
const emptyPFC grammar.Release = 202505

// wishNoPFC turns PFC off where it is on.
func (e *editor) wishNoPFC(put putter, name string) {
	row := e.cfg.Row("PORT_QOS_MAP", name)
	for _, field := range []string{"pfc_enable", "pfcwd_sw_enable"} {
		if row.Has(field) && e.release >= emptyPFC {
			put("PORT_QOS_MAP", name, field, "", nil)
		}
	}
}

// statHistory is the first branch in which a watchdog may keep a history of pauses.
const statHistory grammar.Release = 202511

// wishWatchdogs adds a watchdog to every lossless port. Watchdog fields that others set stay.
func (e *editor) wishWatchdogs(put putter) {
	const table, global, poll = "PFC_WD", "GLOBAL", "POLL_INTERVAL"
	ports := e.panel // if the switch was not read
	if e.read {
		ports = len(e.cfg.Keys("PORT"))
	}
	usual := watchTime * watchSteps(ports)
	interval, err := strconv.Atoi(e.cfg.Get(table, global, poll))
	if err != nil {
		interval = usual
	}
	some := false
	for i := range e.ports {
		p := &e.ports[i]
		name := e.names[p.Name]
		if p.lossless == 0 || name == "" {
			continue
		}
		some = true
		row := e.cfg.Row(table, name)
		for _, f := range []struct{ field, text string }{
			{"action", watchAction},
			{"detection_time", strconv.Itoa(max(usual, interval))},
			{"restoration_time", strconv.Itoa(max(usual, interval))},
		} {
			if row.Has(f.field) {
				f.text = row.Get(f.field)
			}
			put(table, name, f.field, f.text, p.why)
		}
		switch {
		case row.Has("pfc_stat_history"):
			put(table, name, "pfc_stat_history", row.Get("pfc_stat_history"), nil)
		case row == nil && e.release >= statHistory: // as `pfcwd start` writes it
			put(table, name, "pfc_stat_history", "disable", nil)
		}
	}
	if some {
		put(table, global, poll, strconv.Itoa(interval), nil)
	}
}

// portFields are the fields in a port's row of maps that rocec owns.
var portFields = []string{
	"dscp_to_tc_map", "dot1p_to_tc_map", "tc_to_queue_map", "tc_to_pg_map", "tc_to_dscp_map", "pfc_to_queue_map", "pfc_to_pg_map",
	"pfc_enable", "pfcwd_sw_enable",
}

// owns reports whether rocec removes a setting when it is not wanted.
func (e *editor) owns(table, row, field string) bool {
	text := e.cfg.Get(table, row, field)
	switch table {
	case "DSCP_TO_TC_MAP", "DOT1P_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE",
		"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "SCHEDULER", "WRED_PROFILE":
		return mine(row)
	case "PORT_QOS_MAP":
		switch {
		case field == "pfc_to_pg_map" && !e.nvidia && !mine(text):
			return false
		case e.fabric[row] != nil:
			return slices.Contains(portFields, field)
		}
		return e.left[row] && (mine(text) || field == "pfc_enable" || field == "pfcwd_sw_enable")
	case "QUEUE":
		name, from, _, ok := queueOf(row)
		if ok && (e.fabric[name] != nil || e.left[name]) {
			return from < 8 && (field == "scheduler" || field == "wred_profile")
		}
		return mine(text)
	case "PFC_WD":
		return e.fabric[row] != nil || e.left[row]
	case "BUFFER_PG":
		return e.ownsGroup(row, text)
	case queueBuffers:
		return e.egress.taken[row]
	}
	return false
}

// edit changes a state into the wanted one. If an edit could do harm, edit returns errors that say why, and the state may be half
// changed.
func (w *Wish) edit(cfg *grammar.Config) diag.List {
	e := w.editor(cfg)
	ds := e.judge()
	if ds.HasErrors() {
		return ds
	}
	wishes := e.wishes()
	wanted := make(map[string]bool, len(wishes))
	for i := range wishes {
		wanted[wishes[i].name()] = true
	}
	var gone []wish
	for i := range grammar.Tables {
		t := &grammar.Tables[i]
		for _, key := range cfg.Keys(t.Name) {
			for _, field := range cfg.Row(t.Name, key).Names() {
				if t.Ours && e.owns(t.Name, key, field) && !wanted[spell(t.Name, key, field)] {
					gone = append(gone, wish{table: t.Name, row: key, field: field})
				}
			}
		}
	}
	for _, x := range gone {
		cfg.Delete(x.table, x.row, x.field)
	}
	for _, x := range wishes {
		if row := cfg.Row(x.table, x.row); !row.Has(x.field) || row.Get(x.field) != x.text {
			cfg.Put(x.table, x.row, x.field, x.text)
		}
	}
	return ds
}

// origins returns the reasons for every setting of a state that is written from nothing.
func (s *settings) origins() map[string][]ir.Origin {
	e := (&Wish{lower: func() *settings { return s }}).editor(grammar.New())
	out := map[string][]ir.Origin{}
	for _, x := range e.wishes() {
		out[x.name()] = x.why
	}
	return out
}

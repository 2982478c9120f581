package sonic

import (
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// Read gives how a switch is set, as its state says it. A port sends pauses for a priority that has PFC and a lossless priority group;
// where the state holds no groups at all, or the port is down, PFC alone decides. Headroom is what its configuration says ([Headrooms]).
// Nil: the text cannot be read, or there is none. It never fails, whatever the bytes.
func Read(d *ir.Device, content []byte) *ir.Settings {
	if len(content) == 0 {
		return nil
	}
	cfg, err := grammar.ReadRows(content)
	if err != nil || len(cfg.Tables) == 0 {
		return nil
	}
	r := &reading{cfg: cfg, headroom: Headrooms(cfg), groups: map[string]uint8{}, queues: map[string][8]*grammar.Row{}}
	r.rows()
	rest := r.port("")
	s := &ir.Settings{Rest: &rest}
	for _, name := range cfg.Keys("PORT") {
		s.Set(name, r.port(name))
	}
	for _, p := range d.Ports {
		s.Set(p.Name, r.port(p.Name))
	}
	return s
}

// reading is a state that is being read.
type reading struct {
	cfg      *grammar.Config
	headroom map[string]map[int]int
	groups   map[string]uint8           // the lossless priority groups of ports
	queues   map[string][8]*grammar.Row // the rows of a port's queues
}

// rows sorts the rows of priority groups and queues by ports.
func (r *reading) rows() {
	for _, key := range r.cfg.Keys("BUFFER_PG") {
		name, from, to, ok := queueOf(key)
		profile := r.cfg.Get("BUFFER_PG", key, "profile")
		row := r.cfg.Row("BUFFER_PROFILE", profile)
		if !ok || profile != "NULL" && !grammar.IsMade(profile) && !row.Has("xoff") {
			continue
		}
		for n := from; n <= min(to, 7); n++ {
			r.groups[name] |= 1 << n
		}
	}
	for _, key := range r.cfg.Keys("QUEUE") {
		name, from, to, ok := queueOf(key)
		if !ok {
			continue
		}
		all := r.queues[name]
		for n := from; n <= min(to, 7); n++ {
			all[n] = r.cfg.Row("QUEUE", key)
		}
		r.queues[name] = all
	}
}

// digit reads a class, a queue or a group: -1 is none.
func digit(text string) int {
	if len(text) != 1 || text[0] < '0' || text[0] > '7' {
		return -1
	}
	return int(text[0] - '0')
}

func (r *reading) port(name string) ir.PortSettings {
	p := ir.UnknownPort()
	row := r.cfg.Row("PORT_QOS_MAP", name)
	bound := func(field string) string {
		if text := row.Get(field); text != "" {
			return text
		}
		return r.cfg.Get("PORT_QOS_MAP", "global", field)
	}
	dscp, pcp := bound("dscp_to_tc_map"), bound("dot1p_to_tc_map")
	p.TrustKnown = dscp == "" || pcp == "" // which of two wins, no document says
	p.Trust = ir.Trust{DSCP: dscp != "", PCP: pcp != ""}
	for v := range p.DSCP {
		p.DSCP[v] = int8(digit(r.cfg.Get("DSCP_TO_TC_MAP", dscp, strconv.Itoa(v))))
	}
	for v := range p.PCP {
		p.PCP[v] = int8(digit(r.cfg.Get("DOT1P_TO_TC_MAP", pcp, strconv.Itoa(v))))
	}
	r.pauses(&p, name, row)
	r.egress(&p, name, bound("tc_to_queue_map"))
	return p
}

// pauses notes PFC: the priority of a pause is the number of the class, as in every template.
func (r *reading) pauses(p *ir.PortSettings, name string, row *grammar.Row) {
	mask, ok := grammar.ParseDigits(row.Get("pfc_enable"))
	if p.PausesKnown = ok; !ok {
		return
	}
	p.Obeys, p.Sends = mask, mask
	if r.cfg.Tables["BUFFER_PG"] != nil && r.cfg.Get("PORT", name, "admin_status") == "up" {
		p.Sends &= r.groups[name]
	}
	to := row.Get("tc_to_pg_map")
	for n := range 8 {
		if mask>>n&1 == 0 {
			continue
		}
		if digit(r.cfg.Get("TC_TO_PRIORITY_GROUP_MAP", to, strconv.Itoa(n))) != n {
			p.Sends &^= 1 << n
		}
		p.Headroom += r.headroom[name][n]
	}
}

// egress notes scheduling and marking. Thresholds are those of the lowest class that is marked.
func (r *reading) egress(p *ir.PortSettings, name, queues string) {
	for cos := range 8 {
		q := digit(r.cfg.Get("TC_TO_QUEUE_MAP", queues, strconv.Itoa(cos)))
		if q < 0 {
			q = cos // the chip's default
		}
		row := r.queues[name][q]
		scheduler := r.cfg.Row("SCHEDULER", row.Get("scheduler"))
		if scheduler.Get("type") == "STRICT" {
			p.Strict |= 1 << cos
		} else if n, err := strconv.Atoi(scheduler.Get("weight")); err == nil && n > 0 && n <= 100 {
			p.Share[cos] = uint8(n)
		}
		profile := r.cfg.Row("WRED_PROFILE", row.Get("wred_profile"))
		if profile == nil || !marksGreen(profile.Get("ecn")) {
			continue
		}
		if p.Marks == 0 {
			for _, f := range []struct {
				field string
				to    *int
			}{
				{"green_min_threshold", &p.Marking.Min},
				{"green_max_threshold", &p.Marking.Max},
				{"green_drop_probability", &p.Marking.Probability},
			} {
				if n, err := strconv.Atoi(profile.Get(f.field)); err == nil && n >= 0 {
					*f.to = n
				}
			}
		}
		p.Marks |= 1 << cos
	}
}

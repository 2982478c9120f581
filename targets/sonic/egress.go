package sonic

import (
	"slices"
	"strconv"
)

// A queue gets its part of the memory from the profile in its row of BUFFER_QUEUE. Templates give queues 3 and 4 a profile of the pool
// for lossless traffic, which may fill the whole pool. The other queues have a profile that drops above a share. If a lossless class
// leaves by one of the other queues, it is paused on arrival and dropped on departure. Source: buffers_defaults_*.j2 of the devices in
// sonic-buildimage.

const queueBuffers = "BUFFER_QUEUE"

// The profile of lossless queues in every template, and its pool.
const (
	egressLossless     = "egress_lossless_profile"
	egressLosslessPool = "egress_lossless_pool"
)

// egress contains the rows of queue buffers in a state.
type egress struct {
	profile string               // the profile for lossless queues; empty: unknown, and so is the rest
	rows    map[string][8]string // by port: the key of the row of each queue; empty: the queue has no row
	further map[string][]string  // by port: keys of rows of a single queue above 7, which no class uses
	taken   map[string]bool      // keys of rows that include a lossless queue and have a profile that drops
}

// readEgress finds the rows of the queues that the fabric makes lossless.
func (e *editor) readEgress() {
	e.egress = egress{rows: map[string][8]string{}, further: map[string][]string{}, taken: map[string]bool{}}
	for _, name := range append([]string{egressLossless}, e.cfg.Keys("BUFFER_PROFILE")...) {
		if e.cfg.Get("BUFFER_PROFILE", name, "pool") == egressLosslessPool {
			e.egress.profile = name
			break
		}
	}
	if e.egress.profile == "" {
		return
	}
	for _, key := range e.cfg.Keys(queueBuffers) {
		name, from, to, ok := queueOf(key)
		p := e.fabric[name]
		if !ok || p == nil {
			continue
		}
		rows := e.egress.rows[name]
		for q := from; q <= min(to, 7); q++ {
			rows[q] = key
			if p.lossless>>q&1 == 1 && e.drops(e.cfg.Get(queueBuffers, key, "profile")) {
				e.egress.taken[key] = true
			}
		}
		e.egress.rows[name] = rows
		if from == to && from > 7 {
			e.egress.further[name] = append(e.egress.further[name], key)
		}
	}
}

// drops reports whether a queue with a profile drops packets that the profile for lossless queues would keep.
func (e *editor) drops(profile string) bool {
	row, best := e.cfg.Row("BUFFER_PROFILE", profile), e.cfg.Row("BUFFER_PROFILE", e.egress.profile)
	if row.Get("pool") != best.Get("pool") {
		return true
	}
	has, err := strconv.Atoi(row.Get("dynamic_th"))
	wants, err2 := strconv.Atoi(best.Get("dynamic_th"))
	return err == nil && err2 == nil && has < wants
}

// wishEgress makes the lossless queues of a port keep their packets. If a row also has other queues, the lossless ones get their own rows
// with the same profile. Existing rows of a single queue stay unchanged. rocec owns them, since rows that an earlier run of rocec made
// look the same. A port without any row of a queue stays unchanged: its chip has no such settings.
func (e *editor) wishEgress(put putter, name string, p *port) {
	rows, known := e.egress.rows[name]
	if !known {
		return
	}
	profile := func(key string) string { return e.cfg.Get(queueBuffers, key, "profile") }
	apart := false // a lossless queue has, or gets, its own row
	for q, key := range rows {
		apart = apart || p.lossless>>q&1 == 1 && (key == "" || e.egress.taken[key] || key == name+"|"+strconv.Itoa(q))
	}
	for q, key := range rows {
		row, lossless := name+"|"+strconv.Itoa(q), p.lossless>>q&1 == 1
		switch {
		case lossless && (key == "" || e.egress.taken[key]):
			put(queueBuffers, row, "profile", e.egress.profile, p.why)
		case e.egress.taken[key]:
			put(queueBuffers, row, "profile", profile(key), nil)
		case lossless && key == row:
			put(queueBuffers, row, "profile", profile(key), p.why)
		case apart && key == row:
			put(queueBuffers, row, "profile", profile(key), nil)
		}
	}
	if apart {
		for _, key := range e.egress.further[name] {
			put(queueBuffers, key, "profile", profile(key), nil)
		}
	}
	for _, key := range slices.Compact(rows[:]) { // queues above 7, which no class uses
		_, _, to, _ := queueOf(key)
		for q := 8; e.egress.taken[key] && q <= to; q++ {
			put(queueBuffers, name+"|"+strconv.Itoa(q), "profile", profile(key), nil)
		}
	}
}

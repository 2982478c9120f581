package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// This file simulates buffermgrd of the traditional model: cfgmgr/buffermgr.cpp of sonic-swss.

// event is a changed row of CONFIG_DB.
type event struct{ Table, Key string }

// manager is the state of buffermgrd in one namespace: what it remembers about ports, and the events that it has not handled yet.
type manager struct {
	Model   string
	Cable   map[string]string // by port
	Speed   map[string]string
	Admin   map[string]string
	PFC     map[string]string
	Waiting map[string]bool // ports whose row of PORT will be handled again
	Queue   []event
}

func (g *manager) reset(model string) {
	*g = manager{
		Model: model, Cable: map[string]string{}, Speed: map[string]string{}, Admin: map[string]string{}, PFC: map[string]string{},
		Waiting: map[string]bool{},
	}
}

func (g *manager) valid() bool {
	return g.Cable != nil && g.Speed != nil && g.Admin != nil && g.PFC != nil && g.Waiting != nil &&
		(g.Model == Traditional || g.Model == Dynamic)
}

// copied are tables that are copied to APPL_DB unchanged, with their names there.
var copied = map[string]string{
	"BUFFER_POOL": "BUFFER_POOL_TABLE", "BUFFER_PROFILE": "BUFFER_PROFILE_TABLE", "BUFFER_PG": "BUFFER_PG_TABLE",
	"BUFFER_QUEUE":                     "BUFFER_QUEUE_TABLE",
	"BUFFER_PORT_INGRESS_PROFILE_LIST": "BUFFER_PORT_INGRESS_PROFILE_LIST_TABLE",
	"BUFFER_PORT_EGRESS_PROFILE_LIST":  "BUFFER_PORT_EGRESS_PROFILE_LIST_TABLE",
}

// order is the order in which tables with simultaneous events are handled: buffers, the inputs of a port's profile, and PFC last.
var order = strings.Fields("BUFFER_POOL BUFFER_PROFILE BUFFER_PG BUFFER_QUEUE BUFFER_PORT_INGRESS_PROFILE_LIST " +
	"BUFFER_PORT_EGRESS_PROFILE_LIST CABLE_LENGTH PORT PORT_QOS_MAP")

// outcome is the result of an attempt to choose a port's profile.
type outcome int

const (
	done outcome = iota
	again
	dropped
)

// settle lets buffermgrd and orchagent handle all changes.
func (s *Switch) settle(sp *space) {
	g := &sp.Buffers
	for range 100 { // its own writes cause further events
		if len(g.Queue) == 0 {
			break
		}
		events := g.Queue
		g.Queue = nil
		slices.SortStableFunc(events, func(a, b event) int {
			if c := slices.Index(order, a.Table) - slices.Index(order, b.Table); c != 0 {
				return c
			}
			return naturally(a.Key, b.Key)
		})
		for _, e := range slices.Compact(events) {
			s.ports(sp, e)
			if g.Model == Traditional {
				s.take(sp, e)
			}
		}
		if g.Model == Traditional {
			for _, port := range slices.SortedFunc(maps.Keys(g.Waiting), naturally) {
				s.taken(g, port, s.choose(sp, port))
			}
		}
	}
	if g.Model == Dynamic {
		s.compute(sp)
	}
}

// ports writes the row of APPL_DB that portsorch and portmgrd make from a row of PORT.
func (s *Switch) ports(sp *space, e event) {
	if e.Table != "PORT" {
		return
	}
	r := maps.Clone(sp.Config["PORT"][e.Key])
	if r == nil {
		delete(sp.Appl, "PORT_TABLE:"+e.Key)
		return
	}
	r["admin_status"] = or(r["admin_status"], "down")
	r["oper_status"] = "down"
	if n, ok := s.m.Netdev(e.Key); r["admin_status"] == "up" && (!ok || !n.Down) {
		r["oper_status"] = "up"
	}
	sp.Appl["PORT_TABLE:"+e.Key] = r
}

// take handles one event.
func (s *Switch) take(sp *space, e event) {
	g := &sp.Buffers
	r, there := sp.Config[e.Table][e.Key]
	if name, ok := copied[e.Table]; ok {
		key := name + ":" + strings.ReplaceAll(e.Key, "|", ":")
		if !there {
			delete(sp.Appl, key)
			return
		}
		r = maps.Clone(r)
		if n, err := strconv.Atoi(r["xoff"]); err == nil && e.Table == "BUFFER_PROFILE" && s.Faults.Short > 0 {
			r["xoff"] = strconv.Itoa(max(n-s.Faults.Short, 0))
		}
		sp.Appl[key] = r
		return
	}
	switch e.Table {
	case "CABLE_LENGTH":
		for _, port := range slices.SortedFunc(maps.Keys(r), naturally) {
			if !s.since("202511") {
				g.Cable[port] = r[port]
			} else if r[port] != "None" && g.Cable[port] != r[port] {
				g.Cable[port] = r[port]
				s.choose(sp, port)
			}
		}
	case "PORT":
		if !there || s.Lookup == NoLookup {
			return
		}
		if r["speed"] != "" {
			g.Speed[e.Key] = r["speed"]
		}
		if status, ok := r["admin_status"]; ok {
			g.Admin[e.Key] = status
		} else if s.since("202511") {
			g.Admin[e.Key] = "down"
		}
		if g.Speed[e.Key] != "" {
			s.taken(g, e.Key, s.choose(sp, e.Key))
		}
	case "PORT_QOS_MAP":
		switch enabled, has := r["pfc_enable"]; {
		case e.Key == "global":
		case !there && s.since("202605"):
			delete(g.PFC, e.Key)
		case has:
			if was, known := g.PFC[e.Key]; !known || was != enabled {
				g.PFC[e.Key] = enabled
				s.choose(sp, e.Key) // the outcome does not matter here
			}
		}
	}
}

// taken records whether a row of PORT will be handled again.
func (s *Switch) taken(g *manager, port string, o outcome) {
	if o == again {
		g.Waiting[port] = true
	} else {
		delete(g.Waiting, port)
	}
}

// groups returns the ranges of adjacent priorities: "2,3,4,6" is 2-4 and 6. Words that are not numbers are ignored.
func groups(enabled string) (out []string) {
	var on [32]bool
	for word := range strings.SplitSeq(enabled, ",") {
		if n, err := strconv.Atoi(word); err == nil && n >= 0 && n < len(on) {
			on[n] = true
		}
	}
	for i := 0; i < len(on); i++ {
		if !on[i] {
			continue
		}
		first := i
		for i+1 < len(on) && on[i+1] {
			i++
		}
		if first == i {
			out = append(out, strconv.Itoa(i))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", first, i))
		}
	}
	return out
}

// choose makes the profile and the priority groups of a port, if all their inputs are known.
func (s *Switch) choose(sp *space, port string) outcome {
	g := &sp.Buffers
	log := func(level, format string, args ...any) {
		s.syslog("buffermgrd: :- doSpeedUpdateTask", level, format, args...)
	}
	cable, ok := g.Cable[port]
	switch {
	case !ok:
		return again
	case cable == "0m":
		log("NOTICE", "Not creating/updating PG profile for port %s. Cable length is set to %s", port, cable)
		return done
	}
	admin, ok := g.Admin[port]
	if !ok {
		return again
	}
	enabled, ok := g.PFC[port]
	if !ok {
		return done
	}
	speed := g.Speed[port]
	name := "pg_lossless_" + speed + "_" + cable + "_profile"
	if admin == "down" && (s.ASIC == "mellanox" || s.ASIC == "barefoot" && s.since("202305")) {
		for _, pg := range groups(enabled) {
			key := port + "|" + pg
			if sp.Config["BUFFER_PG"][key]["profile"] == name {
				log("NOTICE", "Removing PG %s from port %s which is administrative down", key, port)
				sp.put("BUFFER_PG", key, nil)
			}
		}
		return done
	}
	found, ok := readLookup(s.Lookup)[speed][cable]
	if !ok {
		log("ERR", "Unable to create/update PG profile for port %s. No PG profile configured for speed %s and cable length %s", port, speed,
			cable)
		return dropped
	}
	if len(sp.Config["BUFFER_PROFILE"][name]) == 0 {
		mode := sp.Config["BUFFER_POOL"]["ingress_lossless_pool"]["mode"]
		if mode == "" {
			return again
		}
		r := row{"pool": "ingress_lossless_pool", "size": found.size, "xon": found.xon, "xoff": found.xoff, mode + "_th": found.threshold}
		if found.offset != "" {
			r["xon_offset"] = found.offset
		}
		log("NOTICE", "Creating new profile '%s'", name)
		sp.put("BUFFER_PROFILE", name, r)
	}
	for _, pg := range groups(enabled) {
		if key := port + "|" + pg; sp.Config["BUFFER_PG"][key]["profile"] != name {
			sp.put("BUFFER_PG", key, row{"profile": name})
		}
	}
	return done
}

// lookup is a line of pg_profile_lookup.ini, in bytes. threshold is an exponent of two.
type lookup struct{ size, xon, xoff, threshold, offset string }

// readLookup reads the file: by speed in Mb/s, and cable length.
func readLookup(text string) map[string]map[string]lookup {
	out := map[string]map[string]lookup{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 6 || strings.HasPrefix(words[0], "#") {
			continue
		}
		l := lookup{words[2], words[3], words[4], words[5], ""}
		if len(words) > 6 {
			l.offset = words[6]
		}
		if out[words[0]] == nil {
			out[words[0]] = map[string]lookup{}
		}
		out[words[0]][words[1]] = l
	}
	return out
}

// usualLookup returns a file with rows that platforms with the vendor's chips have. Mellanox rows are from the SN2700 and, above 100
// Gb/s, from the SN4700. Other rows are from the Arista 7060CX-32S, and above 100 Gb/s from the Dell Z9664F. Source: sonic-buildimage,
// device.
func usualLookup(asic string) string {
	const head = "# PG lossless profiles.\n# speed cable size    xon  xoff    threshold\n"
	if asic == "mellanox" {
		return head + `  10000   5m    49152   19456   29696   0
  25000   5m    49152   19456   29696   0
  25000   40m   51200   19456   31744   0
 100000   5m    50176   19456   30720   0
 100000   40m   58368   19456   38912   0
 100000   300m  123904  19456   104448  0
 200000   5m    55296   19456   35840   0
 200000   40m   74752   19456   55296   0
 200000   300m  223232  19456   203776  0
 400000   5m    86016   37888   38912   0
 400000   40m   124928  37888   77824   0
 400000   300m  420864  37888   373760  0
`
	}
	return head + `  40000   5m    1248    2288    66560   -4   2288
  40000   300m  1248    2288    108160  -4   2288
 100000   5m    1248    2288    165568  -4   2288
 100000   40m   1248    2288    177632  -4   2288
 100000   300m  1248    2288    268736  -4   2288
 400000   5m    9144    9144    371348  -4   9144
 400000   40m   9144    9144    424434  -4   9144
 400000   300m  9144    9144    817372  -4   9144
`
}

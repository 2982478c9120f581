package sim

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// This file simulates buffermgrd of the dynamic model: cfgmgr/buffermgrdyn.cpp with buffer_headroom_mellanox.lua and
// buffer_check_headroom_mellanox.lua of sonic-swss. Sizes of pools are approximate: the chip's memory minus the bytes that ports reserve.

// chip contains the numbers of asic_table.json for one Spectrum chip, in kB unless noted.
type chip struct {
	cell, latency  int // cell in bytes
	macPHY, answer float64
	memory         int // mmu_size, bytes
}

// spectrum are Spectrum-1 to 6. Source: sonic-buildimage, asic_table.json.
var spectrum = []chip{
	{96, 19, 0.8, 3.8, 13945824},
	{144, 19, 0.8, 3.8, 34287552},
	{144, 19, 0.8, 3.8, 60817392},
	{192, 19, 0.8, 3.8, 158229504},
	{192, 19, 0.8, 3.8, 136209408},
	{256, 42, 0.8, 3.8, 226492416},
}

// lua contains the inputs of the headroom formula in buffer_headroom_mellanox.lua.
type lua struct {
	spectrum, mbps, meters, mtu int
	losslessMTU, small          int  // LOSSLESS_TRAFFIC_PATTERN
	eight                       bool // the port has eight lanes
	shared                      bool // there is a shared pool of headroom
}

// quantaOf returns the pause quanta by speed in Mb/s.
func quantaOf() map[int]int {
	return map[int]int{800000: 905, 400000: 905, 200000: 453, 100000: 394, 50000: 147, 40000: 118, 25000: 80, 10000: 67, 1000: 2, 100: 1}
}

// headroom returns the size, xon and xoff of a profile, in bytes, by the formula of the branch that since describes.
func (f lua) headroom(since func(string) bool) (size, xon, xoff int) {
	c := spectrum[f.spectrum-1]
	latency, overhead := float64(c.latency)*1024, 0.0
	if f.eight {
		overhead = float64(f.mtu)
		if latency *= 2; !since("202405") {
			latency -= 1024
		}
	}
	cell := float64(c.cell)
	worst := 2 * cell / (1 + cell)
	if c.cell > 128 {
		worst = cell / 64
	}
	small := float64(f.small)
	if since("202405") {
		worst = math.Ceil(worst)
		small = 100 * 64 / ((small*64 + (100-small)*float64(f.losslessMTU)) / 100)
	}
	occupied := (100 - small + small*worst) / 100
	answer := c.answer * 1024
	if q, ok := quantaOf()[f.mbps]; ok && (f.mbps != 800000 || since("202305")) {
		answer = float64(q) * 64
	}
	unit, tile := 1024.0, 0.0
	if since("202405") {
		unit = 1000
		if f.spectrum == 4 || f.spectrum == 5 {
			tile = float64(f.mbps) / 1000 * 120 / 8
		}
	}
	cable := 2 * float64(f.meters) * float64(f.mbps) * 1e9 / 198e6 / (8 * unit)
	delay := float64(f.mtu) + cable + c.macPHY*1024 + answer + tile
	kilo := func(v float64) int { return int(math.Ceil(v/1024)) * 1024 }
	xoff = kilo(float64(f.losslessMTU) + delay*occupied)
	if since("202605") {
		if f.spectrum == 6 {
			xoff += 18 * 1024
		}
		if full := kilo(float64(f.losslessMTU) + delay*worst); !f.shared && f.small != 100 && xoff+2048 < full {
			xoff += 2048
		}
	}
	xon = kilo(latency)
	if f.shared {
		return xon, xon, xoff
	}
	return kilo(float64(xoff+xon) + overhead), xon, xoff
}

// meters reads a length such as "40m"; an invalid length is 0.
func meters(cable string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(cable, "m"))
	if err != nil || n < 0 || n > 1_000_000 {
		return 0
	}
	return n
}

// only returns the first row, by key, of a table that should have one row. It returns nil for an empty table.
func only(t table) row {
	for _, key := range slices.Sorted(maps.Keys(t)) {
		return t[key]
	}
	return nil
}

func atoi(s string, other int) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return other
}

// compute rebuilds the buffer tables of APPL_DB from the configuration.
func (s *Switch) compute(sp *space) {
	was := sp.Appl
	sp.Appl = table{}
	for key, r := range was {
		if strings.HasPrefix(key, "PORT_TABLE:") {
			sp.Appl[key] = r
		}
	}
	for name := range copied {
		if name == "BUFFER_PG" {
			continue
		}
		for key, r := range sp.Config[name] {
			if name == "BUFFER_PROFILE" && r["headroom_type"] == Dynamic {
				continue // the profile has only a threshold
			}
			sp.Appl[copied[name]+":"+strings.ReplaceAll(key, "|", ":")] = maps.Clone(r)
		}
	}
	length := only(sp.Config["CABLE_LENGTH"])
	reserved := map[string]int{}
	for _, key := range slices.SortedFunc(maps.Keys(sp.Config["BUFFER_PG"]), naturally) {
		port, pg, _ := strings.Cut(key, "|")
		p, named := sp.Config["PORT"][port], sp.Config["BUFFER_PG"][key]["profile"]
		if p["admin_status"] != "up" {
			continue
		}
		at := "BUFFER_PG_TABLE:" + port + ":" + pg
		profile := sp.Config["BUFFER_PROFILE"][named]
		if named != "NULL" && profile["headroom_type"] != Dynamic {
			if profile != nil {
				reserved[port] += atoi(profile["size"], 0) * len(expand(pg))
				sp.Appl[at] = row{"profile": named}
			}
			continue
		}
		if meters(length[port]) == 0 {
			continue
		}
		name, values := s.profileOf(sp, p, length[port], profile["dynamic_th"])
		need := atoi(values["size"], 0) * len(expand(pg))
		if s.Headroom > 0 && reserved[port]+need+4096+(19+20)*1024 > s.Headroom {
			s.syslog("buffermgrd: :- refreshPgsForPort", "ERR", "Update speed (%s) and cable length (%s) for port %s failed, accumulative headroom "+
				"size exceeds the limit", p["speed"], length[port], port)
			if old := was[at]; old != nil {
				sp.Appl[at] = old
				sp.Appl["BUFFER_PROFILE_TABLE:"+old["profile"]] = was["BUFFER_PROFILE_TABLE:"+old["profile"]]
			}
			continue
		}
		reserved[port] += need
		sp.Appl["BUFFER_PROFILE_TABLE:"+name], sp.Appl[at] = values, row{"profile": name}
	}
	free := spectrum[s.Spectrum-1].memory - 256*1024
	for _, n := range reserved {
		free -= n
	}
	for key, r := range sp.Appl {
		if strings.HasPrefix(key, "BUFFER_POOL_TABLE:") && r["size"] == "" {
			r["size"] = strconv.Itoa(max(free, 0))
		}
	}
}

// expand returns each priority of a range such as "3-4".
func expand(pg string) (out []int) {
	low, high, ok := strings.Cut(pg, "-")
	first := atoi(low, 0)
	last := first
	if ok {
		last = atoi(high, first)
	}
	for i := first; i <= last && i < 16; i++ {
		out = append(out, i)
	}
	return out
}

// profileOf returns the profile that is computed for a port; its name contains the unusual values.
func (s *Switch) profileOf(sp *space, p row, cable, threshold string) (string, row) {
	pattern, usual := only(sp.Config["LOSSLESS_TRAFFIC_PATTERN"]), only(sp.Config["DEFAULT_LOSSLESS_BUFFER_PARAMETER"])
	mtu := or(p["mtu"], "9100")
	alpha := or(usual["default_dynamic_th"], "0")
	threshold = or(threshold, alpha)
	eight := strings.Count(p["lanes"], ",") == 7
	name := "pg_lossless_" + p["speed"] + "_" + cable
	if mtu != "9100" {
		name += "_mtu" + mtu
	}
	if threshold != alpha {
		name += "_th" + threshold
	}
	if whole := map[int]string{3: "400000", 4: "800000"}[s.Spectrum]; eight && whole != "" && p["speed"] != whole {
		name += "_8lane"
	}
	f := lua{
		spectrum: s.Spectrum, mbps: atoi(p["speed"], 0), meters: meters(cable), mtu: atoi(mtu, 9100), eight: eight,
		losslessMTU: atoi(pattern["mtu"], 1024), small: atoi(pattern["small_packet_percentage"], 50),
		shared: atoi(sp.Config["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"], 0) != 0 || atoi(usual["over_subscribe_ratio"], 0) != 0,
	}
	size, xon, xoff := f.headroom(s.since)
	xoff = max(xoff-s.Faults.Short, 0)
	return name + "_profile", row{
		"pool": "ingress_lossless_pool", "dynamic_th": threshold,
		"size": strconv.Itoa(size), "xon": strconv.Itoa(xon), "xoff": strconv.Itoa(xoff),
	}
}

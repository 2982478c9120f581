package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/validate/settings"
)

// buffers checks whether priority groups fit their ports, and whether all buffer rows fit the buffer model of the switch.
func (j *judge) buffers() {
	if grammar.Dynamic(j.cfg) {
		j.dynamic()
	}
	var stale bareList
	lengths := j.lengths()
	for _, key := range j.keys("BUFFER_PG") {
		row := j.cfg.Row("BUFFER_PG", key)
		port, index, _ := strings.Cut(key, "|")
		from, to, ok := grammar.ParseRange(index)
		if !ok || !j.lossless(row) {
			continue
		}
		j.pool(row.Get("profile"))
		if !grammar.IsPort(port) {
			continue
		}
		metres, known := lengths[port]
		j.fits(port, row, metres, known)
		pfc, ok := grammar.ParseDigits(j.cfg.Get("PORT_QOS_MAP", port, "pfc_enable"))
		held := uint8(0)
		for n := from; n <= min(to, 7); n++ {
			held |= 1 << n
		}
		if ok && j.cfg.Tables["PORT_QOS_MAP"] != nil {
			stale.add(held&^pfc, port, row.At)
		}
	}
	for _, b := range stale {
		n := len(b.ports)
		j.warnf(&topicBuffers, b.at, "%s %s lossless priority groups for %s and no PFC there: the headroom is unused, and no pause is "+
			"sent. SONiC keeps a group when pfc_enable shrinks. Add the priorities to pfc_enable, or remove the groups.",
			diag.Some(b.ports, 8), diag.Plural(n, "has", "have"), priorities(grammar.SpellDigits(b.mask)))
	}
}

// dynamic reports settings that are invalid where the switch computes buffers.
func (j *judge) dynamic() {
	at := j.cfg.Row("DEVICE_METADATA", "localhost").Fields["buffer_model"].At
	if maker, known := j.maker(); known && maker != "mellanox" && maker != "barefoot" && maker != "vs" {
		j.warnf(&topicBuffers, at, "buffer_model is dynamic. SONiC has that model on chips of NVIDIA (mellanox) and Barefoot, and this "+
			"switch is %s. Set it to traditional.", maker)
	}
	made := slices.DeleteFunc(j.written.Keys("BUFFER_PROFILE"), func(name string) bool { return !grammar.IsMade(name) })
	if len(made) > 0 {
		j.warnf(&topicBuffers, j.cfg.Row("BUFFER_PROFILE", made[0]).At, "buffer_model is dynamic, and BUFFER_PROFILE has %s: these "+
			"profiles belong to the traditional model, and groups that name them keep their sizes at any speed and cable length. "+
			"Remove them, and use NULL in BUFFER_PG.", diag.Some(made, 8))
	}
	for _, name := range j.keys("BUFFER_POOL") {
		if row := j.cfg.Row("BUFFER_POOL", name); row.Has("size") && name != egressPool {
			j.warnf(&topicBuffers, row.Fields["size"].At, "buffer_model is dynamic, and the pool %s has a size. The switch "+
				"computes it; leave the size out.", name)
		}
	}
}

// maker returns the vendor of the chip: the asic_type, or a platform that rules out NVIDIA and Barefoot. known is false if neither
// decides.
func (j *judge) maker() (name string, known bool) {
	if own := j.cfg.Get(grammar.VersionTable, "localhost", "asic_type"); own != "" {
		return own, true
	}
	host := j.cfg.Row("DEVICE_METADATA", "localhost")
	platform := strings.ToLower(host.Get("platform"))
	// Dell's switches have no chip of NVIDIA or Barefoot. Other makers, such as Arista and Edgecore, build some with a chip of Barefoot.
	return platform, strings.HasPrefix(platform, "x86_64-dell") ||
		grammar.FamilyOf(j.release, "broadcom", host.Get("hwsku")) != "" && !strings.Contains(platform, "mlnx")
}

// pool reports an egress pool in a profile of priority groups.
func (j *judge) pool(profile string) {
	row := j.cfg.Row("BUFFER_PROFILE", profile)
	if of := row.Get("pool"); j.cfg.Get("BUFFER_POOL", of, "type") == "egress" && j.once("pool", profile) {
		j.errorf(&topicBuffers, row.Fields["pool"].At, "Priority groups have the profile %s, whose pool %s is an egress pool. "+
			"Arriving packets need an ingress pool, such as %s.", profile, of, grammar.Pool)
	}
}

// lengths returns the cable length of each port in metres: the longest that a row of CABLE_LENGTH has for it.
func (j *judge) lengths() map[string]int {
	out := map[string]int{}
	for _, key := range j.keys("CABLE_LENGTH") {
		for port, v := range j.cfg.Row("CABLE_LENGTH", key).Fields {
			if n, ok := grammar.ParseMetres(v.Text); ok {
				out[port] = max(out[port], n)
			}
		}
	}
	return out
}

// fits checks whether the profile of a lossless group fits speed and cable length of its port.
func (j *judge) fits(port string, group *grammar.Row, metres int, known bool) {
	profile := group.Get("profile")
	speed, err := strconv.Atoi(j.cfg.Get("PORT", port, "speed"))
	if err != nil || speed <= 0 || speed > settings.Fastest || profile == "NULL" {
		return
	}
	at := group.Fields["profile"].At
	forSpeed, forMetres, made := grammar.ParseProfileName(profile)
	switch {
	case !made || !known || grammar.Dynamic(j.cfg):
	case metres > 0 && (forSpeed != speed || forMetres != metres) && j.once("name", profile, speed, metres):
		j.warnf(&topicBuffers, at, "%s runs at %d Mb/s with a cable of %d m, and its priority group has the profile %s. The buffer "+
			"manager would make %s here, so the file was assembled by hand, or the switch has no sizes for the pair.",
			port, speed, metres,
			profile, grammar.ProfileName(speed, metres))
	}
}

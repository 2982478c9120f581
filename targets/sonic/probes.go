package sonic

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/read"
	"github.com/rocec/rocec/targets/target"
)

// identity asks for the release, platform and hwsku of a switch, whether its daemons run, and whether the switch has a single set of
// daemons.
func identity(d *ir.Device) []target.Probe {
	return []target.Probe{{
		Name: target.ReleaseProbe,
		Query: target.Query{Cmd: `while IFS=': ' read -r name value; do
case $name in build_version | asic_type) echo "$name $value" ;; esac
done 2>/dev/null </etc/sonic/sonic_version.yml
echo "swss $(systemctl is-active swss)"
platform=$(timeout 10 sonic-db-cli CONFIG_DB HGET 'DEVICE_METADATA|localhost' platform)
for f in hwsku switch_type; do
echo "$f $(timeout 10 sonic-db-cli CONFIG_DB HGET 'DEVICE_METADATA|localhost' $f)"
done
echo "platform $platform"
case $platform in '' | *[!A-Za-z0-9._-]*) ;; *)
while IFS='=' read -r name value; do
case $name in NUM_ASIC) echo "chips $value" ;; esac
done 2>/dev/null <"/usr/share/sonic/device/$platform/asic.conf" ;;
esac
true`},
		Judge: func(answer []byte) []string { return judgeIdentity(d, facts(answer)) },
	}}
}

// facts reads lines "NAME VALUE". A value may have the quotes of YAML.
func facts(answer []byte) map[string]string {
	says := map[string]string{}
	for line := range strings.Lines(string(answer)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		says[name] = strings.Trim(strings.TrimSpace(value), `'"`)
	}
	return says
}

func judgeIdentity(d *ir.Device, says map[string]string) (wrong []string) {
	build := says["build_version"]
	if build == "" {
		return []string{d.Name + " does not report that it runs SONiC: /etc/sonic/sonic_version.yml has no build_version."}
	}
	is, err := grammar.ParseVersion(build)
	want, err2 := grammar.ParseVersion(d.Switch.Version)
	switch {
	case err != nil:
		wrong = append(wrong, fmt.Sprintf("%s runs SONiC %s, whose branch rocec does not know. The fabric has %s.", d.Name,
			target.Escape(build), d.Switch.Version))
	case err2 == nil && is.Release != want.Release:
		wrong = append(wrong, fmt.Sprintf("%s runs SONiC %s (build_version %s), but the fabric has %s.",
			d.Name, is.Release, target.Escape(build), d.Switch.Version))
	}
	if n, err := strconv.Atoi(says["chips"]); err == nil && n > 1 || read.IsCard(says["switch_type"]) {
		wrong = append(wrong, fmt.Sprintf("%s has several chips, each with its own databases (asic0, asic1). rocec writes switches with one "+
			"chip. Use a by_hand block.", d.Name))
	}
	if state := says["swss"]; state != "active" {
		wrong = append(wrong, fmt.Sprintf("swss on %s is %s, so the chip gets no settings: see docker logs swss there, and start it "+
			"(sudo systemctl start swss).", d.Name, stateOf(state)))
	}
	if said := Mismatch(d.Switch.Model, says["platform"], says["hwsku"]); said != "" && says["platform"] != "" {
		wrong = append(wrong, fmt.Sprintf("%s is a different model than in the fabric, so its ports, memory and headroom differ. "+
			"%s", d.Name, said))
	}
	return wrong
}

func stateOf(s string) string {
	if s == "" {
		return "not known"
	}
	return target.Escape(s)
}

// probes returns the probes that show whether the settings work: swss runs, the chip has the headroom that lossless ports need,
// counters, and the surroundings of every switch.
func probes(d *ir.Device) []target.Probe {
	out := []target.Probe{swssProbe(d.Name)}
	var cables []target.Cable
	var all, some []*ir.Port
	kinds := map[[3]int]bool{}
	for _, p := range target.SortedPorts(d) {
		if p.Link() != nil {
			cables = append(cables, target.CableOf(p, p.Name)) // Ethernet and digits
		}
		if len(p.Buffers()) == 0 || p.Link().Planned {
			continue
		}
		all = append(all, p)
		if kind := [3]int{int(p.Link().Length.Metres), p.Speed(), p.MTU()}; !kinds[kind] && len(some) < atOnce {
			kinds[kind] = true
			some = append(some, p)
		}
	}
	out = append(out, target.NeighbourProbes(d.Name, cables)...)
	if len(some) > 0 {
		out = append(out, headroomProbe(d, "headroom", some, false))
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(p *ir.Port) bool { return slices.Contains(some, p) })
	for chunk := range slices.Chunk(rest, atOnce) {
		out = append(out, headroomProbe(d, "headroom from "+chunk[0].Name+" on", chunk, true))
	}
	for chunk := range slices.Chunk(all, 2*atOnce) {
		out = append(out, counterProbe(d, chunk))
	}
	return out
}

// atOnce is the number of ports in one probe: up to 202205, sonic-db-cli is a Python program that needs a third of a second.
const atOnce = 8

// swssProbe asks whether the daemons that set up the chip run, and since when. A later start is a restart, during which no traffic
// passed.
func swssProbe(device string) target.Probe {
	const since = "ActiveEnterTimestampMonotonic"
	const cmd = "systemctl is-active swss\nsystemctl show -p " + since + " swss\ntrue"
	return target.StateProbe("swss", cmd, func(answer []byte) []target.Sample {
		state, rest, _ := strings.Cut(string(answer), "\n")
		state = strings.TrimSpace(state)
		s := target.Gauge("swss", "", state == "active", fmt.Sprintf("swss on %s is %s; see docker logs swss there.", device, stateOf(state)))
		s.Needed = true
		out := []target.Sample{s}
		value, ok := strings.CutPrefix(strings.TrimSpace(rest), since+"=")
		if n, err := strconv.ParseUint(value, 10, 64); ok && err == nil && n > 0 {
			out = append(out, target.Sample{
				Name: "swss start", Value: n, Unit: target.UnitMicroseconds, Counter: true, Hard: true,
				Says: func(uint64) string { return "swss on " + device + " started again." },
			})
		}
		return out
	})
}

// headroomProbe reads the headroom that the chip is told to reserve for packets after a pause. The source is APPL_DB, which daemons fill
// from CONFIG_DB, from the vendor's file or by their own formula. An applied patch does not prove the headroom.
func headroomProbe(d *ir.Device, name string, ports []*ir.Port, slow bool) target.Probe {
	var b strings.Builder
	b.WriteString(`seen=' '
port() {
bound=$(timeout 5 sonic-db-cli CONFIG_DB HGET "PORT_QOS_MAP|$1" tc_to_queue_map) &&
enabled=$(timeout 5 sonic-db-cli CONFIG_DB HGET "PORT_QOS_MAP|$1" pfc_enable) &&
groups=$(timeout 5 sonic-db-cli APPL_DB KEYS "BUFFER_PG_TABLE:$1:*") || return 0
echo "map:$1 $bound"
echo "enabled:$1 $enabled"
echo "asked:$1 yes"
for key in $groups; do
profile=$(timeout 5 sonic-db-cli APPL_DB HGET "$key" profile)
profile=${profile#\[BUFFER_PROFILE_TABLE:}
profile=${profile%\]}
echo "$key $profile"
case $seen in *" $profile "*) continue ;; esac
seen="$seen$profile "
echo "profile:$profile $(timeout 5 sonic-db-cli APPL_DB HGETALL "BUFFER_PROFILE_TABLE:$profile")"
done
}
`)
	for _, p := range ports {
		fmt.Fprintf(&b, "port %s\n", p.Name)
	}
	samples := func(answer []byte) []target.Sample {
		says := facts(answer)
		var out []target.Sample
		var tight []shortage
		for i, p := range ports {
			sample, short := headroomOf(d, p, says)
			out = append(out, sample)
			if short == (shortage{}) {
				continue
			}
			if j := slices.IndexFunc(tight, short.alike); j >= 0 {
				tight[j].others++
			} else {
				short.at = i
				tight = append(tight, short)
			}
		}
		for _, short := range tight {
			out[short.at].Hint = short.text(d.Name, ports[short.at].Name)
		}
		return out
	}
	return target.Probe{
		Name: name, Query: target.Query{Cmd: b.String()}, Slow: slow, Samples: samples,
		Judge: func(answer []byte) []string { return target.Down(samples(answer)) },
	}
}

// shortage is a headroom that is smaller than the bytes that can arrive. One shortage covers all ports with the same profile and need.
type shortage struct {
	profile    string
	cos        int
	have, need int // bytes
	at, others int // the index of the first port, and the number of further ports with the same shortage
}

func (s shortage) alike(other shortage) bool {
	return s.profile == other.profile && s.cos == other.cos && s.need == other.need
}

func (s shortage) text(device, port string) string {
	if s.others > 0 {
		port += " and of " + diag.Count(s.others, "other port")
	}
	return fmt.Sprintf("%s reserves %s B of headroom for priority %d of %s (xoff of %s), but up to %s B can arrive after it "+
		"sends a pause. A longer cable in the fabric reserves more.", device, diag.Number(s.have), s.cos, port, target.Escape(s.profile),
		diag.Number(s.need))
}

// headroomOf compares the headroom of a port with the need of each of its lossless priorities. If the headroom is below the need but at
// least the value in the vendor's own tables ([ir.Buffer.Floor]), the result is a shortage. Priorities that the port does not pause, and
// ports without rocec's maps, are not checked yet.
func headroomOf(d *ir.Device, p *ir.Port, says map[string]string) (target.Sample, shortage) {
	if says["asked:"+p.Name] == "" {
		return unread(d, p, "its databases do not answer."), shortage{}
	}
	enabled := enabledOf(says["enabled:"+p.Name])
	var tight shortage
	for _, b := range p.Buffers() {
		cos := b.Group.Cos
		if enabled>>cos&1 == 0 || !mine(says["map:"+p.Name]) {
			continue
		}
		profile, ok := profileOf(says, p.Name, cos)
		if !ok {
			return target.Gauge("headroom", p.Name, false, fmt.Sprintf("%s has no lossless priority group for priority %d at %s, although PFC is "+
				"on there: is there a row for its speed and cable length in pg_profile_lookup.ini? See show buffer information, and "+
				"/var/log/syslog.", d.Name, cos, p.Name)), shortage{}
		}
		have, err := strconv.Atoi(dictOf(says["profile:"+profile])["xoff"])
		if err != nil || have < 0 {
			return unread(d, p, fmt.Sprintf("APPL_DB has no xoff for the profile %s.", target.Escape(profile))), shortage{}
		}
		short := shortage{profile: profile, cos: cos, have: have, need: b.Need}
		if have < b.Floor {
			return target.Gauge("headroom", p.Name, false, short.text(d.Name, p.Name)), shortage{}
		}
		if have < b.Need && tight == (shortage{}) {
			tight = short
		}
	}
	return target.Gauge("headroom", p.Name, true, fmt.Sprintf("%s of %s has no headroom.", p.Name, d.Name)), tight
}

// unread returns a sample for a headroom that could not be read, with the reason. Such a sample causes no rollback.
func unread(d *ir.Device, p *ir.Port, why string) target.Sample {
	return target.Sample{
		Name: "headroom", On: p.Name, Unit: target.UnitFact, Fact: target.NotReadable,
		Hint: fmt.Sprintf("The headroom that %s reserves for %s was not read: %s It may be too small.", d.Name, p.Name, why),
	}
}

// enabledOf reads pfc_enable; an invalid text enables no priority.
func enabledOf(text string) uint8 {
	mask, _ := grammar.ParseDigits(text)
	return mask
}

// profileOf returns the lossless profile of the priority group of a priority. A lossless profile has an xoff. If two groups contain the
// priority, the chip uses the later one. The order is unknown, so a group that is not lossless takes precedence.
func profileOf(says map[string]string, port string, cos int) (lossless string, ok bool) {
	for _, key := range slices.Sorted(maps.Keys(says)) {
		groups, ok := strings.CutPrefix(key, "BUFFER_PG_TABLE:"+port+":")
		from, to, is := grammar.ParseRange(groups)
		profile := says[key]
		if !ok || !is || cos < from || cos > to || profile == "" {
			continue
		}
		if of := dictOf(says["profile:"+profile]); len(of) > 0 && of["xoff"] == "" {
			return "", false
		}
		lossless = profile
	}
	return lossless, lossless != ""
}

// dictOf reads a hash in the form that sonic-db-cli prints: {'size': '49152', 'xon': '19456'}. Names and values consist of letters,
// digits and signs.
func dictOf(text string) map[string]string {
	of := map[string]string{}
	words := strings.Split(text, "'")
	for i := 3; i < len(words); i += 4 {
		of[words[i-2]] = words[i]
	}
	return of
}

// counterProbe asks for counters of ports that carry lossless traffic: frames of PFC, packets dropped by a lossless priority group, and
// storms detected by the watchdog.
func counterProbe(d *ir.Device, ports []*ir.Port) target.Probe {
	var b strings.Builder
	b.WriteString(`db() {
timeout 5 sonic-db-cli COUNTERS_DB "$@"
}
of() { # MAP NAME: its row of counters
oid=$(db HGET "$1" "$2")
case $oid in oid:*) db HGETALL "COUNTERS:$oid" ;; esac
}
`)
	lossless := map[string]uint8{}
	for _, p := range ports {
		fmt.Fprintf(&b, "echo \"port:%[1]s $(of COUNTERS_PORT_NAME_MAP %[1]s)\"\n", p.Name)
		for _, buffer := range p.Buffers() {
			lossless[p.Name] |= 1 << buffer.Group.Cos
			at := fmt.Sprintf("%s:%d", p.Name, buffer.Group.Cos)
			fmt.Fprintf(&b, "echo \"group:%[1]s $(of COUNTERS_PG_NAME_MAP %[1]s)\"\necho \"queue:%[1]s $(of COUNTERS_QUEUE_NAME_MAP %[1]s)\"\n", at)
		}
	}
	name := "counters"
	if ports[0] != target.SortedPorts(d)[0] {
		name += " from " + ports[0].Name + " on"
	}
	return target.Probe{
		Name: name, Query: target.Query{Cmd: b.String()}, Slow: true,
		Samples: func(answer []byte) []target.Sample {
			says := facts(answer)
			var out []target.Sample
			for _, p := range ports {
				out = append(out, portCounters(d, p, lossless[p.Name], says)...)
			}
			return out
		},
	}
}

// portCounters reads the counters of a port. A counter that the switch lacks gives no sample.
func portCounters(d *ir.Device, p *ir.Port, lossless uint8, says map[string]string) (out []target.Sample) {
	at := d.Name + ":" + p.Name
	add := func(of, field, name, unit string, tell func(n uint64) string) {
		if n, err := strconv.ParseUint(dictOf(says[of])[field], 10, 64); err == nil {
			out = append(out, target.Sample{Name: name, On: p.Name, Value: n, Unit: unit, Counter: true, Says: tell})
		}
	}
	for cos := range 8 {
		in := fmt.Sprintf("SAI_PORT_STAT_PFC_%d_RX_PKTS", cos)
		var tell func(n uint64) string
		if lossless>>cos&1 == 0 {
			tell = func(n uint64) string {
				return fmt.Sprintf("%s received %s for priority %d, which is not lossless here: its peer pauses another class (%s).", at,
					target.Count(n, "PFC frame"), cos, in)
			}
		}
		add("port:"+p.Name, in, in, target.UnitFrames, tell)
		out2 := fmt.Sprintf("SAI_PORT_STAT_PFC_%d_TX_PKTS", cos)
		add("port:"+p.Name, out2, out2, target.UnitFrames, nil)
		if lossless>>cos&1 == 0 {
			continue
		}
		const drops, storms = "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"
		add(fmt.Sprintf("group:%s:%d", p.Name, cos), drops, fmt.Sprintf("%s of group %d", drops, cos), target.UnitPackets, func(n uint64) string {
			return fmt.Sprintf("%s dropped %s of lossless priority %d because a buffer was full (%s).", at, target.Count(n, "packet"), cos, drops)
		})
		add(fmt.Sprintf("queue:%s:%d", p.Name, cos), storms, fmt.Sprintf("%s of queue %d", storms, cos), target.UnitEvents,
			func(n uint64) string {
				return fmt.Sprintf("The PFC watchdog of %s detected %s in queue %d, and dropped lossless packets: the peer paused the queue for too "+
					"long (%s).",
					at, target.Count(n, "storm"), cos, storms)
			})
	}
	return out
}

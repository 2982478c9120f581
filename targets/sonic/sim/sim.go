// Package sim is the SONiC part of a simulated switch (a [Box]), branches 202205 to 202605: its databases, the programs that change and
// show them (config, sonic-cfggen, sonic-db-cli, pfcwd, ecnconfig, show), and the daemon that makes buffers from them. It is written from
// the public sources of SONiC and knows nothing of what rocec writes.
//
// Package sim is an independent judge of the files and commands of rocec: never merge it with the grammar or the reader of the target.
//
// The traps that it simulates:
//
//   - What a patch may change depends on the branch, the chip and the date of the build (allow.go), and on the difference between the
//     configurations, not on the operations of the patch: what is removed at one place and added equal at another is a move, which no
//     entry of the list allows (gu_common.py, validate_field_operation; jsonpatch, from_diff).
//   - A table must not become empty: EmptyTableError (generic_updater.py). From 202511 on missing tables are made before a patch is
//     applied.
//   - Values are text: a number of a patch is written as text, and the comparison afterwards finds that it differs (change_applier.py).
//   - config apply-patch ends with status 0 whatever became of BUFFER_PG, BUFFER_PROFILE and FLEX_COUNTER_TABLE: they are left out of the
//     comparison. Nothing is locked, and nothing is saved: a reboot brings /etc/sonic/config_db.json back.
//   - config rollback wants the rows away that buffermgrd has made meanwhile, and up to 202505 the list refuses that.
//   - A patch that fails half way leaves what was done ([Faults.Halfway], [Faults.Killed]); rows a daemon writes meanwhile are found as
//     "some parts not updated" ([Faults.Rewrites]). A config that hangs is a script in its place.
//   - buffermgrd of the traditional model makes BUFFER_PROFILE pg_lossless_<speed>_<cable>_profile and BUFFER_PG of the priorities in
//     pfc_enable, and takes none away when pfc_enable shrinks. A speed and cable that pg_profile_lookup.ini lacks is a line in the log, and
//     no PG. A change of the cable alone counts from 202511 on; up to 202505 a port without admin_status waits for it (buffermgr.cpp).
//   - The dynamic model computes headroom into APPL_DB alone, by a formula that changed in 202305, 202405 and 202605; CONFIG_DB says
//     "NULL" (buffermgrdyn.cpp, buffer_headroom_mellanox.lua). Which model runs is decided when swss starts.
//   - config qos reload deletes every table of QoS and writes the template; on Mellanox it changes the buffer model as well.
//   - The factory's map of DSCP puts 26 into traffic class 1, which is lossy (qos_config.j2).
//   - A switch with several chips has a database for each, and from 202411 on refuses a path without its name.
package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// QoS selects the QoS configuration of a fresh switch.
type QoS int

// The factory states of QoS.
const (
	NoQoS    QoS = iota // no table of QoS, as an image with the community's preset may come up
	Template            // what config qos reload writes
)

// Models of buffers, as DEVICE_METADATA names them.
const (
	Traditional = "traditional"
	Dynamic     = "dynamic"
)

// Box is what differs between switches.
type Box struct {
	Release  string // branch: "202505"
	Build    string // build_version: "20230531.19"; empty: the branch with a number, which has no date
	HwSKU    string // "ACS-MSN2700"
	Platform string // "x86_64-mlnx_msn2700-r0"
	ASIC     string // asic_type: mellanox, broadcom, cisco-8000, marvell-teralynx, vs
	Spectrum int    // generation of a chip of Mellanox, 1 to 6; 0: 1
	Ports    []Port
	Model    string // buffer_model; empty: traditional
	QoS      QoS
	Cable    string        // length the template gives every port; empty: "5m"
	Lookup   string        // text of pg_profile_lookup.ini; empty: a usual one of the chip's maker; NoLookup: there is no such file
	Chips    int           // namespaces asic0, asic1 ...; 0 and 1: one chip without namespaces
	Lag      time.Duration // how long buffermgrd takes to see a change
	Headroom int           // max_headroom_size of a port, bytes; 0: not limited
}

// NoLookup as [Box.Lookup] is a platform without pg_profile_lookup.ini.
const NoLookup = "-"

// Port is a port as the configuration has it.
type Port struct {
	Name      string // "Ethernet0"
	Alias     string // "etp1"
	Lanes     string // "0,1,2,3"
	Index     int    // of the cage, from 1
	SpeedMbps int
	MTU       int  // bytes; 0: 9100
	Down      bool // admin_status is down
	Unset     bool // there is no admin_status, as a breakout leaves it
}

// Faults are failures to come.
type Faults struct {
	Halfway  int    // config apply-patch fails after so many changes; 0: it does not
	Killed   int    // it is killed after so many changes
	Rewrites string // a row "TABLE|key" that a daemon rewrites while a patch is applied
	Garbage  string // what sonic-cfggen --print-data prints instead of JSON
	Short    int    // bytes of headroom that APPL_DB has less than CONFIG_DB or the formula gives
}

// Switch is SONiC on one switch.
type Switch struct {
	Box
	Faults Faults // set them inside [Switch.Do]
	m      target.Machine
	state
}

type (
	row   = map[string]string // a hash; a list of CONFIG_DB has a field that ends in "@"
	table = map[string]row
	db    = map[string]table
)

// space is the databases of one namespace.
type space struct {
	Config  db
	Appl    table // by whole key: "BUFFER_PG_TABLE:Ethernet0:3-4"
	Buffers manager
}

// state is the state of a running switch, guarded by the machine's lock.
type state struct {
	Spaces      map[string]*space // "" is the host's, and that of a switch with one chip
	Cuts        int               // how often traffic was cut: swss started anew, or qos reload
	Checkpoints map[string]bool   // names that were given

	spaces []string // those the switch has
	resume func()
}

// Valid implements [target.State].
func (s *state) Valid() bool {
	whole := func(t table) bool {
		for _, r := range t {
			if r == nil {
				return false
			}
		}
		return t != nil
	}
	for ns, sp := range s.Spaces {
		if sp == nil || sp.Config == nil || !whole(sp.Appl) || !sp.Buffers.valid() || !slices.Contains(s.spaces, ns) {
			return false
		}
		for _, t := range sp.Config {
			if !whole(t) {
				return false
			}
		}
	}
	return len(s.Spaces) == len(s.spaces)
}

// Resume implements [target.Resumer].
func (s *state) Resume() { s.resume() }

// Paths of SONiC.
const (
	ConfigPath     = "/usr/local/bin/config"
	SavedPath      = "/etc/sonic/config_db.json"
	VersionPath    = "/etc/sonic/sonic_version.yml"
	checkpointsDir = "/etc/sonic/checkpoints/"
	realConfig     = "/usr/lib/sonic/config"
	syslogPath     = "/var/log/syslog"
)

// Releases are the branches the simulation knows, oldest first.
func Releases() []string {
	return []string{"202205", "202305", "202311", "202405", "202411", "202505", "202511", "202605"}
}

// New makes SONiC of one switch. It panics when the release is not a branch that is known, or a port is without a name.
func New(b Box) *Switch {
	if !slices.Contains(Releases(), b.Release) {
		panic("sonic/sim: no branch " + b.Release)
	}
	b.Model, b.Cable = or(b.Model, Traditional), or(b.Cable, "5m")
	b.Build = or(b.Build, b.Release+".12-1a2b3c4d5")
	b.Spectrum = max(b.Spectrum, 1)
	b.Ports = slices.Clone(b.Ports)
	for i, p := range b.Ports {
		if p.Name == "" {
			panic("sonic/sim: a port without a name")
		}
		if p.MTU == 0 {
			b.Ports[i].MTU = 9100
		}
	}
	if b.Lookup == "" {
		b.Lookup = usualLookup(b.ASIC)
	}
	return &Switch{Box: b}
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Image is the switch as it comes from the factory: its files, services, interfaces, and itself among the simulated parts. Who makes the
// device adds what is not of SONiC: neighbours, who is cabled to it.
func (s *Switch) Image() target.Image {
	img := target.Image{
		Files:    s.Files(),
		Services: []string{"bgp.service", "lldp.service", "pmon.service", "syncd.service", "telemetry.service", "teamd.service"},
		Netdevs:  []target.Netdev{{Name: "eth0"}},
		Sims:     []target.Sim{s},
		Systemd:  252,
	}
	for _, p := range s.Ports {
		img.Netdevs = append(img.Netdevs, target.Netdev{Name: p.Name, MTU: p.MTU, SpeedMbps: p.SpeedMbps, Down: p.Down})
	}
	return img
}

// since reports whether the release is a branch, or a later one.
func (b *Box) since(branch string) bool { return b.Release >= branch }

// namespaces are those of the chips; none where there is one chip.
func (b *Box) namespaces() (out []string) {
	for i := range b.Chips {
		if b.Chips > 1 {
			out = append(out, "asic"+strconv.Itoa(i))
		}
	}
	return out
}

// savedPath is where the configuration of a namespace is saved.
func savedPath(ns string) string {
	return strings.TrimSuffix(SavedPath, ".json") + strings.TrimPrefix(ns, "asic") + ".json"
}

// Boot implements [target.Sim]. What was saved is loaded, whatever was before.
func (s *Switch) Boot(m target.Machine) {
	s.m, s.Cuts = m, 0
	s.Spaces = map[string]*space{}
	s.spaces = append([]string{""}, s.namespaces()...)
	for _, ns := range s.spaces {
		s.Spaces[ns] = &space{Config: db{}, Appl: table{}}
		s.Spaces[ns].Buffers.reset(Traditional)
	}
	s.resume = func() { s.wake() }
	m.Keep("sonic", &s.state)
	for path, p := range map[string]target.Program{
		ConfigPath: s.config, realConfig: s.config, "/usr/local/bin/sonic-cfggen": s.cfggen, "/usr/bin/sonic-db-cli": s.dbCLI,
		"/usr/local/bin/pfcwd": s.pfcwd, "/usr/local/bin/ecnconfig": s.ecnconfig, "/usr/local/bin/show": s.show,
	} {
		m.Install(path, p)
	}
	m.Service("database.service", func() error {
		s.load()
		return nil
	})
	m.Service("swss.service", func() error {
		s.Cuts++
		s.startSwss()
		return nil
	})
}

// load fills the databases from the saved file; if that is missing or unreadable, with the factory configuration that config-setup
// makes.
func (s *Switch) load() {
	for ns, sp := range s.Spaces {
		text, err := s.m.ReadFile(savedPath(ns))
		sp.Config = s.factory(ns)
		if err != nil {
			continue
		}
		if doc, err := parseJSON(text); err == nil {
			if top, ok := doc.(map[string]any); ok {
				sp.Config = fromTree(top)
			}
		}
	}
}

// startSwss starts the daemons on what the databases hold; the buffer model is that of DEVICE_METADATA from now on.
func (s *Switch) startSwss() {
	for _, ns := range s.names() {
		sp := s.Spaces[ns]
		sp.Appl = table{}
		sp.Buffers.reset(sp.model())
		for _, name := range slices.Sorted(maps.Keys(sp.Config)) {
			for _, key := range slices.Sorted(maps.Keys(sp.Config[name])) {
				sp.Buffers.Queue = append(sp.Buffers.Queue, event{name, key})
			}
		}
		s.settle(sp)
	}
}

func (s *Switch) names() []string { return slices.Sorted(maps.Keys(s.Spaces)) }

func (sp *space) model() string {
	return or(sp.Config["DEVICE_METADATA"]["localhost"]["buffer_model"], Traditional)
}

// put writes a row of CONFIG_DB, or removes it if it is nil, and notifies the daemons.
func (sp *space) put(name, key string, r row) {
	if r == nil {
		if _, ok := sp.Config[name][key]; !ok {
			return
		}
		delete(sp.Config[name], key)
		if len(sp.Config[name]) == 0 {
			delete(sp.Config, name)
		}
	} else {
		if sp.Config[name] == nil {
			sp.Config[name] = table{}
		}
		sp.Config[name][key] = r
	}
	sp.Buffers.Queue = append(sp.Buffers.Queue, event{name, key})
}

// modify sets fields of a row, and keeps the others.
func (sp *space) modify(name, key string, fields row) {
	r := maps.Clone(sp.Config[name][key])
	if r == nil {
		r = row{}
	}
	maps.Copy(r, fields)
	sp.put(name, key, r)
}

// wake has buffermgrd see what has changed, at once or after its lag.
func (s *Switch) wake() {
	for _, ns := range s.names() {
		sp := s.Spaces[ns]
		if len(sp.Buffers.Queue) == 0 {
			continue
		}
		if s.Lag == 0 {
			s.settle(sp)
			continue
		}
		s.m.After(s.Lag, func() {
			if s.Spaces[ns] == sp {
				s.settle(sp)
			}
		})
	}
}

// Do runs f with the machine's lock held, and has the daemons see what it did.
func (s *Switch) Do(f func()) {
	s.m.Do(func() {
		f()
		s.wake()
	})
}

// Row returns a row of CONFIG_DB of the host, or nil.
func (s *Switch) Row(name, key string) (r map[string]string) {
	s.m.Do(func() { r = maps.Clone(s.Spaces[""].Config[name][key]) })
	return r
}

// Put writes a row of CONFIG_DB of the host behind everybody's back, as another tool does; nil takes it away.
func (s *Switch) Put(name, key string, r map[string]string) {
	s.Do(func() { s.Spaces[""].put(name, key, maps.Clone(r)) })
}

// Applied is a row of APPL_DB of the host: "BUFFER_PG_TABLE:Ethernet0:3-4"; nil if it is missing.
func (s *Switch) Applied(key string) (r map[string]string) {
	s.m.Do(func() { r = maps.Clone(s.Spaces[""].Appl[key]) })
	return r
}

// Disrupted is how often traffic was cut since the switch is on: by a start of swss after the first, or qos reload.
func (s *Switch) Disrupted() (n int) {
	s.m.Do(func() { n = s.Cuts - 1 })
	return n
}

func (s *Switch) syslog(program, level, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	s.m.AppendFile(syslogPath, fmt.Sprintf("Nov 24 00:00:00 sonic %s swss#%s: %s\n", level, program, line))
}

// fromTree makes tables of JSON: {"TABLE": {"key": {"field": "value" or ["a", "b"]}}}. What is of another form is left out.
func fromTree(top map[string]any) db {
	out := db{}
	for name, v := range top {
		rows, ok := v.(map[string]any)
		if !ok {
			continue
		}
		t := table{}
		for key, v := range rows {
			if fields, ok := v.(map[string]any); ok {
				t[key] = fromFields(fields)
			}
		}
		if len(t) > 0 {
			out[name] = t
		}
	}
	return out
}

// fromFields makes a hash of an object, as ConfigDBConnector does: lists get a field of their own kind, and everything is text.
func fromFields(fields map[string]any) row {
	r := row{}
	for k, v := range fields {
		if list, ok := v.([]any); ok {
			var parts []string
			for _, item := range list {
				parts = append(parts, pyStr(item))
			}
			r[k+"@"] = strings.Join(parts, ",")
			continue
		}
		r[k] = pyStr(v)
	}
	return r
}

// tree makes JSON of tables.
func toTree(d db) map[string]any {
	out := map[string]any{}
	for name, t := range d {
		rows := map[string]any{}
		for key, r := range t {
			rows[key] = toFields(r)
		}
		out[name] = rows
	}
	return out
}

func toFields(r row) map[string]any {
	fields := map[string]any{}
	for k, v := range r {
		name, list := strings.CutSuffix(k, "@")
		if !list {
			fields[k] = v
			continue
		}
		var items []any
		for part := range strings.SplitSeq(v, ",") {
			items = append(items, part)
		}
		fields[name] = items
	}
	return fields
}

// Package sim is the SONiC part of a simulated switch (a [Box]), branches 202205 to 202605: its databases, the programs that change and
// show them (config, sonic-cfggen, sonic-db-cli, pfcwd, ecnconfig, show), and the daemon that makes buffers from them. It is written from
// the public sources of SONiC and knows nothing of what rocec writes.
//
// Package sim is an independent judge of the files and commands of rocec: never merge it with the grammar or the reader of the target.
//
// The traps that it simulates:
//
//   - The branch, the chip and the date of the build decide what a patch may change (allow.go). SONiC checks the difference between the
//     configurations, and not the operations of the patch. If a value is removed at one place and added at another, the difference is a
//     move, which no entry of the list allows (gu_common.py, validate_field_operation; jsonpatch, from_diff).
//   - A table must not become empty: EmptyTableError (generic_updater.py). From 202511 on, missing tables are added before a patch is
//     applied.
//   - Values are text: a number in a patch is written as text, and the comparison afterwards reports a difference (change_applier.py).
//   - config apply-patch ends with status 0 even if BUFFER_PG, BUFFER_PROFILE and FLEX_COUNTER_TABLE are wrong: the comparison omits
//     them. It locks nothing and saves nothing: a reboot restores /etc/sonic/config_db.json.
//   - config rollback tries to remove the rows that buffermgrd has made since, and up to 202505 the list refuses this.
//   - A patch that fails half way leaves the changes made so far ([Faults.Halfway], [Faults.Killed]). If a daemon writes rows in the
//     meantime, the patch ends with "some parts not updated" ([Faults.Rewrites]). For a config that hangs, tests replace it by a script.
//   - buffermgrd of the traditional model makes BUFFER_PROFILE pg_lossless_<speed>_<cable>_profile, and BUFFER_PG for the priorities in
//     pfc_enable. It removes no row when pfc_enable shrinks. If pg_profile_lookup.ini lacks a speed and cable, it logs a line and makes no
//     PG. A change of the cable alone has an effect from 202511 on. Up to 202505 a port without admin_status gets no PG (buffermgr.cpp).
//   - The dynamic model computes headroom only in APPL_DB, by a formula that changed in 202305, 202405 and 202605. CONFIG_DB contains
//     "NULL" (buffermgrdyn.cpp, buffer_headroom_mellanox.lua). The model is selected when swss starts.
//   - config qos reload deletes every table of QoS and writes the template; on Mellanox it changes the buffer model as well.
//   - The factory's map of DSCP puts 26 into traffic class 1, which is lossy (qos_config.j2).
//   - A switch with several chips has a database for each chip, and from 202411 on refuses a path without the chip's name.
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
	NoQoS    QoS = iota // without tables of QoS, as an image with the community's preset may boot
	Template            // the tables that config qos reload writes
)

// The buffer models, as named in DEVICE_METADATA.
const (
	Traditional = "traditional"
	Dynamic     = "dynamic"
)

// Box describes a switch.
type Box struct {
	Release  string // branch: "202505"
	Build    string // build_version: "20230531.19"; empty: the branch with a number, which has no date
	HwSKU    string // "ACS-MSN2700"
	Platform string // "x86_64-mlnx_msn2700-r0"
	ASIC     string // asic_type: mellanox, broadcom, cisco-8000, marvell-teralynx, vs
	Spectrum int    // generation of a Mellanox chip, 1 to 6; 0: 1
	Ports    []Port
	Model    string // buffer_model; empty: traditional
	QoS      QoS
	Cable    string        // the cable length that the template sets for every port; empty: "5m"
	Lookup   string        // text of pg_profile_lookup.ini; empty: a usual file for the chip's vendor; NoLookup: no file
	Chips    int           // namespaces asic0, asic1 ...; 0 and 1: one chip without namespaces
	Lag      time.Duration // delay before buffermgrd handles a change
	Headroom int           // max_headroom_size of a port in bytes; 0: unlimited
}

// NoLookup as [Box.Lookup] is for a platform without pg_profile_lookup.ini.
const NoLookup = "-"

// Port is a port in the configuration.
type Port struct {
	Name      string // "Ethernet0"
	Alias     string // "etp1"
	Lanes     string // "0,1,2,3"
	Index     int    // number of the cage, from 1
	SpeedMbps int
	MTU       int  // bytes; 0: 9100
	Down      bool // admin_status is down
	Unset     bool // admin_status is missing, as after a breakout
}

// Faults are failures to simulate.
type Faults struct {
	Halfway  int    // config apply-patch fails after this number of changes; 0: it does not fail
	Killed   int    // config apply-patch is killed after this number of changes
	Rewrites string // a row "TABLE|key" that a daemon rewrites while a patch is applied
	Garbage  string // what sonic-cfggen --print-data prints instead of JSON
	Short    int    // bytes of headroom that are missing in APPL_DB
}

// Switch simulates SONiC on one switch.
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

// space has the databases of one namespace.
type space struct {
	Config  db
	Appl    table // by full key: "BUFFER_PG_TABLE:Ethernet0:3-4"
	Buffers manager
}

// state is the state of a running switch, guarded by the machine's lock.
type state struct {
	Spaces      map[string]*space // "" is the host's space, and the only one of a switch with one chip
	Cuts        int               // how often traffic was interrupted, by a restart of swss or by qos reload
	Checkpoints map[string]bool   // the names of checkpoints

	spaces []string // the namespaces of the switch
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

// Releases are the branches that the simulation knows, oldest first.
func Releases() []string {
	return []string{"202205", "202305", "202311", "202405", "202411", "202505", "202511", "202605"}
}

// New returns SONiC for one switch. It panics if the release is an unknown branch, or a port has no name.
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

// Image returns the switch as it comes from the factory: its files, services and interfaces, and the switch itself as a simulated part.
// The caller adds what does not belong to SONiC: neighbours and cables.
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

// namespaces returns the namespaces of the chips; none if there is one chip.
func (b *Box) namespaces() (out []string) {
	for i := range b.Chips {
		if b.Chips > 1 {
			out = append(out, "asic"+strconv.Itoa(i))
		}
	}
	return out
}

// savedPath returns the path at which the configuration of a namespace is saved.
func savedPath(ns string) string {
	return strings.TrimSuffix(SavedPath, ".json") + strings.TrimPrefix(ns, "asic") + ".json"
}

// Boot implements [target.Sim]. It loads the saved configuration and discards the running one.
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

// load fills the databases from the saved file. If the file is missing or unreadable, load uses the factory configuration of
// config-setup.
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

// startSwss starts the daemons with the content of the databases. From then on, the buffer model is the one in DEVICE_METADATA.
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

// wake lets buffermgrd handle all changes, at once or after its lag.
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

// Do runs f with the machine's lock held, and then lets the daemons handle the changes.
func (s *Switch) Do(f func()) {
	s.m.Do(func() {
		f()
		s.wake()
	})
}

// Row returns a row of the host's CONFIG_DB, or nil.
func (s *Switch) Row(name, key string) (r map[string]string) {
	s.m.Do(func() { r = maps.Clone(s.Spaces[""].Config[name][key]) })
	return r
}

// Put writes a row of the host's CONFIG_DB directly, as another tool does; nil removes it.
func (s *Switch) Put(name, key string, r map[string]string) {
	s.Do(func() { s.Spaces[""].put(name, key, maps.Clone(r)) })
}

// Applied returns a row of the host's APPL_DB, such as "BUFFER_PG_TABLE:Ethernet0:3-4"; nil if it is missing.
func (s *Switch) Applied(key string) (r map[string]string) {
	s.m.Do(func() { r = maps.Clone(s.Spaces[""].Appl[key]) })
	return r
}

// Disrupted returns how often traffic was interrupted since the switch was powered on, by a restart of swss or by qos reload.
func (s *Switch) Disrupted() (n int) {
	s.m.Do(func() { n = s.Cuts - 1 })
	return n
}

func (s *Switch) syslog(program, level, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	s.m.AppendFile(syslogPath, fmt.Sprintf("Nov 24 00:00:00 sonic %s swss#%s: %s\n", level, program, line))
}

// fromTree reads tables from JSON: {"TABLE": {"key": {"field": "value" or ["a", "b"]}}}. Content of another form is ignored.
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

// fromFields reads a hash from an object, as ConfigDBConnector does: lists get their own kind of field, and all other values become text.
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

// tree returns tables as JSON.
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

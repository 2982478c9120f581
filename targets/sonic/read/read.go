// Package read turns the configuration of a switch with SONiC into settings that name no vendor.
//
// The input is tables of CONFIG_DB ([Settings]), or a person's files of one switch ([Understand]). The output is [ir.Settings], the number
// of rows with a meaning, and the place of each value. A single file becomes a [Text] for rules that judge it. No content of a file makes
// a reading fail.
package read

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// noProfile is the profile of a priority group whose headroom the switch computes.
const noProfile = "NULL"

// Understand reads the configuration of one switch, by paths. It accepts config_db.json, the output of `sonic-cfggen -d --print-data`,
// and pg_profile_lookup.ini. It also accepts dumps with keys such as PORT|Ethernet0 (`sonic-db-dump`, with and without {"type": "hash",
// "value": {…}}) and PORT_TABLE:Ethernet0, pieces such as qos.json and buffers.json, as an object or a list of objects, and rocec's rows.
//
// A slip of syntax makes its row unreadable. If a key occurs twice in an object, the last one counts. config_db.json overrides pieces. A
// file above 64 MiB is not read. A missing value is the system's default in a whole configuration, and otherwise unknown. A configuration
// is whole if it has DEVICE_METADATA|localhost and its text is complete.
func Understand(id target.Identity, contents map[string][]byte) *target.Understood {
	in := load(contents)
	r := newReading(in.whole)
	r.in, r.release = in, releaseOf(in.whole, id)
	r.full = in.whole.Row("DEVICE_METADATA", "localhost") != nil && !in.ends && !in.full
	r.running = in.dump()
	s := r.settings(r.names(id.Ports))
	if !r.full {
		s.Rest = nil
	}
	switch {
	case in.dump():
		s.Moment = ir.Running
	case in.file:
		s.Moment = ir.Stored
	}
	release := r.release
	if release == 0 {
		release = grammar.Newest
	}
	u := &target.Understood{Settings: s, Where: r.where, Pair: pairOf(contents), Neighbours: in.neighbours(), BGP: in.bgp()}
	u.Aliases, u.Inside, u.Card = aliasesOf(in.whole), in.inside(), in.card()
	u.Coverage = r.coverage(release, r.release != 0)
	u.Notes, u.Host = in.notes, in.whole.Get("DEVICE_METADATA", "localhost", "hostname")
	return u
}

// pairOf returns the name of the switch's MLAG pair from its row in MCLAG_DOMAIN of config_db.json: the domain and the addresses of both
// switches (sonic-mclag.yang: source_ip, peer_ip).
func pairOf(contents map[string][]byte) string {
	const table, head = `"MCLAG_DOMAIN"`, 4096 // maximum bytes of the table
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		i := bytes.Index(contents[name], []byte(table))
		if i < 0 {
			continue
		}
		rest := bytes.TrimLeft(contents[name][i+len(table):], " \t\r\n:")
		var rows map[string]map[string]any
		if json.NewDecoder(bytes.NewReader(rest[:min(len(rest), head)])).Decode(&rows) != nil || len(rows) != 1 {
			continue
		}
		for id, row := range rows {
			own, _ := row["source_ip"].(string)
			peer, _ := row["peer_ip"].(string)
			if own != "" && peer != "" {
				return fmt.Sprintf("mclag %s %s %s", id, min(own, peer), max(own, peer))
			}
		}
	}
	return ""
}

// releaseOf returns the release in a configuration, or else the known release of the switch; 0: neither is known.
func releaseOf(c *grammar.Config, id target.Identity) grammar.Release {
	if r := grammar.ReleaseOf(c); r != 0 {
		return r
	}
	for _, text := range []string{c.Get(grammar.VersionTable, "localhost", "build_version"), id.Release} {
		if v, err := grammar.ParseVersion(text); err == nil {
			return v.Release
		}
	}
	return 0
}

// Settings returns the settings of a running switch from its tables, for the ports of its table PORT, the ports in names, and all others.
func Settings(c *grammar.Config, names []string) *ir.Settings {
	r := newReading(c)
	r.full, r.running = true, true
	r.release = releaseOf(c, target.Identity{})
	s := r.settings(slices.Concat(c.Keys("PORT"), names))
	s.Moment = ir.Running
	return s
}

// reading is a configuration that is being read.
type reading struct {
	in      *input // nil: only tables are there
	cfg     *grammar.Config
	lookup  grammar.Lookup
	release grammar.Release
	full    bool // the configuration is whole, so missing values have the system's default

	// has reports whether the configuration has all rows of a table, so that the switch lacks a missing row.
	has     func(table string) bool
	running bool // a switch runs the configuration, and its daemons have added their rows
	made    bool // some port has a lossless priority group
	dynamic bool // the switch computes headroom

	qos     map[string]*grammar.Row // rows of PORT_QOS_MAP by port
	watched map[string]*grammar.Row // rows of PFC_WD by port, and GLOBAL
	slots   map[string]map[string]*[8]slot
	cables  map[string]grammar.Value

	maps    map[[2]string]*[64]int8
	groups  map[string]ir.GroupSettings // by profile
	queues  map[[3]string]ir.QueueSettings
	profile map[string]bool // whether a profile makes a group lossless
	wrong   []miss          // rows that the grammar's table does not describe
}

// slot is a queue or a priority group of a port, with its row.
type slot struct {
	row   *grammar.Row
	key   string
	clash bool // another row has the same queue or group
}

// The tables whose keys contain queues or priority groups.
var ranged = []string{"BUFFER_PG", "BUFFER_QUEUE", "QUEUE"}

// eachRow calls a function for the rows of a table. If a key lists several ports, the rows are in the order of their keys. The function
// returns the number of ports that its key lists.
func (r *reading) eachRow(table string, do func(key string, row *grammar.Row) int) {
	rows := rowsOf(r.cfg, table)
	several := false
	for key := range rows {
		several = several || strings.Contains(key, ",")
	}
	if !several {
		for key, row := range rows {
			do(key, row)
		}
		return
	}
	held := 0
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		if strings.Count(key, ",") >= grammar.MaxListed {
			r.miss("a row of "+table, "its key lists more than 4,096 ports, and a large switch has some hundred", rows[key].At)
			continue
		}
		if held += do(key, rows[key]); held > grammar.MaxHeld {
			r.miss("rows of "+table, "together their keys list more than 131,072 ports, and a large switch has some hundred", rows[key].At)
			return
		}
	}
}

func newReading(c *grammar.Config) *reading {
	r := &reading{
		cfg: c, lookup: grammar.LookupOf(c), qos: map[string]*grammar.Row{}, watched: map[string]*grammar.Row{},
		slots:  map[string]map[string]*[8]slot{},
		cables: map[string]grammar.Value{}, maps: map[[2]string]*[64]int8{}, groups: map[string]ir.GroupSettings{},
		queues: map[[3]string]ir.QueueSettings{}, profile: map[string]bool{},
	}
	r.has = func(table string) bool {
		return r.full || c.Tables[table] != nil && (r.in == nil || !r.in.ends || r.in.ended != table)
	}
	r.dynamic = c.Get("DEVICE_METADATA", "localhost", "buffer_model") == "dynamic"
	for _, table := range ranged {
		of := map[string]*[8]slot{}
		r.slots[table] = of
		r.eachRow(table, func(key string, row *grammar.Row) int {
			ports, from, to, ok := places(key)
			if !ok {
				return 0
			}
			for _, port := range ports {
				if !grammar.IsPort(port) {
					continue
				}
				if of[port] == nil {
					of[port] = &[8]slot{}
				}
				for n := from; n <= min(to, 7); n++ {
					of[port][n].take(row, key)
				}
			}
			r.made = r.made || table == "BUFFER_PG" && r.lossless(row.Get("profile"))
			return len(ports)
		})
	}
	r.eachRow("PORT_QOS_MAP", func(key string, row *grammar.Row) int {
		ports := grammar.Listed(key)
		for _, port := range ports {
			if len(ports) == 1 || r.qos[port] == nil { // a port's own row takes precedence
				r.qos[port] = row
			}
		}
		return len(ports)
	})
	r.eachRow("PFC_WD", func(key string, row *grammar.Row) int {
		ports := grammar.Listed(key)
		for _, port := range ports {
			if len(ports) == 1 || r.watched[port] == nil {
				r.watched[port] = row
			}
		}
		return len(ports)
	})
	for _, key := range c.Keys("CABLE_LENGTH") {
		maps.Copy(r.cables, c.Row("CABLE_LENGTH", key).Fields)
	}
	return r
}

func rowsOf(c *grammar.Config, table string) map[string]*grammar.Row {
	if s := c.Tables[table]; s != nil {
		return s.Rows
	}
	return nil
}

// take sets the row of a slot. If two rows have the slot, the last one in natural order is taken, although the chip's choice is
// undefined.
func (s *slot) take(row *grammar.Row, key string) {
	if s.row != nil && s.key != key {
		s.clash = true
		if nodeset.Compare(key, s.key) < 0 {
			return
		}
	}
	s.row, s.key = row, key
}

func (r *reading) slot(table, port string, n int) slot {
	if all := r.slots[table][port]; all != nil && n >= 0 {
		return all[n]
	}
	return slot{}
}

// clash reports whether another row has one of the queues or groups of a row.
func (r *reading) clash(table, port string, from, to int) bool {
	for n := from; n <= min(to, 7); n++ {
		if r.slot(table, port, n).clash {
			return true
		}
	}
	return false
}

// places splits the key of a queue or of a priority group into its parts: Ethernet0|3-4.
func places(key string) (ports []string, from, to int, ok bool) {
	name, index, _ := strings.Cut(key, "|")
	from, to, ok = grammar.ParseRange(index)
	return grammar.Listed(name), from, to, ok && name != ""
}

// digit reads a class, a queue or a group; -1: the text is not such a number.
func digit(text string) int {
	if len(text) != 1 || text[0] < '0' || text[0] > '7' {
		return -1
	}
	return int(text[0] - '0')
}

// names lists the ports of a configuration and further ones.
func (r *reading) names(further []string) []string {
	all := map[string]bool{}
	for _, name := range further {
		all[name] = true
	}
	add := func(name string) {
		if grammar.IsPort(name) {
			all[name] = true
		}
	}
	for name := range rowsOf(r.cfg, "PORT") {
		add(name)
	}
	for _, rows := range []map[string]*grammar.Row{r.qos, r.watched} {
		for name := range rows {
			add(name)
		}
	}
	for name := range r.cables {
		add(name)
	}
	for _, table := range ranged {
		for name := range r.slots[table] {
			add(name)
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// settings reads some ports, the common settings of all other ports, and the switch.
func (r *reading) settings(names []string) *ir.Settings {
	rest := r.port("")
	s := &ir.Settings{Rest: &rest, Ports: make(map[string]*ir.PortSettings, len(names)), Pools: r.pools(), System: r.system()}
	alike := map[ir.PortSettings]*ir.PortSettings{}
	for _, name := range names {
		p := r.port(name)
		if alike[p] == nil {
			alike[p] = &p
		}
		s.Ports[name] = alike[p]
	}
	return s
}

// system reads the hwsku, the platform and the release.
func (r *reading) system() (s ir.System) {
	row := r.cfg.Row("DEVICE_METADATA", "localhost")
	s.OS = ir.ByDefault("sonic")
	if text := row.Get("hwsku"); text != "" && text != null {
		s.SKU = ir.Of(text)
	}
	if text := row.Get("platform"); text != "" && text != null {
		s.Model = ir.Of(text)
	}
	if r.release != 0 {
		s.Release = ir.Of(r.release.String())
	}
	return s
}

// pools reads BUFFER_POOL; nil: the table is missing.
func (r *reading) pools() map[string]ir.Pool {
	rows := rowsOf(r.cfg, "BUFFER_POOL")
	if rows == nil {
		return nil
	}
	out := make(map[string]ir.Pool, len(rows))
	for name, row := range rows {
		kind := row.Get("type")
		p := ir.Pool{Ingress: kind == "ingress" || kind == "both", Egress: kind == "egress" || kind == "both"}
		p.Size, p.Percent, p.Shared = number(row, "size"), number(row, "percentage"), number(row, "xoff")
		if !row.Has("xoff") && !r.dynamic { // SAI_BUFFER_POOL_ATTR_XOFF_SIZE is 0 by default. The dynamic model computes it
			p.Shared = ir.ByDefault(0)
		}
		switch row.Get("mode") {
		case "static":
			p.Mode = ir.Of(ir.PoolStatic)
		case "dynamic":
			p.Mode = ir.Of(ir.PoolDynamic)
		case "": // default of SAI_BUFFER_POOL_ATTR_THRESHOLD_MODE (opencomputeproject/SAI, saibuffer.h)
			p.Mode = ir.ByDefault(ir.PoolDynamic)
		}
		out[name] = p
	}
	return out
}

// number reads a whole number from 0 up; any other text is unknown.
func number(row *grammar.Row, field string) ir.Setting[int] {
	n, err := strconv.Atoi(row.Get(field))
	if err != nil || n < 0 {
		return ir.Setting[int]{}
	}
	return ir.Of(n)
}

// or returns a value, or the system's default if the row lacks its field.
func or[T comparable](v ir.Setting[T], row *grammar.Row, field string, otherwise T) ir.Setting[T] {
	if row != nil && !row.Has(field) {
		return ir.ByDefault(otherwise)
	}
	return v
}

// times reads milliseconds.
func times(row *grammar.Row, field string) ir.Setting[time.Duration] {
	n := number(row, field)
	if !n.Known() || n.Value > 1<<31 {
		return ir.Setting[time.Duration]{}
	}
	return ir.Of(time.Duration(n.Value) * time.Millisecond)
}

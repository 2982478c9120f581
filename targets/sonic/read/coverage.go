package read

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// The reasons why a row sets nothing, in addition to the reasons in the table.
const (
	asideOther   = "it describes the switch, and does not affect lossless traffic"
	asideChassis = "queues of system ports of a chassis"
	asideClass   = "a traffic class above 7, which no cos group uses"
	asideQueue   = "a queue above 7, which no cos group uses"
	asidePackets = "a rate in packets, which has no equivalent in bits"
	asideListed  = "a field of a row whose key is not read"
	asideSizes   = "sizes of the lookup file, from which the switch makes profiles"
	asideInit    = "a row of the application database without a port"
)

// coverage counts every field by its row in the grammar's table.
func (r *reading) coverage(release grammar.Release, stated bool) target.Coverage {
	in := r.in
	cov := in.cov
	for name, s := range r.cfg.Tables {
		t := grammar.TableOf(name)
		for key, row := range s.Rows {
			c := counter{reading: r, cov: &cov, t: t, key: key, row: row, release: release, stated: stated}
			c.count()
		}
	}
	misses := slices.Concat(in.misses, r.wrong)
	slices.SortStableFunc(misses, func(a, b miss) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.row, b.row), strings.Compare(a.why, b.why))
	})
	for _, m := range misses[:min(len(misses), maxMisses)] {
		cov.Miss(m.row, m.why, in.place(m.at))
	}
	if more := len(misses) - maxMisses; more > 0 {
		cov.Miss("further rows", "more than 10,000 rows are not understood", in.place(misses[maxMisses].at))
		cov.Rows += more - 1
	}
	return cov
}

// miss records a row that the table does not describe.
func (r *reading) miss(row, why string, at int) {
	r.wrong = append(r.wrong, miss{row: short(row), why: why, at: at})
}

// counter counts the fields of a row.
type counter struct {
	*reading
	cov     *target.Coverage
	t       *grammar.Table
	key     string
	row     *grammar.Row
	release grammar.Release
	stated  bool // the release is known
}

func (c *counter) count() {
	why, wrong := c.place()
	for name, v := range c.row.Fields {
		row := c.t.Name + "|" + c.key + " " + name
		switch {
		case wrong != "":
			c.miss(row, wrong, c.row.At)
		case why != "":
			c.cov.Leave(why)
		case c.t.Name == grammar.VersionTable:
			c.cov.Mean(ir.FieldSystem)
		case c.t.Name == grammar.LookupTable:
			c.cov.Leave(asideSizes)
		default:
			c.field(row, name, v)
		}
	}
}

// place checks the key of a row: it returns why the fields set nothing, or what is wrong with the key.
func (c *counter) place() (aside, wrong string) {
	switch c.t.Key {
	case grammar.PortRangeKey:
		if strings.Count(c.key, "|") == 3 {
			return asideChassis, ""
		}
		if strings.Count(c.key, ",") >= grammar.MaxListed {
			return asideListed, ""
		}
		ports, from, to, ok := places(c.key)
		if !ok || len(ports) == 0 {
			return "", "its key is not a port with queues or priority groups, such as Ethernet0|3-4"
		}
		if from > 7 {
			return asideQueue, ""
		}
		for _, port := range ports {
			if c.clash(c.t.Name, port, from, to) {
				return "", "two rows hold one queue or priority group, and their order decides which one counts"
			}
		}
	case grammar.PortKey:
		if c.t.Name == "PORT" && !grammar.IsPort(c.key) {
			return asideInit, ""
		}
	case grammar.FixedKey:
		if !slices.Contains(c.t.Fixed, c.key) {
			return asideOther, ""
		}
	}
	return "", ""
}

// field counts one field.
func (c *counter) field(row, name string, v grammar.Value) {
	f, other := c.t.Field(c.release, name)
	if f == nil && !c.stated {
		f = other
	}
	switch {
	case f == nil && c.t.Beside:
		c.cov.Leave(asideOther)
		return
	case f == nil && other != nil:
		c.miss(row, "another release has this field", v.At)
		return
	case f == nil:
		c.miss(row, "no model has this field", v.At)
		return
	}
	if n, err := strconv.Atoi(v.Text); c.t.Name == "TC_TO_QUEUE_MAP" && err == nil && n > 7 && n < 64 {
		c.cov.Leave(asideQueue)
		return
	}
	if wrong := c.senseless(f, v); wrong != "" {
		c.miss(row, wrong, v.At)
		return
	}
	above := f.Name == "<n>" && strings.HasPrefix(c.t.Name, "TC_TO_") && digit(name) < 0
	switch {
	case f.Means == ir.NoField:
		c.cov.Leave(f.Aside)
	case above || strings.HasSuffix(c.t.Name, "_TO_TC_MAP") && digit(v.Text) < 0:
		c.cov.Leave(asideClass)
	case c.t.Name == "SCHEDULER" && (name == "pir" || name == "cir") && c.row.Get("meter_type") == "packets":
		c.cov.Leave(asidePackets)
	default:
		c.cov.Mean(f.Means)
	}
}

// senseless returns why a value is invalid; empty: it is valid.
func (c *counter) senseless(f *grammar.Field, v grammar.Value) string {
	switch {
	case v.Text == null && f.Kind == grammar.Free:
		return ""
	case v.Text == null:
		return "it is null, which a switch reads as the text None"
	case v.List != nil && f.Kind != grammar.RefList:
		return "it is a list, and CONFIG_DB has text there"
	}
	if wrong := f.Wrong(c.release, v.Text); wrong != "" {
		return "the value " + wrong
	}
	table := "BUFFER_PROFILE"
	switch f.Kind {
	case grammar.Ref:
		table = f.Words[0]
	case grammar.Profile, grammar.RefList:
	default:
		return ""
	}
	if c.cfg.Tables[table] == nil { // a piece
		return ""
	}
	for name := range strings.SplitSeq(v.Text, ",") {
		if c.cfg.Row(table, name) == nil && !(f.Kind == grammar.Profile && (name == noProfile || grammar.IsMade(name))) {
			return "it names a missing row of " + table
		}
	}
	return ""
}

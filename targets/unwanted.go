package targets

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/nic/tools"
	"github.com/rocec/rocec/targets/target"
)

// DeviceRead contains the settings that the files of a fabric's device state.
type DeviceRead struct {
	*target.Understood
	Files []string // names of the files that were read
	Not   []string // sentences: the files that were not read, with the reasons

	device *ir.Device
	hosts  map[[sha256.Size]byte]*ir.Settings // cached settings of files that rocec writes; nil: no cache
}

// ReadValue is a value of a device that was read and differs from the wanted one.
type ReadValue struct {
	Name, Wanted, Read string
	Field              ir.Field
	At                 diag.Range     // of the read value; zero: no place
	Why                string         // the reason why rocec would accept the difference; empty: it would not
	Of                 *ir.Difference // the difference from the wanted value (A)
	Written            bool           // files of rocec state the wanted value
}

// Comparison compares the values that were read from a device with the wanted ones.
type Comparison struct {
	Values   []ReadValue // values that differ; those with a reason are last
	Unknown  []string    // values that the files do not state, by field: "speed at swp1 and swp2"
	Missing  []string    // values in Unknown that the files of rocec would state
	Compared int         // number of values that both sides have, for each kind of port
	Whole    bool        // all kinds of ports were compared

	written *ir.Settings // settings of rocec's files; nil: no differences, or the files state nothing
}

// mostKinds limits the kinds of ports that are compared.
const mostKinds = 1 << 10

// Compare compares the values that were read with the wanted ones: the values of one port, or of all ports for an empty name. A value also
// counts as wanted if rocec itself would write it: some systems round a value, or have another word for it.
func (r *DeviceRead) Compare(port string) *Comparison {
	c := &comparing{wanted: r.device.Wanted(), read: r.Settings, out: &Comparison{Whole: true}}
	c.ports(port)
	if port == "" {
		c.pools()
	}
	sort.SliceStable(c.all, func(i, k int) bool {
		a, b := c.all[i], c.all[k]
		return a.Field < b.Field || a.Field == b.Field && a.Index < b.Index
	})
	if len(c.all)+len(c.unknown) > 0 { // this is slow
		c.written = knownSettings(r.hosts, r.device)
		c.out.written = c.written
	}
	for _, d := range c.all {
		if c.asWritten(d) {
			c.out.Compared++
			continue
		}
		v := ReadValue{
			Name: subject(&d.Difference), Field: d.Field, Wanted: d.A, Read: d.B, Why: r.form(&d.Difference), Of: &d.Difference,
			Written: d.written,
		}
		if r.Where != nil {
			v.At, _ = placeOf(r.Understood, &d.Difference)
		}
		c.out.Values = append(c.out.Values, v)
	}
	sort.SliceStable(c.out.Values, func(i, k int) bool { return c.out.Values[i].Why == "" && c.out.Values[k].Why != "" })
	for _, f := range ir.Fields() {
		if d := c.unknown[f]; d != nil {
			c.out.Unknown = append(c.out.Unknown, subject(&d.Difference))
			if c.states(d) {
				c.out.Missing = append(c.out.Missing, subject(&d.Difference))
			}
		}
	}
	return c.out
}

// comparing is the state during a comparison.
type comparing struct {
	wanted, read, written *ir.Settings
	all                   []*unlikeValue
	at                    map[valueKey]*unlikeValue
	unknown               map[ir.Field]*unknownValues
	out                   *Comparison
}

// unknownValues contains the values of a field that the files do not state.
type unknownValues struct {
	ir.Difference
	all []valueAt
}

// valueAt is a value of a port, for one port of each kind, or of a pool.
type valueAt struct {
	ir.Value
	port string
}

// unlikeValue is a different value, with one port of each kind that has it.
type unlikeValue struct {
	ir.Difference
	samples []string
	written bool // rocec writes A
}

type valueKey struct {
	ir.Value
	other string
}

// ports compares ports, and equal ports only once.
func (c *comparing) ports(only string) {
	names := map[string]bool{"": true}
	for _, of := range []*ir.Settings{c.wanted, c.read} {
		for name := range of.Ports {
			names[name] = true
		}
	}
	if only != "" {
		names = map[string]bool{only: true}
	}
	type pair [2]*ir.PortSettings
	kinds := map[pair][]string{}
	var order []pair
	for _, name := range slices.SortedFunc(maps.Keys(names), nodeset.Compare) {
		p := pair{c.wanted.Port(name), c.read.Port(name)}
		if p[0] == nil || name == "" && p[1] == nil {
			continue
		}
		if kinds[p] == nil {
			if len(order) == mostKinds {
				c.out.Whole = false
				continue
			}
			order = append(order, p)
		}
		kinds[p] = append(kinds[p], name)
	}
	c.at, c.unknown = map[valueKey]*unlikeValue{}, map[ir.Field]*unknownValues{}
	for _, p := range order {
		c.kind(p[0], p[1], kinds[p])
	}
}

// kind compares the values of ports with equal settings.
func (c *comparing) kind(wanted, read *ir.PortSettings, ports []string) {
	has := valuesOf(read)
	missing := map[ir.Field][]ir.Value{}
	for v := range wanted.Values() {
		text := v.Text
		is, known := has[named(v)]
		switch {
		case !known:
			missing[v.Field] = append(missing[v.Field], named(v))
		case is == text:
			c.out.Compared++
		default:
			k := valueKey{v, is}
			one := c.at[k]
			if one == nil {
				one = &unlikeValue{Difference: ir.Difference{Field: v.Field, Index: v.Index, What: v.What, A: text, B: is}}
				c.at[k], c.all = one, append(c.all, one)
			}
			one.samples = append(one.samples, ports[0])
			add(&one.Difference, ports)
		}
	}
	for f, all := range missing {
		if c.unknown[f] == nil {
			c.unknown[f] = &unknownValues{Difference: ir.Difference{Field: f, Index: -1}}
		}
		for _, v := range all {
			c.unknown[f].all = append(c.unknown[f].all, valueAt{v, ports[0]})
		}
		add(&c.unknown[f].Difference, ports)
	}
}

// add adds ports to a difference, which lists only a few.
func add(d *ir.Difference, ports []string) {
	const most = 8
	n := min(len(ports), most-min(len(d.Ports), most))
	d.Ports, d.More = append(d.Ports, ports[:n]...), d.More+len(ports)-n
}

// named identifies a value, without its text.
func named(v ir.Value) ir.Value {
	v.Text = ""
	return v
}

func valuesOf(p *ir.PortSettings) map[ir.Value]string {
	if p == nil {
		return map[ir.Value]string{}
	}
	const usual = 160 // values of a NIC with a map of all DSCP values
	out := make(map[ir.Value]string, usual)
	for v := range p.Values() {
		out[named(v)] = v.Text
	}
	return out
}

// textOf returns the text of one value of a port; empty: the port does not state it.
func textOf(p *ir.PortSettings, v ir.Value) string {
	if p != nil {
		for of := range p.Values() {
			if named(of) == v {
				return of.Text
			}
		}
	}
	return ""
}

// pools compares the pools that are wanted.
func (c *comparing) pools() {
	for _, name := range slices.Sorted(maps.Keys(c.wanted.Pools)) {
		has := map[ir.Value]string{}
		read, wanted := c.read.Pools[name], c.wanted.Pools[name]
		for _, v := range read.Values() {
			has[named(v)] = v.Text
		}
		for _, v := range wanted.Values() {
			switch is := has[named(v)]; {
			case v.Text == "":
			case is == "":
				if c.unknown[ir.FieldPool] == nil {
					c.unknown[ir.FieldPool] = &unknownValues{
						Difference: ir.Difference{Field: ir.FieldPool, Index: -1, What: v.What, Ports: []string{name}},
					}
				}
				c.unknown[ir.FieldPool].all = append(c.unknown[ir.FieldPool].all, valueAt{named(v), name})
			case is == v.Text:
				c.out.Compared++
			default:
				c.all = append(c.all, &unlikeValue{Difference: ir.Difference{
					Field: ir.FieldPool, Index: -1, What: v.What, Ports: []string{name}, A: v.Text, B: is,
				}})
			}
		}
	}
}

// asWritten reports whether rocec writes the value that was read. If rocec writes a third value, that becomes the wanted one.
func (c *comparing) asWritten(d *unlikeValue) bool {
	if c.written == nil {
		return false
	}
	v := ir.Value{Field: d.Field, Index: d.Index, What: d.What}
	if d.Field == ir.FieldPool {
		pool := c.written.Pools[d.Ports[0]]
		of := pool.Values()
		return slices.ContainsFunc(of[:], func(w ir.Value) bool { return named(w) == v && w.Text == d.B })
	}
	wrote, one, all := "", true, true // 1: all ports have the same text
	for _, port := range d.samples {
		text := textOf(c.written.Port(port), v)
		d.written = d.written || text != "" && text != d.B
		one, all = one && text != "" && (wrote == "" || wrote == text), all && text == d.B
		wrote = text
	}
	if one && !all {
		d.A = wrote
	}
	return all
}

// states reports whether the files of rocec would state a value that the files of the device do not.
func (c *comparing) states(d *unknownValues) bool {
	if c.written == nil {
		return false
	}
	has := map[string]map[ir.Value]string{}
	return slices.ContainsFunc(d.all, func(v valueAt) bool {
		if has[v.port] == nil {
			has[v.port] = valuesOf(c.written.Port(v.port))
			if v.Field == ir.FieldPool {
				pool := c.written.Pools[v.port]
				for _, of := range pool.Values() {
					has[v.port][named(of)] = of.Text
				}
			}
		}
		return has[v.port][v.Value] != ""
	})
}

// knownSettings returns the settings of the files that rocec writes for a device; nil: it writes no file that can be read. w caches the
// settings of hosts, because many hosts have equal files.
func knownSettings(w map[[sha256.Size]byte]*ir.Settings, d *ir.Device) *ir.Settings {
	contents := writtenFiles(d)
	if w == nil || d.Host == nil {
		return settingsOf(d, contents)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q\n", identityOf(d))
	for _, path := range slices.Sorted(maps.Keys(contents)) {
		fmt.Fprintf(sum, "%q %d\n", path, len(contents[path]))
		sum.Write(contents[path])
	}
	key := [sha256.Size]byte(sum.Sum(nil))
	s, known := w[key]
	if !known {
		s = settingsOf(d, contents)
		w[key] = s
	}
	return s
}

// writtenFiles returns, by path, the files that rocec writes for a device without existing files.
func writtenFiles(d *ir.Device) map[string][]byte {
	contents := map[string][]byte{}
	for _, f := range FilesOf(d) {
		content := f.Sketch
		if content == nil {
			content, _ = f.Edit(nil)
		}
		contents[f.Path] = content
	}
	return contents
}

// writtenSettings reads the files that rocec writes for a device; nil: it writes no file that can be read.
func writtenSettings(d *ir.Device) *ir.Settings { return settingsOf(d, writtenFiles(d)) }

// settingsOf reads files of a device; nil: no target reads them.
func settingsOf(d *ir.Device, contents map[string][]byte) *ir.Settings {
	by := All.of(d)
	switch {
	case len(contents) == 0 || len(by) == 0:
		return nil
	case d.Host != nil:
		return tools.Understand(identityOf(d), contents).Settings
	case by[0].Understand == nil:
		return nil
	}
	return by[0].Understand(identityOf(d), contents).Settings
}

// form returns the reason why the device's system has a special form of a value or cannot state it; empty: rocec would write the wanted
// value. Fields for which the device may keep more than wanted have no reason, because the device may have less.
func (r *DeviceRead) form(d *ir.Difference) string {
	var port *ir.Port
	if i := slices.IndexFunc(r.device.Ports, func(p *ir.Port) bool { return slices.Contains(d.Ports, p.Name) }); i >= 0 {
		port = r.device.Ports[i]
	}
	for _, row := range All.of(r.device) {
		i := slices.IndexFunc(row.Rounds, func(one target.Rounding) bool {
			return one.Field == d.Field && (one.On == nil || port != nil && one.On(port))
		})
		if i >= 0 && r.explains(row.Rounds[i].How, d.Field, port) {
			return row.Rounds[i].Why
		}
	}
	return ""
}

// explains reports whether a form is a reason for a different value at a port; nil: a port outside of the fabric.
func (r *DeviceRead) explains(how target.Rounded, f ir.Field, p *ir.Port) bool {
	switch how {
	case target.Derived, target.Unsaid:
		return true
	case target.Trusted:
		return p != nil && (f == ir.FieldDSCP && !p.Trust().DSCP || f == ir.FieldPCP && !p.Trust().PCP)
	case target.Up: // only the length of a cable is rounded up
		cable := func(s *ir.Settings) int { return s.Port(p.Name).Detail.Get().Cable.Value }
		return p != nil && f == ir.FieldCable && cable(r.Settings) > cable(r.device.Wanted())
	}
	return false
}

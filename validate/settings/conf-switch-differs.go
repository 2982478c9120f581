package settings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// PeerDiffers finds switches that differ from the others of their role in exactly one setting.
var PeerDiffers = Rule{
	Topic: diag.Topic{Code: "conf-switch-differs", Summary: "a switch differs from the others of its role in one setting"},
	several: func(all []*member) (out []*contrast) {
		by := map[role]*peers{}
		var order []*peers
		for _, m := range all {
			if !m.pfc {
				continue
			}
			r := roleOf(m)
			if by[r] == nil {
				by[r] = &peers{role: r, by: map[string]*variant{}}
				order = append(order, by[r])
			}
			by[r].add(m)
		}
		values := map[int][]ir.Value{}
		for _, p := range order {
			out = append(out, p.contrasts(values)...)
		}
		return out
	},
}

// role identifies switches that should have the same settings: their name without its numbers, their system and their hardware.
type role struct{ name, os, model, sku string }

func roleOf(m *member) role {
	s := &m.Settings.System
	return role{withoutNumbers(m.Name), s.OS.Value, s.Model.Value, s.SKU.Value}
}

// withoutNumbers replaces each number in a name by 0.
func withoutNumbers(name string) string {
	var b strings.Builder
	for i, c := range []byte(name) {
		switch digit := c >= '0' && c <= '9'; {
		case !digit:
			b.WriteByte(c)
		case i == 0 || name[i-1] < '0' || name[i-1] > '9':
			b.WriteByte('0')
		}
	}
	return b.String()
}

// peers are the switches of a role.
type peers struct {
	role
	n        int
	variants []*variant
	by       map[string]*variant
}

// variant is a set of switches with the same settings. The settings may be on different ports.
type variant struct {
	of     []*member
	values map[named]map[string]string // by setting and value: a port of the first switch with that value
}

// named identifies a setting of ports or of a pool.
type named struct {
	pool  string
	field ir.Field
	index int
	what  string
}

func (n named) String() string {
	switch {
	case n.pool != "":
		return fmt.Sprintf("%s of the pool %s", n.what, n.pool)
	case n.what != "":
		return fmt.Sprintf("%s of %s", n.field, n.what)
	}
	return n.field.String()
}

func (p *peers) add(m *member) {
	if p.n++; len(p.variants) > mostVariants {
		return // contrasts compares no variant of this role
	}
	ids := make([]int, len(m.roce))
	for i, k := range m.roce {
		ids[i] = k.id
	}
	slices.Sort(ids)
	var key strings.Builder
	key.WriteString(fmt.Sprint(slices.Compact(ids)))
	for _, name := range slices.Sorted(maps.Keys(m.Settings.Pools)) {
		key.WriteString(fmt.Sprintf("%q %v", name, m.Settings.Pools[name]))
	}
	v := p.by[key.String()]
	if v == nil {
		v = &variant{}
		p.by[key.String()], p.variants = v, append(p.variants, v)
	}
	v.of = append(v.of, m)
}

// leastPeers is the smallest number of switches that can show a usual value. mostVariants bounds the compared variants of a role.
const (
	leastPeers   = 3
	mostVariants = 256
)

// few returns how many of several switches may differ while the value of the others still counts as usual.
func few(of int) int { return max(1, of/8) }

// contrasts finds the switches of a role that have a rare value in exactly one setting. It leaves out switches that differ in several
// settings, because such differences are probably intended.
func (p *peers) contrasts(values map[int][]ir.Value) (out []*contrast) {
	switch {
	case len(p.variants) == 1:
		return nil
	case len(p.variants) > mostVariants:
		m := p.variants[0].of[0]
		return []*contrast{{sev: diag.Notice, spot: spot{of: m.Reading, text: fmt.Sprintf("The %s switches with names such as %s are set in "+
			"more than %d ways. Differences between them are not judged.", diag.Number(p.n), m.short, mostVariants)}}}
	}
	count := map[named]map[string]int{}
	known := map[named]int{}
	for _, v := range p.variants {
		v.read(values)
		for name, texts := range v.values {
			known[name] += len(v.of)
			if count[name] == nil {
				count[name] = map[string]int{}
			}
			for text := range texts {
				count[name][text] += len(v.of)
			}
		}
	}
	usual := map[named]string{}
	for name, texts := range count {
		if known[name] < leastPeers {
			continue
		}
		for _, text := range slices.Sorted(maps.Keys(texts)) {
			if texts[text] >= known[name]-few(known[name]) && texts[text] > texts[usual[name]] {
				usual[name] = text
			}
		}
	}
	same := map[string]*oddity{}
	var order []*oddity
	for _, v := range p.variants {
		o := p.oddityOf(v, usual, func(name named, text string) bool { return count[name][text] <= few(known[name]) })
		if o == nil {
			continue
		}
		key := fmt.Sprint(o.named, o.has, o.usual, o.more)
		if same[key] == nil {
			o.port = v.values[o.named][o.has]
			same[key], order = o, append(order, o)
		}
		same[key].of = append(same[key].of, v.of...)
	}
	for _, o := range order {
		out = append(out, p.contrast(o))
	}
	return out
}

// read collects the values of the pools and of the ports with PFC. Equal ports share one list in the given map.
func (v *variant) read(values map[int][]ir.Value) {
	v.values = map[named]map[string]string{}
	put := func(n named, text, port string) {
		if v.values[n] == nil {
			v.values[n] = map[string]string{}
		}
		if _, has := v.values[n][text]; !has {
			v.values[n][text] = port
		}
	}
	for _, k := range v.of[0].roce {
		of, made := values[k.id]
		if !made {
			of = slices.Collect(k.Values())
			values[k.id] = of
		}
		for _, x := range of {
			put(named{"", x.Field, x.Index, x.What}, x.Text, k.port)
		}
	}
	for name, pool := range v.of[0].Settings.Pools {
		for _, x := range pool.Values() {
			if x.Text != "" {
				put(named{name, x.Field, x.Index, x.What}, x.Text, name)
			}
		}
	}
}

// oddity is the one setting in which a variant differs, with its first rare value and the usual value.
type oddity struct {
	named
	has, usual string
	more       int // further values of the setting that differ
	of         []*member
	port       string
}

// oddityOf returns the one setting in which a variant differs from the usual values; nil: it differs in none, or in several.
func (p *peers) oddityOf(v *variant, usual map[named]string, rare func(named, string) bool) *oddity {
	var odd []*oddity
	speed, cable := false, false // a port has another speed or cable than usual
	names := slices.Collect(maps.Keys(v.values))
	sort.Slice(names, func(i, k int) bool { return compareNamed(names[i], names[k]) < 0 })
	for _, name := range names {
		for _, text := range slices.Sorted(maps.Keys(v.values[name])) {
			if text == usual[name] {
				continue
			}
			speed = speed || name.field == ir.FieldSpeed
			cable = cable || name.field == ir.FieldCable
			if usual[name] != "" && rare(name, text) {
				odd = append(odd, &oddity{named: name, has: text, usual: usual[name]})
			}
		}
	}
	odd = slices.DeleteFunc(odd, func(o *oddity) bool {
		switch setting(o.field) {
		case ir.FieldSpeed, ir.FieldCable:
			return true
		case ir.FieldHeadroom:
			return speed || cable
		case ir.FieldMarking, ir.FieldShaper, ir.FieldMinRate, ir.FieldMaxRate:
			return speed
		}
		return false
	})
	for _, o := range odd {
		if setting(o.field) != setting(odd[0].field) || p.ofClasses(o) {
			return nil
		}
	}
	if len(odd) == 0 {
		return nil
	}
	odd[0].more = len(odd) - 1
	return odd[0]
}

func compareNamed(a, b named) int {
	return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.index, b.index), strings.Compare(a.what, b.what),
		strings.Compare(a.pool, b.pool))
}

// setting returns the same field for all fields that configurations state together.
func setting(f ir.Field) ir.Field {
	switch f {
	case ir.FieldBuffer, ir.FieldXoff, ir.FieldXon:
		return ir.FieldHeadroom
	case ir.FieldUnmarkable, ir.FieldDrop:
		return ir.FieldMarking
	case ir.FieldStrict:
		return ir.FieldShare
	}
	return f
}

// ofClasses reports whether a value decides which packets are lossless. Another rule compares such values between switches.
func (p *peers) ofClasses(o *oddity) bool {
	switch o.field {
	case ir.FieldTrust, ir.FieldPauses, ir.FieldLinkPause:
		return true
	case ir.FieldDSCP:
		return slices.ContainsFunc(p.variants, func(v *variant) bool { return v.of[0].lossless(o.index) })
	}
	return false
}

// contrast returns the finding for an oddity.
func (p *peers) contrast(o *oddity) *contrast {
	alike := "names, systems and models"
	if p.model == "" {
		alike = "names and systems"
	}
	further := ""
	if o.more > 0 {
		further = fmt.Sprintf(" %s of the setting %s, too.", diag.Count(o.more, "further value"), diag.Plural(o.more, "differs", "differ"))
	}
	c := &contrast{sev: diag.Notice, spot: spot{of: o.of[0].Reading, at: place{o.port, o.field, o.index}}}
	c.text = fmt.Sprintf("One setting of %s differs from the other %s whose %s are alike: %s: %s, and %s there.%s Unless this is "+
		"intended, give it the value of the "+
		"others.", namesOf(o.of), diag.Count(p.n-len(o.of), "switch"), alike, o.named, o.has, o.usual, further)
	for _, v := range p.variants {
		if port, has := v.values[o.named][o.usual]; has {
			c.notes = append(c.notes, spot{of: v.of[0].Reading, at: place{port, o.field, o.index}, text: "of " + v.of[0].short + ": " + o.usual})
			break
		}
	}
	return c
}

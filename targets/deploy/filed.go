package deploy

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Filed is a device as its files state it: those that people keep, or that another program has rendered.
type Filed struct {
	Names   []string     // of the files
	Is      *ir.Settings // as they state it
	Meant   *ir.Settings // as they would state it after rocec has written the fabric
	Values  []FiledValue // that differ
	Missing []string     // settings that rocec writes and that the files do not state
	Rows    []string     // rows that are not understood, as sentences
	Cut     bool         // some kinds of ports were not compared
	Wrong   []string     // why the files are not of the device, as sentences
	Linted  diag.List    // errors and warnings of the rules for such files
}

// FiledValue is a value in files that is not the wanted one. A is the value that was read, B the wanted one.
type FiledValue struct {
	*ir.Difference
	Name string     // the value and its ports
	At   diag.Range // of the value; zero: it has no place
}

// Text names the value that differs: "headroom of priority group 3 at swp1 is 20000 bytes, and the fabric wants 40000 bytes".
func (v *FiledValue) Text() string {
	return fmt.Sprintf("%s is %s, and the fabric wants %s", v.Name, v.A, v.B)
}

// alike reports whether the files state all that rocec would write.
func (f *Filed) alike() bool {
	return len(f.Values)+len(f.Missing)+len(f.Rows)+len(f.Linted) == 0 && !f.Cut
}

// Rest returns the reasons, beside values that differ, for which the files are not as wanted. It is a sentence without an end, or empty.
func (f *Filed) Rest() string {
	var parts []string
	if n := len(f.Missing); n > 0 {
		parts = append(parts, fmt.Sprintf("the files do not state %s", diag.Some(f.Missing, mostMissing)))
	}
	if n := len(f.Rows); n > 0 {
		parts = append(parts, fmt.Sprintf("%s %s not understood, such as %s", diag.Count(n, "row"), diag.Plural(n, "is", "are"), f.Rows[0]))
	}
	if f.Cut {
		parts = append(parts, "some kinds of ports were not compared")
	}
	return diag.And(parts)
}

// mostMissing is how many settings that files do not state are named.
const mostMissing = 4

// unsoundHost returns why a host does not carry lossless traffic as the fabric means it, by its files; empty: no file says so. Lossless
// traffic does not notice the cos of a value that no group claims, the classes and shares of other traffic, and a longer cable.
func (f *Filed) unsoundHost(d *ir.Device) string {
	for _, p := range d.Ports {
		is, meant := f.Is.Port(p.Name), f.Meant.Port(p.Name)
		if meant == nil || !meant.PausesKnown {
			continue
		}
		if is == nil || !is.PausesKnown && !is.Detail.Get().PFC.Known() {
			return fmt.Sprintf("At %s, PFC is not known.", p.Name)
		}
		if why := unlikeNIC(p, is, meant); why != "" {
			return fmt.Sprintf("At %s, %s.", p.Name, why)
		}
	}
	for i := range f.Values {
		if !slices.Contains(besideRoCE, f.Values[i].Field) {
			return fmt.Sprintf("In its files, %s.", f.Values[i].Text())
		}
	}
	return ""
}

// besideRoCE are fields of a NIC whose values [unlikeNIC] judges as far as lossless traffic notices them.
var besideRoCE = []ir.Field{ir.FieldDSCP, ir.FieldPCP, ir.FieldQueue, ir.FieldStrict, ir.FieldShare, ir.FieldCable}

// unlikeNIC returns in which way a NIC is not set as it is meant, as a part of a sentence; empty: lossless traffic notices no difference.
func unlikeNIC(p *ir.Port, is, meant *ir.PortSettings) string {
	for m := range p.Device().Fabric.Missorts(is, meant) {
		switch {
		case !is.TrustKnown:
		case m.Untrusted:
			return fmt.Sprintf("%s is not trusted", m.Field)
		case m.Is >= 0:
			return fmt.Sprintf("%s %d is put in cos %d, and not in %d", m.Field, m.Value, m.Is, m.Want)
		}
	}
	a, b := is.Detail.Get(), meant.Detail.Get()
	if a.PFC.Known() && b.PFC.Known() && a.PFC != b.PFC {
		return fmt.Sprintf("PFC is on for %s, and the fabric has it for %s", cosOf(a.PFC.Value), cosOf(b.PFC.Value))
	}
	for cos := range 8 {
		if (meant.Sends|meant.Obeys)>>cos&1 == 0 || a.Queue[cos] < 0 {
			continue
		}
		for other := range 8 {
			if a.Queue[other] == a.Queue[cos] && b.Queue[other] != b.Queue[cos] {
				return fmt.Sprintf("cos %d has the traffic class of cos %d, which is lossless", other, cos)
			}
		}
	}
	for _, g := range p.Device().Fabric.CosGroups {
		if g.Weight > 0 && is.Share[g.Cos] > 0 && deprived(p, g, is, meant) {
			return fmt.Sprintf("the share of cos %d is not the one of the weight that the fabric states", g.Cos)
		}
	}
	if a.Cable.Known() && b.Cable.Known() && a.Cable.Value < b.Cable.Value {
		return fmt.Sprintf("headroom is for a cable of %d m, and not of %d m", a.Cable.Value, b.Cable.Value)
	}
	return ""
}

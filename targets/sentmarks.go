package targets

import "github.com/rocec/rocec/compiler/ir"

// sentMarks are the marks of the packets that members of a fabric send, as bits.
type sentMarks struct {
	dscp uint64
	pcp  uint8
}

// marksOf returns the marks of all members of a fabric.
func marksOf(f *ir.Fabric) *sentMarks {
	m := &sentMarks{}
	for _, in := range f.Intents {
		for _, member := range in.Members {
			m.add(member.NIC.Packet(in))
			for _, rule := range member.NIC.TrafficClasses {
				m.dscp |= 1 << (rule.TOS >> 2 & 63)
			}
		}
	}
	return m
}

// add adds the marks of a packet.
func (m *sentMarks) add(p ir.Packet) {
	if p.IP {
		m.dscp |= 1 << (p.DSCP & 63)
	}
	if p.Tagged {
		m.pcp |= 1 << (p.PCP & 7)
	}
}

// has reports whether a member sends a value; nil marks: every value is sent.
func (m *sentMarks) has(of ir.Missorted) bool {
	switch {
	case m == nil:
		return true
	case of.Field == "DSCP":
		return m.dscp>>of.Value&1 == 1
	}
	return m.pcp>>of.Value&1 == 1
}

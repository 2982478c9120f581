package seen

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// The modes of bonds, in Linux's spelling.
const (
	lacp         = "802.3ad"
	activeBackup = "active-backup"
)

// bonds checks the switch's side of hosts' bonds. A balancing bond needs a bond on the switch, and a bond with a spare port must have
// none there.
func (j *judge) bonds() {
	for _, d := range j.f.Devices {
		if d.Host == nil {
			continue
		}
		for _, b := range d.Host.Bonds {
			j.bond(d, b)
		}
	}
}

func (j *judge) bond(d *ir.Device, b *ir.Bond) {
	at := diag.FirstPlace(b.ModeAt, b.At)
	type side struct {
		of   *ir.Device
		bond string
	}
	ports := map[side][]*ir.Port{}
	other := map[*ir.Device]string{} // the bond of the host's first port at a switch
	for _, n := range b.NICs {
		if n.Port == nil {
			continue
		}
		p := n.Port.Peer()
		sp := j.port(p)
		s := j.of(p.Device())
		if sp == nil || p.Device().Switch == nil || !s.Read(target.PartBonds) {
			continue
		}
		of := s.Bonds[sp.Bond]
		ports[side{p.Device(), sp.Bond}] = append(ports[side{p.Device(), sp.Bond}], p)
		was, known := other[p.Device()]
		other[p.Device()] = sp.Bond
		switch {
		case b.Mode == activeBackup && sp.Bond != "" && len(ports[side{p.Device(), sp.Bond}]) > 1:
			j.say(&topicBond, diag.Warning, at, p, "%s is in bond %s with another port of %s, whose %s uses one port at a time (mode %s): "+
				"frames that the switch sends to the idle port are lost.", sp.Bond, d.Name, b.Name, b.Mode)
		case b.Mode == activeBackup:
		case sp.Bond == "" || of == nil:
			j.say(&topicBond, diag.Warning, at, p, "%s is in no bond, and %s sends by all ports of %s (mode %s): the switch sees one address at "+
				"several ports. Make it a port of a bond.", d.Name, b.Name, b.Mode)
		case known && was != sp.Bond:
			j.say(&topicBond, diag.Warning, at, p, "%s is in bond %s, and the other port to %s of %s in another one. Put both in one bond.",
				sp.Bond, b.Name, d.Name)
		case (b.Mode == lacp) != (of.Mode == lacp):
			j.say(&topicBond, diag.Warning, at, p, "%s is in bond %s of mode %s; %s on %s is of mode %s. One side speaks LACP, and the other "+
				"does not.",
				sp.Bond, of.Mode, b.Name, d.Name, b.Mode)
		case !of.Partner && sp.Up:
			j.say(&topicBond, diag.Warning, at, p, "%s is in bond %s, which sees no LACP partner; %s on %s is of mode %s.", sp.Bond, b.Name,
				d.Name, b.Mode)
		}
	}
}

// mlag checks whether the switches form the MLAG pairs of the fabric.
func (j *judge) mlag() {
	for _, d := range j.f.Devices {
		s := j.of(d)
		if d.Switch == nil || !s.Read(target.PartMLAG) || s.MLAG == (d.Switch.MLAG != "") {
			continue
		}
		if s.MLAG {
			j.add(&topicMLAG, diag.Warning, d.At, []string{d.Name},
				fmt.Sprintf("%s is a switch of an MLAG pair, but the fabric does not have the pair, so rocec changes and judges it as a "+
					"single switch. Write mlag.", d.Name))
			continue
		}
		j.add(&topicMLAG, diag.Warning, diag.FirstPlace(d.Switch.MLAGAt, d.At), []string{d.Name}, fmt.Sprintf("%s belongs to the MLAG pair %q "+
			"in the fabric, but does not run MLAG.", d.Name, d.Switch.MLAG))
	}
}

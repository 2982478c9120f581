// Package configured judges the assumptions of verdicts on PFC loops that rest on settings, by the settings of each device that another
// reader has read ([Setup]). It reads nothing itself.
//
// Which settings show which assumption, and why:
//
//   - classified: the trusted fields, the cos of each value that a cos group claims, the values that no group claims and that get a
//     lossless cos, and rewriting, because the next switch reads the mark that leaves;
//   - guaranteed-buffer: the bytes that the priority group of each lossless cos reserves, and the limit of its egress queue or pool;
//   - pauses-work: PFC or link pause at both ends, and headroom: a part, because the time in which a port obeys belongs to the chip;
//   - bonds-formed: the bonds of both switches, which no file of settings has.
//
// No setting shows the others. rocec reads no setting for what hosts send (members-only, no-sender), how fast they drain (hosts-drain),
// which frames are flooded (no-flooding, no-multicast), what a chip can do (chip-alone), failures (links-fail-both-ways, converged), the
// costs of links (equal-costs), the rules that move traffic into another group (bounce-moves), the peer link of a pair (no-mlag-detour)
// and devices set by hand (set-by-hand). The forwarding of devices shows the rest.
package configured

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate/proof"
)

// Setup is a device with the settings that were read on it or in its files.
type Setup struct {
	Of       *ir.Device
	Settings *ir.Settings      // nil: they are not known
	Bonds    map[string]string // by port: its bond; empty: none, or one that is not formed; nil: not read
	Why      string            // why the settings do not count, as part of a sentence; empty: they count
	When     time.Time         // of the oldest answer; zero: not known
}

// basis has the settings of a device and the wanted ones, for one assumption.
type basis struct {
	*Setup
	meant           *ir.Settings
	against, unsure string // the first reasons: a setting contradicts, or is not known
}

// deny records that a setting of a port contradicts the assumption.
func (b *basis) deny(p *ir.Port, format string, args ...any) {
	b.against = cmp.Or(b.against, "at "+p.Name+", "+fmt.Sprintf(format, args...))
}

// miss records that a setting of a port does not show whether the assumption holds.
func (b *basis) miss(p *ir.Port, format string, args ...any) {
	b.unsure = cmp.Or(b.unsure, "at "+p.Name+", "+fmt.Sprintf(format, args...))
}

// shown has a row for each assumption that settings show: the devices that show it, and the judgement of one.
var shown = []struct {
	code  proof.AssumptionCode
	scope func(*ir.Fabric) []*ir.Device
	judge func(*basis)
}{
	{proof.PausesWork, Carriers, pauses},
	{proof.GuaranteedBuffer, Switches, guarantees},
	{proof.Classified, Switches, classifies},
	{proof.BondsFormed, Bonded, bonds},
}

// Misfit is a device that does not show that it agrees with an assumption.
type Misfit struct {
	Code    proof.AssumptionCode
	Of      *ir.Device
	Against bool   // a setting contradicts the assumption; false: a setting is not known
	Why     string // part of a sentence
}

// Judge returns the misfits. by has what was read on each device, by its ID; nil: nothing. A device that counts and is no misfit agrees.
func Judge(f *ir.Fabric, by []*Setup) (out []Misfit) {
	wishes, meant := &ir.Wishes{}, make([]*ir.Settings, len(f.Devices))
	for i := range shown {
		for _, d := range shown[i].scope(f) {
			if !by[d.ID].Counts() {
				continue
			}
			if meant[d.ID] == nil {
				meant[d.ID] = wishes.Of(d)
			}
			b := &basis{Setup: by[d.ID], meant: meant[d.ID]}
			if shown[i].judge(b); b.against+b.unsure != "" {
				out = append(out, Misfit{shown[i].code, d, b.against != "", cmp.Or(b.against, b.unsure)})
			}
		}
	}
	return out
}

// Counts reports whether something was read that counts.
func (s *Setup) Counts() bool {
	return s != nil && s.Why == "" && (s.Settings != nil || s.Bonds != nil)
}

// ports calls judge for each laid cable of the device. Without settings of a port it records that they are not known.
func (b *basis) ports(concerns func(*ir.Port) bool, judge func(p *ir.Port, is, meant *ir.PortSettings)) {
	for _, p := range b.Of.Ports {
		if p.Link() == nil || p.Link().Planned || !concerns(p) {
			continue
		}
		is, meant := b.Settings.Port(p.Name), b.meant.Port(p.Name)
		if is == nil || meant == nil {
			b.miss(p, "the settings are not known")
			continue
		}
		judge(p, is, meant)
	}
}

// classifies judges how a switch sorts packets into the cos groups, at each cable.
func classifies(b *basis) {
	type pair struct{ is, meant *ir.PortSettings }
	known := map[pair]bool{}
	b.ports(func(*ir.Port) bool { return true }, func(p *ir.Port, is, meant *ir.PortSettings) {
		if one := (pair{is, meant}); !known[one] { // equal ports share their settings, and the first is named
			known[one] = true
			b.sorts(p, is, meant)
		}
	})
}

func (b *basis) sorts(p *ir.Port, is, meant *ir.PortSettings) {
	if !is.TrustKnown {
		b.miss(p, "the trusted fields are not known")
		return
	}
	f := b.Of.Fabric
	if meant.TrustKnown {
		for m := range f.Missorts(is, meant) {
			switch {
			case m.Untrusted:
				b.deny(p, "%s is not trusted", m.Field)
			case m.Is < 0:
				b.miss(p, "the cos of %s %d is not known", m.Field, m.Value)
			default:
				b.deny(p, "%s %d is put in cos %d, and not in %d", m.Field, m.Value, m.Is, m.Want)
			}
		}
	}
	lossless, d := ir.LosslessCos(f.CosGroups), is.Detail.Get()
	for _, field := range []struct {
		name      string
		trusted   bool
		is, meant []int8
		rewrites  ir.Setting[bool]
	}{
		{"DSCP", is.Trust.DSCP, is.DSCP[:], meant.DSCP[:], d.RewriteDSCP},
		{"PCP", is.Trust.PCP, is.PCP[:], meant.PCP[:], d.RewritePCP},
	} {
		if !field.trusted {
			continue
		}
		for value, cos := range field.is {
			switch {
			case cos < 0:
				b.miss(p, "the cos of %s %d is not known", field.name, value)
			case lossless>>cos&1 == 1 && cos != field.meant[value]:
				b.deny(p, "%s %d is put in cos %d, which is lossless", field.name, value, cos)
			}
		}
		switch {
		case !field.rewrites.Known():
			b.miss(p, "it is not known whether the %s of packets that leave is rewritten", field.name)
		case field.rewrites.Value:
			b.miss(p, "the %s of packets that leave is rewritten, and the values are not compared", field.name)
		}
	}
	// A packet without a trusted field belongs to no cos group, so an unknown default is no doubt.
	if to := d.DefaultCos; to.Known() && to.Value >= 0 && lossless>>to.Value&1 == 1 {
		b.deny(p, "packets without a trusted field are put in cos %d, which is lossless", to.Value)
	}
}

// overhead are the bytes of an Ethernet frame beside its payload: header 14, tag 4, check sequence 4 (IEEE 802.3, clause 3; 802.1Q).
const overhead = 22

// guarantees judges the buffers of lossless priority groups, and the limits of their queues.
func guarantees(b *basis) {
	b.ports(Lossless, func(p *ir.Port, is, _ *ir.PortSettings) {
		d := is.Detail.Get()
		frame := p.Link().MTU.N + overhead
		if frame == overhead {
			b.miss(p, "the MTU is not known")
		}
		for _, buffer := range p.Buffers() {
			cos := buffer.Group.Cos
			switch n := d.Group[cos]; {
			case n < 0:
				b.miss(p, "the priority group of cos %d is not known", cos)
			default:
				b.reserves(p, int(n), &d.Groups[n], frame)
			}
			switch n := d.Queue[cos]; {
			case n < 0:
				b.miss(p, "the queue of cos %d is not known", cos)
			default:
				b.unlimited(p, int(n), &d.Queues[n])
			}
		}
	})
}

// reserves judges whether a priority group can hold a frame before its port sends a pause, whatever other groups hold.
func (b *basis) reserves(p *ir.Port, n int, g *ir.GroupSettings, frame int) {
	own := g.Buffer
	switch {
	case !own.Known():
		b.miss(p, "the bytes that priority group %d reserves are not known", n)
	case own.Value == 0:
		b.deny(p, "priority group %d reserves nothing", n)
	case own.Value < frame: // as in templates of SONiC for chips of Broadcom: smaller frames fit
		b.miss(p, "priority group %d reserves %d B, and a frame has up to %d B", n, own.Value, frame)
	case g.Xoff.Known() && g.Xoff.Value < frame:
		b.miss(p, "priority group %d sends a pause at %d B, and a frame has up to %d B", n, g.Xoff.Value, frame)
	case g.Xoff.Known(), g.Headroom.Known() && own.Value-g.Headroom.Value >= frame, !b.Of.Switch.Model.ASIC.SizeHasHeadroom():
	default:
		b.miss(p, "it is not known how many of the %d B that priority group %d reserves are headroom", own.Value, n)
	}
}

// unlimited judges whether an egress queue can drop lossless packets that were accepted. A limit as large as the chip's memory drops no
// packet.
func (b *basis) unlimited(p *ir.Port, n int, q *ir.QueueSettings) {
	limit, pool := q.Limit, b.Settings.Pools[q.Pool.Value]
	memory := b.Of.Switch.Model.ASIC.Buffer
	switch {
	case limit.Known() && limit.Value.Kind == ir.LimitZero:
		b.deny(p, "queue %d gets nothing from its pool", n)
	case limit.Known() && limit.Value.Kind == ir.LimitAlpha && limit.Value.N < 0:
		b.deny(p, "queue %d is limited to a part of the free memory of its pool", n)
	case limit.Known() && limit.Value.Kind == ir.LimitNone:
	case limit.Known() && limit.Value.Kind == ir.LimitBytes && memory > 0 && limit.Value.N >= memory:
	case q.Pool.Known() && pool.Infinite.Known() && pool.Infinite.Value:
	case !limit.Known():
		b.miss(p, "the limit of queue %d is not known", n)
	default:
		b.miss(p, "queue %d has a limit", n)
	}
}

// less is the percentage of the wanted headroom below which headroom contradicts the fabric. Vendors count other delays and round, so a
// headroom between is a doubt.
const less = 95

// pauses judges pauses and headroom. A host only has to obey: its own buffers are in no circle.
func pauses(b *basis) {
	b.ports(Lossless, func(p *ir.Port, is, meant *ir.PortSettings) {
		sends := meant.Sends
		if b.Of.Host != nil && !b.Of.Host.Forwards {
			sends = 0
		}
		switch {
		case !is.PausesKnown || !meant.PausesKnown:
			b.miss(p, "PFC is not known")
			return
		case is.LinkPause != meant.LinkPause:
			b.deny(p, "link pause is on at the device or in the fabric, but not in both")
			return
		}
		for cos := range 8 {
			switch {
			case sends&^is.Sends>>cos&1 == 1:
				b.deny(p, "no pauses are sent for cos %d", cos)
			case meant.Obeys&^is.Obeys>>cos&1 == 1:
				b.deny(p, "pauses for cos %d are not obeyed", cos)
			}
		}
		if sends != 0 {
			b.room(p, is, meant)
		}
	})
}

// room judges headroom. A switch that calculates its headroom has the length of the cable instead, or its own result, which may count
// other delays than the fabric: then less is a doubt.
func (b *basis) room(p *ir.Port, is, meant *ir.PortSettings) {
	cable, need := is.Detail.Get().Cable, meant.Detail.Get().Cable
	switch {
	case is.Headroom > 0 && meant.Headroom > 0:
		switch own := cable.Known() && need.Known() && cable.Value >= need.Value; {
		case is.Headroom*100 < meant.Headroom*less && !own:
			b.deny(p, "headroom is %d B, and the fabric needs %d B", is.Headroom, meant.Headroom)
		case is.Headroom < meant.Headroom:
			b.miss(p, "headroom is %d B, and the fabric calculates %d B", is.Headroom, meant.Headroom)
		}
	case !cable.Known() || !need.Known():
		b.miss(p, "headroom is not known")
	case cable.Value < need.Value:
		b.deny(p, "headroom is for a cable of %d m, and not of %d m", cable.Value, need.Value)
	}
}

// bonds judges whether the cables of each bond between switches are ports of one bond.
func bonds(b *basis) {
	if b.Bonds == nil {
		b.unsure = "the bonds are not known"
		return
	}
	first := map[int]*ir.Port{}
	for _, p := range b.Of.Ports {
		if !inBond(p) {
			continue
		}
		one := first[p.Link().Bond]
		if one == nil {
			first[p.Link().Bond] = p
			continue
		}
		switch at, known := b.Bonds[one.Name]; {
		case !known:
			b.miss(one, "the bond is not known")
		case at == "":
			b.deny(one, "no bond is formed")
		}
		switch at, known := b.Bonds[p.Name]; {
		case !known:
			b.miss(p, "the bond is not known")
		case at == "" || at != b.Bonds[one.Name]:
			b.deny(p, "the cable is not in the bond of %s", one.Name)
		}
	}
}

// inBond reports whether a port has a laid bridged lossless cable that belongs to a bond.
func inBond(p *ir.Port) bool { return Lossless(p) && p.Link().Bond != 0 && !p.Link().Routed }

// Carriers returns the devices with lossless ports.
func Carriers(f *ir.Fabric) []*ir.Device {
	return Devices(f, func(d *ir.Device) bool { return slices.ContainsFunc(d.Ports, Lossless) })
}

// Switches returns the switches with lossless ports.
func Switches(f *ir.Fabric) []*ir.Device {
	return Devices(f, func(d *ir.Device) bool { return d.Switch != nil && slices.ContainsFunc(d.Ports, Lossless) })
}

// Bonded returns the switches with two such cables of one bond.
func Bonded(f *ir.Fabric) []*ir.Device {
	return Devices(f, func(d *ir.Device) bool {
		some := map[int]bool{}
		for _, p := range d.Ports {
			if d.Switch == nil || !inBond(p) {
				continue
			}
			if some[p.Link().Bond] {
				return true
			}
			some[p.Link().Bond] = true
		}
		return false
	})
}

// Devices returns the devices of a fabric for which a function returns true.
func Devices(f *ir.Fabric, is func(*ir.Device) bool) (out []*ir.Device) {
	for _, d := range f.Devices {
		if is(d) {
			out = append(out, d)
		}
	}
	return out
}

// Lossless reports whether a port has a laid cable with a lossless group.
func Lossless(p *ir.Port) bool { return p.Link() != nil && !p.Link().Planned && len(p.Buffers()) > 0 }

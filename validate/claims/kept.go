package claims

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate/proof"
)

// Recorded is a judgement of an assumption by the last answer of a device, for a later run that reads no device.
type Recorded struct {
	Code   proof.AssumptionCode `json:"assumption"`
	Device string               `json:"device"`
	Agrees bool                 `json:"agrees"`        // false: the device contradicts it
	When   time.Time            `json:"at"`            // of the answer
	Why    string               `json:"why,omitempty"` // the setting that contradicts it, as part of a sentence
	Facts  string               `json:"facts"`         // digest of the facts of the fabric that the judgement used
}

// byKey finds each by its assumption and its device.
func byKey(all []Recorded) map[string]*Recorded {
	out := map[string]*Recorded{}
	for i, k := range all {
		out[keptKey(k.Code, k.Device)] = &all[i]
	}
	return out
}

func keptKey(code proof.AssumptionCode, device string) string { return string(code) + " " + device }

// Keep returns the judgements after a read at a time: its own, and the older ones of devices without a newer answer. An older one
// that used other facts of the fabric is left out. So is one of a device whose newer answer no longer shows whether it agrees.
func (r *Result) Keep(f *ir.Fabric, proofs []*proof.Proof, when time.Time, old []Recorded) (out []Recorded) {
	is, known := newDigests(f, proofs), byKey(old)
	for i := range rules {
		s, now := r.Of(rules[i].code), map[*ir.Device]*Recorded{}
		for _, n := range s.Not {
			if n.Why != "" && !(rules[i].reads == ir.PartTables && s.unread()) { // the tables are judged only together
				now[n.Device] = nil
			}
		}
		for _, d := range s.Agree {
			now[d] = &Recorded{Agrees: true}
		}
		for _, d := range s.False {
			now[d] = &Recorded{Why: s.reasons[d]}
		}
		for _, d := range f.Devices {
			k, facts := known[keptKey(s.Code, d.Name)], is.of(&rules[i], d)
			newer, read := now[d]
			switch {
			case newer != nil:
				out = append(out, Recorded{s.Code, d.Name, newer.Agrees, when, newer.Why, facts})
			case !read && k != nil && k.Facts == facts:
				out = append(out, *k)
			}
		}
	}
	return out
}

// unread reports whether a device that the assumption concerns gave no answer at all.
func (s *Standing) unread() bool {
	return slices.ContainsFunc(s.Not, func(n NotRead) bool { return n.Why == "" })
}

// Recall returns the states of the assumptions by the judgements of an earlier run. by names the reader. A judgement that used other facts
// of the fabric does not count. The result has no findings and no running routes.
func Recall(f *ir.Fabric, proofs []*proof.Proof, by string, kept []Recorded) *Result {
	out := &Result{Read: len(kept) > 0, standings: map[proof.AssumptionCode]*Standing{}}
	is, known := newDigests(f, proofs), byKey(kept)
	for i := range rules {
		code, agree, against := rules[i].code, map[*ir.Device]time.Time{}, map[*ir.Device]string{}
		for _, d := range f.Devices {
			k := known[keptKey(code, d.Name)]
			switch {
			case k == nil || k.Facts != is.of(&rules[i], d):
			case k.Agrees:
				agree[d] = k.When
			default:
				against[d] = k.Why
			}
		}
		out.standings[code] = newStanding(f, code, by, against, func(_ *rule, d *ir.Device) (time.Time, *NotRead) {
			when, is := agree[d]
			if !is {
				return when, &NotRead{d, ""}
			}
			return when, nil
		})
	}
	return out
}

// digests has the digests of the facts of a fabric that judgements use.
type digests struct {
	devices  []string // by Device.ID: of the device, its cables, and the devices at their other ends
	settings []string // by Device.ID: of the same, and of the wanted settings
	whole    string
}

// of returns the digest for an assumption and a device. Some judgements of a device also use facts of distant ones.
func (g *digests) of(r *rule, d *ir.Device) string {
	if r.reads == ir.PartTables || r.reads == ir.PartTrees || r.code == proof.ASNumbers { // which needs the addresses of all hosts
		return g.whole
	}
	if r.settings {
		return g.settings[d.ID]
	}
	return g.devices[d.ID]
}

func newDigests(f *ir.Fabric, proofs []*proof.Proof) *digests {
	out, whole, wishes := &digests{}, sha256.New(), &ir.Wishes{}
	for _, d := range f.Devices {
		one := sha256.New()
		deviceFacts(one, d)
		for _, p := range d.Ports {
			portFacts(one, p)
		}
		sum := one.Sum(nil)
		whole.Write(sum)
		out.devices = append(out.devices, digestText(sum))
		settingsFacts(one, d, wishes.Of(d))
		out.settings = append(out.settings, digestText(one.Sum(nil)))
	}
	fmt.Fprintln(whole, f.Routing, f.Failures)
	for _, p := range proofs {
		fmt.Fprintln(whole, p.Verdict, p.Certificate, len(p.Groups))
	}
	for _, n := range f.Intents {
		fmt.Fprintln(whole, n.Group.Name, n.VLAN)
		for _, m := range n.Members {
			fmt.Fprintln(whole, m.NIC.Device.ID, m.NIC.Name)
		}
	}
	if f.Table != nil {
		tableFacts(whole, f.Table)
	}
	out.whole = digestText(whole.Sum(nil))
	return out
}

// digestText returns the first 16 bytes of a digest: no two states of one fabric share them by chance.
func digestText(sum []byte) string { return hex.EncodeToString(sum[:16]) }

// deviceFacts adds a device: another login may be another device.
func deviceFacts(w io.Writer, d *ir.Device) {
	fmt.Fprintln(w, d.Name, d.Height(), d.Forwards(), d.SSH)
	if s := d.Switch; s != nil {
		fmt.Fprintln(w, s.OS, s.Version, s.ASN)
	}
}

// portFacts adds a cabled port, its cable and the device at the other end.
func portFacts(w io.Writer, p *ir.Port) {
	for _, b := range p.Buffers() {
		fmt.Fprintln(w, b.Group.Name)
	}
	if n := p.NIC; n != nil {
		fmt.Fprintln(w, n.Name, n.IP, n.VLANIP, n.Bond != nil)
	}
	if l := p.Link(); l != nil {
		fmt.Fprintln(w, p, p.Peer(), l.Routed, l.Peer, l.Planned, l.Bond != 0)
		deviceFacts(w, p.Peer().Device())
	}
}

// settingsFacts adds what the judgements of settings use: the cos groups, the wanted settings of each port, and the bonds.
func settingsFacts(w io.Writer, d *ir.Device, meant *ir.Settings) {
	for _, g := range d.Fabric.CosGroups {
		fmt.Fprintln(w, g.Name, g.Cos, g.Lossless)
		for _, c := range slices.Concat(g.DSCP, g.PCP) {
			fmt.Fprint(w, c.Value, " ")
		}
		fmt.Fprintln(w, len(g.DSCP))
	}
	if s := d.Switch; s != nil {
		fmt.Fprintln(w, s.Model.Name, s.Model.ASIC.Name)
	}
	known, bonds := map[*ir.PortSettings]int{}, map[int]int{}
	for i, p := range d.Ports {
		mtu, bond := 0, 0 // the first port of the bond, from 1
		if l := p.Link(); l != nil {
			mtu = l.MTU.N
			if l.Bond != 0 && bonds[l.Bond] == 0 {
				bonds[l.Bond] = i + 1
			}
			bond = bonds[l.Bond]
		}
		is := meant.Port(p.Name)
		first, again := known[is]
		fmt.Fprintln(w, p.Name, mtu, bond, first)
		if is == nil || again {
			continue
		}
		known[is] = i + 1
		one := *is
		one.Detail = ir.Detail{} // an address of this process
		fmt.Fprintln(w, one, is.Detail.Get())
	}
}

// tableFacts adds the table of next hops that the fabric names, by the numbers of devices and ports.
func tableFacts(w io.Writer, t *ir.Table) {
	for _, x := range t.Targets {
		fmt.Fprintln(w)
		for _, n := range x.NICs {
			fmt.Fprintln(w, n.Device.ID, n.Name)
		}
	}
	fmt.Fprintln(w, t.Hops)
	for id, sets := range t.Ports {
		for _, set := range sets {
			fmt.Fprintln(w, id, set) // the names of ports
		}
	}
}

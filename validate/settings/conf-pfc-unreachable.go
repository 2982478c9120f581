package settings

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// Unreachable finds ports with PFC for a cos that no packet gets there. Packets that should be lossless have another cos, and can be
// dropped.
var Unreachable = Rule{
	Topic: diag.Topic{Code: "conf-pfc-unreachable", Summary: "PFC or ECN on a cos no packet reaches"},
	ports: func(p *pass) {
		k := p.kind
		if !k.sorted(p.Unread) {
			return
		}
		p.pfc(func(cos, _, _ int) {
			if k.gets(cos) {
				return
			}
			// A port that only obeys pauses of a cos sends packets that came in by other ports.
			if p.gets>>cos&1 == 1 && k.s.Sends>>cos&1 == 0 {
				return
			}
			tookOver(p, diag.Error, p.at(ir.FieldPauses, cos), "PFC is on for cos %d, and no packet that comes in gets this cos: %s. RoCE is in "+
				"another cos, and is dropped there under load. Map its values to cos %d, or turn PFC on for the cos that it "+
				"has.", cos, k.astray(cos), cos)
		})
	},
}

// headerField is a field that decides the cos of a packet, with its map.
type headerField struct {
	name    string
	field   ir.Field
	trusted bool
	to      []int8 // by value: the cos; -1: not known
}

func (k *kind) fields() [2]headerField {
	return [2]headerField{
		{"DSCP", ir.FieldDSCP, k.s.Trust.DSCP, k.s.DSCP[:]}, {"PCP", ir.FieldPCP, k.s.Trust.PCP, k.s.PCP[:]},
	}
}

// sorted reports whether the cos of packets is known. If a file has rows that are not understood, a value without a cos may have one
// there. With two trusted fields, either may decide.
func (k *kind) sorted(unread bool) bool {
	if k.s.Trust == (ir.Trust{}) {
		return k.s.TrustKnown && k.d.DefaultCos.Known()
	}
	for _, f := range k.fields() {
		mapped := slices.ContainsFunc(f.to, func(cos int8) bool { return cos >= 0 })
		if f.trusted && (!mapped || unread && slices.Contains(f.to, -1)) {
			return false
		}
	}
	return true
}

// gets reports whether a packet may get a cos.
func (k *kind) gets(cos int) bool {
	for _, f := range k.fields() {
		if f.trusted && slices.Contains(f.to, int8(cos)) {
			return true
		}
	}
	return is(k.d.DefaultCos, int8(cos))
}

// astray returns why no packet gets a cos, as a part of a sentence.
func (k *kind) astray(cos int) string {
	trusts := "no field"
	var names []string
	instead := ""
	for _, f := range k.fields() {
		if f.trusted {
			names = append(names, f.name)
		} else if v := slices.Index(f.to, int8(cos)); v >= 0 && k.s.Trust != (ir.Trust{}) {
			instead = fmt.Sprintf("; %s %d maps to it, and %[1]s is not trusted", f.name, v)
		}
	}
	if names != nil {
		trusts = diag.And(names) + ", and maps no value to it"
	}
	return "the port trusts " + trusts + instead
}

package settings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// PairDiffers finds different settings on the two switches of an MLAG: a packet of a bond can reach either switch.
var PairDiffers = Rule{
	Topic: diag.Topic{Code: "conf-pair-differs", Summary: "the switches of an MLAG are set in different ways"},
	several: func(all []*member) (out []*contrast) {
		first := map[string]*member{}
		values := map[int][]ir.Value{}
		for _, m := range all {
			switch of := first[m.Pair]; {
			case m.Pair == "" || !m.pfc: // another rule reports PFC on one of them only
			case of == nil:
				first[m.Pair] = m
			default:
				out = append(out, pairContrasts(of, m, values)...)
			}
		}
		return out
	},
}

// pairContrasts finds settings in which each of two switches has a value that the other lacks. Sizes and thresholds of ports with
// different speeds or cables may differ.
func pairContrasts(a, b *member, values map[int][]ir.Value) (out []*contrast) {
	p := &peers{variants: []*variant{{of: []*member{a}}, {of: []*member{b}}}}
	for _, v := range p.variants {
		v.read(values)
	}
	at, bt := p.variants[0].values, p.variants[1].values
	unlike := false // the ports of one are faster, or have longer cables
	var last *contrast
	for _, name := range slices.SortedFunc(maps.Keys(at), compareNamed) { // in the order of fields: speed and cable come before sizes
		has, hasA := lacks(at[name], bt[name])
		other, hasB := lacks(bt[name], at[name])
		if !hasA || !hasB || p.ofClasses(&oddity{named: name}) {
			continue
		}
		switch f := setting(name.field); {
		case f == ir.FieldSpeed || f == ir.FieldCable:
			unlike = true
		case f == ir.FieldMTU:
		case unlike && (f == ir.FieldHeadroom || f == ir.FieldMarking || f == ir.FieldMinRate || f == ir.FieldMaxRate):
		case last != nil && setting(last.at.field) == f: // one finding for the values of a setting
		default:
			last = &contrast{sev: diag.Warning, spot: spot{of: b.Reading, at: place{bt[name][other], name.field, name.index}}}
			last.text = fmt.Sprintf("The switches %s and %s are the two of an MLAG, and one setting differs: %s: %s, and %s at %s. A packet of "+
				"a bond can reach either of them. Give both the same setting.", a.short, b.short, name, other, has, a.short)
			out = append(out, last)
		}
	}
	return out
}

// lacks returns a value that the other side does not have. ok is false if nothing is known about one side, or if the other side has all
// values.
func lacks(is, others map[string]string) (text string, ok bool) {
	if len(others) == 0 {
		return "", false
	}
	for _, text := range slices.Sorted(maps.Keys(is)) {
		if _, has := others[text]; !has {
			return text, true
		}
	}
	return "", false
}

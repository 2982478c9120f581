// Package settings judges the settings of devices: those of any person or program, in any form.
//
// The input is what a reader understood of one device ([Reading]) or of several; the output is findings at the places of the values. A
// rule uses [ir.Settings] alone, so it applies to every system. A rule judges the known settings of a device, and finds nothing in the
// others.
package settings

import (
	"slices"

	"github.com/rocec/rocec/lang/diag"
)

// Rules is the table: every rule about settings, in the order they are documented.
var Rules = []*Rule{
	&Unreachable,
	&Headroom,
	&CableZero,
	&Sizes,
	&RedLossless,
	&Unmarked,
	&ECNThresholds,
	&ECNZero,
	&EgressLimited,
	&Pools,
	&LosslessStrict,
	&Throttled,
	&Shaper,
	&WatchdogIdle,
	&Asymmetric,
	&LosslessDefault,
	&LosslessShared,
	&CNPBulk,
	&Remark,
	&ValueUnmapped,
	&SwitchesDisagree,
	&PairDiffers,
	&PeerDiffers,
}

// Topics returns every code that the rules about one device report.
func Topics() []diag.Topic { return topics(func(r *Rule) bool { return r.several == nil }) }

// SeveralTopics returns every code that the rules about several devices report.
func SeveralTopics() []diag.Topic { return topics(func(r *Rule) bool { return r.several != nil }) }

func topics(of func(r *Rule) bool) (out []diag.Topic) {
	for _, r := range Rules {
		known := slices.ContainsFunc(out, func(t diag.Topic) bool { return t.Code == r.Code })
		if of(r) && !known {
			out = append(out, r.Topic)
		}
	}
	return out
}

// Judge runs the rules about one device. Ports with equal settings are judged once, and equal findings about several ports at one place
// are merged.
func Judge(d *Reading, to Sink) {
	p := &pass{Reading: d, found: map[key]*finding{}, kinds: kindsOf(d.Settings)}
	for i := range p.kinds {
		for cos := range 8 {
			if p.gets>>cos&1 == 0 && p.kinds[i].gets(cos) {
				p.gets |= 1 << cos
			}
		}
	}
	for _, r := range Rules {
		p.rule, p.kind = r, nil
		if r.whole != nil {
			r.whole(p)
		}
		for i := range p.kinds {
			if p.kind = &p.kinds[i]; r.ports != nil {
				r.ports(p)
			}
		}
		p.report(to)
	}
}

// Compare runs the rules about several switches. A single switch gives no findings.
//
// It asks for the place of a value only when it reports a finding.
func Compare(all []*Reading, to Sink) { compare(all, to, false) }

// compare runs the rules about several switches; cabled leaves out the rule that assumes a cable between any two of them.
func compare(all []*Reading, to Sink, cabled bool) {
	if len(all) < 2 {
		return
	}
	members := membersOf(all)
	for _, r := range Rules {
		if r.several == nil || cabled && r == &SwitchesDisagree {
			continue
		}
		for _, c := range r.several(members) {
			if to.Omit(&r.Topic) {
				continue
			}
			d := to.Report(c.sev, &r.Topic, c.where(), "%s", diag.Escape(c.text))
			for _, n := range c.notes[:min(len(c.notes), mostNotes)] {
				d.Note(n.where(), "%s", diag.Escape(n.text))
			}
		}
	}
}

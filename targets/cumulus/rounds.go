package cumulus

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

const (
	othersRules = "others may have rules for ports that carry nothing lossless or marked"
	othersPause = "link pause of others stays on a port without PFC"
)

// rounds lists the fields whose value in the files of a switch can differ from the value in the fabric.
var rounds = []target.Rounding{
	{Field: ir.FieldSpeed, How: target.Unsaid, Why: "the files with the classes do not state it"},
	{Field: ir.FieldMTU, How: target.Unsaid, Why: "the files with the classes do not state it"},
	{Field: ir.FieldCable, How: target.Derived, Why: "the port is in no PFC group, or the release has no key for the cable", On: noCable},
	{Field: ir.FieldCable, How: target.Up, Why: "a group of ports states the length of its longest cable"},
	{Field: ir.FieldShare, How: target.Derived, Why: "up to 4.3 priority groups have weights", On: up43},
	{Field: ir.FieldDefaultCos, How: target.Derived, Why: "up to 4.3 only some spellings have the key", On: up43},
	{Field: ir.FieldRewrite, How: target.Stays, Why: "others may rewrite on ports that carry nothing lossless or marked", On: bare},
	{Field: ir.FieldTrust, How: target.Derived, Why: othersRules, On: bare},
	{Field: ir.FieldDSCP, How: target.Derived, Why: othersRules, On: bare},
	{Field: ir.FieldPCP, How: target.Derived, Why: othersRules, On: bare},
	{Field: ir.FieldDefaultCos, How: target.Derived, Why: othersRules, On: bare},
	{Field: ir.FieldPauses, How: target.Stays, Why: othersPause, On: unpaused},
	{Field: ir.FieldLinkPause, How: target.Stays, Why: othersPause, On: unpaused},
	{Field: ir.FieldGroup, How: target.Derived, Why: othersPause, On: unpaused},
	{Field: ir.FieldBuffer, How: target.Derived, Why: othersPause, On: unpaused},
	{Field: ir.FieldXoff, How: target.Derived, Why: othersPause, On: unpaused},
	{Field: ir.FieldXon, How: target.Derived, Why: othersPause, On: unpaused},
	{Field: ir.FieldHeadroom, How: target.Derived, Why: othersPause, On: unpaused},
	{Field: ir.FieldGroupPool, How: target.Derived, Why: othersPause, On: unpaused},
	{Field: ir.FieldGroupLimit, How: target.Derived, Why: othersPause, On: unpaused},
	{Field: ir.FieldQueuePool, How: target.Derived, Why: othersPause, On: unpaused},
	{Field: ir.FieldQueueLimit, How: target.Derived, Why: othersPause, On: unpaused},
	{Field: ir.FieldTrust, How: target.Derived, Why: "releases up to 3.4 trust one field; link pause stops all classes", On: oneField},
	{Field: ir.FieldPCP, How: target.Derived, Why: "releases up to 3.4 trust one field; link pause stops all classes", On: oneField},
	{Field: ir.FieldTrust, How: target.Stays, Why: "a switch that trusts both fields continues to do so where packets of intents get the " +
		"same cos by both"},
	{Field: ir.FieldDSCP, How: target.Trusted, Why: "up to 4.0 keys do not name the field"},
	{Field: ir.FieldPCP, How: target.Trusted, Why: "up to 4.0 keys do not name the field"},
	{Field: ir.FieldMarking, How: target.Derived, Why: "others may mark on ports that carry nothing lossless or marked", On: bare},
	{Field: ir.FieldMarking, How: target.Derived, Why: "4.4 marks on every port what it marks on one", On: everywhere},
	{Field: ir.FieldUnmarkable, How: target.Derived, Why: "4.4 marks on every port what it marks on one", On: everywhere},
	{Field: ir.FieldDrop, How: target.Derived, Why: "4.4 marks on every port what it marks on one", On: everywhere},
	{Field: ir.FieldMarking, How: target.Stays, Why: "queues that no cos group has stay marked"},
	{Field: ir.FieldUnmarkable, How: target.Stays, Why: "queues that no cos group has stay marked"},
	{Field: ir.FieldDrop, How: target.Stays, Why: "queues that no cos group has stay marked"},
}

func before(p *ir.Port, major, minor int) bool {
	r, ok := grammar.ParseRelease(p.Device().Switch.Version)
	return ok && !r.AtLeast(major, minor)
}

func up43(p *ir.Port) bool { return before(p, 4, 4) }

func unpaused(p *ir.Port) bool { return len(p.Buffers()) == 0 }

func bare(p *ir.Port) bool { return len(p.Buffers()) == 0 && len(p.Marks()) == 0 }

func oneField(p *ir.Port) bool {
	_, doc, _ := documented(p.Device().Switch.Version)
	return doc.Key(grammar.Switch, grammar.TrustOne) != nil && p.Trust() == ir.Trust{PCP: true, DSCP: true}
}

func everywhere(p *ir.Port) bool { return !before(p, 4, 4) && before(p, 5, 0) }

func noCable(p *ir.Port) bool {
	_, doc, _ := documented(p.Device().Switch.Version)
	f := grammar.PFC
	if p.ByPause() {
		f = grammar.LinkPause
	}
	return unpaused(p) || doc.Key(f, grammar.CableLength) == nil
}

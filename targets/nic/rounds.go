package nic

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

const (
	sizedByDriver = "the driver sizes buffers"
	noSetting     = "the driver has no such setting"
)

// rounds lists the fields whose value in the value files of all families can differ from the value in the fabric.
var rounds = []target.Rounding{
	{Field: ir.FieldDSCP, How: target.Trusted, Why: "a NIC has a map of DSCPs only if it trusts DSCP"},
	{Field: ir.FieldPCP, How: target.Trusted, Why: "a NIC uses the PCP as the priority only if it trusts PCP"},
	{Field: ir.FieldStamps, How: target.Stays, Why: "a NIC keeps marks that its intents do not use"},
	{Field: ir.FieldVLANMap, How: target.Stays, Why: "an interface of a VLAN that no intent uses stays as it is"},
	{Field: ir.FieldMarking, How: target.Derived, Why: "a NIC does not mark congestion"},
	{Field: ir.FieldBuffer, How: target.Derived, Why: sizedByDriver},
	{Field: ir.FieldHeadroom, How: target.Derived, Why: sizedByDriver},
	{Field: ir.FieldCable, How: target.Derived, Why: noSetting, On: unmeasured},
	{Field: ir.FieldShare, How: target.Derived, Why: noSetting, On: pauseless},
	{Field: ir.FieldStrict, How: target.Derived, Why: noSetting, On: pauseless},
	{Field: ir.FieldQueue, How: target.Derived, Why: noSetting, On: pauseless},
	{Field: ir.FieldPauses, How: target.Derived, Why: noSetting, On: pauseless},
	{Field: ir.FieldLinkPause, How: target.Derived, Why: noSetting, On: pauseless},
}

func unmeasured(p *ir.Port) bool { return p.NIC.Model.Driver.Cable == 0 }

func pauseless(p *ir.Port) bool { return p.NIC.Can().NoPFC }

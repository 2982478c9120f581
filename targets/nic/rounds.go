package nic

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

const (
	sizedByDriver = "the driver sizes buffers"
	noSetting     = "the driver has no such setting"
)

// rounds are the fields that value files of all families hold in another form than the fabric wants it.
var rounds = []target.Rounding{
	{Field: ir.FieldDSCP, How: target.Trusted, Why: "a NIC has a map of DSCP where it trusts that"},
	{Field: ir.FieldPCP, How: target.Trusted, Why: "a NIC takes the PCP for the priority where it trusts that"},
	{Field: ir.FieldStamps, How: target.Stays, Why: "a NIC keeps marks that its intents have no use for"},
	{Field: ir.FieldVLANMap, How: target.Stays, Why: "an interface of a VLAN that no intent uses stays as it is"},
	{Field: ir.FieldMarking, How: target.Derived, Why: "a NIC marks nothing on the way out"},
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

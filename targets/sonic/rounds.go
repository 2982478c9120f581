package sonic

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// rounds are the fields whose values in CONFIG_DB differ in form from those in the fabric.
var rounds = []target.Rounding{
	{Field: ir.FieldSpeed, How: target.Unsaid, Why: "it belongs to the port"},
	{Field: ir.FieldMTU, How: target.Unsaid, Why: "it belongs to the port"},
	{Field: ir.FieldDefaultCos, How: target.Unsaid, Why: "there is no such field"},
	{Field: ir.FieldCable, How: target.Unsaid, Why: "only lossless groups need it", On: unpaused},
	{Field: ir.FieldCable, How: target.Up, Why: "pg_profile_lookup.ini has rows for some lengths"},
	{Field: ir.FieldDSCP, How: target.Trusted, Why: "a port has only the map of the field that it trusts"},
	{Field: ir.FieldPCP, How: target.Trusted, Why: "a port has only the map of the field that it trusts"},
	{Field: ir.FieldBuffer, How: target.Derived, Why: "the row of pg_profile_lookup.ini, or the switch itself, decides sizes"},
	{Field: ir.FieldXoff, How: target.Derived, Why: "the row of pg_profile_lookup.ini, or the switch itself, decides sizes"},
	{Field: ir.FieldXon, How: target.Derived, Why: "the row of pg_profile_lookup.ini, or the switch itself, decides sizes"},
	{Field: ir.FieldHeadroom, How: target.Derived, Why: "the row of pg_profile_lookup.ini, or the switch itself, decides sizes"},
	{Field: ir.FieldGroupPool, How: target.Derived, Why: "the profile of the row names it"},
	{Field: ir.FieldGroupLimit, How: target.Derived, Why: "the profile of the row states it"},
	{Field: ir.FieldQueuePool, How: target.Derived, Why: "lossless queues have the profile of the template"},
	{Field: ir.FieldQueueLimit, How: target.Derived, Why: "lossless queues have the profile of the template"},
}

func unpaused(p *ir.Port) bool { return len(p.Buffers()) == 0 }

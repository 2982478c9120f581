package nvue

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// rounds are the fields whose values in a tree differ in form from those in the fabric.
var rounds = []target.Rounding{
	{Field: ir.FieldSpeed, How: target.Unsaid, Why: "it belongs to the link"},
	{Field: ir.FieldMTU, How: target.Unsaid, Why: "it belongs to the link"},
	{Field: ir.FieldCable, How: target.Derived, Why: "it is a part of PFC", On: unpaused},
	{Field: ir.FieldCable, How: target.Up, Why: "profiles are for classes of lengths"},
	{Field: ir.FieldBuffer, How: target.Derived, Why: "the switch derives sizes from the cable length", On: derives},
	{Field: ir.FieldXoff, How: target.Derived, Why: "the switch derives sizes from the cable length", On: derives},
	{Field: ir.FieldHeadroom, How: target.Derived, Why: "the switch derives sizes from the cable length", On: derives},
	{Field: ir.FieldXon, How: target.Derived, Why: "manuals up to 5.16 leave open where xon-threshold begins to count"},
	{Field: ir.FieldGroup, How: target.Derived, Why: "the switch assigns priorities to groups"},
	{Field: ir.FieldGroupPool, How: target.Derived, Why: "the system sets the pools of groups"},
	{Field: ir.FieldGroupLimit, How: target.Derived, Why: "the system sets the limits of groups"},
	{Field: ir.FieldQueuePool, How: target.Derived, Why: "the system sets the pools of queues"},
	{Field: ir.FieldQueueLimit, How: target.Derived, Why: "the system sets the limits of queues"},
	{Field: ir.FieldTrust, How: target.Stays, Why: "a switch that trusts both fields keeps this if packets of intents are classified equally"},
	{Field: ir.FieldMarking, How: target.Derived, Why: "a port without a profile has default-global, which others may set", On: unmarked},
	{Field: ir.FieldUnmarkable, How: target.Derived, Why: "a port without a profile has default-global, which others may set", On: unmarked},
	{Field: ir.FieldDrop, How: target.Derived, Why: "a port without a profile has default-global, which others may set", On: unmarked},
}

func unmarked(p *ir.Port) bool { return len(p.Marks()) == 0 }

func unpaused(p *ir.Port) bool { return len(p.Buffers()) == 0 }

// derives reports whether no size of the port is stated.
func derives(p *ir.Port) bool {
	return !slices.ContainsFunc(p.Buffers(), func(b *ir.Buffer) bool {
		w := b.Group.PFC
		return w != nil && (w.Buffer.Set() || w.Xoff.Set() || w.XonDelta.Set())
	})
}

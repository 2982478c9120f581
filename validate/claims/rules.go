package claims

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate/configured"
	"github.com/rocec/rocec/validate/proof"
)

// rule states how an assumption is compared with devices.
type rule struct {
	code   proof.AssumptionCode
	states func(*ir.Fabric) bool         // reports whether the fabric states the assumption; nil: it does not
	scope  func(*ir.Fabric) []*ir.Device // the devices that show it; nil: no answer shows it
	reads  ir.ForwardingPart             // the part of their answers about forwarding, unless settings is set
	part   string                        // Standing.Part

	settings bool // the settings of a device of scope show it, by package configured
}

// rules has a row for each assumption that the fabric states, or that answers show.
var rules = []rule{
	{code: proof.HostsDrain, scope: hosts, reads: ir.PartHost, part: "forwarding is off or harmless"},
	{
		code: proof.PausesWork, scope: configured.Carriers, settings: true,
		part: "PFC and headroom are as in the fabric, and the time until a port obeys is not known",
	},
	{code: proof.GuaranteedBuffer, scope: configured.Switches, settings: true},
	{code: proof.Classified, scope: configured.Switches, settings: true},
	{code: proof.NoFlooding, scope: switches, reads: ir.PartAges, part: "MAC addresses outlive ARP entries"},
	{code: proof.NoTurningBack, scope: joints, reads: ir.PartTables},
	{
		code: proof.NeverUpAgain, states: func(f *ir.Fabric) bool { return f.Routing == ir.UpDown }, scope: joints, reads: ir.PartTables,
		part: "no route goes up again at present",
	},
	{code: proof.ASNumbers, states: numbered, scope: switches, reads: ir.PartBGP},
	{code: proof.SpanningTreeRuns, scope: bridges, reads: ir.PartTrees},
	{code: proof.EqualCosts, scope: joints, reads: ir.PartTables, part: "routes take paths of the healthy fabric"},
	{code: proof.NoIBGP, scope: switches, reads: ir.PartBGP},
	{
		code: proof.ByTable, states: func(f *ir.Fabric) bool { return f.Table != nil }, scope: joints, reads: ir.PartTables,
	},
	{code: proof.BondsFormed, scope: configured.Bonded, settings: true},
	{code: proof.SetByHand, states: func(*ir.Fabric) bool { return true }},
	{code: proof.NoPrepending, scope: switches, reads: ir.PartBGP},
	{code: proof.NoTunnels, scope: switches, reads: ir.PartTunnels},
	{code: proof.Aggregates, scope: switches, reads: ir.PartBGP},
}

func ruleOf(code proof.AssumptionCode) *rule {
	if i := slices.IndexFunc(rules, func(r rule) bool { return r.code == code }); i >= 0 {
		return &rules[i]
	}
	return nil
}

// numbered reports whether every switch has an AS number in the fabric.
func numbered(f *ir.Fabric) bool {
	return !slices.ContainsFunc(f.Devices, func(d *ir.Device) bool { return d.Switch != nil && d.Switch.ASN == 0 && len(d.Ports) > 0 })
}

// switches returns the switches with cables.
func switches(f *ir.Fabric) []*ir.Device {
	return configured.Devices(f, func(d *ir.Device) bool { return d.Switch != nil && len(d.Ports) > 0 })
}

// hosts returns the hosts with lossless ports that forward nothing by the fabric.
func hosts(f *ir.Fabric) []*ir.Device {
	return configured.Devices(f, func(d *ir.Device) bool {
		return d.Host != nil && !d.Host.Forwards && slices.ContainsFunc(d.Ports, configured.Lossless)
	})
}

// joints returns the forwarding devices with a lossless cable to another one.
func joints(f *ir.Fabric) []*ir.Device {
	return configured.Devices(f, func(d *ir.Device) bool { return d.Forwards() && slices.ContainsFunc(d.Ports, joint) })
}

// bridges returns the forwarding devices with a bridged lossless cable to another one.
func bridges(f *ir.Fabric) []*ir.Device {
	return configured.Devices(f, func(d *ir.Device) bool {
		return d.Forwards() && slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return joint(p) && !p.Link().Routed })
	})
}

// joint reports whether a port has a laid lossless cable to another device that forwards.
func joint(p *ir.Port) bool {
	return configured.Lossless(p) && p.Peer().Device().Forwards() && p.Peer().Device() != p.Device()
}

// portNamed returns a port of a device by its name; nil: the fabric has no cable there.
func portNamed(d *ir.Device, name string) *ir.Port {
	if i := slices.IndexFunc(d.Ports, func(p *ir.Port) bool { return p.Name == name }); i >= 0 {
		return d.Ports[i]
	}
	return nil
}

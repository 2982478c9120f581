// Package compiler turns the fabric as written into the fabric as meant.
//
// The input is a [lang.Source], strings with places, and [ir.Known], the facts that targets know about operating systems and NICs. The
// output is an [ir.Fabric]: names are pointers, models are rows of tables, and cables are checked. Every port lists its lossless groups,
// and every size is derived and has its reason. The last stage is the router, which finds the turns that lossless traffic takes.
//
// Compile promises: A fabric with errors has no IR. All errors of one run are reported together, sorted. The result does not depend on the
// order of declarations, except that Links and Intents have the order of the source. The time is linear in devices and cables (sorting
// aside).
package compiler

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// Compile resolves, checks and sizes a fabric. The fabric is nil if the list has errors. It keeps no part of the source, and releases
// source devices and links as soon as their IR exists. So memory holds only one of the two, unless the caller keeps a reference. Systems
// that are not in known are assumed to do what their chips can (see [ir.ChipCan]).
func Compile(src *lang.Source, known ir.Known) (*ir.Fabric, diag.List) {
	own := *src
	c := &compiler{src: &own, known: known, f: &ir.Fabric{}, report: newReport(), bonds: map[bondKey]int{}, hostBonds: map[bondKey]bool{}}

	c.fabric()
	c.models()
	c.cosGroups()
	c.devices()
	own.Switches, own.Hosts, own.Accepts = nil, nil, nil
	c.cables()
	own.Links = nil
	c.tiers()
	c.root()
	c.intents()
	c.carry()
	c.table()
	c.checkRouting()
	c.checkLengths()

	found := c.report.done()
	if found.HasErrors() {
		return nil, found
	}
	c.pins = newPins(own.Lock)
	c.size()
	c.mark()
	c.reportPins(&found)
	found.Sort()
	c.visible()
	c.f.Routes = routes.New(c.f)
	return c.f, found
}

// compiler is the state of one run; the stages fill it from top to bottom of [Compile].
type compiler struct {
	src    *lang.Source
	known  ir.Known
	f      *ir.Fabric
	report *report

	// models
	switchModels map[string]*platform.Switch // of switch_model blocks, by the name written
	nicModels    map[string]*ir.NICModel
	foundSwitch  map[string]*platform.Switch // results of lookups, nil for unknown names
	foundNIC     map[string]*ir.NICModel

	// cosGroups
	groups map[string]*ir.CosGroup

	// devices
	named     map[string]*ir.Device
	nameNear  *speller
	hostGroup map[string][]*ir.Device

	bonds     map[bondKey]int  // cables: the numbers of the bonds between switches
	hostBonds map[bondKey]bool // cables: blocks of bonds between switches that end at hosts, already reported

	pins   *pins       // size and mark
	shared sharedSizes // size and mark

	// carry
	carried map[*ir.CosGroup]linkSet // links that carry the group
	marked  map[*ir.CosGroup]linkSet // of groups with an ecn block: links whose senders mark
	seen    [][]uint64               // by Device.ID of a switch: the intents whose traffic passes it, as bits
}

// fabric copies the values of the fabric block.
func (c *compiler) fabric() {
	s := &c.src.Fabric
	f := c.f
	f.Name, f.At = s.Name, s.Decl
	f.MTU, f.MTUAt = s.MTU.Or(defaultMTU), s.MTU.At
	f.Routing, f.RoutingAt = ir.Routing(s.Routing.V), s.Routing.At
	f.Failures, f.FailuresAt = s.Failures.Or(defaultFailures), s.Failures.At
	f.Bench, f.Approvals = s.Bench.V, s.Approvals.V
	f.FlowControl, f.FlowControlAt = ir.FlowControl(s.FlowControl.Or(string(ir.PFC))), s.FlowControl.At
	f.SSH = c.login(nil)
}

// The language's defaults of the fabric block.
const (
	defaultMTU      = 9216
	defaultFailures = 1
)

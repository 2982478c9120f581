package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// LosslessCount reports switches set by hand that carry more lossless groups than their chip is known to support.
var LosslessCount = &Check{
	Code:    "lossless-count",
	Summary: "more lossless groups than the switch is known to do",
	Answers: []string{"K13"},
	Run: func(p *Pass) {
		type key struct{ at, model diag.Range }
		var found folds[key, *ir.Port]
		for _, d := range p.Fabric.Devices {
			if d.Switch == nil || d.ByHand == nil || d.ByHand.FlowControl != "" || p.Fabric.FlowControl == ir.Pause {
				continue
			}
			var most *ir.Port
			for _, port := range d.Ports {
				if !port.ByPause() && (most == nil || len(port.Buffers()) > len(most.Buffers())) {
					most = port
				}
			}
			if can := d.Switch.Can; most != nil && (len(most.Buffers()) > can.Lossless || len(most.Buffers()) > 1 && can.Shared) {
				found.add(key{d.ByHand.At, diag.FirstPlace(d.Switch.ModelAt, d.Decl)}, most)
			}
		}
		found.each(func(k key, ports []*ir.Port) {
			port := ports[0]
			asic, can := port.Device().Switch.Model.ASIC, port.Device().Switch.Can
			var names []string
			for _, b := range port.Buffers() {
				names = append(names, b.Group.Name)
			}
			where := port.String() + andMore(len(ports), "switch")
			var d *diag.Diagnostic
			switch {
			case !can.PFC:
				d = p.Errorf(k.model, "The lossless cos group %s passes %s, and %s has no PFC on %s: the switch "+
					"drops when it is full. Use another model, or keep lossless traffic away from "+
					"it.", diag.And(names), where, can.System, asic.Title)
			case len(names) <= can.Lossless: // so all groups share one buffer
				d = p.Warnf(k.model, "%s carry %s, and %s keeps one buffer for all of them on %s: when one is congested, the others are paused, "+
					"too (%s). Put the intents into one lossless group.",
					"Ports like "+where, diag.Count(len(names), "lossless group"), can.System, asic.Title, can.Joined)
			default:
				d = p.Warnf(k.model, "%s carry %s, and %s is known to do %d on a port: %s. Put the intents into fewer lossless groups, or verify "+
					"that the buffer is large enough.",
					"Ports like "+where, diag.Count(len(names), "lossless group"), asic.Title, can.Lossless, can.Counted)
			}
			d.Note(k.at, "rocec does not set it up")
		})
	},
}

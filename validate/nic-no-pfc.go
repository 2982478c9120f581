package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// NICNoPFC reports members that can neither send nor obey a pause.
var NICNoPFC = &Check{
	Code:    "nic-no-pfc",
	Summary: "a NIC without PFC in a lossless group",
	Answers: []string{"K13"},
	OnHop:   true,
	Doc: `
Soft-RoCE (rdma_rxe) is a driver above an ordinary interface. It has no PFC and no buffers of its
own to protect: it does not pause its switch when the host is slow, and goes on sending when the
switch pauses, unless the interface below it does all of that. As a member of a lossless group it
breaks the promise at its own cable: frames are lost there.

Example:

    host "lab" {
      names = "lab1"
      nic "eth0" { model = "soft-roce" }
    }
    link "lab" {
      a     = "lab1:eth0"
      b     = "leaf1:swp3"
      speed = "25G"
    }
    roce "training" {
      cos_group = cos_group.rdma # lossless
      members   = [host.gpu, host.lab]
    }

Fix: a NIC with PFC; or a lossy cos group with ECN for such hosts. If the interface below
does PFC and is set up for it, say so:

    host "lab" {
      by_hand { flow_control = "pfc" }
    }
`,
	Run: func(p *Pass) {
		var found folds[diag.Range, *ir.NIC]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				if walk.NoPFC(n) && firstLossless(n) != nil {
					found.add(diag.FirstPlace(n.ModelAt, n.At), n)
				}
			}
		}
		found.each(func(at diag.Range, nics []*ir.NIC) {
			n := nics[0]
			in := firstLossless(n)
			e := p.Errorf(at, "%s%s in the lossless cos group %q of roce %q, and %s has no PFC: it neither pauses its switch nor "+
				"obeys it, so frames are lost at its cable. Use a NIC with PFC or a lossy group; if the interface below does "+
				"PFC, say flow_control = \"pfc\" in by_hand.",
				nicName(n), andMore(len(nics), "NIC")+" "+diag.Plural(len(nics), "is", "are"), in.Group.Name, in.Name, n.Model.Title).
				Note(diag.FirstPlace(in.Group.LosslessAt, in.Group.At), "the lossless group")
			if h := n.Device.ByHand; h != nil {
				e.Note(h.At, "says nothing of its flow control")
			}
		})
	},
}

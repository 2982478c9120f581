package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// NICNoIntent warns of NICs whose RoCE nobody has described.
var NICNoIntent = &Check{
	Code:    "nic-no-intent",
	Summary: "a RoCE NIC that no intent names",
	Answers: []string{"X6"},
	Doc: `
A nic block is an interface that speaks RoCE. One that is cabled and in no roce block gets no
trust, no PFC and no marks, and its switch port no lossless buffer: whatever an application sends
there by RoCE travels as best effort, is dropped under load, and is not part of what is proved.
Nothing shows it, as RoCE works on an idle network.

A NIC that is there for other traffic says roce = false, which also switches RoCE off on it, so
that no application can pick it. Both ports of a bond are members as soon as one is. Where the
driver cannot switch RoCE off (ConnectX-3, Soft-RoCE), nothing is said.

Example:

    host "store" {
      nic "ens1f0" { model = "connectx-5" }
    }
    roce "training" {
      members = [host.gpu] # and not host.store
    }

Fix: name the NIC in the roce block whose members it talks with, or write roce = false.

    roce "training" {
      members = [host.gpu, host.store]
    }
`,
	Run: func(p *Pass) {
		if len(p.Fabric.Intents) == 0 {
			return // nothing of the fabric's RoCE is described
		}
		var idle folds[diag.Range, *ir.NIC]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil || d.Host.Forwards { // what it passes on is of others
				continue
			}
			for _, n := range d.Host.NICs {
				if n.Port != nil && n.RoCE && !n.Can().AlwaysRoCE && len(n.Carries()) == 0 {
					idle.add(diag.FirstPlace(n.ModelAt, n.At), n)
				}
			}
		}
		idle.each(func(_ diag.Range, all []*ir.NIC) {
			p.Warnf(all[0].At, "%s in no roce block, so RoCE there travels as best effort: no PFC, no marks, and no part of the proof. Name %s "+
				"in the members of a roce block, or write roce = false.",
				verb(nicNames(all), len(all), "is", "are"), diag.Plural(len(all), "it", "them"))
		})
	},
}

package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// NICPFCClasses reports NICs that carry more lossless groups than they can pause apart.
var NICPFCClasses = &Check{
	Code:    "nic-pfc-classes",
	Summary: "a NIC carries more lossless groups than it has classes with PFC",
	Answers: []string{"K13"},
	Doc: `
A switch has PFC for each of eight priorities; a NIC may have fewer classes with a buffer that PFC
protects. The E810 has one on each port (Intel's RDMA guide), so a second lossless group is lossy
there: what arrives in it while the NIC is busy is dropped. Firmware of Broadcom's NICs most often
reports one as well; ask yours (dcb pfc show, pfc-cap), and hence a warning.

Example:

    host "gpu" {
      nic "ens1f0" { model = "e810" }
      by_hand {}
    }
    cos_group "storage" {
      cos      = 5
      dscp     = ["af21"]
      lossless = true
      ecn {}
    }
    roce "nvme" {
      version   = 2
      cos_group = cos_group.storage
      cnp       = cos_group.cnp
      members   = [host.gpu] # a member of training as well, in cos_group "rdma"
    }

Fix: one lossless group for both intents of such a NIC, or a NIC for each.

    roce "nvme" {
      cos_group = cos_group.rdma
    }
    cos_group "storage" {
      lossless = false
    }
`,
	Run: func(p *Pass) {
		var found folds[diag.Range, *ir.NIC]
		for _, d := range p.Fabric.Devices {
			if d.Host == nil {
				continue
			}
			for _, n := range d.Host.NICs {
				if len(n.Intents) == 0 || !walk.ByPFC(n) {
					continue
				}
				if most := n.Can().Lossless; most > 0 && len(losslessOf(n)) > most {
					found.add(diag.FirstPlace(n.ModelAt, n.At), n)
				}
			}
		}
		found.each(func(at diag.Range, nics []*ir.NIC) {
			n := nics[0]
			can := n.Can()
			carried := losslessOf(n)
			report, has := p.Errorf, "has"
			if can.UsualLossless {
				report, has = p.Warnf, "by what its firmware usually reports has"
			}
			d := report(at, "%s%s in %d lossless cos groups, and a port of the %s %s %s with PFC: what arrives in the others "+
				"while it is busy is lost. Put its intents into one lossless group, or give each a NIC of its own.",
				nicName(n), andMore(len(nics), "NIC")+" "+diag.Plural(len(nics), "is", "are"), len(carried), n.Model.Title, has,
				diag.Count(can.Lossless, "class"))
			for _, in := range carried {
				d.Note(diag.FirstPlace(in.GroupAt, in.At), "roce %q travels in %q", in.Name, in.Group.Name)
			}
		})
	},
}

// losslessOf returns an intent for each lossless group a NIC's traffic travels in.
func losslessOf(n *ir.NIC) []*ir.Intent {
	var out []*ir.Intent
next:
	for _, in := range n.Carries() {
		if !in.Group.Lossless {
			continue
		}
		for _, other := range out {
			if other.Group == in.Group {
				continue next
			}
		}
		out = append(out, in)
	}
	return out
}

package validate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// PauseIdlesLink tells of long links that stand still after a pause, as too little lies below xon.
var PauseIdlesLink = &Check{
	Code:    "pause-idles-link",
	Summary: "a pause leaves a long link idle",
	Answers: []string{"K11"},
	Doc: `
A port lets its peer go on when the buffer has drained to xon = xoff - xon_delta. The first new
frame comes a round trip later: the port's own frame must be out, the cable is crossed twice, and
the peer has to act. What lies below xon feeds the way out meanwhile. On a cable inside a building
that takes little; on one of some kilometres the buffer runs empty at every pause, and the way out
idles.

Above 1 km rocec derives xoff and xon from the round trip, as far as the memory of the chip holds
them. This note names the ports where the sizes that are written, pinned or left by the memory are
smaller. Nothing is lost by it; every pause costs up to that time of the link. It costs less where
the port also holds frames in shared memory.

Example: the preset of shorter cables at 100G over 10 km.

    cos_group "rdma" {
      pfc {
        xoff      = "18000B" # 1.3 MB pass in a round trip
        xon_delta = "2000B"
      }
    }
    switch "hall" {
      names = "hall[1-2]"
      model = "sn4700"
      tier  = 3
    }
    link "between" {
      a      = "hall1:swp1"
      b      = "hall2:swp1"
      speed  = "100G"
      length = "10km"
      peer   = true
    }
    link "up" {
      a = "spine[1-2]:swp32"
      b = "hall[1-2]:swp2"
    }

Fix: leave xoff and buffer out, and rocec derives them for each cable; or write an xoff
that is xon_delta above the round trip, where the memory holds it at every port of the group.

    cos_group "rdma" {
      pfc { xon_delta = "2000B" } # no xoff
    }
`,
	Run: func(p *Pass) {
		type key struct {
			group *ir.CosGroup
			at    diag.Range
		}
		var found folds[key, *ir.Port]
		for _, port := range p.Fabric.Ports {
			for _, b := range port.Buffers() {
				if idle(port, b) > 0 {
					given := b.Group.Sizes()
					found.add(key{b.Group, diag.FirstPlace(given.Xoff.At(), given.Buffer.At(), b.Pinned, port.Link().At)}, port)
				}
			}
		}
		found.each(func(k key, ports []*ir.Port) {
			worst := slices.MaxFunc(ports, func(x, y *ir.Port) int {
				return cmp.Or(cmp.Compare(idle(x, x.Carries(k.group)), idle(y, y.Carries(k.group))), cmp.Compare(y.Device().ID, x.Device().ID),
					cmp.Compare(y.Index, x.Index))
			})
			b, l := worst.Carries(k.group), worst.Link()
			given := b.Group.Sizes()
			fix := fmt.Sprintf("Leave xoff and buffer out, so that they are derived, or write an xoff of at least %s.",
				diag.Bytes(b.RoundTrip+b.XonDelta.N))
			switch k.at {
			case b.Pinned:
				fix = "Take the sizes of this rocec with `rocec lock-sizes --refresh`."
			case l.At:
				fix = "The memory of the switch does not hold more at every such port. Shorter cables, fewer of them or another model help."
			}
			d := p.Noticef(k.at, "At %s a cable of %g m takes %s at %s from the end of a pause until new frames of cos group %q arrive, and xon "+
				"lets only %s lie there: every pause can leave the link idle for %s. %s", worst.String()+andMore(len(ports), "port"),
				l.Length.Metres, diag.Bytes(b.RoundTrip), platform.SpeedText(l.Speed.N), k.group.Name,
				diag.Bytes(b.Xoff.N-b.XonDelta.N), diag.Count(idle(worst, b), "microsecond"), fix)
			if k.at != l.At {
				d.Note(l.At, "the cable")
			}
			if at := given.XonDelta.At(); at.Filename != "" {
				d.Note(at, "xon is xoff less xon_delta")
			}
		})
	},
}

// idle is for how long a long cable idles after a pause, in whole microseconds, begun ones counted; 0 of shorter ones, and where
// thresholds contradict each other ([PFCSizes]).
func idle(p *ir.Port, b *ir.Buffer) int {
	missing := b.RoundTrip - (b.Xoff.N - b.XonDelta.N)
	if p.Device().Switch == nil || p.Device().ByHand != nil || p.Link().Length.Metres <= ir.LongCable || missing <= 0 || p.Link().Speed.N <= 0 ||
		walk.XoffWrong(p, b) || b.XonDelta.N >= b.Xoff.N {
		return 0
	}
	return (missing*8 + p.Link().Speed.N - 1) / p.Link().Speed.N
}

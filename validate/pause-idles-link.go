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

// PauseIdlesLink reports long links that idle after a pause because xon is too small.
var PauseIdlesLink = &Check{
	Code:    "pause-idles-link",
	Summary: "a pause leaves a long link idle",
	Answers: []string{"K11"},
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
				fix = "Take the sizes of this rocec with `rocec build --lock --refresh`."
			case l.At:
				fix = "The memory of the switch does not hold more at every such port. Shorter cables, fewer of them or another model help."
			}
			d := p.Noticef(k.at, "At %s a cable of %g m carries %s at %s between the end of a pause and the first new frame of cos group %q. "+
				"For that time, xon keeps only %s in the buffer: every pause can leave the link idle for %s. %s",
				worst.String()+andMore(len(ports), "port"),
				l.Length.Metres, diag.Bytes(b.RoundTrip), platform.SpeedText(l.Speed.N), k.group.Name,
				diag.Bytes(b.Xoff.N-b.XonDelta.N), diag.Count(idle(worst, b), "microsecond"), fix)
			if k.at != l.At {
				d.Note(l.At, "the cable")
			}
			if at := given.XonDelta.At(); at.Filename != "" {
				d.Note(at, "xon is xoff minus xon_delta")
			}
		})
	},
}

// idle returns how long a long cable idles after a pause, in microseconds, rounded up. It returns 0 for shorter cables, and for thresholds
// that contradict each other ([PFCSizes]).
func idle(p *ir.Port, b *ir.Buffer) int {
	missing := b.RoundTrip - (b.Xoff.N - b.XonDelta.N)
	if p.Device().Switch == nil || p.Device().ByHand != nil || p.Link().Length.Metres <= ir.LongCable || missing <= 0 ||
		p.Link().Speed.N <= 0 ||
		walk.XoffWrong(p, b) || b.XonDelta.N >= b.Xoff.N {
		return 0
	}
	return (missing*8 + p.Link().Speed.N - 1) / p.Link().Speed.N
}

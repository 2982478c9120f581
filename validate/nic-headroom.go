package validate

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// NICHeadroom reports NICs whose buffers are too small for the frames that arrive after a pause.
var NICHeadroom = &Check{
	Code:    "nic-headroom",
	Summary: "the NIC's buffer is too small for the cable",
	Answers: []string{"K11", "N14"},
	Run: func(p *Pass) {
		type key struct {
			at    diag.Range // the place of the length
			block string
			model *ir.NICModel
			need  int
			long  bool
		}
		var found folds[key, *ir.Port]
		for _, port := range p.Fabric.Ports {
			if port.NIC == nil || len(port.Buffers()) == 0 || port.NIC.Model.Driver == nil || port.NIC.Model.Driver.Buffer == nil {
				continue
			}
			need := 0
			for _, b := range port.Buffers() {
				need += b.Need
			}
			l, model := port.Link(), port.NIC.Model
			longest := model.Driver.Cable
			if long := longest > 0 && l.Length.Metres > float64(longest); long || model.Buffer > 0 && need > model.Buffer {
				found.add(key{diag.FirstPlace(l.Length.From.At, l.At), l.Block, model, need, long}, port)
			}
		}
		found.each(func(k key, all []*ir.Port) {
			first := all[0]
			where := first.String() + andMore(len(all), "NIC") + diag.Plural(len(all), " needs", " each need")
			text := fmt.Sprintf("%s %s for %s (%s, %g m)", where, diag.Bytes(k.need), diag.Count(len(first.Buffers()), "lossless group"),
				platform.SpeedText(first.Link().Speed.N), first.Link().Length.Metres)
			fix := "Frames that arrive after its pause are lost. A shorter cable, fewer lossless groups or a lower speed help."
			if k.long {
				p.Warnf(k.at, "%s, and the %s driver counts at most %d m of cable: it keeps less headroom than that. %s", text,
					k.model.Driver.Name, k.model.Driver.Cable, fix)
				return
			}
			p.Warnf(k.at, "%s, and a port of a %s has %s of memory. %s", text, k.model.Title, diag.Bytes(k.model.Buffer), fix).
				Note(first.NIC.ModelAt, "the model")
		})
	},
}

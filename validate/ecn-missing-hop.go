package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// ECNMissingHop warns of switches that do not mark packets of a group with ECN.
var ECNMissingHop = &Check{
	Code:    "ecn-missing-hop",
	Summary: "a switch on the way does not mark",
	Answers: []string{"2", "K17"},
	OnHop:   true,
	Run: func(p *Pass) {
		for _, b := range byHands(p.Fabric) {
			if b.ECN {
				continue
			}
			var intents []*ir.Intent
			var devices []*ir.Device
			for _, at := range b.passings() {
				if walk.Unmarked(at.port.Device(), at.intent) {
					intents = append(intents, at.intent)
					if len(at.devices) > len(devices) {
						devices = at.devices
					}
				}
			}
			if len(intents) == 0 {
				continue
			}
			effect := "fills its buffers until PFC pauses upstream, and senders never slow down for it"
			if !intents[0].Group.Lossless {
				effect = "ends in loss, and senders never slow down for it before"
			}
			p.Warnf(diag.FirstPlace(b.ECNAt, b.At),
				"%s no packets (ecn = false), and %s there, whose cos group asks for marking. Congestion there %s. "+
					"Switch ECN on for cos %d.", verb(deviceNames(devices), len(devices), "marks", "mark"),
				verb(intentNames(intents), len(intents), "passes", "pass"), effect, intents[0].Group.Cos).
				About(ir.IntentNames(intents)...).
				Note(intents[0].Group.ECN.At, "asks for marking")
		}
	},
}

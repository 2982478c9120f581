package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// DCBXFirmware reports member NICs whose PFC no block sets.
var DCBXFirmware = &Check{
	Code:    "dcbx-firmware",
	Summary: "firmware decides a NIC's PFC, and no switch tells it",
	Answers: []string{"K21", "N6"},
	OnHop:   true,
	Run: func(p *Pass) {
		for _, b := range byHands(p.Fabric) {
			if !b.Firmware {
				continue
			}
			var intents []*ir.Intent
			var devices []*ir.Device
			for _, at := range b.passings() {
				if walk.FirmwareDecides(at.port.Device(), at.intent) {
					intents = append(intents, at.intent)
					if len(at.devices) > len(devices) {
						devices = at.devices
					}
				}
			}
			if len(intents) == 0 {
				continue
			}
			in := intents[0]
			p.Errorf(diag.FirstPlace(b.FirmwareAt, b.At),
				"%s PFC and trust to the NIC's firmware (dcbx = \"firmware\"), and %s by these NICs, in the lossless cos "+
					"group %q. The switches advertise nothing, so the default of the firmware decides whether cos %d is lossless there: usually it is "+
					"not. Let the host decide, and switch PFC on for cos %d.", verb(deviceNames(devices), len(devices), "leaves", "leave"),
				verb(intentNames(intents), len(intents), "travels", "travel"), in.Group.Name, in.Group.Cos, in.Group.Cos).
				About(ir.IntentNames(intents)...).
				Note(diag.FirstPlace(in.Group.LosslessAt, in.Group.At), "makes it lossless")
		}
	},
}

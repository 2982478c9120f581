package validate

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// DCBXFirmware reports member NICs whose PFC nobody sets.
var DCBXFirmware = &Check{
	Code:    "dcbx-firmware",
	Summary: "firmware decides a NIC's PFC, and no switch tells it",
	Answers: []string{"K21", "N6"},
	OnHop:   true,
	Doc: `
A NIC can take its PFC mask, trust and shares of the link from its neighbour: by DCBX, in LLDP, by
its firmware or by lldpad. That needs a switch that advertises them. Cumulus Linux up to 4.3 as
rocec sets it up advertises none, so the NIC has whatever its firmware starts with, usually no PFC
at all, and what the host sets is overwritten when the link comes up. The host's end of the lossless
link is then a matter of luck.

Example:

    host "store" {
      nic "ens1f0" { model = "e810" }
      by_hand { dcbx = "firmware" }
    }

Fix: let the host decide, and set PFC there. mlx5: mlnx_qos -i IF --dcbx os, and
LLDP_NB_DCBX off in the firmware; E810: ethtool --set-priv-flags IF fw-lldp-agent off; and no lldpad
that listens to its neighbour. Then say so:

    host "store" {
      by_hand { dcbx = "host" }
    }
`,
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
					"group %q. The switches advertise nothing, so whether cos %d is lossless there is whatever the firmware starts with, usually not. "+
					"Let the host decide, and switch PFC on for cos %d.", verb(deviceNames(devices), len(devices), "leaves", "leave"),
				verb(intentNames(intents), len(intents), "travels", "travel"), in.Group.Name, in.Group.Cos, in.Group.Cos).
				Note(diag.FirstPlace(in.Group.LosslessAt, in.Group.At), "makes it lossless")
		}
	},
}

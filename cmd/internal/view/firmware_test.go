package view

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
)

// Firmware older than the most common version of its model and group is a hint. If two versions are equally common, the newer one counts.
func TestFirmwareHints(t *testing.T) {
	cx5, cx6 := &ir.NICModel{Name: "connectx-5"}, &ir.NICModel{Name: "connectx-6"}
	f := &ir.Fabric{}
	var devices []VerifyDevice
	add := func(name, group string, model *ir.NICModel, firmware string) {
		f.Devices = append(f.Devices, &ir.Device{Name: name, Group: group, Host: &ir.Host{NICs: []*ir.NIC{{Name: "ens1f0", Model: model}}}})
		devices = append(devices, VerifyDevice{Name: name, Facts: []VerifyFact{{"firmware", "ens1f0", firmware}, {"model", "ens1f0", "1"}}})
	}
	add("a1", "gpu", cx5, "16.35.4030")
	add("a2", "gpu", cx5, "16.35.4030")
	add("a3", "gpu", cx5, "16.9.9999")
	add("a4", "gpu", cx5, "16.40.1")
	add("a5", "gpu", cx6, "1.0")
	add("b1", "store", cx5, "16.1")
	add("b2", "store", cx5, "16.2")
	add("b3", "store", cx5, "none")
	firmwareHints(f, devices)
	var said []string
	for _, d := range devices {
		for _, h := range d.Hints {
			said = append(said, h.Message)
		}
	}
	assert.Equal(t, []string{
		"ens1f0 on a3 has firmware 16.9.9999; others of its model in gpu have 16.35.4030.",
		"ens1f0 on b1 has firmware 16.1; others of its model in store have 16.2.",
	}, said)
}

package view

import (
	"math"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
)

// few names devices in a few words; JSON has them all.
func few(ds []*ir.Device) string { return nodeset.Text(DeviceNames(ds), nodeset.Devices, 60) }

// namesText names all devices.
func namesText(ds []*ir.Device) string {
	return nodeset.Text(DeviceNames(ds), nodeset.Devices, math.MaxInt)
}

// DeviceNames are the names of devices, for JSON: never nil.
func DeviceNames(ds []*ir.Device) []string {
	names := []string{}
	for _, d := range ds {
		names = append(names, d.Name)
	}
	return names
}

package view

import (
	"math"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
)

// few returns a short text with names of devices; JSON has all names.
func few(ds []*ir.Device) string { return nodeset.Text(DeviceNames(ds), nodeset.Devices, 60) }

// namesText returns a text with the names of all devices.
func namesText(ds []*ir.Device) string {
	return nodeset.Text(DeviceNames(ds), nodeset.Devices, math.MaxInt)
}

// DeviceNames returns the names of devices for JSON; never nil.
func DeviceNames(ds []*ir.Device) []string {
	names := []string{}
	for _, d := range ds {
		names = append(names, d.Name)
	}
	return names
}

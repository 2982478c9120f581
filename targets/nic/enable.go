package nic

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// enable gives the links that systemctl makes when a step enables the units of a host's NICs.
func (f *Family) enable(d *ir.Device) []target.Link {
	var out []target.Link
	for _, n := range Of(d, f.Driver) {
		out = append(out, target.Link{
			Path: devicesDir + escapeUnit(n.Name) + ".device.wants/" + f.Unit(n.Name), To: f.unitPath,
		})
	}
	return out
}

// devicesDir is where systemd keeps what the devices of network interfaces want, but for their names.
const devicesDir = "/etc/systemd/system/sys-subsystem-net-devices-"

// wantedBy is the folder in which systemd keeps that the interface's device wants units.
func wantedBy(netdev string) string { return Quote(devicesDir + escapeUnit(netdev) + ".device.wants/") }

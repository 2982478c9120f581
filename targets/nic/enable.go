package nic

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// enable returns the links that systemctl creates when a step enables the units of a host's NICs.
func (f *Family) enable(d *ir.Device) []target.Link {
	var out []target.Link
	for _, n := range Of(d, f.Driver) {
		out = append(out, target.Link{
			Path: devicesDir + escapeUnit(n.Name) + ".device.wants/" + f.Unit(n.Name), To: f.unitPath,
		})
	}
	return out
}

// devicesDir begins the paths of the folders in which systemd keeps the units that devices of network interfaces want. The name of the
// interface follows.
const devicesDir = "/etc/systemd/system/sys-subsystem-net-devices-"

// wantedBy returns the folder in which systemd keeps the units that the device of an interface wants.
func wantedBy(netdev string) string { return Quote(devicesDir + escapeUnit(netdev) + ".device.wants/") }

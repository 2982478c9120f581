package lab

import (
	"context"
	"fmt"
	"hash/crc32"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
	"github.com/rocec/rocec/targets/target"
)

// The start of a device creates new kernel state and new files in memory. The disk stays, and systemd starts the wanted units in their
// order.

// powerOn starts the device. The device has no process and no kernel state yet.
func (d *Device) powerOn() {
	d.machine.PowerOn(d.machine.Clock.Now())
	d.boots++
	d.plantKernel()
	d.init.Boot()
}

// Reboot restarts the device like the command reboot: services are stopped, processes end, and the device starts again from its disk.
// Connections to the device are cut.
func (d *Device) Reboot() {
	d.turning.Lock()
	defer d.turning.Unlock()
	d.init.Shutdown()
	d.cycle()
}

// PowerCut cuts the power of the device and restores it. Unlike [Device.Reboot], it does not stop services first.
func (d *Device) PowerCut() {
	d.turning.Lock()
	defer d.turning.Unlock()
	d.cycle()
}

// shut ends everything on the device.
func (d *Device) shut() {
	d.machine.Finish()
	d.turning.Lock() // the device may be starting
	defer d.turning.Unlock()
	d.init.StopTimers()
	d.machine.EndAll()
	d.machine.Clock.Stop()
}

// cycle switches the device off and on.
func (d *Device) cycle() {
	if !d.machine.PowerOff() {
		return
	}
	if d.cut != nil {
		d.cut()
	}
	d.init.StopTimers()
	d.machine.EndAll()
	d.fs.Lock()
	d.fs.Forget()
	d.net.reset()
	for a := range d.later {
		d.machine.Clock.Drop(a)
	}
	clear(d.later)
	d.fs.Unlock()
	d.powerOn()
}

// plantKernel makes the parts of the kernel and the image that are not on the disk: memory file systems, devices and interfaces.
func (d *Device) plantKernel() {
	d.init.Reset()
	for _, name := range d.image.Services {
		d.init.Add(name, nil)
	}
	d.fs.Lock()
	defer d.fs.Unlock()
	d.machine.PlantKernel(d.bootID())
	for _, n := range inOrder(d.image.Netdevs) {
		d.net.add(n)
	}
	d.kept, d.installed = map[string]target.State{}, map[string]target.Program{}
	for _, s := range d.image.Sims {
		s.Boot(machine{d})
	}
}

// bootID returns the boot ID. A real kernel chooses a random ID. The lab uses a counter, so that two runs get the same IDs.
func (d *Device) bootID() string {
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", crc32.ChecksumIEEE([]byte(d.Name)), d.boots)
}

// cmdReboot restarts the device, which ends the calling process.
func (d *Device) cmdReboot(_ context.Context, p *unix.Proc) int {
	if !p.IsRoot() {
		return p.FailPlain(1, "Call to Reboot failed: Interactive authentication required.")
	}
	d.machine.Expect(1)
	go func() {
		d.Reboot()
		d.machine.Expect(-1)
	}()
	return p.AwaitEnd()
}

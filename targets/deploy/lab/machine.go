package lab

import (
	"bytes"
	"context"
	"net/netip"
	"time"

	"github.com/rocec/rocec/targets/deploy/lab/unix"
	"github.com/rocec/rocec/targets/target"
)

// machine is the interface of a device for the simulated programs of a target.
type machine struct{ d *Device }

var _ target.Machine = machine{}

// Do implements [target.Machine].
func (m machine) Do(f func()) {
	m.d.fs.Lock()
	defer m.d.fs.Unlock()
	f()
}

// Install implements [target.Machine].
func (m machine) Install(path string, p target.Program) {
	m.d.fs.PlantProgram(path, simulated(p))
	m.d.installed[path] = p
}

// Program implements [target.Machine].
func (m machine) Program(path string) target.Program { return m.d.installed[path] }

// Service implements [target.Machine].
func (m machine) Service(unit string, start func() error) { m.d.init.Add(unit, start) }

// Active implements [target.Machine].
func (m machine) Active(unit string) bool { return m.d.init.Active(unit) }

// Keep implements [target.Machine].
func (m machine) Keep(name string, s target.State) { m.d.kept[name] = s }

// Plant implements [target.Machine].
func (m machine) Plant(path string, n target.Node) { m.d.fs.PlantNode(path, n) }

// Folder implements [target.Machine].
func (m machine) Folder(path string) { m.d.fs.PlantFolder(path) }

// Link implements [target.Machine].
func (m machine) Link(path, to string) { m.d.fs.PlantLink(path, to) }

// Remove implements [target.Machine].
func (m machine) Remove(path string) { m.d.fs.Remove(path) }

// ReadFile implements [target.Machine].
func (m machine) ReadFile(path string) ([]byte, error) { return m.d.fs.Content(path) }

// PrivateFlag implements [target.Machine].
func (m machine) PrivateFlag(netdev, name string, f target.Flag) {
	m.d.net.netdevs[netdev].private[name] = f
}

// AppendFile implements [target.Machine]. It is the action of a daemon and not of a person, so it does not count as a change.
func (m machine) AppendFile(path, text string) { m.d.fs.AppendText(path, text) }

// WriteFile implements [target.Machine]. Like AppendFile, it does not count as a change.
func (m machine) WriteFile(path, text string) { m.d.fs.WriteText(path, text) }

// Now implements [target.Machine].
func (m machine) Now() time.Duration { return m.d.machine.Clock.Now() }

// After implements [target.Machine].
func (m machine) After(t time.Duration, f func()) (stop func()) {
	d := m.d
	var a *unix.Alarm
	a = d.machine.Clock.Set(t, nil, func() {
		m.Do(func() { // the caller holds the lock until a is set
			if d.later[a] {
				delete(d.later, a)
				f()
			}
		})
	})
	if d.later == nil {
		d.later = map[*unix.Alarm]bool{}
	}
	d.later[a] = true
	return func() {
		delete(d.later, a)
		d.machine.Clock.Drop(a)
	}
}

// Netdev implements [target.Machine].
func (m machine) Netdev(name string) (target.Netdev, bool) {
	n := m.d.net.netdevs[name]
	if n == nil {
		return target.Netdev{}, false
	}
	return n.Netdev, true
}

// Counter implements [target.Machine].
func (m machine) Counter(netdev, name string) uint64 {
	if n := m.d.net.netdevs[netdev]; n != nil {
		return n.counter(name)
	}
	return 0
}

// Count implements [target.Machine].
func (m machine) Count(netdev, name string, by uint64) {
	if n := m.d.net.netdevs[netdev]; n != nil {
		n.counters[name] += by
	}
}

// Marked implements [target.Machine]. The switch at the last cable marks, because its queue grows.
func (m machine) Marked(netdev string, peer netip.Addr, cos int) bool {
	return m.d.marked != nil && m.d.marked(netdev, peer, cos)
}

// Paused implements [target.Machine]. The switch at the last cable is the one whose port is crowded.
func (m machine) Paused(netdev string, peer netip.Addr, cos int, packets uint64) uint64 {
	if m.d.paused == nil {
		return 0
	}
	return m.d.paused(netdev, peer, cos, packets)
}

// Change implements [target.Machine].
func (m machine) Change(what string) error { return m.d.fs.Change(what) }

// simulated wraps a target's program as a program of the device. It writes the output only after the program has ended. The program holds
// the device's lock, and stdout may be a file of the same device.
func simulated(run target.Program) unix.Command {
	return func(_ context.Context, p *unix.Proc) int {
		var out, errs bytes.Buffer
		status := run(&target.Proc{
			Args: p.Args, Stdout: &out, Stderr: &errs, Root: p.IsRoot(), User: p.User.Name, ReadFile: p.Input,
		})
		_, _ = p.Stderr.Write(errs.Bytes())
		p.Print(out.String())
		return p.Done(status)
	}
}

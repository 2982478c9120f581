package lab

import (
	"bytes"
	"context"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// machine is what the simulated programs of a target see of a device.
type machine struct{ d *Device }

var _ target.Machine = machine{}

// Do implements [target.Machine].
func (m machine) Do(f func()) {
	m.d.fs.mu.Lock()
	defer m.d.fs.mu.Unlock()
	f()
}

// Install implements [target.Machine].
func (m machine) Install(path string, p target.Program) {
	n := m.d.fs.newNode(0o755, 0, 0)
	n.program = simulated(p)
	m.d.fs.plantLocked(path, n)
	m.d.installed[path] = p
}

// Program implements [target.Machine].
func (m machine) Program(path string) target.Program { return m.d.installed[path] }

// Service implements [target.Machine].
func (m machine) Service(unit string, start func() error) { m.d.init.add(unit, start) }

// Active implements [target.Machine].
func (m machine) Active(unit string) bool {
	m.d.init.mu.Lock()
	defer m.d.init.mu.Unlock()
	u := m.d.init.units[unit]
	return u != nil && u.active
}

// Keep implements [target.Machine].
func (m machine) Keep(name string, s target.State) { m.d.kept[name] = s }

// Plant implements [target.Machine].
func (m machine) Plant(path string, n target.Node) { m.d.fs.plantNode(path, n) }

// Folder implements [target.Machine].
func (m machine) Folder(path string) { m.d.fs.plantDir(path, true) }

// Link implements [target.Machine].
func (m machine) Link(path, to string) { m.d.fs.plantLink(path, to) }

// Remove implements [target.Machine].
func (m machine) Remove(path string) {
	if dir, err := m.d.fs.walk(cred{}, parentOf(path), true); err == nil && dir.node != nil {
		delete(dir.node.kids, baseOf(path))
	}
}

// ReadFile implements [target.Machine].
func (m machine) ReadFile(path string) ([]byte, error) {
	at, err := m.d.fs.find(cred{}, path, true)
	switch {
	case err != nil:
		return nil, err
	case at.node.isDir():
		return nil, eIsDir
	}
	return bytes.Clone(at.node.data), nil
}

// AppendFile implements [target.Machine]. It is a daemon's doing and no person's, so it is not a change.
func (m machine) AppendFile(path, text string) {
	f := m.d.fs
	dir := f.plantDir(parentOf(path), false)
	n := dir.kids[baseOf(path)]
	if n == nil {
		n = f.file(0o644, "")
		dir.kids[baseOf(path)] = n
	}
	n.data = append(n.data, text...)
	f.used += len(text)
}

// WriteFile implements [target.Machine]. As with AppendFile, it is not a change.
func (m machine) WriteFile(path, text string) {
	f := m.d.fs
	dir := f.plantDir(parentOf(path), false)
	n := dir.kids[baseOf(path)]
	if n == nil || n.isDir() {
		n = f.file(0o644, "")
		dir.kids[baseOf(path)] = n
	}
	f.used += len(text) - len(n.data)
	n.data = []byte(text)
}

// Now implements [target.Machine].
func (m machine) Now() time.Duration { return m.d.clock.now() }

// After implements [target.Machine].
func (m machine) After(t time.Duration, f func()) (stop func()) {
	d := m.d
	var a *alarm
	a = d.clock.set(t, nil, func() {
		m.Do(func() { // whoever set it holds the lock until a is known
			if d.later[a] {
				delete(d.later, a)
				f()
			}
		})
	})
	if d.later == nil {
		d.later = map[*alarm]bool{}
	}
	d.later[a] = true
	return func() {
		delete(d.later, a)
		d.clock.drop(a)
	}
}

// Netdev implements [target.Machine].
func (m machine) Netdev(name string) (target.Netdev, bool) {
	n := m.d.netdevs[name]
	if n == nil {
		return target.Netdev{}, false
	}
	return n.Netdev, true
}

// Counter implements [target.Machine].
func (m machine) Counter(netdev, name string) uint64 {
	if n := m.d.netdevs[netdev]; n != nil {
		return n.counters[name]
	}
	return 0
}

// Count implements [target.Machine].
func (m machine) Count(netdev, name string, by uint64) {
	if n := m.d.netdevs[netdev]; n != nil {
		n.counters[name] += by
	}
}

// Change implements [target.Machine].
func (m machine) Change(what string) error { return m.d.fs.change(what) }

// simulated makes a target's program one of the device's. What it prints is passed on when it ends: stdout may be a file
// of the same device, and the program holds its lock.
func simulated(run target.Program) command {
	return func(_ context.Context, p *proc) int {
		var out, errs bytes.Buffer
		status := run(&target.Proc{
			Args: p.args, Stdout: &out, Stderr: &errs, Root: p.user.uid == 0, User: p.user.name, ReadFile: p.input,
		})
		_, _ = p.stderr.Write(errs.Bytes())
		p.print(out.String())
		return p.done(status)
	}
}

package unix

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// sleeper is the interface of a shell for the process table.
type sleeper struct{ sh *shell }

var _ script = sleeper{}

// sleeping implements [script].
func (s sleeper) sleeping(p *Process) *Alarm {
	sh := s.sh
	if sh.at >= len(sh.file.Stmts) || sh.p.self != p {
		return nil
	}
	a := p.asleep
	if p.child != nil {
		a = p.child.asleep
	}
	if a == nil {
		return nil
	}
	st := sh.file.Stmts[sh.at]
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || st.Background || st.Negated || len(call.Args) == 0 || call.Args[0].Lit() != "sleep" || sh.funcs["sleep"] != nil {
		return nil
	}
	return a
}

// saved implements [script].
func (s sleeper) saved(p *Process) SavedShell {
	sh := s.sh
	saved := SavedShell{
		PID: p.pid, PGID: p.pgid, SID: p.sid, User: sh.p.User.Name, Ignored: p.ignored, Dir: sh.p.dir, Umask: *sh.p.umask,
		Name: sh.name, Script: sh.text, Next: sh.at + 1, Left: s.sleeping(p).Due, Params: sh.params, Vars: map[string]savedVariable{},
		Traps: sh.traps,
	}
	for name, v := range sh.vars {
		if v.set {
			saved.Vars[name] = savedVariable{v.value, v.exported, v.readonly}
		}
	}
	for _, c := range slices.Sorted(maps.Keys(sh.opts)) {
		if sh.opts[c] {
			saved.Options += string(c)
		}
	}
	return saved
}

// wake continues the sleep of a saved shell. Its earlier output no longer exists.
func (m *Machine) wake(s SavedShell) error {
	u := m.Users[s.User]
	file, err := parse(s.Script)
	if u == nil || err != nil || s.Next < 1 || s.Next > len(file.Stmts) || s.PID < 2 {
		return fmt.Errorf("process %d cannot go on", s.PID)
	}
	p := m.detached(u)
	m.procs.mu.Lock()
	if p == nil || m.procs.byPid[s.PID] != nil {
		m.procs.mu.Unlock()
		return fmt.Errorf("process %d cannot go on", s.PID)
	}
	delete(m.procs.byPid, p.self.pid)
	p.self.pid, p.self.pgid, p.self.sid, p.self.ignored = s.PID, s.PGID, s.SID, s.Ignored
	m.procs.byPid[s.PID] = p.self
	m.procs.mu.Unlock()
	p.dir = s.Dir
	*p.umask = s.Umask.Perm()
	clear(p.env)
	sh := newShell(p, s.Name, s.Params)
	for name, v := range s.Vars {
		sh.vars[name] = variable{v.Value, true, v.Exported, v.Readonly}
	}
	for _, c := range []byte(s.Options) {
		sh.opts[c] = true
	}
	for _, st := range file.Stmts[:s.Next] {
		if f, ok := st.Cmd.(*syntax.FuncDecl); ok {
			sh.funcs[f.Name.Value] = f.Body
		}
	}
	for name, action := range s.Traps {
		sh.trap([]string{"trap", action, name})
	}
	sh.text, sh.file, sh.at = s.Script, file, s.Next-1
	m.procs.mu.Lock()
	p.self.shell = sleeper{sh}
	m.procs.mu.Unlock()
	asleep := make(chan struct{})
	p.self.Start(func() int {
		if p.self.sleepThen(s.Left, func() { close(asleep) }) != nil {
			return 128 + int(SIGTERM)
		}
		return sh.main(s.Next)
	})
	<-asleep
	return nil
}

// patience is the time limit for the end of a device's commands when the lab is closed.
const patience = time.Minute

// Settle waits until the processes on the device have ended, except sleeping shells, and stops its clock.
func (m *Machine) Settle() {
	t := &m.procs
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		t.mu.Lock()
		busy := m.pending > 0
		excused := map[*Process]bool{}
		for _, p := range t.byPid {
			if p.sleeping() != nil {
				excused[p], excused[p.child] = true, true
			}
		}
		for _, p := range t.byPid {
			if !excused[p] {
				busy, p.client = true, true // the process counts as awaited, so that its sleeps take no real time
			}
		}
		t.mu.Unlock()
		if !busy {
			break
		}
		m.Clock.tick()
	}
	m.Clock.Hold()
}

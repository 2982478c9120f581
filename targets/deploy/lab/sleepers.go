package lab

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// savedShell is a shell whose script sleeps, as a dead-man's switch does where there are no timers: what is left of it.
type savedShell struct {
	PID, PGID, SID int
	User           string
	Ignored        sigset
	Dir            string
	Umask          fs.FileMode
	Name           string
	Script         string
	Next           int           // the command after the sleep
	Left           time.Duration // of the sleep; while it is being saved, when it ends
	Params         []string
	Vars           map[string]savedVariable
	Traps          map[string]string
	Options        string
}

type savedVariable struct {
	Value              string
	Exported, Readonly bool
}

// sleeper is the shell of a process that does nothing but sleep, in a command that stands in its script by itself, and the
// alarm it waits for; nil: it does something else. It is called with the process table's lock held.
func (p *process) sleeper() (*shell, *alarm) {
	sh := p.shell
	if sh == nil || sh.at >= len(sh.file.Stmts) || sh.p.self != p {
		return nil, nil
	}
	a := p.asleep
	if p.child != nil {
		a = p.child.asleep
	}
	if a == nil {
		return nil, nil
	}
	st := sh.file.Stmts[sh.at]
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || st.Background || st.Negated || len(call.Args) == 0 || call.Args[0].Lit() != "sleep" || sh.funcs["sleep"] != nil {
		return nil, nil
	}
	return sh, a
}

// saved is what is to be kept of a process. It is called with the process table's lock held.
func (p *process) saved() (savedShell, bool) {
	sh, a := p.sleeper()
	if sh == nil {
		return savedShell{}, false
	}
	s := savedShell{
		PID: p.pid, PGID: p.pgid, SID: p.sid, User: sh.p.user.name, Ignored: p.ignored, Dir: sh.p.dir, Umask: *sh.p.umask,
		Name: sh.name, Script: sh.text, Next: sh.at + 1, Left: a.due, Params: sh.params, Vars: map[string]savedVariable{}, Traps: sh.traps,
	}
	for name, v := range sh.vars {
		if v.set {
			s.Vars[name] = savedVariable{v.value, v.exported, v.readonly}
		}
	}
	for _, c := range slices.Sorted(maps.Keys(sh.opts)) {
		if sh.opts[c] {
			s.Options += string(c)
		}
	}
	return s, true
}

// wake lets a saved shell sleep on. What it printed to is gone.
func (d *Device) wake(s savedShell) error {
	u := d.users[s.User]
	file, err := parse(s.Script)
	if u == nil || err != nil || s.Next < 1 || s.Next > len(file.Stmts) || s.PID < 2 {
		return fmt.Errorf("process %d cannot go on", s.PID)
	}
	p := d.login(u, discard{}, discard{}, discard{})
	d.procs.mu.Lock()
	if p == nil || d.procs.byPid[s.PID] != nil {
		d.procs.mu.Unlock()
		return fmt.Errorf("process %d cannot go on", s.PID)
	}
	delete(d.procs.byPid, p.self.pid)
	p.self.pid, p.self.pgid, p.self.sid, p.self.ignored = s.PID, s.PGID, s.SID, s.Ignored
	d.procs.byPid[s.PID] = p.self
	d.procs.mu.Unlock()
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
	d.procs.mu.Lock()
	p.self.shell = sh
	d.procs.mu.Unlock()
	asleep := make(chan struct{})
	p.self.start(func() int {
		if p.self.sleepThen(s.Left, func() { close(asleep) }) != nil {
			return 128 + int(sigTERM)
		}
		return sh.main(s.Next)
	})
	<-asleep
	return nil
}

// patience is how long what runs on a device may take to its end when its lab is closed.
const patience = time.Minute

// settle lets what runs on the device come to its end, save for sleeping shells, and stops its clock.
func (d *Device) settle() {
	t := &d.procs
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		t.mu.Lock()
		busy := d.restarts > 0
		excused := map[*process]bool{}
		for _, p := range t.byPid {
			if sh, _ := p.sleeper(); sh != nil {
				excused[p], excused[p.child] = true, true
			}
		}
		for _, p := range t.byPid {
			if !excused[p] {
				busy, p.client = true, true // it is waited for, so that its sleeps take no time
			}
		}
		t.mu.Unlock()
		if !busy {
			break
		}
		d.clock.tick()
	}
	d.clock.hold()
}

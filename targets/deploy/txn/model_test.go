package txn

import "slices"

// content is the content of a file, or the configuration that a daemon uses.
type content uint8

const (
	before content = iota // from before the run
	after                 // of the run
	other                 // of another writer
)

// program is the program of a process on the device. Other processes can run between any two of its steps.
type program uint8

const (
	idle program = iota
	prepare
	commit
	check
	confirm
	undo
	release
	look // the answer to Ask and Wait
	body // the body of a commit, detached from its session
)

// verbs contains the verbs that a controller can wait for, by number; 0 is none.
var verbs = []Verb{"", Prepare, Commit, Check, Confirm, Undo, Release, Ask, Wait}

var programs = map[Verb]program{
	Prepare: prepare, Commit: commit, Check: check, Confirm: confirm, Undo: undo, Release: release, Ask: look, Wait: look,
}

// Reasons of an undo.
type why uint8

const (
	nobody why = iota
	asked
	ownBody
	timer
	boot
)

// reporting is the step at which a process reports the state and ends.
const reporting = 50

// process is a running process on the device.
type process struct {
	program program
	step    uint8
	why     why  // reason of an undo
	refused bool // it failed
	foreign bool // an undo found the content of another writer
}

// The places of processes: the controller's session, a lost session that still runs, the body of the commit, and the timer or boot unit.
const (
	session = iota
	orphan
	bodies
	alarm
	places
)

// world is the state of a device, the controller and their connection, on which the future of a run depends. The last fields are only for
// the oracle.
type world struct {
	file, loaded content
	folder       bool // of the run
	mark         Mark
	lock         Lock
	timer, unit  bool // armed undos: the timer of this boot, and the unit for the next boot
	once, begun  bool // the body was started; its step was
	by           why  // who undid the run first

	at      [places]process
	mutex   uint8 // 1 + the place of the undo that holds the mutex
	booting bool
	broken  bool // the device's disk is read-only
	gone    bool // the device no longer answers

	leads   bool  // there is a controller
	resumed bool  // the controller resumes a run that another controller began
	sent    uint8 // the verb that the controller waits for, as an index of verbs
	state   State

	edited    bool  // another writer wrote the file
	touched   bool  // the run wrote the file
	kept      bool  // a confirm won
	undone    bool  // an undo won
	bad       bool  // conflict or failed was marked
	stuck     bool  // an undo could not write
	seen      bool  // this controller has seen the new content in use
	disturbed bool  // there were faults other than lost connections
	said      uint8 // 1 + the fate at the end of the last controller; 0: the controller was killed or is running
}

// begins returns a world in which a controller begins an apply.
func begins(goal Goal, lock Lock) world {
	return world{lock: lock, leads: true, state: State{Goal: goal}}
}

// told returns the state of the run that the device reports.
func (w *world) told() Device {
	return Device{Mark: w.mark, Lock: w.lock, Busy: w.at[bodies].program != idle && w.folder, Self: w.by == timer || w.by == boot}
}

// disarm removes both armed undos.
func (w *world) disarm() { w.timer, w.unit = false, false }

// end ends the process of a place.
func (w *world) end(place int) {
	w.at[place] = process{}
	if int(w.mutex) == place+1 {
		w.mutex = 0
	}
}

// step runs the next step of the process at a place. It returns false if the process waits for another one. fails makes the step fail, if
// it can fail.
func (w *world) step(m *machine, place int, fails bool) (moved bool) {
	p := &w.at[place]
	fails = fails || w.broken
	if p.step == reporting {
		w.report(m, place)
		return true
	}
	switch p.program {
	case prepare:
		w.prepare(p, fails)
	case commit:
		return w.commit(p)
	case body:
		return w.body(place, p, fails)
	case check, look:
		p.refused = p.program == check && (fails || w.mark != Loaded || w.file != after || w.loaded != after)
		p.step = reporting
	case confirm:
		switch {
		case p.step == 0 && w.mark == Loaded && fails:
			p.step, p.refused = reporting, true
		case p.step == 0 && w.mark == Loaded:
			w.mark, w.kept, p.step = Confirmed, true, 1
		case w.mark != Confirmed:
			p.step, p.refused = reporting, true
		case p.step == 0:
			p.step = 1
		default:
			w.disarm()
			p.step = reporting
		}
	case undo:
		return w.undo(place, p, 0, fails)
	case release:
		w.release(p, fails)
	}
	return true
}

func (w *world) prepare(p *process, fails bool) {
	if p.step == 0 {
		switch {
		case w.lock == Theirs, fails:
			p.step, p.refused = reporting, true
		case w.mark != Absent:
			p.step = reporting
		default:
			w.lock, w.folder, p.step = Ours, true, 1
		}
		return
	}
	p.step = reporting
	switch {
	case w.broken:
		p.refused = true
	case !w.folder || w.file != before || fails:
		w.folder, w.mark, p.refused = false, Absent, true
		if w.lock == Ours {
			w.lock = Free
		}
	default:
		w.mark = Prepared
	}
}

func (w *world) commit(p *process) bool {
	running := w.at[bodies].program != idle
	switch {
	case !w.folder:
		p.step, p.refused = reporting, true
	case p.step == 0 && w.mark == Prepared && !w.once:
		w.once, p.step = true, 1
		w.at[bodies] = process{program: body}
	case (w.mark == Prepared || w.mark == Armed) && running:
		if p.step == 1 {
			return false
		}
		p.step = 1
	default:
		p.step, p.refused = reporting, w.mark != Loaded
	}
	return true
}

// undoOfBody returns the first step of the undo that a body begins.
const undoOfBody = 10

func (w *world) body(place int, p *process, fails bool) bool {
	switch p.step {
	case 0:
		if w.lock != Ours || !w.folder || fails {
			w.end(place)
			return true
		}
		w.timer, w.unit = true, true
	case 1:
		if w.file != before || w.mark != Prepared || fails {
			w.disarm()
			w.end(place)
			return true
		}
		w.mark = Armed
	case 2:
		if w.file == other || fails {
			p.step = undoOfBody
			return true
		}
		w.file, w.touched = after, true
	case 3:
		w.begun, w.loaded = true, w.file
		if fails {
			p.step = undoOfBody
			return true
		}
	case 4:
		if w.timer = true; fails {
			p.step = undoOfBody
			return true
		}
	case 5:
		if w.mark == Armed && fails {
			p.step = undoOfBody
			return true
		}
		if w.mark == Armed {
			w.mark = Loaded
		}
		w.end(place)
		return true
	default:
		p.why = ownBody
		return w.undo(place, p, undoOfBody, fails)
	}
	p.step++
	return true
}

func (w *world) undo(place int, p *process, first uint8, fails bool) bool {
	over := func() {
		if w.mutex = 0; place == session || place == orphan {
			p.step = reporting
		} else {
			w.end(place)
		}
	}
	switch p.step - first {
	case 0:
		if w.mutex != 0 {
			return false
		}
		if !w.folder || fails && (w.mark == Armed || w.mark == Loaded) {
			p.refused, w.stuck = true, w.stuck || w.folder
			over()
			return true
		}
		if w.mark == Armed || w.mark == Loaded {
			w.mark, w.undone = Undoing, true
		}
		if w.mark != Undoing {
			if p.why == boot {
				w.disarm()
			}
			over()
			return true
		}
		w.mutex = uint8(place) + 1
		if w.by == nobody {
			w.by = p.why
		}
		if place != bodies {
			w.end(bodies)
		}
	case 1:
		if fails {
			p.refused, w.stuck = true, true
			over()
			return true
		}
		if w.file == after {
			w.file = before
		}
		p.foreign = w.file == other
	case 2:
		if p.why != boot && w.begun && !p.foreign {
			w.loaded, p.refused = w.file, fails
		}
	case 3:
		w.disarm()
	case 4:
		if w.broken {
			p.refused, w.stuck = true, true
			over()
			return true
		}
		w.mark = Undone
		if p.refused {
			w.mark = Failed
		}
		if p.foreign {
			w.mark, p.refused = Conflict, true
		}
		w.bad = w.bad || w.mark != Undone
		over()
		return true
	}
	p.step++
	return true
}

func (w *world) release(p *process, fails bool) {
	switch {
	case p.step == 0 && (fails || w.mark == Armed || w.mark == Loaded || w.mark == Undoing):
		p.step, p.refused = reporting, true
	case p.step == 0:
		if w.mark == Prepared {
			w.mark = Absent
		}
		w.disarm()
		p.step = 1
	case p.step == 1:
		w.folder, w.mark, w.once, w.begun, w.by = false, Absent, false, false, nobody
		p.step = 2
	default:
		if w.lock == Ours && !w.broken {
			w.lock = Free
		}
		p.refused, p.step = w.broken, reporting
	}
}

// report ends a process that reports the state. If the controller still waits, it receives the state.
func (w *world) report(m *machine, place int) {
	p := w.at[place]
	w.end(place)
	if place != session {
		return
	}
	e := Event{Verb: verbs[w.sent], Device: w.told()}
	if p.refused {
		e.Result = Refused
	}
	if e.Verb == Wait {
		e.Verb = Ask
	}
	if e.Verb == Check && e.Result == OK {
		w.seen = true
	}
	w.receive(m, e)
}

// receive passes an event to the controller. It resets the count of lost answers, so that worlds do not differ only in this count;
// TestPatience tests the count. A resume removes a run that another controller has only prepared.
func (w *world) receive(m *machine, e Event) {
	w.sent = 0
	w.state = m.after(w.state, e)
	w.state.losses = 0
	if w.resumed && w.state.Known && w.state.Mark == Prepared {
		w.state.Goal = Back
	}
}

// lose breaks the connection. The program of the session ends with the connection, or goes on and its answer is lost.
func (w *world) lose(m *machine, goesOn bool) {
	if p := w.at[session]; p.program == check || p.program == look || p.program == commit && p.step > 0 || p.step == reporting {
		goesOn = false // it makes no difference whether the program goes on
	}
	if goesOn {
		w.at[orphan] = w.at[session]
		if int(w.mutex) == session+1 {
			w.mutex = orphan + 1
		}
		w.at[session] = process{}
	} else {
		w.end(session)
	}
	if w.leads && w.sent != 0 {
		w.receive(m, Event{Verb: verbs[w.sent], Result: Lost})
	}
}

// edge is a transition from a world to the next. Transitions with ours are actions of device and controller. All others are faults,
// actions of other people, or the passage of time.
type edge struct {
	to    world
	ours  bool
	waits bool // part of a Wait, which may be repeated until the awaited command ends
	what  string
	at    process // for a step of a process: its place
}

// ours lists the transitions by device and controller.
func (w *world) ours(m *machine) []edge {
	var all []edge
	add := func(n world, waits bool, what string) {
		all = append(all, edge{to: n, ours: true, waits: waits, what: what})
	}
	for _, place := range []int{orphan, bodies, alarm, session} {
		p := w.at[place]
		if p.program == idle || w.booting && place != alarm {
			continue
		}
		if late := w.at[orphan]; place == session && p.program == look && late.program == prepare && late.step == 0 {
			continue // before such a question, the controller waits until a delayed prepare has arrived
		}
		n := *w
		if n.step(m, place, false) {
			add(n, place == session && verbs[w.sent] == Wait, [...]string{"session", "lost session", "body", "alarm"}[place])
			all[len(all)-1].at = p
		}
	}
	if w.booting && w.at[alarm].program == idle {
		n := *w
		n.booting, n.loaded = false, n.file
		add(n, false, "booted")
	}
	if w.leads && w.sent == 0 {
		n := *w
		switch verb := m.next(w.state); {
		case verb == End:
			n.stops(1 + uint8(m.fate(w.state)))
			add(n, false, "end")
		case w.gone && (verb == Ask || verb == Prepare):
			n.receive(m, Event{Verb: verb, Result: Dead})
			add(n, false, string(verb)+": dead")
		case w.gone:
			n.receive(m, Event{Verb: verb, Result: Lost})
			add(n, false, string(verb)+": lost")
		case !w.booting:
			n.sent, n.at[session] = uint8(slices.Index(verbs, verb)), process{program: programs[verb]}
			if verb == Undo {
				n.at[session].why = asked
			}
			add(n, verb == Wait, string(verb))
		}
	}
	return all
}

// others lists the transitions by faults, other people and time.
func (w *world) others(m *machine) []edge {
	var all []edge
	add := func(what string, disturbs bool, change func(n *world)) {
		n := *w
		change(&n)
		n.disturbed = n.disturbed || disturbs
		if n != *w {
			all = append(all, edge{to: n, what: what})
		}
	}
	away := func(what string, disturbs bool, change func(*world)) { // the session ends, or continues without the controller
		add(what, disturbs, func(n *world) { n.lose(m, false); change(n) })
		if w.at[session].program != idle && w.at[orphan].program == idle {
			add(what+", and the command goes on", disturbs, func(n *world) { n.lose(m, true); change(n) })
		}
	}
	if !w.broken && !w.booting {
		for place := range w.at {
			if p := w.at[place]; p.program != idle && p.program != look && p.step != reporting {
				add("a step fails", true, func(n *world) { n.step(m, place, true) })
			}
		}
	}
	if w.leads {
		if w.sent != 0 {
			away("the connection breaks", false, func(*world) {})
		}
		away("the device answers no more", true, func(n *world) { n.gone = true })
		away("the controller is killed", true, func(n *world) { n.stops(0) })
		if w.sent == 0 {
			add("the person interrupts", true, func(n *world) { n.state = n.state.Stop() })
		}
	} else if w.at[orphan].program == idle || w.at[orphan].step > 0 { // a person begins later than any delayed command
		for _, goal := range []Goal{Keep, Hold, Back} {
			add("resume", true, func(n *world) { n.resume(goal) })
		}
	}
	if w.at[orphan].program != idle {
		add("the lost session is killed", false, func(n *world) { n.end(orphan) })
	}
	if w.timer && !w.booting && w.at[alarm].program == idle && w.mark != Prepared { // the timer is longer than these steps
		add("the timer fires", true, func(n *world) {
			n.timer, n.at[alarm] = false, process{program: undo, why: timer}
		})
	}
	add("the power fails", true, func(n *world) {
		n.lose(m, false)
		for place := range n.at {
			n.end(place)
		}
		if n.timer, n.booting = false, true; n.unit && n.folder {
			n.at[alarm] = process{program: undo, why: boot}
		}
	})
	add("somebody edits the file", true, func(n *world) { n.file, n.edited = other, true })
	if w.lock == Theirs {
		add("the other run ends", true, func(n *world) { n.lock = Free })
	}
	add("the disk turns read-only", true, func(n *world) { n.broken = true })
	if w.broken {
		add("the disk is repaired", true, func(n *world) { n.broken = false })
	}
	return all
}

// stops ends the controller with the fate that it reports.
func (w *world) stops(said uint8) {
	w.leads, w.seen, w.sent, w.state, w.said = false, false, 0, State{}, said
}

// resume starts a controller that resumes the run, on a device that answers.
func (w *world) resume(goal Goal) {
	w.leads, w.resumed, w.gone, w.seen, w.said, w.sent, w.state = true, true, false, false, 0, 0, Begun(goal)
}

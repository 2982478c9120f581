package journal

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// This file reads logs for verbs that go on with a run: how far the run came, and how later runs changed its devices.

// The statuses of a run.
const (
	Running = "running"
	Ended   = "ended"
	Died    = "died"
)

// The states of a device while its run goes on, before it has a [deploy.Outcome].
const (
	UnderWay = "under way"
	Waiting  = "waiting"
)

// BackVerb is the verb of a line for a device on which another machine has rolled back the run.
const BackVerb = "rolled-back"

// Result is the data of the result of a run on a device, in [Outcome.Result] and in the JSON of verbs.
type Result struct {
	Files  []deploy.FileResult `json:"files,omitempty"`
	InUse  string              `json:"in_use,omitempty"`
	Left   []string            `json:"left,omitempty"`
	Backup string              `json:"backup,omitempty"`
	Until  int                 `json:"until_seconds,omitempty"`
	Undo   string              `json:"undo,omitempty"`
	Acted  *Act                `json:"acted,omitempty"`
}

// Act names the other process that decided the outcome of a device.
type Act struct {
	Verb string `json:"verb"` // confirm, undo, release, unlock
	Who  string `json:"who"`
	At   string `json:"at"`             // by the clock of the device
	Head string `json:"head,omitempty"` // of the journal of Who at that time: the SHA-256 of a line
}

// ResultOf returns the data of a result.
func ResultOf(r *deploy.Result) Result {
	d := Result{Left: r.Left, Until: int(r.Until.Seconds())}
	if act := r.Acted; act.Who != "" {
		d.Acted = &Act{act.Verb, act.Who, act.At, act.Head}
	}
	switch r.Outcome {
	case deploy.Unchanged, deploy.NotStarted:
		return d
	case deploy.Applied, deploy.Unconfirmed, deploy.Unknown, deploy.Conflict:
		d.Undo = deploy.RunCommand("rollback", r.Run, deploy.OnDevice(r.Device.Name))
	}
	if r.Backup {
		d.Backup = r.BackupDir()
	}
	d.Files, d.InUse = r.Files, r.InUse
	return d
}

// Data parses the result of an outcome. It returns false if there is no readable result.
func (o Outcome) Data() (r Result, ok bool) {
	return r, json.Unmarshal(o.Result, &r) == nil
}

// Expired reports whether a device that waited to be confirmed must have undone the change by now, by this machine's clock.
func (o Outcome) Expired(now time.Time) bool {
	r, ok := o.Data()
	if o.Outcome != string(deploy.Unconfirmed) || !ok || r.Until == 0 {
		return false
	}
	return now.Sub(o.Time) > time.Duration(r.Until)*time.Second
}

// Status returns the status of the run.
func (l *Log) Status() string {
	switch {
	case l.Alive:
		return Running
	case l.Ended != nil:
		return Ended
	}
	return Died
}

// LastVerb returns the last verb that was begun on a device, or "".
func (l *Log) LastVerb(device string) string {
	for _, line := range slices.Backward(l.Lines) {
		if line.Device == device {
			return line.Verb
		}
	}
	return ""
}

// BegunOn reports whether the run may have begun on a device. An unreadable line may be about any device.
func (l *Log) BegunOn(device string) bool { return l.LastVerb(device) != "" || l.Damaged > 0 }

// OutcomeOf returns the [deploy.Outcome] of a device, or its state while the run goes on. The outcome is unknown if the run died before
// it.
func (l *Log) OutcomeOf(device string) string {
	if o, ok := l.Outcomes[device]; ok {
		return o.Outcome
	}
	switch {
	case l.Alive && l.LastVerb(device) != "":
		return UnderWay
	case l.Alive:
		return Waiting
	case !l.BegunOn(device):
		return string(deploy.NotStarted)
	}
	return string(deploy.Unknown)
}

// Open reports whether a device of the run must be asked for its state, because its outcome is not final, or files of the run were left
// there.
func (l *Log) Open(device string) bool {
	o, ok := l.Outcomes[device]
	if !ok || !deploy.Outcome(o.Outcome).Closed() {
		return true
	}
	r, ok := o.Data()
	return ok && len(r.Left) > 0
}

// Marks returns how far the run came on each device, according to the journal. A commit that was sent may have changed the device. An
// undo that was begun must be finished, whatever state the device reports later.
func (l *Log) Marks() map[string]txn.Mark {
	marks := map[string]txn.Mark{}
	for _, line := range l.Lines {
		if line.Done {
			m, ok := txn.ParseMark(line.Mark)
			forward := m == txn.Armed || m == txn.Loaded
			if ok && m != txn.Absent && !(forward && marks[line.Device] == txn.Undoing) {
				marks[line.Device] = m
			}
			continue
		}
		switch line.Verb {
		case string(txn.Commit):
			marks[line.Device] = txn.Armed
		case string(txn.Undo):
			marks[line.Device] = txn.Undoing
		}
	}
	return marks
}

// Later returns the runs of logs that were started after this one on the same devices, in their order.
func (l *Log) Later(logs []*Log) []*Log {
	var out []*Log
	for _, o := range logs {
		if o.Began.After(l.Began) && o.Lab == l.Lab && (o.Fabric == l.Fabric || o.Name == l.Name) {
			out = append(out, o)
		}
	}
	return out
}

// RolledBackBy returns the run of logs that rolled back this run on a device, or nil.
func (l *Log) RolledBackBy(logs []*Log, device string) *Log {
	for _, o := range logs {
		if o.Undoes == l.Run && o.Outcomes[device].Outcome == string(deploy.Applied) {
			return o
		}
	}
	return nil
}

// WriterOf returns the first of logs whose content may be on a device, or nil.
func WriterOf(logs []*Log, device string) *Log {
	for _, o := range logs {
		switch deploy.Outcome(o.OutcomeOf(device)) {
		case deploy.Applied, deploy.Unconfirmed, deploy.Unknown:
			if slices.ContainsFunc(o.Devices, func(d Device) bool { return d.Name == device }) {
				return o
			}
		}
	}
	return nil
}

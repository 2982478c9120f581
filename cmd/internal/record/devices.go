package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
)

// Answer has the records that a device keeps about runs.
type Answer struct {
	Device  string
	Records []device.Record
	Err     *deploy.Error // why it did not answer; nil: it did
}

// Compare compares the journals with the answers of devices. here is the process that asks: a run of its user and machine has its journal
// here.
func (r *Runs) Compare(answers []Answer, here string) {
	r.Devices = &Held{Asked: len(answers)}
	at := map[string]*Checked{}
	for i := range r.Checked {
		at[r.Checked[i].Run] = &r.Checked[i]
	}
	missing := map[string][]string{} // devices by run
	for i := range answers {
		a := &answers[i]
		if a.Err != nil {
			r.Devices.Silent = append(r.Devices.Silent, a.Device+": "+a.Err.Detail)
			continue
		}
		for j := range a.Records {
			kept := &a.Records[j]
			switch p := r.proofs[kept.Run]; {
			case kept.About.Device != "" && kept.About.Device != a.Device: // of another name of the same machine
			case p != nil:
				compare(a.Device, kept, p, here, at[kept.Run])
			case samePerson(kept.About.Owner, here) && kept.About.Head != "":
				missing[kept.Run] = append(missing[kept.Run], a.Device)
			default:
				r.Devices.Others = append(r.Devices.Others, fmt.Sprintf("%s has run %s of %s, whose journal is not here (head %s).", a.Device,
					kept.Run, cmp.Or(kept.About.Owner, "an unknown owner"), cmp.Or(kept.About.Head, "unknown")))
			}
		}
	}
	for _, run := range slices.Sorted(maps.Keys(missing)) {
		r.Checked = append(r.Checked, Checked{Run: run, Wrong: []string{fmt.Sprintf(
			"this machine and user led it, as %s keeps, and its journal is missing here", strings.Join(missing[run], ", "))}})
	}
}

// compare compares the record of a device with the journal of the run. A run that another machine started has the heads of that machine,
// as devices reported them. here is the process that asks.
func compare(name string, r *device.Record, p *journal.Proof, here string, one *Checked) {
	before := len(one.Wrong)
	wrong := func(format string, args ...any) {
		one.Wrong = append(one.Wrong, name+": "+fmt.Sprintf(format, args...))
	}
	head := r.About.Head
	adopted := p.Log.Adopted != nil
	switch i := slices.IndexFunc(p.Log.Devices, func(d journal.Device) bool { return d.Name == name }); {
	case head == "" && len(r.Acts) == 0: // a rocec without chains wrote the record
		return
	case p.None:
		wrong("the device keeps a hash of the journal, and the lines of the journal have no hashes")
	case adopted && samePerson(r.About.Owner, here):
		wrong("this machine and user led the run, and the journal has it as one of another machine")
	case adopted && i >= 0 && p.Log.Devices[i].Head != "" && p.Log.Devices[i].Head != head:
		wrong("the device keeps another hash than the journal has of it")
	case !adopted && head != "" && p.Heads[head] == 0:
		wrong("no line of the journal has the hash that the device keeps: the journal was written again after the run came there")
	}
	if owner := r.About.Owner; owner != "" && owner != deploy.OneLine(p.Log.Owner) {
		wrong("the device has the operator %s, and the journal has %s", owner, deploy.OneLine(p.Log.Owner))
	}
	if message := r.About.Message; head != "" && message != deploy.OneLine(p.Log.Message) {
		wrong("the device has the message %q, and the journal has %q", message, deploy.OneLine(p.Log.Message))
	}
	for _, act := range r.Acts { // those of other machines are in other journals
		if act.Head != "" && samePerson(act.Who, p.Log.Owner) && !adopted && p.Heads[act.Head] == 0 {
			wrong("no line of the journal has the hash that the device keeps of %s: lines were written again or cut off after it", act.Verb)
		}
	}
	if len(one.Wrong) == before {
		one.Records++
	}
}

// samePerson reports whether two processes are of one user on one machine.
func samePerson(a, b string) bool {
	one, known := deploy.ParseProcess(a)
	other, both := deploy.ParseProcess(b)
	return known && both && one.User == other.User && one.Host == other.Host
}

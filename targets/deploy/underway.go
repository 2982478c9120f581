package deploy

import "github.com/rocec/rocec/targets/deploy/txn"

// UnderWay is how far a run came on a device, as far as rocec knows at a moment at which it may end.
type UnderWay struct {
	Mark    txn.Mark // the last mark that the device reported; Absent: none
	Sent    txn.Verb // the verb at work, or the one whose answer was lost
	Asked   bool     // a verb that writes was sent
	Resumed bool     // another process began the run on the device
}

// Text states the fate of the device if rocec ends now and no other command goes on: its own actions, and the files left there.
func (u UnderWay) Text() string {
	switch u.Sent {
	case txn.Commit:
		return "takes the change by itself, and undoes it by itself unless the run goes on"
	case txn.Confirm:
		return "was asked to keep the change: it keeps it, or undoes it by itself where that did not arrive"
	case txn.Undo:
		return "puts back what was there before, by itself where rocec is gone"
	}
	switch u.Mark {
	case txn.Armed:
		return "was changing, and undoes the change by itself unless the run goes on"
	case txn.Loaded:
		return "holds what the run wrote, not confirmed, and undoes it by itself unless the run goes on"
	case txn.Confirmed:
		return "keeps the change; locks and temporary files may remain"
	case txn.Undoing:
		return "puts back what was there before, by itself where rocec is gone"
	case txn.Undone:
		return "is back at what was there before; locks and temporary files may remain"
	case txn.Conflict:
		return "is back at what was there before, but for files that others changed; locks and temporary files may remain"
	case txn.Failed:
		return "could not go back in full; locks and temporary files may remain"
	}
	switch {
	case u.Resumed && u.Mark == txn.Absent:
		return "had not answered yet; this command changed nothing there"
	case u.Mark == txn.Absent && !u.Asked:
		return "is unchanged, and nothing of the run is there"
	}
	return "is unchanged; a lock and temporary files may remain"
}

// WaysOn names the commands that go on with a run whose command ended, apply, confirm, resume or rollback. A run that goes back is not
// resumed, because resume keeps a change unless going back had begun.
func WaysOn(verb, run string) string {
	switch verb {
	case "rollback":
		return "Go on: " + RunCommand("rollback", run)
	case "confirm":
		return "Go on: " + RunCommand("confirm", run) + "; go back: " + RunCommand("rollback", run)
	}
	return "Go on: " + RunCommand("resume", run) + "; go back: " + RunCommand("rollback", run)
}

// MarkText states how far a run got on a device; empty: unknown.
func MarkText(mark txn.Mark) string {
	return map[txn.Mark]string{
		txn.Prepared:  "it has changed nothing yet",
		txn.Armed:     "it is changing the device, or died over it",
		txn.Loaded:    "it has changed the device, and is not confirmed yet",
		txn.Confirmed: "it is confirmed",
		txn.Undoing:   "it is being undone",
		txn.Undone:    "it is undone",
		txn.Conflict:  "it is undone, except for files that another person or program has changed",
		txn.Failed:    "its undo failed",
	}[mark]
}

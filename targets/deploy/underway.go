package deploy

import "github.com/rocec/rocec/targets/deploy/txn"

// UnderWay is the known progress of a run on a device, for the case that rocec ends now.
type UnderWay struct {
	Mark    txn.Mark // the last mark that the device reported; Absent: none
	Sent    txn.Verb // the running verb, or the verb whose answer was lost
	Asked   bool     // a verb that writes was sent
	Resumed bool     // another process began the run on the device
}

// Text returns the future of the device if rocec ends now and no other command continues the run: the device's own actions, and the
// leftover files.
func (u UnderWay) Text() string {
	switch u.Sent {
	case txn.Commit:
		return "applies the change by itself, and undoes it by itself unless the run goes on"
	case txn.Confirm:
		return "was asked to keep the change: it keeps the change, or undoes it by itself if the request did not arrive"
	case txn.Undo:
		return "restores the earlier content, by itself if rocec has ended"
	}
	switch u.Mark {
	case txn.Armed:
		return "was changing, and undoes the change by itself unless the run goes on"
	case txn.Loaded:
		return "uses the unconfirmed content of the run, and undoes it by itself unless the run goes on"
	case txn.Confirmed:
		return "keeps the change; locks and temporary files may remain"
	case txn.Undoing:
		return "restores the earlier content, by itself if rocec has ended"
	case txn.Undone:
		return "has the earlier content again; locks and temporary files may remain"
	case txn.Conflict:
		return "has the earlier content again, except in files that others changed; locks and temporary files may remain"
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

// WaysOn returns the commands to continue a run after the end of its command: apply, confirm, resume or rollback. For a run that goes
// back it does not name resume, because resume keeps a change unless the undo had begun.
func WaysOn(verb, run string) string {
	switch verb {
	case "rollback":
		return "Go on: " + RunCommand("rollback", run)
	case "confirm":
		return "Go on: " + RunCommand("confirm", run) + "; go back: " + RunCommand("rollback", run)
	}
	return "Go on: " + RunCommand("resume", run) + "; go back: " + RunCommand("rollback", run)
}

// MarkText returns the progress of a run on a device in words; empty: unknown.
func MarkText(mark txn.Mark) string {
	return map[txn.Mark]string{
		txn.Prepared:  "it has changed nothing yet",
		txn.Armed:     "it is changing the device, or died during the change",
		txn.Loaded:    "it has changed the device, and is not confirmed yet",
		txn.Confirmed: "it is confirmed",
		txn.Undoing:   "it is being undone",
		txn.Undone:    "it is undone",
		txn.Conflict:  "it is undone, except for files that another person or program has changed",
		txn.Failed:    "its undo failed",
	}[mark]
}

package session

import (
	"path/filepath"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
)

// This file reads the journals for the verbs that go on with a run: its outcomes, and the later runs on its devices.

// LaterRuns reads the journals of [journal.Log.Later].
func (h History) LaterRuns(l *journal.Log) ([]*journal.Log, error) {
	_, logs, err := h.allRuns()
	return l.Later(logs), err
}

// allRuns returns every readable journal, newest first. It warns about journals that another user could have written.
func (h History) allRuns() (dir *journal.Dir, logs []*journal.Log, err error) {
	dir, logs, unreadable, err := h.ReadRuns()
	for _, u := range unreadable {
		if why := u.Refused(); why != nil {
			h.WarnOnce(why)
		}
	}
	return dir, logs, err
}

// ReadRuns reads every journal, newest first. It also returns the journals that it cannot read.
func (h History) ReadRuns() (dir *journal.Dir, logs []*journal.Log, unreadable []journal.Unreadable, err error) {
	if dir, err = h.Journals(); err != nil {
		return nil, nil, nil, err
	}
	if logs, unreadable, err = dir.Runs(); err != nil {
		return nil, nil, nil, exit.Fail(exit.Machines, "the journals of runs cannot be read: %v", err)
	}
	return dir, logs, unreadable, nil
}

// Journals returns the folder of runs: $XDG_STATE_HOME/rocec/runs, or below ~/.local/state.
func (h History) Journals() (*journal.Dir, error) {
	dir, err := h.StateDir("runs")
	if err != nil {
		return nil, exit.Fail(exit.Usage, "%v, so there is no folder for the journal of runs", err)
	}
	return journal.Open(dir), nil
}

// ReadRun reads the journal of a run by its name, or by a unique prefix; "last" is the newest. With -C it is a run of that fabric, and
// so is "last" in a folder with a fabric.
func (h History) ReadRun(name string) (*journal.Log, error) {
	of := h.Dir // the wanted fabric; empty: any
	if name == "last" && of == "" && HasFabric(".") {
		of = "."
	}
	dir, logs, unreadable, err := h.ReadRuns()
	if err != nil {
		return nil, err
	}
	const least = 4 // a shorter prefix is a mistake, such as the empty variable of a script
	if len(name) < least {
		return nil, exit.Fail(exit.Usage, "%q is too short for the name of a run: write at least %d characters of the name, or last; list "+
			"them: rocec runs",
			name, least)
	}
	for _, u := range unreadable { // an untrusted journal may be that of the wanted run
		run := strings.TrimSuffix(u.Name, ".jsonl")
		switch why := u.Refused(); {
		case why == nil:
		case name == "last" || strings.HasPrefix(run, name) || strings.HasSuffix(run, "-"+name):
			return nil, exit.Fail(exit.Machines, "the journal of run %s: %v", diag.Escape(run), why)
		default:
			h.WarnOnce(why)
		}
	}
	var found []*journal.Log
	elsewhere := "" // the fabric of a run of that name, which differs from that of -C
	for _, l := range logs {
		named := strings.HasPrefix(l.Run, name) || strings.HasSuffix(l.Run, "-"+name)
		switch {
		case of != "" && !SameFolder(of, l.Fabric) && named && (l.Adopted != nil || l.Older()): // it follows the fabric that is named
			found = append(found, l)
		case of != "" && !SameFolder(of, l.Fabric):
			if named {
				elsewhere = l.Fabric
			}
		case l.Run == name || name == "last" && len(found) == 0:
			return l, nil
		case named:
			found = append(found, l)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0 && elsewhere != "":
		return nil, exit.Fail(exit.Usage, "%q is a run of the fabric in %s, not of that in %s (-C). Leave out -C, or name a run of its own: "+
			"%s", name, elsewhere, of, runsOf(of))
	case len(found) == 0 && of != "":
		return nil, unknown("no run %q of the fabric in %s was started on this machine by this user (the journals are in %s). List "+
			"them: %s", name, of, dir.Path(), runsOf(of))
	case len(found) == 0:
		return nil, unknown("no run %q was started on this machine by this user (the journals are in %s). List them: rocec runs",
			name, dir.Path())
	}
	return nil, exit.Fail(exit.Usage, "%q begins %s. Write more of the name; list them: rocec runs", name, diag.Count(len(found), "run"))
}

// runsOf returns the command that lists the runs of a fabric.
func runsOf(dir string) string { return diag.Rocec("runs", diag.Flag("-C", diag.Path("DIR", dir))) }

// SameFolder reports whether a path that the person wrote names the folder with an absolute path.
func SameFolder(named, abs string) bool {
	path, err := filepath.Abs(named)
	return err == nil && savedplan.SamePath(path, abs)
}

// keptOf returns the contents beside the journal of a run.
func (h History) keptOf(l *journal.Log) commands.Kept {
	return func(sum string) ([]byte, error) {
		dir, err := h.Journals()
		if err != nil {
			return nil, err
		}
		return dir.Before(l.Run, sum)
	}
}

// died reports whether this user started a run on this machine whose process has ended. The marks of such a run no longer protect
// anything. For runs of other machines it returns false.
func (h History) died(run string) bool {
	dir, err := h.Journals()
	if err != nil || !deploy.ValidRun(run) {
		return false
	}
	l, err := dir.Read(run)
	return err == nil && l.Adopted == nil && !l.Alive
}

// unknownRun is the error for a run that is not in the journal of this machine.
type unknownRun struct{ end *exit.Error }

// Error returns the message.
func (u *unknownRun) Error() string { return u.end.Message }

// Unwrap returns the error that ends the verb.
func (u *unknownRun) Unwrap() error { return u.end }

func unknown(format string, args ...any) error {
	return &unknownRun{&exit.Error{Status: exit.Usage, Message: exit.Sentence(format, args)}}
}

// HasFabric reports whether a folder contains fabric files.
func HasFabric(dir string) bool {
	found, err := filepath.Glob(filepath.Join(dir, "*.hcl"))
	return err == nil && len(found) > 0
}

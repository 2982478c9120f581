package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
)

func (a *app) runsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "runs [RUN]",
		Short: "what was changed from this machine: who, when, why, and what became of it",
		Long: "Runs lists the runs that were led from this machine, those of one fabric with -C; of a RUN it says what became of every\n" +
			"device.",
		Args: takes(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := choice("format", format, "text", "json"); err != nil {
				return err
			}
			return a.runs(args, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func (a *app) runs(args []string, format string) error {
	doc := view.RunsDocument{FormatVersion: report.FormatVersion, Runs: []view.Run{}}
	var damaged []string
	var dir *journal.Dir
	if len(args) > 0 {
		l, err := a.readRun(args[0])
		if err != nil {
			return err
		}
		doc.Runs = append(doc.Runs, view.RunJSON(l, true, time.Now()))
	} else {
		var logs []*journal.Log
		var unreadable []journal.Unreadable
		var err error
		if dir, logs, unreadable, err = a.readRuns(); err != nil {
			return err
		}
		for _, l := range logs {
			if a.dir == "" || sameFolder(a.dir, l.Fabric) {
				doc.Runs = append(doc.Runs, view.RunJSON(l, false, time.Now()))
			}
		}
		for _, u := range unreadable {
			doc.Unreadable = append(doc.Unreadable, u.Name)
			if why := u.Refused(); why != nil {
				a.warnOnce(why)
			} else {
				damaged = append(damaged, u.Name)
			}
		}
	}
	if format == "json" {
		return a.writeJSON(doc)
	}
	a.screen().Runs(doc, len(args) > 0)
	if len(damaged) > 0 {
		fmt.Fprintf(a.stderr, "rocec: these journals in %s cannot be read: %s\n",
			diag.Escape(dir.Path()), diag.Escape(strings.Join(damaged, ", ")))
	}
	return nil
}

// sameFolder reports whether the person means by a path the folder of that absolute path.
func sameFolder(named, abs string) bool {
	path, err := filepath.Abs(named)
	return err == nil && savedplan.SamePath(path, abs)
}

// runsOf is the command that lists the runs of a fabric.
func runsOf(dir string) string { return diag.Rocec("runs", diag.Flag("-C", diag.Path("DIR", dir))) }

// readRun reads the journal of a run by its name, or by the beginning of it that only one run has; "last" is the newest. With -C it is a
// run of that fabric.
func (a *app) readRun(name string) (*journal.Log, error) {
	dir, logs, unreadable, err := a.readRuns()
	if err != nil {
		return nil, err
	}
	const least = 4 // nobody means a run by less, least of all by the empty variable of a script
	if len(name) < least {
		return nil, exit.Fail(exit.Usage, "%q is too short for the name of a run: write at least %d characters of it, or last; list "+
			"them: rocec runs",
			name, least)
	}
	for _, u := range unreadable { // a journal that is not trusted may be of the run that is meant
		run := strings.TrimSuffix(u.Name, ".jsonl")
		switch why := u.Refused(); {
		case why == nil:
		case name == "last" || strings.HasPrefix(run, name) || strings.HasSuffix(run, "-"+name):
			return nil, exit.Fail(exit.Machines, "the journal of run %s: %v", diag.Escape(run), why)
		default:
			a.warnOnce(why)
		}
	}
	var found []*journal.Log
	elsewhere := "" // the folder of a run of that name whose fabric is not the one of -C
	for _, l := range logs {
		named := strings.HasPrefix(l.Run, name) || strings.HasSuffix(l.Run, "-"+name)
		switch {
		case a.dir != "" && !sameFolder(a.dir, l.Fabric) && named && (l.Adopted != nil || l.Older()): // it follows the fabric that is named
			found = append(found, l)
		case a.dir != "" && !sameFolder(a.dir, l.Fabric):
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
			"%s", name, elsewhere, a.dir, runsOf(a.dir))
	case len(found) == 0 && a.dir != "":
		return nil, unknown("no run %q of the fabric in %s was started on this machine by this user (the journals are in %s). List "+
			"them: %s", name, a.dir, dir.Path(), runsOf(a.dir))
	case len(found) == 0:
		return nil, unknown("no run %q was started on this machine by this user (the journals are in %s). List them: rocec runs",
			name, dir.Path())
	}
	return nil, exit.Fail(exit.Usage, "%q begins %s. Write more of the name; list them: rocec runs", name, diag.Count(len(found), "run"))
}

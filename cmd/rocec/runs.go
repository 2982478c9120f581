package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
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

type runsDocument struct {
	FormatVersion string    `json:"format_version"`
	Runs          []runJSON `json:"runs"`
	Unreadable    []string  `json:"unreadable,omitempty"`
}

type runJSON struct {
	Run      string          `json:"run"`
	Began    time.Time       `json:"began"`
	Owner    string          `json:"owner"`
	Message  string          `json:"message,omitempty"`
	Commit   string          `json:"commit,omitempty"`
	Fabric   string          `json:"fabric"`
	Name     string          `json:"name"`
	Lab      string          `json:"lab,omitempty"`
	Undoes   string          `json:"undoes,omitempty"`
	Adopted  string          `json:"adopted_by,omitempty"` // of a run that another machine or user started: who took it up here
	Status   string          `json:"status"`               // running, ended, died
	Outcomes map[string]int  `json:"outcomes"`
	Devices  []runDeviceJSON `json:"devices,omitempty"` // of one run
	Damaged  int             `json:"damaged_lines,omitempty"`
	expired  bool            // a device waited to be confirmed, and its time is over
}

type runDeviceJSON struct {
	Device  string         `json:"device"`
	Outcome string         `json:"outcome"`
	Verb    string         `json:"verb,omitempty"` // of one without an outcome: the last verb that was begun
	Detail  string         `json:"detail,omitempty"`
	Files   []journal.File `json:"files,omitempty"`
}

// The statuses of a run.
const (
	runRunning = "running"
	runEnded   = "ended"
	runDied    = "died"
)

func statusOf(l *journal.Log) string {
	switch {
	case l.Alive:
		return runRunning
	case l.Ended != nil:
		return runEnded
	}
	return runDied
}

// underWay is what a device without an outcome was doing last; empty: it was not begun.
func underWay(l *journal.Log, device string) string {
	for _, line := range slices.Backward(l.Lines) {
		if line.Device == device {
			return line.Verb
		}
	}
	return ""
}

// What a device without an outcome is at while the run goes on.
const (
	runUnderWay = "under way"
	runWaiting  = "waiting"
)

// outcomeOf is what became of a device, or "unknown" where the run died before that was known.
func outcomeOf(l *journal.Log, device string) string {
	if o, ok := l.Outcomes[device]; ok {
		return o.Outcome
	}
	switch {
	case l.Alive && underWay(l, device) != "":
		return runUnderWay
	case l.Alive:
		return runWaiting
	case !begun(l, device):
		return string(deploy.NotStarted)
	}
	return string(deploy.Unknown)
}

func (a *app) runs(args []string, format string) error {
	doc := runsDocument{FormatVersion: report.FormatVersion, Runs: []runJSON{}}
	var damaged []string
	var dir *journal.Dir
	if len(args) > 0 {
		l, err := a.readRun(args[0])
		if err != nil {
			return err
		}
		doc.Runs = append(doc.Runs, runData(l, true))
	} else {
		var logs []*journal.Log
		var unreadable []journal.Unreadable
		var err error
		if dir, logs, unreadable, err = a.readRuns(); err != nil {
			return err
		}
		for _, l := range logs {
			if a.dir == "" || sameFolder(a.dir, l.Fabric) {
				doc.Runs = append(doc.Runs, runData(l, false))
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
	a.runsText(doc, len(args) > 0)
	if len(damaged) > 0 {
		fmt.Fprintf(a.stderr, "rocec: these journals in %s cannot be read: %s\n",
			diag.Escape(dir.Path()), diag.Escape(strings.Join(damaged, ", ")))
	}
	return nil
}

// sameFolder reports whether the person means by a path the folder of that absolute path.
func sameFolder(named, abs string) bool {
	path, err := filepath.Abs(named)
	return err == nil && resolved(path) == resolved(abs)
}

func runData(l *journal.Log, whole bool) runJSON {
	r := runJSON{
		Run: l.Run, Began: l.Began, Owner: l.Owner, Message: l.Message, Commit: l.Commit, Fabric: l.Fabric, Name: l.Name, Lab: l.Lab,
		Undoes: l.Undoes, Status: statusOf(l), Outcomes: map[string]int{}, Damaged: l.Damaged,
	}
	if l.Adopted != nil {
		r.Adopted = l.Adopted.By
	}
	for _, d := range l.Devices {
		o := outcomeOf(l, d.Name)
		r.Outcomes[o]++
		r.expired = r.expired || l.Lab == "" && expired(l.Outcomes[d.Name], time.Now())
		if !whole {
			continue
		}
		rd := runDeviceJSON{Device: d.Name, Outcome: o, Detail: l.Outcomes[d.Name].Detail, Files: d.Changes}
		if o == string(deploy.Unknown) || o == runUnderWay {
			rd.Verb = underWay(l, d.Name)
		}
		for _, line := range l.Lines {
			if line.Device == d.Name && line.Verb == backVerb {
				rd.Detail = strings.TrimPrefix(rd.Detail+" "+line.Detail, " ")
				break
			}
		}
		r.Devices = append(r.Devices, rd)
	}
	return r
}

func (a *app) runsText(doc runsDocument, whole bool) {
	if len(doc.Runs) == 0 {
		fmt.Fprintln(a.stdout, "No run was started on this machine by this user.")
		return
	}
	if !whole {
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "RUN\tSTART\tFABRIC\tBY\tCOMMIT\tOUTCOME\tWHY")
		for _, r := range doc.Runs {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Run, r.Began.Local().Format("2006-01-02 15:04"), diag.Escape(r.Name),
				diag.Escape(who(r.Owner)), diag.Escape(shortCommit(r.Commit)), outcomesText(r),
				diag.Escape(cmp.Or(r.Message, undoesText(r.Undoes), "-")))
		}
		w.Flush() //nolint:errcheck // a closed terminal has nobody to tell
		return
	}
	r := doc.Runs[0]
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(a.stdout, "%-8s %s\n", name, diag.Escape(value))
		}
	}
	line("run", r.Run)
	line("fabric", r.Name+" in "+r.Fabric)
	line("by", r.Owner)
	if r.Adopted != "" {
		line("here", "taken up from its devices by "+r.Adopted)
	}
	line("began", r.Began.Format(time.RFC3339))
	line("commit", r.Commit)
	line("why", cmp.Or(r.Message, undoesText(r.Undoes)))
	line("lab", r.Lab)
	line("outcome", outcomesText(r))
	for _, d := range r.Devices {
		text := fmt.Sprintf("  %-12s %s", d.Outcome, diag.Escape(d.Device))
		switch {
		case d.Verb == "":
		case d.Outcome == runUnderWay:
			text += " (" + diag.Escape(d.Verb) + ")"
		default:
			text += " (the run ended at " + diag.Escape(d.Verb) + ")"
		}
		if d.Detail != "" {
			text += ": " + diag.Escape(d.Detail)
		}
		fmt.Fprintln(a.stdout, text)
	}
	if r.Damaged > 0 {
		fmt.Fprintf(a.stdout, "%s of the journal could not be read; the run may have begun on every device it was for.\n",
			diag.Count(r.Damaged, "line"))
	}
	if r.expired {
		fmt.Fprintf(a.stdout, "The time to confirm is over. To see what the devices have undone: %s.\n", deploy.RunCommand("resume", r.Run))
	}
	if r.Status == runDied {
		fmt.Fprintf(a.stdout, "The run died. Go on: %s. Go back: %s.\n", deploy.RunCommand("resume", r.Run), deploy.RunCommand("rollback", r.Run))
	}
}

// expired reports whether a device that waited to be confirmed has undone the change by now, as far as this machine's clock
// knows. It does not for a lab, where time stands still between commands.
func expired(o journal.Outcome, now time.Time) bool {
	var r resultJSON
	if o.Outcome != string(deploy.Unconfirmed) || json.Unmarshal(o.Result, &r) != nil || r.Until == 0 {
		return false
	}
	return now.Sub(o.Time) > time.Duration(r.Until)*time.Second
}

// shortCommit is a commit as git shows it; "+" at its end stays: with changes.
func shortCommit(commit string) string {
	const short = 9
	hash := strings.TrimSuffix(commit, "+")
	if commit == "" {
		return "-"
	}
	return hash[:min(len(hash), short)] + commit[len(hash):]
}

func undoesText(run string) string {
	if run == "" {
		return ""
	}
	return "rollback of " + run
}

// who is the person of an owner: "alice@ws7" of "alice@ws7, process 4711".
func who(owner string) string {
	name, _, _ := strings.Cut(owner, ",")
	return name
}

func outcomesText(r runJSON) string {
	var parts []string
	words := []string{runUnderWay, runWaiting}
	for _, o := range deploy.Outcomes {
		words = append(words, string(o))
	}
	for _, o := range words {
		if n := r.Outcomes[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	if r.expired {
		parts = append(parts, "time to confirm is over")
	}
	switch {
	case r.Status == runDied:
		parts = append(parts, r.Status)
	case r.Status == runRunning && r.Outcomes[runUnderWay] == 0: // between two waves
		parts = append(parts, runUnderWay)
	}
	return strings.Join(parts, ", ")
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

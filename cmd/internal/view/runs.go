package view

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// RunsDocument is the JSON of runs.
type RunsDocument struct {
	FormatVersion string   `json:"format_version"`
	Runs          []Run    `json:"runs"`
	Unreadable    []string `json:"unreadable,omitempty"`
}

type Run struct {
	Run      string         `json:"run"`
	Began    time.Time      `json:"began"`
	Owner    string         `json:"owner"`
	Message  string         `json:"message,omitempty"`
	Commit   string         `json:"commit,omitempty"`
	Fabric   string         `json:"fabric"`
	Name     string         `json:"name"`
	Lab      string         `json:"lab,omitempty"`
	Undoes   string         `json:"undoes,omitempty"`
	Adopted  string         `json:"adopted_by,omitempty"` // of a run that another machine or user started: who adopted it here
	Status   string         `json:"status"`               // running, ended, died
	Outcomes map[string]int `json:"outcomes"`
	Devices  []RunDevice    `json:"devices,omitempty"` // of one run
	Damaged  int            `json:"damaged_lines,omitempty"`
	expired  bool           // a device waited to be confirmed, and its time has expired
}

type RunDevice struct {
	Device  string         `json:"device"`
	Outcome string         `json:"outcome"`
	Verb    string         `json:"verb,omitempty"` // without an outcome: the last verb that was begun
	Detail  string         `json:"detail,omitempty"`
	Files   []journal.File `json:"files,omitempty"`
}

// RunJSON returns a run; with whole, also its devices. now decides whether the time of a waiting device has expired.
func RunJSON(l *journal.Log, whole bool, now time.Time) Run {
	r := Run{
		Run: l.Run, Began: l.Began, Owner: l.Owner, Message: l.Message, Commit: l.Commit, Fabric: l.Fabric, Name: l.Name, Lab: l.Lab,
		Undoes: l.Undoes, Status: l.Status(), Outcomes: map[string]int{}, Damaged: l.Damaged,
	}
	if l.Adopted != nil {
		r.Adopted = l.Adopted.By
	}
	for _, d := range l.Devices {
		o := l.OutcomeOf(d.Name)
		r.Outcomes[o]++
		r.expired = r.expired || l.Lab == "" && l.Outcomes[d.Name].Expired(now)
		if !whole {
			continue
		}
		rd := RunDevice{Device: d.Name, Outcome: o, Detail: l.Outcomes[d.Name].Detail, Files: d.Changes}
		if o == string(deploy.Unknown) || o == journal.UnderWay {
			rd.Verb = l.LastVerb(d.Name)
		}
		for _, line := range l.Lines {
			if line.Device == d.Name && line.Verb == journal.BackVerb {
				rd.Detail = strings.TrimPrefix(rd.Detail+" "+line.Detail, " ")
				break
			}
		}
		r.Devices = append(r.Devices, rd)
	}
	return r
}

// Runs prints a list of runs, or with whole the details of a single run.
func (s *Screen) Runs(doc RunsDocument, whole bool) {
	if len(doc.Runs) == 0 {
		fmt.Fprintln(s.Raw, "No run was started on this machine by this user.")
		return
	}
	if !whole {
		w := tabwriter.NewWriter(s.Raw, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "RUN\tSTART\tFABRIC\tBY\tCOMMIT\tOUTCOME\tWHY")
		for _, r := range doc.Runs {
			name := diag.Escape(r.Name)
			if r.Lab != "" {
				name += " (rehearsal)"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Run, r.Began.Local().Format("2006-01-02 15:04"), name,
				diag.Escape(Who(r.Owner)), diag.Escape(shortCommit(r.Commit)), OutcomesText(r),
				diag.Escape(cmp.Or(r.Message, undoesText(r.Undoes), "-")))
		}
		w.Flush() //nolint:errcheck // a closed terminal shows no error
		return
	}
	r := doc.Runs[0]
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(s.Raw, "%-8s %s\n", name, diag.Escape(value))
		}
	}
	line("run", r.Run)
	line("fabric", r.Name+" in "+r.Fabric)
	line("by", r.Owner)
	if r.Adopted != "" {
		line("here", "adopted from its devices by "+r.Adopted)
	}
	line("began", r.Began.Format(time.RFC3339))
	line("commit", r.Commit)
	line("why", cmp.Or(r.Message, undoesText(r.Undoes)))
	line("lab", r.Lab)
	line("outcome", OutcomesText(r))
	for _, d := range r.Devices {
		text := fmt.Sprintf("  %-12s %s", diag.Escape(d.Outcome), diag.Escape(d.Device))
		switch {
		case d.Verb == "":
		case d.Outcome == journal.UnderWay:
			text += " (" + diag.Escape(d.Verb) + ")"
		default:
			text += " (the run ended at " + diag.Escape(d.Verb) + ")"
		}
		if d.Detail != "" {
			text += ": " + diag.Escape(d.Detail)
		}
		fmt.Fprintln(s.Raw, text)
	}
	if r.Damaged > 0 {
		fmt.Fprintf(s.Raw, "%s of the journal could not be read; the run may have begun on each of its devices.\n",
			diag.Count(r.Damaged, "line"))
	}
	if r.expired {
		fmt.Fprintf(s.Raw, "The time to confirm is over. To see what the devices have undone: %s\n", deploy.RunCommand("resume", r.Run))
	}
	if r.Status == journal.Died {
		fmt.Fprintf(s.Raw, "The run died. Go on: %s; go back: %s\n", deploy.RunCommand("resume", r.Run), deploy.RunCommand("rollback", r.Run))
	}
}

// RunHead prints the run of a command: its name, fabric, time, owner and message.
func (s *Screen) RunHead(l *journal.Log) {
	text := fmt.Sprintf("Run %s of fabric %s in %s, began %s by %s", l.Run, l.Name, l.Fabric, l.Began.Local().Format("2006-01-02 15:04"),
		Who(l.Owner))
	if l.Message != "" {
		text += ": " + l.Message
	}
	s.Prose("", diag.Escape(text))
	fmt.Fprintln(s.W)
}

// shortCommit shortens a commit as git does, and keeps a "+" at its end, which marks uncommitted changes.
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

// Who returns the person of an owner: "alice@ws7" for "alice@ws7, process 4711".
func Who(owner string) string {
	name, _, _ := strings.Cut(owner, ",")
	return name
}

// OutcomesText counts the devices of a run by outcome: "6 applied, 1 restored".
func OutcomesText(r Run) string {
	var parts []string
	words := []string{journal.UnderWay, journal.Waiting}
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
	case r.Status == journal.Died:
		parts = append(parts, r.Status)
	case r.Status == journal.Running && r.Outcomes[journal.UnderWay] == 0: // between two waves
		parts = append(parts, journal.UnderWay)
	}
	return strings.Join(parts, ", ")
}

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/team"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/device"
)

func runsCommand(a *app) *cobra.Command {
	var o runsOptions
	cmd := &cobra.Command{
		Use:   "runs [RUN]",
		Short: "list the runs started on this machine: who, when, why, and the outcome",
		Long: "Runs lists the runs started on this machine; with -C, those of one fabric. With RUN it prints the outcome of each\n" +
			"device, or a change record (--format md). With --check it looks for edits of the journals: the chain of lines, the\n" +
			"signature at the end, the content from before, and with --devices the records that the devices of the fabric keep.\n\n" +
			"With --team it lists the runs of a team, and what each one waits for. With --follow it prints the events of a run until the run\n" +
			"is over.",
		Example: "  rocec runs\n" +
			"  rocec runs last\n" +
			"  rocec runs --check --devices",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exit.Choice("format", o.Format, "text", "json", "md"); err != nil {
				return err
			}
			o.Run = strings.Join(args, "")
			if done, err := ofTeam(a, cmd, args, &o.team, o.Format, func(t *team.Client) error {
				return t.Show(cmd.Context(), &o.ShowOptions)
			}, "format", "follow", "device"); done {
				return err
			}
			switch {
			case o.check && o.Format == "md":
				return exit.Fail(exit.Usage, "--check prints text or json")
			case o.check && o.Follow+o.Device != "":
				return exit.Fail(exit.Usage, "--check looks at all journals of this machine: leave out --follow and --device")
			case !o.check && (o.Devices || o.Lab != ""):
				return exit.Fail(exit.Usage, "--devices and --lab are about --check")
			case o.Follow+o.Device != "":
				return team.Show(cmd.Context(), a.Session, device.Clock{Now: time.Now, Wait: time.After}, o.Format, &o.ShowOptions)
			case o.Format == "md" && len(args) == 0:
				return exit.Fail(exit.Usage, "--format md is the record of one run: name it, such as last")
			case o.check:
				return session.CheckRuns(cmd.Context(), a.Session, strings.Join(args, ""), o.CheckOptions)
			case o.Format == "md":
				return session.WriteRecord(a.Session, args[0])
			}
			return a.runs(args, o.Format)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Format, "format", "text", "text, json, or md: the record of one run for a change board")
	f.BoolVar(&o.check, "check", false, "look for changes of the journals after they were written")
	f.BoolVar(&o.Devices, "devices", false, "with --check: compare with the records that the devices of the fabric keep")
	labFlags(cmd, &o.Lab)
	sudoFlag(a, cmd)
	runsFlagsOfTeam(cmd, &o.team, &o.ShowOptions)
	offerRuns(a, cmd)
	return cmd
}

type runsOptions struct {
	session.CheckOptions
	team.ShowOptions
	check bool
	team  teamOptions
}

func (a *app) runs(args []string, format string) error {
	doc := view.RunsDocument{FormatVersion: report.FormatVersion, Runs: []view.Run{}}
	var damaged []string
	var dir *journal.Dir
	if len(args) > 0 {
		l, err := a.ReadRun(args[0])
		if err != nil {
			return err
		}
		doc.Runs = append(doc.Runs, view.RunJSON(l, true, time.Now()))
	} else {
		var logs []*journal.Log
		var unreadable []journal.Unreadable
		var err error
		if dir, logs, unreadable, err = a.ReadRuns(); err != nil {
			return err
		}
		for _, l := range logs {
			if a.Dir == "" || session.SameFolder(a.Dir, l.Fabric) {
				doc.Runs = append(doc.Runs, view.RunJSON(l, false, time.Now()))
			}
		}
		for _, u := range unreadable {
			doc.Unreadable = append(doc.Unreadable, u.Name)
			if why := u.Refused(); why != nil {
				a.WarnOnce(why)
			} else {
				damaged = append(damaged, u.Name)
			}
		}
	}
	if format == "json" {
		return a.WriteJSON(doc)
	}
	a.Screen().Runs(doc, len(args) > 0)
	if len(damaged) > 0 {
		fmt.Fprintf(a.Stderr, "rocec: these journals in %s cannot be read: %s\n",
			diag.Escape(dir.Path()), diag.Escape(strings.Join(damaged, ", ")))
	}
	return nil
}

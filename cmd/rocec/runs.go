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
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
)

func runsCommand(a *app) *cobra.Command {
	var o runsOptions
	cmd := &cobra.Command{
		Use:   "runs [RUN]",
		Short: "list the runs started on this machine: who, when, why, and the outcome",
		Long: "Runs lists the runs started on this machine; with -C, those of one fabric. With RUN it prints the outcome of each\n" +
			"device, or a change record (--format md). With --check it looks for edits of the journals: the chain of lines, the\n" +
			"signature at the end, the content from before, and with --devices the records that the devices of the fabric keep.\n\n" +
			"With --team it lists the runs of a team: who is before whom, and what each one waits for. --follow prints what happens in a run,\n" +
			"and ends with it; the sites do not need it.",
		Example: "  rocec runs\n" +
			"  rocec runs last\n" +
			"  rocec runs --check --devices",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exit.Choice("format", o.Format, "text", "json", "md"); err != nil {
				return err
			}
			ofTeam, err := teamUse(cmd, args, &o.team, "format", "follow", "device")
			if err != nil {
				return err
			}
			if ofTeam || o.team.follow != "" || o.team.device != "" {
				return a.runsOfLedger(cmd, args, &o)
			}
			switch {
			case o.check && o.Format == "md":
				return exit.Fail(exit.Usage, "--check prints text or json")
			case o.Format == "md" && len(args) == 0:
				return exit.Fail(exit.Usage, "--format md is the record of one run: name it, such as last")
			case !o.check && (o.Devices || o.Lab != ""):
				return exit.Fail(exit.Usage, "--devices and --lab are about --check")
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
	runsFlagsOfTeam(cmd, &o.team)
	offerRuns(a, cmd)
	return cmd
}

type runsOptions struct {
	session.CheckOptions
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

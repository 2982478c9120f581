package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/ledger"
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
			ofTeam, err := teamUse(cmd, args, &o.team, "format", "follow", "device")
			if err != nil {
				return err
			}
			if ofTeam || o.team.follow != "" || o.team.device != "" {
				return runsOfLedger(a, cmd, args, &o)
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

// runsOfLedger prints the runs of a team, or those of a device.
func runsOfLedger(a *app, cmd *cobra.Command, args []string, o *runsOptions) error {
	switch {
	case o.check || o.Devices || o.Lab != "":
		return exit.Fail(exit.Usage, "--check is about the journals of this machine: leave out --team, --follow and --device")
	case o.Format == "md":
		return exit.Fail(exit.Usage, "--format md is the record of one run on this machine: leave out --team, --follow and --device")
	case o.team.follow != "" && (o.team.device != "" || len(args) > 0), o.team.device != "" && len(args) > 0:
		return exit.Fail(exit.Usage, "runs shows one of these: RUN, --follow RUN, or --device NAME")
	}
	if !o.team.on {
		dir, err := a.Journals()
		if err != nil {
			return err
		}
		files := &ledger.Files{Dir: dir, Clock: device.Clock{Now: time.Now, Wait: time.After}}
		if o.team.device != "" {
			return team.Device(cmd.Context(), a.Session, files, o.team.device, o.Format)
		}
		a.Ending.OnDevices()
		return team.Follow(cmd.Context(), a.Session, files, &team.FollowOptions{Run: o.team.follow, Format: o.Format})
	}
	return withTeam(a, &o.team, o.Format, func(t *team.Team) error {
		switch {
		case o.team.device != "":
			return team.Device(cmd.Context(), a.Session, t.Ledger(""), o.team.device, o.Format)
		case o.team.follow != "":
			return t.Follow(cmd.Context(), o.team.follow, "")
		}
		return t.Runs(cmd.Context(), strings.Join(args, ""))
	})
}

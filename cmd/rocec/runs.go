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
	var format string
	cmd := &cobra.Command{
		Use:   "runs [RUN]",
		Short: "list the runs started on this machine: who, when, why, and the outcome",
		Long:  "Runs lists the runs started on this machine; with -C, those of one fabric. With RUN it prints the outcome of each device.",
		Example: "  rocec runs\n" +
			"  rocec runs last",
		Args: takes(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := exit.Choice("format", format, "text", "json"); err != nil {
				return err
			}
			return a.runs(args, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	offerRuns(a, cmd)
	return cmd
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

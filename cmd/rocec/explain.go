package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
)

func (a *app) explainCommand() *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "explain CODE",
		Short: "explain a diagnostic: cause, example, fix",
		Args: func(cmd *cobra.Command, args []string) error {
			if list {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var codes []string
			for _, r := range report.Rooms() {
				for _, t := range r.Topics {
					codes = append(codes, t.Code)
				}
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if list {
				return a.explainList()
			}
			return a.explain(args[0])
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list every code with its summary")
	return cmd
}

func (a *app) explain(code string) error {
	plain := strings.ReplaceAll(strings.ToLower(code), "_", "-")
	var codes []string
	for _, r := range report.Rooms() {
		for _, t := range r.Topics {
			if t.Code == plain {
				bold := func(s string) string { return diag.Paint(a.paints(a.stdout), diag.Bold, s) }
				_, err := fmt.Fprintf(a.stdout, "%s: %s\n\n%s\n", bold(t.Code), t.Summary, t.Headings(bold))
				return err
			}
			codes = append(codes, t.Code)
		}
	}
	return fail(exitUsage, "no code %q.%s rocec explain --list shows all", code, diag.DidYouMean(code, codes))
}

func (a *app) explainList() error {
	for i, r := range report.Rooms() {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprintln(a.stdout, diag.Paint(a.paints(a.stdout), diag.Bold, r.Title))
		for _, t := range r.Topics {
			fmt.Fprintf(a.stdout, "  %-28s %s\n", t.Code, t.Summary)
		}
	}
	return nil
}

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/validate"
)

// room is a table of codes and the room that reports them.
type room struct {
	title    string
	language string // of the examples
	topics   []diag.Topic
}

// rooms returns every code there is, by the room that reports it, each room's sorted.
func rooms() []room {
	var checks []diag.Topic
	for _, c := range validate.Checks {
		checks = append(checks, c.Topic())
	}
	all := []room{
		{"Checks: the fabric would misbehave", "hcl", checks},
		{"The language: the file cannot be read as meant", "hcl", slices.Clone(lang.Topics)},
		{"The fabric: names, cables, sizes", "hcl", slices.Clone(compiler.Topics)},
		{"The devices: a release or a chip cannot do it", "hcl", slices.Clone(targets.Topics)},
		{"Device files: what lies on a switch would misbehave", "ini", slices.Clone(conflint.Topics)},
		{"The machines: plan and apply could not do it", "text", slices.Clone(deploy.Topics)},
	}
	for _, r := range all {
		slices.SortFunc(r.topics, func(a, b diag.Topic) int { return strings.Compare(a.Code, b.Code) })
	}
	return all
}

func (a *app) explainCommand() *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "explain CODE",
		Short: "tell the story behind a diagnostic: why, example, fix",
		Args: func(cmd *cobra.Command, args []string) error {
			if list {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var codes []string
			for _, r := range rooms() {
				for _, t := range r.topics {
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
	var codes []string
	for _, r := range rooms() {
		for _, t := range r.topics {
			if t.Code == code {
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
	for i, r := range rooms() {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprintln(a.stdout, diag.Paint(a.paints(a.stdout), diag.Bold, r.title))
		for _, t := range r.topics {
			fmt.Fprintf(a.stdout, "  %-28s %s\n", t.Code, t.Summary)
		}
	}
	return nil
}

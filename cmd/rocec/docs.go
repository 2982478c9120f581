package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang/diag"
)

func docsCommand(a *app) *cobra.Command {
	var man string
	cmd := &cobra.Command{
		Use:   "docs [PAGE]",
		Short: "print a page of the manual",
		Long: "Docs prints a page of the manual that is part of this rocec; without PAGE, the page that leads to the others. A code is a " +
			"page, too. The text goes to stdout as a whole: pipe it into a pager where it is long.\n\n" +
			"With --man it writes a man page for every verb, the same bytes whenever it is run.",
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("man") {
				return cobra.NoArgs(cmd, args)
			}
			return takes(0, 1)(cmd, args)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return pageNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("man") {
				n, err := writeManPages(cmd.Root(), man)
				if err != nil {
					return exit.Fail(exit.Machines, "%v", err)
				}
				if !a.Quiet {
					fmt.Fprintf(a.Stdout, "%s in %s\n", diag.Count(n, "man page"), diag.Escape(man))
				}
				return nil
			}
			name := docs.Index
			if len(args) > 0 {
				name = args[0]
			}
			p := docs.Find(name)
			if p == nil {
				plain := strings.TrimSuffix(strings.ToLower(name), ".md")
				return exit.Fail(exit.Usage, "no page %q.%s rocec docs lists them", name, diag.DidYouMean(plain, pageNames()))
			}
			return printPage(a.Person, p)
		},
	}
	cmd.Flags().StringVar(&man, "man", "", "write man pages into a `folder`")
	return cmd
}

// pageNames are the pages of the manual, and after them the codes.
func pageNames() (names []string) {
	for _, p := range docs.Pages() {
		if p.Name != docs.Index {
			names = append(names, p.Name)
		}
	}
	return names
}
